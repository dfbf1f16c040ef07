"""Labelled arrays: runs placed on a grid of their fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import _checks
from cdgrab_sim._files import xarray_module
from cdgrab_sim._sweep._columns import apart, cells, column, names
from cdgrab_sim._sweep._simulation import AXES
from cdgrab_sim._sweep._store import Row, Store
from cdgrab_sim._version import __version__

if TYPE_CHECKING:
    import xarray

Cells = list[dict[str, Any]]


def dataset(store: Store, dims: Sequence[str] | None) -> xarray.Dataset:
    """Return a store as a dataset; see `Sweep.to_xarray`."""
    make = xarray_module().Dataset
    rows = store.rows()
    lines = cells(rows)
    configured = names([row.config for row in rows])
    fields = configured + [name for name in (apart("task", configured),) if name in names(lines)]
    values = {name: _hashable([line.get(name) for line in lines]) for name in names(lines)}
    varying = [name for name in fields if len(set(values[name])) > 1]
    chosen = _independent(varying, values) if dims is None else _checks.listed("dims", dims)
    for name in chosen:
        _checks.choice("dimension", name, fields)
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"dims: expected different fields; got {_checks.brief(dims)}")
    labels = {name: _labels(values[name]) for name in chosen}
    index = {name: {label: k for k, label in enumerate(labels[name])} for name in chosen}
    place = [tuple(index[name][values[name][k]] for name in chosen) for k in range(len(rows))]
    _check_unique(place, chosen, varying, values)
    shape = tuple(len(labels[name]) for name in chosen)
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {name: column(labels[name]) for name in chosen}
    for name in names(lines):
        if name in chosen:
            continue
        owner = next((dim for dim in chosen if _determines([dim], name, values)), None)
        if name in fields and len(set(values[name])) == 1:
            coordinates[name] = ((), column(values[name][:1])[0])
        elif name in fields and owner is not None:
            along = dict(zip(values[owner], values[name], strict=True))
            coordinates[name] = ((owner,), column([along[label] for label in labels[owner]]))
        else:
            variables[name] = (chosen, _scattered(values[name], place, shape))
    curves = _Curves(store, rows, place, shape)
    for name in curves.found:
        if name not in curves.labels:
            axes, values_of = curves.variable(name)
            own = apart(name, fields)
            own = own if own not in variables else f"{own}_curve"
            variables[own] = [*chosen, *(apart(axis, fields) for axis in axes)], values_of
    coordinates |= {
        apart(axis, fields): ((apart(axis, fields),), found) for axis, found in curves.labels.items()
    }
    found: xarray.Dataset = make(variables, coordinates, attrs={"cdgrab_sim": __version__})
    return found


def _hashable(found: list[Any]) -> list[Any]:
    """Return a column with lists and tables as JSON text."""
    if any(isinstance(value, list | dict) for value in found):
        return [str(text) for text in column(found)]
    return found


def _independent(varying: Sequence[str], values: dict[str, list[Any]]) -> list[str]:
    """Return the fields that those before them do not determine."""
    chosen: list[str] = []
    for name in varying:
        if not chosen or not _determines(chosen, name, values):
            chosen.append(name)
    return chosen


def _determines(dims: Sequence[str], name: str, values: dict[str, list[Any]]) -> bool:
    seen: dict[tuple[Any, ...], Any] = {}
    cells_of = zip(*(values[dim] for dim in dims), strict=True)
    return all(
        seen.setdefault(cell, value) == value for cell, value in zip(cells_of, values[name], strict=True)
    )


def _labels(found: list[Any]) -> list[Any]:
    """Return the distinct values: numbers in their order, others as they came, missing ones last."""
    distinct = [value for value in dict.fromkeys(found) if value is not None]
    if all(isinstance(value, int | float) for value in distinct):
        distinct.sort()
    return distinct + [None] * (None in found)


def _check_unique(
    place: list[tuple[int, ...]], dims: list[str], varying: list[str], values: dict[str, list[Any]]
) -> None:
    first: dict[tuple[int, ...], int] = {}
    for k, cell in enumerate(place):
        if first.setdefault(cell, k) != k:
            a, b = first[cell], k
            differ = [name for name in varying if values[name][a] != values[name][b]]
            where = ", ".join(f"{dim} = {values[dim][k]}" for dim in dims)
            raise ValueError(
                f"dims: two runs share the cell ({where}); they differ in {', '.join(differ)}: add it"
            )


def _scattered(found: list[Any], place: list[tuple[int, ...]], shape: tuple[int, ...]) -> NDArray[Any]:
    flat: list[Any] = [None] * int(np.prod(shape))
    for value, cell in zip(found, place, strict=True):
        flat[int(np.ravel_multi_index(cell, shape)) if shape else 0] = value
    return column(flat).reshape(shape)


class _Curves:
    """Curves side by side; axes with labels of their own, such as epochs, are aligned by label."""

    def __init__(
        self, store: Store, rows: list[Row], place: list[tuple[int, ...]], shape: tuple[int, ...]
    ) -> None:
        self.found = {name: store.curves(name) for name in store.curve_names()}
        self._cells = {row.position: cell for row, cell in zip(rows, place, strict=True)}
        self._shape = shape
        own = [name for name in self.found if _axes(name, self.found[name]) == (name,)]
        self.labels = {name: np.unique(np.concatenate(list(self.found[name].values()))) for name in own}

    def variable(self, name: str) -> tuple[tuple[str, ...], NDArray[Any]]:
        """Return the axes of one curve, and its values over all cells."""
        found = self.found[name]
        axes = _axes(name, found)
        sizes = [
            len(self.labels[axis]) if axis in self.labels else max(a.shape[k] for a in found.values())
            for k, axis in enumerate(axes)
        ]
        filled = np.zeros(self._shape + tuple(sizes), dtype=bool)
        kind = np.result_type(*(a.dtype for a in found.values()))
        values = np.zeros(filled.shape, dtype=kind)
        for position, a in found.items():
            index = np.ix_(*(self._index(position, axis, a.shape[k]) for k, axis in enumerate(axes)))
            values[self._cells[position]][index] = a
            filled[self._cells[position]][index] = True
        if not filled.all() and kind.kind in "biuf":
            values = np.where(filled, values, np.nan)
        return axes, values

    def _index(self, position: int, axis: str, size: int) -> NDArray[np.intp]:
        if axis in self.labels:
            return np.searchsorted(self.labels[axis], self.found[axis][position])
        return np.arange(size)


def _axes(name: str, found: dict[int, NDArray[Any]]) -> tuple[str, ...]:
    ndim = next(iter(found.values())).ndim
    axes = AXES.get(name, ())
    return axes if len(axes) == ndim else tuple(f"{name}_{k}" for k in range(ndim))
