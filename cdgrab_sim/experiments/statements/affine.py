"""Linear methods (M): moments, rates and maps, with `simulate` run over every order and on basis vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from cdgrab_sim import updates
from cdgrab_sim._records import Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._orders import draws, permutations
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity
from cdgrab_sim.experiments.statements.general_quadratics import draw, quadratics
from cdgrab_sim.synchronous._engine import Engine
from theory import affine as theory

METHODS: tuple[dict[str, Any], ...] = (
    {"update": updates.sgd(weight_decay=0.25)},
    {"update": updates.heavy_ball(momentum=0.5, weight_decay=0.25)},
    {"update": updates.nesterov(momentum=0.5, weight_decay=0.25), "kind": "nesterov"},
)


def epoch_of(problem: Problem, update: Update, alpha: float, pi: Any) -> FloatArray:
    """Return an epoch in the orders pi as a matrix on (x, S, 1), a column for each basis vector."""
    shape = Engine(problem, update).it
    d, size = problem.d, problem.d + shape.S.size

    def end(s: FloatArray) -> FloatArray:
        engine = Engine(problem, update, s[:d])
        engine.it.S[:] = s[d:].reshape(shape.S.shape)
        engine.epoch(np.array(pi, order="C"), np.full(problem.n, alpha), None)
        return np.concatenate([engine.it.x, engine.it.S.ravel()])

    zero, P = end(np.zeros(size)), np.eye(size + 1)
    P[:-1, :-1] = np.transpose([end(e) - zero for e in np.eye(size)])
    P[:-1, -1] = zero
    return P


def _claimed(number: int, alpha: float, A: FloatArray, c: FloatArray) -> tuple[Update, FloatArray]:
    """Return a method and its maps on the means over workers of A (m, n, d, d) and c (m, n, d)."""
    method = dict(METHODS[number % len(METHODS)])
    update, (m, n) = method.pop("update"), c.shape[:2]
    w = np.stack(np.meshgrid(*[np.arange(n)] * m, indexing="ij"), axis=-1)
    hessians, linear = A[np.arange(m), w].mean(axis=-3), c[np.arange(m), w].mean(axis=-2)
    return update, theory.momentum_maps(alpha, hessians, linear, **update.settings, **method)


def _epochs(
    rng: Generator, number: int, alpha: float, laws: tuple[str, ...] = ("sgd", "rr")
) -> tuple[str, list[FloatArray], FloatArray]:
    """Return a law, the matrices of all its epochs from the engine of `simulate`, and the claimed maps."""
    m, n = ((1, 3), (2, 2))[number % 2]
    law = laws[number // 2 % len(laws)]
    A, c = draw(rng, m, n, 1)
    update, maps = _claimed(number, alpha, A, c)
    orders = permutations(m, n) if law == "rr" else draws(m, n)
    return law, [epoch_of(quadratics(A, c), update, alpha, pi) for pi in orders], maps


@identity("M1", "mean and square after two epochs, over all orders", cases=12)
def over_orders(rng: Generator, number: int) -> Measured:
    law, epochs, maps = _epochs(rng, number, 0.1)
    s0 = rng.standard_normal(len(epochs[0]) - 1)
    Y = np.outer(np.append(s0, 1.0), np.append(s0, 1.0))
    mean, square = theory.moments(law, maps, s0, 2)
    for _ in range(2):
        Y = np.mean([P @ Y @ P.T for P in epochs], axis=0)
    return [difference(mean, Y[:-1, -1]), difference(square, Y[:-1, :-1])]


@identity("M1", "square after an epoch, recursion and enumeration", cases=12)
def recursion(rng: Generator, number: int) -> Measured:
    _, epochs, maps = _epochs(rng, number, 0.1, ("rr",))
    Y = np.outer(y := rng.standard_normal(len(epochs[0])), y)
    measured = np.mean([P @ Y @ P.T for P in epochs], axis=0)
    return [difference(theory.epoch_square("rr", maps, Y, how), measured) for how in ("subsets", "orders")]


@identity("M1", "mean-square rate, over all orders", cases=12)
def rate(rng: Generator, number: int) -> Measured:
    law, epochs, maps = _epochs(rng, number, 0.1)
    squares = np.mean([np.kron(P[:-1, :-1], P[:-1, :-1]) for P in epochs], axis=0)
    radius = float(np.abs(np.linalg.eigvals(squares)).max())
    per_step, per_epoch = theory.mean_square_rate(law, maps)
    return [difference(per_epoch, radius), difference(per_step ** len(maps), radius)]


@identity("M1", "covariance in the long run, over all orders", cases=12, tol=1e-9)
def long_run(rng: Generator, number: int) -> Measured:
    law, epochs, maps = _epochs(rng, number, 0.05)
    size = len(epochs[0]) - 1
    squares = np.mean([np.kron(P[:-1, :-1], P[:-1, :-1]) for P in epochs], axis=0)
    whole = np.mean(epochs, axis=0)
    mean = np.linalg.solve(np.eye(size) - whole[:-1, :-1], whole[:-1, -1])
    pushes = [P[:-1, :-1] @ mean + P[:-1, -1] - mean for P in epochs]
    noise = np.mean([np.outer(v, v) for v in pushes], axis=0)
    covariance = np.linalg.solve(np.eye(size**2) - squares, noise.ravel()).reshape(size, size)
    predicted = theory.stationary_moments(law, maps)
    return [difference(predicted[0], mean), difference(predicted[1], covariance)]


@identity("M2", "maps of momentum, from runs on basis vectors", cases=9)
def momentum(rng: Generator, number: int) -> Measured:
    m, d = 1 + number % 2, 1 + number % 3
    A, c = draw(rng, m, 1, d)
    update, maps = _claimed(number, 0.1, A, c)
    return difference(epoch_of(quadratics(A, c), update, 0.1, np.zeros((m, 1), int)), maps[(0,) * m])


@identity("M2", "maps of tables of gradients, from runs on basis vectors", cases=6)
def tables(rng: Generator, number: int) -> Measured:
    kind, n = ("sag", "saga")[number % 2], 2 + number % 3
    A, c = draw(rng, 1, n, 2)
    maps, pi = theory.table_maps(0.1, A[0], c[0], kind), rng.permutation(n)
    problem, update = quadratics(A, c), updates.make(kind)

    def end(s: FloatArray) -> FloatArray:
        """Go an epoch from x and a table; the rows of S before the table start with its sum."""
        engine = Engine(problem, update, s[:2])
        engine.it.S[-n:] = s[2:].reshape(n, 2)
        engine.it.S[0] = engine.it.S[-n:].sum(axis=0)
        engine.epoch(pi[None], np.full(n, 0.1), None)
        return np.concatenate([engine.it.x, engine.it.S[-n:].ravel()])

    size = maps.shape[-1] - 1
    zero = end(np.zeros(size))
    P = np.column_stack([*[end(e) - zero for e in np.eye(size)], zero])
    return difference(P, np.linalg.multi_dot([*maps[pi[::-1]]])[:-1])
