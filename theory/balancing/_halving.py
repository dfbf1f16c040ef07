"""Kernel halving (V10): how far a half of the points is from all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, nonnegative, nonnegative_array


def halving_discrepancy(eigenvalues: ArrayLike, variance: float, n: int) -> float:
    r"""Bound the mean square of the MMD between n points and their half (V10).

    .. math::
        E[\mathrm{MMD}^2; \text{no clip}]
        \le \frac{1}{n^2} \min_{0 \le r \le N} \big( \sigma^2 r + N \lambda_{r+1} \big), \qquad N = n / 2

    with :math:`\lambda_1 \ge \dots \ge \lambda_N` the eigenvalues of the matrix of inner products of the
    pairs' differences f_i = k(x_{2i-1}, .) - k(x_{2i}, .), :math:`\lambda_{N+1} = 0`, and sigma^2 the last
    variance of :func:`self_balancing_variances`. Random signs have (sum of all :math:`\lambda`) / n^2.

    Assumes an even number of points, in pairs that do not depend on the coins.

    Provenance: proved here, note ``V10-kernel-halving``. See Dwivedi, Mackey, arXiv:2105.05842 (the
    algorithm) and Carrell et al., arXiv:2502.12063 (bounds by rank, recalled).

    Parameters
    ----------
    eigenvalues : array (N,)
    variance : float
    n : int

    Examples
    --------
    Four differences of length 1 along one line, and a variance of 1: rank 1 is enough.

    >>> halving_discrepancy([4.0, 0.0, 0.0, 0.0], 1.0, 8)
    0.015625
    """
    size = integer_at_least("n", n, 2)
    values = np.sort(nonnegative_array("eigenvalues", eigenvalues))[::-1]
    if size != 2 * len(values):
        raise ValueError(f"expected one eigenvalue for each of n / 2 = {size / 2:g} pairs; got {len(values)}")
    ranks = np.arange(len(values) + 1)
    bounds = nonnegative("variance", variance) * ranks + len(values) * np.append(values, 0.0)
    return float(bounds.min()) / size**2
