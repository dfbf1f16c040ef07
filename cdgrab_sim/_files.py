"""Files: whole or not there, no pickle, one clear line for what cannot be read."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from io import BytesIO
from os import PathLike
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile
from typing import IO, Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

_FORMAT = 1


@contextmanager
def written_whole(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when everything was written, and the mode of the one before.

    A link keeps pointing where it did. What is no regular file, such as a pipe or /dev/stdout, gets
    everything at once in the end.

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
    if _passes_on(target):
        whole = BytesIO()
        yield whole
        with open(target, "wb") as through:
            through.write(whole.getbuffer())
        return
    target = Path(os.path.realpath(target))  # a link stays one; its file is replaced
    file, aside = _aside(target)
    try:
        with file:
            yield file
        os.replace(aside, target)
    finally:
        aside.unlink(missing_ok=True)


def _passes_on(target: Path) -> bool:
    """Tell a device, a pipe or an open descriptor, which take bytes on, from what can be replaced."""
    if target.exists() and not target.is_file():
        return True
    link = Path(os.path.abspath(target))
    for _ in range(40):  # as many links as systems follow
        if str(link).startswith(("/dev/fd/", "/proc/")):  # /dev/stdout may lead to a regular file
            return link.exists()
        if not link.is_symlink():
            break
        link = Path(os.path.abspath(link.parent / link.readlink()))
    return False


def _aside(target: Path) -> tuple[IO[bytes], Path]:
    """Open a new file beside `target`, under a name that nobody can know, with the mode `target` has."""
    aside = target.with_name(f".{token_hex(12)}.part")
    old = target.stat() if target.exists() else None
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    try:
        mode = 0o666 if old is None else 0o600  # less the umask, or until it is known
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None
    if old is not None:
        with suppress(OSError, AttributeError):  # only root may give files away; not every system can
            os.fchown(descriptor, old.st_uid, old.st_gid)
        os.chmod(aside, old.st_mode & 0o7777)
    return os.fdopen(descriptor, "wb"), aside


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
            _refuse_bomb(raw)
            with np.load(raw, allow_pickle=False) as file:
                arrays: dict[str, Any] = {name: file[name] for name in file.files}
            found = int(arrays.pop("format"))
            if found <= _FORMAT:
                return _rebuilt(arrays, kinds)
        except Exception as error:  # damage makes zipfile, zlib and NumPy raise whatever they like
            reason = " ".join(str(error).split())
            raise ValueError(f"{path}: not a run saved by cdgrab_sim, or damaged ({reason})") from None
    raise ValueError(f"{path}: format {found} is newer than {_FORMAT}; update cdgrab_sim to read it")


def _refuse_bomb(raw: IO[bytes]) -> None:
    """Refuse members that would grow: `save_run` stores everything as it is, side by side."""
    with ZipFile(raw) as archive:
        members = archive.infolist()
    raw.seek(0)
    stored = all(one.compress_type == ZIP_STORED for one in members)
    if not stored or sum(one.file_size for one in members) > os.fstat(raw.fileno()).st_size:
        raise ValueError("compressed")


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


def writable_file(path: Path) -> None:
    """Refuse a file that cannot be written, before any work is lost; make its folder.

    Raises
    ------
    ValueError
        If the path is that of a folder, or its folder cannot be made or written to.
    """
    if path.is_dir():
        raise ValueError(f"{path}: expected a file to write; it is a folder; choose another name")
    if not _passes_on(path):
        writable_folder(Path(os.path.realpath(path)).parent)
