"""What the rows of `cdgrab check` cannot say about convergence, and the rows themselves, run quickly.

Every inequality is measured there, at every epoch of runs of every ordering, from both sides: no run exceeds
its bound, and some run comes near it, since a bound nobody comes near would survive a wrong constant. Here
are expectations over all orders, workers that balance alone, what rounded constants leave room for, refusals.
"""

import itertools
import math

import numpy as np
import pytest

from cdgrab_sim.experiments import check
from cdgrab_sim.experiments.statements import STATEMENTS
from tests.theory.naive_sgd import prefixes, quadratic, robust, run, skewed
from theory import convergence as theory

NORMS = {"l2": 2, "inf": np.inf}
LONG = {  # seconds; the first is measured over all orders below
    "mean squared distance of random reshuffling",
    "floor of random reshuffling, one curvature",
}
ROWS = [
    pytest.param(row, id=f"{row.label} {row.title}")
    for row in STATEMENTS.values()
    if row.label[0] == "T" and row.kind in ("identity", "upper") and row.title not in LONG
]


@pytest.mark.parametrize("row", ROWS)
def test_every_claim_holds_in_a_quick_check(row):
    cell = {"label": row.label, "title": row.title, "seed": 0, "level": "quick"}
    assert check.judge(row, check.measure(cell)["values"]).verdict == "holds"


def test_every_statement_has_a_row():
    assert {case.values[0].label for case in ROWS} == {f"T{number}" for number in range(1, 11)}


# Workers that balance alone: runs keep the largest balance of the workers, the statement needs all of them.


@pytest.mark.parametrize("cap", [1 / 12, 1 / 100])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    "p",
    [
        quadratic(3, 8, 3, seed=0),
        quadratic(2, 7, 2, seed=1),
        skewed(4, 8, 2, seed=2),
        robust(2, 6, 3, seed=4),
    ],
    ids=lambda p: p.name,
)
def test_T8_independent_pair_balancing_inherits_the_one_worker_bounds(p, norm, cap):
    """H <= mean_i H_i, and T4 to T6 hold with the workers' mean errors and mean balancing bounds."""
    T, L = 25, p.L if norm == "l2" else p.L_cross
    m, n, _ = p.gradients(p.x0).shape
    alpha = cap / (n * L)
    log = run(p, "d-grab-pair", alpha, T, seed=5)
    points = [*log.points[:, 0], log.points[-1, -1]]
    gap = [p.value(x) - p.inf_value for x in points]
    slope = [np.linalg.norm(p.gradients(x).mean(axis=(0, 1))) for x in points]
    A = np.array([np.linalg.norm(s, ord=NORMS[norm], axis=-1).max(axis=0).mean() for s in log.sums])
    H = []
    for x, pi in zip(points, log.orders, strict=False):
        g = p.gradients(x)
        z = g[np.arange(m)[:, None], pi] - g.mean(axis=1, keepdims=True)
        own = np.linalg.norm(np.cumsum(z, axis=1), ord=NORMS[norm], axis=-1).max(axis=1)
        joint = np.linalg.norm(prefixes(p, x, pi), ord=NORMS[norm], axis=-1).max()
        assert joint <= theory.independent_herding_bound(own) * (1 + 1e-12)
        H.append(own.mean())
    for t in range(T - 1):
        assert H[t + 1] <= theory.cd_grab_herding_bound(H[t], A[t], slope[t], alpha, L, 1, n) * (1 + 1e-12)
    bound = theory.cd_grab_nonconvex_bound(gap[0], L, H[0], A, alpha, 1, n, T)
    assert np.mean(np.square(slope[:-1])) <= bound
    if p.mu:
        assert gap[T] <= theory.cd_grab_pl_bound(gap[0], L, H[0], A.max(), p.mu, alpha, 1, n, T)


# Random reshuffling in expectation: every order of two workers with three examples, so no sampling error.

PAIRS = list(itertools.product(itertools.permutations(range(3)), repeat=2))


