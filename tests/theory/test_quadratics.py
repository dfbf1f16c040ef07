"""Shared-Hessian formulas against plain SGD over ALL orders, and the stable sums against mpmath."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest

from theory import quadratics as q
from theory.instances import shared_hessian
from theory.quadratics import (
    changing_orders,
    changing_orders_bound,
    epoch_displacement,
    filtered_errors,
    fixed_order,
    mean_prefix_bound,
    prefix_weights,
    small_step_floor,
    sorted_floor,
    stationary_covariance,
    two_term_floor,
)

EXACT = 1e-12
CELLS = [(2, 1, 3), (3, 1, 2), (5, 1, 2), (6, 1, 2), (3, 2, 3), (4, 2, 2)]  # n, m, d
SHORT, LONG = 0.05, 0.9  # with eigenvalues up to 2 the long step has 1 - alpha * lambda < 0


def problem(n, m, d, seed=0):
    """A full Hessian with eigenvalues in [0.3, 2] and correlated centres around distinct worker means."""
    rng = np.random.default_rng([seed, n, m, d])
    basis = np.linalg.qr(rng.normal(size=(d, d)))[0]
    hessian = basis @ np.diag(np.linspace(0.3, 2.0, d)) @ basis.T
    centres = rng.normal(size=(m, n, d)) @ rng.normal(size=(d, d)) + 3.0 * rng.normal(size=(m, 1, d))
    return (hessian + hessian.T) / 2, centres


def sgd_epoch(x, hessian, centres, orders, alpha):
    """The update rule, one step at a time, in the original coordinates."""
    for picks in zip(*orders, strict=True):
        x = x - alpha * np.mean([hessian @ (x - centres[i, j]) for i, j in enumerate(picks)], axis=0)
    return x


def all_orders(ordering, n, m):
    one = itertools.product(range(n), repeat=n) if ordering == "sgd" else itertools.permutations(range(n))
    return itertools.product(list(one), repeat=m)


def displacements(ordering, hessian, centres, alpha):
    """xi of every order (every pair order-reverse for flipflop), started at the optimum, eigenbasis.

    In extended precision: the two passes of flipflop cancel, and the enumeration must not blur the formula.
    """
    m, n, _ = centres.shape
    basis = shared_hessian(hessian, centres).basis
    hessian, centres = hessian.astype(np.longdouble), centres.astype(np.longdouble)
    x_star = centres.mean(axis=(0, 1))
    out = []
    for orders in all_orders(ordering, n, m):
        x = sgd_epoch(x_star, hessian, centres, orders, alpha)
        if ordering == "flipflop":
            x = sgd_epoch(x, hessian, centres, [pi[::-1] for pi in orders], alpha)
        out.append((x - x_star) @ basis)
    return np.array(out)


def close(got, expected, tol=EXACT):
    np.testing.assert_allclose(got, expected, rtol=0, atol=tol * np.abs(expected).max())


@pytest.mark.parametrize("alpha", [SHORT, LONG])
@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("ordering", q.NOISES)
def test_noise_of_an_epoch_is_the_average_over_all_orders(ordering, cell, alpha):
    n, m, d = cell
    if ordering == "sgd":
        n = min(n, 5 if m == 1 else 3)  # n^(n m) draws with replacement
    hessian, centres = problem(n, m, d)
    data = shared_hessian(hessian, centres)
    xi = displacements(ordering, hessian, centres, alpha)
    covariance = q.epoch_noise_covariance(ordering, alpha, data.eigenvalues, n, m, data.covariance)
    close(covariance, xi.T @ xi / len(xi))
    assert np.abs(xi.mean(axis=0)).max() < EXACT * np.abs(xi).max() * math.sqrt(len(xi))  # Q2


@pytest.mark.parametrize("k", range(6))
def test_noise_inside_an_epoch(k):
    n, m = 5, 1
    hessian, centres = problem(n, m, 2)
    data = shared_hessian(hessian, centres)
    ends = [
        sgd_epoch(data.x_star, hessian, centres, [pi[:k] for pi in orders], 0.3)
        for orders in all_orders("rr", n, m)
    ]
    xi = (np.array(ends) - data.x_star) @ data.basis
    expected = xi.T @ xi / len(xi)
    got = q.partial_epoch_covariance(0.3, data.eigenvalues, k, n, m, data.covariance)
    np.testing.assert_allclose(got, expected, rtol=0, atol=EXACT * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize(("ordering", "n", "m"), [("sgd", 2, 2), ("rr", 3, 1), ("rr", 2, 2), ("so", 3, 2)])
@pytest.mark.parametrize("T", [0, 1, 2, 3])
def test_second_moment_over_all_sequences_of_orders(ordering, n, m, T):
    hessian, centres = problem(n, m, 2)
    data = shared_hessian(hessian, centres)
    e0 = np.array([1.5, -0.7])
    orders = list(all_orders(ordering, n, m))
    paths = [(one,) * T for one in orders] if ordering == "so" else itertools.product(orders, repeat=T)
    total, count = np.zeros((2, 2)), 0
    for path in paths:
        x = data.x_star + data.basis @ e0
        for one in path:
            x = sgd_epoch(x, hessian, centres, one, 0.2)
        e = (x - data.x_star) @ data.basis
        total, count = total + np.outer(e, e), count + 1
    got = q.second_moment(ordering, 0.2, data.eigenvalues, n, m, data.covariance, e0, T)
    close(got, total / count)


@pytest.mark.parametrize("T", [1, 2, 3, 4])
def test_second_moment_of_flipflop_at_even_and_odd_epochs(T):
    hessian, centres = problem(3, 1, 2)
    data = shared_hessian(hessian, centres)
    e0 = np.array([1.5, -0.7])
    total, count = np.zeros((2, 2)), 0
    for path in itertools.product(list(itertools.permutations(range(3))), repeat=(T + 1) // 2):
        passes = [order for pi in path for order in (pi, pi[::-1])][:T]
        x = data.x_star + data.basis @ e0
        for order in passes:
            x = sgd_epoch(x, hessian, centres, [order], 0.2)
        e = (x - data.x_star) @ data.basis
        total, count = total + np.outer(e, e), count + 1
    close(q.second_moment("flipflop", 0.2, data.eigenvalues, 3, 1, data.covariance, e0, T), total / count)


@pytest.mark.parametrize("ordering", q.ORDERINGS)
def test_many_epochs_reach_the_stationary_covariance_and_loss(ordering):
    hessian, centres = problem(4, 2, 3)
    data = shared_hessian(hessian, centres)
    arguments = (ordering, 0.3, data.eigenvalues, 4, 2, data.covariance)
    limit = stationary_covariance(*arguments)
    close(q.second_moment(*arguments, np.ones(3), 400), limit)
    assert q.expected_loss(data.eigenvalues, limit) == pytest.approx(
        0.5 * sum(lam * limit[p, p] for p, lam in enumerate(data.eigenvalues)), rel=EXACT
    )


def test_stationary_variance_with_replacement_has_the_known_scalar_form():
    for n in (1, 3, 50):
        value = stationary_covariance("sgd", 0.3, [2.0], n, 4, [[5.0]])[0, 0]
        assert value == pytest.approx(0.6 * 5.0 / ((2 - 0.6) * 4), rel=EXACT)


@pytest.mark.parametrize("ordering", q.NOISES)
def test_workers_divide_the_noise_exactly(ordering):
    one, many = (q.epoch_noise_covariance(ordering, 0.1, [1.0, 2.0], 6, m, np.eye(2)) for m in (1, 7))
    close(many, one / 7)


# ---- stable forms ------------------------------------------------------------------------------------------


def closed_form(ordering, alpha, lam, mu, n):
    """Entry (p, q) for unit Sig and m = 1, in the arithmetic of mpmath: the forms that cancel in floats."""
    a, x, y = mp.mpf(alpha), mp.mpf(alpha) * mp.mpf(lam), mp.mpf(alpha) * mp.mpf(mu)
    r, s = 1 - x, 1 - y
    assert a > 0
    sums = (1 - (r * s) ** n) / (1 - r * s)
    if ordering == "sgd":
        return x * y * sums
    if ordering == "rr":
        return mp.mpf(n) / (n - 1) * x * y * sums - (1 - r**n) * (1 - s**n) / (n - 1)
    cross = 2 * n * r ** (2 * n - 1) if lam == mu else (r ** (2 * n) - s ** (2 * n)) / (r - s)
    doubled = (1 - (r * s) ** (2 * n)) / (1 - r * s) + cross
    return mp.mpf(n) / (n - 1) * x * y * doubled - (1 - r ** (2 * n)) * (1 - s ** (2 * n)) / (n - 1)


@pytest.mark.parametrize("n", [2, 10, 257])
@pytest.mark.parametrize("h", [1e-8, 1e-3, 0.3])
@pytest.mark.parametrize("ordering", q.NOISES)
def test_stable_forms_keep_their_digits(ordering, h, n):
    lam = np.array([1.0, 0.37])
    alpha = h / n
    with mp.workdps(120):  # flip-flop cancels 38 digits at h = 1e-8; 120 leaves more than 50
        exact = [[closed_form(ordering, alpha, p, r, n) for r in lam] for p in lam]
        noise = q.epoch_noise_covariance(ordering, alpha, lam, n, 1, np.ones((2, 2)))
        power = 2 * n if ordering == "flipflop" else n
        for i, j in itertools.product(range(2), repeat=2):
            assert abs(mp.mpf(noise[i, j]) / exact[i][j] - 1) < EXACT
            r = (1 - mp.mpf(alpha) * mp.mpf(lam[i])) * (1 - mp.mpf(alpha) * mp.mpf(lam[j]))
            limit = stationary_covariance(ordering, alpha, lam, n, 1, np.ones((2, 2)))[i, j]
            assert abs(mp.mpf(limit) * (1 - r**power) / exact[i][j] - 1) < EXACT


def test_a_ratio_of_one_is_summed_and_not_divided():
    """alpha * lambda = 2 flips the sign of e forever: after T epochs the noise is T times one epoch's."""
    once = q.epoch_noise_covariance("rr", 1.0, [2.0], 4, 1, [[1.0]])
    close(q.second_moment("rr", 1.0, [2.0], 4, 1, [[1.0]], [0.0], 7), 7 * once)


