"""The self-balancing walk (V5 to V8): its law by enumeration, its prefixes over many runs."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments.statements._instances import largest, pair_differences, random_orders, vectors
from cdgrab_sim.experiments.statements._statement import Measured, ratio, reference, upper
from cdgrab_sim.experiments.statements.balancing import DELTA, violation_rate
from theory import balancing as theory


def _step(w: FloatArray, v: FloatArray, a: float, coin: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Take one step of the self-balancing walk from every row of w; also tell which rows fell back."""
    p = w @ v / a
    fell = np.abs(p) > 1.0
    move = np.where(fell, -p, np.where(coin < (1.0 - p) / 2.0, 1.0, -1.0))
    return w + move[:, None] * v, fell


def _law(v: FloatArray, a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the end points of the walk and their probabilities, by following both coins at every step."""
    w, mass = np.zeros((1, v.shape[1])), np.ones(1)
    for one, threshold in zip(v, a, strict=True):
        plus = np.clip((1.0 - w @ one / threshold) / 2.0, 0.0, 1.0)
        sides = [_step(w, one, threshold, np.full(len(w), coin))[0] for coin in (-1.0, 2.0)]
        w, mass = np.concatenate(sides), np.concatenate([mass * plus, mass * (1.0 - plus)])
    return w[mass > 0.0], mass[mass > 0.0]


@upper("V5", "log moment generating function of the walk, by enumeration", cases=60, tight=0.9)
def walk_is_subgaussian(rng: Generator, number: int) -> Measured:
    k, d = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    v = vectors(rng, number, k, d)
    b = np.linalg.norm(v, axis=1)
    a = (b.max() ** 2 + 0.01) * rng.uniform(
        0.6, 3.0, size=k
    )  # small ones fall back, and shrink faster than they grow
    w, mass = _law(v, a)
    u = rng.standard_normal((50, d)) / (b.max() + 0.1)
    measured = np.log1p(np.expm1(w @ u.T).T @ mass)  # of small vectors, it is far below one
    return ratio(measured, theory.self_balancing_variances(b, a)[-1] * np.sum(u**2, axis=1) / 2.0)


@upper("V5", "probability to fall back, by enumeration", cases=60, tight=0.1)
def walk_falls_back(rng: Generator, number: int) -> Measured:
    v = vectors(rng, number, int(rng.integers(2, 9)), int(rng.integers(1, 4)))
    b = np.linalg.norm(v, axis=1)
    a = (b.max() ** 2 + 0.01) * rng.uniform(0.6, 2.0, size=len(v))
    w, mass = _law(v[:-1], a[:-1])
    measured = mass[np.abs(w @ v[-1]) > a[-1]].sum()
    return ratio(measured, theory.clip_probabilities(b, a)[-1])


@upper("V5", "variances under constant and under adaptive thresholds", cases=40, tight=0.999)
def walk_variances(rng: Generator, number: int) -> Measured:
    b = np.ones(3000) if number % 2 else rng.uniform(1e-3, 1.0, size=300)
    a, delta = float(rng.uniform(1.0, 20.0)), float(rng.uniform(1e-4, 0.5))
    constant = theory.self_balancing_variances(b, np.full(len(b), a)).max()
    halving = theory.self_balancing_variances(b, theory.kernel_halving_thresholds(b, delta)).max()
    return [
        constant / theory.self_balancing_variance_limit(a),
        halving / theory.kernel_halving_variance_bound(delta),
    ]


def _walk_norms(rng: Generator, v: FloatArray, a: float, repetitions: int) -> dict[str, FloatArray]:
    """Return the largest norms of independent walks, infinite where one fell back."""
    w = np.zeros((repetitions, v.shape[1]))
    norms = {"inf": np.zeros(repetitions), "l2": np.zeros(repetitions)}
    for one in v:
        w, fell = _step(w, one, a, rng.random(repetitions))
        np.maximum(norms["inf"], np.abs(w).max(axis=1), out=norms["inf"])
        np.maximum(norms["l2"], np.linalg.norm(w, axis=1), out=norms["l2"])
        for norm in norms.values():
            norm[fell] = np.inf
    return norms


def _walk_ratios(rng: Generator, number: int) -> list[FloatArray]:
    v = vectors(rng, number, (100, 1000)[number % 2], (1, 4, 32)[number % 3])
    B = largest(v, "l2")
    norms = _walk_norms(rng, v, theory.self_balancing_threshold(len(v), DELTA, B), 300)
    return [
        norms[norm] / theory.self_balancing_bound(len(v), v.shape[1], DELTA, norm, B)
        for norm in ("inf", "l2")
    ]


@upper("V6", "share of walks over the bounds", cases=12)
def walk_tails(rng: Generator, number: int) -> Measured:
    return [violation_rate(int(np.sum(r > 1.0)), len(r)) / DELTA for r in _walk_ratios(rng, number)]


@upper("V6", "median walk over the bounds", cases=12, tight=1 / 3)
def walk_tightness(rng: Generator, number: int) -> Measured:
    return [float(np.median(r)) for r in _walk_ratios(rng, number)]


@reference("V7", "threshold of Alweiss, Liu and Sawhney over that of V6")
def alweiss(rng: Generator, number: int) -> Measured:
    N, d, delta = 1000, 8, 0.05
    return ratio(theory.alweiss_threshold(N, d, delta), theory.self_balancing_threshold(N, delta))


def _pair_walk_ratios(rng: Generator, number: int) -> list[FloatArray]:
    m, n, d, epochs = (4, 16, 64)[number % 3], 16, 3, 4
    z = vectors(rng, number, m, n, d)
    orders = [random_orders(rng, m, n) for _ in range(epochs)]
    pairs = [pair_differences(z, pi).swapaxes(0, 1).reshape(-1, d) for pi in orders]
    B = max(largest(v, "l2") for v in pairs)
    a = theory.self_balancing_threshold(m * (n // 2), DELTA / epochs, B)
    runs = [_walk_norms(rng, v, a, 200) for v in pairs]
    return [
        np.max([r[norm] for r in runs], axis=0) / theory.walk_balance_bound(m, n, d, epochs, DELTA, norm, B)
        for norm in ("inf", "l2")
    ]


@upper("V8", "share of runs of several epochs over the bounds", cases=6)
def pair_walk_tails(rng: Generator, number: int) -> Measured:
    return [violation_rate(int(np.sum(r > 1.0)), len(r)) / DELTA for r in _pair_walk_ratios(rng, number)]


@upper("V8", "median run of several epochs over the bounds", cases=6, tight=0.25)
def pair_walk_tightness(rng: Generator, number: int) -> Measured:
    return [float(np.median(r)) for r in _pair_walk_ratios(rng, number)]
