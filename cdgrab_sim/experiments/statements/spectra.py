"""Spectra of orders (P): floors from power, power from orders, with `simulate` and `cg.analysis.spectrum`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.random import Generator

from cdgrab_sim import herding, problems
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import spectrum
from cdgrab_sim.experiments._orders import draws, given, permutations
from cdgrab_sim.experiments.spectrum import floors, orders
from cdgrab_sim.experiments.statements._instances import (
    centred,
    one_round,
    pair_differences,
    pair_signs,
    random_orders,
    seed_of,
    vectors,
)
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, ratio, upper
from theory import spectra as theory


def _standing(rng: Generator, number: int, update: str) -> dict[str, FloatArray]:
    order = floors.STANDING[number % len(floors.STANDING)]
    sizes: dict[str, Any] = {"m": 2 + number % 3, "n": 2 * int(rng.integers(2, 9)), "d": 3}
    return floors.standing_floor(sizes | {"ordering": order, "update": update, "seed": seed_of(rng)})


@identity("P1", "floor of orders that repeat, from their power", cases=10, tol=1e-9)
def from_power(rng: Generator, number: int) -> Measured:
    found = _standing(rng, number, "sgd")
    return difference(found["measured"], found["predicted"])


@identity("P1", "power of an order", cases=10)
def power(rng: Generator, number: int) -> Measured:
    m, n, d = 1 + number % 3, int(rng.integers(2, 12)), 2
    z, pi = centred(vectors(rng, number, m, n, d), (0, 1)), random_orders(rng, m, n)
    both = theory.order_power(np.take_along_axis(z, pi[..., None], axis=1).mean(axis=0))
    found = spectrum(z, pi).power
    signs = np.where(2 * np.arange(len(found)) % n == 0, 1, 2)[:, None]
    return difference(found, signs * both[: len(found)], scale=float(both.sum()))


@identity("P2", "floors of momentum and gossip, from transfer functions", cases=9, tol=1e-9)
def transfer(rng: Generator, number: int) -> Measured:
    found = _standing(rng, number // 3, ("heavy-ball", "nesterov", "gossip")[number % 3])
    return difference(found["measured"], found["predicted"])


def _prefixes(rng: Generator, number: int) -> tuple[FloatArray, FloatArray, Any]:
    """Return vectors (1, n, 1), the variance of their prefixes and an order; every fourth alternates."""
    n = 2 * int(rng.integers(2, 17))
    z = centred(vectors(rng, number, 1, n, 1), (1,))
    pi = herding.order(z, ("rr", "d-grab-pair")[number % 2], rounds=3, seed=seed_of(rng))
    if number % 4 == 0:
        z[0, pi[0], 0] = np.resize([1.0, -1.0], n)
    S = np.cumsum(z[0, pi[0]], axis=0)
    return z, S.var(axis=0), pi


@upper("P3", "power up to a frequency, by the prefixes", cases=40, tight=0.999)
def low_power(rng: Generator, number: int) -> Measured:
    z, V, pi = _prefixes(rng, number)
    found = spectrum(z, pi)
    reached = np.cumsum(found.power[1:, 0])
    bounds = [theory.prefix_power_bound(2.0 * np.pi * f, V)[0] for f in found.frequency[1:]]
    return ratio(reached, bounds, scale=float(V[0]))


@upper("P3", "floor of sgd, by the prefixes", cases=40, tight=0.999)
def by_prefixes(rng: Generator, number: int) -> Measured:
    z, V, pi = _prefixes(rng, number)
    like = problems.quadratic(m=1, n=z.shape[1], d=1, eigenvalues=[1.0])
    x_star = np.zeros(1)
    data = like.data._replace(b=-z, x_star=x_star)
    problem = Problem(**{**vars(like), "data": data, "x_star": x_star})
    alpha = float(rng.uniform(0.1, 1.5))
    e, _ = floors.errors(problem, given([pi]), floors.update_of("sgd", 1)[0], 400, 1, 0, alpha)
    return ratio((e**2).mean(axis=(0, 1)), theory.prefix_floor_bound(alpha, [1.0], V), scale=float(V[0]))


@identity("P4", "density of reshuffling and of draws, over all orders", cases=6)
def drawn(rng: Generator, number: int) -> Measured:
    ordering, m, n = theory.DRAWN[number % 2], 1 + number // 2 % 2, 3
    z = centred(vectors(rng, 0, m, n, 1), (1,))
    every = list(permutations(m, n) if ordering == "rr" else draws(m, n))
    if ordering == "rr":  # two epochs, between the frequencies of one
        every = [pi for pair in itertools.product(every, repeat=2) for pi in pair]
    found = spectrum(z, np.array(every), window=2 if ordering == "rr" else 1)
    predicted = theory.drawn_density(ordering, 2.0 * np.pi * found.frequency, n)
    return difference(found.density[:, 0], float((z**2).mean()) / m * predicted)


@identity("P5", "power after a round of pair balancing", cases=12)
def folding(rng: Generator, number: int) -> Measured:
    m, n, d = 1 + number % 3, 2 * int(rng.integers(1, 9)), 2
    z, pi = centred(vectors(rng, number, m, n, d), (0, 1)), random_orders(rng, m, n)
    after = one_round(z, ("cd-grab", "d-grab-pair")[number % 2], pi)
    stream = np.take_along_axis(z, pi[..., None], axis=1)
    sums = (stream[:, ::2] + stream[:, 1::2]).mean(axis=0)
    signed = (pair_signs(pi, after)[..., None] * pair_differences(z, pi)).mean(axis=0)
    both = theory.folded_power(sums, signed)
    found = spectrum(z, after).power
    signs = np.where(2 * np.arange(len(found)) % n == 0, 1, 2)[:, None]
    return difference(found, signs * both[: len(found)], scale=float(both.sum()))


@identity("P6", "density of balanced orders at low frequencies, as modelled", cases=6, tol=0.12)
def balanced(rng: Generator, number: int) -> Measured:
    m, d, n = (1, 4, 16)[number % 3], (3, 8)[number // 3], 256
    cell = {"m": m, "n": n, "d": d, "settled": 20, "every": 4, "epochs": 100, "ordering": "cd-grab"}
    densities = [orders.power(cell | {"seed": seed_of(rng)})["density"] for _ in range(3)]
    f = np.arange(n // 2 + 1) / n
    inside = (f >= 2.0 / n) & (f <= orders.HIGH)
    predicted = theory.balanced_density(2.0 * np.pi * f, m, d)
    return abs(float(np.mean(np.mean(densities, axis=0)[inside] / predicted[inside])) - 1.0)
