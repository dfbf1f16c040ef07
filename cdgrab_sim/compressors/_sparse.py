"""Compressors that send some coordinates and leave out the others."""

from __future__ import annotations

import math

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.compressors._compressor import COMPRESSORS, WORD, Compressor


@kernel(small=True)
def copy(q: FloatArray, v: FloatArray, u: FloatArray, size: float) -> None:
    """Write v itself."""
    for p in range(v.shape[0]):
        q[p] = v[p]


@kernel(small=True)
def keep_random(q: FloatArray, v: FloatArray, u: FloatArray, size: float) -> None:
    """Write k = size coordinates, each times d / k: with `left` to take, one of l is taken for left / l."""
    d = v.shape[0]
    left, factor = size, d / size
    for p in range(d):
        if (d - p) * u[p] < left:
            q[p] = factor * v[p]
            left -= 1.0
        else:
            q[p] = 0.0


@kernel(small=True)
def keep_largest(q: FloatArray, v: FloatArray, u: FloatArray, size: float) -> None:
    """Write the k = size largest coordinates, the first of equal ones first."""
    for p in range(v.shape[0]):
        q[p] = 0.0
    for _ in range(int(size)):
        best, largest = -1, 0.0
        for p in range(v.shape[0]):
            if q[p] == 0.0 and abs(v[p]) > largest:
                best, largest = p, abs(v[p])
        if best >= 0:
            q[best] = v[best]


@COMPRESSORS.register
def identity() -> Compressor:
    """Send the vector as it is.

    Examples
    --------
    >>> identity()([1.0, -2.0])
    array([ 1., -2.])
    """
    return Compressor("identity", copy, lambda d: WORD * d, omega=lambda d: 0.0, delta=lambda d: 1.0)


@COMPRESSORS.register
def rand_k(*, k: int = 1) -> Compressor:
    r"""Rand-k: some coordinates, drawn without replacement, scaled up.

    .. math:: Q(v)_p = \frac dk v_p \text{ for } p \in S, \quad 0 \text{ elsewhere}, \qquad |S| = k, \qquad
        \omega = \frac dk - 1

    E |Q(v) - v|^2 = omega |v|^2 with equality, coordinate by coordinate. Which coordinates they are follows
    from a seed that both sides know: only k numbers are sent.

    Parameters
    ----------
    k : int
        Coordinates sent, from 1 to d.

    References
    ----------
    The omega of Sadiev et al., arXiv 2206.07021, whose experiments use it.

    Examples
    --------
    With u = (0.9, 0.1, 0.5): 3 u_1 >= 1, then 2 u_2 < 1, and nothing is left.

    >>> rand_k(k=1)([1.0, 2.0, 4.0], u=[0.9, 0.1, 0.5])
    array([0., 6., 0.])
    """
    k = _checks.size("k", k)
    return Compressor(
        "rand-k", keep_random, lambda d: WORD * k, omega=lambda d: d / k - 1.0, size=float(k), draws=True,
        smallest=k, settings={"k": k},
    )  # fmt: skip


@COMPRESSORS.register
def top_k(*, k: int = 1) -> Compressor:
    r"""Top-k: the coordinates that are largest in absolute value. Biased.

    .. math:: |Q(v) - v|^2 \le (1 - \delta) |v|^2, \qquad \delta = \frac kd

    with equality where all coordinates are equally large. Their places are sent too, ceil(log2 d) bits each.

    Parameters
    ----------
    k : int
        Coordinates sent, from 1 to d.

    References
    ----------
    Stich, Cordonnier, Jaggi, "Sparsified SGD with Memory", arXiv 1809.07599, Lemma A.1 (recalled).

    Examples
    --------
    >>> top_k(k=2)([1.0, -3.0, 2.0])
    array([ 0., -3.,  2.])
    """
    k = _checks.size("k", k)
    return Compressor(
        "top-k", keep_largest, lambda d: k * (WORD + math.ceil(math.log2(d))), delta=lambda d: k / d,
        size=float(k), smallest=k, settings={"k": k},
    )  # fmt: skip
