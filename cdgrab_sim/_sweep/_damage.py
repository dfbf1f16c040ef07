"""What can be wrong with a store, in one line each."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

_MAGIC = b"SQLite format 3\x00"


@contextmanager
def one_line(path: str | PathLike[str]) -> Iterator[None]:
    """Translate what SQLite reports: OSError for the disk, ValueError for the contents."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise OSError(
                errno.ENOSPC,
                f"{path}: the disk is full; all finished runs are kept: make room and run it again",
            ) from None
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise ValueError(
                f"{path}: damaged, or not a sweep ({error}); restore a copy, or move it away"
            ) from None
        raise OSError(f"{path}: {error}") from None


def check_whole(path: Path) -> None:
    """Refuse a file that is not an SQLite file, or is shorter than it says, which SQLite may notice late."""
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