# ---- given orders ------------------------------------------------------------------------------------------


def random_orders(rng, T, m, n):
    return [[tuple(rng.permutation(n)) for _ in range(m)] for _ in range(T)]


def step_deviations(data, orders):
    return np.mean([data.deviations[i, list(pi)] for i, pi in enumerate(orders)], axis=0)


def gradient_prefixes(data, orders):
    return -data.eigenvalues * np.cumsum(step_deviations(data, orders), axis=0)


@pytest.mark.parametrize("alpha", [SHORT, LONG])
def test_paths_of_given_orders(alpha):
    rng = np.random.default_rng(3)
    hessian, centres = problem(7, 3, 3)
    data = shared_hessian(hessian, centres)
    e0 = rng.normal(size=3)
    orders = random_orders(rng, 5, 3, 7)
    x = data.x_star + data.basis @ e0
    path = [e0]
    for one in orders:
        x = sgd_epoch(x, hessian, centres, one, alpha)
        path.append((x - data.x_star) @ data.basis)
    deviations = [step_deviations(data, one) for one in orders]
    close(changing_orders(alpha, data.eigenvalues, deviations, e0), np.array(path))
    x = data.x_star + data.basis @ e0
    for T in range(5):
        close(fixed_order(alpha, data.eigenvalues, deviations[0], e0, T), (x - data.x_star) @ data.basis)
        loss = 0.5 * np.mean([(x - b) @ hessian @ (x - b) for b in centres.reshape(-1, 3)])
        best = 0.5 * np.mean(
            [(data.x_star - b) @ hessian @ (data.x_star - b) for b in centres.reshape(-1, 3)]
        )
        e = fixed_order(alpha, data.eigenvalues, deviations[0], e0, T)
        assert q.expected_loss(data.eigenvalues, np.outer(e, e)) == pytest.approx(loss - best, rel=1e-9)
        x = sgd_epoch(x, hessian, centres, orders[0], alpha)


