"""Local steps against enumeration, quadrature, other statements' limits, and rounds in plain NumPy."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import norm

from theory import instances, local_steps


def naive_paths(values, orders, H):
    """P(k) and D_i(k) - D_i(a) of one pair of orders, from their definitions."""
    m, n = len(values), len(values[0])
    S = [[sum(values[i][j] for j in orders[i][:k]) for k in range(n)] for i in range(m)]
    P = [sum(S[i][k] for i in range(m)) / m for k in range(n)]
    drift = [[S[i][k] - P[k] - S[i][k - k % H] + P[k - k % H] for k in range(n)] for i in range(m)]
    return np.array(P), np.array(drift)


@pytest.mark.parametrize("H", [1, 2, 4])
def test_variances_in_rounds_are_those_over_all_orders(H):
    values = np.array([[3.0, -1.0, 2.0, -4.0], [1.0, 0.0, -1.0, 0.0]])
    P2, drift2, both2 = np.zeros(4), np.zeros(4), np.zeros(4)
    pairs = list(itertools.product(itertools.permutations(range(4)), repeat=2))
    for orders in pairs:
        P, drift = naive_paths(values, orders, H)
        P2 += P**2 / len(pairs)
        drift2 += (drift**2).mean(axis=0) / len(pairs)
        both2 += ((P + drift) ** 2).mean(axis=0) / len(pairs)
    parallel, own = local_steps.reshuffled_rounds(4, 2, H, values.var(axis=1).mean())
    assert_allclose(P2, parallel, atol=1e-13)
    assert_allclose(drift2, own, atol=1e-13)
    assert_allclose(both2, parallel + own, atol=1e-13)


def test_with_one_round_to_an_epoch_workers_do_not_matter():
    one, many = (local_steps.reshuffled_rounds(32, m, 32, 2.0).sum(axis=0) for m in (1, 1000))
    assert_allclose(one, many, rtol=1e-13)


def test_the_rest_is_the_zero_of_the_mean_slope():
    """By quadrature over the normal laws, with another form of the slope."""
    kappa, deviations, means = 7.0, [0.5, 2.0], [-1.0, 1.5]
    c = local_steps.kinked_rest(kappa, deviations, means)

    def slope(y):
        return kappa * y if y <= 0.0 else y

    total = sum(
        quad(lambda z, s=s, b=b: slope(c - b - s * z) * norm.pdf(z), -12, 12, points=[(c - b) / s])[0]
        for s, b in zip(deviations, means, strict=True)
    )
    assert abs(total) < 1e-9
    assert c > 0.25  # the mean of b


def test_the_rest_of_plain_sgd_tends_to_that_of_i6():
    n, kappa = 20_000, 10.0
    parallel, drift = local_steps.reshuffled_rounds(n, 4, 1, 1.0)
    assert not drift.any()
    rest = local_steps.kinked_rest(kappa, np.sqrt(parallel))
    assert rest / np.sqrt(n / 4) == pytest.approx(instances.bridge_constant(kappa), rel=1e-3)


def test_a_rest_where_nothing_varies_and_one_on_the_steep_side():
    assert local_steps.kinked_rest(5.0, [0.0, 0.0]) == 0.0
    assert local_steps.kinked_rest(1.0, [3.0], [-2.0]) == -2.0  # one curvature: the mean
    assert local_steps.local_floor(0.5, 1.0, 1.0, [3.0], [-2.0]) == 0.5
    steep = local_steps.kinked_rest(4.0, [0.0, 0.0], [-3.0, 0.2])
    assert steep == pytest.approx(-0.44)  # (c + 3) + 4 (c - 0.2) = 0
    assert local_steps.local_floor(1.0, 8.0, 2.0, [0.0, 0.0], [-3.0, 0.2]) == pytest.approx(4.0 * 0.44**2)


@pytest.mark.parametrize("m", [2, 3, 5])
def test_speedup_ends_where_the_mean_squares_cross(m):
    n = 4096
    H = local_steps.end_of_speedup(n, m)

    def shares(steps):
        j = np.arange(steps)
        return (1.0 - 1.0 / m) * (j * (n - j)).mean(), (n * n - 1) / (6.0 * m)

    below, above = (np.subtract(*shares(steps)) for steps in (int(H), int(H) + 1))
    assert below <= 0.0 < above


def test_the_fixed_point_is_where_rounds_lead():
    rng = np.random.RandomState(0)
    half = rng.standard_normal((3, 2, 2))
    A, points, alpha, H = half @ half.swapaxes(1, 2) + 0.3 * np.eye(2), rng.standard_normal((3, 2)), 0.1, 4
    x = np.zeros(2)
    for _ in range(3000):
        ends = []
        for a, star in zip(A, points, strict=True):
            y = x
            for _ in range(H):
                y = y - alpha * a @ (y - star)
            ends.append(y)
        x = np.mean(ends, axis=0)
    assert_allclose(local_steps.local_fixed_point(alpha, A, points, H), x, atol=1e-13)
    best = np.linalg.solve(A.mean(axis=0), np.mean([a @ p for a, p in zip(A, points, strict=True)], axis=0))
    errors = []
    for small in (4e-3, 2e-3):
        offset = local_steps.local_fixed_point(small, A, points, H) - best
        errors.append(np.linalg.norm(offset / local_steps.local_offset(small, A, points, H) - 1.0))
    assert errors[1] < 0.02
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)  # the next order is alpha^2
    assert_allclose(local_steps.local_fixed_point(alpha, A, points, 1), best, atol=1e-13)


def test_the_terms_of_the_published_line():
    line = local_steps.local_sgd_lower_bound
    assert line(1.0, 1.0, 0.0, 0.0, 1, 1, 10) == pytest.approx(0.1)
    noise = line(1e-12, 1.0, 3.0, 0.0, 4, 9, 16) - 1e-12 / 16
    assert noise == pytest.approx(3.0 / 24 + (9e-12 / 9) ** (1 / 3) / 16 ** (2 / 3))
    assert line(8.0, 1.0, 0.0, 1.0, 7, 5, 8) == pytest.approx(1.0 + 2.0 / 4.0)


BAD = {
    "expected hessians": lambda: local_steps.local_fixed_point(0.1, np.eye(2)[None], [[1.0]], 2),
    "expected kappa >= 1": lambda: local_steps.kinked_rest(0.5, [1.0]),
    "expected 0 < p <= 1": lambda: local_steps.scaffnew_bound(3, 0.1, 1.0, 1.5, 1.0),
}


@pytest.mark.parametrize("message", sorted(BAD))
def test_wrong_arguments_are_refused(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()
