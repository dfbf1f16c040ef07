"""The smallest sizes that a statement speaks of are taken, and the first beyond are refused."""

import math

import numpy as np
import pytest

from theory import balancing, convergence, quadratics, random_orders
from theory.asynchrony import effective_laws, exponential
from theory.quadratics import _epoch_maps

HALVES = [0.5, 0.5]
LAW = {"p": HALVES, "times": [1, 9]}
ISOTROPIC = {"second_moment": 1, "projection": 1, "last_square": 1}
EMPIRICAL = {"deviations": [0], "width": 1, "delta": 0.1}


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (exponential.mean_iterates, {"c": 0.5, "m": 1, "steps": 0}, [1.0]),
        (exponential.mean_iterates, {"c": 0.5, "m": 1, "steps": 2}, [1.0, 0.5, 0.25]),
        (effective_laws.age_threshold, LAW | {"m": 1, "threshold": 1}, HALVES),
        (effective_laws.age_threshold, {"p": HALVES, "times": [1, 1], "m": 2, "threshold": 1}, HALVES),
        (convergence.independent_herding_heuristic, {"H1": 3.0, "m": 1}, 3.0),
        (balancing.greedy_norm_sum, ISOTROPIC | {"n": 1}, 0.0),
        (balancing.self_balancing_variance_limit, {"threshold": 4.0, "B": 2.0}, 4.0),
        (
            random_orders.empirical_bernstein_radius,
            {"n": 2, "deviations": [0, 0], "width": 3, "delta": 10 * math.exp(-5)},
            [(7 / 3 + 3 / math.sqrt(2)) * 15, (7 / 3 + 3 / math.sqrt(2)) * 7.5],
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_smallest_sizes(function, arguments, expected):
    np.testing.assert_allclose(function(**arguments), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (exponential.mean_iterates, {"c": 0.5, "m": 0, "steps": 2}, "m >= 1; got 0"),
        (exponential.mean_iterates, {"c": 0.5, "m": 1, "steps": -1}, "steps >= 0; got -1"),
        (effective_laws.age_threshold, LAW | {"m": 1, "threshold": 0}, "threshold >= 1; got 0"),
        (effective_laws.age_threshold, LAW | {"m": 0, "threshold": 1}, "m >= 1; got 0"),
        (convergence.independent_herding_heuristic, {"H1": 3.0, "m": 0}, "m >= 1; got 0"),
        (balancing.greedy_norm_sum, ISOTROPIC | {"n": 0}, "n >= 1; got 0"),
        (balancing.self_balancing_variance_limit, {"threshold": 3.999, "B": 2.0}, r"threshold >= B\^2 = 4.0"),
        (random_orders.empirical_bernstein_radius, EMPIRICAL | {"n": 1}, "n >= 2; got 1"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_the_first_beyond(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(**arguments)


def test_a_table_of_subsets_may_be_as_large_as_the_limit(monkeypatch):
    maps = np.stack([np.eye(2)] * 3)
    monkeypatch.setattr(_epoch_maps, "LARGEST_TABLE", 2**3 * 2**2)
    np.testing.assert_array_equal(quadratics.average_product(maps), np.eye(2))
    monkeypatch.setattr(_epoch_maps, "LARGEST_TABLE", 2**3 * 2**2 - 1)
    with pytest.raises(ValueError, match="expected 2\\*\\*n"):
        quadratics.average_product(maps)


def test_published_orders_are_those_of_their_formulas():
    for name, expected in (
        ("rr non-convex", 3.0 ** (-1 / 3) * 5.0 ** (-2 / 3)),
        ("grab non-convex", 15.0 ** (-2 / 3)),
        ("cd-grab non-convex", 30.0 ** (-2 / 3)),
        ("cd-grab PL", (2 * 3 * 5) ** -2.0),
        ("rr strongly convex, Lipschitz Hessian", 15.0**-2 + 5.0**-3),
        ("flipflop rr quadratic", 15.0**-2 + 1 / (3 * 5.0**5)),
    ):
        assert convergence.published_order(name, m=2, n=3, T=5) == pytest.approx(expected, rel=1e-14)
