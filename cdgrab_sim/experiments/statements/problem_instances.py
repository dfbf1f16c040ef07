"""Instances (I): the problems that `cdgrab_sim.problems` builds are those that theory speaks of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator
from scipy.special import ndtr

from cdgrab_sim import problems
from cdgrab_sim._records import Record
from cdgrab_sim.experiments._orders import last, permutations
from cdgrab_sim.experiments.statements._statement import (
    Measured,
    difference,
    identity,
    lower,
    mean,
    upper,
)
from cdgrab_sim.experiments.statements.general_quadratics import quadratics
from cdgrab_sim.synchronous._simulate import simulate
from theory import instances as theory
from theory.quadratics import average_product


@identity("I1", "gradients and value of the skewed problem", cases=30)
def skewed(rng: Generator, number: int) -> Measured:
    kappa = float(rng.uniform(1.0, 40.0))
    problem = problems.skewed(m=3, n=5, d=4, kappa=kappa, heterogeneity=1.0, seed=int(rng.integers(2**31)))
    x = rng.standard_normal(4)
    g = problem.gradients(x)
    terms = g - g.mean(axis=(0, 1))
    value = problem.value(x, problem.data)
    return [
        difference(g.mean(axis=(0, 1)), theory.skewed_gradient(x, kappa, 1.0)),
        difference(terms, problem.gradients(np.zeros(4))),
        difference(value, theory.skewed_value(x, kappa, 1.0)),
    ]


@identity("I2", "an epoch on the two-coordinate problem, by its published update", cases=10)
def safran_shamir(rng: Generator, number: int) -> Measured:
    variant, n, lam, top, G = ("shared", "split")[number % 2], 6, 1.0, float(rng.uniform(2.0, 200.0)), 1.0
    eta = float(rng.uniform(0.1, 1.0)) / top
    arrays = theory.safran_shamir(variant, n, G, lam, top)
    problem = quadratics(np.eye(2) * arrays.hessians[None, :, None], -arrays.linear[None])
    pi, x = rng.permutation(n), arrays.x0.copy()
    for j in pi:
        first = j < n // 2
        curved = first or variant == "shared"
        x = np.array(
            [(1 - eta * lam) * x[0], (1 - eta * top * curved) * x[1] + (1 if first else -1) * eta * G / 2]
        )
    return difference(last(problem, [pi[None]], eta, arrays.x0), x)


@identity("I3", "loss of noiseless steps", cases=20)
def noiseless(rng: Generator, number: int) -> Measured:
    c, alpha, x0, T = float(rng.uniform(0.5, 3)), float(rng.uniform(0.01, 1.2)), float(rng.normal()), 6
    problem = quadratics(np.full((1, 2, 1, 1), c), np.zeros((1, 2, 1)))
    run = simulate(problem, "ig", epochs=T, step_size=alpha, x0=[x0])
    assert run.loss is not None
    return difference(run.loss[0], [theory.scalar_loss(c, alpha, x0, 2 * t) for t in range(T + 1)])


@lower("I3", "loss after steps of at most 1 / (mu n T)", cases=30, loose=1.01)
def small_steps(rng: Generator, number: int) -> Measured:
    mu, T = float(rng.uniform(0.5, 3)), 1 + number % 5
    alpha = (1.0 if number % 2 == 0 else float(rng.uniform(0.1, 1.0))) / (mu * 2 * T)
    problem = quadratics(np.full((1, 2, 1, 1), mu), np.zeros((1, 2, 1)))
    run = simulate(problem, "ig", epochs=T, step_size=alpha, x0=[1.5])
    assert run.loss is not None
    return run.loss[0, -1] / theory.small_step_loss(mu, 1.5)


@identity("I4", "minimiser, spread and constants of the quadratic problem", cases=10)
def shared_hessian(rng: Generator, number: int) -> Measured:
    problem = problems.quadratic(m=3, n=5, d=3, heterogeneity=1.0, seed=int(rng.integers(2**31)))
    centres, lam = problem.data.b, problem.data.eigenvalues
    arrays = theory.shared_hessian(np.diag(lam), centres)
    variance = float(np.sum(lam**2 * np.diagonal(arrays.covariance)))
    assert problem.x_star is not None
    return [
        difference(problem.x_star, arrays.x_star),
        difference(problem.constants["sigma"] ** 2, variance),
        difference(problem.gradients(arrays.x_star), -lam * arrays.deviations),
    ]


@identity("I5", "minimum of quadratics with their own Hessians", cases=10)
def general(rng: Generator, number: int) -> Measured:
    root = rng.standard_normal((2, 3, 2, 2))
    A, c = root @ root.swapaxes(-1, -2) + 0.1 * np.eye(2), rng.standard_normal((2, 3, 2))
    problem, at = quadratics(A, c), theory.general_quadratics(A, c)
    g = problem.gradients(at.x_star)
    return [
        difference(g, at.gradients),
        float(np.abs(g.mean(axis=(0, 1))).max()),
        difference(problem.value(at.x_star, problem.data), at.f_star),
    ]


@mean("I6", "mean of rr on the skewed problem, alpha n L = 0.1, n = 400", cases=8, margin=0.08)
def skewed_mean(rng: Generator, number: int) -> Measured:
    m, kappa, n = (1, 4)[number % 2], (10.0, 50.0)[number // 2 % 2], 400
    problem = problems.skewed(m=m, n=n, d=4, kappa=kappa, seed=int(rng.integers(2**31)))
    alpha = 0.1 / (n * kappa)
    record = Record(loss=False, grad_norm=False, trajectory=True)
    start, epochs = np.full(4, 0.5 * alpha * np.sqrt(n / m)), round(300 * kappa**0.5)
    run = simulate(problem, "rr", epochs=epochs, step_size=alpha, x0=start, seed=number, record=record)
    assert run.trajectory is not None
    sigma = np.sqrt(np.mean(problem.data.terms**2, axis=(0, 1)))
    measured = run.trajectory[0, epochs // 3 :].mean(axis=0) / sigma
    return measured.mean() / theory.skewed_mean(kappa, alpha, 1.0, n, m)


@identity("I6", "constant of the drift, by quadrature over the bridge", cases=10, tol=1e-6)
def drift_constant(rng: Generator, number: int) -> Measured:
    kappa = 1.5 + 10.0 * number
    c = theory.bridge_constant(kappa)
    phi = (np.arange(4000) + 0.5) * (np.pi / 4000)
    s, weight = np.sin(phi) / 2, np.sin(phi) / 2  # t = (1 - cos phi) / 2, where B(t) has deviation s
    excess = s * np.exp(-((c / s) ** 2) / 2) / np.sqrt(2 * np.pi) - c * ndtr(-c / s)
    return difference((kappa - 1) * np.sum(excess * weight) * (np.pi / 4000), c)


@identity("I1", "an epoch of sign terms that stays on one side", cases=10)
def sign_terms(rng: Generator, number: int) -> Measured:
    # To the right of the kink the skewed problem is a quadratic of curvature 1: every step is known.
    m, n, nu, alpha = 1 + number % 3, 2 * int(rng.integers(1, 6)), float(rng.uniform(0.1, 1.0)), 0.02
    problem = problems.skewed(m=m, n=n, d=1, kappa=4.0)
    terms = theory.sign_terms(m, n, nu)
    problem = replace(problem, data=problem.data._replace(terms=terms[..., None]))
    pi = np.array([rng.permutation(n) for _ in range(m)])
    x = 5.0
    for k in range(n):
        x -= alpha * (x + terms[np.arange(m), pi[:, k]].mean())
    return difference(last(problem, [pi], alpha, [5.0]), [x])


@upper("I2", "how far the published step size forgets the start, times n T", cases=10, tight=0.9)
def forgotten(rng: Generator, number: int) -> Measured:
    n, T, lam = 2 * int(rng.integers(3, 20)), int(rng.integers(5, 40)), float(rng.uniform(0.5, 2.0))
    eta = theory.safran_shamir_step_size(n, T, lam)
    problem = quadratics(np.full((1, n, 1, 1), lam), np.zeros((1, n, 1)))
    return last(problem, [np.arange(n)[None]], eta, [1.0], T)[0] * n * T


@identity("I7", "mean product of De Sa's matrices over all orders", cases=1)
def de_sa(rng: Generator, number: int) -> Measured:
    arrays = theory.de_sa()
    problem = quadratics((np.eye(5) - arrays.matrices)[None], np.zeros((1, 5, 5)))
    products = [[last(problem, [pi], 1.0, x0) for x0 in np.eye(5)] for pi in permutations(1, 5)]
    measured = np.mean(products, axis=0).T
    return [
        difference(measured, arrays.reshuffled),
        difference(measured, average_product(arrays.matrices)),
    ]


@identity("I8", "gradients of the robust problem", cases=20)
def robust(rng: Generator, number: int) -> Measured:
    a, y = rng.standard_normal((6, 3)), rng.standard_normal(6)
    problem = problems.from_arrays(a, y, loss="robust", m=1)
    x = rng.standard_normal(3)
    r = a @ x - y
    g = theory.robust_loss(r, derivative=1)[:, None] * a
    value = problem.value(x, problem.data)
    return [
        difference(np.sum(problem.gradients(x), axis=(0, 1)), g.sum(axis=0)),
        difference(value, theory.robust_loss(r).mean()),
    ]


@upper("I8", "change of the gradients of the robust problem", cases=40, tight=0.9)
def robust_smoothness(rng: Generator, number: int) -> Measured:
    a, norm = rng.standard_normal((5, 3)), ("l2", "inf")[number % 2]
    problem = problems.from_arrays(a, np.zeros(5), loss="robust", m=1)
    longest = a[np.argmax(np.linalg.norm(a, axis=1))]
    direction = longest if norm == "l2" else np.sign(longest)
    step = 1e-4 * direction + (number % 4 // 2) * rng.standard_normal(3)  # at the origin phi'' is largest
    change = np.linalg.norm(problem.gradients(step) - problem.gradients(np.zeros(3)), axis=2).max()
    size = np.abs(step).max() if norm == "inf" else np.linalg.norm(step)
    return change / size / theory.robust_smoothness(a, norm)
