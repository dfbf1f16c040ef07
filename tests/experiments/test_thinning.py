"""`cdgrab thinning`: what its cells measure, against numbers known otherwise."""

import numpy as np
import pytest

from cdgrab_sim.experiments import thinning

pytestmark = pytest.mark.compiled  # thousands of kernel values


def test_random_coresets_have_their_exact_distance():
    # With replacement E MMD^2 = (mean of k(x, x) - mean of k) / s, exactly; here k(x, x) = 1.
    cell = {"method": "random", "seed": 3, "size": 8, "d": 2, "scale": 2.0}
    points = thinning._points(cell)
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    exact = (1.0 - np.exp(-squares / 8.0).mean()) / 8
    assert thinning.gap(cell)["mmd"] ** 2 == pytest.approx(exact, rel=0.25)  # a mean of 100 draws


def test_halves_are_below_their_bound_and_near_it():
    ratios = []
    for seed in range(20):
        cell = {"seed": seed, "size": 8, "d": 2, "scale": 2.0}
        found = thinning.half(cell)
        ratios.append(found["square"] / found["bound"])
    assert 0.1 < np.mean(ratios) < 1.0


def test_a_sketch_of_more_columns_than_there_are_directions_is_near_the_whole():
    sizes = {"m": 2, "n": 64, "d": 256, "rank": 2, "decay": 0.0, "rounds": 6}
    ratio = np.mean(
        [thinning.sketch(sizes | {"seed": s, "by": "columns", "k": 64})["ratio"] for s in range(4)]
    )
    assert 0.5 < ratio < 2.0


def test_the_kernel_of_the_bound_is_that_of_the_halves():
    X, Y = np.random.default_rng(0).standard_normal((2, 4, 3))
    expected = [[np.exp(-np.sum((x - y) ** 2) / (2 * 0.7**2)) for y in Y] for x in X]
    np.testing.assert_allclose(thinning._matrix(X, Y, 0.7), expected, rtol=1e-14)
