"""Published constants that were only recalled, beside what is derived here: never judged.

All at one setting, on which nothing depends but the picture: L = F = sigma = 1, mu = 0.1, varsigma = 0,
A = 1, m = 8, n = 64, T = 10^5; where a step size is free, alpha n L = 1/12.
"""

from __future__ import annotations

from numpy.random import Generator

from cdgrab_sim.experiments.statements._statement import Measured, ratio, reference
from theory import convergence

L, F, SIGMA, MU, A = 1.0, 1.0, 1.0, 0.1, 1.0
m, n, T = 8, 64, 100_000
ALPHA = 1 / (12 * n * L)


@reference("T5", "CD-GraB non-convex, Theorem 1 of arXiv 2302.00845 as recalled, over T5")
def cd_grab_nonconvex(rng: Generator, number: int) -> Measured:
    recalled = convergence.cd_grab_nonconvex_published(F, L, SIGMA, 0.0, A, m, n, T)
    return ratio(recalled, convergence.cd_grab_nonconvex_rate(F, L, A, m, n, T, SIGMA))


@reference("T5", "CD-GraB non-convex, step size of Theorem 1 as recalled, over that of T5")
def cd_grab_step(rng: Generator, number: int) -> Measured:
    recalled = convergence.cd_grab_nonconvex_step_published(F, L, SIGMA, 0.0, A, m, n, T)
    return ratio(recalled, convergence.cd_grab_nonconvex_step(F, L, A, m, n, T))


@reference("T6", "CD-GraB PL, Theorem 2 of arXiv 2302.00845 as recalled, over T6 at its own step")
def cd_grab_pl(rng: Generator, number: int) -> Measured:
    recalled = convergence.cd_grab_pl_published(F, L, MU, SIGMA, 0.0, A, m, n, T)
    steps = [ALPHA * 2.0**-k for k in range(40)]
    derived = [convergence.cd_grab_pl_bound(F, L, n * SIGMA / 2, A, MU, a, m, n, T) for a in steps]
    return ratio(recalled, min(derived))


@reference("T3", "RR strongly convex, Theorems 1 and 2 of arXiv 2102.06704, over T3")
def rr_strongly_convex(rng: Generator, number: int) -> Measured:
    read = convergence.rr_strongly_convex_published(1.0, L, SIGMA, MU, ALPHA, n, T)
    return ratio(read, convergence.rr_strongly_convex_bound(1.0, L, SIGMA, MU, ALPHA, 1, n, T))


@reference("T3", "RR convex, arXiv 2006.05988 as recalled, over T3 with strong convexity")
def rr_convex(rng: Generator, number: int) -> Measured:
    recalled = convergence.rr_convex_published(1.0, L, SIGMA, ALPHA, n, T)
    distance = convergence.rr_strongly_convex_bound(1.0, L, SIGMA, MU, ALPHA, 1, n, T)
    return ratio(recalled, L / 2 * distance)  # f - f_star <= (L / 2) ||x - x_star||^2


@reference("T3", "SGD with replacement, strongly convex, as recalled, over RR by T3")
def sgd_strongly_convex(rng: Generator, number: int) -> Measured:
    recalled = convergence.sgd_strongly_convex_published(1.0, L, SIGMA, MU, ALPHA, n * T)
    return ratio(recalled, convergence.rr_strongly_convex_bound(1.0, L, SIGMA, MU, ALPHA, 1, n, T))
