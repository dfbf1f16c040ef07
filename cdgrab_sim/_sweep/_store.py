"""The store: one SQLite file, one writer, one transaction per run, no pickle.

    runs     position, key, task, config (JSON), status (pending, done, failed, lost), word (the status that
             the task measured where it is done), seconds, message, measured (JSON), version
    curves   position, name, npy (the bytes of a .npy file)

The file is in write-ahead mode while it is written and a single plain file afterwards. Killed at any moment
it keeps every run that was committed; the next writer takes up what the write-ahead log holds.
"""

from __future__ import annotations

import io
import json
import sqlite3
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._sweep._bundle import DONE, Outcome, Values
from cdgrab_sim._sweep._damage import check_whole, one_line
from cdgrab_sim._sweep._lock import locked
from cdgrab_sim._version import __version__

PENDING = "pending"
_APPLICATION = 0x63644772  # "cdGr"
_FORMAT = 1
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE runs (
    position INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,
    config TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT '{PENDING}',
    word TEXT NOT NULL DEFAULT '{PENDING}',
    seconds REAL NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    measured TEXT NOT NULL DEFAULT '{{}}',
    version TEXT NOT NULL DEFAULT ''
);
CREATE TABLE curves (
    position INTEGER NOT NULL REFERENCES runs,
    name TEXT NOT NULL,
    npy BLOB NOT NULL,
    PRIMARY KEY (position, name)
);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_FORMAT};
COMMIT;
"""


class Row(NamedTuple):
    """One run as stored, without its curves."""

    position: int
    task: str
    config: dict[str, Any]
    word: str
    seconds: float
    message: str
    measured: dict[str, Any]
    version: str


class Store:
    """An open store; `writing` and `reading` make one."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection

    def plan(self, task: str, texts: Mapping[str, str]) -> dict[str, int]:
        """Enter the configurations (key -> JSON) that are not there yet; return all positions."""
        with self._transaction() as sql:
            sql.executemany(
                "INSERT OR IGNORE INTO runs (key, task, config) VALUES (?, ?, ?)",
                [(key, task, text) for key, text in texts.items()],
            )
        with self._reading() as sql:
            find = "SELECT position FROM runs WHERE key = ?"
            return {key: sql.execute(find, (key,)).fetchone()[0] for key in texts}

    def done(self) -> set[str]:
        """Return the keys of the runs that have a result."""
        with self._reading() as sql:
            return {key for (key,) in sql.execute("SELECT key FROM runs WHERE status = ?", (DONE,))}

    def commit(self, outcome: Outcome) -> None:
        """Keep one run; when this returns, it survives whatever happens to the process."""
        measured = {k: v for k, v in outcome.values.items() if not isinstance(v, np.ndarray)}
        word = measured.get("status", outcome.status) if outcome.status == DONE else outcome.status
        row = outcome.status, str(word), outcome.seconds, outcome.message
        with self._transaction() as sql:
            sql.execute(
                "UPDATE runs SET status = ?, word = ?, seconds = ?, message = ?, measured = ?, version = ?"
                " WHERE position = ?",
                (*row, json.dumps(measured), __version__, outcome.position),
            )
            sql.executemany("INSERT OR REPLACE INTO curves VALUES (?, ?, ?)", _curve_rows(outcome))

    def outcome(self, position: int) -> Outcome:
        """Return one run as it was committed."""
        with self._reading() as sql:
            status, seconds, message, measured = sql.execute(
                "SELECT status, seconds, message, measured FROM runs WHERE position = ?", (position,)
            ).fetchone()
            curves = sql.execute("SELECT name, npy FROM curves WHERE position = ?", (position,)).fetchall()
        values: Values = json.loads(measured) | {name: _from_npy(npy) for name, npy in curves}
        return Outcome(position, status, values, seconds, message)

    def rows(self) -> list[Row]:
        """Return all runs in the order in which they were planned."""
        with self._reading() as sql:
            found = sql.execute(
                "SELECT position, task, config, word, seconds, message, measured, version"
                " FROM runs ORDER BY position"
            )
            return [Row(p, t, json.loads(c), s, x, e, json.loads(v), w) for p, t, c, s, x, e, v, w in found]

    def counts(self) -> dict[str, int]:
        """Return the number of runs by the word that says most about them."""
        with self._reading() as sql:
            return dict(sql.execute("SELECT word, count(*) FROM runs GROUP BY word ORDER BY word"))

    def curve_names(self) -> list[str]:
        """Return the names of the stored curves."""
        with self._reading() as sql:
            return [name for (name,) in sql.execute("SELECT DISTINCT name FROM curves ORDER BY name")]

    def curves(self, name: str) -> dict[int, NDArray[Any]]:
        """Return one curve of every run that has it, by position."""
        with self._reading() as sql:
            found = sql.execute("SELECT position, npy FROM curves WHERE name = ? ORDER BY position", (name,))
            return {position: _from_npy(npy) for position, npy in found}

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with one_line(self.path):
            yield self._connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with one_line(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:  # also Ctrl-C: the transaction is all or nothing
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise


def _curve_rows(outcome: Outcome) -> list[tuple[int, str, bytes]]:
    arrays = {name: value for name, value in outcome.values.items() if isinstance(value, np.ndarray)}
    return [(outcome.position, name, _to_npy(a)) for name, a in arrays.items()]


def _to_npy(a: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, a, allow_pickle=False)
    return file.getvalue()


def _from_npy(npy: bytes) -> NDArray[Any]:
    a: NDArray[Any] = np.lib.format.read_array(io.BytesIO(npy), allow_pickle=False)
    return a


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
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")
    with locked(path):
        check_whole(path)
        with one_line(path):
            connection = _connect(str(path))
        try:
            yield _prepared(str(path), connection)
        finally:
            with suppress(
                sqlite3.Error
            ):  # a reader is looking, or the disk is full: the log stays, and is safe
                connection.execute("PRAGMA busy_timeout = 1000")
                connection.execute("PRAGMA journal_mode = DELETE")
            connection.close()


def in_memory() -> Store:
    """Return a store that lives as long as it is used."""
    connection = _connect(":memory:")
    store = _prepared(":memory:", connection)
    weakref.finalize(store, connection.close)
    return store


@contextmanager
def reading(path: str | PathLike[str]) -> Iterator[Store]:
    """Open a store to look at it, also while a sweep writes to it; raises like `writing`."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    check_whole(path)
    with one_line(path):
        connection = _connect(f"{path.absolute().as_uri()}?mode=ro")
    try:
        store = Store(str(path), connection)
        if _is_new(store):
            raise ValueError(f"{path}: holds no sweep yet")
        yield store
    finally:
        connection.close()


def _connect(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=address.startswith("file:"), isolation_level=None, timeout=20.0)


def _prepared(path: str, connection: sqlite3.Connection) -> Store:
    store = Store(path, connection)
    new = _is_new(store)
    with one_line(path):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # the log is synced when it is folded into the file
        if new:
            connection.executescript(_SCHEMA)
    return store


def _is_new(store: Store) -> bool:
    """Tell whether a file is still empty; refuse what is not ours."""
    with store._reading() as sql:
        application, found = (
            sql.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        empty = bool(sql.execute("SELECT count(*) = 0 FROM sqlite_master").fetchone()[0])
    if application != _APPLICATION and not empty:
        raise ValueError(f"{store.path}: a SQLite file of another program, not a sweep; choose another name")
    if found > _FORMAT:
        raise ValueError(
            f"{store.path}: format {found} is newer than {_FORMAT}; update cdgrab_sim to read it"
        )
    return empty
