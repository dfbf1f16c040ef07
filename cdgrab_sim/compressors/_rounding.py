"""Compressors that send every coordinate with fewer digits."""

from __future__ import annotations

import math

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._kernels.sums import dot
from cdgrab_sim._types import FloatArray
from cdgrab_sim.compressors._compressor import COMPRESSORS, WORD, Compressor


@kernel(small=True)
def dither(q: FloatArray, v: FloatArray, u: FloatArray, size: float) -> None:
    """Round every |v_p| up or down to a multiple of |v| / size."""
    norm = math.sqrt(dot(v, v))
    proper = 0.0 < norm < math.inf
    for p in range(v.shape[0]):
        if not proper:  # zero stays zero, and what diverges is passed on
            q[p] = v[p]
            continue
        level = math.floor(size * abs(v[p]) / norm + u[p])
        q[p] = math.copysign(norm * level / size, v[p])


@kernel(small=True)
def round_to_powers(q: FloatArray, v: FloatArray, u: FloatArray, size: float) -> None:
    """Round every |v_p| up or down to a power of two."""
    for p in range(v.shape[0]):
        if v[p] == 0.0 or not abs(v[p]) < math.inf:
            q[p] = v[p]
            continue
        mantissa, exponent = math.frexp(abs(v[p]))  # the mantissa lies in [1/2, 1)
        low = math.ldexp(1.0, exponent - 1)
        q[p] = math.copysign(2.0 * low if u[p] < 2.0 * mantissa - 1.0 else low, v[p])


@kernel(small=True)
def keep_signs(q: FloatArray, v: FloatArray, u: FloatArray, size: float) -> None:
    """Write signs, times the mean of all |v_p|."""
    total = 0.0
    for p in range(v.shape[0]):
        total += abs(v[p])
    mean = total / v.shape[0]
    for p in range(v.shape[0]):
        q[p] = math.copysign(mean, v[p]) if v[p] != 0.0 else 0.0


@COMPRESSORS.register
def qsgd(*, levels: int = 4) -> Compressor:
    r"""QSGD, or random dithering: the norm, and every coordinate in levels of it.

    .. math:: Q(v)_p = \pm \frac{|v|}{s} \Big\lfloor \frac{s |v_p|}{|v|} + u_p \Big\rfloor, \qquad
        \omega = \min\Big(\frac{d}{4 s^2}, \frac{\sqrt d}{s}\Big)

    The published omega has d / s^2 in place of d / (4 s^2).

    Parameters
    ----------
    levels : int
        s >= 1.

    References
    ----------
    Alistarh, Grubic, Li, Tomioka, Vojnovic, "QSGD", arXiv 1610.02132, Lemma 3.1 (recalled).

    Examples
    --------
    |v| = 5: with one level, 3 is 5 with probability 3/5, and -4 is -5 with probability 4/5.

    >>> qsgd(levels=1)([3.0, -4.0], u=[0.5, 0.1])
    array([ 5., -0.])
    """
    s = _checks.size("levels", levels)
    return Compressor(
        "qsgd", dither, lambda d: WORD + d * (1 + math.ceil(math.log2(s + 1))),
        omega=lambda d: min(d / (4.0 * s**2), math.sqrt(d) / s), size=float(s), draws=True,
        settings={"levels": s},
    )  # fmt: skip


@COMPRESSORS.register
def natural() -> Compressor:
    r"""Natural compression: every coordinate is rounded to a power of two, up or down, unbiased.

    .. math:: Q(v)_p = \pm 2^e \text{ or } \pm 2^{e+1}, \quad 2^e \le |v_p| < 2^{e+1}, \qquad
        \omega = \tfrac18

    A sign and eight bits of exponent are sent.

    References
    ----------
    Horvath, Ho, Horvath, Sahu, Canini, Richtarik, "Natural Compression for Distributed Deep Learning", arXiv
    1905.10988, Theorem 1 (recalled).

    Examples
    --------
    5 lies between 4 and 8, a quarter of the way up.

    >>> natural()([5.0, -5.0], u=[0.2, 0.3])
    array([ 8., -4.])
    """
    return Compressor("natural", round_to_powers, lambda d: 9 * d, omega=lambda d: 0.125, draws=True)


@COMPRESSORS.register
def sign() -> Compressor:
    r"""Signs, times the mean of the absolute values. Biased.

    .. math:: Q(v)_p = \frac{|v|_1}{d} \, \mathrm{sign}(v_p), \qquad
        |Q(v) - v|^2 \le (1 - \delta) |v|^2, \qquad \delta = \frac1d

    and more precisely with delta = |v|_1^2 / (d |v|_2^2).

    References
    ----------
    Karimireddy, Rebjock, Stich, Jaggi, "Error Feedback Fixes SignSGD", arXiv 1901.09847, Lemma 8 (recalled).

    Examples
    --------
    >>> sign()([1.0, -3.0, 2.0])
    array([ 2., -2.,  2.])
    """
    return Compressor("sign", keep_signs, lambda d: WORD + d, delta=lambda d: 1.0 / d)
