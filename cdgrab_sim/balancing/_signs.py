"""Signs of vectors by every rule, with their running sums, and the discrepancy that any signs leave."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.prefix import NORMS
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.balancing._exhaustive import MOST, optimal_signs
from cdgrab_sim.herding._constructions import prefix_signs
from cdgrab_sim.herding._profile import MEASURES, profile_of
from cdgrab_sim.herding._vectors import as_stream, as_table, rescaled, scaled
from cdgrab_sim.orderings._balance import SCOPES, Scope
from cdgrab_sim.orderings._mean import observe_by_rule, observe_greedily
from cdgrab_sim.orderings._rules import RULES as ONLINE
from cdgrab_sim.orderings._rules import Signer, SignRule

RULES = (*ONLINE, "optimal", "prefix")


class Balance(NamedTuple):
    """What a sign rule did.

    Attributes
    ----------
    signs : int array (n,) or (m, n)
    sums : array (sums, d)
        The running sums at the end; of ``"hilbert"`` the walk, clips included.
    clips : int array (sums,)
        Steps at which a walk had to fall back, see `SignRule`.
    guaranteed : bool
        ``"self-balancing"``, with B given and kept and c large enough.
    """

    signs: IntArray
    sums: FloatArray
    clips: IntArray
    guaranteed: bool


def balance(
    z: ArrayLike,
    rule: SignRule | str = "greedy",
    *,
    scope: Scope = "independent",
    bound: float | None = None,
    norm: str = "inf",
    seed: int = 0,
) -> Balance:
    r"""Sign vectors in the order in which they are given, and say how it went.

    The online rules, as in every balancing ordering, are described at `SignRule`; ``"greedy"``, for instance,
    with s = 0 at the start:

    .. math:: \epsilon_k = +1 \text{ if } \langle s, z_k \rangle \le 0 \text{ else } -1, \qquad
        s \leftarrow s + \epsilon_k z_k,

    which chooses the shorter of s + z and s - z, and +1 if they are equally long. Two rules look ahead:
    ``"optimal"`` tries all signs and minimises the prefix discrepancy, + first among equals, for at most 20
    vectors; ``"prefix"`` (Barany and Grinberg) keeps every prefix sum below 2 d max \|z\| in every norm.

    Signs do not depend on the unit: vectors are scaled by a power of two before any product is formed, so
    that lengths of 1e-300 and of 1e300 do no harm.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    rule : SignRule or {"greedy", "random", "self-balancing", "hilbert", "optimal", "prefix"}
    scope : {"independent", "coordinated"}
        For vectors of m workers: one sum s for each worker, or one for all of them, which takes the vectors
        step by step and within a step worker by worker.
    bound : float, optional
        B of ``"self-balancing"``: by default the largest norm among the vectors of one sum.
    norm : {"inf", "l2"}
        In which ``"optimal"`` is best.
    seed : int
        Of the coins; worker i's do not depend on m.

    Returns
    -------
    Balance
        ``signs`` (n,) or (m, n), ``sums``, ``clips`` and ``guaranteed``.

    Raises
    ------
    RuntimeError
        At a clip of ``SignRule("self-balancing", failure="raise")``.

    References
    ----------
    arXiv 2006.14009 (self-balancing), 2105.05842 (hilbert); Barany, Grinberg, 1981 (prefix), no arXiv
    version.

    Examples
    --------
    >>> balance([[1.0], [2.0], [3.0]]).signs
    array([ 1, -1,  1])
    >>> balance([[1.0], [2.0], [3.0]], "optimal").sums
    array([[2.]])
    """
    _checks.choice("rule", rule.name if isinstance(rule, SignRule) else rule, RULES)
    _checks.choice("scope", scope, SCOPES)
    _checks.choice("norm", norm, NORMS)
    seed, table = _checks.integer("seed", seed, low=0), as_table(z)
    table, exponent = scaled(table)
    if isinstance(rule, str) and rule not in ONLINE:
        if bound is not None:
            raise ValueError(
                f"bound: expected none for rule {_checks.brief(rule)}; "
                f"got {_checks.brief(bound)}; it belongs to 'self-balancing'"
            )
        result = _look_ahead(table, rule, scope, norm)
    else:
        rule = SignRule(rule, bound=bound) if isinstance(rule, str) else _with_bound(rule, bound)
        result = _online(table, rule, scope, seed, exponent)
    signs = result.signs[0] if np.ndim(z) == 2 else result.signs
    return result._replace(signs=signs, sums=rescaled(result.sums, exponent))


def signs(
    z: ArrayLike,
    rule: SignRule | str = "greedy",
    *,
    scope: Scope = "independent",
    bound: float | None = None,
    norm: str = "inf",
    seed: int = 0,
) -> IntArray:
    """Return the signs +1 and -1, (n,) or (m, n), that `balance` gives; it describes the arguments.

    Examples
    --------
    >>> signs([[1.0], [2.0], [3.0]])
    array([ 1, -1,  1])
    """
    return balance(z, rule, scope=scope, bound=bound, norm=norm, seed=seed).signs


def prefix_discrepancy(z: ArrayLike, eps: ArrayLike, norm: str = "inf") -> float:
    r"""Return the largest norm of the signed prefix sums, over all workers together, once per step.

    .. math:: \max_{1 \le k \le n} \Big\| \sum_{l \le k} \sum_{i=1}^m \epsilon_{il} z_{il} \Big\|

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    eps : array (n,) or (m, n)
        Signs +1 and -1.
    norm : {"inf", "l1", "l2"}

    Examples
    --------
    >>> prefix_discrepancy([[1.0], [2.0], [3.0]], [1, -1, 1])
    2.0
    """
    norm, given = _checks.choice("norm", norm, MEASURES), _checks.signs("eps", eps)
    table, exponent = scaled(as_table(z))
    if given.shape != np.shape(z)[:-1]:
        raise ValueError(f"eps: expected one sign per vector, shape {np.shape(z)[:-1]}; got {given.shape}")
    signed = as_stream(table * given.reshape(*table.shape[:2], 1))
    return float(rescaled(profile_of(signed, norm).max(), exponent))


def _with_bound(rule: SignRule, bound: float | None) -> SignRule:
    return rule if bound is None else replace(rule, bound=bound)


def _online(table: FloatArray, rule: SignRule, scope: Scope, seed: int, exponent: int) -> Balance:
    m, n, d = table.shape
    rows, N = (1, m * n) if scope == "coordinated" else (m, n)
    longest = np.sqrt((table * table).sum(axis=2).reshape(rows, -1).max(axis=1))
    if rule.bound is not None:
        rule = replace(rule, bound=rule.bound * 2.0 ** -max(-900, min(900, exponent)))
    signer = Signer.new(rule, rows, d, stream(seed, Role.SIGN).random((m, n)))
    if rule.name == "self-balancing" and rule.bound is None:
        signer.bound[:] = longest * longest
    eps = walk_of_signs(signer, as_stream(table), rule, N)
    signer.stop_at_clips(rule)
    kept = rule.bound is not None and bool((longest <= rule.bound).all())
    guaranteed = kept and rule.factor(N) >= rule.safe_c(N)
    return Balance(eps, signer.s, signer.clips, guaranteed)


def walk_of_signs(signer: Signer, G: FloatArray, rule: SignRule, N: int) -> IntArray:
    """Return the signs (m, n) that a rule gives a stream G (n, m, d): mean balancing against zero.

    Moves the sums of `signer`, one or one per worker; N vectors belong to each.
    """
    n, m, d = G.shape
    signed, count, (mean, total) = np.empty((m, n), int), np.zeros(m, int), np.zeros((2, m, d))
    steps = np.ascontiguousarray(np.broadcast_to(np.arange(n)[:, None], (n, m)))
    sums = (signed, signer.s, count, total, mean, np.arange(m), steps, G)
    if rule.name == "greedy":
        observe_greedily(*sums)
    else:
        observe_by_rule(*sums, *signer.known(rule, N))
    return np.where(signed < 0, -1, 1)


def _look_ahead(table: FloatArray, rule: str, scope: Scope, norm: str) -> Balance:
    m, n, d = table.shape
    sequences = as_stream(table).reshape(1, n * m, d) if scope == "coordinated" else table
    eps = np.array([_sign_all(z, rule, m if scope == "coordinated" else 1, norm) for z in sequences])
    sums = np.cumsum(eps[:, :, None] * sequences, axis=1)[:, -1]
    eps = np.ascontiguousarray(eps.reshape(n, m).T) if scope == "coordinated" else eps
    return Balance(eps, sums, np.zeros(len(sums), dtype=np.int64), guaranteed=False)


def _sign_all(z: FloatArray, rule: str, every: int, norm: str) -> IntArray:
    if rule == "prefix":
        return prefix_signs(z)
    if len(z) > MOST:
        raise ValueError(
            f"rule 'optimal': expected at most {MOST} vectors in one sum; got {len(z)}; use an online rule"
        )
    counts = np.arange(1, len(z) + 1) % every == 0
    steps = (signs(z)[:, None] * z).reshape(-1, every, z.shape[1])
    return optimal_signs(z, counts, norm, profile_of(steps, norm).max() * (1.0 + 1e-12))
