"""Compressed messages: what the updates that send them share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import closed, kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.compressors import Compressor
from cdgrab_sim.updates._iterates import iterates

Rows = Callable[[Problem], int]


@kernel(small=True)
def plain_step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move along what was received."""
    for q in range(it.x.shape[0]):
        it.x[q] -= alpha * g[q]


def checked_rate(rate: float | None) -> float | None:
    """Return the rate of shifts, refused outside (0, 1]; None leaves it to the compressor."""
    return None if rate is None else _checks.share("rate", rate, "(0, 1]")


def shift_rate(compressor: Compressor, d: int, given: float | None) -> float:
    """Return the rate of shifts: as given, else 1 / (1 + omega), and 1 for a contraction."""
    if given is not None:
        return given
    return 1.0 if compressor.omega is None else 1.0 / (1.0 + compressor.omega(d))


def numbers(compressor: Compressor) -> Callable[[Problem], int]:
    """Return how many uniform numbers a message needs: one per coordinate, or none."""
    return lambda problem: problem.d if compressor.draws else 0


def sending(
    name: str,
    make: Callable[..., Any],
    compressor: Compressor,
    *,
    rows: Rows,
    parameters: Callable[[Problem], Sequence[float]] = lambda problem: (),
    counters: Callable[[Problem], Sequence[int]] = lambda problem: (),
    points: bool = False,
    stateless: bool = False,
    settings: dict[str, Any],
    provenance: str,
) -> Update:
    """Return an update whose step is ``make(apply)``: p[0] is the size that `apply` takes.

    Parameters
    ----------
    name : str
    make : callable
        Makes ``step(it, g, alpha, u)`` of the compressor's `apply`.
    compressor : Compressor
    rows, parameters, counters : callable
        What the iterates hold, given the problem.
    points : bool
        Whether every worker has a point of its own.
    stateless : bool
        Whether nothing about single workers outlives a round.
    settings : dict
    provenance : str
    """

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        compressor.check(problem.d)
        p = (compressor.size, *parameters(problem))
        held = {"points": problem.m if points else 0, "vectors": rows(problem), "counters": counters(problem)}
        return iterates(x0, p, **held)  # type: ignore[arg-type]

    step = closed(make, compressor.apply)
    said = {"compressor": compressor.describe(), **settings}
    return Update(
        name, init, step, each=True, draws=numbers(compressor), stateless=stateless, settings=said,
        provenance=provenance,
    )  # fmt: skip
