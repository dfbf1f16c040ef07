"""Balancing bounds (V): worst lists of vectors, their signs enumerated where they are random."""

from __future__ import annotations

import itertools

import numpy as np

from cdgrab_sim import balancing
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments.tightness.bounds import between, bound, geometric
from theory import balancing as theory
from theory.herding import prefix_signing_bound

DELTA = 0.1  # at which bounds with a probability are stated
SAYS = 0.9  # above it a bound on a probability says nothing: it is near whatever happens


def directions(p: FloatArray, d: int) -> FloatArray:
    """Return vectors (k, d) with entries in [-1, 1]."""
    return 2.0 * p[: len(p) // d * d].reshape(-1, d) - 1.0


def unit(p: FloatArray, d: int) -> FloatArray:
    """Return vectors (k, d) of length one, the first axis where there is no direction."""
    z = directions(p, d)
    lengths = np.linalg.norm(z, axis=1, keepdims=True)
    return np.asarray(np.where(lengths > 1e-9, z / np.maximum(lengths, 1e-9), np.eye(d)[0]))


@bound("V1", "greedy sums, by the squares of the lengths", 12)
def greedy(p: FloatArray) -> float:
    z = unit(p, 2)
    sums = np.cumsum(balancing.signs(z)[:, None] * z, axis=0)
    return float(np.linalg.norm(sums[-1]) / theory.greedy_prefix_bound(np.ones(len(z)))[-1])


@bound("V2", "greedy sums on the line", 8)
def greedy_line(p: FloatArray) -> float:
    z = directions(p, 1)
    sums = np.abs(np.cumsum(balancing.signs(z)[:, None] * z, axis=0))[:, 0]
    largest = theory.greedy_line_bound(np.abs(z[:, 0]))
    return float((sums / np.maximum(largest, 1e-12))[1:].max())  # the first is an equality


def _signed(z: FloatArray) -> FloatArray:
    """Return all signed prefix sums (2^k, k, d)."""
    return np.cumsum(np.array(list(itertools.product((1.0, -1.0), repeat=len(z))))[..., None] * z, axis=1)


def _quantile(values: FloatArray, mass: FloatArray | None = None) -> float:
    """Return the largest number that at least DELTA of the mass reaches."""
    mass = np.full(len(values), 1.0 / len(values)) if mass is None else mass
    order = np.argsort(-values, kind="stable")
    reached = np.cumsum(mass[order]) >= DELTA - 1e-12
    return float(values[order][np.argmax(reached)])


@bound("V4", "fair signs in the inf-norm, 90 % quantile", 20)
def coins_inf(p: FloatArray) -> float:
    z = directions(p, 2)
    variance = float(np.sum(z**2, axis=0).max())
    largest = np.abs(_signed(z)).max(axis=(1, 2))
    return _quantile(largest) / theory.random_signs_inf_bound(max(variance, 1e-12), 2, DELTA)


@bound("V4", "fair signs in the 2-norm, 90 % quantile", 20)
def coins_l2(p: FloatArray) -> float:
    z = directions(p, 2)
    largest = np.linalg.norm(_signed(z), axis=2).max(axis=1)
    return _quantile(largest) / max(theory.random_signs_l2_bound(np.linalg.norm(z, axis=1), DELTA), 1e-12)


@bound("V4", "expected squared maximum of fair signs", 9)
def coins_maximum(p: FloatArray) -> float:
    z = directions(p, 1)
    measured = float(np.mean(np.sum(_signed(z) ** 2, axis=2).max(axis=1)))
    weight = theory.random_signs_second_moment(np.linalg.norm(z, axis=1))[-1]
    return measured / max(4.0 * float(weight), 1e-12)


def walk_law(v: FloatArray, a: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Follow both coins of the self-balancing walk: prefix sums (paths, k, d), mass, and who fell back."""
    w, mass, fell = np.zeros((1, 1, v.shape[1])), np.ones(1), np.zeros(1, dtype=bool)
    for one, threshold in zip(v, a, strict=True):
        share = w[:, -1] @ one / threshold
        plus, back = np.clip((1.0 - share) / 2.0, 0.0, 1.0), np.abs(share) > 1.0
        up, down = np.where(back, -share, 1.0), np.where(back, -share, -1.0)
        ends = [w[:, -1:] + move[:, None, None] * one for move in (up, down)]
        w = np.concatenate([np.concatenate([w, end], axis=1) for end in ends])
        mass, fell = np.concatenate([mass * plus, mass * (1.0 - plus)]), np.concatenate([fell | back] * 2)
        w, mass, fell = w[mass > 0.0], mass[mass > 0.0], fell[mass > 0.0]
    return w[:, 1:], mass, fell


@bound("V5", "log moment generating function of the walk", 9)
def walk_mgf(p: FloatArray) -> float:
    v = directions(p[:6], 1)
    b = np.abs(v[:, 0])
    a = np.full(6, (float(b.max()) ** 2 + 1e-3) * between(p[6], 0.5, 3.0))
    w, mass, _ = walk_law(v, a)
    u = geometric(p[7], 0.01, 10.0) / (float(b.max()) + 1e-3)
    variance = float(theory.self_balancing_variances(b, a)[-1])
    return float(np.log1p(np.expm1(u * w[:, -1, 0]) @ mass)) / max(variance * u**2 / 2.0, 1e-12)


@bound("V5", "probability to fall back", 8)
def walk_falls(p: FloatArray) -> float:
    v = directions(p[:7], 1)
    b = np.abs(v[:, 0])
    a = np.full(7, (float(b.max()) ** 2 + 1e-3) * between(p[7], 0.3, 2.0))
    w, mass, _ = walk_law(v[:-1], a[:-1])
    measured = float(mass[np.abs(w[:, -1] @ v[-1]) > a[-1]].sum())
    predicted = float(theory.clip_probabilities(b, a)[-1])
    return measured / predicted if 1e-12 < predicted <= SAYS else 0.0


@bound("V5", "variance under a constant threshold", 2)
def walk_variance(p: FloatArray) -> float:
    a, b = between(p[0], 1.0, 10.0), np.full(400, between(p[1], 0.1, 1.0))
    variances = theory.self_balancing_variances(b, np.full(400, a))
    return float(variances.max()) / theory.self_balancing_variance_limit(a)


@bound("V5", "variance under the thresholds of kernel halving", 2)
def halving_variance(p: FloatArray) -> float:
    delta, b = between(p[0], 0.001, 0.9), np.full(400, between(p[1], 0.1, 1.0))
    variances = theory.self_balancing_variances(b, theory.kernel_halving_thresholds(b, delta))
    return float(variances.max()) / theory.kernel_halving_variance_bound(delta)


def _walk_quantile(p: FloatArray, d: int, norm: str) -> float:
    v = unit(p, d)
    w, mass, _ = walk_law(v, np.full(len(v), theory.self_balancing_threshold(len(v), DELTA)))
    sizes = np.abs(w).max(axis=2) if norm == "inf" else np.linalg.norm(w, axis=2)
    return _quantile(sizes.max(axis=1), mass)


@bound("V6", "walk in the inf-norm, 90 % quantile", 10)
def walk_inf(p: FloatArray) -> float:
    return _walk_quantile(p, 1, "inf") / theory.self_balancing_bound(10, 1, DELTA, "inf")


@bound("V6", "walk in the 2-norm, 90 % quantile", 20)
def walk_l2(p: FloatArray) -> float:
    return _walk_quantile(p, 2, "l2") / theory.self_balancing_bound(10, 2, DELTA, "l2")


@bound("V9", "walk in the inf-norm, Theorem 1 of arXiv 2302.00845, 90 % quantile", 10)
def walk_published(p: FloatArray) -> float:
    return _walk_quantile(p, 1, "inf") / theory.cd_grab_balance_published(10, 1, DELTA)


@bound("H7", "signed sums of the constructed signs", 12)
def constructed(p: FloatArray) -> float:
    z = unit(p, 2)
    eps = balancing.signs(z, "prefix")
    return balancing.prefix_discrepancy(z, eps, "l2") / prefix_signing_bound(2)
