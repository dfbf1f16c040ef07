"""What can be wrong with a store, in one line each."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

_MAGIC = b"SQLite format 3\x00"
_OF_THE_SYSTEM = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PROTOCOL,
)


class Damaged(ValueError):
    """A store that does not hold what was written."""


def damaged(path: str | PathLike[str], what: object) -> Damaged:
    """Return the error for a store of which something is wrong."""
    reason = " ".join(str(what).split())
    return Damaged(f"{path}: damaged, or not a sweep ({reason}); restore a copy, or move it away")


@contextmanager
def one_line(path: str | PathLike[str]) -> Iterator[None]:
    """Translate what SQLite reports: OSError for the disk, ValueError for the contents."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise OSError(
                errno.ENOSPC,
                f"{path}: the disk is full; all finished runs are kept: make room and run it again",
            ) from None
        if code in _OF_THE_SYSTEM:
            raise OSError(f"{path}: {error}") from None
        raise damaged(path, error) from None


@contextmanager
def as_written(path: str | PathLike[str]) -> Iterator[None]:
    """Translate what comes of reading damaged contents as well."""
    try:
        with one_line(path):
            yield
    except (Damaged, OSError):
        raise
    except (ValueError, TypeError, LookupError, EOFError, ArithmeticError, MemoryError) as error:
        raise damaged(path, f"{type(error).__name__}: {error}") from None


def check_whole(path: Path) -> None:
    """Refuse a file that is no SQLite file, or shorter than it says, which SQLite may notice late."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb") as file:
        header = file.read(100)
    if not header.startswith(_MAGIC):
        raise ValueError(f"{path}: not a sweep written by cdgrab_sim; choose another name")
    page = int.from_bytes(header[16:18], "big")
    expected = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
    log = path.with_name(path.name + "-wal")
    if path.stat().st_size < expected and not log.exists():  # with a log, a folding was interrupted
        got = path.stat().st_size
        raise ValueError(f"{path}: truncated to {got} of {expected} bytes; restore a copy, or move it away")


def check_pages(path: str | PathLike[str], connection: sqlite3.Connection) -> None:
    """Refuse a file whose pages do not fit together, from which SQLite would read less than there is."""
    with one_line(path):
        ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
    if found != "ok":
        raise damaged(path, found)
