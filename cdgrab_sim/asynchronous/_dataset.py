"""An asynchronous run as a labelled dataset."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cdgrab_sim._files import xarray_module
from cdgrab_sim.asynchronous._types import AsyncRun

if TYPE_CHECKING:
    import xarray

_RECORD, _EXAMPLE, _POINT = ("record",), ("shard", "example"), ("coordinate",)
_DIMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("loss", "grad_norm"), _RECORD),
    **dict.fromkeys(("trajectory", "virtual"), _RECORD + _POINT),
    **dict.fromkeys(("x", "average"), _POINT),
    **dict.fromkeys(("drawn", "applied", "dropped", "aborted", "in_flight"), _EXAMPLE),
    **dict.fromkeys(("weight", "delay", "busy"), _EXAMPLE),
    "by_worker": ("worker",),
    "delays": ("late",),
}


def to_dataset(run: AsyncRun) -> xarray.Dataset:
    """Return a run as a labelled dataset; see `AsyncRun.to_xarray`."""
    values = {name: (axes, getattr(run, name)) for name, axes in _DIMS.items()}
    variables = {name: pair for name, pair in values.items() if pair[1] is not None}
    variables |= {f"event_{name}": (("event",), column) for name, column in run.events.items()}
    coordinates = {"update": (_RECORD, run.at_update), "time": (_RECORD, run.at_time)}
    attributes = {"status": str(run.status), "message": run.message, "meta": json.dumps(dict(run.meta))}
    attributes |= {name: getattr(run, name) for name in ("updates", "time", "discarded_time")}
    dataset: xarray.Dataset = xarray_module().Dataset(variables, coords=coordinates, attrs=attributes)
    return dataset
