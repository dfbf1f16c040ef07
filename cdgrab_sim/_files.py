"""Files: whole or not there, no pickle, one clear line for what cannot be read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from importlib import import_module
from os import PathLike
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from cdgrab_sim._types import Run

if TYPE_CHECKING:
    import xarray

_FORMAT = 1
# the kinds of runs, by name: this file is below the engines that make them
_HOMES = {"Run": "cdgrab_sim._types:Run", "AsyncRun": "cdgrab_sim.asynchronous._types:AsyncRun"}


@contextmanager
def written_whole(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when everything was written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "a.txt") as file:
    ...         _ = file.write(b"all")
    ...     (Path(folder) / "a.txt").read_bytes()
    b'all'
    """
    target = Path(path)
    if target.is_dir() or not target.parent.is_dir():  # the errors of the system would name the file aside
        what = "is a folder" if target.is_dir() else f"there is no folder {target.parent}"
        raise OSError(f"{path}: expected a file to write; {what}; choose another name")
    aside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(aside, "wb") as file:
            yield file
        os.replace(aside, target)
    finally:
        aside.unlink(missing_ok=True)


def save_run(run: Any, path: str | PathLike[str]) -> None:
    """Write a run of any kind, a dataclass of arrays and numbers, to one .npz file; see `Run.save`."""
    arrays: dict[str, Any] = {"format": np.array(_FORMAT), "kind": np.array(type(run).__name__)}
    for one in fields(run):
        value = getattr(run, one.name)
        if one.name == "meta":
            arrays["meta"] = np.array(json.dumps(dict(value)))
        elif isinstance(value, Mapping):
            arrays |= {f"{one.name}/{key}": array for key, array in value.items()}
        elif value is not None:
            arrays[one.name] = np.asarray(value)
    with written_whole(path) as file:
        np.savez(file, **arrays)


def load(path: str | PathLike[str]) -> Any:
    """Read a run that `Run.save` or `AsyncRun.save` wrote.

    Returns
    -------
    Run or AsyncRun
        What was saved.

    Raises
    ------
    ValueError
        In one line, for a file that is damaged, of another program, or of another version.
    OSError
        For a file that is not there or not readable.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> from tempfile import TemporaryDirectory
    >>> run = cg.simulate("quadratic", "rr", epochs=2, step_size=1e-3)
    >>> with TemporaryDirectory() as folder:
    ...     run.save(Path(folder) / "run.npz")
    ...     again = cg.load(Path(folder) / "run.npz")
    >>> bool((again.loss == run.loss).all())
    True
    """
    with open(path, "rb") as raw:
        try:
            with np.load(raw, allow_pickle=False) as file:
                arrays: dict[str, Any] = {name: file[name] for name in file.files}
            found = int(arrays.pop("format"))
            if found <= _FORMAT:
                return _rebuilt(arrays)
        except Exception as error:  # damage makes zipfile, zlib and NumPy raise whatever they like
            reason = " ".join(str(error).split())
            raise ValueError(f"{path}: not a run saved by cdgrab_sim, or damaged ({reason})") from None
    raise ValueError(f"{path}: format {found} is newer than {_FORMAT}; update cdgrab_sim to read it")


def _rebuilt(arrays: dict[str, Any]) -> Any:
    """Return the run whose fields these arrays are."""
    module, kind = _HOMES[str(arrays.pop("kind"))].split(":")
    arrays["meta"] = json.loads(str(arrays.pop("meta")))
    for name in [name for name in arrays if "/" in name]:
        quantity, key = name.split("/")
        arrays.setdefault(quantity, {})[key] = arrays.pop(name)
    values = {
        name: a.item() if isinstance(a, np.ndarray) and a.ndim == 0 else a for name, a in arrays.items()
    }
    return getattr(import_module(module), kind)(**values)


def xarray_module() -> Any:
    """Return the optional module xarray, or say how to install it."""
    try:
        import xarray
    except ImportError:
        raise ImportError("to_xarray needs the extra: pip install 'cdgrab-sim[xarray]'") from None
    return xarray


def run_to_xarray(run: Run) -> xarray.Dataset:
    """Return a run as a labelled dataset; see `Run.to_xarray`."""
    at_points = ("loss", "grad_norm", "distance", "loss_average")
    dims: dict[str, tuple[str, ...]] = {
        **dict.fromkeys(at_points, ("replicate", "epoch")),
        "trajectory": ("replicate", "epoch", "coordinate"),
        "balance": ("replicate", "order_epoch"),
        "orders": ("replicate", "order_epoch", "worker", "step"),
        "x": ("replicate", "coordinate"),
        "status": ("replicate",),
        "diverged_at": ("replicate",),
        "clips": ("replicate",),
    }
    variables = {name: (axes, getattr(run, name)) for name, axes in dims.items()}
    variables = {name: pair for name, pair in variables.items() if pair[1] is not None}
    for quantity in ("herding", "herding_live"):
        for norm, errors in getattr(run, quantity).items():
            variables[f"{quantity}_{norm}"] = (("replicate", "order_epoch"), errors)
    coordinates = {"epoch": run.epochs, "order_epoch": run.epochs[:-1]}
    attributes = {"meta": json.dumps(dict(run.meta))}
    dataset: xarray.Dataset = xarray_module().Dataset(variables, coords=coordinates, attrs=attributes)
    return dataset


def writable_folder(folder: Path) -> None:
    """Make a folder, or refuse it before any work is lost.

    Raises
    ------
    ValueError
        If the folder cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(
            f"{folder}: expected a folder to write to; {error.strerror}; choose another"
        ) from None
