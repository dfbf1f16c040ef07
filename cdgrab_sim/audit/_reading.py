"""Where orders come from: files, and loaders that are asked once."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import _checks
from cdgrab_sim._types import IntArray

_LONG = ("epoch", "rank", "example")


def record(loader: Iterable[Any], epochs: int) -> IntArray:
    """Return the orders that a loader of example numbers gives, epoch by epoch.

    Parameters
    ----------
    loader : iterable
        Each pass over it is an epoch, and gives batches of numbers, or single ones. A dataset that returns
        its own index makes any loader one.
    epochs : int
        Passes to make.

    Returns
    -------
    int array (epochs, N)
        Shorter epochs end with -1. For `examine`; the records of several ranks go there as
        ``np.stack(records, axis=1)``.

    Raises
    ------
    ValueError
        If a pass gives nothing, as that over a generator does the second time.

    Examples
    --------
    >>> record([[3, 0], [2, 1]], epochs=2)
    array([[3, 0, 2, 1],
           [3, 0, 2, 1]])
    """
    passes = []
    for t in range(_checks.size("epochs", epochs)):
        try:
            batches = [np.ravel(_checks.array("a batch of loader", batch)) for batch in loader]
        except Exception as error:  # a loader may raise what it likes
            raise TypeError(f"loader: expected batches of whole numbers; {error}") from error
        shown = np.concatenate(batches) if batches else np.zeros(0)
        if not len(shown):
            raise ValueError(f"loader: expected examples in every pass; got none in pass {t}; give a list")
        if shown.dtype.kind not in "iu" or shown.min() < 0:
            raise TypeError(f"loader: expected batches of whole numbers from 0 on; got dtype {shown.dtype}")
        passes.append(shown.astype(np.int64))
    orders = np.full((len(passes), max(map(len, passes))), -1, dtype=np.int64)
    for row, shown in zip(orders, passes, strict=True):
        row[: len(shown)] = shown
    return orders


def read(path: str | PathLike[str]) -> NDArray[Any]:
    r"""Return the orders (T, N) or (T, m, n) of a file.

    Parameters
    ----------
    path : path
        A .npy file of that shape; or a CSV file with an order on every line, or with the columns ``epoch``,
        ``rank`` (if there is more than one) and ``example``, a line for each example as they came.

    Raises
    ------
    ValueError
        In one line, for what is neither.
    OSError
        For a file that is not there or not readable.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "orders.csv"
    ...     _ = path.write_text("epoch,rank,example\n0,0,4\n0,1,2\n0,0,1\n")
    ...     read(path)
    array([[[ 4,  1],
            [ 2, -1]]])
    """
    path = _checks.path("path", path)
    with open(path, "rb") as file:
        start = file.read(4096)
    if start[:6] == b"\x93NUMPY":
        return _numpy(path)
    names = [name.strip().lower() for name in _first_line(path, start)]
    if names[0].lstrip("+-").isdigit():
        return _whole(path, 0)
    if not {"epoch", "example"} <= {*names} <= {*_LONG} or len({*names}) < len(names):
        got = ", ".join(names[:4])[:80]
        raise ValueError(f"{path}: expected columns {', '.join(_LONG)}, or rows of numbers; got {got!r}")
    table = _whole(path, 1)
    if table.shape[1] != len(names):
        raise ValueError(f"{path}: expected {len(names)} numbers on a line; got {table.shape[1]}")
    return _spread(path, {name: table[:, k] for k, name in enumerate(names)})


def _numpy(path: Path) -> NDArray[Any]:
    try:
        found: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # damage makes NumPy raise whatever it likes
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: expected a .npy file of whole numbers; got another ({reason})") from None
    return found


def _first_line(path: Path, start: bytes) -> list[str]:
    try:
        text = start.decode("utf-8-sig", "strict" if len(start) < 4096 else "ignore")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text or not text.strip():
        raise ValueError(
            f"{path}: expected a .npy file or CSV text; got {'nothing' if not start else 'neither'}"
        )
    return next(csv.reader([text.splitlines()[0]]), [""])


def _whole(path: Path, skip: int) -> IntArray:
    """Return a table of whole numbers."""
    try:
        return np.loadtxt(path, dtype=np.int64, delimiter=",", skiprows=skip, ndmin=2, encoding="utf-8-sig")
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: expected whole numbers in rows of one length; {reason}") from None


def _spread(path: Path, columns: dict[str, IntArray]) -> IntArray:
    """Return orders (T, m, n) from a line for each example."""
    example = columns["example"]
    if len(example) == 0 or example.min() < 0:
        raise ValueError(
            f"{path}: expected examples 0, 1, ...; got {'none' if not len(example) else example.min()}"
        )
    ids = [columns.get(name, np.zeros_like(example)) for name in ("epoch", "rank")]
    (epochs, t), (ranks, i) = (np.unique(one, return_inverse=True) for one in ids)
    row = t * len(ranks) + i
    order = np.argsort(row, kind="stable")
    counts = np.bincount(row, minlength=len(epochs) * len(ranks))
    n = int(counts.max())
    if len(counts) * n > 64 * len(example) + (1 << 20):
        raise ValueError(f"{path}: expected ranks that show about as much; got one with {n} examples")
    step = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    found = np.full((len(counts), n), -1, dtype=np.int64)
    found[row[order], step] = example[order]
    return found.reshape(len(epochs), len(ranks), n)


def read_columns(path: Path) -> dict[str, NDArray[Any]]:
    r"""Return the columns of a CSV file with a header: numbers where all cells are some, otherwise words.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "columns.csv"
    ...     _ = path.write_text("label,length\ncat,3\ndog,1.5\n")
    ...     read_columns(path)
    {'label': array(['cat', 'dog'], dtype='<U3'), 'length': array([3. , 1.5])}
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            names, *rows = [row for row in csv.reader(file, strict=True) if row]
    except (UnicodeDecodeError, csv.Error, ValueError) as error:
        reason = "it is empty" if "unpack" in str(error) else " ".join(str(error).split())
        raise ValueError(f"{path}: expected a CSV file with a header; got another ({reason})") from None
    for k, row in enumerate(rows):
        if len(row) != len(names):
            raise ValueError(
                f"{path}, row {k + 2}: expected {len(names)} cells, as in the header; got {len(row)}"
            )
    if len({*names}) < len(names) or not rows:
        got = "no rows" if not rows else f"names {', '.join(names)}"[:80]
        raise ValueError(f"{path}: expected different names over rows of cells; got {got}")
    return {name: _cells([row[k] for row in rows]) for k, name in enumerate(names)}


def _cells(cells: list[str]) -> NDArray[Any]:
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError:
        return np.array(cells)