def test_abel_identity_and_weights():
    """xi = alpha^2 H sum M^(n-1-k) Z_k, from the direct sum; the limit is the weighted prefix."""
    hessian, centres = problem(7, 2, 3)
    data = shared_hessian(hessian, centres)
    orders = random_orders(np.random.default_rng(5), 1, 2, 7)[0]
    u, z = step_deviations(data, orders), gradient_prefixes(data, orders)
    alpha, lam = 0.4, data.eigenvalues
    rho = 1 - alpha * lam
    direct = sum(alpha * lam * rho ** (7 - k) * u[k - 1] for k in range(1, 8))
    abel = sum(alpha**2 * lam * rho ** (6 - k) * z[k - 1] for k in range(1, 7))
    close(direct, abel)
    close(epoch_displacement(alpha, lam, u), direct)
    w = prefix_weights(alpha, lam, 7)
    assert w.min() >= 0
    close(w.sum(axis=0), (1 - rho**6) / (1 - rho**7))
    close(alpha * (w * z[:-1]).sum(axis=0), fixed_order(alpha, lam, u, np.ones(3), 2000))


def test_prefix_bound_holds_and_is_attained_by_constant_prefixes():
    rng = np.random.default_rng(11)
    hessian, centres = problem(6, 2, 3)
    data = shared_hessian(hessian, centres)
    alpha, lam, e0 = 0.3, data.eigenvalues, rng.normal(size=3)
    orders = random_orders(rng, 6, 2, 6)
    largest = np.max([np.abs(gradient_prefixes(data, one)).max(axis=0) for one in orders], axis=0)
    path = changing_orders(alpha, lam, [step_deviations(data, one) for one in orders], e0)
    for T, e in enumerate(path):
        assert (np.abs(e) <= changing_orders_bound(alpha, lam, 6, largest, e0, T) * (1 + 1e-12)).all()
    u = np.zeros((6, 3))
    u[0], u[-1] = -1 / lam, 1 / lam  # Z_k = 1 for 1 <= k < n
    for T in (1, 4):
        bound = changing_orders_bound(alpha, lam, 6, np.ones(3), np.abs(e0), T)
        close(fixed_order(alpha, lam, u, np.abs(e0), T), bound)


