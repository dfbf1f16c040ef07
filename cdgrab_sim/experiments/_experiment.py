"""The one shape of an experiment: a question, checked options, rows with verdicts, data for the figure."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._files import written_whole
from cdgrab_sim._text import aligned
from cdgrab_sim.analysis import Verdict

AT_ROUNDING, CENSORED = "at rounding level", "censored"  # verdicts of what has no logarithm


@dataclass(frozen=True)
class Options:
    """What every experiment can be told.

    Attributes
    ----------
    seed : int
        The only entropy.
    quick : bool
        Smaller sizes, for a look in seconds.
    jobs : int
        Processes.
    progress : bool
    store : path or None
        Where finished cells are kept, so that an interrupted experiment resumes.
    scheduler : str or None
        Address of a dask scheduler to run the cells on.
    """

    seed: int = 0
    quick: bool = False
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    progress: bool = False
    store: Path | None = None
    scheduler: str | None = None


@dataclass(frozen=True)
class Row:
    """One line of the result: a measured quantity of an ordering beside its prediction.

    `measured` is None where nothing could be measured; the verdict says why.
    """

    name: str
    quantity: str
    measured: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    predicted: float | None = None
    margin: float | None = None
    verdict: str = "no prediction"

    @classmethod
    def claimed(cls, name: str, quantity: str, measured: float, holds: bool) -> Row:
        """Make a row of a claim that holds or fails."""
        return cls(name, quantity, measured, verdict="holds" if holds else "fails")

    @classmethod
    def judged(cls, name: str, quantity: str, verdict: Verdict) -> Row:
        """Make a row of a verdict."""
        return cls(name, quantity, **asdict(verdict))

    def cells(self) -> dict[str, str]:
        """Return the row as text, by heading."""
        interval = "" if self.ci_low is None else f"[{_short(self.ci_low)}, {_short(self.ci_high)}]"
        promise = "" if self.predicted is None else f"{self.predicted:.3g} ± {self.margin:.2g}"
        return {
            "name": self.name,
            "quantity": self.quantity,
            "measured": _short(self.measured),
            "95 % interval": interval,
            "predicted": promise,
            "verdict": self.verdict,
        }


@dataclass(frozen=True, eq=False)
class Result:
    """What an experiment found.

    Attributes
    ----------
    experiment : str
    config : mapping
        Everything that decides the result, as plain JSON.
    rows : sequence of dataclasses
        At least one, all of one class, such as `Row`: plain JSON with a ``verdict``, and ``cells()``.
    data : mapping of arrays
        What the figure shows, by name.
    notes : sequence of str
        Remarks for the reader, such as where a prediction no longer holds.
    parts : sequence of Result
        What a result of several experiments sums up.
    """

    experiment: str
    config: Mapping[str, Any]
    rows: Sequence[Any]
    data: Mapping[str, NDArray[Any]]
    notes: Sequence[str] = ()
    parts: Sequence[Result] = ()

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the arrays whose names begin with a prefix, by what follows it."""
        return {name.removeprefix(prefix): a for name, a in self.data.items() if name.startswith(prefix)}

    def to_json(self) -> str:
        """Return experiment, config and rows as one JSON object."""
        rows = [asdict(row) for row in self.rows]
        return json.dumps({"experiment": self.experiment, "config": dict(self.config), "rows": rows})

    def to_csv(self) -> str:
        """Return the rows as CSV."""
        text = io.StringIO()
        writer = csv.DictWriter(text, fieldnames=[f.name for f in fields(self.rows[0])], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in self.rows)
        return text.getvalue()

    def table(self) -> str:
        """Return the rows as a table of aligned text."""
        lines = aligned([row.cells() for row in self.rows])
        return "\n".join([*lines, *(note.rstrip() for note in self.notes)])

    def save(self, folder: Path, settings: Mapping[str, Any] | None = None) -> None:
        """Write table.csv, config.json and data.npz into `folder`; `settings` are kept beside the config."""
        config = json.dumps({**self.config, **(settings or {})}, indent=2) + "\n"
        for name, text in (("table.csv", self.to_csv()), ("config.json", config)):
            with written_whole(folder / name) as file:
                file.write(text.encode())
        with written_whole(folder / "data.npz") as file:
            arrays: dict[str, Any] = {name: np.asarray(a) for name, a in self.data.items()}
            np.savez(file, **arrays)


Panel: TypeAlias = Callable[[Result, Any], None]  # draws a part of a result on axes


def _short(x: float | None) -> str:
    if x is None:
        return ""
    return f"{x:.3f}" if x == 0.0 or 0.01 <= abs(x) < 1e4 else f"{x:.2e}"
