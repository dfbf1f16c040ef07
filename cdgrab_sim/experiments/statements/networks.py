"""Networks (N): workers that average with their neighbours, against fixed points and filtered prefixes."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.random import Generator

from cdgrab_sim import graphs, orderings, problems, updates
from cdgrab_sim._records import Problem, Record, Seen, Update
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.experiments.statements._instances import (
    interpreted,
    pair_differences,
    pair_signs,
    random_orders,
    seed_of,
)
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, mean, ratio, upper
from cdgrab_sim.graphs import Graph
from cdgrab_sim.graphs._averaging import pairs
from cdgrab_sim.synchronous._engine import Engine
from cdgrab_sim.synchronous._simulate import simulate
from theory import networks as theory

ORDERS = ("rr", "so", "flipflop", "ig")


def _any_weights(rng: Generator, m: int) -> Graph:
    """Draw doubly stochastic weights, in general not symmetric: a mean of permutations and the identity."""
    rows, shares = np.eye(m), rng.dirichlet(np.ones(4))
    parts = [rows, np.roll(rows, 1, axis=0), rows[rng.permutation(m)], rows[rng.permutation(m)]]
    return graphs.from_weights(sum(share * part for share, part in zip(shares, parts, strict=True)))


def _symmetric(rng: Generator, m: int) -> Graph:
    """Draw a graph with Metropolis weights: a ring and some chords."""
    chords = rng.integers(m, size=(2, 2))
    edges = [(i, (i + 1) % m) for i in range(m)] + [tuple(e) for e in chords.tolist() if e[0] != e[1]]
    return graphs.from_edges(m, edges)


def _points(problem: Problem, update: Update, alpha: float, orders: list[IntArray]) -> FloatArray:
    """Return where the workers are after epochs in these orders."""
    engine = Engine(problem, update, np.ones(problem.d))
    for pi in orders:
        engine.epoch(pi, np.full(problem.n, alpha), None)
    return engine.it.X.copy()


@identity("N1", "mean of the workers under any weights, over that of a server", cases=12)
def mean_iterate(rng: Generator, number: int) -> Measured:
    problem = interpreted(problems.quadratic(m=5, n=6, d=2, heterogeneity=1.0, seed=seed_of(rng)))
    graph, alpha = _any_weights(rng, 5), 0.3 / problem.constants["L"]
    update = (
        updates.gossip(graph=graph, mixing=1 + number // 3 % 2),
        updates.gradient_tracking(graph=graph),
        updates.exact_diffusion(graph=graph),
    )[number % 3]
    how = {"epochs": 3, "step_size": alpha, "x0": np.ones(2), "record": Record(trajectory=True)}
    paths = [simulate(problem, ORDERS[number % 4], update=u, **how).trajectory for u in ("sgd", update)]  # type: ignore[arg-type]
    return difference(*paths)  # type: ignore[arg-type]


@identity("N1", "second eigenvalue of ring, star and complete graph", cases=9)
def eigenvalues(rng: Generator, number: int) -> Measured:
    name, m = ("ring", "star", "complete")[number % 3], int(rng.integers(3, 40))
    return difference(1.0 - graphs.make(name, m).gap, theory.second_eigenvalue(name, m), scale=1.0)


@identity("N2", "where gossip with full gradients stops", cases=8)
def offset(rng: Generator, number: int) -> Measured:
    problem = problems.quadratic(m=5, n=1, d=2, heterogeneity=1.0, seed=seed_of(rng))
    graph, alpha = _any_weights(rng, 5), 1.5 / (1.0 + problem.constants["L"])
    epochs = [np.zeros((5, 1), dtype=np.int64)] * 400
    found = _points(problem, updates.gossip(graph=graph), alpha, epochs)
    centres = problem.data.b[:, 0]
    return difference(found, theory.gossip_fixed_point(alpha, problem.data.eigenvalues, graph.W, centres))


@identity("N3", "disagreement in a given order, from filtered prefixes", cases=10)
def disagreement(rng: Generator, number: int) -> Measured:
    m, n = 4 + number % 3, 5
    problem = problems.quadratic(m=m, n=n, d=2, heterogeneity=1.0, seed=seed_of(rng))
    graph, alpha = _any_weights(rng, m), 0.4 / problem.constants["L"]
    orders = [random_orders(rng, m, n) for _ in range(2)]
    first, second = (_points(problem, updates.gossip(graph=graph), alpha, orders[:k]) for k in (1, 2))
    visited = np.take_along_axis(problem.data.b, orders[1][:, :, None], axis=1).swapaxes(0, 1)
    lam = problem.data.eigenvalues
    exact = theory.filtered_disagreement(alpha, lam, graph.W, visited, first)
    return difference(second - second.mean(axis=0), exact)


@identity("N3", "stationary disagreement, from all orders of an epoch", cases=4)
def stationary_disagreement(rng: Generator, number: int) -> Measured:
    m, n = ((3, 2), (2, 3))[number % 2]
    lam = 0.5 + float(rng.random())
    problem = problems.quadratic(m=m, n=n, d=1, eigenvalues=[lam], heterogeneity=1.0, seed=seed_of(rng))
    graph, alpha = (_any_weights(rng, m) if m > 2 else graphs.from_weights([[0.7, 0.3], [0.3, 0.7]])), 0.4
    every = [np.array(pi) for pi in itertools.product(list(itertools.permutations(range(n))), repeat=m)]
    ends = np.array([_points(problem, updates.gossip(graph=graph), alpha, [pi])[:, 0] for pi in every])
    ends -= ends.mean(axis=1, keepdims=True)  # the start has no disagreement, and is the same for all
    C = np.cov(ends.T, bias=True)
    power = np.linalg.matrix_power((1.0 - alpha * lam) * (graph.W - 1.0 / m), n)
    solved = np.linalg.solve(np.eye(m * m) - np.kron(power, power), C.ravel()).reshape(m, m)
    variances = problem.data.b[:, :, 0].var(axis=1)
    return difference(solved, theory.consensus_covariance(alpha, lam, graph.W, variances, n))


@identity("N4", "where gradient tracking and exact diffusion stop", cases=6, tol=1e-9)
def agreement(rng: Generator, number: int) -> Measured:
    m, d = 4 + number % 2, 2
    factors = 0.5 * rng.standard_normal((m, 1, d, d))
    hessians = factors @ np.swapaxes(factors, -1, -2) + np.eye(d)
    problem = interpreted(problems.from_hessians(hessians, rng.standard_normal((m, 1, d))))
    graph, method = _symmetric(rng, m), (updates.gradient_tracking, updates.exact_diffusion)[number % 2]
    epochs = [np.zeros((m, 1), dtype=np.int64)] * 800
    found = _points(problem, method(graph=graph), 0.15 / problem.constants["L"], epochs)
    return difference(found, np.broadcast_to(problem.x_star, (m, d)))  # type: ignore[arg-type]


@mean("N5", "mean square after talks in pairs", cases=8, margin=0.05)
def talks(rng: Generator, number: int) -> Measured:
    graph, x = _symmetric(rng, 6), rng.standard_normal(6)
    exact = theory.randomized_gossip_moments(6, pairs(graph), x, 8)
    runs = [graphs.randomized(graph, x[:, None], steps=8, seed=seed_of(rng)).error for _ in range(500)]
    return np.mean(np.mean(runs, axis=0) / exact)


@upper("N5", "mean square after talks in pairs, plain and accelerated", cases=4, tight=0.05)
def talks_bound(rng: Generator, number: int) -> Measured:
    m, steps = 12, 60
    graph, a = graphs.ring(m=m), theory.connectivity(m, pairs(graphs.ring(m=m)))
    x = np.cos(2.0 * np.pi * np.arange(m) / m)  # the slowest mode
    if number % 2 == 0:
        exact = theory.randomized_gossip_moments(m, pairs(graph), x, steps)
        return ratio(exact, exact[0] * (1.0 - a / (2.0 * graph.edges / 2)) ** np.arange(steps + 1))
    r = 1.0 - theory.accelerated_gossip_rate(m, pairs(graph))
    runs = [graphs.accelerated(graph, x[:, None], steps=steps, seed=seed_of(rng)).error for _ in range(60)]
    start = 2.0 * (2.0 / a) * float(x @ x)  # Psi of v = x in the slowest mode
    bound = 0.5 * a * start * (1.0 - r) ** np.arange(steps + 1)
    return ratio(np.mean(runs, axis=0), bound)


@identity("N6", "mean of the gossiped estimates, over the running sum", cases=8)
def gossiped_sum(rng: Generator, number: int) -> Measured:
    m, n, d = 5, 8 + number % 2, 3
    problem = problems.skewed(m=m, n=n, d=d)
    graph = _symmetric(rng, m) if number % 3 else graphs.complete(m=m)
    ordering, z = orderings.cd_grab_gossip(graph=graph), rng.standard_normal((m, n, d))
    state = ordering.init(problem, rng)
    G = np.take_along_axis(z, state.pi[:, :, None], axis=1).swapaxes(0, 1)
    ordering.observe(state, Seen.along(state.pi, 0, np.ascontiguousarray(G)))  # type: ignore[misc]
    average, before = state.s.mean(axis=0) * m * state.share, state.pi.copy()
    after = ordering.advance(state, rng).pi
    signed = pair_signs(before, after)[:, :, None] * pair_differences(z, before)
    return difference(average, signed.sum(axis=(0, 1)), scale=1.0)