def epoch(p, x, pi, alpha):
    for k in range(3):
        x = x - alpha * p.gradients(x)[[0, 1], [pi[0][k], pi[1][k]]].mean(axis=0)
    return x


def within_worker_sigma(p, x):
    g = p.gradients(x)
    return math.sqrt(np.mean(np.sum((g - g.mean(axis=1, keepdims=True)) ** 2, axis=-1)))


@pytest.mark.parametrize(
    ("p", "tightness"),
    [
        # With curvature 1 and alpha = 1/L an epoch ends where its last step does: the ratio is 8/9 for n = 3.
        (quadratic(2, 3, 2, seed=8, mu=1.0), 0.88),
        (quadratic(2, 3, 2, seed=8), 0.1),
        (skewed(2, 3, 2, seed=9), 0.05),
    ],
)
def test_T3_RR_expected_distance_after_one_and_two_epochs(p, tightness):
    sigma, ratios = within_worker_sigma(p, p.x_star), []
    for alpha in (1.0 / p.L, 0.2 / p.L):
        for x0 in (p.x_star, p.x_star + 0.1):
            ends = [epoch(p, x0, pi, alpha) for pi in PAIRS]
            later = [epoch(p, x, pi, alpha) for x in ends for pi in PAIRS]
            for epochs, points in ((1, ends), (2, later)):
                distance = np.mean(np.sum((np.array(points) - p.x_star) ** 2, axis=-1))
                r0 = float(np.sum((x0 - p.x_star) ** 2))
                bound = theory.rr_strongly_convex_bound(r0, p.L, sigma, p.mu, alpha, 2, 3, epochs)
                ratios.append(distance / bound)
    assert len(ratios) == 8
    assert tightness < max(ratios) <= 1


def test_T2_RR_floor_is_the_fixed_point_of_the_expected_recursion():
    alpha, L, sigma, mu, m, n = 0.02, 1.0, 1.5, 0.3, 4, 16
    V = theory.rr_mean_square_herding(sigma, m, n)
    path = theory.pl_bound(1.0, L, V, mu, alpha, n, T=1000)
    assert path[-1] == pytest.approx(theory.rr_pl_floor(alpha, L, sigma, mu, m, n), rel=1e-9)


def test_T1_RR_one_epoch_descends_in_expectation():
    p = robust(2, 3, 2, seed=10)
    alpha, sigma = 0.5 / (3 * p.L), within_worker_sigma(p, p.x0)
    slope = np.linalg.norm(p.gradients(p.x0).mean(axis=(0, 1)))
    V = theory.rr_mean_square_herding(sigma, 2, 3)
    after = np.mean([p.value(epoch(p, p.x0, pi, alpha)) for pi in PAIRS])
    assert after <= theory.epoch_descent_bound(p.value(p.x0), slope, V, alpha, 3, p.L)
    # The bound on one epoch's gradient is the same inequality, rearranged and weakened to 0.6 of the descent.
    bound = theory.rr_nonconvex_bound(p.value(p.x0) - after, p.L, sigma, alpha, 2, 3, 1)
    assert slope**2 <= bound


@pytest.mark.parametrize(("n", "T"), [(10, 10**5), (1000, 20)], ids=["interior", "capped"])
def test_optimal_steps_minimise_their_bounds(n, T):
    F0, L, V, A, m = 2.0, 3.0, 5.0, 4.0, 2
    for bound, best, cap in (
        (
            lambda alpha: theory.nonconvex_bound(F0, L, V, alpha, n, T),
            theory.nonconvex_step(F0, L, V, n, T),
            1 / (2 * n * L),
        ),
        (
            lambda alpha: theory.cd_grab_nonconvex_bound(F0, L, 0.0, A, alpha, m, n, T),
            theory.cd_grab_nonconvex_step(F0, L, A, m, n, T),
            1 / (12 * n * L),
        ),
    ):
        grid = [best * r for r in (0.5, 0.9, 0.99, 1.01, 1.1, 2.0) if best * r <= cap]
        assert bound(best) <= min(map(bound, grid))


