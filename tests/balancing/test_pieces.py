"""An epoch that comes in pieces: whoever is there, the next orders are permutations, and the same ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from tests.strategies import orders, streams

o = cg.orderings
FORMS = {
    "pair": o.pair,
    "mean": o.mean,
    "exact mean": lambda **args: o.mean(exact=True, **args),
}
RULES = ("greedy", "random", "self-balancing", "hilbert")
SCOPES = ("coordinated", "independent")
PRODUCT = [(form, scope, rule) for form in FORMS for scope in SCOPES for rule in RULES]
EVERY = pytest.mark.parametrize(("form", "scope", "rule"), PRODUCT)
brief = settings(deadline=None, max_examples=15)


@st.composite
def pieces(draw, m, n, whole=True):
    """Split an epoch: (who, steps) again and again, each worker's steps in their order, all n or fewer."""
    left, made = np.full(m, n), []
    for _ in range(draw(st.integers(0, 2 * m * n))):
        present = [i for i in range(m) if left[i] > 0 and draw(st.booleans())]
        if present:
            steps = draw(st.integers(1, int(left[present].min())))
            left[present] -= steps
            made.append((present, steps))
    if whole:
        made += [([i], int(left[i])) for i in draw(st.permutations(range(m))) if left[i] > 0]
    return made


def show(ordering, G, split, first=None):
    """Orders after each epoch of G (T, n, m, d), shown in the pieces of `split` through one buffer."""
    T, n, m, d = G.shape
    rng = np.random.default_rng(0)
    state = ordering.init(cg.Problem("sizes", m=m, n=n, d=d, data=(), grads=None, value=None), rng)
    made = []
    for t in range(T):
        shown, pi = np.zeros(m, dtype=int), state.pi.copy()
        for who, steps in split[t]:
            at = np.array([pi[i, shown[i] : shown[i] + steps] for i in who]).T.copy()
            part = np.array([G[t, shown[i] : shown[i] + steps, i] for i in who]).swapaxes(0, 1).copy()
            ordering.observe(state, cg.Seen(0, np.array(who), at, part))
            part[:], at[:] = np.nan, -1  # nothing of them may be needed again
            shown[who] += steps
        state = ordering.advance(state, rng)
        made.append(state.pi.copy())
    return np.array(made)


def in_one_piece(G):
    return [[(list(range(G.shape[2])), G.shape[1])]] * len(G)


@EVERY
@brief
@given(G=streams(), data=st.data())
def test_any_part_of_an_epoch_gives_permutations(form, scope, rule, G, data):
    T, n, m, _ = G.shape
    split = [data.draw(pieces(m, n, whole=False)) for _ in range(T)]
    made = show(FORMS[form](scope=scope, rule=rule), G, split)
    assert_array_equal(np.sort(made, axis=2), np.broadcast_to(np.arange(n), made.shape))


@EVERY
@brief
@given(G=streams(), data=st.data())
def test_independent_workers_decide_alike_in_any_interleaving(form, scope, rule, G, data):
    T, n, m, _ = G.shape
    split = [data.draw(pieces(m, n)) for _ in range(T)]
    ordering = FORMS[form](scope="independent", rule=rule)
    assert_array_equal(show(ordering, G, split), show(ordering, G, in_one_piece(G)))


@EVERY
@brief
@given(G=streams(), data=st.data())
def test_single_workers_step_by_step_are_the_whole_epoch(form, scope, rule, G, data):
    """Real numbers: inner products have rounding, and even so every sum has the same bits."""
    T, n, m, _ = G.shape
    G = G / 3.0 + np.random.RandomState(n).standard_normal(G.shape)
    ordering = FORMS[form](scope=scope, rule=rule, first=data.draw(orders(m, n)))
    alone = [[([i], 1) for _ in range(n) for i in range(m)]] * T
    assert_array_equal(show(ordering, G, alone), show(ordering, G, in_one_piece(G)))


def test_what_was_not_shown_takes_the_places_left_in_the_old_order():
    """Worker 0 shows five of eight, worker 1 nothing. Pairs get + and +, single vectors + - - + -."""
    G = np.array([2.0, 1.0, 1.0, 3.0, 7.0]).reshape(5, 1, 1)
    rng, first = np.random.default_rng(0), np.array([[7, 6, 5, 4, 3, 2, 1, 0], [4, 5, 6, 7, 3, 2, 1, 0]])
    problem = cg.Problem("sizes", m=2, n=8, d=1, data=(), grads=None, value=None)
    for form, expected in ((o.pair, [7, 5, 3, 2, 1, 0, 4, 6]), (o.mean, [7, 4, 2, 1, 0, 3, 5, 6])):
        ordering = form(scope="independent", first=first)
        state = ordering.init(problem, rng)
        ordering.observe(state, cg.Seen(0, np.array([0]), first[:1, :5].T.copy(), G))
        assert ordering.advance(state, rng).pi.tolist() == [expected, first[1].tolist()]


def test_the_stale_mean_is_that_of_what_was_shown():
    rng, ordering = np.random.default_rng(0), o.d_grab(first=np.arange(4))
    problem = cg.Problem("sizes", m=2, n=4, d=1, data=(), grads=None, value=None)
    state = ordering.init(problem, rng)
    for G, means in (([2.0, 4.0], [3.0, 0.0]), ([], [3.0, 0.0]), ([5.0], [5.0, 0.0])):
        at, who = state.pi[:1, : len(G)].T.copy(), np.array([0])
        ordering.observe(state, cg.Seen(0, who, at, np.reshape(G, (-1, 1, 1))))
        state = ordering.advance(state, rng)
        assert state.mean[:, 0].tolist() == means


@EVERY
def test_repeated_examples_and_long_epochs_are_refused_in_one_line(form, scope, rule):
    ordering, rng = FORMS[form](scope=scope, rule=rule), np.random.default_rng(0)
    problem = cg.Problem("sizes", m=2, n=3, d=1, data=(), grads=None, value=None)
    at = np.array([[0, 1], [1, 2], [2, 1]])
    for worker, shown in ((0, at[:, ::-1]), (1, at)):
        state = ordering.init(problem, rng)
        ordering.observe(state, cg.Seen(0, np.arange(2), shown, np.ones((3, 2, 1))))
        with pytest.raises(ValueError, match=f"once in an epoch; got one of worker {worker} twice"):
            ordering.advance(state, rng)

    def go_on_beyond_the_end():
        state = ordering.init(problem, rng)
        for who in (np.arange(2), np.array([1])):
            ordering.observe(state, cg.Seen(0, who, at[:, who].copy(), np.ones((3, len(who), 1))))
        ordering.advance(state, rng)

    with pytest.raises(ValueError, match="at most n = 3 gradients of a worker in an epoch; got more"):
        go_on_beyond_the_end()
