"""Exact moments of SGD on quadratics that share one Hessian, random orderings (Q2 to Q6, Q8, Q12)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, one_of, positive_array
from theory._spectral import (
    Array,
    complement,
    coordinates,
    covariance_of,
    geometric_sum,
    losses,
    pair_loss,
    power,
)

NOISES = ("sgd", "rr", "flipflop")
"""Orderings whose displacement is independent from epoch to epoch (flipflop: from pair to pair)."""

ORDERINGS = ("sgd", "rr", "so", "flipflop")
"""Random orderings with an exact second moment; fixed ones are served by :func:`fixed_order`."""


def _permutation_weights(x: Array, n: int, *, doubled: bool) -> Array:
    """Return the weights B_j of the n examples in xi, each coordinate shifted by a constant; (n, d).

    Only B_j - mean(B) matters, so a common constant may be taken out beforehand: 1 for one pass, and
    2 rho^(n - 1/2) for a pass and its reverse, where what remains is the square
    rho^(j-1) (1 - rho^(n-j+1/2))^2. Without that shift the leading terms of the two passes cancel.
    """
    j = np.arange(1.0, n + 1.0)[:, None]
    if not doubled:
        return -complement(x, n - j)
    square = power(x, j - 1.0) * complement(x, n - j + 0.5) ** 2
    return np.where(x < 1.0, square, power(x, 2.0 * n - j) + power(x, j - 1.0))


def _without_replacement(weights: Array, x: Array, sig: Array, m: int) -> Array:
    """Return Cov( diag(x) sum_j B_j u_pi(j) ) for a uniform permutation on each of m workers."""
    n = weights.shape[0]
    centred = weights - weights.mean(axis=0)
    return np.asarray(n / (n - 1.0) * np.outer(x, x) * (centred.T @ centred) * sig / m)


def epoch_noise_covariance(
    ordering: str, alpha: float, eigenvalues: ArrayLike, n: int, m: int, covariance: ArrayLike
) -> Array:
    r"""Return the covariance of the displacement xi of one epoch, for flipflop of a PAIR (Q2-Q4, Q8, Q12).

    .. math::
        C^{sgd}_{pq} &= \alpha^2 \lambda_p \lambda_q \frac{1 - r^n}{1 - r} \frac{Sig_{pq}}{m},
            \qquad r = \rho_p \rho_q, \\
        C^{rr}_{pq} &= \frac{n}{n-1} \alpha^2 \lambda_p \lambda_q
            \sum_{j=1}^{n} (B_{jp} - \bar B_p)(B_{jq} - \bar B_q) \frac{Sig_{pq}}{m},
            \qquad B_j = \rho^{n-j}, \\
        C^{flipflop}_{pq} &= \text{the same with } B_j = \rho^{2n-j} + \rho^{j-1}
            \text{ (an order, then its reverse)}.

    E xi = 0 in all three, and m enters exactly as 1/m. The sums over j replace closed forms in powers of rho
    that lose all digits as alpha lambda n tends to 0.

    Assumes a shared Hessian; "sgd": every worker draws its own examples with replacement; "rr", "flipflop":
    independent uniform permutations on the workers. Worker means may differ.

    Provenance: proved here, notes ``Q2-zero-mean``, ``Q3-with-replacement-noise``,
    ``Q4-random-reshuffling-noise``, ``FF-flipflop-noise``, ``Q8-worker-factor`` and ``Q12-stable-forms``. See
    Rajput, Lee, Papailiopoulos, arXiv:2102.09718 (FlipFlop). Yun, Rajput, Sra, arXiv:2110.10342 (several
    workers).

    Parameters
    ----------
    ordering : {"sgd", "rr", "flipflop"}
        Law of the orders.

    Returns
    -------
    ndarray, shape (d, d)
        C in the eigenbasis, in units of x squared.

    Examples
    --------
    Two examples u = +-1 and rho = 1/2: xi = (1/2)(u_1 / 2 + u_2) = -+1/4.

    >>> epoch_noise_covariance("rr", 0.5, [1.0], 2, 1, [[1.0]])
    array([[0.0625]])
    """
    one_of("ordering", ordering, NOISES)
    x = losses(alpha, eigenvalues)
    n = integer_at_least("n", n, 1 if ordering == "sgd" else 2)
    m = integer_at_least("m", m, 1)
    sig = covariance_of(covariance, x)
    if ordering == "sgd":
        return np.outer(x, x) * geometric_sum(pair_loss(x), 1, n) * sig / m
    return _without_replacement(_permutation_weights(x, n, doubled=ordering == "flipflop"), x, sig, m)


def partial_epoch_covariance(
    alpha: float, eigenvalues: ArrayLike, k: int, n: int, m: int, covariance: ArrayLike
) -> Array:
    r"""Return the covariance of the displacement after k of the n steps of an RR epoch (Q4).

    .. math:: C_{pq}(k) = \Bigl\{ \frac{n}{n-1} \alpha^2 \lambda_p \lambda_q \frac{1 - r^k}{1 - r}
                          - \frac{(1-\rho_p^k)(1-\rho_q^k)}{n-1} \Bigr\} \frac{Sig_{pq}}{m}

    computed as the centred sum of :func:`epoch_noise_covariance` with weight 0 for the n - k unseen examples.

    Assumes what :func:`epoch_noise_covariance` assumes for "rr".

    Provenance: proved here, note ``Q4-random-reshuffling-noise``. See Mishchenko, Khaled, Richtarik,
    arXiv:2006.05988, bounds the same variance.

    Returns
    -------
    ndarray, shape (d, d)
        C(k) in the eigenbasis.

    Examples
    --------
    >>> partial_epoch_covariance(0.5, [1.0], 1, 2, 1, [[1.0]])
    array([[0.25]])
    """
    x = losses(alpha, eigenvalues)
    n = integer_at_least("n", n, 2)
    m = integer_at_least("m", m, 1)
    sig = covariance_of(covariance, x)
    k = integer_at_least("k", k, 0)
    if k > n:
        raise ValueError(f"expected k <= n = {n}; got {k}; pass the steps done inside one epoch")
    if k == n:
        return _without_replacement(_permutation_weights(x, n, doubled=False), x, sig, m)
    seen = power(x, np.arange(k - 1.0, -1.0, -1.0)[:, None])
    return _without_replacement(np.concatenate([seen, np.zeros((n - k, x.size))]), x, sig, m)


def second_moment(
    ordering: str,
    alpha: float,
    eigenvalues: ArrayLike,
    n: int,
    m: int,
    covariance: ArrayLike,
    e0: ArrayLike,
    T: int,
) -> Array:
    r"""Return the second moment E[e_T e_T'] after T epochs from a fixed start (Q5, Q6).

    .. math::
        E[e_T e_T']_{pq} &= r^{nT} e_{0p} e_{0q} + C_{pq} \frac{1 - r^{nT}}{1 - r^n}, \qquad r = \rho_p \rho_q
            && \text{(sgd, rr)} \\
        E[e_T e_T']_{pq} &= r^{nT} e_{0p} e_{0q} + K_p C^{rr}_{pq} K_q, \qquad
            K_p = \frac{1 - \rho_p^{nT}}{1 - \rho_p^n} && \text{(so: one permutation for all epochs)}

    "flipflop" applies the first line to the T // 2 complete pairs, with 2n for n and the covariance of a
    pair; an odd last epoch adds one contraction and one C^rr.

    Assumes a shared Hessian; orders independent of e0, and between epochs (between pairs) except for "so".

    Provenance: proved here, notes ``Q5-many-epochs`` and ``Q6-shuffle-once``. See Ahn, Yun, Sra,
    arXiv:2006.06946, and arXiv:2102.09718 give rates for these laws.

    Parameters
    ----------
    ordering : {"sgd", "rr", "so", "flipflop"}
        Law of the orders.

    Returns
    -------
    ndarray, shape (d, d)
        E[e_T e_T'] in the eigenbasis; :func:`expected_loss` turns it into E f - f_star.

    Examples
    --------
    >>> second_moment("rr", 0.5, [1.0], 2, 1, [[1.0]], [2.0], 1)
    array([[0.3125]])
    """
    one_of("ordering", ordering, ORDERINGS)
    x, n = losses(alpha, eigenvalues), integer_at_least("n", n, 1)
    start = power(x, n * integer_at_least("T", T, 0)) * coordinates("e0", e0, x)
    pair = pair_loss(x)
    base = "sgd" if ordering == "sgd" else "rr"
    once = epoch_noise_covariance(base, alpha, eigenvalues, n, m, covariance)
    if ordering == "so":
        gain = geometric_sum(x, n, T)
        noise = np.outer(gain, gain) * once
    elif ordering == "flipflop":
        twice = epoch_noise_covariance("flipflop", alpha, eigenvalues, n, m, covariance)
        noise = twice * geometric_sum(pair, 2 * n, T // 2)
        if T % 2:
            noise = power(pair, n) * noise + once
    else:
        noise = once * geometric_sum(pair, n, T)
    return np.asarray(np.outer(start, start) + noise)


def expected_loss(eigenvalues: ArrayLike, moment: ArrayLike) -> float:
    r"""Return the suboptimality, in expectation, of a second moment (Q5).

    .. math:: E f(x) - f_* = \tfrac12 \sum_p \lambda_p E[e e']_{pp}

    Assumes a shared Hessian.

    Provenance: proved here, note ``Q5-many-epochs``.

    Examples
    --------
    >>> expected_loss([1.0, 4.0], [[2.0, 0.0], [0.0, 1.0]])
    3.0
    """
    lam = positive_array("eigenvalues", eigenvalues)
    return float(0.5 * lam @ np.diagonal(covariance_of(moment, lam)))
