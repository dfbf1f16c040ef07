"""Sampling and variance (W): weights, projections, tables and batches, over all draws and orders."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from cdgrab_sim import orderings, updates
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, ratio, upper
from cdgrab_sim.experiments.statements.affine import epoch_of
from cdgrab_sim.experiments.statements.general_quadratics import draw, quadratics
from cdgrab_sim.synchronous._engine import Engine
from theory import affine
from theory import variance as theory

n, d = 3, 2  # 27 sequences of draws


def weighted_ends(
    problem: Problem, p: FloatArray, alpha: float, x0: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return probabilities and ends of all sequences of n draws, with the weights of the ordering."""
    state = orderings.weighted(p).init(problem, np.random.default_rng(0))
    law = [float(np.prod(p[list(pi)])) for pi in itertools.product(range(problem.n), repeat=problem.n)]
    ends = []
    for pi in itertools.product(range(problem.n), repeat=problem.n):
        engine = Engine(problem, updates.sgd(), x0)
        engine.epoch(np.array([pi]), np.full(problem.n, alpha), None, weight=state.weight)
        ends.append(engine.it.x)
    return np.array(law), np.array(ends)


@identity("W1", "probabilities of the ordering", cases=12)
def probabilities(rng: Generator, number: int) -> Measured:
    p = rng.exponential(size=2 + number)
    problem = quadratics(*draw(rng, 1, len(p), 1))
    state = orderings.weighted(p).init(problem, rng)
    drawn = state.kept[0] / len(p)
    np.add.at(drawn, state.other[0], (1.0 - state.kept[0]) / len(p))
    return [difference(drawn, p / p.sum()), difference(state.weight[0] * drawn * len(p), np.ones(len(p)))]


@identity("W1", "mean and square after weighted draws, over all", cases=6)
def weighted(rng: Generator, number: int) -> Measured:
    A, c = draw(rng, 1, n, d)
    p, x0 = rng.dirichlet(np.ones(n)), rng.standard_normal(d)
    law, ends = weighted_ends(quadratics(A, c), p, 0.02, x0)
    mean, square = theory.weighted_moments(0.02, A[0], c[0], p, x0, n)
    return [difference(law @ ends, mean), difference((law * ends.T) @ ends, square)]


@upper("W1", "distance after weighted draws", cases=6, tight=0.9)
def weighted_distance(rng: Generator, number: int) -> Measured:
    """Nearly tight where curvatures are equal, steps small and x starts at the minimiser or without noise."""
    A = np.tile(np.eye(d), (1, n, 1, 1)) if number % 2 else draw(rng, 1, n, d)[0]
    c = rng.standard_normal((1, n, d)) * (number % 3 > 0)
    x_star = np.linalg.solve(A.mean(axis=(0, 1)), c.mean(axis=(0, 1)))
    L, mu = np.linalg.eigvalsh(A[0]).max(axis=1), float(np.linalg.eigvalsh(A.mean(axis=(0, 1)))[0])
    p, alpha = (L / L.sum(), 0.02 / float(L.mean()))
    x0 = x_star + rng.standard_normal(d)
    law, ends = weighted_ends(quadratics(A, c), p, alpha, x0)
    squares = ((A[0] @ x_star - c[0]) ** 2).sum(axis=1)
    r0 = float(((x0 - x_star) ** 2).sum())
    return ratio(
        law @ ((ends - x_star) ** 2).sum(axis=1), theory.weighted_bound(alpha, mu, L, squares, p, r0, n)
    )


def _projected(rng: Generator, rows: FloatArray) -> tuple[float, float]:
    """Return E |x - x_star|^2 after n random projections, over all, and the bound."""
    x_star, x0 = rng.standard_normal((2, d))
    A, L = rows[:, :, None] * rows[:, None], (rows**2).sum(axis=1)
    problem = quadratics(A[None], (A @ x_star)[None])
    law, ends = weighted_ends(problem, L / L.sum(), 1.0 / float(L.mean()), x0)
    measured = float(law @ ((ends - x_star) ** 2).sum(axis=1))
    return measured, theory.kaczmarz_bound(rows, float(((x0 - x_star) ** 2).sum()), len(rows))


@identity("W2", "equality where A'A is a multiple of the identity", cases=6, tol=1e-12)
def tight_frames(rng: Generator, number: int) -> Measured:
    frame = np.linalg.qr(rng.standard_normal((n, d)))[0] * rng.uniform(0.5, 2.0)
    return difference(*_projected(rng, frame))


@upper("W2", "distance after random projections", cases=12, tight=0.8)
def projections(rng: Generator, number: int) -> Measured:
    return ratio(*_projected(rng, rng.standard_normal((n, d))))


def _sag_ends(
    A: FloatArray, c: FloatArray, alpha: float, x0: FloatArray, epochs: int
) -> Iterator[FloatArray]:
    """Yield where SAG ends after each sequence of draws, all alike."""
    problem, size = quadratics(A, c), A.shape[1]
    for pi in itertools.product(range(size), repeat=size * epochs):
        engine = Engine(problem, updates.sag(), x0)
        for one in np.array(pi).reshape(epochs, 1, size):
            engine.epoch(one, np.full(size, alpha), None)
        yield engine.it.x


