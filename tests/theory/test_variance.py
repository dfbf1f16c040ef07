"""Weights, projections, tables and batches: closed forms, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from theory import affine, quadratics, variance


def test_uniform_weights_are_the_affine_law_of_draws():
    rng = np.random.default_rng(0)
    root, c = rng.standard_normal((3, 2, 2)), rng.standard_normal((3, 2))
    A = root @ root.swapaxes(1, 2)
    expected = affine.moments("sgd", affine.momentum_maps(0.1, A, c), [1.0, 2.0, 0.0, 0.0], 2)
    mean, square = variance.weighted_moments(0.1, A, c, np.full(3, 7.0), [1.0, 2.0], 6)
    assert_allclose(mean, expected[0][:2], rtol=1e-13)
    assert_allclose(square, expected[1][:2, :2], rtol=1e-13)


def test_noise_of_single_draws_and_of_reshuffling_is_that_of_the_quadratics():
    """At the end of an epoch, one eigenvector, batch 1."""
    alpha, lam, n, v = 0.05, 1.5, 6, 2.0
    for ordering, size in (("sgd", None), ("rr", n)):
        expected = quadratics.stationary_covariance(ordering, alpha, [lam], n, 1, [[v / lam**2]])[0, 0]
        assert_allclose(variance.batch_noise(alpha, lam, v, 1, n=size), expected, rtol=1e-12)


def test_twice_the_batch_is_half_the_step_at_small_steps():
    for n in (None, 4096):
        one = variance.batch_noise(1e-4, 1.0, 1.0, 8, n=n) / variance.batch_noise(0.5e-4, 1.0, 1.0, 4, n=n)
        assert one == pytest.approx(1.0, abs=2e-4)
    assert variance.batch_over_step(0.4, 1.0) == pytest.approx(1.8 / 1.6)


def test_the_bound_of_sag_starts_at_its_constant():
    assert variance.sag_bound(2.0, 1.0, 4, 0, 3.0, 5.0, 8.0) == 3.0 + 10.0 + 0.25
    assert variance.sag_bound(1.0, 1.0, 100, 1, 1.0, 0.0, 0.0) == pytest.approx(1 - 1 / 800)


WRONG = {
    "p of shape": lambda: variance.weighted_moments(
        0.1, np.ones((2, 1, 1)), np.ones((2, 1)), [1.0], [0.0], 1
    ),
    "x0 of shape": lambda: variance.weighted_moments(
        0.1, np.ones((2, 1, 1)), np.ones((2, 1)), [1.0, 1.0], [0.0, 1.0], 1
    ),
    "squares of shape": lambda: variance.weighted_bound(0.1, 1.0, [1.0, 1.0], [1.0], [1.0, 1.0], 1.0, 1),
    "lower alpha": lambda: variance.weighted_bound(1.0, 1.0, [1.0, 1.0], [1.0, 0.0], [1.0, 1.0], 1.0, 1),
    "full column rank": lambda: variance.kaczmarz_bound([[1.0, 1.0]], 1.0, 1),
    "below 2": lambda: variance.batch_noise(2.0, 1.0, 1.0),
    "a multiple of the batch": lambda: variance.batch_noise(0.1, 1.0, 1.0, 2, n=3),
}


@pytest.mark.parametrize("message", sorted(WRONG))
def test_what_is_not_covered_is_refused(message):
    with pytest.raises(ValueError, match=message):
        WRONG[message]()
