"""Parts: an experiment that asks several questions measures all their cells in one go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeAlias

from cdgrab_sim.experiments._cells import run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row

Cell: TypeAlias = dict[str, Any]
Task: TypeAlias = Callable[[Cell], dict[str, Any]]


@dataclass
class Findings:
    """What a part makes of its cells."""

    rows: list[Row] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """Append another part's."""
        self.rows += other.rows
        self.data |= other.data
        self.notes += other.notes


@dataclass(frozen=True)
class Part:
    """One question: the cells to measure, and how their values are read.

    Attributes
    ----------
    task : callable
    cells : list of dict
    read : callable
        Gets the values in the order of the cells.
    """

    task: Task
    cells: list[Cell]
    read: Callable[[list[dict[str, Any]]], Findings]


def run_parts(experiment: str, config: Mapping[str, Any], parts: Sequence[Part], options: Options) -> Result:
    """Measure the cells of all parts together, and read them part by part."""
    cells = [cell | {"task": _address(part.task)} for part in parts for cell in part.cells]
    values = iter(run_cells(run_task, cells, options))
    found = Findings()
    for part in parts:
        found.add(part.read([next(values) for _ in part.cells]))
    return Result(experiment, config, found.rows, found.data, found.notes)


def run_task(cell: Cell) -> dict[str, Any]:
    """Run the task that a cell names, so that the cells of all parts share one queue."""
    module, name = cell["task"].split(":")
    task: Task = getattr(import_module(module), name)
    return task(cell)


def _address(task: Task) -> str:
    return f"{task.__module__}:{task.__qualname__}"
