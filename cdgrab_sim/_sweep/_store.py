"""The store: one SQLite file, one writer, one transaction per run, no pickle.

    runs     position, key, task, config (JSON), status (pending, done, failed, lost), word (the status that
             the task measured where it is done), seconds, message, measured (JSON), version, curves (JSON:
             their names), digest
    curves   position, name, npy (the bytes of a .npy file), digest

Digests are checksums of all that is written, and looked at when it is read. The file is in write-ahead
mode while it is written and a single plain file afterwards; a reader that still has it open keeps an empty
log beside it. Killed at any moment it keeps every run that was committed; the next writer takes up what the
write-ahead log holds.
"""

from __future__ import annotations

import io
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._sweep._bundle import DONE, Outcome, Values
from cdgrab_sim._sweep._damage import as_written, damaged, one_line
from cdgrab_sim._sweep._format import (
    COLUMNS,
    FORMAT,
    OLD_COLUMNS,
    Entry,
    checked,
    curve_digest,
    without_doubles,
)
from cdgrab_sim._version import __version__

# a word of the task's own stands in `measured`, any other one in `status`
_WORDS = """
SELECT word, count(*), min(word = status OR instr(measured, '"status": "' || word || '"') > 0)
FROM runs GROUP BY word ORDER BY word
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
    """An open store; see :mod:`cdgrab_sim._sweep._open`."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection
        self.format = FORMAT

    def plan(self, task: str, texts: Mapping[str, str]) -> dict[str, int]:
        """Enter the configurations (key -> JSON) that are not there yet; return all positions.

        Call `done` first: it looks at what is there.
        """
        known = self._positions()
        new = [Entry(key, task, text) for key, text in texts.items() if key not in known]
        with self.transaction() as sql:
            sql.executemany(
                "INSERT INTO runs (key, task, config, digest) VALUES (?, ?, ?, ?)",
                [(one.key, one.task, one.config, one.digest) for one in new],
            )
        positions = self._positions()
        return {key: positions[key] for key in texts}

    def _positions(self) -> dict[str, int]:
        with self.reading() as sql:  # not from the index of keys, which has no checksum
            return dict(sql.execute("SELECT key, position FROM runs NOT INDEXED"))

    def done(self) -> set[str]:
        """Return the keys of the runs that have a result."""
        return {entry.key for entry in self._entries().values() if entry.status == DONE}

    def commit(self, outcome: Outcome) -> None:
        """Keep one run; when this returns, it survives whatever happens to the process."""
        measured = {k: v for k, v in outcome.values.items() if not isinstance(v, np.ndarray)}
        word = measured.get("status", outcome.status) if outcome.status == DONE else outcome.status
        with self.reading() as sql:
            planned = "SELECT key, task, config FROM runs WHERE position = ?"
            key, task, config = sql.execute(planned, (outcome.position,)).fetchone()
        with self.transaction() as sql:
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
        with self.reading():
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
        """Return the number of runs by the word that says most about them.

        A run holds its word twice, in two fields. As long as they agree nothing else is looked at, which is
        ten times as fast as all checksums.
        """
        if self.format > 1:
            with self.reading() as sql:
                found = sql.execute(_WORDS).fetchall()
            if all(agree for _, _, agree in found):
                return {word: count for word, count, _ in found}
        return dict(sorted(Counter(entry.word for entry in self._entries().values()).items()))

    def curve_names(self) -> list[str]:
        """Return the names of the stored curves."""
        with self.reading() as sql:
            return [name for (name,) in sql.execute("SELECT DISTINCT name FROM curves ORDER BY name")]

    def curves(self, name: str) -> dict[int, NDArray[Any]]:
        """Return one curve of every run that has it, by position."""
        with self.reading() as sql:
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
        with self.reading() as sql:
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
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Look at the file; what comes of damage is one line."""
        with as_written(self.path):
            yield self._connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Change the file, as a whole or not at all."""
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
