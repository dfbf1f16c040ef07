"""The self-balancing walk of the package (V5 to V8): its law by enumeration, its prefixes over many runs."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.random import Generator

from cdgrab_sim import balancing, herding, orderings
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.balancing._signs import walk_of_signs
from cdgrab_sim.experiments.statements._instances import (
    largest,
    pair_differences,
    pair_signs,
    random_orders,
    seed_of,
    vectors,
)
from cdgrab_sim.experiments.statements._statement import (
    Measured,
    difference,
    identity,
    ratio,
    reference,
    upper,
)
from cdgrab_sim.experiments.statements.balancing import DELTA, upper_quantile
from cdgrab_sim.orderings import SignRule
from cdgrab_sim.orderings._rules import Signer
from theory import balancing as theory

PLUS, MINUS = 0.0, 1.0 - 2.0**-53  # uniform numbers that force a sign wherever both are possible
GRID = (np.arange(4096) + 0.5) / 4096


def _walk(rule: SignRule, v: FloatArray, uniforms: FloatArray, N: int) -> tuple[Signer, IntArray]:
    """Walk over v (n, d) once for each row of uniforms (runs, n); return the memory and the signs."""
    signer = Signer.new(rule, len(uniforms), v.shape[1], uniforms)
    return signer, walk_of_signs(signer, np.repeat(v[:, None], len(uniforms), axis=1), rule, N)


@identity("V5", "probability of a plus, counted over a grid of uniform numbers", cases=40, tol=1 / 4096)
def walk_probability(rng: Generator, number: int) -> Measured:
    v = (vectors(rng, number, 2, int(rng.integers(1, 4))) + 0.01) * float(rng.uniform(0.2, 5.0))
    norms, delta = np.linalg.norm(v, axis=1), float(rng.uniform(0.01, 0.9))
    if number % 2:
        rule, a = SignRule("hilbert", delta=delta), theory.kernel_halving_thresholds(norms, delta)[1]
    else:
        B = float(norms.max()) * (1 + 1e-12)
        rule = SignRule("self-balancing", bound=B, delta=delta)
        a = theory.self_balancing_threshold(2, delta, B)
    _, eps = _walk(rule, v, np.column_stack([np.full(len(GRID), PLUS), GRID]), 2 - number % 2)
    return difference(np.mean(eps[:, 1] == 1), np.clip((1.0 - v[0] @ v[1] / a) / 2.0, 0.0, 1.0), 1.0)


def _law(v: FloatArray, delta: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return ends, probabilities and fallbacks of the Hilbert walk, over both signs at every step."""
    thresholds = theory.kernel_halving_thresholds(np.linalg.norm(v, axis=1), delta)
    uniforms = np.array(list(itertools.product((PLUS, MINUS), repeat=len(v))))
    w, mass = np.zeros((len(uniforms), v.shape[1])), np.ones(len(uniforms))
    for k, (one, a) in enumerate(zip(v, thresholds, strict=True)):
        p = w @ one
        sign = np.where(uniforms[:, k] == PLUS, 1.0, -1.0)
        mass *= np.where(np.abs(p) > a, 0.5, (1.0 - sign * p / a) / 2.0)  # a fallback ignores the coin
        w = _walk(SignRule("hilbert", delta=delta), v[: k + 1], uniforms[:, : k + 1], 1)[0].s
    return w, mass, _walk(SignRule("hilbert", delta=delta), v, uniforms, 1)[0].clips.astype(float)


@upper("V5", "log moment generating function of the walk, by enumeration", cases=60, tight=0.9)
def walk_is_subgaussian(rng: Generator, number: int) -> Measured:
    v = vectors(rng, number, int(rng.integers(1, 8)), int(rng.integers(1, 4))) + 0.01
    b, delta = np.linalg.norm(v, axis=1), float(rng.uniform(0.05, 0.9999))  # rare fallbacks, and many
    w, mass, _ = _law(v, delta)
    u = rng.standard_normal((50, v.shape[1])) / (b.max() + 0.1)
    measured = np.log1p(np.expm1(w @ u.T).T @ mass)  # of small vectors, it is far below one
    variance = theory.self_balancing_variances(b, theory.kernel_halving_thresholds(b, delta))[-1]
    return ratio(measured, variance * np.sum(u**2, axis=1) / 2.0)


