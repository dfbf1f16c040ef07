"""Two constructive oracles of herding: a good order (H6) and good signs (H7), in any norm at once.

Both keep at most about d fractional weights and are slow (linear programmes, singular vectors); they serve as
reference lines that no learned order needs to beat, not as orderings for training.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from theory._checks import integer_at_least, matrix, nonnegative


def steinitz_bound(d: int, B: float = 1.0) -> float:
    """Bound the herding error of the best order (H6).

    ::

        min_pi max_k ||S_k|| <= d B

    Assumes vectors that sum to 0 with ||z_j|| <= B, any norm; :func:`steinitz_order` attains it.

    Provenance: derived, note ``H6-steinitz-order``.

    Parameters
    ----------
    d : int
        Dimension, at least 1.
    B : float
        Largest norm of the vectors.

    Returns
    -------
    float
        d B.

    Raises
    ------
    ValueError
        If d < 1 or B < 0.

    References
    ----------
    Grinberg, Sevastyanov, "Value of the Steinitz constant", 1980; no arXiv version.

    Examples
    --------
    >>> steinitz_bound(3, 2.0)
    6.0
    """
    return integer_at_least("d", d, 1) * nonnegative("B", B)


def steinitz_order(z: ArrayLike) -> NDArray[np.int64]:
    """Order vectors so that every prefix stays within d times the largest, in every norm at once (H6).

    From the back: keep a set A of size k with weights 0 <= lam <= 1, sum lam z = 0, sum lam = k - d. A vertex
    of the same polytope for k - 1 - d has a weight equal to 0; that vector takes position k.

    ::

        S_k = sum_A (1 - lam) z,  ||S_k|| <= sum_A (1 - lam) B = d B

    Assumes vectors that sum to 0. Solves one linear programme per position: n up to a few hundred.

    Provenance: derived, note ``H6-steinitz-order``.

    Parameters
    ----------
    z : array_like, shape (n, d)
        Vectors with sum 0 (up to 1e-9 of the largest entry times n).

    Returns
    -------
    ndarray of int64, shape (n,)
        The order: position k holds vector ``order[k]``.

    Raises
    ------
    ValueError
        If the vectors are not finite or do not sum to 0.

    References
    ----------
    Grinberg, Sevastyanov, 1980; Harvey, Samadi, COLT 2014 (its use for herding).

    Examples
    --------
    >>> z = np.array([[1.0], [1.0], [1.0], [-1.0], [-1.0], [-1.0]])
    >>> float(np.abs(np.cumsum(z[steinitz_order(z)], axis=0)).max())
    1.0
    """
    vectors = matrix("z", z)
    n, d = vectors.shape
    scale = float(np.abs(vectors).max()) or 1.0
    if np.abs(vectors.sum(axis=0)).max() > 1e-9 * n * scale:
        raise ValueError(f"expected vectors with sum 0; got sum {vectors.sum(axis=0)}; subtract their mean")
    kept, last = np.arange(n), []
    while kept.size > d + 1:
        out = int(np.argmin(_vertex(vectors[kept] / scale, kept.size - 1 - d)))
        last.append(kept[out])
        kept = np.delete(kept, out)
    return np.concatenate([kept, np.array(last[::-1], dtype=np.int64)])


def _vertex(z: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return a vertex of {0 <= lam <= 1, sum lam z = 0, sum lam = total}."""
    rows = np.vstack([z.T, np.ones(z.shape[0])])
    sides = np.append(np.zeros(z.shape[1]), total)
    # The dual simplex method ends in a basic solution, hence in a vertex; an interior point need not.
    result = linprog(np.zeros(z.shape[0]), A_eq=rows, b_eq=sides, bounds=(0.0, 1.0), method="highs-ds")
    if result.x is None:
        raise RuntimeError(
            f"expected a vertex of a non-empty polytope; got {result.message}; rescale the vectors"
        )
    return np.asarray(result.x, dtype=np.float64)


def prefix_signing_bound(d: int, B: float = 1.0) -> float:
    """Bound the signed sums of the best signs (H7).

    ::

        min_eps max_k ||R_k|| <= 2 d B

    Assumes ||z_j|| <= B, any norm, any sum; :func:`prefix_signs` attains it.

    Provenance: derived, note ``H7-prefix-signs``.

    Parameters
    ----------
    d : int
        Dimension, at least 1.
    B : float
        Largest norm of the vectors.

    Returns
    -------
    float
        2 d B.

    Raises
    ------
    ValueError
        If d < 1 or B < 0.

    References
    ----------
    Barany, Grinberg, 1981; no arXiv version.

    Examples
    --------
    >>> prefix_signing_bound(3)
    6.0
    """
    return 2.0 * integer_at_least("d", d, 1) * nonnegative("B", B)


def prefix_signs(z: ArrayLike) -> NDArray[np.int64]:
    """Sign vectors so that every signed sum stays within 2d times the largest, in every norm at once (H7).

    Keep weights -1 <= alpha <= 1 with sum alpha z = 0 and at most d of them inside (-1, 1). A new vector
    starts at 0; while d + 1 are inside, move along a linear relation of their vectors until one reaches +-1,
    which is then its sign for good.

    ::

        R_k = sum_{inside} (eps_j - alpha_j) z_j,  ||R_k|| <= 2 d B

    Assumes nothing on the vectors. One small singular value decomposition per vector.

    Provenance: derived, note ``H7-prefix-signs``.

    Parameters
    ----------
    z : array_like, shape (n, d)
        The vectors, in the order in which they are summed.

    Returns
    -------
    ndarray of int64, shape (n,)
        Signs +1 or -1.

    Raises
    ------
    ValueError
        If the vectors are not finite or the shape is not (n, d).

    References
    ----------
    Barany, Grinberg, 1981; no arXiv version.

    Examples
    --------
    >>> int(np.abs(prefix_signs(np.ones((9, 1))).cumsum()).max()) <= 2
    True
    """
    vectors = matrix("z", z)
    n, d = vectors.shape
    alpha, inside = np.zeros(n), []
    for k in range(n):
        inside.append(k)
        if len(inside) > d:
            relation = np.linalg.svd(vectors[inside].T)[2][-1]
            fixed = inside[_move_to_the_boundary(alpha, inside, relation)]
            inside.remove(fixed)
    return np.where(alpha >= 0.0, 1, -1).astype(np.int64)


def _move_to_the_boundary(
    alpha: NDArray[np.float64], inside: list[int], relation: NDArray[np.float64]
) -> int:
    """Move ``alpha[inside]`` along ``relation`` until one entry is +-1; return its place in ``inside``."""
    towards = np.where(relation >= 0.0, 1.0, -1.0)
    moving = np.abs(relation) > 1e-12
    steps = np.full(relation.size, np.inf)
    steps[moving] = (towards - alpha[inside])[moving] / relation[moving]
    hit = int(np.argmin(steps))
    alpha[inside] += steps[hit] * relation
    alpha[inside[hit]] = towards[hit]
    return hit
