"""What compressors lose (C1)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, one_of, vector

UNBIASED = ("identity", "rand-k", "qsgd", "natural")
CONTRACTIONS = ("identity", "top-k", "sign")


def omega(compressor: str, d: int, size: int = 1) -> float:
    r"""Return the relative variance of an unbiased compressor (C1).

    .. math::
        \text{identity}: 0, \qquad \text{rand-k}: \frac dk - 1, \qquad
        \text{qsgd}: \min\Bigl( \frac{d}{4 s^2}, \frac{\sqrt d}{s} \Bigr), \qquad \text{natural}: \frac18

    Attained by every vector (rand-k) and by 4/3 in every coordinate (natural).

    Assumes nothing of the vector.

    Provenance: proved here, note ``C1-compressors``. Alistarh et al., arXiv:1610.02132, have d/s^2 where d/(4
    s^2) stands here; Horvath et al., arXiv:1905.10988, the 1/8.

    Parameters
    ----------
    compressor : {"identity", "rand-k", "qsgd", "natural"}
        The one meant.
    size : int
        Coordinates k kept, or levels s.

    Examples
    --------
    >>> omega("rand-k", 6, 2), omega("qsgd", 4, 1), omega("natural", 5)
    (2.0, 1.0, 0.125)
    """
    one_of("compressor", compressor, UNBIASED)
    d, size = integer_at_least("d", d, 1), integer_at_least("size", size, 1)
    if compressor == "rand-k":
        return _kept(d, size) - 1.0
    if compressor == "qsgd":
        return min(d / (4.0 * size**2), math.sqrt(d) / size)
    return 0.0 if compressor == "identity" else 0.125


def contraction(compressor: str, d: int, size: int = 1) -> float:
    r"""Return the delta of a contraction (C1).

    .. math:: \text{identity}: 1, \qquad \text{top-k}: \frac kd, \qquad \text{sign}: \frac1d

    Attained by equal entries (top-k), and in the limit of a single large entry (sign).

    Assumes nothing of the vector.

    Provenance: proved here, note ``C1-compressors``. Karimireddy et al., arXiv:1901.09847, for signs.

    Parameters
    ----------
    compressor : {"identity", "top-k", "sign"}
        The one meant.
    size : int
        Coordinates k kept.

    Examples
    --------
    >>> contraction("top-k", 6, 3)
    0.5
    """
    one_of("compressor", compressor, CONTRACTIONS)
    d, size = integer_at_least("d", d, 1), integer_at_least("size", size, 1)
    if compressor == "top-k":
        return 1.0 / _kept(d, size)
    return 1.0 if compressor == "identity" else 1.0 / d


def _kept(d: int, k: int) -> float:
    if k > d:
        raise ValueError(f"expected k <= d = {d}; got {k}; keep fewer coordinates")
    return d / k


def dithering_variance(vectors: ArrayLike, levels: int) -> float:
    r"""Return E |Q(v) - v|^2 of random dithering, exactly (C1).

    .. math:: \frac{|v|^2}{s^2} \sum_p f_p (1 - f_p), \qquad f_p = \text{the fraction of } \frac{s |v_p|}{|v|}

    Assumes a vector that is not zero.

    Provenance: proved here, note ``C1-compressors``. See Alistarh et al., arXiv:1610.02132.

    Parameters
    ----------
    vectors : array_like, shape (d,)
        v.
    levels : int
        s.

    Examples
    --------
    >>> dithering_variance([3.0, -4.0], 1)
    10.0
    """
    v, s = vector("vectors", vectors), integer_at_least("levels", levels, 1)
    norm = float(np.linalg.norm(v))
    fraction = np.modf(s * np.abs(v) / norm)[0]
    return float((norm / s) ** 2 * (fraction * (1.0 - fraction)).sum())


def power_of_two_variance(vectors: ArrayLike) -> float:
    r"""Return E |Q(v) - v|^2 of natural compression, exactly (C1).

    .. math:: \sum_p (|v_p| - 2^{e_p})(2^{e_p + 1} - |v_p|), \qquad 2^{e_p} \le |v_p| < 2^{e_p + 1}

    Assumes nothing of the vector; zeros stay zeros.

    Provenance: proved here, note ``C1-compressors``. See Horvath et al., arXiv:1905.10988.

    Parameters
    ----------
    vectors : array_like, shape (d,)
        v.

    Examples
    --------
    >>> power_of_two_variance([5.0, 6.0])
    7.0
    """
    v = np.abs(vector("vectors", vectors))
    low = np.where(v > 0.0, np.ldexp(0.5, np.frexp(v)[1]), 0.0)
    return float(((v - low) * (2.0 * low - v)).sum())