@upper("V5", "probability to fall back, by enumeration", cases=60, tight=0.1)
def walk_falls_back(rng: Generator, number: int) -> Measured:
    v = vectors(rng, number, int(rng.integers(2, 8)), int(rng.integers(1, 4))) + 0.01
    b, delta = np.linalg.norm(v, axis=1), float(rng.uniform(0.3, 0.9999))
    _, mass, clips = _law(v, delta)
    bounds = theory.clip_probabilities(b, theory.kernel_halving_thresholds(b, delta))
    return ratio(clips @ mass, bounds.sum())


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


@upper("V6", "walk that only one in ten exceeds, over the bounds", cases=12, tight=0.4)
def walk_tails(rng: Generator, number: int) -> Measured:
    v = vectors(rng, number, (100, 1000)[number % 2], (1, 4, 32)[number % 3]) * float(rng.uniform(0.2, 5.0))
    B = largest(v, "l2") * (1 + 1e-12)
    rule = SignRule("self-balancing", bound=B, delta=DELTA)
    made = balancing.balance(np.broadcast_to(v, (300, *v.shape)), rule, seed=seed_of(rng))
    sums = np.cumsum(made.signs[..., None] * v, axis=1)
    return [
        upper_quantile(np.where(made.clips > 0, np.inf, lengths.max(axis=1)))
        / theory.self_balancing_bound(len(v), v.shape[1], DELTA, norm, B)
        for norm, lengths in (("inf", np.abs(sums).max(axis=2)), ("l2", np.linalg.norm(sums, axis=2)))
    ]


@reference("V7", "threshold of Alweiss, Liu and Sawhney over that of V6")
def alweiss(rng: Generator, number: int) -> Measured:
    N, d, delta = 1000, 8, 0.05
    return ratio(theory.alweiss_threshold(N, d, delta), theory.self_balancing_threshold(N, delta))


def _balances(z: FloatArray, rule: SignRule, epochs: int, seed: int, first: IntArray) -> list[float]:
    """Return the largest running pair sum of cd-grab over a few epochs, in both norms."""
    ordering, sums = orderings.cd_grab(rule=rule), []
    used = [herding.order(z, ordering, t, first, seed=seed) for t in range(epochs + 1)]
    for before, after in itertools.pairwise(used):
        signed = pair_signs(before, after)[..., None] * pair_differences(z, before)
        sums.append(np.cumsum(signed.swapaxes(0, 1).reshape(-1, z.shape[2]), axis=0))
    return [largest(np.array(sums), norm) for norm in ("inf", "l2")]


@upper("V8", "run of cd-grab with the walk that only one in ten exceeds, over the bounds", cases=6, tight=0.3)
def pair_walk_tails(rng: Generator, number: int) -> Measured:
    m, n, d, epochs = (4, 16, 64)[number % 3], 16, 3, 4
    z = vectors(rng, number, m, n, d) * float(rng.uniform(0.2, 5.0))
    B = largest(z[:, :, None] - z[:, None], "l2") * (1 + 1e-12)  # in advance, whatever the orders pair
    rule, first = SignRule("self-balancing", bound=B, delta=DELTA / epochs), random_orders(rng, m, n)
    found = np.array([_balances(z, rule, epochs, seed_of(rng), first) for _ in range(60)])
    return [
        upper_quantile(found[:, p]) / theory.walk_balance_bound(m, n, d, epochs, DELTA, norm, B)
        for p, norm in enumerate(("inf", "l2"))
    ]
