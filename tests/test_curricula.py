"""Curricula against what the papers say, step by step."""

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim.orderings._curriculum import admitted

SCORES = np.array([5.0, 1.0, 4.0, 2.0, 3.0, 0.0, 7.0, 6.0])


def orders_of(ordering, epochs, m=1, n=8, step_size=1e-6):
    problem = cg.problems.quadratic(m=m, n=n, d=2)
    record = cg.Record(orders=True)
    return cg.simulate(problem, ordering, epochs=epochs, step_size=step_size, record=record).orders[
        0
    ], problem


@pytest.mark.parametrize(
    ("pacing", "expected"),
    [
        ("linear", [2, 3, 4, 5, 6, 6]),  # 2 + 4 t / 4 of 6
        ("root", [2, 4, 5, 6, 6, 6]),  # 2 + 4 sqrt(t / 4) = 2, 4, 4.83, 5.46, 6
        ("step", [2, 2, 2, 2, 6, 6]),
        ("exponential", [2, 3, 3, 3, 6, 6]),  # 2 + 4 (e^2.5 - 1) / (e^10 - 1) = 2.002, 2.03, 2.33, 6
    ],
)
def test_pacing(pacing, expected):
    assert [admitted(pacing, 1 / 3, 4, 6, t) for t in range(6)] == expected


@pytest.mark.parametrize("anti", [False, True])
def test_epochs_show_the_easiest_or_the_hardest(anti):
    orders, _ = orders_of(cg.orderings.curriculum(scores=SCORES, start=0.25, ramp=3, anti=anti), 5, m=2)
    ranked = np.argsort(-SCORES if anti else SCORES)
    for t, k in enumerate((2, 4, 6, 8, 8)):
        for row in orders[t]:
            assert set(row) == set(ranked[:k])
            for start in range(0, 8 - k + 1, k):  # whole rounds
                assert set(row[start : start + k]) == set(ranked[:k])
    assert (orders[3] != orders[4]).any()


def test_all_examples_from_the_start_are_random_reshuffling():
    orders, _ = orders_of(cg.orderings.curriculum(start=1.0), 60, n=3)
    assert_array_equal(np.sort(orders[:, 0], axis=1), [[0, 1, 2]] * 60)
    assert len({tuple(row) for row in orders[:, 0]}) == 6


def test_self_paced_orders_follow_the_gradients_last_seen():
    """With steps of nothing gradients stay, and are those at the start."""
    orders, problem = orders_of(cg.orderings.self_paced(start=0.5, ramp=4), 6, m=2)
    gradients = problem.gradients(np.zeros(2))
    hard = np.sum(gradients**2, axis=2)
    assert_array_equal(np.sort(orders[0], axis=1), [range(8)] * 2)
    for t in range(1, 6):
        k = min(8, math.ceil(4 + 4 * t / 4 - 1e-9))
        for i in range(2):
            assert set(orders[t, i]) == set(np.argsort(hard[i])[:k])


def test_scores_of_each_worker():
    each = np.stack([SCORES, -SCORES])
    orders, _ = orders_of(cg.orderings.curriculum(scores=each, start=0.125), 1, m=2)
    assert_array_equal(orders[0], [[5] * 8, [6] * 8])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"start": 1.5}, "start: expected a share of the examples, at most 1; got 1.5"),
        ({"pacing": "roots"}, r"unknown pacing 'roots'; did you mean 'root'\?"),
        ({"ramp": 0}, "ramp: expected a whole number >= 1"),
        ({"scores": [[[1.0]]]}, "scores: expected a non-empty array with 1 or 2 axes"),
    ],
)
def test_wrong_curricula_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        cg.orderings.curriculum(**given)


def test_scores_of_other_sizes_are_refused():
    with pytest.raises(ValueError, match=r"scores: expected shape \(8,\) or \(1, 8\), one for .* got \(3,\)"):
        orders_of(cg.orderings.curriculum(scores=[1.0, 2.0, 3.0]), 1)
