"""A9 for whole ticks, against enumeration of all draws and an exact Markov chain of the workers."""

import itertools
from collections import Counter

import numpy as np
import pytest

from tests.naive_asynchrony import arrival_order
from theory.asynchrony import effective_laws, exact_laws, finite_horizon

P, TICKS = np.array([0.5, 0.2, 0.3]), np.array([1, 2, 4])


@pytest.mark.parametrize(("m", "updates"), [(1, 3), (2, 1), (2, 4), (3, 4), (4, 3)])
def test_a9_round_law_by_enumeration(m, updates):
    counts = np.zeros(3)
    for examples in itertools.product(range(3), repeat=updates + m - 1):
        drawn = np.array([*examples, 0])
        jobs, _, _ = arrival_order(m, lambda job, worker, drawn=drawn: TICKS[drawn[job]], updates)
        counts += P[list(examples)].prod() * np.bincount(drawn[jobs], minlength=3)
    np.testing.assert_allclose(exact_laws.round_law(P, TICKS, m, updates), counts / updates, atol=1e-11)


def test_a9_round_law_starts_at_the_fastest_and_ends_at_the_first_order():
    p, ticks, m = [0.6, 0.2, 0.2], [10, 19, 103], 24
    fastest = exact_laws.round_law(p, ticks, m, 1)
    np.testing.assert_allclose(fastest, finite_horizon.first_k(p, ticks, m, 1), atol=1e-11)
    gaps = [
        np.abs(exact_laws.round_law(p, ticks, m, S) - finite_horizon.first_updates_law(p, ticks, m, S)).max()
        * S
        for S in (192, 384, 768)
    ]
    assert gaps[0] > 3 * gaps[1] > 9 * gaps[2]  # o(1/S): S times the gap vanishes


def test_a9_examples_of_equal_time_share_it():
    law = exact_laws.round_law([0.1, 0.4, 0.2, 0.3], [1, 1, 2, 4], 3, 4)
    np.testing.assert_allclose(law[:2].sum(), exact_laws.round_law(P, TICKS, 3, 4)[0], atol=1e-11)
    assert law[1] == pytest.approx(4 * law[0])


def arrivals_by_delay(m, ticks):
    """Return the probabilities of (example, delay) among the arrivals of one late tick, by the chain.

    A state holds, for each worker in order, what it computes, the ticks that are left and the arrivals since.
    """
    start = [((z, s, 0), q) for z, (s, q) in enumerate(zip(TICKS, P, strict=True))]
    states = Counter()
    for jobs in itertools.product(start, repeat=m):
        states[tuple(job for job, _ in jobs)] += np.prod([q for _, q in jobs])
    for _ in range(ticks):
        seen = Counter()
        for worker in range(m):
            moved = Counter()
            for state, q in states.items():
                z, left, age = state[worker]
                if left > 1:
                    moved[(*state[:worker], (z, left - 1, age), *state[worker + 1 :])] += q
                    continue
                seen[z, age] += q
                older = [(a, b, c + 1) for a, b, c in state]
                for job, share in start:
                    moved[(*older[:worker], job, *older[worker + 1 :])] += q * share
            states = moved
    return {key: q / sum(seen.values()) for key, q in seen.items()}


@pytest.mark.parametrize("m", [2, 3])
def test_a9_delay_law_by_the_chain_of_all_workers(m):
    exact = arrivals_by_delay(m, 120 if m == 2 else 40)
    tolerance = 1e-9 if m == 2 else 1e-4  # what is left of the start
    for z, s in enumerate(TICKS):
        law = exact_laws.delay_law(P, TICKS, m, s)
        assert law.sum() == pytest.approx(1.0, abs=1e-12)
        expected = [exact.get((z, tau), 0.0) / P[z] for tau in range(len(law))]
        np.testing.assert_allclose(law, expected, atol=tolerance)
    kept = np.array([sum(q for (z, tau), q in exact.items() if z == k and tau <= m) for k in range(3)])
    law = exact_laws.weighted_by_delay(P, TICKS, m, lambda tau: tau <= m)
    np.testing.assert_allclose(law, kept / kept.sum(), atol=tolerance)


@pytest.mark.parametrize("m", [1, 2, 50])
@pytest.mark.parametrize("duration", [1, 3, 40])
def test_a9_delay_law_has_the_mean_of_a7(m, duration):
    law = exact_laws.delay_law(P, TICKS, m, duration)
    assert law @ np.arange(len(law)) == pytest.approx((m - 1) * duration / (P @ TICKS), abs=1e-9)


def test_a9_weights_by_delay_approach_their_limits():
    p, ticks = [0.5, 0.2, 0.1, 0.2], [10, 19, 43, 103]
    for weight, limit in (
        (lambda m: lambda tau: np.minimum(1.0, m / np.maximum(tau, 1)), effective_laws.delay_adaptive),
        (lambda m: lambda tau: tau <= m, effective_laws.drop_older_than_m),
    ):
        gaps = [
            np.abs(exact_laws.weighted_by_delay(p, ticks, m, weight(m)) - limit(p, ticks)).max()
            for m in (12, 48, 192)
        ]
        assert gaps[0] > 2 * gaps[1] > 4 * gaps[2]


def test_an_example_that_is_never_drawn_changes_nothing():
    never = [*P, 0.0], [*TICKS, 10**9]
    for law in (
        lambda p, ticks: exact_laws.round_law(p, ticks, 3, 4),
        lambda p, ticks: exact_laws.weighted_by_delay(p, ticks, 3, lambda tau: tau < 3),
    ):
        np.testing.assert_array_equal(law(*never), [*law(P, TICKS), 0.0])


def test_a_round_ends_when_all_jobs_are_the_longest(monkeypatch):
    """The sum over ticks stops there even where rounding keeps it from the number of updates."""
    exact = exact_laws.round_law(P, TICKS, 2, 5)
    monkeypatch.setattr(exact_laws, "_MISSING", -1.0)  # never enough
    np.testing.assert_allclose(exact_laws.round_law(P, TICKS, 2, 5), exact, atol=1e-11)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: exact_laws.round_law([0.5, 0.5], [1, 10**9], 2, 5), "got 3,000,000,000 ticks with up to 5"),
        (
            lambda: exact_laws.round_law([1.0], [1], 1, 10**5),
            "100,000 ticks .* choose a coarser tick, or fewer",
        ),
        (lambda: exact_laws.delay_law([0.5, 0.5], [1, 9], 2, 10**6), "choose a coarser tick"),
        (lambda: exact_laws.round_law(P, [1.0, 1.5, 2.0], 2, 1), "expected whole ticks"),
        (lambda: exact_laws.delay_law(P, [2, 4, 6], 2, 2), "without a common divisor"),
        (lambda: exact_laws.weighted_by_delay(P, TICKS, 2, lambda tau: tau < 0), "keeps some example"),
    ],
)
def test_wrong_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
