"""The store: one SQLite file, one writer, one transaction per run, no pickle.

    runs     position, key, task, config (JSON), status (pending, done, failed, lost), word (the status that
             the task measured where it is done), seconds, message, measured (JSON), version, curves (JSON:
             their names), digest
    curves   position, name, npy (the bytes of a .npy file), digest

Digests are checksums of all that is written, and looked at whenever it is read. The file is in write-ahead
mode while it is written and a single plain file afterwards; a reader that still has it open keeps an empty
log beside it. Killed at any moment it keeps every run that was committed; the next writer takes up what the
write-ahead log holds.
"""

from __future__ import annotations

import io
import json
import sqlite3
import warnings
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._sweep._bundle import DONE, Outcome, Values
from cdgrab_sim._sweep._damage import as_written, check_pages, check_whole, damaged, one_line
from cdgrab_sim._sweep._format import (
    APPLICATION,
    COLUMNS,
    FORMAT,
    OLD_COLUMNS,
    SCHEMA,
    Entry,
    checked,
    curve_digest,
    migrate,
    without_doubles,
)
from cdgrab_sim._sweep._lock import locked
from cdgrab_sim._version import __version__


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
        self.format = FORMAT

    def plan(self, task: str, texts: Mapping[str, str]) -> dict[str, int]:
        """Enter the configurations (key -> JSON) that are not there yet; return all positions."""
        known = {entry.key for entry in self._entries().values()}
        new = [Entry(key, task, text) for key, text in texts.items() if key not in known]
        with self._transaction() as sql:
            sql.executemany(
                "INSERT INTO runs (key, task, config, digest) VALUES (?, ?, ?, ?)",
                [(one.key, one.task, one.config, one.digest) for one in new],
            )
        positions = {entry.key: position for position, entry in self._entries().items()}
        return {key: positions[key] for key in texts}

    def done(self) -> set[str]:
        """Return the keys of the runs that have a result."""
        return {entry.key for entry in self._entries().values() if entry.status == DONE}

    def commit(self, outcome: Outcome) -> None:
        """Keep one run; when this returns, it survives whatever happens to the process."""
        measured = {k: v for k, v in outcome.values.items() if not isinstance(v, np.ndarray)}
        word = measured.get("status", outcome.status) if outcome.status == DONE else outcome.status
        with self._reading() as sql:
            planned = "SELECT key, task, config FROM runs WHERE position = ?"
            key, task, config = sql.execute(planned, (outcome.position,)).fetchone()
        with self._transaction() as sql:
            curves = _curve_rows(outcome, key)
            names = json.dumps([name for _, name, _, _ in curves])
            ended = outcome.status, str(word), float(outcome.seconds), outcome.message
            entry = Entry(key, task, config, *ended, json.dumps(measured), __version__, names)
            sql.execute(
                "UPDATE runs SET status = ?, word = ?, seconds = ?, message = ?, measured = ?, version = ?,"
                " curves = ?, digest = ? WHERE position = ?",
                (*entry[3:], entry.digest, outcome.position),
            )
            sql.executemany(
                "INSERT OR REPLACE INTO curves (position, name, npy, digest) VALUES (?, ?, ?, ?)", curves
            )

    def outcome(self, position: int) -> Outcome:
        """Return one run as it was committed."""
        entry = self._entries("WHERE position = ?", position)[position]
        with self._reading():
            curves = {name: a for _, name, a in self._curves("position", position)}
            if list(curves) != json.loads(entry.curves):
                raise damaged(self.path, f"run {position} has lost a curve")
            values: Values = json.loads(entry.measured) | curves
        return Outcome(position, entry.status, values, entry.seconds, entry.message)

    def rows(self) -> list[Row]:
        """Return all runs in the order in which they were planned."""
        entries = self._entries()
        with as_written(self.path):
            return [_row(position, entry) for position, entry in entries.items()]

    def counts(self) -> dict[str, int]:
        """Return the number of runs by the word that says most about them."""
        return dict(sorted(Counter(entry.word for entry in self._entries().values()).items()))

    def curve_names(self) -> list[str]:
        """Return the names of the stored curves."""
        with self._reading() as sql:
            return [name for (name,) in sql.execute("SELECT DISTINCT name FROM curves ORDER BY name")]

    def curves(self, name: str) -> dict[int, NDArray[Any]]:
        """Return one curve of every run that has it, by position."""
        with self._reading() as sql:
            found = {position: a for position, _, a in self._curves("name", name)}
            if self.format == 1:
                return {position: found[position] for position in self._entries() if position in found}
            promised = "SELECT position FROM runs WHERE instr(curves, ?)"
            for (position,) in sql.execute(promised, (json.dumps(name),)):
                if position not in found:
                    raise damaged(self.path, f"run {position} has lost its curve {name!r}")
        return found

    def _entries(self, where: str = "", *values: Any) -> dict[int, Entry]:
        """Return runs by position, each as it was written."""
        columns = f"{OLD_COLUMNS}, ''" if self.format == 1 else f"{COLUMNS}, digest"
        with self._reading() as sql:
            found = sql.execute(f"SELECT position, {columns} FROM runs {where} ORDER BY position", values)
            entries = [(position, Entry(*entry), digest) for position, *entry, digest in found]
            if self.format == 1:
                return without_doubles((position, entry) for position, entry, _ in entries)
            return {
                position: checked(self.path, position, entry, digest) for position, entry, digest in entries
            }

    def _curves(self, column: str, value: Any) -> Iterator[tuple[int, str, NDArray[Any]]]:
        """Yield position, name and values of the curves with this name or position, as they were written."""
        digest = "''" if self.format == 1 else "curves.digest"
        found = self._connection.execute(
            f"SELECT position, name, key, npy, {digest} FROM curves LEFT JOIN runs USING (position)"
            f" WHERE {column} = ? ORDER BY position, name",
            (value,),
        )
        for position, name, key, npy, written in found:
            if written and written != curve_digest(key, name, npy):  # empty: written by the first format
                raise damaged(self.path, f"curve {name!r} of run {position} does not match its checksum")
            yield position, name, _from_npy(npy)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with as_written(self.path):
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


def _row(position: int, entry: Entry) -> Row:
    config, measured = json.loads(entry.config), json.loads(entry.measured)
    return Row(
        position, entry.task, config, entry.word, entry.seconds, entry.message, measured, entry.version
    )


def _curve_rows(outcome: Outcome, key: str) -> list[tuple[int, str, bytes, str]]:
    arrays = {name: value for name, value in outcome.values.items() if isinstance(value, np.ndarray)}
    npys = ((name, _to_npy(a)) for name, a in sorted(arrays.items()))
    return [(outcome.position, name, npy, curve_digest(key, name, npy)) for name, npy in npys]


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
    if not isinstance(path, str | PathLike):
        raise TypeError(f"store: expected a path; got {path!r}")
    found = Path(path)
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
        with as_written(path), store._transaction() as sql:
            migrate(sql)
        store.format = FORMAT
    return store


def _is_new(store: Store) -> bool:
    """Tell whether a file is still empty; refuse what is not ours."""
    with store._reading() as sql:
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