def test_what_the_rounded_constants_leave_room_for():
    # T6 contracts at the slower of two rates, and alpha n mu <= 1/12 makes it the first.
    assert 1 - 0.972 / 12 >= (2.4 + 8 / 2) / 8
    # T5 squares the recursion so that H^2 halves, and any first order has H_0 <= n sigma / 2.
    assert pytest.approx(1 / 2, rel=1e-15) == (1 + 0.28) * (1 / 2 + 1.5 / 12) ** 2
    start = theory.cd_grab_nonconvex_rate(0, 1, 0, 1, 1, 1, sigma=1)
    assert theory.cd_grab_nonconvex_bound(0, 1, 1 / 2, 0, 1 / 12, 1, 1, 1) <= start


REFUSED = [
    (
        theory.nonconvex_bound,
        {"F0": 1, "L": 1, "V": 1, "alpha": 0.051, "n": 10, "T": 5},
        r"alpha n L <= 0.5 \(T1\)",
    ),
    (
        theory.nonconvex_bound,
        {"F0": 1, "L": 1, "V": 1, "alpha": -0.01, "n": 10, "T": 5},
        "alpha > 0; got -0.01",
    ),
    (theory.nonconvex_bound, {"F0": 1, "L": 1, "V": 1, "alpha": 0.01, "n": 10, "T": 0}, "T >= 1; got 0"),
    (
        theory.nonconvex_bound,
        {"F0": 1, "L": 1, "V": [1, 2], "alpha": 0.01, "n": 10, "T": 3},
        r"shape \(T,\) = \(3,\)",
    ),
    (theory.nonconvex_bound, {"F0": -1, "L": 1, "V": 1, "alpha": 0.01, "n": 10, "T": 3}, "F0 >= 0; got -1"),
    (
        theory.pl_bound,
        {"F0": 1, "L": 1, "V": 1, "mu": 2, "alpha": 0.01, "n": 10, "T": 3},
        "mu <= L; got mu = 2.0, L = 1.0",
    ),
    (theory.rr_pl_floor, {"alpha": 0.1, "L": 1, "sigma": 1, "mu": 0.1, "m": 1, "n": 10}, r"0.5 \(T2\)"),
    (
        theory.cd_grab_nonconvex_rate,
        {"F0": 1, "L": 1, "balance": -1, "m": 2, "n": 4, "T": 5},
        "balance >= 0; got -1",
    ),
    (theory.cd_grab_pl_floor, {"alpha": 0.0, "L": 1, "balance": 1, "mu": 0.1, "m": 2}, "alpha > 0; got 0"),
    (theory.cd_grab_pl_floor, {"alpha": 0.1, "L": 1, "balance": 1, "mu": 0.1, "m": 0}, "m >= 1; got 0"),
    (
        theory.cd_grab_pl_bound,
        {"F0": 1, "L": 1, "H0": 1, "balance": 1, "mu": 0.1, "alpha": 0.01, "m": 2, "n": 10, "T": 5},
        r"alpha n L <= 0.08333 \(T6\)",
    ),
    (
        theory.strongly_convex_bound,
        {"r0": 1, "L": 2, "H": 1, "mu": 1, "alpha": 0.51, "n": 4, "T": 5},
        r"alpha <= 1 / L \(T3\); got 0.51; reduce alpha to at most 0.5",
    ),
    (
        theory.strongly_convex_path,
        {"r0": 1, "prefix_squares": [1.0], "alpha": 0.1, "L": 2, "mu": 1},
        r"\(T, n\)",
    ),
    (
        theory.rr_strongly_convex_bound,
        {"r0": 1, "L": 1, "sigma": 1, "mu": 1, "alpha": 0.1, "m": 1, "n": 1, "T": 5},
        "n >= 2; got 1",
    ),
]


@pytest.mark.parametrize(("function", "arguments", "message"), REFUSED)
def test_bad_parameters_are_refused_in_one_line(function, arguments, message):
    with pytest.raises(ValueError, match=message) as refusal:
        function(**arguments)
    assert "\n" not in str(refusal.value)
