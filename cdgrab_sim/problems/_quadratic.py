"""Quadratics with one common Hessian, where every moment of every ordering has a closed form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.sums import ordered_sum
from cdgrab_sim._kernels.walk import walk_loop
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.problems._linear_terms import example_sums, linear_terms, mean_term, spread
from cdgrab_sim.problems._registry import PROBLEMS

_CENTRE = 2  # field of the DATA role, after those of the linear terms


class Centres(NamedTuple):
    """Data of `quadratic`."""

    b: FloatArray  # (m, n, d) centres
    eigenvalues: FloatArray  # (d,)
    x_star: FloatArray  # (d,) the mean of the centres
    f_star: FloatArray  # (1,)


@kernel(small=True)
def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    """Gradient of a row: lambda_p (x_p - b_p)."""
    centres, eigenvalues, _, _ = data
    for r in range(out.shape[0]):
        i, j = who[r], idx[r]
        for p in range(out.shape[1]):
            out[r, p] = eigenvalues[p] * (x[p] - centres[i, j, p])


@kernel
def walk(  # type: ignore[no-untyped-def]
    G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data
):
    """Walk bound to this file's `grads`."""
    walk_loop(grads, G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)


@inlined
def bowl(x, centre, eigenvalues):  # type: ignore[no-untyped-def]
    """Return sum_p lambda_p (x_p - centre_p)^2 / 2."""
    total = 0.0
    for p in range(x.shape[0]):
        gap = x[p] - centre[p]
        total += 0.5 * eigenvalues[p] * (gap * gap)
    return total


@kernel(small=True)
def loss(x: FloatArray, i: int, j: int, data: Data) -> float:
    """f_ij(x) = sum_p lambda_p (x_p - b_p)^2 / 2."""
    centres, eigenvalues, _, _ = data
    return bowl(x, centres[i, j], eigenvalues)  # type: ignore[no-any-return]


@kernel
def value(x: FloatArray, data: Data) -> float:
    """f(x) = f_star + sum_p lambda_p (x_p - x_star_p)^2 / 2."""
    _, eigenvalues, x_star, f_star = data
    return f_star[0] + bowl(x, x_star, eigenvalues)  # type: ignore[no-any-return]


KERNELS: dict[str, Any] = {"grads": grads, "value": value, "loss": loss, "walk": walk}
KERNELS["provenance"] = "textbook; constants proved here"


@PROBLEMS.register
def quadratic(
    *,
    m: int = 8,
    n: int = 64,
    d: int = 3,
    eigenvalues: Sequence[float] | None = None,
    sigma: float = 1.0,
    heterogeneity: float = 0.0,
    seed: int = 0,
) -> Problem:
    r"""Quadratics that differ in their centres only.

    .. math:: f_{ij}(x) = \tfrac12 (x - b_{ij})^\top \Lambda (x - b_{ij}), \qquad \Lambda = diag(\lambda)

    x_star is the mean of the centres. Written in the eigenbasis of the Hessian, which loses nothing: every
    ordering here commutes with rotations.

    Parameters
    ----------
    m, n, d : int
        Workers, examples per worker, dimension.
    eigenvalues : sequence of d floats > 0, optional
        Spectrum of the Hessian; geometric from 1 to 20 by default.
    sigma : float
        Standard deviation of each coordinate of the centres within a worker, before centring.
    heterogeneity : float
        Standard deviation of each coordinate of the worker-level parts of the centres, which sum to zero
        over the workers: the only data of worker i that depend on m.
    seed : int

    Returns
    -------
    Problem
        With constants ``L``, ``L_2inf`` (= the 2-norm of the eigenvalues), ``mu``, and ``sigma``,
        ``varsigma`` of the gradients (root mean square 2-norms, the same at every x).

    Examples
    --------
    >>> problem = quadratic(m=2, n=4, d=2, eigenvalues=[1.0, 3.0])
    >>> problem.constants["L"], problem.constants["mu"]
    (3.0, 1.0)
    """
    m, n, d = _checks.sizes(m=m, n=n, d=d)
    lam = np.geomspace(1.0, 20.0, d) if eigenvalues is None else _checks.vector("eigenvalues", eigenvalues, d)
    for p, one in enumerate(lam):
        _checks.real(f"eigenvalues[{p}]", one, above=0.0)
        _checks.spread(f"eigenvalues[{p}]", one)
    centres, worker_terms = linear_terms(m, n, d, sigma=sigma, heterogeneity=heterogeneity, seed=seed)
    constants = {"L": float(lam.max()), "L_2inf": float(np.linalg.norm(lam)), "mu": float(lam.min())}
    constants |= spread(lam * centres, lam * worker_terms)
    centres += stream(seed, Role.DATA, _CENTRE).standard_normal(d)
    x_star = mean_term(centres)
    squares = example_sums(lam * (centres - x_star) ** 2)
    f_star = 0.5 * float(ordered_sum(ordered_sum(squares))) / (m * n)
    centres.flags.writeable = False  # so that the problem need not copy them
    data = Centres(centres, lam, x_star, np.array([f_star]))
    known: dict[str, Any] = {"x_star": x_star, "f_star": f_star, "constants": constants}
    return Problem("quadratic", m, n, d, data, **known, **KERNELS)
