"""The one-variable quadratics behind the lower bounds for shuffled orders (I9)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from theory._checks import integer_at_least, one_of, positive
from theory._spectral import Array

VARIANTS = ("shared", "split", "sorted")


class SafranShamirLine(NamedTuple):
    """Arrays of I9: f_j(x) = curvatures[j] x^2 / 2 + slopes[j] x, minimum of f at 0."""

    curvatures: Array
    slopes: Array


def safran_shamir_line(variant: str, n: int, G: float, lam: float) -> SafranShamirLine:
    r"""Return quadratics in one variable on which an ordering does as badly as it can (I9).

    .. math::
        \text{shared} &: \tfrac\lambda2 x^2 + \tfrac G2 x \ \text{ or } \ \tfrac\lambda2 x^2 - \tfrac G2 x
            && \text{(rr, so: Theorems 5 and 7)} \\
        \text{split} &: \tfrac\lambda2 x^2 + \tfrac G2 x \ \text{ or } \ - \tfrac G2 x
            && \text{(rr: Theorem 5)} \\
        \text{sorted} &: \tfrac G2 x \ \text{ or } \ \lambda x^2 - \tfrac G2 x
            && \text{(ig: Theorem 8, from } x_0 = 1)

    each form on half of the examples, the first form first; ig takes them as they stand.

    Assumes n even.

    Provenance: published, read (arXiv:1908.00045, Theorems 5, 7 and 8), note
    ``I9-safran-shamir-on-the-line``.

    Parameters
    ----------
    variant : {"shared", "split", "sorted"}

    Returns
    -------
    SafranShamirLine
        ``curvatures`` (n,) and ``slopes`` (n,).

    Examples
    --------
    >>> safran_shamir_line("split", 2, G=1.0, lam=3.0)
    SafranShamirLine(curvatures=array([3., 0.]), slopes=array([ 0.5, -0.5]))
    """
    one_of("variant", variant, VARIANTS)
    n, G, lam = integer_at_least("n", n, 2), positive("G", G), positive("lam", lam)
    if n % 2:
        raise ValueError(f"expected an even n; got {n}; half of the examples carry each form")
    first = np.arange(n) < n // 2
    curvature = {"shared": (lam, lam), "split": (lam, 0.0), "sorted": (0.0, 2.0 * lam)}[variant]
    return SafranShamirLine(np.where(first, *curvature), np.where(first, G / 2.0, -G / 2.0))