@upper("W3", "SAG at 1/(16 L), over all draws", cases=8, tight=0.8)
def sag(rng: Generator, number: int) -> Measured:
    """From one example to many, where 4 L / n and the age of the table vanish beside the gap."""
    size, epochs = ((1, 3), (2, 2), (3, 1), (64, 0))[number % 4]
    A, c = draw(rng, 1, max(size, 1), d)
    if size == 64:  # the first step alone, from the start: every example comes with the same chance
        A[:] = np.eye(d)
    mean_A, mean_c = A.mean(axis=(0, 1)), c.mean(axis=(0, 1))
    x_star, L = np.linalg.solve(mean_A, mean_c), float(np.linalg.eigvalsh(A).max())
    x0 = x_star + (1.0 + 9.0 * (size == 64)) * rng.standard_normal(d)
    ends = _first_steps(A, c, L, x0) if size == 64 else list(_sag_ends(A, c, 1 / (16 * L), x0, epochs))
    gaps = [0.5 * float((x - x_star) @ mean_A @ (x - x_star)) for x in (*ends, x0)]
    variance = float(((A[0] @ x_star - c[0]) ** 2).sum(axis=1).mean())
    mu, r0 = float(np.linalg.eigvalsh(mean_A)[0]), float(((x0 - x_star) ** 2).sum())
    steps = 1 if size == 64 else size * epochs
    return ratio(np.mean(gaps[:-1]), theory.sag_bound(L, mu, size, steps, gaps[-1], r0, variance))


def _first_steps(A: FloatArray, c: FloatArray, L: float, x0: FloatArray) -> list[FloatArray]:
    """Return where one step of SAG leads from an empty table, for every example: n batches of one."""
    problem, ends = quadratics(A, c), []
    for j in range(A.shape[1]):
        engine, tiny = Engine(problem, updates.sag(), x0), 1e-300
        steps = np.array([1 / (16 * L), *np.full(A.shape[1] - 1, tiny)])
        engine.epoch(np.full((1, A.shape[1]), j), steps, None)
        ends.append(engine.it.x)
    return ends


@identity("W3", "mean and square of SAG after two epochs of draws", cases=4)
def sag_moments(rng: Generator, number: int) -> Measured:
    A, c = draw(rng, 1, 2, d)
    x0 = rng.standard_normal(d)
    ends = np.array(list(_sag_ends(A, c, 0.05, x0, 2)))
    mean, square = affine.moments("sgd", affine.table_maps(0.05, A[0], c[0]), [*x0, *np.zeros(2 * d)], 2)
    return [difference(ends.mean(axis=0), mean[:d]), difference(ends.T @ ends / len(ends), square[:d, :d])]


def _rest(z: FloatArray, lam: float, alpha: float, batch: int, *, shuffled: bool) -> float:
    """Return the stationary square: that of one epoch from the minimiser, over what it leaves of squares."""
    size = len(z)
    problem = quadratics(np.full((1, size, 1, 1), lam), z.reshape(1, size, 1))
    every = itertools.permutations(range(size)) if shuffled else itertools.product(range(size), repeat=size)
    ends = []
    for pi in every:
        engine = Engine(problem, updates.sgd(), np.zeros(1))
        engine.epoch(np.array([pi]), np.full(-(-size // batch), alpha), None, batch=batch)
        ends.append(float(engine.it.x[0]))
    kept = (1.0 - alpha * lam) ** (2 * (size // batch))
    return float(np.mean(np.square(ends))) / (1.0 - kept)


def _centred(rng: Generator, size: int) -> FloatArray:
    z = rng.standard_normal(size)
    z -= z.mean()
    return z


@identity("W4", "noise of batches in the long run, over all draws and orders", cases=8)
def batches(rng: Generator, number: int) -> Measured:
    size, batch, shuffled = ((4, 2), (3, 3), (4, 1))[number % 3] + (number % 2 == 1,)
    z, alpha, lam = _centred(rng, size), 0.3, rng.uniform(0.5, 2.0)
    exact = _rest(z, lam, alpha, batch, shuffled=shuffled)
    predicted = theory.batch_noise(alpha, lam, float(z.var()), batch, n=size if shuffled else None)
    return difference(predicted, exact, scale=1e-3)


@identity("W4", "twice the batch over half the step, over all draws", cases=6)
def twice_the_batch(rng: Generator, number: int) -> Measured:
    z, alpha, lam = _centred(rng, 4), rng.uniform(0.1, 0.9), 1.0 + number / 6
    doubled, halved = _rest(z, lam, alpha, 2, shuffled=False), _rest(z, lam, alpha / 2, 1, shuffled=False)
    return difference(theory.batch_over_step(alpha, lam), doubled / halved)


@identity("W5", "momentum at ends of reshuffled epochs, to first order", cases=4, tol=0.02)
def momentum(rng: Generator, number: int) -> Measured:
    """All orders of an epoch: what they do to squares, and what they push, solved for the long run."""
    size, beta, alpha = 4 + number % 2, 0.2, 1e-3
    z = _centred(rng, size)
    problem = quadratics(np.ones((1, size, 1, 1)), z.reshape(1, size, 1))
    update = updates.heavy_ball(momentum=beta)
    every = [
        epoch_of(problem, update, (1 - beta) * alpha, [pi]) for pi in itertools.permutations(range(size))
    ]
    squares = np.mean([np.kron(P[:-1, :-1], P[:-1, :-1]) for P in every], axis=0)
    pushes = np.mean([np.outer(P[:-1, -1], P[:-1, -1]) for P in every], axis=0)
    exact = np.linalg.solve(np.eye(4) - squares, pushes.ravel())[0]  # both have mean zero
    plain = theory.batch_noise(alpha, 1.0, float(z.var()), n=size)
    predicted = theory.momentum_noise(alpha, 1.0, float(z.var()), size, beta)
    return difference(predicted - plain, exact - plain)


@identity("W5", "Adam is momentum with the step over the root of the variance", cases=2)
def adam(rng: Generator, number: int) -> Measured:
    v, lam = rng.uniform(0.5, 2.0, size=2)
    return difference(
        theory.adam_noise(0.01, lam, v, 16), theory.momentum_noise(0.01 / np.sqrt(v), lam, v, 16, 0.9)
    )
