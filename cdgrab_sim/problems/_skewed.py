"""A common piecewise-quadratic part plus random linear terms: the cleanest separation of orderings."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.walk import walk_loop
from cdgrab_sim._records import Problem
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.problems._linear_terms import linear_terms, mean_term, spread
from cdgrab_sim.problems._registry import PROBLEMS


class Tilts(NamedTuple):
    """Data of `skewed`."""

    terms: FloatArray  # (m, n, d) nu
    mean: FloatArray  # (d,) of the terms
    curvature: FloatArray  # (2,) L and mu


@kernel(small=True)
def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    """Gradient of a row: (L where x_p <= 0, else mu) x_p + nu_p."""
    terms, _, curvature = data
    L, mu = curvature[0], curvature[1]
    for r in range(out.shape[0]):
        i, j = who[r], idx[r]
        for p in range(out.shape[1]):
            out[r, p] = (L if x[p] <= 0.0 else mu) * x[p] + terms[i, j, p]


@kernel
def walk(  # type: ignore[no-untyped-def]
    G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data
):
    """Walk bound to this file's `grads`."""
    walk_loop(grads, G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)


@inlined
def tilted(x, nu, curvature):  # type: ignore[no-untyped-def]
    """Return sum_p (L where x_p <= 0, else mu) x_p^2 / 2 + <nu, x>."""
    total = 0.0
    for p in range(x.shape[0]):
        slope = (curvature[0] if x[p] <= 0.0 else curvature[1]) * x[p]
        total += (0.5 * slope + nu[p]) * x[p]
    return total


@kernel(small=True)
def loss(x: FloatArray, i: int, j: int, data: Data) -> float:
    """f_ij(x) = sum_p h(x_p) + <nu_ij, x>."""
    terms, _, curvature = data
    return tilted(x, terms[i, j], curvature)  # type: ignore[no-any-return]


@kernel
def value(x: FloatArray, data: Data) -> float:
    """f(x) = sum_p h(x_p) + <mean nu, x>."""
    _, mean, curvature = data
    return tilted(x, mean, curvature)  # type: ignore[no-any-return]


KERNELS: dict[str, Any] = {"grads": grads, "value": value, "loss": loss, "walk": walk}
KERNELS["provenance"] = "made here, after arXiv 2110.10342, read; constants proved here"


@PROBLEMS.register
def skewed(
    *,
    m: int = 8,
    n: int = 64,
    d: int = 3,
    kappa: float = 20.0,
    sigma: float = 1.0,
    heterogeneity: float = 0.0,
    seed: int = 0,
) -> Problem:
    r"""Skewed quadratic with linear noise: what the orderings do, without the luck of quadratics.

    .. math::

        f_{ij}(x) = \sum_p h(x_p) + \langle \nu_{ij}, x \rangle, \qquad
        h(s) = \tfrac12 L s^2 \text{ for } s \le 0, \quad \tfrac12 \mu s^2 \text{ for } s > 0

    with mu = 1 and L = kappa. The linear terms sum to zero, so x_star = 0 and f_star = 0. Centred gradients
    at a common point are the nu_ij themselves: herding errors do not depend on x, while the loss is not a
    quadratic, on which random reshuffling would catch up with every herded order.

    Parameters
    ----------
    m, n, d : int
        Workers, examples per worker, dimension.
    kappa : float
        Condition number L / mu, at least 1.
    sigma : float
        Standard deviation of each coordinate of the within-worker terms, before they are centred over the
        examples of their worker.
    heterogeneity : float
        Standard deviation of each coordinate of the worker-level terms, which sum to zero over the workers.
        They are the only data of worker i that depend on m.
    seed : int

    Returns
    -------
    Problem
        With constants ``L``, ``L_2inf`` (= L sqrt(d), the smoothness from the inf-norm to the 2-norm),
        ``mu``, ``sigma`` and ``varsigma`` (root mean square 2-norms of the within-worker and worker-level
        terms as drawn).

    References
    ----------
    The one-dimensional form with terms +-1 is the lower-bound instance of Yun, Rajput, Sra, arXiv
    2110.10342; random terms avoid its degenerate ties.

    Examples
    --------
    >>> problem = skewed(m=2, n=4, d=1, kappa=10.0)
    >>> float(problem.value(problem.x_star, problem.data)), problem.constants["L"]
    (0.0, 10.0)
    """
    kappa = _checks.real("kappa", kappa, low=1.0)
    m, n, d = _checks.sizes(m=m, n=n, d=d)
    terms, worker_terms = linear_terms(m, n, d, sigma=sigma, heterogeneity=heterogeneity, seed=seed)
    constants = {"L": kappa, "L_2inf": kappa * math.sqrt(d), "mu": 1.0} | spread(terms, worker_terms)
    terms.flags.writeable = False  # so that the problem need not copy them
    data = Tilts(terms, mean_term(terms), np.array([kappa, 1.0]))
    known: dict[str, Any] = {"x_star": np.zeros(d), "f_star": 0.0, "constants": constants}
    return Problem("skewed", m, n, d, data, **known, **KERNELS)
