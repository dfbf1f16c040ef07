"""Kernel halving as an ordering, and sketches of gradients, against the published recurrence."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim._records import Seen
from cdgrab_sim.orderings import SignRule
from cdgrab_sim.orderings._sketched import SKETCHES
from tests import naive_thinning as naive


@pytest.mark.compiled
@pytest.mark.parametrize("epoch", [1, 3])
def test_a_hundred_thousand_pairs_get_the_published_signs(epoch):
    pairs, d, epochs = 100_000, 2, 10
    z = np.random.default_rng(epoch).standard_normal((2 * pairs, 1, d))
    ordering = cg.orderings.kernel_halving(epochs=epochs, first=np.arange(2 * pairs))
    rng = np.random.default_rng(0)
    state = ordering.init(cg.problems.quadratic(m=1, n=2 * pairs, d=d), rng)
    state.signer.pace[:] = epoch
    uniforms = state.signer.uniforms[0].copy()
    ordering.observe(state, Seen.along(state.pi, 0, z))
    expected = naive.kh_sgd(z[0::2, 0] - z[1::2, 0], epochs, epoch, uniforms)
    assert state.signer.clips[0] == 0  # until the first clip both walk alike
    found = np.where(state.after[0, :pairs] == np.arange(0, 2 * pairs, 2), 1, -1)
    assert_array_equal(found, expected)


def test_thresholds_grow_with_the_vectors_and_the_epochs():
    rule, rng = SignRule("hilbert", epochs=7), np.random.default_rng(0)
    ordering = cg.orderings.pair(scope="coordinated", rule=rule)
    problem = cg.problems.quadratic(m=2, n=6, d=2)
    state = ordering.init(problem, rng)
    for epoch in (1, 2, 3):
        ordering.observe(state, Seen.along(state.pi, 0, np.ones((6, 2, 2))))
        assert_array_equal(state.signer.pace, [[7.0 * epoch, epoch]])  # the next would be the seventh
        state = ordering.advance(state, rng)


def test_only_the_hilbert_walk_has_a_schedule():
    with pytest.raises(ValueError, match="epochs: expected none for rule 'greedy'"):
        SignRule("greedy", epochs=3)


@pytest.mark.parametrize(("by", "k"), [*((by, 3) for by in SKETCHES), ("runs", 2), ("runs", 4)])
def test_a_sketch_keeps_inner_products_on_average(by, k):
    d, draws = 6, 4000
    rng = np.random.default_rng(1)
    g = rng.standard_normal((2, 1, d))
    seen, problem = [], cg.problems.quadratic(m=1, n=2, d=d)
    inner = replace(cg.orderings.cd_grab(), observe=lambda state, one: seen.append(one.G.copy()))
    ordering = cg.orderings.sketched(inner, k, by)
    for draw in range(draws):
        state = ordering.init(problem, np.random.Generator(np.random.PCG64(draw)))
        ordering.observe(state, Seen.along(state.pi, 0, g))
    products = [float(G[0, 0] @ G[1, 0]) for G in seen]
    error = np.std(products) / np.sqrt(draws)
    assert abs(np.mean(products) - g[0, 0] @ g[1, 0]) < 4.0 * error  # fails by chance once in 15,000


def test_leverage_prefers_the_columns_that_move():
    ordering = cg.orderings.sketched(cg.orderings.cd_grab(), 64, "leverage")
    rng = np.random.Generator(np.random.PCG64(0))
    state = ordering.init(cg.problems.quadratic(m=1, n=4, d=100), rng)
    G = np.zeros((4, 1, 100))
    G[:, 0, 7] = [1.0, -1.0, 2.0, 3.0]
    ordering.observe(state, Seen.along(state.pi, 0, G))
    state = ordering.advance(state, rng)
    share = (state.column == 7).mean()  # 0.505 on average, with standard deviation .0625
    assert 0.3 < share < 0.7
    assert_array_equal(state.energy, 0.0)


def test_a_sketch_of_a_low_rank_balances_as_well():
    rng = np.random.default_rng(0)
    z = rng.standard_normal((2, 256, 2)) @ rng.standard_normal((2, 64))
    z -= z.mean(axis=1, keepdims=True)
    whole = cg.orderings.cd_grab()
    full, few = (cg.herding.curve(z, one, 6)[-1] for one in (whole, cg.orderings.sketched(whole, 16)))
    assert few < 2.0 * full
    assert few < 0.3 * cg.herding.curve(z, "rr", 1)[0]


@pytest.mark.parametrize("by", SKETCHES)
def test_sketched_orders_do_not_depend_on_the_chunk(by):
    ordering = cg.orderings.sketched(cg.orderings.cd_grab(), 3, by)
    G = np.random.default_rng(0).integers(-3, 4, (9, 2, 5)).astype(float)
    orders = []
    for chunk in (1, 2, 9):
        rng = np.random.Generator(np.random.PCG64(0))
        state = ordering.init(cg.problems.quadratic(m=2, n=9, d=5), rng)
        for k0 in range(0, 9, chunk):
            ordering.observe(state, Seen.along(state.pi, k0, G[k0 : k0 + chunk]))
        orders.append(ordering.advance(state, rng).pi.copy())
    assert_array_equal(orders[0], orders[1])
    assert_array_equal(orders[0], orders[2])


def test_what_cannot_be_sketched_is_refused():
    with pytest.raises(TypeError, match="expected an Ordering that looks at gradients; got 'rr'"):
        cg.orderings.sketched("rr", 3)
    with pytest.raises(ValueError, match="unknown by 'row'"):
        cg.orderings.sketched(cg.orderings.cd_grab(), 3, "row")
