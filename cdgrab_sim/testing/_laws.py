"""Assertions about signed sums and random orders: V1, V5, V6, R2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp
from scipy.stats import binomtest, ttest_1samp

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.herding import profile
from theory import balancing as theory
from theory.random_orders import prefix_second_moment

ROUNDING = 1e-9  # relative; every bound holds exactly in real numbers
_SMALL = 1e-100  # smaller lengths have squares that are no numbers
LEVEL = 1e-6  # chance that a test of frequencies fails a right rule


def assert_greedy_bound(z: ArrayLike, eps: ArrayLike) -> None:
    r"""Assert that signed sums grow no faster than those of the greedy rule (V1).

    .. math:: \| r_k \|_2^2 \le \sum_{j \le k} \| z_j \|_2^2 \qquad \text{for all } k

    Parameters
    ----------
    z : array (n, d)
    eps : array (n,)

    Raises
    ------
    AssertionError

    Examples
    --------
    >>> assert_greedy_bound([[1.0], [2.0], [3.0]], [1, -1, 1])
    """
    vectors = unit(z)
    sums = _signed_sums(vectors, eps)
    bounds = theory.greedy_prefix_bound(np.linalg.norm(vectors, axis=1))
    reached = np.linalg.norm(sums, axis=1)
    broken = ~(reached <= bounds * (1.0 + ROUNDING))
    if broken.any():
        k = int(np.argmax(broken))
        raise AssertionError(
            f"V1: expected |r_{k + 1}| <= {bounds[k]:g}; got {reached[k]:g}, from the signs {_signs(eps)}"
        )


def assert_greedy_decisions(z: ArrayLike, eps: ArrayLike) -> None:
    r"""Assert that every sign is the greedy one: +1 if <s, z> <= 0 else -1.

    Exact on vectors whose products have no rounding, such as whole numbers.

    Parameters
    ----------
    z : array (n, d)
    eps : array (n,)

    Raises
    ------
    AssertionError

    Examples
    --------
    >>> assert_greedy_decisions([[1.0], [2.0], [3.0]], [1, -1, 1])
    """
    vectors, signs = _signed(z, eps)
    s = np.zeros(vectors.shape[1])
    for k, (v, sign) in enumerate(zip(vectors, signs, strict=True)):
        p = float((s * v).sum())
        expected = 1 if p <= 0.0 else -1
        if sign != expected:
            raise AssertionError(
                f"greedy: expected the sign {expected:+d} at vector {k}, as <s, z> = {p:g}; got {sign:+d}"
            )
        s = s + sign * v


def assert_sub_gaussian(
    probabilities: ArrayLike, ends: ArrayLike, norms: ArrayLike, thresholds: ArrayLike, directions: ArrayLike
) -> None:
    r"""Assert the moment generating function of a self-balancing walk, given its whole law (V5).

    .. math:: E \exp \langle w, u \rangle \le \exp( \sigma^2 \| u \|_2^2 / 2 )

    Parameters
    ----------
    probabilities : array (outcomes,)
    ends : array (outcomes, d)
        Where the walk ends, in each outcome.
    norms, thresholds : array (n,)
        Of the vectors walked over, which determine sigma.
    directions : array (directions, d)
        The u to try.

    Raises
    ------
    AssertionError

    Examples
    --------
    One fair step of length 1:

    >>> assert_sub_gaussian([0.5, 0.5], [[1.0], [-1.0]], [1.0], [2.0], [[0.1], [1.0], [3.0]])
    """
    lengths, cuts = _checks.floats("norms", norms, 1), _checks.floats("thresholds", thresholds, 1)
    for name, numbers in (("norms", lengths), ("thresholds", cuts)):
        if not ((numbers >= _SMALL) & (numbers <= _checks.LARGEST)).all():
            expected = f"numbers from {_SMALL:g} to {_checks.LARGEST:g}"
            raise ValueError(f"{name}: expected {expected}; got {numbers.min():g} to {numbers.max():g}")
    if lengths.shape != cuts.shape:
        raise ValueError(
            f"norms, thresholds: expected one of each per vector; got {len(lengths)}, {len(cuts)}"
        )
    variance = float(theory.self_balancing_variances(lengths, cuts)[-1])
    law, at = _checks.floats("probabilities", probabilities, 1), _checks.floats("ends", ends, 2)
    if len(law) != len(at):
        raise ValueError(
            f"probabilities, ends: expected one of each per outcome; got {len(law)} and {len(at)}"
        )
    tried = _checks.floats("directions", directions, 2)
    for name, table in (("ends", at), ("directions", tried)):
        if np.abs(table).max() > _checks.LARGEST or table.shape[1] != at.shape[1]:
            expected = f"numbers of at most {_checks.LARGEST:g}, of shape (..., {at.shape[1]})"
            raise ValueError(f"{name}: expected {expected}; got {np.abs(table).max():g}, {table.shape}")
    for u in tried:
        moment, bound = float(logsumexp(at @ u, b=law)), float(variance * (u @ u) / 2)  # no power overflows
        if not moment <= bound + ROUNDING:
            raise AssertionError(f"V5: expected log E exp<w, u> <= {bound:g} at u = {u}; got {moment:g}")


def assert_walk_bound(
    rule: Callable[[FloatArray, int], ArrayLike],
    z: ArrayLike,
    *,
    delta: float = 0.05,
    norm: str = "inf",
    runs: int = 200,
) -> None:
    r"""Assert that a rule that tosses coins keeps the prefix bound of the self-balancing walk (V6).

    With B the longest vector, every signed sum of the N vectors stays below
    :func:`theory.balancing.self_balancing_bound` with probability 1 - delta. Many runs, judged by a one-sided
    binomial test: a rule that keeps the bound fails with probability 1e-6.

    Parameters
    ----------
    rule : callable
        ``rule(z, seed) -> signs (n,)``.
    z : array (n, d)
        Vectors that do not depend on the coins.
    delta : float
    norm : {"inf", "l2"}
    runs : int

    Raises
    ------
    AssertionError

    Examples
    --------
    >>> from cdgrab_sim import balancing
    >>> walk = lambda z, seed: balancing.signs(z, "self-balancing", seed=seed)
    >>> assert_walk_bound(walk, np.eye(8), runs=20)
    """
    given, vectors = _checks.floats("z", z, 2), unit(z)
    order = {"inf": np.inf, "l2": 2}[_checks.choice("norm", norm, ("inf", "l2"))]
    runs = _called(runs, rule=rule, arguments=("z", "seed"))
    delta = _checks.chance("delta", delta)
    N, d = vectors.shape
    B = float(np.linalg.norm(vectors, axis=1).max())
    bound = theory.self_balancing_bound(N, d, delta, norm, B) * (1.0 + ROUNDING)
    answers = (_checks.signs("what rule returns", rule(given.copy(), seed)) for seed in range(runs))
    sums = (_signed_sums(vectors, signs) for signs in answers)
    violated = sum(not np.linalg.norm(r, order, axis=1).max() <= bound for r in sums)
    if binomtest(violated, runs, delta, alternative="greater").pvalue < LEVEL:
        raise AssertionError(
            f"V6: expected sums above {bound:g} in at most {delta:.0%} of runs; got {violated} of {runs}"
        )


def assert_random_orders(z: ArrayLike, draw: Callable[[int], ArrayLike], *, runs: int = 400) -> None:
    r"""Assert that orders are independent and uniform on all workers, by their middle prefix sum (R2).

    .. math:: E \| S_k \|_2^2 = m \sigma^2 \frac{k (n - k)}{n - 1}, \qquad k = \lfloor n / 2 \rfloor

    Workers that share a permutation, or one that never changes, are found. Judged by a t-test: right orders
    fail with probability about 1e-6.

    Parameters
    ----------
    z : array (m, n, d)
        Each worker's vectors sum to zero.
    draw : callable
        ``draw(seed) -> pi (m, n)``.
    runs : int

    Raises
    ------
    AssertionError

    Examples
    --------
    >>> z = np.array([[[1.0], [-1.0], [2.0], [-2.0]]] * 2)
    >>> assert_random_orders(z, lambda seed: np.random.default_rng(seed).permuted([range(4)] * 2, axis=1))
    """
    vectors = unit(_checks.floats("z", z, 3))
    runs = _called(runs, draw=draw, arguments=("seed",))
    m, n, _ = vectors.shape
    k = n // 2
    expected = float(prefix_second_moment(n, m, float((vectors**2).sum() / (m * n)))[k - 1])
    squares = [
        profile(vectors, _checks.orders("what draw returns", draw(seed), m, n), "l2")[k - 1] ** 2
        for seed in range(runs)
    ]
    same = bool(np.ptp(squares) <= ROUNDING * expected)
    apart = abs(squares[0] - expected) > ROUNDING * expected
    if apart if same else not ttest_1samp(squares, expected).pvalue >= LEVEL:
        mean = float(np.mean(squares))
        raise AssertionError(f"R2: expected |S_{k}|^2 = {expected:g} on average over orders; got {mean:g}")


def _called(runs: Any, *, arguments: tuple[str, ...], **named: Any) -> int:
    """Return how often to call a function that takes these arguments."""
    for name, function in named.items():
        _checks.function(name, function)
        _checks.takes(name, function, *arguments)
    return _checks.size("runs", runs)


def unit(z: ArrayLike) -> FloatArray:
    """Return vectors times the power of two that makes their largest entry about 1."""
    vectors = _checks.floats("z", z, (1, 2, 3))
    _, exponent = np.frexp(np.abs(vectors).max())
    scaled: FloatArray = np.ldexp(vectors, -exponent)
    return scaled


def _signed(z: ArrayLike, eps: ArrayLike) -> tuple[FloatArray, IntArray]:
    vectors, signs = unit(_checks.floats("z", z, 2)), _checks.signs("eps", eps)
    if signs.shape != vectors.shape[:1]:
        raise ValueError(f"eps: expected one sign per vector, {vectors.shape[:1]}; got {signs.shape}")
    return vectors, signs


def _signed_sums(z: ArrayLike, eps: ArrayLike) -> FloatArray:
    vectors, signs = _signed(z, eps)
    return np.cumsum(signs[:, None] * vectors, axis=0)


def _signs(eps: ArrayLike) -> str:
    return "".join("+" if e > 0 else "-" for e in np.asarray(eps))