def test_mean_prefix_bound_holds_and_is_nearly_attained():
    n, lam = 40, np.array([1.0])
    for k in range(1, n):
        u = np.zeros((n, 1))
        u[k - 1], u[k] = -1.0, 1.0  # one prefix of size 1, at k
        z = -np.cumsum(u, axis=0)
        limit = abs(fixed_order(1 / n, lam, u, [0.0], 5000)[0])
        bound = mean_prefix_bound(1 / n, lam, z)
        assert limit <= bound
    assert limit > 0.98 * bound  # the last prefix weighs most


# ---- floors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 9, 64])
@pytest.mark.parametrize("ordering", q.ORDERINGS)
def test_small_step_floor_is_the_limit_of_the_exact_floor(ordering, n):
    lam, sigma_g, m = 1.7, 2.3, 3
    for h in (1e-2, 1e-3, 1e-5):
        alpha = h / (n * lam)
        exact = stationary_covariance(ordering, alpha, [lam], n, m, [[sigma_g**2 / lam**2]])[0, 0]
        assert small_step_floor(ordering, alpha, lam, sigma_g**2, n, m) / exact == pytest.approx(
            1, abs=1.5 * h
        )


@pytest.mark.parametrize("spread", ["two-point", "linear"])
def test_sorted_floor_is_the_limit_for_sorted_data(spread):
    n, lam = 20, 1.3
    z = np.where(np.arange(n) < n // 2, 1.0, -1.0) if spread == "two-point" else np.arange(n) - (n - 1) / 2
    for alpha in (1e-4, 1e-5):
        limit = fixed_order(alpha, [lam], -z[:, None] / lam, [0.0], 10**7)[0]
        h = alpha * lam * n
        assert sorted_floor(alpha, float(np.mean(z**2)), n, spread) / limit**2 == pytest.approx(1, abs=h)


def test_no_data_of_given_variance_beats_equally_spaced():
    rng = np.random.default_rng(2)
    for _ in range(50):
        z = np.sort(rng.normal(size=12))
        z -= z.mean()
        assert np.mean(np.cumsum(z)) ** 2 <= sorted_floor(1.0, float(np.mean(z**2)), 12) * (1 + 1e-12)


def partly_sorted(rng, T, n):
    """Orders that keep a mean prefix: sorted by value plus noise."""
    return [np.argsort(np.linspace(-1, 1, n) + rng.normal(scale=2.0, size=n)) for _ in range(T)]


@pytest.mark.parametrize(("h", "tol"), [(0.05, 0.02), (0.0125, 0.005)])
@pytest.mark.parametrize("kind", ["rr", "partly sorted"])
def test_filter_and_sgd_agree_on_the_same_orders(kind, h, tol):
    rng = np.random.default_rng(17)
    n, lam, T = 32, 2.0, 4000
    alpha = h / (n * lam)
    values = np.sort(rng.normal(size=n))
    values -= values.mean()
    orders = partly_sorted(rng, T, n) if kind != "rr" else [rng.permutation(n) for _ in range(T)]
    z = values[np.array(orders)]
    means = np.cumsum(z, axis=1).mean(axis=1)
    direct = changing_orders(alpha, [lam], -z[..., None] / lam, [0.0])
    filtered = filtered_errors(alpha, [lam], n, means[:, None], [0.0])
    burn = int(10 / h)
    floors = [float(np.mean(e[burn:] ** 2)) for e in (direct, filtered)]
    assert floors[1] == pytest.approx(floors[0], rel=tol)


def test_two_term_floor_is_the_limit_for_independent_biased_orders():
    """Each epoch picks one of two orders by a fair coin: the exact floor follows from two numbers xi."""
    rng = np.random.default_rng(4)
    n, lam = 16, 1.5
    z = np.sort(rng.normal(size=n))
    z -= z.mean()
    coin = (np.arange(n), rng.permutation(n))
    gaps = []
    for h in (0.08, 0.04, 0.02):
        alpha = h / (n * lam)
        runs, means = [], []
        for order in coin:
            x = 0.0
            for g in z[order]:
                x -= alpha * (lam * x + g)
            runs.append(x)
            means.append(np.cumsum(z[order]).mean())
        shrink = (1 - alpha * lam) ** n
        bias, noise = np.mean(runs) / (1 - shrink), np.var(runs) / (1 - shrink**2)
        got = two_term_floor(alpha, [lam], n, [np.mean(means)], [np.var(means)])[0]
        gaps.append(abs(got / (bias**2 + noise) - 1))
    assert gaps[0] < 0.08
    assert gaps[1] < 0.6 * gaps[0]
    assert gaps[2] < 0.6 * gaps[1]


@pytest.mark.parametrize("m", [1, 4])
def test_two_term_floor_reproduces_reshuffling_and_shuffle_once(m):
    alpha, lam, n, variance = 1e-3, 2.0, 12, 3.0
    spread = [variance * (n + 1) / (12 * m)]
    assert two_term_floor(alpha, [lam], n, [0.0], spread)[0] == pytest.approx(
        small_step_floor("rr", alpha, lam, variance, n, m), rel=EXACT
    )
    assert two_term_floor(alpha, [lam], n, np.sqrt(spread), [0.0])[0] == pytest.approx(
        small_step_floor("so", alpha, lam, variance, n, m), rel=EXACT
    )


# ---- refusals ----------------------------------------------------------------------------------------------

GOOD = {"ordering": "rr", "alpha": 0.1, "eigenvalues": [1.0, 2.0], "n": 4, "m": 2, "covariance": np.eye(2)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0.0}, "alpha > 0"),
        ({"alpha": -1.0}, "alpha > 0"),
        ({"n": 1}, "n >= 2"),
        ({"m": 0}, "m >= 1"),
        ({"eigenvalues": [1.0, 0.0]}, "eigenvalues > 0"),
        ({"covariance": np.eye(3)}, "covariance of shape"),
        ({"covariance": [[1.0, 1.0], [0.0, 1.0]]}, "symmetric"),
        ({"covariance": [[1.0, 2.0], [2.0, 1.0]]}, "semi-definite"),
        ({"ordering": "cd-grab"}, "sgd, rr, so, flipflop"),
    ],
)
def test_bad_parameters_are_refused_in_one_line(change, message):
    for formula in (lambda **a: q.second_moment(**a, e0=[0.0, 0.0], T=1), stationary_covariance):
        with pytest.raises(ValueError, match=message) as caught:
            formula(**{**GOOD, **change})
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: q.epoch_noise_covariance(**{**GOOD, "ordering": "so"}), "sgd, rr, flipflop"),
        (lambda: q.second_moment(**GOOD, e0=[0.0], T=1), "e0 of shape"),
        (lambda: q.second_moment(**GOOD, e0=[0.0, 0.0], T=-1), "T >= 0"),
        (lambda: q.partial_epoch_covariance(0.1, [1.0], 5, 4, 1, [[1.0]]), "k <= n"),
        (lambda: fixed_order(0.1, [1.0], [[1.0], [1.0]], [0.0], 1), "sum to zero"),
        (lambda: fixed_order(0.1, [1.0], [[1.0, 2.0]], [0.0], 1), "one column per eigenvalue"),
        (lambda: prefix_weights(1.1, [1.0], 4), "alpha \\* eigenvalues <= 1"),
        (lambda: mean_prefix_bound(0.6, [1.0], [[1.0], [0.0]]), "lower alpha"),
        (lambda: stationary_covariance("rr", 2.0, [1.0], 4, 1, [[1.0]]), "diverges"),
        (lambda: small_step_floor("ig", 0.1, 1.0, 1.0, 4, 1), "sgd, rr, so, flipflop"),
        (lambda: sorted_floor(0.1, 1.0, 5, "two-point"), "even n"),
    ],
)
def test_other_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
