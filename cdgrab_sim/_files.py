"""Files: whole or not there, no pickle, one clear line for what cannot be read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from os import PathLike
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np

_FORMAT = 1


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


def read_run(path: str | PathLike[str], kinds: Mapping[str, Callable[..., Any]]) -> Any:
    """Read what `save_run` wrote; `kinds` gives the class of every kind of run by name.

    Raises
    ------
    ValueError
        In one line, for a file that is damaged, of another program, or of another version.
    OSError
        For a file that is not there or not readable.
    """
    with open(path, "rb") as raw:
        try:
            with np.load(raw, allow_pickle=False) as file:
                arrays: dict[str, Any] = {name: file[name] for name in file.files}
            found = int(arrays.pop("format"))
            if found <= _FORMAT:
                return _rebuilt(arrays, kinds)
        except Exception as error:  # damage makes zipfile, zlib and NumPy raise whatever they like
            reason = " ".join(str(error).split())
            raise ValueError(f"{path}: not a run saved by cdgrab_sim, or damaged ({reason})") from None
    raise ValueError(f"{path}: format {found} is newer than {_FORMAT}; update cdgrab_sim to read it")


def _rebuilt(arrays: dict[str, Any], kinds: Mapping[str, Callable[..., Any]]) -> Any:
    """Return the run whose fields these arrays are."""
    kind = kinds[str(arrays.pop("kind"))]
    arrays["meta"] = json.loads(str(arrays.pop("meta")))
    for name in [name for name in arrays if "/" in name]:
        quantity, key = name.split("/")
        arrays.setdefault(quantity, {})[key] = arrays.pop(name)
    values = {
        name: a.item() if isinstance(a, np.ndarray) and a.ndim == 0 else a for name, a in arrays.items()
    }
    return kind(**values)


def xarray_module() -> Any:
    """Return the optional module xarray, or say how to install it."""
    try:
        import xarray
    except ImportError:
        raise ImportError("to_xarray needs the extra: pip install 'cdgrab-sim[xarray]'") from None
    return xarray


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
