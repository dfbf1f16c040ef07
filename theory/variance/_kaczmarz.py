"""The randomized Kaczmarz method (W2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, matrix, nonnegative


def kaczmarz_bound(A: ArrayLike, r0: float, k: int) -> float:
    r"""Return the bound of E |x_k - x_star|^2 of random projections on the rows of a system (W2).

    .. math:: E |x_k - x_*|^2 \le \Bigl( 1 - \frac{\sigma_{\min}^2(A)}{\|A\|_F^2} \Bigr)^k r_0

    Equality where A'A is a multiple of the identity; then this is (1 - 1/d)^k.

    Assumes a consistent system A x = b of full column rank, and rows drawn in proportion to |a_j|^2.

    Provenance: proved here, note ``W2-kaczmarz``, after Strohmer and Vershynin, arXiv:math/0702226.

    Parameters
    ----------
    A : array_like, shape (n, d)
        The system.
    r0 : float
        The squared distance from the solution at first.
    k : int
        Steps.

    Examples
    --------
    >>> kaczmarz_bound([[1.0, 0.0], [0.0, 1.0]], 1.0, 3)
    0.125
    """
    M = matrix("A", A)
    s2 = np.linalg.svd(M, compute_uv=False) ** 2
    if len(M) < M.shape[1] or s2[-1] <= 0.0:
        raise ValueError(f"expected A of full column rank; got shape {M.shape}; add rows")
    return float((1.0 - s2[-1] / s2.sum()) ** integer_at_least("k", k, 0) * nonnegative("r0", r0))
