"""What random affine maps do to means and squares, over one epoch, many, and in the long run (M1)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator, eigs, gmres

from theory._checks import finite_array, integer_at_least, one_of, vector
from theory._orders import over_orders
from theory._spectral import Array

LAWS = ("sgd", "rr", "ig")
"""Laws of an epoch: independent draws, a permutation of each worker, the maps in their order."""

MOST_ORDERS = 5040
"""Orders that are enumerated: 7! on one worker."""

DENSE = 64
"""Entries of a square up to which its recursion is written out as a matrix; larger ones are only applied."""


def epoch_square(
    ordering: str, maps: ArrayLike, square: ArrayLike, method: str = "subsets", *, coins: bool = False
) -> Array:
    r"""Return the square E[y y'] one epoch later (M1).

    .. math:: Y \mapsto E[P Y P'], \qquad P = P_{w_n} \cdots P_{w_1}

    It is applied map by map, never written as a matrix of (D + 1)^4 numbers: independent draws take n means
    over all maps, permutations the recursion over subsets, which carries E[P_S Y P_S'] for each subset S.

    Assumes that the examples of an epoch are independent of y.

    Provenance: proved here, note ``M1-moments-of-affine-maps``.

    Parameters
    ----------
    ordering : {"sgd", "rr", "ig"}
    maps : array_like, shape (n, ..., n, D + 1, D + 1)
        One axis of examples for each worker; any linear maps will do.
    square : array_like, shape (D + 1, D + 1)
        E[y y'] before.
    method : {"subsets", "orders"}
        For "rr": the recursion, or all (n!)^m orders one by one, at most 5,040.

    Returns
    -------
    ndarray, shape (D + 1, D + 1)
        E[y y'] after.

    Examples
    --------
    Halving once and doubling once, in either order, does nothing; two draws give the mean (1/4 + 4)/2, twice:

    >>> epoch_square("rr", [[[0.5]], [[2.0]]], [[1.0]])
    array([[1.]])
    >>> epoch_square("sgd", [[[0.5]], [[2.0]]], [[1.0]])
    array([[4.515625]])
    """
    P = _maps(maps, coins)
    Y = finite_array("square", square, 2, "(D + 1, D + 1)")
    if Y.shape != P.shape[-2:]:
        raise ValueError(f"expected square of shape {P.shape[-2:]}, as the maps; got {Y.shape}; reshape it")
    return _epoch(ordering, P, method)(Y)


def moments(
    ordering: str, maps: ArrayLike, s0: ArrayLike, T: int, *, coins: bool = False
) -> tuple[Array, Array]:
    r"""Return mean and second moment of the state after T epochs from a given start (M1).

    .. math:: E[y_{t+1} y_{t+1}'] = E[P\, E[y_t y_t']\, P'], \qquad y_0 = (s_0, 1)

    Assumes epochs that are independent of each other.

    Provenance: proved here, note ``M1-moments-of-affine-maps``.

    Parameters
    ----------
    s0 : array_like, shape (D,)
        The start.

    Returns
    -------
    tuple of ndarray, shapes (D,) and (D, D)
        E s_T and E s_T s_T'.

    Examples
    --------
    From 0 by s -> s/2 and s -> s/2 + 1 in random order, to 1/2 or to 1:

    >>> moments("rr", [[[0.5, 0.0], [0.0, 1.0]], [[0.5, 1.0], [0.0, 1.0]]], [0.0], 1)
    (array([0.75]), array([[0.625]]))
    """
    P = _maps(maps, coins)
    y = np.append(vector("s0", s0), 1.0)
    if len(y) != P.shape[-1]:
        raise ValueError(f"expected s0 of shape ({P.shape[-1] - 1},), as the maps; got ({len(y) - 1},)")
    epoch, Y = _epoch(ordering, P), np.outer(y, y)
    for _ in range(integer_at_least("T", T, 0)):
        Y = epoch(Y)
    return Y[:-1, -1], Y[:-1, :-1]


def mean_square_rate(ordering: str, maps: ArrayLike, *, coins: bool = False) -> tuple[float, float]:
    r"""Return by what factor the mean square shrinks, per step and per epoch, without noise (M1).

    .. math:: \rho = \text{spectral radius of } Y \mapsto E[T Y T'] \ \text{per epoch}, \qquad \rho^{1/n}
        \ \text{per step}

    with T the linear part of P. Without noise E|s_t|^2 is of order rho^t from almost all starts. Where the
    state has more than 8 numbers, this is done without matrices, by Arnoldi's method.

    Assumes epochs that are independent of each other.

    Provenance: proved here, note ``M1-moments-of-affine-maps``.

    Returns
    -------
    tuple of float
        Per step, per epoch.

    Examples
    --------
    >>> rates = mean_square_rate("sgd", [[[0.5, 1.0], [0.0, 1.0]], [[0.1, 0.0], [0.0, 1.0]]])
    >>> [round(rate, 12) for rate in rates]
    [0.13, 0.0169]
    """
    T = _maps(maps, coins)[..., :-1, :-1]
    if T.shape[-1] == 0:
        raise ValueError("expected maps on (s, 1) with at least one number in s; got none")
    n, (apply, N) = T.shape[0], _flat(_epoch(ordering, T), T.shape[-1])
    if N <= DENSE:
        rate = float(np.abs(np.linalg.eigvals(np.column_stack([apply(e) for e in np.eye(N)]))).max())
    else:
        operator = LinearOperator((N, N), matvec=apply, dtype=np.float64)
        start = np.eye(T.shape[-1]).ravel()
        rate = float(np.abs(eigs(operator, k=1, v0=start, return_eigenvectors=False)[0]))
    return rate ** (1.0 / n), rate


def stationary_moments(ordering: str, maps: ArrayLike, *, coins: bool = False) -> tuple[Array, Array]:
    r"""Return mean and covariance of the state at epoch ends in the long run (M1).

    .. math:: E[y y'] = E[P\, E[y y']\, P'], \qquad \mathrm{Cov} = E[s s'] - E s\, E s'

    Assumes epochs that are independent of each other, and a mean-square rate below one.

    Provenance: proved here, note ``M1-moments-of-affine-maps``.

    Returns
    -------
    tuple of ndarray, shapes (D,) and (D, D)
        E s and the covariance.

    Examples
    --------
    s -> s/2 + 1 or s/2 - 1 with equal chances: the variance v solves v = v/4 + 1.

    >>> mean, covariance = stationary_moments("sgd", [[[0.5, 1.0], [0.0, 1.0]], [[0.5, -1.0], [0.0, 1.0]]])
    >>> covariance
    array([[1.33333333]])
    """
    P = _maps(maps, coins)
    _, rate = mean_square_rate(ordering, P, coins=True)
    if rate >= 1.0:
        raise ValueError(f"expected a mean-square rate below 1; got {rate:.6g} per epoch; lower alpha")
    size = P.shape[-1]
    whole, N = _flat(_epoch(ordering, P), size)
    corner = np.eye(N)[-1]  # E[y y'] = corner + Z, and Z has no corner

    def without(z: Array) -> Array:
        return z - whole(np.append(z, 0.0))[:-1]

    pushed = whole(corner)[:-1]
    if N <= DENSE:
        Z = np.linalg.solve(np.column_stack([without(e) for e in np.eye(N - 1)]), pushed)
    else:
        Z, _ = gmres(LinearOperator((N - 1, N - 1), matvec=without), pushed, rtol=1e-14, restart=N)
    Y = np.append(Z, 1.0).reshape(size, size)
    mean = Y[:-1, -1]
    return mean, Y[:-1, :-1] - np.outer(mean, mean)


def _maps(maps: ArrayLike, coins: bool) -> Array:
    """Return checked maps: an axis of n for each worker, one of coins, then two of the same length."""
    P = np.asarray(maps, dtype=np.float64)
    m = P.ndim - 2 - coins
    shape = "(n, ..., n, D + 1, D + 1)" if not coins else "(n, ..., n, coins, D + 1, D + 1)"
    P = finite_array("maps", P, max(P.ndim, 3 + coins), shape)
    if len(set(P.shape[:m])) != 1 or P.shape[-1] != P.shape[-2]:
        raise ValueError(f"expected maps with shape {shape}; got {P.shape}; reshape them")
    return P if coins else P[..., None, :, :]


def _epoch(ordering: str, P: Array, method: str = "subsets") -> Callable[[Array], Array]:
    """Return Y -> E[P Y P'] of one epoch."""
    one_of("ordering", ordering, LAWS)
    n, m = P.shape[0], P.ndim - 3
    if ordering == "ig" and m > 1:
        raise ValueError(f"expected maps with one axis of steps for 'ig'; got {m}; pick those of the cycle")

    def step(w: tuple[int, ...], Y: Array) -> Array:
        return np.asarray((P[w] @ Y @ P[w].swapaxes(1, 2)).mean(axis=0))

    def draws(Y: Array) -> Array:
        for _ in range(n):
            Y = np.mean([step(w, Y) for w in np.ndindex(*P.shape[:m])], axis=0)
        return Y

    def follow(order: Iterable[tuple[int, ...]], Y: Array) -> Array:
        for w in order:
            Y = step(w, Y)
        return Y

    def orders(Y: Array) -> Array:
        one = list(itertools.permutations(range(n)))
        if len(one) ** m > MOST_ORDERS:
            raise ValueError(f"expected at most {MOST_ORDERS} orders; got {len(one) ** m}; pass fewer maps")
        every = (zip(*pi, strict=True) for pi in itertools.product(one, repeat=m))
        return np.asarray(np.mean([follow(order, Y) for order in every], axis=0))

    if ordering == "sgd":
        return draws
    if ordering == "ig":
        return lambda Y: follow(((k,) for k in range(n)), Y)
    if one_of("method", method, ("subsets", "orders")) == "orders":
        return orders
    return lambda Y: over_orders(n, m, Y, step)


def _flat(epoch: Callable[[Array], Array], size: int) -> tuple[Callable[[Array], Array], int]:
    """Return the same recursion on squares as vectors, and their length."""
    return lambda y: epoch(y.reshape(size, size)).ravel(), size**2
