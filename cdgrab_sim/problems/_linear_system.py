"""Linear systems, whose rows may be scaled at will: where weighted draws and projections are at home."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim.problems._least_squares import least_squares_on
from cdgrab_sim.problems._registry import PROBLEMS
from cdgrab_sim.problems._tables import NOISE, synthetic_features, table, true_margins


@PROBLEMS.register
def linear_system(
    *,
    m: int = 1,
    n: int = 64,
    d: int = 3,
    condition: float = 1.0,
    sigma: float = 0.0,
    seed: int = 0,
) -> Problem:
    r"""Least squares on linear systems of n equations with chosen singular values, one for each worker.

    .. math:: f_{ij}(x) = \tfrac12 (\langle a_{ij}, x \rangle - b_{ij})^2, \qquad
        b_{ij} = \langle a_{ij}, w \rangle + \sigma \xi_{ij}

    The matrix A of a worker's rows is normal, with its singular values replaced by ones that fall
    geometrically from 1 by `condition`. With condition 1, A'A = I. Rows have lengths of their own.

    The randomized Kaczmarz method draws rows in proportion to |a|^2 and projects x on the hyperplane of the
    row: with one worker that is the ordering ``weighted("smoothness")`` at the step size
    ``constants["kaczmarz_step"]``, the inverse of the mean smoothness, n / \|A\|_F^2; several workers
    average their projections.

    Parameters
    ----------
    m, n, d : int
        Workers, equations per worker, unknowns.
    condition : float
        The largest singular value over the smallest, >= 1.
    sigma : float
        Standard deviation of the noise in b, in units of n^-1/2.
    seed : int

    Returns
    -------
    Problem
        With the constants of `least_squares`, and ``kaczmarz_step``.

    References
    ----------
    Strohmer, Vershynin, "A Randomized Kaczmarz Algorithm with Exponential Convergence", arXiv math/0702226;
    as weighted SGD in Needell, Srebro, Ward, arXiv 1310.5715 (recalled).

    Examples
    --------
    The error of the projections falls by 1 - 1/d per step where A'A = I (W2): here by 2^-64 in 64 steps, in
    the mean over draws.

    >>> import cdgrab_sim as cg
    >>> problem = linear_system(d=2)
    >>> how = {"epochs": 1, "step_size": problem.constants["kaczmarz_step"], "x0": problem.x_star + 1.0}
    >>> run = cg.simulate(problem, cg.orderings.weighted("smoothness"), **how)
    >>> bool(run.distance[0, -1] < 1e-6)
    True
    """
    m, n, d = _checks.sizes(m=m, n=n, d=d)
    condition = _checks.real("condition", condition, low=1.0)
    sigma = _checks.spread("sigma", sigma)
    normal, rows = synthetic_features(m, n, d, seed=seed)
    left, _, right = np.linalg.svd(normal.reshape(m, n, d), full_matrices=False)
    X = ((left * np.geomspace(1.0, 1.0 / condition, min(n, d))) @ right).reshape(m * n, d)
    y = true_margins(X, m, heterogeneity=0.0, seed=seed)
    y += sigma / np.sqrt(n) * stream(seed, Role.DATA, NOISE).standard_normal(m * n)
    problem = least_squares_on(table(X, y, rows), ridge=0.0)
    assert problem.smoothness is not None
    known = {**problem.constants, "kaczmarz_step": 1.0 / float(problem.smoothness.mean())}
    return replace(problem, name="linear-system", constants=known)
