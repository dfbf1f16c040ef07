"""Orders that data loaders draw: blocks, shuffle buffers, strata, pairwise independence (R8 to R11)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import finite_array, integer_at_least

Array = NDArray[np.float64]


def block_second_moment(z: ArrayLike, size: int, merged: int = 1) -> Array:
    r"""Return E||S_k||_2^2 where blocks of examples come in random order, shuffled inside (R8).

    .. math::
        E\|S_k\|_2^2 = V \Bigl[ \frac{c (q-c)}{q-1} + \frac{s^2}{(gb)^2} \frac{g (q-g)}{q-1}
        - \frac{2 s}{gb} \frac{c g}{q-1} \Bigr]
        + \frac{s (gb-s)}{gb-1} \Bigl[ \overline{\|z\|^2} - \frac{g (q-g)}{q-1} \frac{V}{(gb)^2} \Bigr]

    at k = r g b + s, c = r g, for q = n / b blocks of b neighbours, g of which are shuffled together; V is
    the mean of ||block sum||_2^2. One block, or g = q, is R1, and so is b = 1.

    Assumes sum 0, and whole blocks and groups: b divides n, g divides q.

    Provenance: proved here, note ``R8-blocks``. For g > 1 the order is that of CorgiPile
    (the algorithm; recalled).

    Parameters
    ----------
    z : array_like, shape (n, d)
        The vectors, in the order of the data.
    size : int
        b.
    merged : int
        g.

    Returns
    -------
    ndarray, shape (n,)
        The moments for k = 1, ..., n; the last is 0.

    Examples
    --------
    Two blocks, each of one sign: either comes first.

    >>> block_second_moment([[1.0], [1.0], [-1.0], [-1.0]], 2)
    array([1., 4., 1., 0.])
    """
    vectors = _centred(z)
    n = len(vectors)
    b, g = integer_at_least("size", size, 1), integer_at_least("merged", merged, 1)
    if n % (b * g):
        raise ValueError(
            f"expected whole groups of {g} blocks of {b}; got n = {n}; pass a multiple of {b * g}"
        )
    q, group = n // b, b * g
    V = float((vectors.reshape(q, b, -1).sum(axis=1) ** 2).sum() / q)
    k = np.arange(1, n + 1)
    s, c = k % group, k // group * g
    apart = max(1, q - 1)
    together = g * (q - g) / apart * V / group**2  # mean square of the mean of a group
    inside = float((vectors**2).sum() / n) - together
    full = V * (c * (q - c) - 2.0 * s / group * c * g) / apart
    return np.asarray(full + s**2 * together + s * (group - s) / max(1, group - 1) * inside)


def buffer_second_moment(z: ArrayLike, buffer: int) -> Array:
    r"""Return E||S_k||_2^2 of orders that come out of a shuffle buffer (R9).

    .. math::
        E\|S_k\|_2^2 = \sum_{i,j} U_{ij}(k) \langle z_i, z_j \rangle, \qquad
        U_{ij}(k) = \Bigl(1 - \tfrac2B\Bigr)^{a_j} \Bigl(1 - \tfrac1B\Bigr)^{a_i - a_j}, \quad a_j \le a_i

    the probability that neither has come after k <= n - B steps, with a_i = max(0, k - max(0, i - B + 1))
    the steps that example i = 0, 1, ... has been in the buffer (U_ii with the second factor alone). Later the
    buffer is a random order: U_ij(n - B) times (n-k)(n-k-1) / (B(B-1)), and (n-k) / B for i = j.

    Assumes sum 0. The stream comes in the order of the data; the first B examples fill the buffer, a random
    one is shown at every step, and the next of the stream takes its place.

    Provenance: proved here, note ``R9-buffer``.

    Parameters
    ----------
    z : array_like, shape (n, d)
        The vectors, in the order of the stream.
    buffer : int
        B, at least 1; n or more is R1, 1 is the order of the stream.

    Returns
    -------
    ndarray, shape (n,)
        The moments for k = 1, ..., n; the last is 0.

    Examples
    --------
    A buffer of one changes nothing, a buffer of two shows one of the first two:

    >>> z = [[1.0], [1.0], [-2.0]]
    >>> buffer_second_moment(z, 1), buffer_second_moment(z, 2).round(12)
    (array([1., 4., 0.]), array([1. , 2.5, 0. ]))
    """
    vectors = _centred(z)
    n = len(vectors)
    B = min(n, integer_at_least("buffer", buffer, 1))
    enters = np.maximum(0, np.arange(n) - B + 1)
    gram = vectors @ vectors.T
    above, each, left = np.triu(gram, 1), np.diagonal(gram), 1.0 - 1.0 / B
    alone = (1.0 - 2.0 / B) / left if B > 1 else 0.0  # U_ij = left^a_i alone^a_j for i < j, as a_j <= a_i
    moments = np.empty(n)
    for k in range(1, n + 1):
        a = np.maximum(0, min(k, n - B) - enters)  # steps in a full buffer
        later = max(0, n - k if k > n - B else B)  # of the B examples in the buffer at step n - B
        both = later * (later - 1) / (B * (B - 1)) if B > 1 else later
        pairs = 2.0 * float(left**a @ above @ alone**a)
        moments[k - 1] = both * pairs + later / B * float((left**a * each).sum())
    return moments


def strata_second_moment(z: ArrayLike, strata: int) -> Array:
    r"""Return E||S_k||_2^2 where every round shows one example of each stratum (R10).

    .. math::
        E\|S_k\|_2^2 = \frac{s (q-s)}{q-1} \overline{\|\mu\|^2}
        + \frac{(q-s) \, r (b-r) + s (r+1)(b-r-1)}{b-1} \, \overline{\sigma_w^2}

    at k = r q + s, for q strata of b = n / q neighbours with means mu and mean within-stratum variance
    sigma_w^2. One stratum is R1, and so are strata of one example.

    Assumes sum 0, strata of one size, a random order of each and in each round.

    Provenance: proved here, note ``R10-strata``.

    Parameters
    ----------
    z : array_like, shape (n, d)
        The vectors, stratum after stratum.
    strata : int
        q, which divides n.

    Returns
    -------
    ndarray, shape (n,)
        The moments for k = 1, ..., n; the last is 0.

    Examples
    --------
    A stratum of each sign: two steps always cancel.

    >>> strata_second_moment([[1.0], [1.0], [-1.0], [-1.0]], 2)
    array([1., 0., 1., 0.])
    """
    vectors = _centred(z)
    n, q = len(vectors), integer_at_least("strata", strata, 1)
    if n % q:
        raise ValueError(f"expected strata of one size; got {q} of n = {n}; pass a divisor of n")
    b = n // q
    apart = vectors.reshape(q, b, -1)
    means = apart.mean(axis=1)
    between = float((means**2).sum() / q)
    within = float(((apart - means[:, None]) ** 2).sum() / n)
    k = np.arange(1, n + 1)
    r, s = k // q, k % q
    inside = ((q - s) * r * (b - r) + s * (r + 1) * (b - r - 1)) / max(1, b - 1)
    return np.asarray(s * (q - s) / max(1, q - 1) * between + inside * within)


def pairwise_orders(n: int) -> NDArray[np.int64]:
    r"""Return the n (n-1) orders k -> a k + c mod n of a prime n: pairwise independent (R11).

    .. math:: \pi_{a,c}(k) = a k + c \bmod n, \qquad 1 \le a < n, \quad 0 \le c < n

    Whatever depends on pairs of places only has the same mean over them as over all n! orders: R1, and the
    noise of an epoch on a shared Hessian (Q4).

    Assumes n prime.

    Provenance: proved here, note ``R11-pairwise-independence``.

    Returns
    -------
    ndarray, shape (n (n-1), n)
        The orders.

    Examples
    --------
    >>> pairwise_orders(3).tolist()
    [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]]
    """
    prime = integer_at_least("n", n, 2)
    if any(prime % factor == 0 for factor in range(2, int(prime**0.5) + 1)):
        raise ValueError(f"expected a prime n; got {prime}; pass 2, 3, 5, 7, ...")
    a, c = np.arange(1, prime)[:, None, None], np.arange(prime)[:, None]
    return np.asarray((a * np.arange(prime) + c) % prime).reshape(-1, prime)


def _centred(z: ArrayLike) -> Array:
    vectors = finite_array("z", z, 2, "(n, d)")
    total = vectors.sum(axis=0)
    if np.abs(total).max() > 1e-9 * vectors.size * (np.abs(vectors).max() or 1.0):
        raise ValueError(f"expected sum 0; got {total}; subtract the mean of all vectors")
    return vectors
