"""Compressed gradients (C): kernels over all outcomes of their draws, against exact moments."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from cdgrab_sim import compressors, problems, updates
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.compressors import Compressor
from cdgrab_sim.experiments.statements._instances import (
    interpreted,
    random_orders,
    seed_of,
    vectors,
)
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, ratio, upper
from cdgrab_sim.synchronous._engine import Engine
from theory import compression as theory


def _midpoints(cells: int, numbers: int) -> Iterator[FloatArray]:
    """Yield the midpoints of equal cells of the unit cube, exact for multiples of 1 / cells."""
    grid = (np.arange(cells) + 0.5) / cells
    return (np.array(u) for u in itertools.product(grid, repeat=numbers))


def _averages(compressor: Compressor, v: FloatArray, cells: int) -> FloatArray:
    """Return the mean of Q(v) and of |Q(v) - v|^2 over a grid of uniform numbers."""
    sent = np.array([compressor(v, u) for u in _midpoints(cells, len(v))])
    return np.append(sent.mean(axis=0), ((sent - v) ** 2).sum(axis=1).mean())


@identity("C1", "mean and variance of Rand-k, dithering and natural compression", cases=9)
def variances(rng: Generator, number: int) -> Measured:
    kind, size = number % 3, 1 + number // 3 % 3
    if kind == 0:
        v = rng.standard_normal(3)
        k = min(size, 2)
        return difference(
            _averages(compressors.rand_k(k=k), v, 6), [*v, theory.omega("rand-k", 3, k) * float(v @ v)]
        )
    if kind == 1:  # |v| = 7, so that all fractions are multiples of 1/7
        v = rng.permutation([2.0, -3.0, 6.0])
        return difference(
            _averages(compressors.qsgd(levels=size), v, 7), [*v, theory.dithering_variance(v, size)]
        )
    v = (1.0 + rng.integers(1, 8, size=3) / 8.0) * 2.0 ** rng.integers(-3, 4, size=3)
    return difference(_averages(compressors.natural(), v, 8), [*v, theory.power_of_two_variance(v)])


@identity("C1", "omega and delta of the records", cases=8)
def data_of_records(rng: Generator, number: int) -> Measured:
    d = int(rng.integers(2, 40))
    k, s = int(rng.integers(1, d + 1)), int(rng.integers(1, 9))
    made = {"rand-k": {"k": k}, "qsgd": {"levels": s}, "natural": {}, "top-k": {"k": k}, "sign": {}}
    found, expected = [], []
    for name, settings in made.items():
        one, size = compressors.make(name, **settings), sum(settings.values()) or 1
        number_of, law = (one.omega, theory.omega) if one.omega else (one.delta, theory.contraction)
        assert number_of is not None
        found.append(number_of(d))
        expected.append(law(one.name, d, size))
    return difference(found, expected)


@upper("C1", "variance over omega |v|^2, and what contractions leave out", cases=24, tight=0.98)
def relative_losses(rng: Generator, number: int) -> Measured:
    d, s = 6, 1 + number % 3
    v = np.append(vectors(rng, number, d - 1), 1.0)
    tight = (np.full(d, 4.0 / 3.0), np.ones(d), np.array([1.0, *[1e-4] * (d - 1)]))[number % 3]
    found = []
    for one in (v, tight):
        square = float(one @ one)
        found.append(theory.dithering_variance(one, s) / (theory.omega("qsgd", d, s) * square))
        found.append(theory.power_of_two_variance(one) / (theory.omega("natural", d) * square))
        for biased in (compressors.top_k(k=s), compressors.sign()):
            left = 1.0 - theory.contraction(biased.name, d, s)
            found.append(float(((biased(one) - one) ** 2).sum()) / (left * square))
    return ratio(found, np.ones(len(found)))


def _sparse_epoch(problem: Problem, pi: IntArray, alpha: float, x0: FloatArray) -> FloatArray:
    """Return the ends of an epoch of Rand-1 in two coordinates, over all choices, all equally likely."""
    update, ends = updates.compressed(compressor=compressors.rand_k(k=1)), []
    for choice in itertools.product((0.25, 0.75), repeat=problem.m * problem.n):
        draws = np.zeros((problem.n, problem.m, 2))
        draws[:, :, 0] = np.reshape(choice, (problem.n, problem.m))
        engine = Engine(problem, update, x0)
        engine.epoch(pi, np.full(problem.n, alpha), None, draws=draws)
        ends.append(engine.it.x.copy())
    return np.array(ends)


def _shared(rng: Generator) -> tuple[Problem, IntArray, FloatArray]:
    """Draw two workers with three examples in two coordinates, orders, and deviations in those orders."""
    curvatures = list(0.5 + rng.random(2))
    seed = seed_of(rng)
    problem = problems.quadratic(m=2, n=3, d=2, eigenvalues=curvatures, heterogeneity=1.0, seed=seed)
    problem = interpreted(problem)
    pi = random_orders(rng, 2, 3)
    ordered = np.take_along_axis(problem.data.b, pi[:, :, None], axis=1).swapaxes(0, 1)
    return problem, pi, ordered - problem.x_star


@identity("C2", "moments of an epoch of Rand-k in a given order, over all choices", cases=6)
def sparse_moments(rng: Generator, number: int) -> Measured:
    problem, pi, u = _shared(rng)
    assert problem.x_star is not None
    e0 = rng.standard_normal(2)
    e = _sparse_epoch(problem, pi, 0.3, problem.x_star + e0) - problem.x_star
    exact = theory.compressed_moments(0.3, problem.data.eigenvalues, 1.0, u, e0)[:, -1]
    return difference([e.mean(axis=0), (e**2).mean(axis=0)], exact)


@identity("C2", "floor of Rand-k at a small step, whatever the order", cases=4, tol=0.02)
def sparse_floor(rng: Generator, number: int) -> Measured:
    problem, pi, u = _shared(rng)
    assert problem.x_star is not None
    alpha, lam = 1e-3, problem.data.eigenvalues
    # the end of an epoch is affine in its start, so that E e^2 is a quadratic in it: three starts tell all
    starts = [problem.x_star + e0 for e0 in (-1.0, 0.0, 1.0)]
    ends = [_sparse_epoch(problem, pi, alpha, x0) - problem.x_star for x0 in starts]
    (low, mid, high), (a, b, c) = ([f(e).mean(axis=0) for e in ends] for f in (np.array, np.square))
    mean = mid / (1.0 - (high - low) / 2.0)
    square = (b + mean * (c - a) / 2.0) / (1.0 - ((a + c) / 2.0 - b))
    G = (lam * u) ** 2
    floors = [
        theory.compression_floor(alpha, one, 1.0, float(G[..., p].mean()), 2) for p, one in enumerate(lam)
    ]
    return difference((square - mean**2) / floors, np.ones(2))


@identity("C3", "spread of a shift that follows independent examples", cases=6)
def shift_spread(rng: Generator, number: int) -> Measured:
    k, d = (1, 2) if number % 2 else (1, 3)
    update = updates.diana(compressor=compressors.rand_k(k=k), shifts="worker")
    problem = problems.quadratic(m=1, n=5, d=d, seed=seed_of(rng))
    g = rng.standard_normal((5, d))
    moments = []
    for h in (-1.0, 0.0, 1.0):
        after = []
        for j, u in itertools.product(range(5), _midpoints(6 if d == 3 else 2, d)):
            it = updates.start(update, np.zeros(d), problem)
            it.S[2] = h
            update.take(it, np.zeros(d), g[j], 0.1, 0, j, u)  # type: ignore[misc]
            after.append(it.S[2].copy())
        moments.append([np.mean(after, axis=0), np.mean(np.square(after), axis=0)])
    (low, a), (mid, b), (high, c) = moments
    mean = mid / (1.0 - (high - low) / 2.0)
    square = (b + mean * (c - a) / 2.0) / (1.0 - ((a + c) / 2.0 - b))
    return difference([mean, square - mean**2], [g.mean(axis=0), g.var(axis=0)])
