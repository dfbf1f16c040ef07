"""Orders for somebody else's data loader: rows of its table, and .npy files."""

from __future__ import annotations

from os import PathLike
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._files import written_whole
from cdgrab_sim._records import Problem
from cdgrab_sim._types import IntArray


def global_orders(
    pi: ArrayLike, *, problem: Problem | None = None, rows: ArrayLike | None = None
) -> IntArray:
    r"""Turn the local indices of orders into rows of the table that holds the examples of all workers.

    .. math:: \text{row}_i(k) = \text{rows}_{i, \pi_i(k)}

    so that ``X[global_orders(pi, problem=problem)]`` are the examples in the order of each worker, for a
    problem that `from_arrays` dealt from X. Everywhere else in this package an order holds local indices.

    Parameters
    ----------
    pi : int array (n,) or (m, n)
        Permutations of 0..n-1.
    problem : Problem, optional
        Whose ``rows`` to use. A problem without a table has none; its examples are stacked.
    rows : int array (n,) or (m, n), optional
        Which row is example j of worker i, instead of a problem.

    Returns
    -------
    int array of the same shape
        Without `problem` and `rows`, the workers follow each other: rows of ``data.reshape(m * n, ...)``, for
        `data` (m, n, ...). These are not the rows of a table that was dealt at random.

    Raises
    ------
    ValueError, TypeError
        If `pi` does not hold permutations, or belongs to other sizes than the rows.

    Examples
    --------
    >>> global_orders([[2, 0, 1], [1, 0, 2]])
    array([[2, 0, 1],
           [4, 3, 5]])
    >>> global_orders([[2, 0, 1], [1, 0, 2]], rows=[[8, 5, 3], [1, 9, 4]])
    array([[3, 8, 5],
           [9, 1, 4]])
    """
    table = _table(pi)
    places = _rows(problem, rows, table.shape)
    found: IntArray = np.take_along_axis(places, table, axis=1).reshape(np.shape(pi))
    return found


def save_orders(
    path: str | PathLike[str],
    pi: ArrayLike,
    *,
    indices: Literal["local", "global"] = "local",
    problem: Problem | None = None,
    rows: ArrayLike | None = None,
) -> None:
    """Write orders to a .npy file, which appears under its name only when it is whole.

    Parameters
    ----------
    path : path
        Taken as it is; nothing is appended.
    pi : int array (n,) or (m, n)
        Permutations of 0..n-1, local indices.
    indices : {"local", "global"}
        Which indices to write. Global ones are rows of the table from which the examples came, and need
        `problem` or `rows`: see `global_orders`.
    problem, rows : optional
        As in `global_orders`.

    Raises
    ------
    ValueError, TypeError
        If `pi` does not hold permutations, or if nothing tells the rows of the table; no file is written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_orders(Path(folder) / "epoch3.npy", [[1, 0]], indices="global", rows=[[7, 4]])
    ...     np.load(Path(folder) / "epoch3.npy").tolist()
    [[4, 7]]
    """
    path = _checks.path("path", path)
    _checks.choice("indices", indices, ("local", "global"))
    if (indices == "global") != (problem is not None or rows is not None):
        raise ValueError(
            "indices: expected 'global' together with problem= or rows=, and neither with 'local'; "
            f"got {_checks.brief(indices)}; "
            "for examples stacked worker by worker pass rows=np.arange(m * n).reshape(m, n)"
        )
    written = _table(pi).reshape(np.shape(pi))
    if indices == "global":
        written = global_orders(pi, problem=problem, rows=rows)
    with written_whole(path) as file:
        np.save(file, written, allow_pickle=False)


def _table(pi: ArrayLike) -> IntArray:
    shape = _checks.array("pi", pi).shape
    if len(shape) not in (1, 2) or 0 in shape:
        raise ValueError(f"pi: expected orders of shape (n,) or (m, n); got shape {shape}")
    return _checks.orders("pi", pi, shape[0] if len(shape) == 2 else 1, shape[-1])


def _rows(problem: Problem | None, rows: ArrayLike | None, shape: tuple[int, ...]) -> IntArray:
    """Return the rows (m, n) of the examples, of which orders of this shape speak."""
    m, n = shape
    if problem is None and rows is None:
        return np.arange(m * n).reshape(m, n)
    if problem is None:
        return _checks.rows("rows", np.atleast_2d(_checks.array("rows", rows)), (m, n))
    if rows is not None or not isinstance(problem, Problem):
        raise TypeError(
            f"problem: expected a Problem, and no rows= beside it; "
            f"got {type(problem).__name__} and rows {_checks.brief(rows)}"
        )
    if (problem.m, problem.n) != (m, n):
        raise ValueError(
            f"pi: expected orders of shape (m, n) = {(problem.m, problem.n)}, as in the problem; got {(m, n)}"
        )
    return np.arange(m * n).reshape(m, n) if problem.rows is None else problem.rows
