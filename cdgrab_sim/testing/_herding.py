"""Assertions about reorders: H1 to H5."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks, herding
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.balancing import prefix_discrepancy
from cdgrab_sim.herding._profile import norms
from cdgrab_sim.testing._laws import ROUNDING, unit
from theory import herding as theory


def assert_reorder_halves(z: ArrayLike, eps: ArrayLike, new: ArrayLike, norm: str = "inf") -> None:
    r"""Assert that an order made of signs has at most half the error, up to the discrepancy (H1).

    .. math:: H_{new} \le \| S_n \| + \tfrac12 ( H_{old} + \max_k \| R_k \| )

    Without the first term where the sum S_n of all vectors is zero; any norm.

    Parameters
    ----------
    z : array (n, d)
        In their old order.
    eps : array (n,)
    new : int array (n,)
        The new order, as positions in the old one.
    norm : {"inf", "l1", "l2"}

    Raises
    ------
    AssertionError

    Examples
    --------
    >>> assert_reorder_halves([[1.0], [1.0], [-1.0], [-1.0]], [1, -1, 1, -1], [0, 2, 3, 1])
    """
    vectors = unit(_checks.floats("z", z, 2))
    old = herding.error(vectors, np.arange(len(vectors)), norm)
    total = float(norms(vectors.sum(axis=0), norm))
    bound = theory.reorder_bound(old, prefix_discrepancy(vectors, eps, norm), total)
    _at_most("H1", herding.error(vectors, _order("new", new, vectors), norm), bound)


def assert_stale_mean_costs(z: ArrayLike, eps: ArrayLike, mean: ArrayLike, norm: str = "inf") -> None:
    r"""Assert what signs that balance z - mean are worth for z less its exact mean (H2).

    .. math:: H_{new} \le \tfrac12 \big( H_{old} + \max_k \| R_k \|
        + \max_k | E_k | \, \| \bar z - mean \| \big), \qquad E_k = \epsilon_1 + \dots + \epsilon_k

    Parameters
    ----------
    z : array (n, d)
        In their old order, not centred.
    eps : array (n,)
        Signs of z - mean.
    mean : array (d,)
        The stale mean.
    norm : {"inf", "l1", "l2"}

    Raises
    ------
    AssertionError

    Examples
    --------
    >>> assert_stale_mean_costs([[1.0], [3.0]], [1, -1], [0.0])
    """
    given = _checks.floats("z", z, 2)
    both = unit(np.vstack([given, _checks.vector("mean", mean, given.shape[1])]))
    vectors, stale = both[:-1], both[-1]
    exact = vectors.mean(axis=0)
    old = herding.error(vectors - exact, np.arange(len(vectors)), norm)
    signed = prefix_discrepancy(vectors - stale, eps, norm)
    run = float(np.abs(np.cumsum(np.asarray(eps))).max())
    bound = theory.stale_mean_bound(old, signed, run, float(norms(exact - stale, norm)))
    _at_most("H2", herding.error(vectors - exact, herding.reorder(eps), norm), bound)


def assert_pairs_halve(z: ArrayLike, new: ArrayLike, eps: ArrayLike, norm: str = "inf") -> None:
    r"""Assert what the signs of pair differences are worth, whatever the mean is (H3).

    .. math:: H_{new} \le \tfrac12 \big( \max_j \| S_{2j} \| + \max_j \| R_j \| \big)

    Only even prefixes of the centred vectors enter; an unpaired last vector costs nothing.

    Parameters
    ----------
    z : array (n, d)
        In their old order, n > 1.
    new : int array (n,)
        The new order, as positions in the old one.
    eps : array (n // 2,)
        Signs of z[0] - z[1], z[2] - z[3], ...
    norm : {"inf", "l1", "l2"}

    Raises
    ------
    AssertionError

    Examples
    --------
    >>> assert_pairs_halve([[1.0], [3.0], [2.0]], [0, 2, 1], [1])
    """
    vectors = unit(_checks.floats("z", z, 2))[None]
    _pairs("H3", vectors, _order("new", new, vectors), np.atleast_2d(_checks.signs("eps", eps)), norm)


def assert_coordinated_pairs_halve(z: ArrayLike, new: ArrayLike, eps: ArrayLike, norm: str = "inf") -> None:
    r"""Assert what one running sum over all workers' pair differences is worth for the parallel error (H4).

    .. math:: H_{new} \le \tfrac12 \big( \max_j \| S_{2j} \| + \max_j \| R_j \| \big),
        \qquad S, R \text{ summed over all workers}

    Worker means may differ. Without pairs this is false (H4d).

    Parameters
    ----------
    z : array (m, n, d)
        In their old orders, n > 1.
    new : int array (m, n)
        The new orders, as positions in the old ones.
    eps : array (m, n // 2)
    norm : {"inf", "l1", "l2"}

    Raises
    ------
    AssertionError

    Examples
    --------
    >>> assert_coordinated_pairs_halve([[[1.0], [3.0]], [[2.0], [0.0]]], [[0, 1], [0, 1]], [[1], [1]])
    """
    vectors = unit(_checks.floats("z", z, 3))
    _pairs("H4", vectors, _order("new", new, vectors), _checks.signs("eps", eps), norm)


def assert_rounds_halve(errors: ArrayLike, balances: ArrayLike) -> None:
    r"""Assert the errors of repeated reorders of vectors that do not move (H5).

    .. math:: H_T \le 2^{-T} H_0 + \sum_{s < T} 2^{-(T - s)} A_s

    Parameters
    ----------
    errors : array (T + 1,)
        H_0, ..., H_T, for instance of `cdgrab_sim.herding.curve`.
    balances : array (T,)
        A_s, the largest running sum of round s, in the same norm.

    Raises
    ------
    AssertionError

    Examples
    --------
    >>> assert_rounds_halve([8.0, 5.0, 3.0], [2.0, 1.0])
    """
    given, sums = _checks.floats("errors", errors, 1), _checks.floats("balances", balances, 1)
    for name, numbers in (("errors", given), ("balances", sums)):
        if (numbers < 0.0).any():
            raise ValueError(f"{name}: expected numbers >= 0; got {numbers.min():g}")
    both = unit(np.concatenate([given, sums]))
    measured = both[: len(given)]
    bounds = theory.repeated_reorder_bound(float(measured[0]), both[len(given) :])
    if len(measured) != len(bounds):
        raise ValueError(f"errors: expected one more than balances, {len(bounds)}; got {len(measured)}")
    for T, (error, bound) in enumerate(zip(measured, bounds, strict=True)):
        _at_most(f"H5, round {T}", float(error), float(bound))


def _pairs(statement: str, z: FloatArray, new: IntArray, eps: IntArray, norm: str) -> None:
    n = z.shape[1] - z.shape[1] % 2
    if n == 0:
        raise ValueError(f"z: expected at least one pair, n >= 2; got n = {z.shape[1]}")
    z = z - z.mean(axis=(0, 1))
    even = np.cumsum(z.sum(axis=0), axis=0)[1:n:2]
    signed = prefix_discrepancy(z[:, :n:2] - z[:, 1:n:2], eps, norm)
    bound = theory.reorder_bound(float(norms(even, norm).max()), signed)
    _at_most(statement, herding.error(z, new, norm), bound)


def _order(name: str, new: ArrayLike, z: FloatArray) -> IntArray:
    m, n = z.shape[:-1] if z.ndim == 3 else (1, len(z))
    found = _checks.orders(name, new, m, n)
    return found if z.ndim == 3 else found[0]


def _at_most(statement: str, measured: float, bound: float) -> None:
    if not measured <= bound * (1.0 + ROUNDING) + 1e-12:  # of numbers whose largest is about 1
        raise AssertionError(f"{statement}: expected an error of at most {bound:g}; got {measured:g}")
