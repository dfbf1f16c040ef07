"""What signs that see a sketch of each vector cannot balance (H11)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def left_to_chance(covariance: ArrayLike, sketch: ArrayLike) -> NDArray[np.float64]:
    r"""Return the covariance of what a linear sketch does not tell of a Gaussian vector (H11).

    .. math:: R = C - C S^\top (S C S^\top)^+ S C, \qquad
        E |s_K|^2 = K \operatorname{tr} R + E \Bigl| C S^\top (S C S^\top)^+ \sum_j \epsilon_j S v_j \Bigr|^2

    Assumes independent vectors v_j with covariance C, and signs that depend on the sketches S v_j alone.

    Provenance: proved here, note ``H11-sketches``.

    Parameters
    ----------
    covariance : array (d, d)
        C.
    sketch : array (k, d)
        S.

    Examples
    --------
    Of two numbers with correlation 1/2 the first tells a quarter of the variance of the second.

    >>> left_to_chance([[1.0, 0.5], [0.5, 1.0]], [[1.0, 0.0]])
    array([[0.  , 0.  ],
           [0.  , 0.75]])
    """
    C, S = np.asarray(covariance, dtype=np.float64), np.asarray(sketch, dtype=np.float64)
    if C.ndim != 2 or S.ndim != 2 or C.shape != (S.shape[1], S.shape[1]):
        raise ValueError(
            f"covariance, sketch: expected shapes (d, d) and (k, d); got {C.shape} and {S.shape}"
        )
    gain = np.linalg.pinv(S @ C @ S.T, hermitian=True) @ S @ C
    return np.asarray(C - C @ S.T @ gain)
