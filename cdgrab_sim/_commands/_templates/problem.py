r"""A problem of my own, with its test.

pytest my_problem.py                                           its test
cdgrab run --load my_problem.py --problem my-problem -m 4      one run

Worker i has n examples with losses f_ij; the objective is their mean over all i and j. Here every example
is a bowl around a point, f_ij(x) = |x - b_ij|^2 / 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import cdgrab_sim as cg


def grads(
    out: NDArray[np.float64], x: NDArray[np.float64], who: Any, idx: Any, data: tuple[Any, ...]
) -> None:
    """Write into out[r] the gradient at x of example idx[r] of worker who[r]."""
    out[:] = x - data[0][who, idx]


def loss(x: NDArray[np.float64], i: int, j: int, data: tuple[Any, ...]) -> float:
    """Return f_ij(x)."""
    return 0.5 * float(((x - data[0][i, j]) ** 2).sum())


def value(x: NDArray[np.float64], data: tuple[Any, ...]) -> float:
    """Return the objective, the mean of all f_ij(x)."""
    return 0.5 * float(((x - data[0]) ** 2).sum(axis=2).mean())


def my_problem(*, m: int = 4, n: int = 32, d: int = 3, seed: int = 0) -> cg.Problem:
    """Return bowls around normal points.

    The annotation says that this function makes a problem: so it is known as my-problem. The minimiser
    x_star, f_star and the smoothness L may be left out; experiments that measure errors need them.
    """
    rng = np.random.default_rng(seed)
    b = rng.standard_normal((m, n, d))
    x_star = b.mean(axis=(0, 1))
    return cg.Problem(
        "my-problem",
        m,
        n,
        d,
        (b,),
        grads,
        value,
        loss=loss,
        x_star=x_star,
        f_star=value(x_star, (b,)),
        constants={"L": 1.0, "mu": 1.0},
    )


def test_my_problem() -> None:
    """Gradients are the slopes of the losses, values their means, and x_star is a minimum."""
    cg.testing.check_problem(my_problem(m=2, n=3))
