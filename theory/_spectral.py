"""What every formula for quadratics shares: checked arguments in the eigenbasis, and powers of 1 - x.

Everything is written in x = alpha * lambda, the contraction lost in one step, never in rho = 1 - x: rounding
rho would throw away the digits of x that the differences below live on when x is tiny. For 0 <= x < 1 the
logarithm is ``log1p(-x)``; for x >= 1 (a step beyond 1/L) plain powers are accurate and serve negative bases.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import finite_array, matrix, positive, positive_array, symmetric_psd, vector

Array = NDArray[np.float64]


def pair_loss(x: Array) -> Array:
    """Return 1 - rho_p rho_q = x_p + x_q (1 - x_p) for all pairs, shape (d, d)."""
    return x[:, None] + x[None, :] * (1.0 - x[:, None])


def power(x: Array, exponent: float | Array) -> Array:
    """Return (1 - x)**exponent; the exponents are integers wherever x >= 1."""
    small = np.where(x < 1.0, x, 0.0)
    large = np.where(x < 1.0, 1.0, x)
    return np.where(x < 1.0, np.exp(exponent * np.log1p(-small)), (1.0 - large) ** np.floor(exponent))


def complement(x: Array, exponent: float | Array) -> Array:
    """Return 1 - (1 - x)**exponent to full relative accuracy for 0 <= x < 1."""
    small = np.where(x < 1.0, x, 0.0)
    return np.where(x < 1.0, -np.expm1(exponent * np.log1p(-small)), 1.0 - power(x, exponent))


def geometric_sum(x: Array, stride: int, count: int) -> Array:
    """Return sum_{s < count} (1 - x)**(stride * s); a ratio of exactly one sums to ``count``."""
    one_term = complement(x, stride)
    level = one_term == 0.0
    return np.where(level, float(count), complement(x, stride * count) / np.where(level, 1.0, one_term))


def losses(alpha: float, eigenvalues: ArrayLike) -> Array:
    """Return x_p = alpha lambda_p, the share of e_p that one noiseless step removes."""
    return positive("alpha", alpha) * positive_array("eigenvalues", eigenvalues)


def covariance_of(covariance: ArrayLike, x: Array) -> Array:
    """Return the checked covariance of the centres, one row per eigenvalue."""
    sig = symmetric_psd("covariance", covariance)
    if sig.shape[0] != x.shape[0]:
        raise ValueError(
            f"expected covariance of shape {(x.size, x.size)}, one row per eigenvalue; got {sig.shape}; "
            "pass it in the eigenbasis of the Hessian"
        )
    return sig


def coordinates(name: str, value: ArrayLike, x: Array) -> Array:
    """Return ``value`` as a vector with one entry per eigenvalue."""
    array = vector(name, value)
    if array.shape != x.shape:
        raise ValueError(
            f"expected {name} of shape {x.shape}, one entry per eigenvalue; got {array.shape}; "
            "pass it in the eigenbasis of the Hessian"
        )
    return array


def rows(name: str, value: ArrayLike, x: Array) -> Array:
    """Return ``value`` as a matrix with one column per eigenvalue."""
    array = matrix(name, value)
    if array.shape[1] != x.size:
        raise ValueError(
            f"expected {name} of shape (rows, {x.size}), one column per eigenvalue; got {array.shape}; "
            "pass it in the eigenbasis of the Hessian"
        )
    return array


def stack(name: str, value: ArrayLike, shape: tuple[str, ...], equal: int = 1) -> Array:
    """Return ``value`` as a finite array with the axes of ``shape``, whose last ``equal`` lengths agree."""
    array = finite_array(name, value, len(shape), f"({', '.join(shape)})")
    if len(set(array.shape[-equal:])) != 1:
        raise ValueError(f"expected {name} with shape ({', '.join(shape)}); got {array.shape}; reshape it")
    return array


def examples(
    hessians: ArrayLike, name: str, vectors: ArrayLike, axes: tuple[str, ...] = ("n",)
) -> tuple[Array, Array]:
    """Return Hessians and vectors of matching shapes (*axes, d, d) and (*axes, d)."""
    a = stack("hessians", hessians, (*axes, "d", "d"), equal=2)
    v = stack(name, vectors, (*axes, "d"))
    if v.shape != a.shape[:-1]:
        raise ValueError(f"expected {name} of shape {a.shape[:-1]}; got {v.shape}; one row per Hessian")
    return a, v
