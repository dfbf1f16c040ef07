"""Opening a store: to write to it alone, to look at it as it is now, or to keep one in memory."""

from __future__ import annotations

import sqlite3
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any

from cdgrab_sim import _checks
from cdgrab_sim._sweep._damage import as_written, check_pages, check_whole, one_line
from cdgrab_sim._sweep._format import APPLICATION, FORMAT, SCHEMA, migrate
from cdgrab_sim._sweep._lock import locked
from cdgrab_sim._sweep._store import Store


@contextmanager
def writing(path: str | PathLike[str]) -> Iterator[Store]:
    """Open a store to add runs, alone; make it if it is not there.

    Raises
    ------
    ValueError
        In one line, for a file that is damaged, of another program, or of a newer format.
    OSError
        When another process writes to it, which the message names; when it cannot be opened.
    """
    path = _file(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")
    with locked(path):
        check_whole(path)
        with one_line(path):
            connection = _connect(str(path))
        try:
            yield _prepared(str(path), connection)
        finally:
            _fold(connection)
            connection.close()
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size > 0:
            warnings.warn(
                f"{path}: a reader keeps results in {log.name}; copy both files, or open the store again "
                "with a sweep when the reader is gone",
                RuntimeWarning,
                stacklevel=4,
            )


def _fold(connection: sqlite3.Connection) -> None:
    """Move the log into the file, and remove it where nobody has the file open."""
    with suppress(
        sqlite3.Error
    ):  # a reader looks at old pages, or the disk is full: the log stays, and is safe
        connection.execute("PRAGMA busy_timeout = 2000")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")


def in_memory() -> Store:
    """Return a store that lives as long as it is used."""
    connection = _connect(":memory:")
    store = _prepared(":memory:", connection)
    weakref.finalize(store, connection.close)
    return store


@contextmanager
def reading(path: str | PathLike[str], *, pages: bool = False) -> Iterator[Store]:
    """Open a store to look at it as it is now, also while a sweep writes to it; raises like `writing`.

    With `pages` the file is read once to see whether it is whole.
    """
    path = _file(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    check_whole(path)
    with one_line(path):
        connection = _connect(f"{path.absolute().as_uri()}?mode=ro")
    try:
        store = Store(str(path), connection)
        with one_line(path):
            connection.execute("BEGIN")  # all that is read until the end belongs to one moment
        if _is_new(store):
            raise ValueError(f"{path}: holds no sweep yet")
        if pages:
            check_pages(path, connection)
        yield store
    finally:
        connection.close()


def _file(path: Any) -> Path:
    """Refuse what is no file, or what SQLite would take for something else than the name of one."""
    found = _checks.path("store", path)
    special = str(path) == ":memory:" or str(path).startswith("file:")
    if special or not found.name or (found.exists() and not found.is_file()):
        raise ValueError(f"{str(path)!r}: expected the name of a file; choose another one")
    return found


def _connect(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=address.startswith("file:"), isolation_level=None, timeout=20.0)


def _prepared(path: str, connection: sqlite3.Connection) -> Store:
    store = Store(path, connection)
    new = _is_new(store)
    if not new:
        check_pages(path, connection)
    with one_line(path):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # the log is synced when it is folded into the file
        if new:
            connection.executescript(SCHEMA)
    if store.format == 1:
        with as_written(path), store.transaction() as sql:
            migrate(sql)
        store.format = FORMAT
    return store


def _is_new(store: Store) -> bool:
    """Tell whether a file is still empty; refuse what is not ours."""
    with store.reading() as sql:
        application, found = (
            sql.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        empty = bool(sql.execute("SELECT count(*) = 0 FROM sqlite_master").fetchone()[0])
    if application != APPLICATION and not empty:
        raise ValueError(f"{store.path}: a SQLite file of another program, not a sweep; choose another name")
    if found > FORMAT:
        raise ValueError(f"{store.path}: format {found} is newer than {FORMAT}; update cdgrab_sim to read it")
    if not empty:
        store.format = found
    return empty
