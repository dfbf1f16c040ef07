"""Curricula: easy examples first, more of them epoch by epoch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._registry import ORDERINGS

# share of the way from the first share of the examples to all of them, at the share t of the way through
PACINGS: dict[str, Callable[[float], float]] = {
    "linear": lambda t: t,
    "root": math.sqrt,
    "step": math.floor,
    "exponential": lambda t: math.expm1(10.0 * t) / math.expm1(10.0),
}


class CurriculumState(NamedTuple):
    """What a curriculum remembers."""

    pi: IntArray  # (m, n)
    scores: FloatArray  # (m, n) how hard examples are
    t: int  # epochs that are over


def admitted(pacing: str, start: float, ramp: int, n: int, t: int) -> int:
    """Return how many examples epoch t may show.

    Examples
    --------
    >>> [admitted("linear", 0.25, 3, 8, t) for t in (0, 1, 2, 3, 9)]
    [2, 4, 6, 8, 8]
    """
    share = start + (1.0 - start) * PACINGS[pacing](min(1.0, t / ramp))
    return min(n, max(1, math.ceil(share * n - 1e-9)))


def in_rounds(easy: IntArray, n: int, rng: Generator) -> IntArray:
    """Return orders (m, n) that show the examples `easy` (m, k) in random order, again and again."""
    rows = np.empty((len(easy), n), dtype=np.int64)
    for row, own in zip(rows, easy, strict=True):
        rounds = [rng.permutation(own) for _ in range(-(-n // len(own)))]
        row[:] = np.concatenate(rounds)[:n]
    return rows


def _scored(
    name: str,
    scores: ArrayLike | None,
    pacing: str,
    start: float,
    ramp: int,
    anti: bool,
    live: bool,
    source: str,
) -> Ordering:
    """Return a curriculum by given scores, or by `live` ones: squared gradients where they were last seen."""
    pacing, anti = _checks.choice("pacing", pacing, PACINGS), _checks.flag("anti", anti)
    ramp, start = _checks.size("ramp", ramp), _checks.real("start", start, low=0.0)
    if start > 1.0:
        raise ValueError(f"start: expected a share of the examples, at most 1; got {start:g}")
    given = None if scores is None else _checks.floats("scores", scores, (1, 2))

    def draw(known: FloatArray, t: int, rng: Generator) -> CurriculumState:
        n = known.shape[1]
        order = np.argsort(-known if anti else known, axis=1, kind="stable")
        return CurriculumState(in_rounds(order[:, : admitted(pacing, start, ramp, n, t)], n, rng), known, t)

    def init(problem: Problem, rng: Generator) -> CurriculumState:
        m, n = problem.m, problem.n
        if live:
            every = np.tile(np.arange(n), (m, 1))
            return CurriculumState(in_rounds(every, n, rng), np.zeros((m, n)), 0)
        known = np.arange(n, dtype=float) if given is None else given
        if known.shape not in ((n,), (m, n)):
            raise ValueError(
                f"scores: expected shape ({n},) or ({m}, {n}), one for each example; got {known.shape}"
            )
        return draw(np.array(np.broadcast_to(known, (m, n))), 0, rng)

    def observe(state: CurriculumState, seen: Seen) -> None:
        state.scores[seen.who, seen.at] = np.cumsum(seen.G**2, axis=2)[..., -1]

    return Ordering(
        name, init, observe if live else None, lambda state, rng: draw(state.scores, state.t + 1, rng),
        replacement=True, verified=True, provenance=source,
    )  # fmt: skip


@ORDERINGS.register
def curriculum(
    *,
    scores: ArrayLike | None = None,
    pacing: str = "linear",
    start: float = 0.2,
    ramp: int = 10,
    anti: bool = False,
) -> Ordering:
    r"""Curriculum: epoch t shows the g(t) n examples of the lowest scores, in random order, again and again.

    .. math:: g(t) = b + (1 - b) \, p(\min(1, t / R))

    with p(u) = u (linear), sqrt(u) (root), floor(u) (step) or (e^(10u) - 1) / (e^10 - 1) (exponential). Every
    epoch has n steps. With b = 1 it is random reshuffling.

    Parameters
    ----------
    scores : array (n,) or (m, n), optional
        How hard examples are; by default the order of the data.
    pacing : {"linear", "root", "step", "exponential"}
        p.
    start : float
        b, the share of the examples that the first epoch shows; at least one example.
    ramp : int
        R, epochs until all examples are shown.
    anti : bool
        The hardest first.

    References
    ----------
    Wu, Dyer, Neyshabur, "When Do Curricula Work?", arXiv 2012.03107, for the pacing functions; Hacohen,
    Weinshall, arXiv 1904.03626.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> order = cg.orderings.curriculum(start=0.25, ramp=3)
    >>> problem = cg.problems.quadratic(m=1, n=8, d=1)
    >>> run = cg.simulate(problem, order, epochs=4, step_size=0.1, record=cg.Record(orders=True))
    >>> [len(set(pi)) for pi in run.orders[0, :, 0].tolist()]
    [2, 4, 6, 8]
    """
    source = "arXiv 2012.03107, recalled"
    return _scored("curriculum", scores, pacing, start, ramp, anti, live=False, source=source)


@ORDERINGS.register
def self_paced(*, pacing: str = "linear", start: float = 0.2, ramp: int = 10, anti: bool = False) -> Ordering:
    """Self-paced learning: a curriculum whose scores are how hard examples were when they were last shown.

    The score is the squared gradient, which is what orderings see; on quadratics with one curvature it is
    proportional to the loss. The first epoch shows all examples; epoch t after it is that of `curriculum`.

    Parameters
    ----------
    pacing, start, ramp, anti
        See `curriculum`.

    References
    ----------
    Kumar, Packer, Koller, "Self-Paced Learning for Latent Variable Models", NIPS 2010.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=1, n=8, d=1)
    >>> order = cg.orderings.self_paced(start=0.25, ramp=9)
    >>> run = cg.simulate(problem, order, epochs=2, step_size=1e-6, record=cg.Record(orders=True))
    >>> [len(set(pi)) for pi in run.orders[0, :, 0].tolist()]
    [8, 3]
    """
    return _scored("self-paced", None, pacing, start, ramp, anti, live=True, source="NIPS 2010, recalled")
