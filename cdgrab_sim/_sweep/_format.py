"""The tables of a store, their checksums, and how a store of the first format becomes one of the second."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

from cdgrab_sim._sweep._bundle import DONE
from cdgrab_sim._sweep._config import key_of
from cdgrab_sim._sweep._damage import damaged

PENDING = "pending"
APPLICATION = 0x63644772  # "cdGr"
FORMAT = 2  # 1: no checksums, no names of curves in runs, and keys for which 20 is not 20.0
_ADDED = (
    "ALTER TABLE runs ADD COLUMN curves TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE runs ADD COLUMN digest TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE curves ADD COLUMN digest TEXT NOT NULL DEFAULT ''",
)
SCHEMA = f"""
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
{";".join(_ADDED)};
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
COMMIT;
"""


class Entry(NamedTuple):
    """One run as the file holds it, without its position."""

    key: str
    task: str
    config: str
    status: str = PENDING
    word: str = PENDING
    seconds: float = 0.0
    message: str = ""
    measured: str = "{}"
    version: str = ""
    curves: str = "[]"  # the names of its curves

    @property
    def digest(self) -> str:
        """The checksum of all fields."""
        return blake2b(json.dumps(self).encode(), digest_size=8).hexdigest()


COLUMNS = ", ".join(Entry._fields)
OLD_COLUMNS = COLUMNS.replace("curves", "'[]'")


def curve_digest(key: str, name: str, npy: bytes) -> str:
    """Return the checksum of one curve of the run with this key."""
    found = blake2b(json.dumps([key, name]).encode(), digest_size=8)
    found.update(npy)
    return found.hexdigest()


def checked(path: str, position: int, entry: Entry, digest: str) -> Entry:
    """Return an entry that is as it was written."""
    if entry.digest != digest:
        raise damaged(path, f"run {position} does not match its checksum")
    return entry


def without_doubles(entries: Iterable[tuple[int, Entry]]) -> dict[int, Entry]:
    """Give entries of the first format their keys, and leave out runs that another one stands for."""
    chosen: dict[str, tuple[int, Entry]] = {}
    for position, entry in entries:
        key = key_of(entry.task, entry.config)
        if key not in chosen or (entry.status == DONE and chosen[key][1].status != DONE):
            chosen[key] = position, entry._replace(key=key)
    return dict(sorted(chosen.values()))


def migrate(sql: sqlite3.Connection) -> None:
    """Bring a store of the first format to the second, inside a transaction."""
    for statement in _ADDED:
        sql.execute(statement)
    found = sql.execute(f"SELECT position, {OLD_COLUMNS} FROM runs ORDER BY position").fetchall()
    kept = without_doubles((position, Entry(*entry)) for position, *entry in found)
    for position in {row[0] for row in found} - kept.keys():
        sql.execute("DELETE FROM curves WHERE position = ?", (position,))
        sql.execute("DELETE FROM runs WHERE position = ?", (position,))
    for position, entry in kept.items():
        names = sql.execute("SELECT name FROM curves WHERE position = ? ORDER BY name", (position,))
        entry = entry._replace(curves=json.dumps([name for (name,) in names]))
        sql.execute(
            "UPDATE runs SET key = ?, curves = ?, digest = ? WHERE position = ?",
            (entry.key, entry.curves, entry.digest, position),
        )
    sql.execute(f"PRAGMA user_version = {FORMAT}")
