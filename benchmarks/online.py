"""What does an observation of `cg.online` cost, with a sketch and without?

    python -m benchmarks.online [--quick] [--json]

A million gradients of d = 4,096 from 8 workers, k = 256: as a loop hands them over (float32 or float64, from
memory that is larger than the second-level cache), in pieces of some steps, or worker by worker.
"""

from __future__ import annotations

import numpy as np

import cdgrab_sim as cg
from benchmarks._race import alone, plain, race, ratio

M, N, D, K = 8, 64, 4096, 256
FORMS = {"whole": {}} | {by: {"sketch": K, "by": by} for by in ("runs", "columns", "count")}


def epochs(form, G, steps, repeats):
    """Return a function that shows `repeats` epochs of the gradients G (n, m, d), some steps at a time."""
    orders = cg.online("cd-grab", m=M, n=N, d=D, **form)

    def run():
        for _ in range(repeats):
            for k in range(0, N, max(steps, 1)):
                if steps:
                    orders.observe(G[k : k + steps])
                else:
                    for i in range(M):
                        orders.observe(i, G[k, i])
            orders.end_epoch()

    return run


def measure(quick: bool):
    repeats = 4 if quick else 1_000_000 // (5 * M * N)  # five rounds of the race are a million
    for kind in (np.float64, np.float32):
        G = np.random.RandomState(0).standard_normal((N, M, D)).astype(kind)
        for steps, said in ((64, "64 steps at a time"), (1, "a step at a time"), (0, "one by one")):
            contest = {name: epochs(form, G, steps, repeats) for name, form in FORMS.items()}
            times = race(contest, 0.0)
            per = {name: 1e6 * taken / (repeats * M * N) for name, taken in times.items()}
            yield plain(f"{kind.__name__}, {said}", per["whole"], unit="us")
            for name in tuple(FORMS)[1:]:
                budget = 0.2 if (name, steps) == ("runs", 64) else None
                what = f"{name}, k=256 / whole, {kind.__name__}, {said}"
                yield ratio(what, times[name], times["whole"], budget)


if __name__ == "__main__":
    alone(measure, __doc__)
