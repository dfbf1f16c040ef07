"""Quadratics with their own Hessians (G): exact products and biases, by enumeration with `simulate`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.random import Generator

from cdgrab_sim._records import Problem
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.experiments._orders import draws, last, permutations
from cdgrab_sim.experiments.statements._instances import random_orders
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity
from theory import instances
from theory import quadratics as theory


def _grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    hessians, linear = data
    out[:] = hessians[who, idx] @ x - linear[who, idx]


def _value(x: FloatArray, data: Data) -> float:
    hessians, linear = data
    return float(0.5 * x @ hessians.mean(axis=(0, 1)) @ x - linear.mean(axis=(0, 1)) @ x)


def quadratics(hessians: FloatArray, linear: FloatArray) -> Problem:
    """Return f_ij = x' A_ij x / 2 - c_ij' x from A (m, n, d, d) and c (m, n, d)."""
    m, n, d = linear.shape
    return Problem("quadratics", m=m, n=n, d=d, data=(hessians, linear), grads=_grads, value=_value)


def draw(rng: Generator, m: int, n: int, d: int = 2) -> tuple[FloatArray, FloatArray]:
    root = rng.standard_normal((m, n, d, d))
    return root @ root.swapaxes(-1, -2) + 0.3 * np.eye(d), rng.standard_normal((m, n, d))


def _affine(problem: Problem, orders: Iterable[list[Any]], alpha: float) -> FloatArray:
    """Return the mean over lists of orders of the map x -> end of the run, as a matrix on (x, 1)."""
    d = problem.d
    starts = np.vstack([np.zeros(d), np.eye(d)])
    ends = np.mean([[last(problem, pi, alpha, x0) for x0 in starts] for pi in orders], axis=0)
    matrix = np.eye(d + 1)
    matrix[:d, d], matrix[:d, :d] = ends[0], (ends[1:] - ends[0]).T
    return matrix


def _fixed_point(matrix: FloatArray) -> FloatArray:
    d = len(matrix) - 1
    return np.asarray(np.linalg.solve(np.eye(d) - matrix[:d, :d], matrix[:d, d]))


@identity("G1", "mean map of an epoch over all orders", cases=6)
def mean_map(rng: Generator, number: int) -> Measured:
    law, n = ("rr", "sgd")[number % 2], 3 + number % 4 // 2
    A, c = draw(rng, 1, n)
    orders = permutations(1, n) if law == "rr" else draws(1, n)
    measured = _affine(quadratics(A, c), ([pi] for pi in orders), 0.1)
    return difference(measured, theory.expected_epoch(law, theory.affine_maps(0.1, A[0], c[0])))


@identity("G1", "mean square after an epoch over all orders", cases=4)
def mean_square(rng: Generator, number: int) -> Measured:
    A, c = draw(rng, 1, 4)
    problem, x0 = quadratics(A, c), rng.standard_normal(2)
    ends = np.array([[*last(problem, [pi], 0.1, x0), 1.0] for pi in permutations(1, 4)])
    squares = theory.expected_epoch("rr", theory.squares(theory.affine_maps(0.1, A[0], c[0])))
    start = np.append(x0, 1.0)
    return difference(ends.T @ ends / len(ends), (squares @ np.outer(start, start).ravel()).reshape(3, 3))


@identity("G1", "stationary mean of random reshuffling", cases=4, tol=1e-9)
def stationary_mean(rng: Generator, number: int) -> Measured:
    A, c = draw(rng, 1, 4)
    measured = _fixed_point(_affine(quadratics(A, c), ([pi] for pi in permutations(1, 4)), 0.05))
    return difference(measured, theory.stationary_mean("rr", 0.05, A[0], c[0]))


SMALL = 1e-4  # step at which the leading terms are compared; what follows them is of relative order alpha


@identity("G3", "bias of random reshuffling at a small step, by enumeration", cases=6, tol=0.02)
def reshuffling_bias(rng: Generator, number: int) -> Measured:
    m, n = ((1, 3), (2, 2), (2, 3))[number % 3]
    A, c = draw(rng, m, n)
    at = instances.general_quadratics(A, c)
    measured = _fixed_point(_affine(quadratics(A, c), ([pi] for pi in permutations(m, n)), SMALL))
    return difference(measured - at.x_star, theory.reshuffling_bias(SMALL, A, at.gradients))


def _steps(A: FloatArray, z: FloatArray, pi: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the means over workers, step by step."""
    rows = np.arange(len(pi))[:, None]
    return A[rows, pi].mean(axis=0), z[rows, pi].mean(axis=0)


@identity("G4", "limit of a given order at a small step", cases=10, tol=0.02)
def fixed_order_bias(rng: Generator, number: int) -> Measured:
    m, n = 1 + number % 2, int(rng.integers(2, 8))
    A, c = draw(rng, m, n)
    at, pi = instances.general_quadratics(A, c), random_orders(rng, m, n)
    e = _fixed_point(_affine(quadratics(A, c), [[pi]], SMALL)) - at.x_star
    return difference(e, theory.fixed_order_bias(SMALL, *_steps(A, at.gradients, pi)))


@identity("G4b", "limit of an order and its reverse at a small step", cases=10, tol=0.03)
def reversed_pair_bias(rng: Generator, number: int) -> Measured:
    m, n = 1 + number % 2, int(rng.integers(2, 8))
    A, c = draw(rng, m, n)
    at, pi = instances.general_quadratics(A, c), random_orders(rng, m, n)
    e = _fixed_point(_affine(quadratics(A, c), [[pi, pi[:, ::-1]]], SMALL)) - at.x_star
    return difference(e, theory.reversed_pair_bias(SMALL, *_steps(A, at.gradients, pi)))
