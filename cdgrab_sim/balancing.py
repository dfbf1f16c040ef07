"""Balancing: signs that keep the prefix sums of vectors small, and how small they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._prefix import NORMS, LargestPrefix
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim._vectors import as_stream, as_table
from cdgrab_sim.orderings._balance import SCOPES, Scope
from cdgrab_sim.orderings._mean import observe_means


def _greedy(table: FloatArray, rows: int, rng: Generator) -> IntArray:
    m, n, d = table.shape
    eps = np.empty((m, n), dtype=np.int64)
    mean, total = np.zeros((m, d)), np.zeros((m, d))
    observe_means(eps, np.zeros((rows, d)), total, mean, 0, as_stream(table))
    return eps


def _random(table: FloatArray, rows: int, rng: Generator) -> IntArray:
    m, n, _ = table.shape
    return 1 - 2 * rng.integers(2, size=(m, n))


# name -> rule(vectors (m, n, d), running sums (1 or m), generator) -> signs (m, n)
RULES: dict[str, Callable[[FloatArray, int, Generator], IntArray]] = {
    "greedy": _greedy,
    "random": _random,
}


def signs(z: ArrayLike, rule: str = "greedy", *, scope: Scope = "independent", seed: int = 0) -> IntArray:
    r"""Sign vectors in the order in which they are given.

    ``"greedy"``, with s = 0 at the start, as every balancing ordering does:

    .. math:: \epsilon_k = +1 \text{ if } \langle s, z_k \rangle \le 0 \text{ else } -1, \qquad
        s \leftarrow s + \epsilon_k z_k,

    which chooses the shorter of s + z and s - z, and +1 if they are equally long.
    ``"random"``: independent fair coins.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    rule : {"greedy", "random"}
    scope : {"independent", "coordinated"}
        For vectors of m workers: one sum s for each worker, or one for all of them, which takes the vectors
        step by step and within a step worker by worker.
    seed : int
        Of the coins; worker i's do not depend on m.

    Returns
    -------
    int array (n,) or (m, n)
        +1 and -1.

    Examples
    --------
    >>> signs([[1.0], [2.0], [3.0]])
    array([ 1, -1,  1])
    """
    _checks.choice("rule", rule, RULES)
    _checks.choice("scope", scope, SCOPES)
    rng = stream(_checks.integer("seed", seed, low=0), Role.SIGN)
    table = as_table(z)
    eps = RULES[rule](table, 1 if scope == "coordinated" else len(table), rng)
    return eps[0] if np.ndim(z) == 2 else eps


def prefix_discrepancy(z: ArrayLike, eps: ArrayLike, norm: str = "inf") -> float:
    r"""Return the largest norm of the signed prefix sums, over all workers together, once per step.

    .. math:: \max_{1 \le k \le n} \Big\| \sum_{l \le k} \sum_{i=1}^m \epsilon_{il} z_{il} \Big\|

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    eps : array (n,) or (m, n)
        Signs +1 and -1.
    norm : {"inf", "l2"}

    Examples
    --------
    >>> prefix_discrepancy([[1.0], [2.0], [3.0]], [1, -1, 1])
    2.0
    """
    norm, table, given = _checks.choice("norm", norm, NORMS), as_table(z), _checks.signs("eps", eps)
    if given.shape != np.shape(z)[:-1]:
        raise ValueError(f"eps: expected one sign per vector, shape {np.shape(z)[:-1]}; got {given.shape}")
    largest = LargestPrefix(table.shape[2])
    largest.see(0, as_stream(table * given.reshape(*table.shape[:2], 1)))
    return largest.norm(norm)
