"""Orders as signals: against recurrences written out, enumeration, and statements without frequencies."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from theory import quadratics
from theory.spectra import (
    balanced_density,
    drawn_density,
    folded_power,
    order_power,
    prefix_floor_bound,
    prefix_power_bound,
    standing_floor,
    transfer,
)


def driven(z, alpha, lam, kind, beta, w, periods=400):
    """Errors over the last period of a recurrence written out, for one coordinate and one mode of gossip."""
    e = v = 0.0
    path = []
    for one in np.tile(z, periods):
        path.append(e)
        g = lam * e + one
        v = beta * v + g
        e = w * (e - alpha * (g + beta * v if kind == "nesterov" else v))
    return np.array(path[-len(z) :])


@pytest.mark.parametrize("kind", ["heavy-ball", "nesterov"])
@pytest.mark.parametrize(("beta", "w"), [(0.0, 1.0), (0.6, 1.0), (0.0, -0.3), (0.6, 0.5)])
def test_floors_of_orders_that_repeat(kind, beta, w):
    z, lam, alpha = np.random.default_rng(3).standard_normal((7, 2)), np.array([0.5, 3.0]), 0.2
    measured = [
        np.mean(driven(column, alpha, one, kind, beta, w) ** 2) for column, one in zip(z.T, lam, strict=True)
    ]
    assert_allclose(standing_floor(alpha, lam, z, beta, kind, w), measured, rtol=1e-12)


@pytest.mark.parametrize("kind", ["heavy-ball", "nesterov"])
def test_a_wave_comes_out_as_the_transfer_function_says(kind):
    k, alpha, lam, beta = np.arange(12), 0.3, 1.5, 0.4
    path = driven(np.cos(2 * np.pi * k * 5 / 12), alpha, lam, kind, beta, 1.0)
    H = transfer([2 * np.pi * 5 / 12], alpha, [lam], beta, kind)[0, 0]
    assert_allclose(path, (H * np.exp(2j * np.pi * k * 5 / 12)).real, atol=1e-13)


def test_powers_add_up_to_the_mean_square():
    z = np.random.default_rng(0).standard_normal((9, 2))
    assert_allclose(order_power(z).sum(axis=0), (z**2).mean(axis=0), rtol=1e-13)


@pytest.mark.parametrize("ordering", ["sgd", "rr"])
def test_densities_of_drawn_orders_over_all_of_them(ordering):
    b, n, omega = np.array([1.0, -3.0, 0.5, 1.5]), 4, np.array([0.0, 0.3, 1.0, 2.5, math.pi])
    every = itertools.permutations(b) if ordering == "rr" else itertools.product(b, repeat=n)
    waves = np.exp(-1j * np.outer(np.arange(n), omega))
    power = np.mean([np.abs(np.array(z) @ waves) ** 2 for z in every], axis=0) / n
    assert_allclose(power, np.mean(b**2) * drawn_density(ordering, omega, n), rtol=1e-12, atol=1e-14)


def test_reshuffling_far_below_the_first_frequency_of_an_epoch():
    n, omega = 64, 1e-4
    assert_allclose(drawn_density("rr", [omega], n), n * (n + 1) * omega**2 / 12, rtol=1e-4)


@pytest.mark.parametrize("ordering", ["sgd", "rr"])
def test_the_filtered_density_is_the_mean_square_over_an_epoch(ordering):
    """Q4 and Q5, which know nothing of frequencies: the stationary start, then k steps of an epoch."""
    alpha, lam, n, m, omega = 0.3, 1.2, 8, 2, 2 * np.pi * np.arange(4096) / 4096
    start = quadratics.stationary_covariance(ordering, alpha, [lam], n, m, [[1.0]])[0, 0]
    if ordering == "sgd":
        steps = [start]
    else:
        steps = [
            (1 - alpha * lam) ** (2 * k) * start
            + quadratics.partial_epoch_covariance(alpha, [lam], k, n, m, [[1.0]])[0, 0]
            for k in range(n)
        ]
    gain = np.abs(transfer(omega, alpha, [lam])[:, 0]) ** 2
    floor = np.mean(gain * drawn_density(ordering, omega, n)) * lam**2 / m
    assert_allclose(floor, np.mean(steps), rtol=1e-12)


def test_a_folded_order_has_the_power_of_the_order_itself():
    rng = np.random.default_rng(1)
    A, D = rng.standard_normal((2, 5, 3))
    stream = np.concatenate([(A + D) / 2, ((A - D) / 2)[::-1]])
    assert_allclose(folded_power(A, D), order_power(stream), rtol=1e-12, atol=1e-15)


def test_what_a_round_makes_is_shaped_noise():
    """4 sin^2(omega / 2) times the power of the balanced sums, the last of them half."""
    D = np.random.default_rng(2).standard_normal((6, 1))
    r, j = np.cumsum(D[:, 0]), np.arange(12)
    cosines = np.cos(np.outer(2 * np.pi * j / 12, np.arange(1, 6))) @ r[:-1] + (-1.0) ** j * r[-1] / 2
    expected = 4 * np.sin(np.pi * j / 12) ** 2 * cosines**2 / 144
    assert_allclose(folded_power(0 * D, D)[:, 0], expected, rtol=1e-11, atol=1e-16)


@pytest.mark.parametrize("ordering", ["rr", "sorted", "alternating"])
def test_prefixes_bound_low_powers_and_floors(ordering):
    z = np.random.default_rng(4).standard_normal(16)
    z = {"rr": z, "sorted": np.sort(z), "alternating": np.resize([1.0, -1.0], 16)}[ordering]
    z = (z - z.mean())[:, None]
    V, power = np.cumsum(z, axis=0).var(axis=0), order_power(z)[:, 0]
    for j in range(1, 9):
        bound = prefix_power_bound(2 * np.pi * j / 16, V)[0]
        low = power[1 : j + 1].sum() + power[max(16 - j, 9) :].sum()
        assert low <= bound * (1 + 1e-12)
    floor, bound = standing_floor(0.7, [2.0], z)[0], prefix_floor_bound(0.7, [2.0], V)[0]
    assert floor <= bound * (1 + 1e-12)
    if ordering == "alternating":
        assert_allclose([floor, low], [bound, prefix_power_bound(np.pi, V)[0]], rtol=1e-12)


GREEDY = {1: 2 / 3, 3: 3 / 8 * 3 * math.pi + 9 * (math.pi - 2) / 16}  # mean squares of greedy sums, by hand


@pytest.mark.parametrize(("m", "d"), [(1, 1), (1, 3), (4, 3)])
def test_balanced_orders_are_left_as_they_are_by_a_round(m, d):
    omega = np.linspace(0.05, 3.0, 9)
    S = lambda at: balanced_density(at, m, d)  # noqa: E731
    old = (np.cos(omega / 4) ** 2 * S(omega / 2) + np.sin(omega / 4) ** 2 * S(omega / 2 + np.pi)) / 2
    made = (S(omega) - old) / np.sin(omega / 2) ** 2
    kappa = d / (2 * GREEDY[d])
    q = (1 - kappa) ** m
    shape = 1 / (1 - 2 * q * np.cos(omega) + q**2)
    assert_allclose(made / made[0], shape / shape[0], rtol=1e-8)


def test_permutations_keep_their_power_and_workers_their_order():
    omega = 2 * np.pi * np.arange(2048) / 2048
    for d in (1, 3, 8):
        assert_allclose(balanced_density(omega, 1, d).mean(), d, rtol=1e-10)
        assert_allclose(
            balanced_density(omega, 5, d, "independent"), balanced_density(omega, 1, d) / 5, rtol=1e-12
        )


def test_levels_fall_faster_than_one_over_m_squared_until_a_step_forgets():
    levels = [balanced_density([0.01], m, 3)[0] for m in (1, 4, 16, 64, 256)]
    exponents = np.diff(np.log(levels)) / math.log(4)
    assert exponents[0] < -2.7
    assert_allclose(exponents[2:], -2.0, atol=0.01)
    assert (np.diff(exponents) > 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: transfer([0.1], 0.1, [1.0], 0.5, "adam"), "heavy-ball, nesterov"),
        (lambda: standing_floor(0.1, [1.0], np.ones((2, 2))), "stream of shape"),
        (lambda: prefix_power_bound(3.2, [1.0]), "omega <= pi"),
        (lambda: prefix_floor_bound(2.0, [1.0], [1.0]), "eigenvalues < 2"),
        (lambda: drawn_density("so", [0.1], 4), "sgd, rr"),
        (lambda: drawn_density("rr", [0.1], 1), "n >= 2"),
        (lambda: folded_power(np.ones((2, 1)), np.ones((3, 1))), "expected signed of shape"),
        (lambda: balanced_density([0.1], 1, 1, "both"), "coordinated, independent"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(call, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
