"""Random terms of the synthetic problems: within workers, across workers, and how far they spread."""

from __future__ import annotations

import math

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.sums import ordered_sum
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray

_WITHIN, _ACROSS = 0, 1  # fields of the DATA role


def example_sums(terms: FloatArray) -> FloatArray:
    """Sum (m, n, d) over the examples of each worker, in their order and in O(m d) memory."""
    total = np.zeros((terms.shape[0], terms.shape[2]))
    for j in range(terms.shape[1]):
        total += terms[:, j]
    return total


def mean_term(terms: FloatArray) -> FloatArray:
    """Mean (d,) of all terms (m, n, d)."""
    m, n, _ = terms.shape
    mean: FloatArray = ordered_sum(example_sums(terms)) / (m * n)
    return mean


def linear_terms(
    m: int, n: int, d: int, *, sigma: float, heterogeneity: float, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Draw terms that sum to zero.

    Parameters
    ----------
    m, n, d : int
    sigma, heterogeneity : float
        Standard deviations per coordinate, before centring, within and across workers.
    seed : int

    Returns
    -------
    terms : array (m, n, d)
        Row i depends on m only through the worker-level term.
    worker_terms : array (m, d)
        The worker-level part, which sums to zero over the workers.
    """
    sigma = _checks.spread("sigma", sigma)
    heterogeneity = _checks.spread("heterogeneity", heterogeneity)
    seed = _checks.integer("seed", seed, low=0)
    terms = stream(seed, Role.DATA, _WITHIN).standard_normal((m, n, d))
    terms *= sigma
    terms -= (example_sums(terms) / n)[:, None]
    worker_terms = heterogeneity * stream(seed, Role.DATA, _ACROSS).standard_normal((m, d))
    worker_terms -= ordered_sum(worker_terms) / m
    if heterogeneity > 0.0:
        terms += worker_terms[:, None]
    return terms, worker_terms


def spread(gradients: FloatArray, worker_means: FloatArray) -> dict[str, float]:
    """Root mean square 2-norms within and across workers, of centred gradients (m, n, d).

    Parameters
    ----------
    gradients : array (m, n, d)
        At a common point, with overall mean zero.
    worker_means : array (m, d)
        Their means over the examples of each worker.
    """
    m, n, _ = gradients.shape
    total = sum(float(np.vdot(worker, worker)) for worker in gradients)
    across = float(np.vdot(worker_means, worker_means)) / m
    within = max(0.0, total / (m * n) - across)
    return {"sigma": math.sqrt(within), "varsigma": math.sqrt(across)}
