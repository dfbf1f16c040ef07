"""Recorded orders, epoch by epoch: who showed what, and what came again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import _checks
from cdgrab_sim._types import IntArray

_SPARSE = 64  # times as many examples as showings, and more, are a mistake in the numbers


class Epoch(NamedTuple):
    """One epoch, its ranks beside each other."""

    rows: IntArray  # (m, n) the examples that each rank showed, in order
    lengths: IntArray  # (m,) how many of a row are examples; padding that came last is no part of it


class Repeats(NamedTuple):
    """Showings of examples that the epoch had shown before, step by step and rank by rank."""

    padding: int  # those that nothing new follows
    duplicates: int  # others, on the rank that showed the example last
    overlap: int  # others, on another rank


def checked(orders: Any, examples: int | None, local: bool) -> tuple[NDArray[Any], int]:
    """Return orders as (T, m, n), and how many examples there are.

    Raises
    ------
    ValueError, TypeError
        For what is no table of whole numbers from 0 on, with -1 at the ends of short rows only.
    """
    table = _checks.array("orders", orders)
    if table.dtype.kind not in "iu":
        raise TypeError(f"orders: expected whole numbers; got dtype {table.dtype}; convert it to int64")
    if table.ndim not in (2, 3) or 0 in table.shape:
        raise ValueError(f"orders: expected shape (T, N) or (T, m, n), none of them 0; got {table.shape}")
    table = table[:, None] if table.ndim == 2 else table
    largest, least = int(table.max()), int(table.min())
    if largest < 0 or least < -1:
        raise ValueError(f"orders: expected numbers of examples, 0, 1, ..., or -1 for none; got {least}")
    found = _checks.size("examples", examples) if examples is not None else largest + 1
    if largest >= found:
        raise ValueError(f"orders: expected examples below {found}; got {largest}; give the right `examples`")
    if found > _SPARSE * max(table.size, 1 << 20):
        raise ValueError(f"orders: expected examples numbered from 0; got {found} of them in {table.size}")
    return table, found * table.shape[1] if local else found


def epochs(table: NDArray[Any], local: bool) -> Iterator[Epoch]:
    """Yield the epochs of orders (T, m, n); local numbers become those of one table, rank after rank."""
    ragged = bool((table[..., -1] < 0).any() or table.min() < 0)
    size = int(table.max()) + 1
    for t in range(len(table)):
        rows = np.array(table[t], dtype=np.int64, order="C")
        lengths = np.full(len(rows), rows.shape[1])
        if ragged:
            lengths = (rows >= 0).sum(axis=1)
            if (np.arange(rows.shape[1]) < lengths[:, None]).ravel()[(rows < 0).ravel()].any():
                raise ValueError(
                    f"orders[{t}]: expected -1 at the ends of rows only; got it before an example"
                )
        if local:
            rows += np.where(rows >= 0, size * np.arange(len(rows))[:, None], 0)
        yield Epoch(rows, lengths)


def in_turn(epoch: Epoch) -> tuple[IntArray, IntArray]:
    """Return the examples of an epoch as they came, step by step and rank by rank, and their ranks."""
    m, n = epoch.rows.shape
    shown = np.arange(n)[:, None] < epoch.lengths
    ranks = np.broadcast_to(np.arange(m), (n, m))
    if shown.all():
        return epoch.rows.T.ravel(), ranks.ravel()
    return epoch.rows.T[shown], ranks[shown]


def repeats(flat: IntArray, ranks: IntArray) -> Repeats:
    """Tell the repeated showings of an epoch apart.

    Examples
    --------
    Two ranks; example 0 is padding, 2 comes twice on the first rank, 1 on both:

    >>> repeats(np.array([0, 1, 2, 3, 2, 4, 1, 5, 0]), np.array([0, 1, 0, 1, 0, 1, 0, 1, 0]))
    Repeats(padding=1, duplicates=1, overlap=1)
    """
    order = np.argsort(flat, kind="stable")
    again = flat[order[1:]] == flat[order[:-1]]
    later, before = order[1:][again], order[:-1][again]
    new = np.ones(len(flat), dtype=bool)
    new[later] = False
    end = len(flat) - int(np.argmax(new[::-1]))  # the first showing of an epoch is new
    counted = later < end
    across = ranks[later] != ranks[before]
    return Repeats(len(flat) - end, int((counted & ~across).sum()), int((counted & across).sum()))


def without_padding(epoch: Epoch, ranks: IntArray, padding: int) -> Epoch:
    """Return an epoch without its last showings, `padding` of them."""
    cut = np.bincount(ranks[len(ranks) - padding :], minlength=len(epoch.lengths))
    return epoch._replace(lengths=epoch.lengths - cut)


def places_of(row: IntArray) -> tuple[IntArray, int]:
    """Return which smallest of its examples, 0, 1, ..., a row has at each step, and how many are distinct.

    Of equal examples the earlier one counts as the larger: a row then looks less like a sorted one.

    Examples
    --------
    >>> places_of(np.array([7, 3, 7, 5]))
    (array([3, 0, 2, 1]), 3)
    """
    n, backwards = len(row), row[::-1]
    order = np.argsort(backwards, kind="stable")
    places = np.empty(n, dtype=np.int64)
    places[n - 1 - order] = np.arange(n)
    values = backwards[order]
    return places, min(1, n) + int((values[1:] > values[:-1]).sum())
