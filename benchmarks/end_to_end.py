"""What does an ordering cost in a whole run, over random reshuffling?

    python -m benchmarks.end_to_end [--quick] [--json]

`simulate` on logistic regression, nothing recorded. ``grab`` runs on one worker with as many examples. Left
out: ``herding``, which computes every gradient twice because it is a reference and not a method.
"""

from __future__ import annotations

import cdgrab_sim as cg
from benchmarks._race import alone, race, ratio

SIZES = ((8, 256, 32), (8, 256, 256), (64, 64, 32))
NAMES = sorted(set(cg.orderings.ORDERINGS) - {"rr", "grab", "herding"})
BUDGETS = {"cd-grab": 1.35}


def run(problem: cg.Problem, ordering: str, epochs: int):
    bare = cg.Record(every=epochs, loss=False, grad_norm=False)
    return lambda: cg.simulate(problem, ordering, epochs=epochs, step_size=1e-4, record=bare, threads=1)


def measure(quick: bool):
    for m, n, d in SIZES:
        epochs = max(2, (1 << 20) // (m * n * d))
        many, one = cg.problems.logistic(m=m, n=n, d=d), cg.problems.logistic(m=1, n=m * n, d=d)
        contest = {name: run(many, name, epochs) for name in ("rr", *NAMES)}
        contest |= {"rr, m=1": run(one, "rr", epochs), "grab": run(one, "grab", epochs)}
        times = race(contest, 2.0 if quick else 10.0)
        cell = f"m={m}, n={n}, d={d}"
        for name in NAMES:
            yield ratio(f"{name} / rr, {cell}", times[name], times["rr"], BUDGETS.get(name))
        yield ratio(f"grab / rr, m=1, n={m * n}, d={d}", times["grab"], times["rr, m=1"])


if __name__ == "__main__":
    alone(measure, __doc__)
