"""Random affine maps: known rates, closed forms of other statements, and enumeration."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from theory import quadratics
from theory.affine import (
    epoch_square,
    mean_square_rate,
    moments,
    momentum_maps,
    stationary_moments,
    table_maps,
)

LAWS = ("sgd", "rr", "ig")

# Mean-square rates per step of 1-D tables of gradients, a = linspace(.2, 1, 5): computed elsewhere from
# Kronecker squares and all 120 orders.
KNOWN = {
    ("sag", 1 / 16): (0.909606, 0.918386, 0.920024),
    ("sag", 1 / 3): (0.869218, 0.692842, 0.592814),
    ("sag", 1.0): (0.926157, 0.872348, 0.854179),
    ("saga", 1 / 3): (0.846754, 0.767178, 0.777223),
}


def drawn(n, D, m=1, seed=0):
    """Random maps on (s, 1), mild enough to contract."""
    rng = np.random.default_rng([seed, n, D, m])
    maps = np.zeros((*[n] * m, D + 1, D + 1))
    maps[..., :-1, :] = 0.4 * rng.standard_normal((*[n] * m, D, D + 1))
    maps[..., -1, -1] = 1.0
    return maps, rng


@pytest.mark.parametrize(("kind", "alpha"), sorted(KNOWN))
def test_rates_of_tables_of_gradients(kind, alpha):
    maps = table_maps(alpha, np.linspace(0.2, 1.0, 5).reshape(5, 1, 1), np.zeros((5, 1)), kind)
    rates = [mean_square_rate(law, maps)[0] for law in LAWS]
    assert_allclose(rates, KNOWN[kind, alpha], rtol=0, atol=1e-6)


@pytest.mark.parametrize(("n", "D", "m"), [(1, 2, 1), (4, 3, 1), (6, 2, 1), (2, 2, 2), (3, 1, 2), (2, 1, 3)])
def test_the_recursion_over_subsets_is_the_mean_over_orders(n, D, m):
    maps, rng = drawn(n, D, m)
    Y = np.outer(y := rng.standard_normal(D + 1), y)
    every = epoch_square("rr", maps, Y, "orders")
    assert_allclose(epoch_square("rr", maps, Y), every, rtol=1e-12, atol=1e-12 * abs(every).max())


def test_the_square_is_that_of_kronecker_products():
    """G1 averages matrices; here they are applied."""
    maps, rng = drawn(5, 2)
    Y = np.outer(y := rng.standard_normal(3), y)
    for law in ("rr", "sgd"):
        expected = quadratics.expected_epoch(law, quadratics.squares(maps)) @ Y.ravel()
        assert_allclose(epoch_square(law, maps, Y).ravel(), expected, rtol=1e-12)


def test_twelve_maps_have_half_a_billion_orders():
    factors = np.linspace(0.5, 1.5, 12)
    after = epoch_square("rr", factors[:, None, None], [[1.0]])
    assert_allclose(after, [[np.prod(factors) ** 2]], rtol=1e-13)


@pytest.mark.parametrize("law", ["sgd", "rr"])
@pytest.mark.parametrize(("m", "n"), [(1, 4), (2, 3)])
def test_closed_forms_on_a_shared_hessian(law, m, n):
    """Q5, which knows nothing of maps."""
    rng, lam, alpha = np.random.default_rng([m, n]), np.array([0.7, 2.0]), 0.3
    b = rng.standard_normal((m, n, 2))
    b -= b.mean(axis=(0, 1))
    within = (b - b.mean(axis=1, keepdims=True)).reshape(-1, 2)
    shape = [n] * m
    w = np.moveaxis(np.indices(shape), 0, -1)
    centres = b[np.arange(m), w].mean(axis=-2)
    maps = momentum_maps(alpha, np.broadcast_to(np.diag(lam), (*shape, 2, 2)), lam * centres)
    known = (law, alpha, lam, n, m, within.T @ within / (m * n))
    e0 = np.array([1.0, -2.0])
    mean, square = moments(law, maps, [*e0, 0.0, 0.0], 3)
    assert_allclose(mean[:2], (1 - alpha * lam) ** (3 * n) * e0, rtol=1e-12)
    assert_allclose(square[:2, :2], quadratics.second_moment(*known, e0, 3), rtol=1e-12)
    mean, covariance = stationary_moments(law, maps)
    assert_allclose(mean[:2], 0.0, atol=1e-13)
    assert_allclose(covariance[:2, :2], quadratics.stationary_covariance(*known), rtol=1e-11)


@pytest.mark.parametrize(("h", "beta"), [(0.3, 0.0), (0.3, 0.5), (0.05, 0.9)])
def test_heavy_ball_with_white_noise_is_an_autoregression_of_order_two(h, beta):
    """x_k = (1 + beta - h) x_{k-1} - beta x_{k-2} + alpha c: its variance stands in every textbook."""
    maps = momentum_maps(h, np.ones((2, 1, 1)), [[1.0], [-1.0]], momentum=beta)
    first, second = 1 + beta - h, -beta
    expected = h**2 * (1 - second) / ((1 + second) * ((1 - second) ** 2 - first**2))
    _, covariance = stationary_moments("sgd", maps)
    assert_allclose(covariance[0, 0], expected, rtol=1e-11)


def test_a_table_of_one_example_is_gradient_descent():
    """By 1 - h = 1/2 per step, squared."""
    one = table_maps(0.25, [[[2.0]]], [[3.0]])
    assert_allclose(mean_square_rate("ig", one), (0.25, 0.25), rtol=1e-12)
    assert_allclose(table_maps(0.25, [[[2.0]]], [[3.0]], "saga"), one)


def test_large_states_are_treated_as_small_ones():
    """A state of 9 numbers, without matrices; 81 x 81 ones written out here."""
    maps, _ = drawn(4, 9)
    maps[:, :-1, :-1] *= 0.6
    for law in LAWS:
        images = [epoch_square(law, maps[:, :-1, :-1], E.reshape(9, 9)).ravel() for E in np.eye(81)]
        rate = abs(np.linalg.eigvals(np.transpose(images))).max()
        assert_allclose(mean_square_rate(law, maps)[1], rate, rtol=1e-9)
        mean, covariance = stationary_moments(law, maps)
        Y = np.block([[covariance + np.outer(mean, mean), mean[:, None]], [mean[None], np.ones((1, 1))]])
        assert_allclose(epoch_square(law, maps, Y), Y, rtol=0, atol=1e-11 * abs(Y).max())


@pytest.mark.parametrize("law", LAWS)
def test_coins_are_drawn_anew_at_every_step(law):
    maps, rng = drawn(3, 2)
    other, _ = drawn(3, 2, seed=1)
    both, s0 = np.stack([maps, other], axis=1), rng.standard_normal(2)
    picked = [
        np.stack([both[j, coin] for j, coin in enumerate(c)]) for c in itertools.product((0, 1), repeat=3)
    ]
    if law == "sgd":  # as many maps again
        y = np.append(s0, 1.0)
        Y = np.outer(y, y)
        for _ in range(3):
            Y = np.mean([P @ Y @ P.T for P in (*maps, *other)], axis=0)
        expected = Y[:-1, :-1]
    else:  # every example comes once, so that a coin belongs to it
        expected = np.mean([moments(law, one, s0, 1)[1] for one in picked], axis=0)
    assert_allclose(moments(law, both, s0, 1, coins=True)[1], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: epoch_square("so", np.ones((2, 1, 1)), [[1.0]]), "sgd, rr, ig"),
        (lambda: epoch_square("rr", np.ones((2, 2, 1)), [[1.0]]), "expected maps with shape"),
        (lambda: epoch_square("rr", np.ones((2, 1, 1)), np.eye(2)), "expected square of shape"),
        (lambda: epoch_square("rr", np.ones((2, 1, 1)), [[1.0]], "all"), "subsets, orders"),
        (lambda: epoch_square("rr", np.ones((8, 1, 1)), [[1.0]], "orders"), "at most 5040 orders"),
        (lambda: epoch_square("rr", np.ones((16, 1, 1)), [[1.0]]), "steps over subsets"),
        (lambda: epoch_square("ig", np.ones((2, 2, 1, 1)), [[1.0]]), "one axis of steps"),
        (lambda: moments("rr", np.ones((2, 2, 2)), [1.0, 2.0], 1), "expected s0 of shape"),
        (lambda: mean_square_rate("rr", np.ones((2, 1, 1))), "at least one number"),
        (lambda: stationary_moments("rr", np.tile(np.eye(2), (2, 1, 1))), "rate below 1"),
        (lambda: momentum_maps(0.1, np.ones((2, 1, 1)), np.ones((3, 1))), "expected linear of shape"),
        (
            lambda: momentum_maps(0.1, np.ones((2, 1, 1)), np.ones((2, 1)), kind="adam"),
            "heavy-ball, nesterov",
        ),
        (lambda: table_maps(0.1, np.ones((2, 1, 1)), np.ones((2, 1)), "sga"), "sag, saga"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(call, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
