"""Runs of `simulate` with everything that the convergence statements speak of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._records import Ordering, Problem, Record
from cdgrab_sim._run import Run
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.experiments.statements._instances import NORMS
from cdgrab_sim.synchronous._simulate import simulate

EPOCHS = 12
ANY_ORDER = ("ig", "so", "rr", "flipflop", "d-grab", "d-grab-pair", "cd-grab")
BALANCED = ("grab", "d-grab", "d-grab-pair", "cd-grab")


def strongly_convex(number: int, seed: int) -> Problem:
    """Return a problem all of whose examples are mu-strongly convex, with a known minimiser."""
    if number % 3 == 0:
        return problems.quadratic(m=3, n=8, d=3, heterogeneity=0.5, seed=seed)
    if number % 3 == 1:
        return problems.skewed(m=4, n=7, d=2, kappa=10.0, heterogeneity=1.0, seed=seed)
    return problems.skewed(m=1, n=8, d=1, kappa=4.0, seed=seed)


def smooth(number: int, seed: int) -> Problem:
    """Return a problem with an L, convex or not."""
    if number % 5 == 3:
        return problems.robust(m=2, n=6, d=3, seed=seed)
    if number % 5 == 4:
        return problems.logistic(m=3, n=7, d=2, heterogeneity=1.0, ridge=0.1, seed=seed)
    return strongly_convex(number % 5, seed)


def polyak(number: int, seed: int) -> Problem:
    """Return a problem with a PL constant and an exact minimum."""
    if number % 4 == 3:
        return problems.least_squares(m=3, n=6, d=3, sigma=0.5, ridge=0.05, seed=seed)
    return strongly_convex(number % 4, seed)


def step_prefixes(problem: Problem, x: FloatArray, pi: IntArray) -> FloatArray:
    """Return P_0, ..., P_{n-1} (n, d) at x: prefix sums of worker-averaged gradients, centred."""
    g = problem.gradients(x)
    steps = np.take_along_axis(g, pi[..., None], axis=1).mean(axis=0) - g.mean(axis=(0, 1))
    return np.vstack([np.zeros_like(steps[:1]), np.cumsum(steps, axis=0)[:-1]])


@dataclass(frozen=True)
class Path:
    """One run at a constant step and what theory asks about it; everything divided by m, as theory has it."""

    problem: Problem
    run: Run
    alpha: float
    L: float
    norm: str

    @cached_property
    def gap(self) -> FloatArray:
        """f(x_t) - inf f (T + 1,); where the minimum is not known, it is bounded below by zero."""
        assert self.run.loss is not None
        return np.asarray(self.run.loss[0] - (self.problem.f_star or 0.0))

    @cached_property
    def slope(self) -> FloatArray:
        """||grad f(x_t)||_2 (T,)."""
        assert self.run.grad_norm is not None
        return np.asarray(self.run.grad_norm[0, :-1])

    @cached_property
    def H(self) -> FloatArray:
        """Herding errors of the orders used, at the start of their epochs (T,)."""
        return np.asarray(self.run.herding[self.norm][0] / self.problem.m)

    @cached_property
    def V(self) -> FloatArray:
        """Mean squares of the prefixes (T,)."""
        norms = np.linalg.norm(self.prefixes(), ord=NORMS[self.norm], axis=2)
        return np.asarray(np.mean(norms**2, axis=1))

    @cached_property
    def A(self) -> FloatArray:
        """Largest 2-norms of the running sums, which bound every norm used here (T,), not divided by m."""
        assert self.run.balance is not None
        return np.asarray(self.run.balance[0])

    def prefixes(self, at: FloatArray | None = None) -> FloatArray:
        """Return the prefixes (T, n, d) of the orders used, at x_t or at one point."""
        assert self.run.orders is not None
        assert self.run.trajectory is not None
        starts = self.run.trajectory[0, :-1]
        points = starts if at is None else np.broadcast_to(at, starts.shape)
        orders = self.run.orders[0]
        return np.array([step_prefixes(self.problem, x, pi) for x, pi in zip(points, orders, strict=True)])


def path(
    problem: Problem,
    ordering: str | Ordering,
    cap: float,
    seed: int,
    *,
    norm: str = "l2",
    per_epoch: bool = True,
    x0: FloatArray | None = None,
) -> Path:
    """Run an ordering at alpha n L = cap, or alpha L = cap, with the smoothness that goes with the norm."""
    L = problem.constants["L" if norm == "l2" else "L_2inf"]
    alpha = cap / (L * (problem.n if per_epoch else 1))
    name = ordering if isinstance(ordering, str) else ordering.name
    record = Record(herding=(norm,), balance=name in BALANCED, orders=True, trajectory=True)
    x0 = np.full(problem.d, 1.5) if x0 is None else x0
    run = simulate(
        problem, ordering, epochs=EPOCHS, step_size=alpha, seed=seed, x0=x0, record=record, throw=True
    )
    return Path(problem, run, alpha, L, norm)
