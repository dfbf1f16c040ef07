"""How does time grow in m, n, d and T?

    python -m benchmarks.growth [--quick] [--json]

The exponent of a least-squares line through log time, over two decades, for `simulate` with cd-grab on the
skewed problem. 1 is linear; what a run or an epoch costs whatever its size pulls it below. All data stay
under 32 MiB, the third-level cache of a server: beyond it, time follows the bandwidth of the memory.
"""

from __future__ import annotations

import numpy as np

import cdgrab_sim as cg
from benchmarks._race import Row, alone, race

SIZES = {
    "m": {"n": 64, "d": 8, "T": 4},
    "n": {"m": 8, "d": 8, "T": 4},
    "d": {"m": 1, "n": 128, "T": 32},
    "T": {"m": 8, "n": 64, "d": 8},
}
FROM = {"m": 64, "n": 512, "d": 32, "T": 32}
BUDGET = 1.05


def run(m: int, n: int, d: int, T: int):
    problem = cg.problems.skewed(m=m, n=n, d=d)
    bare = cg.Record(every=T, loss=False, grad_norm=False)
    return lambda: cg.simulate(problem, "cd-grab", epochs=T, step_size=1e-4, record=bare, threads=1)


def measure(quick: bool):
    for letter, others in SIZES.items():
        sizes = [round(FROM[letter] * 10 ** (decades / 2)) for decades in range(5)]
        times = race({str(size): run(**others, **{letter: size}) for size in sizes}, 2.0 if quick else 8.0)
        best, median = (
            np.polyfit(np.log(sizes), np.log([statistic(taken) for taken in times.values()]), 1)[0]
            for statistic in (np.min, np.median)
        )
        fixed = ", ".join(f"{name}={size}" for name, size in others.items())
        yield Row(
            f"exponent in {letter} = {sizes[0]} to {sizes[-1]}, {fixed}", float(best), float(median), BUDGET
        )


if __name__ == "__main__":
    alone(measure, __doc__)
