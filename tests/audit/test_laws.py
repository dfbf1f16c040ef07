"""The probabilities that audits rest on, against enumeration: no random order may look worse more often."""

import itertools
from collections import Counter
from math import exp, factorial

import numpy as np
import pytest

from cdgrab_sim.audit import _bets
from cdgrab_sim.audit._buffer import Buffer, early_by_chance
from cdgrab_sim.audit._epochs import Repeats, places_of, repeats
from cdgrab_sim.audit._likeness import ranks_of
from cdgrab_sim.audit._seeds import equal_by_chance
from cdgrab_sim.audit._showings import never_by_chance


def every(*values):
    """All arrangements of some values, each as often as it comes."""
    return [np.array(one) for one in itertools.permutations(values)]


def through_buffer(n, size):
    """The orders that a shuffle buffer can give, by choosing what to emit."""
    found, open_ends = set(), [((), tuple(range(min(size, n))), min(size, n))]
    while open_ends:
        out, held, taken = open_ends.pop()
        if not held:
            found.add(out)
        for one in held:
            rest = [x for x in held if x != one] + ([taken] if taken < n else [])
            open_ends.append(((*out, one), tuple(rest), min(n, taken + 1)))
    return found


@pytest.mark.parametrize(("n", "size"), [(1, 1), (5, 1), (5, 2), (6, 3), (6, 6)])
def test_the_law_of_a_buffer_counts_its_orders(n, size):
    orders = through_buffer(n, size)
    assert exp(early_by_chance(n, size)) * factorial(n) == pytest.approx(len(orders), rel=1e-12)
    for order in every(*range(n)):
        buffer = Buffer()
        buffer.look([order])
        (found,) = buffer.findings()
        assert (tuple(order) in orders) == (int(found.seen.split()[2]) <= size)


def test_equal_orders_are_as_rare_as_the_bound_says():
    for values, distinct in (((0, 1, 2), 3), ((0, 1, 1, 2), 3)):
        rows = [tuple(places_of(row)[0]) for row in every(*values)]
        equal = sum((a == b) for a, b in itertools.product(rows, rows)) / len(rows) ** 2
        assert equal <= exp(equal_by_chance(1, distinct, 1)) * (1 + 1e-12)
        assert distinct < len(values) or equal == pytest.approx(exp(equal_by_chance(1, distinct, 1)))


@pytest.mark.parametrize("left_out", [[1, 2], [2, 2], [2, 2, 1]])
def test_examples_that_nobody_sees_are_as_rare_as_the_bound_says(left_out):
    sets = [list(itertools.combinations(range(5), r)) for r in left_out]
    never = Counter(len(set.intersection(*map(set, one))) for one in itertools.product(*sets))
    total = sum(never.values())
    for c in (1, 2):
        assert sum(never[k] for k in never if k >= c) / total <= exp(never_by_chance(5, left_out, c)) + 1e-12


ODDS, STAKES = np.array([0.25, 3.0, 64.0]), np.array([0.9, 0.1, -0.5])
BETS = {
    "likeness": (_bets.bet_on_likeness, ODDS, (2, 3)),
    "periods": (_bets.bet_on_periods, ODDS, (2, 3, 3)),
    "trend": (_bets.bet_on_trend, STAKES, (3,)),
}


@pytest.mark.parametrize("name", BETS)
@pytest.mark.parametrize("values", [(0, 1, 2, 3, 4, 5), (3, 9, 9, 11, 12, 90), (7, 7, 7, 8)], ids=str)
def test_bets_are_fair(name, values):
    """Their wealth has mean 1 over all arrangements, also of values that come twice."""
    bet, prices, shape = BETS[name]
    own = []
    for row in every(*values):
        log_wealth = np.zeros(shape)
        bet(log_wealth, prices, row[None], np.array([len(row)]))
        own.append(np.exp(log_wealth))
    np.testing.assert_allclose(np.mean(own, axis=0), np.ones(shape), rtol=1e-12)
    assert np.ptp(own) > 0.0


def test_rows_multiply_and_short_ones_end_early():
    rows = np.array([[4, 1, 2, 0], [3, 0, 1, -1]])
    for bet, prices, shape in BETS.values():
        together, apart = np.zeros(shape), np.zeros(shape)
        bet(together, prices, rows, np.array([4, 3]))
        bet(apart, prices, rows[:1], np.array([4]))
        bet(apart, prices, rows[1:, :3].copy(), np.array([3]))
        np.testing.assert_allclose(together, apart, rtol=1e-12)


def test_the_earlier_of_equal_examples_counts_as_the_larger():
    """Then no way to tell equal examples apart needs a larger buffer."""
    for row in every(0, 0, 1, 1, 2):
        cautious = np.max(places_of(row)[0] - np.arange(5))
        ways = [
            p
            for p in itertools.permutations(range(5))
            if tuple(np.array([0, 0, 1, 1, 2])[list(p)]) == tuple(row)
        ]
        assert cautious == max(np.max(np.array(p) - np.arange(5)) for p in ways)


def test_repeated_showings_are_padding_duplicates_or_overlap():
    assert repeats(np.array([0, 1, 2]), np.zeros(3)) == Repeats(0, 0, 0)
    assert repeats(np.array([0, 1, 0, 1]), np.array([0, 1, 0, 1])) == Repeats(2, 0, 0)
    assert repeats(np.array([0, 1, 1, 2]), np.array([0, 1, 1, 0])) == Repeats(0, 1, 0)
    assert repeats(np.array([0, 1, 1, 2]), np.array([0, 1, 0, 0])) == Repeats(0, 0, 1)
    assert repeats(np.array([0, 1, 1, 0, 2]), np.array([0, 1, 0, 0, 1])) == Repeats(0, 1, 1)


def test_ranks_of_columns_keep_ties():
    np.testing.assert_array_equal(ranks_of(["b", "a", "b", "c"]), [4, 1, 4, 7])
