"""Orders that data loaders draw: every one as often as its definition says, and their closed forms."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtri
from scipy.stats import chi2

import cdgrab_sim as cg
from cdgrab_sim import orderings
from cdgrab_sim.experiments.statements.drawn_orders import _blockwise, _buffered, _in_rounds
from theory import random_orders as theory

EPOCHS = 4000
DRAWN = {
    "blocks": (orderings.blocks(size=2), _blockwise(2, 2, 1)),
    "corgipile": (orderings.corgipile(size=1, merged=2), _blockwise(4, 1, 2)),
    "buffer": (orderings.buffer(size=2), _buffered(4, 2)),
    "stratified": (orderings.stratified(strata=2), _in_rounds(2, 2)),
}


def drawn(ordering, n, epochs=EPOCHS, m=1):
    state = ordering.init(cg.problems.quadratic(m=m, n=n, d=1), np.random.default_rng(0))
    rng, orders = np.random.default_rng(1), []
    for _ in range(epochs):
        orders.append(state.pi)
        state = ordering.advance(state, rng)
    return np.array(orders)


def assert_drawn_from(orders, possible):
    """A chi-square test at one false alarm in a million."""
    expected = Counter(map(tuple, possible))
    seen = Counter(map(tuple, orders.tolist()))
    assert seen.keys() <= expected.keys()
    share = len(orders) / sum(expected.values())
    distance = sum((seen[one] - share * times) ** 2 / (share * times) for one, times in expected.items())
    assert distance < chi2.isf(1e-6, len(expected) - 1)


@pytest.mark.parametrize("name", DRAWN)
def test_every_order_comes_as_often_as_it_should(name):
    ordering, possible = DRAWN[name]
    assert_drawn_from(drawn(ordering, 4)[:, 0], possible)


def test_pairwise_independent_orders_are_all_affine_ones():
    assert_drawn_from(drawn(orderings.pairwise(), 5)[:, 0], theory.pairwise_orders(5))


def test_limits():
    assert_array_equal(drawn(orderings.buffer(size=1), 9, 2)[1, 0], np.arange(9))
    for ordering in (orderings.buffer(size=4), orderings.blocks(size=4), orderings.stratified(strata=4)):
        assert len({tuple(one) for one in drawn(ordering, 4)[:, 0].tolist()}) == 24  # all of them


def test_reversed_blocks_turn_round_every_other_epoch():
    orders = drawn(orderings.blocks_reversed(size=3), 10, 4, m=2)
    assert_array_equal(orders[1::2], orders[::2, :, ::-1])
    assert (orders[2] != orders[0]).any()


def test_strata_of_other_sizes_fill_the_last_rounds():
    order = drawn(orderings.stratified(strata=3), 8, 1)[0, 0]
    assert [sorted(np.arange(8)[order[k : k + 3]] * 3 // 8) for k in (0, 3)] == [[0, 1, 2]] * 2


def test_sorted_data_in_a_buffer_stays_nearly_sorted():
    """The known ratios to random reshuffling, for n = 256 sorted normal values."""
    z = ndtri((np.arange(256) + 0.5) / 256)[:, None]
    rr = theory.mean_square_prefix(256, 1, float((z**2).mean()))
    ratios = [theory.buffer_second_moment(z, B).mean() / rr for B in (1, 16, 64, 256)]
    assert_allclose(ratios, [142.0, 137.0, 82.0, 1.0], rtol=0.05)


def test_the_buffer_in_use_has_its_closed_form():
    z = ndtri((np.arange(64) + 0.5) / 64)[:, None]
    orders = drawn(orderings.buffer(size=16), 64, 2000)[:, 0]
    measured = (np.cumsum(z[orders], axis=1) ** 2).mean(axis=(0, 2))
    assert_allclose(measured.mean(), theory.buffer_second_moment(z, 16).mean(), rtol=0.03)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (theory.block_second_moment, (np.zeros((6, 1)), 4), r"whole groups of 1 blocks of 4; got n = 6"),
        (theory.strata_second_moment, (np.zeros((6, 1)), 4), r"strata of one size; got 4 of n = 6"),
        (theory.buffer_second_moment, (np.ones((6, 1)), 4), r"expected sum 0; got \[6.\]"),
        (theory.pairwise_orders, (9,), r"expected a prime n; got 9"),
    ],
)
def test_what_has_no_closed_form_is_refused(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)
