"""Checks shared by the convergence statements: capped step sizes, and one value or one value per epoch."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import nonnegative, nonnegative_array, positive


def capped_step(alpha: float, n: int, L: float, cap: float, statement: str) -> float:
    """Return ``alpha`` when 0 < alpha n L <= cap; the last digit of rounding is forgiven.

    Examples
    --------
    >>> capped_step(0.01, 50, 1.0, 1 / 2, "T1")
    0.01
    >>> capped_step(0.01, 100, 1.0, 1 / 2, "T1")
    Traceback (most recent call last):
    ...
    ValueError: expected alpha n L <= 0.5 (T1); got 1; reduce alpha to at most 0.005
    """
    alpha, L = positive("alpha", alpha), positive("L", L)
    if alpha * n * L > cap * (1 + 1e-12):
        raise ValueError(
            f"expected alpha n L <= {cap:.4g} ({statement}); got {alpha * n * L:.4g}; "
            f"reduce alpha to at most {cap / (n * L):.4g}"
        )
    return alpha


def step_below(cap: float, alpha: float, L: float, statement: str) -> float:
    """Return ``alpha`` when 0 < alpha L <= cap, for statements whose cap does not shrink with n."""
    alpha, L = positive("alpha", alpha), positive("L", L)
    if alpha * L > cap * (1 + 1e-12):
        raise ValueError(
            f"expected alpha <= {cap:.4g} / L ({statement}); got {alpha}; "
            f"reduce alpha to at most {cap / L:.4g}"
        )
    return alpha


def condition(mu: float, L: float) -> tuple[float, float]:
    """Return (mu, L) when 0 < mu <= L, as every mu-PL function that is L-smooth satisfies."""
    mu, L = positive("mu", mu), positive("L", L)
    if mu > L:
        raise ValueError(f"expected mu <= L; got mu = {mu}, L = {L}; swap them or correct the constants")
    return mu, L


def per_epoch(name: str, value: ArrayLike, T: int) -> NDArray[np.float64]:
    """Return ``value`` as a (T,) array: a number is repeated, an array must hold one entry per epoch."""
    if not isinstance(value, (list, tuple)) and np.ndim(value) == 0:
        return np.full(T, nonnegative(name, value))  # type: ignore[arg-type]
    array = nonnegative_array(name, value)
    if array.shape != (T,):
        raise ValueError(
            f"expected {name} as one number or with shape (T,) = ({T},); got shape {array.shape}; "
            f"pass one entry per epoch"
        )
    return array
