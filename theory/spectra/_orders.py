"""Spectra of orders: drawn, folded by a round of pair balancing, balanced for many rounds (P4 to P6)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, matrix, one_of, vector
from theory._spectral import Array

DRAWN = ("sgd", "rr")
"""Orders drawn anew in every epoch."""


def drawn_density(ordering: str, omega: ArrayLike, n: int) -> Array:
    r"""Return the density of orders that are drawn anew in every epoch, over sigma^2 / m (P4).

    .. math:: \text{sgd} : 1, \qquad \text{rr} : \frac{n - F_n(\omega)}{n - 1}, \qquad
              F_n(\omega) = \frac1n \Bigl( \frac{\sin(n \omega / 2)}{\sin(\omega / 2)} \Bigr)^2

    so that rr is white, at n / (n - 1), at the frequencies of an epoch, and n (n + 1) omega^2 / 12 far below
    the first of them.

    Assumes workers that draw independently; sigma^2 is the mean over workers of the within-worker variance.

    Provenance: proved here, note ``P4-drawn-orders``.

    Parameters
    ----------
    ordering : {"sgd", "rr"}
    omega : array_like, shape (K,)
        Radians per step.
    n : int
        Examples per worker.

    Returns
    -------
    ndarray, shape (K,)
        The density over sigma^2 / m.

    Examples
    --------
    >>> drawn_density("rr", [0.0, np.pi], 2).round(12)
    array([0., 2.])
    """
    at = vector("omega", omega)
    n = integer_at_least("n", n, 1 if one_of("ordering", ordering, DRAWN) == "sgd" else 2)
    if ordering == "sgd":
        return np.ones(len(at))
    half = np.sin(at / 2.0)
    still = np.abs(half) < 1e-12
    fejer = np.where(still, n, (np.sin(n * at / 2.0) / np.where(still, 1.0, half)) ** 2 / n)
    return np.asarray((n - fejer) / (n - 1.0))


def folded_power(pair_sums: ArrayLike, signed: ArrayLike) -> Array:
    r"""Return the power of the order that a round of pair balancing makes (P5).

    .. math:: P_j = \frac1{n^2} \Bigl[ \Bigl( \sum_{l=1}^{n/2} A_l \cos \omega_j (l - \tfrac12) \Bigr)^2
              + \Bigl( \sum_{l=1}^{n/2} D_l \sin \omega_j (l - \tfrac12) \Bigr)^2 \Bigr]

    with A_l the sum of pair l in the old order and D_l its signed difference, both means over the workers.
    Both brackets are 4 sin^2(omega_j / 2) times the power of a bounded sequence: of the old prefixes at every
    second step, and of the balanced sums. A first-order sigma-delta modulator shapes its noise so.

    Assumes an even n, and that the examples with sign + go to the front and their partners to the back.

    Provenance: proved here, note ``P5-folding``.

    Parameters
    ----------
    pair_sums, signed : array_like, shape (n/2, d)
        A and D.

    Returns
    -------
    ndarray, shape (n, d)
        The powers at 2 pi j / n, j = 0, ..., n - 1.

    Examples
    --------
    The pair (1, -1) with sign +: front 1, back -1.

    >>> folded_power([[0.0]], [[2.0]]).ravel()
    array([0., 1.])
    """
    A, D = matrix("pair_sums", pair_sums), matrix("signed", signed)
    if A.shape != D.shape:
        raise ValueError(f"expected signed of shape {A.shape}, as pair_sums; got {D.shape}; one row per pair")
    n = 2 * len(A)
    angles = np.outer(2.0 * np.pi * np.arange(n) / n, np.arange(len(A)) + 0.5)
    return np.asarray(((np.cos(angles) @ A) ** 2 + (np.sin(angles) @ D) ** 2) / n**2)


def balanced_density(omega: ArrayLike, m: int, d: int, scope: str = "coordinated") -> Array:
    r"""Predict the density of orders after many rounds of greedy pair balancing, static vectors (P6).

    .. math:: S(\omega) = \tfrac12 \bigl[ \cos^2 \tfrac\omega4 \, S(\tfrac\omega2) + \sin^2 \tfrac\omega4 \,
              S(\tfrac\omega2 + \pi) \bigr] + \sin^2 \tfrac\omega2 \, S_r(\omega), \qquad
              S_r(\omega) = \frac{V_r (1 - q^2)}{1 - 2 q \cos \omega + q^2}, \qquad q = (1 - \kappa)^m

    with V_r the mean square of a greedy sum and kappa the share of it that each vector turns over: of order
    omega^2 below the frequency at which sums forget, and for coordinated workers smaller than m^-2, as a
    sum over many workers forgets within a step.

    Assumes vectors like independent N(0, I_d) ones, many examples and rounds; the greedy sum is modelled as
    an autoregression of order one, and independent of the pair sums.

    Provenance: proved here, note ``P6-balanced-orders``, for the model; that orders follow it is measured.

    Parameters
    ----------
    omega : array_like, shape (K,)
        Radians per step.
    m, d : int
        Workers and dimension.
    scope : {"coordinated", "independent"}
        One sum over all workers, or one for each.

    Returns
    -------
    ndarray, shape (K,)
        The density of the mean over workers, summed over coordinates; rr has d / m.

    Examples
    --------
    >>> low = balanced_density([0.01, 0.02], 4, 3)
    >>> round(float(low[1] / low[0]), 2)
    4.0
    """
    at, m, d = vector("omega", omega), integer_at_least("m", m, 1), integer_at_least("d", d, 1)
    workers = m if one_of("scope", scope, ("coordinated", "independent")) == "coordinated" else 1
    closed = d**2 * (math.pi - 2.0) / (8.0 * (d - 1.0)) if d > 1 else 2.0 / 3.0 - math.pi / 8.0
    V = math.pi * d**2 / 8.0 + closed  # for differences of unit variance in each coordinate
    kept = 1.0 - d / (2.0 * V)
    lags = np.arange(1.0, 65.0 + 32.0 * d)  # beyond them a sum has forgotten all but e^-40
    own = _folded(float(d), -V * (1.0 - kept) ** 2 * kept ** (workers * lags - 1.0))
    q = kept**workers
    step = _folded(2.0 * V * (1.0 - q), -V * (1.0 - q) ** 2 * q ** (lags - 1.0))
    density = step[0] + 2.0 * np.cos(np.outer(at, lags)) @ step[1:]
    return np.asarray(density * (d / own[0]) * workers / m / workers**2)


def _folded(variance: float, covariances: Array) -> Array:
    """Return the covariances of a stream that folding leaves as it is, from those of the signed differences.

    g_l = (2 g_2l + g_(2l-1) + g_(2l+1) + D_l) / 4 for all lags l, solved from the last lag down.
    """
    K = len(covariances)
    g = np.zeros(2 * K + 2)
    for lag in range(K, 1, -1):
        g[lag] = (2.0 * g[2 * lag] + g[2 * lag - 1] + g[2 * lag + 1] + covariances[lag - 1]) / 4.0
    g[1] = (2.0 * g[2] + g[3] + covariances[0]) / 3.0
    g[0] = g[1] + variance / 2.0
    return g[: K + 1]
