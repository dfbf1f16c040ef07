"""Quadratics with one Hessian (Q): exact moments against every order that `simulate` could follow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._orders import draws, given, last, permutations
from cdgrab_sim.experiments.statements._instances import random_orders
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, mean
from cdgrab_sim.synchronous._simulate import simulate
from theory import quadratics as theory


class Instance:
    """A quadratic with what theory asks for."""

    def __init__(self, rng: Generator, m: int, n: int, d: int = 2) -> None:
        lam = np.sort(rng.uniform(0.5, 4.0, size=d))
        self.problem: Problem = problems.quadratic(
            m=m,
            n=n,
            d=d,
            eigenvalues=lam.tolist(),
            heterogeneity=1.0,
            seed=int(rng.integers(2**31)),
        )
        self.lam = lam
        assert self.problem.x_star is not None
        self.x_star = self.problem.x_star
        self.b = self.problem.data.b - self.x_star
        within = (self.b - self.b.mean(axis=1, keepdims=True)).reshape(-1, d)
        self.sig = within.T @ within / len(within)

    def steps(self, pi: ArrayLike) -> FloatArray:
        """Return u_k (n, d) of orders (m, n)."""
        return np.asarray(np.take_along_axis(self.b, np.asarray(pi)[..., None], axis=1).mean(axis=0))

    def errors(self, orders: list[list[Any]], alpha: float, e0: FloatArray) -> FloatArray:
        """Return x_T - x_star for each list of orders."""
        return np.array([last(self.problem, pi, alpha, self.x_star + e0) - self.x_star for pi in orders])


def mean_square(errors: FloatArray) -> FloatArray:
    return np.asarray(errors.T @ errors / len(errors))


def every_epoch(ordering: str, m: int, n: int) -> list[list[Any]]:
    """Return all equally likely lists of orders of one epoch, of flipflop of a pair of epochs."""
    if ordering == "sgd":
        return [[pi] for pi in draws(m, n)]
    return [[pi, pi[:, ::-1]] if ordering == "flipflop" else [pi] for pi in permutations(m, n)]


@identity("Q1", "iterates of changing orders, all epochs", cases=40)
def changing(rng: Generator, number: int) -> Measured:
    q = Instance(rng, m=1 + number % 3, n=int(rng.integers(2, 9)))
    alpha, e0 = float(rng.uniform(0.01, 0.4)), rng.standard_normal(2)
    run = simulate(
        q.problem,
        ("cd-grab", "rr", "d-grab")[number % 3],
        epochs=6,
        step_size=alpha,
        x0=q.x_star + e0,
        record=Record(orders=True, trajectory=True),
    )
    assert run.orders is not None
    assert run.trajectory is not None
    u = [q.steps(pi) for pi in run.orders[0]]
    return difference(run.trajectory[0] - q.x_star, theory.changing_orders(alpha, q.lam, u, e0))


@identity("Q1", "displacement of an epoch from its prefixes", cases=20)
def displaced(rng: Generator, number: int) -> Measured:
    m, n = 1 + number % 3, int(rng.integers(2, 9))
    q, alpha, pi = Instance(rng, m, n), float(rng.uniform(0.01, 0.4)), random_orders(rng, m, n)
    measured = last(q.problem, [pi], alpha, q.x_star) - q.x_star
    return difference(measured, theory.epoch_displacement(alpha, q.lam, q.steps(pi)))


@identity("Q2", "mean displacement of an epoch vanishes, by enumeration", cases=6)
def zero_mean(rng: Generator, number: int) -> Measured:
    ordering, (m, n) = ("sgd", "rr", "flipflop")[number % 3], ((1, 3), (2, 3))[number // 3 % 2]
    q = Instance(rng, m, n)
    errors = q.errors(every_epoch(ordering, m, n), 0.2, np.zeros(2))
    return float(np.abs(errors.mean(axis=0)).max() / np.abs(errors).max())


def _noise(rng: Generator, number: int, ordering: str, m: int, n: int) -> tuple[FloatArray, FloatArray]:
    q, alpha = Instance(rng, m, n), float(rng.uniform(0.02, 0.45))
    measured = mean_square(q.errors(every_epoch(ordering, m, n), alpha, np.zeros(2)))
    return measured, theory.epoch_noise_covariance(ordering, alpha, q.lam, n, m, q.sig)


@identity("Q3", "covariance of an epoch with replacement, by enumeration", cases=6)
def with_replacement(rng: Generator, number: int) -> Measured:
    return difference(*_noise(rng, number, "sgd", *((1, 3), (2, 2))[number % 2]))


@identity("Q4", "covariance of a random-reshuffling epoch, by enumeration", cases=10)
def reshuffled(rng: Generator, number: int) -> Measured:
    return difference(*_noise(rng, number, "rr", *((1, 4), (2, 3))[number % 2]))


@identity("Q4", "covariance inside an epoch, by enumeration", cases=6)
def inside(rng: Generator, number: int) -> Measured:
    # Steps too small to move anything end the epoch after k of them.
    n, k = 4, 1 + number % 4
    q, alpha = Instance(rng, 1, n), float(rng.uniform(0.02, 0.45))
    steps = np.where(np.arange(n) < k, alpha, 1e-300)
    ends = [
        simulate(q.problem, given([pi]), epochs=1, step_size=steps[None], x0=q.x_star).x[0] - q.x_star
        for pi in permutations(1, n)
    ]
    return difference(
        mean_square(np.array(ends)), theory.partial_epoch_covariance(alpha, q.lam, k, n, 1, q.sig)
    )


@identity("FF", "covariance of a pair of flipflop epochs, by enumeration", cases=6)
def flipped(rng: Generator, number: int) -> Measured:
    return difference(*_noise(rng, number, "flipflop", *((1, 4), (2, 3))[number % 2]))


@identity("Q5", "second moment after two epochs, by enumeration", cases=3)
def two_epochs(rng: Generator, number: int) -> Measured:
    ordering, n = ("rr", "sgd", "rr")[number % 3], 3
    q, alpha, e0 = Instance(rng, 1, n), float(rng.uniform(0.02, 0.45)), rng.standard_normal(2)
    epochs = every_epoch(ordering, 1, n)
    measured = mean_square(q.errors([a + b for a in epochs for b in epochs], alpha, e0))
    return difference(measured, theory.second_moment(ordering, alpha, q.lam, n, 1, q.sig, e0, 2))


@identity("Q5", "expected loss of an epoch, by enumeration", cases=6)
def loss(rng: Generator, number: int) -> Measured:
    q, alpha, e0 = Instance(rng, 1, 3), float(rng.uniform(0.02, 0.45)), rng.standard_normal(2)
    ends = q.errors(every_epoch("rr", 1, 3), alpha, e0)
    f = [q.problem.value(q.x_star + e, q.problem.data) for e in ends]
    moment = theory.second_moment("rr", alpha, q.lam, 3, 1, q.sig, e0, 1)
    return difference(np.mean(f) - (q.problem.f_star or 0.0), theory.expected_loss(q.lam, moment))


@mean("Q5", "mean squares in the runs of every random ordering", cases=24, margin=0.05)
def sampled(rng: Generator, number: int) -> Measured:
    ordering, m, T = theory.ORDERINGS[number % 4], (1, 3)[number // 4 % 2], 2 + number // 8
    q, alpha, e0 = Instance(rng, m, 6), 0.1, np.array([0.3, -0.2])
    run = simulate(
        q.problem,
        ordering,
        epochs=T,
        step_size=alpha,
        replicates=1500,
        x0=q.x_star + e0,
        seed=int(rng.integers(2**31)),
        record=Record(every=T, loss=False, grad_norm=False),
    )
    squares = np.mean((run.x - q.x_star) ** 2, axis=0)
    return np.mean(squares / np.diagonal(theory.second_moment(ordering, alpha, q.lam, 6, m, q.sig, e0, T)))


@identity("Q6", "second moment of one shuffle for all epochs, by enumeration", cases=6)
def shuffled_once(rng: Generator, number: int) -> Measured:
    m, n, T = *((1, 4), (2, 3))[number % 2], 3
    q, alpha, e0 = Instance(rng, m, n), float(rng.uniform(0.02, 0.45)), rng.standard_normal(2)
    measured = mean_square(q.errors([[pi] * T for pi in permutations(m, n)], alpha, e0))
    return difference(measured, theory.second_moment("so", alpha, q.lam, n, m, q.sig, e0, T))


@identity("Q7", "iterate of one given order", cases=40)
def one_order(rng: Generator, number: int) -> Measured:
    m, n, T = 1 + number % 3, int(rng.integers(2, 9)), int(rng.integers(1, 12))
    q, alpha, e0 = Instance(rng, m, n), float(rng.uniform(0.01, 0.4)), rng.standard_normal(2)
    pi = random_orders(rng, m, n)
    measured = last(q.problem, [pi], alpha, q.x_star + e0, T) - q.x_star
    return difference(measured, theory.fixed_order(alpha, q.lam, q.steps(pi), e0, T))


@identity("Q7", "iterate of one given order, in batches and with weight decay", cases=20)
def batches_and_decay(rng: Generator, number: int) -> Measured:
    # The decay adds to the curvature and draws towards 0: another quadratic, whose centres are nearer.
    m, batch, T = 1 + number % 3, 1 + number // 3 % 3, int(rng.integers(1, 9))
    n = batch * int(rng.integers(2, 6))
    q, alpha, decay = Instance(rng, m, n), float(rng.uniform(0.01, 0.2)), float(rng.uniform(0.1, 2.0))
    pi, total = random_orders(rng, m, n), q.lam + decay
    rest = q.lam * q.x_star / total
    run = simulate(
        q.problem,
        given([pi]),
        epochs=T,
        step_size=alpha,
        batch=batch,
        weight_decay=decay,
        x0=rest + 1.0,
        record=Record(every=T, loss=False, grad_norm=False),
    )
    u = (q.lam / total * q.steps(pi)).reshape(-1, batch, 2).mean(axis=1)
    return difference(run.x[0] - rest, theory.fixed_order(alpha, total, u, np.ones(2), T))


@identity("Q8", "equal workers divide the covariance by m, by enumeration", cases=3)
def worker_factor(rng: Generator, number: int) -> Measured:
    ordering, n, alpha = ("rr", "sgd", "flipflop")[number % 3], 3, 0.2
    one = Instance(rng, 1, n)
    data = one.problem.data
    many = replace(one.problem, m=2, data=data._replace(b=np.tile(data.b, (2, 1, 1))))
    epochs = every_epoch(ordering, 2, n)
    ends = np.array([last(many, pi, alpha, one.x_star) - one.x_star for pi in epochs])
    return difference(
        2.0 * mean_square(ends), theory.epoch_noise_covariance(ordering, alpha, one.lam, n, 1, one.sig)
    )
