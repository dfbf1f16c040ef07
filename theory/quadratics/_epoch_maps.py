"""Exact moments of an epoch on quadratics with different Hessians, by averaging over all orders (G1).

One SGD step on f_j is the affine map x -> (I - alpha A_j) x + alpha c_j, written as a matrix on (x, 1); an
epoch is a product of these, and its average over orders a recursion over subsets.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import one_of, positive
from theory._orders import over_orders
from theory._spectral import Array, examples, stack

LARGEST_TABLE = 2**26
"""Entries the subset table may hold (512 MiB)."""


def affine_maps(alpha: float, hessians: ArrayLike, linear: ArrayLike) -> Array:
    r"""Return one SGD step on each example as a matrix acting on (x, 1) (G1).

    .. math:: T_j = \begin{pmatrix} I - \alpha A_j & \alpha c_j \\ 0 & 1 \end{pmatrix}

    Assumes quadratic examples.

    Provenance: proved here, note ``G1-subset-recursion``.

    Parameters
    ----------
    hessians : array_like, shape (n, d, d)
        A_j.
    linear : array_like, shape (n, d)
        c_j.

    Returns
    -------
    ndarray, shape (n, d + 1, d + 1)
        T_j.

    Examples
    --------
    >>> affine_maps(0.5, [[[1.0]]], [[2.0]])[0]
    array([[0.5, 1. ],
           [0. , 1. ]])
    """
    a, c = examples(hessians, "linear", linear)
    n, d = c.shape
    maps = np.zeros((n, d + 1, d + 1))
    maps[:, :d, :d] = np.eye(d) - positive("alpha", alpha) * a
    maps[:, :d, d] = alpha * c
    maps[:, d, d] = 1.0
    return maps


def squares(maps: ArrayLike) -> Array:
    r"""Return Kronecker squares, which carry second moments instead of means (G1).

    .. math:: \mathrm{vec}(T y y' T') = (T \otimes T) \, \mathrm{vec}(y y')

    Assumes nothing beyond linear maps; row-major vec, as NumPy ravels.

    Provenance: proved here, note ``G1-subset-recursion``.

    Returns
    -------
    ndarray, shape (n, D * D, D * D)
        Every map's Kronecker product with itself.

    Examples
    --------
    >>> squares([[[3.0]]])
    array([[[9.]]])
    """
    t = stack("maps", maps, ("n", "D", "D"), equal=2)
    return np.array([np.kron(one, one) for one in t])


def average_product(maps: ArrayLike) -> Array:
    r"""Average the product of the maps over all n! orders, by a recursion over subsets (G1).

    .. math:: \bar P(S) = \frac{1}{|S|} \sum_{j \in S} T_j \bar P(S \setminus \{j\}), \qquad \bar P(\{\}) = I

    The map applied last stands leftmost. Cost 2^n n D^3 instead of n! n D^3.

    Assumes nothing: the maps need not commute. The table of 2^n D^2 numbers is refused above 2^26.

    Provenance: proved here, note ``G1-subset-recursion``. See De Sa, NeurIPS 2020: products where this
    average surprises (arXiv id not confirmed).

    Parameters
    ----------
    maps : array_like, shape (n, D, D)
        Linear maps, affine maps in homogeneous form, or their :func:`squares`.

    Returns
    -------
    ndarray, shape (D, D)
        (1 / n!) sum over orders pi of T_pi(n) ... T_pi(1).

    Examples
    --------
    >>> average_product([[[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]])
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    t = stack("maps", maps, ("n", "D", "D"), equal=2)
    n, size = t.shape[:2]
    if 2**n * size**2 > LARGEST_TABLE:
        raise ValueError(
            f"expected 2**n * D**2 <= {LARGEST_TABLE}; got n = {n}, D = {size}; pass fewer or smaller maps"
        )
    return over_orders(n, 1, np.eye(size), lambda w, product: np.asarray(t[w] @ product))


def expected_epoch(ordering: str, maps: ArrayLike) -> Array:
    r"""Return the map of one epoch in expectation, random reshuffling or n draws with replacement (G1).

    .. math:: E_{rr} = \bar P(\{1..n\}) \ \text{(average_product)}, \qquad
              E_{sgd} = \Bigl( \frac1n \sum_j T_j \Bigr)^n

    Pass :func:`squares` of the maps for the second moment.

    Assumes one worker.

    Provenance: proved here, note ``G1-subset-recursion``. See De Sa, NeurIPS 2020 (arXiv id not confirmed).

    Returns
    -------
    ndarray, shape (D, D)
        The expected map.

    Examples
    --------
    >>> expected_epoch("sgd", [[[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]])
    array([[0.25, 0.  ],
           [0.  , 0.25]])
    """
    if one_of("ordering", ordering, ("rr", "sgd")) == "rr":
        return average_product(maps)
    t = stack("maps", maps, ("n", "D", "D"), equal=2)
    return np.linalg.matrix_power(t.mean(axis=0), len(t))


def stationary_mean(ordering: str, alpha: float, hessians: ArrayLike, linear: ArrayLike) -> Array:
    r"""Return the exact mean of x at epoch ends in the long run (G1).

    .. math:: \bar x = Q \bar x + q, \qquad
              \text{expected epoch} = \begin{pmatrix} Q & q \\ 0 & 1 \end{pmatrix}

    Assumes one worker, fresh orders in every epoch, and a spectral radius of Q below one.

    Provenance: proved here, note ``G1-subset-recursion``.

    Returns
    -------
    ndarray, shape (d,)
        The fixed point of the expected epoch.

    Examples
    --------
    >>> stationary_mean("rr", 0.5, [[[1.0]], [[1.0]]], [[1.0], [3.0]])
    array([2.])
    """
    epoch = expected_epoch(ordering, affine_maps(alpha, hessians, linear))
    contraction = epoch[:-1, :-1]
    radius = float(np.abs(np.linalg.eigvals(contraction)).max())
    if radius >= 1.0:
        raise ValueError(f"expected a contracting epoch; got spectral radius {radius:.6g}; lower alpha")
    return np.asarray(np.linalg.solve(np.eye(len(contraction)) - contraction, epoch[:-1, -1]))
