"""Orders for somebody else's data loader: global indices, and .npy files."""

from __future__ import annotations

from os import PathLike
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._files import written_whole
from cdgrab_sim._types import IntArray


def global_orders(pi: ArrayLike) -> IntArray:
    r"""Turn the local indices of orders into rows of one table in which the workers follow each other.

    .. math:: \text{row} = i \, n + \pi_i(k)

    so that ``data.reshape(m * n, ...)[global_orders(pi)]`` are the examples of ``data`` (m, n, ...) in the
    order of each worker. Everywhere else in this package an order holds local indices.

    Parameters
    ----------
    pi : int array (n,) or (m, n)
        Permutations of 0..n-1.

    Returns
    -------
    int array of the same shape

    Examples
    --------
    >>> global_orders([[2, 0, 1], [1, 0, 2]])
    array([[2, 0, 1],
           [4, 3, 5]])
    """
    table = _table(pi)
    m, n = table.shape
    rows: IntArray = (table + n * np.arange(m)[:, None]).reshape(np.shape(pi))
    return rows


def save_orders(
    path: str | PathLike[str], pi: ArrayLike, *, indices: Literal["local", "global"] = "local"
) -> None:
    """Write orders to a .npy file, which appears under its name only when it is whole.

    Parameters
    ----------
    path : path
        Taken as it is; nothing is appended.
    pi : int array (n,) or (m, n)
        Permutations of 0..n-1, local indices.
    indices : {"local", "global"}
        Which indices to write; see `global_orders`.

    Raises
    ------
    ValueError, TypeError
        If `pi` does not hold permutations; no file is written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_orders(Path(folder) / "epoch3.npy", [[1, 0], [0, 1]], indices="global")
    ...     np.load(Path(folder) / "epoch3.npy").tolist()
    [[1, 0], [2, 3]]
    """
    _checks.choice("indices", indices, ("local", "global"))
    rows = global_orders(pi) if indices == "global" else _table(pi).reshape(np.shape(pi))
    with written_whole(path) as file:
        np.save(file, rows, allow_pickle=False)


def _table(pi: ArrayLike) -> IntArray:
    shape = np.shape(pi)
    if len(shape) not in (1, 2) or 0 in shape:
        raise ValueError(f"pi: expected orders of shape (n,) or (m, n); got shape {shape}")
    return _checks.orders("pi", pi, shape[0] if len(shape) == 2 else 1, shape[-1])
