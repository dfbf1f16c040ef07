"""Orderings against naive twins, and what each of them is by definition."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from tests import naive
from tests.strategies import orders, streams, thorough

FORMS = {"mean": cg.orderings.mean, "pair": cg.orderings.pair}


def orders_used(ordering, *, epochs, m=3, n=5, seed=0):
    problem = cg.problems.quadratic(m=m, n=n, d=2)
    run = cg.simulate(
        problem, ordering, epochs=epochs, step_size=1e-3, seed=seed, record=cg.Record(orders=True)
    )
    return run.orders[0]


@pytest.mark.parametrize("scope", ["coordinated", "independent"])
@pytest.mark.parametrize("form", sorted(FORMS))
@thorough
@given(G=streams(), data=st.data())
def test_balancing_equals_its_naive_twin(form, scope, G, data):
    _, n, m, _ = G.shape
    first = data.draw(orders(m, n))
    replayed = cg.replay(G, FORMS[form](scope=scope, first=first))
    expected = naive.replay(G.tolist(), form, scope, first.tolist())
    assert [*replayed.orders.tolist(), replayed.next.tolist()] == expected


def test_mean_balancing_by_hand():
    """One worker, five scalars, first order as given.

    Epoch 0, mean 0: 5 is a tie, +, s = 5; then 5 gives -, s = 0; -1 is a tie, +, s = -1; -2 points along s,
    -, s = 1; 3 gives -. Fronts 0, 2, then backs in reverse: 4, 3, 1.
    Epoch 1, mean (5 + 5 - 1 - 2 + 3) / 5 = 2, order 0 2 4 3 1, so 3, -3, 1, -4, 3: a tie, +, s = 3; against
    s, +, s = 0; a tie, +, s = 1; against s, +, s = -3; against s, +. The order stays.
    """
    G = np.array([[5, 5, -1, -2, 3], [5, -1, 3, -2, 5]], dtype=float).reshape(2, 5, 1, 1)
    replayed = cg.replay(G, cg.orderings.grab(first=[0, 1, 2, 3, 4]))
    assert replayed.orders[1].tolist() == [[0, 2, 4, 3, 1]]
    assert replayed.next.tolist() == [[0, 2, 4, 3, 1]]


def test_grab_on_several_workers_names_what_to_use():
    with pytest.raises(ValueError, match=r"m = 1; got m = 2.*'d-grab', 'd-grab-pair' or 'cd-grab'"):
        cg.simulate(cg.problems.quadratic(m=2), "grab", epochs=1, step_size=1e-3)


@thorough
@given(G=streams(m=st.just(1)))
def test_on_one_worker_the_distributed_forms_are_the_single_ones(G):
    assert_array_equal(cg.replay(G, "grab").next, cg.replay(G, "d-grab").next)
    assert_array_equal(cg.replay(G, "cd-grab").next, cg.replay(G, "d-grab-pair").next)


@pytest.mark.parametrize("ordering", ["d-grab", "d-grab-pair"])
@thorough
@given(G=streams(m=st.just(2)))
def test_independent_workers_do_not_see_each_other(ordering, G):
    both, alone = cg.replay(G, ordering).next, cg.replay(G[:, :, :1], ordering).next
    assert_array_equal(both[0], alone[0])


@pytest.mark.parametrize("ordering", ["cd-grab", "d-grab-pair", "d-grab", "grab"])
@thorough
@given(G=streams(m=st.just(1)))
def test_opposite_gradients_give_the_same_order(ordering, G):
    # The sign of every vector flips and that of the sum with it, but a tie goes to + either way.
    if greedy_has_ties(G, ordering):
        return
    assert_array_equal(cg.replay(G, ordering).next, cg.replay(-G, ordering).next)


def greedy_has_ties(G, ordering):
    """Tell whether any sign after the first of an epoch is decided by <s, v> = 0."""
    means = np.zeros(G.shape[3])
    for epoch in G[:, :, 0]:
        v = epoch[:-1:2] - epoch[1::2] if "pair" in ordering or ordering == "cd-grab" else epoch - means
        means = epoch.mean(axis=0)
        s = np.zeros(G.shape[3])
        for k, one in enumerate(v):
            if k and s @ one == 0:
                return True
            s = s + one if s @ one <= 0 else s - one
    return False


def test_ig_keeps_the_order_of_the_data():
    assert orders_used("ig", epochs=3).tolist() == [[[0, 1, 2, 3, 4]] * 3] * 3


def test_so_draws_once_and_each_worker_for_itself():
    used = orders_used("so", epochs=4, n=20)
    assert (used == used[0]).all()
    assert len(np.unique(used[0], axis=0)) == 3
    assert not np.array_equal(used[0], orders_used("ig", epochs=1, n=20)[0])


def test_flipflop_reverses_in_odd_epochs_and_draws_in_even_ones():
    used = orders_used("flipflop", epochs=6, n=20)
    for t in (0, 2, 4):
        assert_array_equal(used[t + 1], used[t][:, ::-1])
    assert len(np.unique(used[::2, 0], axis=0)) == 3
    assert_array_equal(used[::2], orders_used("rr", epochs=6, n=20)[::2])  # the same draws


def test_stale_means_are_those_of_the_previous_epoch():
    ordering = cg.orderings.d_grab()
    problem = cg.problems.quadratic(m=2, n=4, d=3)
    rng = np.random.default_rng(0)
    state = ordering.init(problem, rng)
    G = np.random.RandomState(0).randint(-9, 9, size=(3, 4, 2, 3)).astype(float)
    assert not state.mean.any()
    for t in range(3):
        ordering.observe(state, cg.Seen.along(state.pi, 0, G[t]))
        state = ordering.advance(state, rng)
        assert_array_equal(state.mean, G[t].sum(axis=0) / 4)


@pytest.mark.parametrize("form", sorted(FORMS))
def test_scope_and_first_are_checked(form):
    with pytest.raises(ValueError, match="unknown scope 'joint'"):
        FORMS[form](scope="joint")
    with pytest.raises(
        ValueError, match=r"first\[0\]: expected a permutation of 0..63; example 1 is missing"
    ):
        cg.simulate("quadratic", FORMS[form](scope="independent", first=[0] * 64), epochs=1, step_size=1e-3)


class Kept(NamedTuple):
    """State of another ordering, and the stream it saw."""

    pi: np.ndarray
    inner: object
    stream: list


def recording(inner, epochs):
    """`inner`, which keeps every epoch's stream in `epochs`."""

    def wrap(state):
        epochs.append([])
        return Kept(state.pi, state, epochs[-1])

    def observe(state, seen):
        state.stream.extend(seen.G.copy())
        if inner.observe is not None:
            inner.observe(state.inner, seen)

    return cg.Ordering(
        "recording",
        lambda problem, rng: wrap(inner.init(problem, rng)),
        observe,
        lambda state, rng: wrap(inner.advance(state.inner, rng)),
        replacement=inner.replacement,
    )


@pytest.mark.parametrize("name", sorted(set(cg.orderings.ORDERINGS) - {"herding"}))
def test_replay_of_a_run_gives_its_orders(name):
    m = 1 if name == "grab" else 3
    problem, epochs = cg.problems.skewed(m=m, n=7, d=2), []
    args = {"step_size": 1e-3, "seed": 4, "record": cg.Record(orders=True)}
    run = cg.simulate(problem, recording(cg.orderings.make(name), epochs), epochs=5, **args)
    replayed = cg.replay(np.array(epochs[:4]), name, seed=4)
    assert_array_equal(replayed.orders, run.orders[0, :4])
    assert_array_equal(replayed.next, run.orders[0, 4])


def test_replay_takes_read_only_maps_and_whole_numbers(tmp_path):
    G = np.random.RandomState(1).randint(-4, 5, size=(2, 6, 3, 2))
    np.save(tmp_path / "G.npy", G.astype(float))
    mapped = np.load(tmp_path / "G.npy", mmap_mode="r")
    assert_array_equal(cg.replay(mapped, "cd-grab").next, cg.replay(G, "cd-grab").next)


def test_replay_refuses_what_it_cannot_know():
    G = np.zeros((1, 2, 1, 1))
    with pytest.raises(ValueError, match=r"G: expected a non-empty array with 4 axes; got shape \(2, 1, 1\)"):
        cg.replay(G[0], "rr")
    with pytest.raises(ValueError, match=r"G\[0, 1, 0, 0\]: expected finite numbers; got nan"):
        cg.replay(np.array([0.0, np.nan]).reshape(1, 2, 1, 1), "rr")

    def init(problem, rng):
        problem.value(np.zeros(1), problem.data)

    with pytest.raises(ValueError, match="only the recorded gradients are known; use simulate"):
        cg.replay(G, cg.Ordering("curious", init, None, lambda state, rng: state))


def test_what_a_record_says_of_itself_is_checked():
    with pytest.raises(ValueError, match="unknown family 'magic'"):
        cg.Ordering("mine", print, None, print, family="magic")
    with pytest.raises(ValueError, match="look: expected a colour, a marker and dashes; got"):
        cg.Ordering("mine", print, None, print, look=("red",))


def test_every_rule_of_a_named_ordering_is_known_by_the_same_record():
    for rule in ("greedy", "self-balancing", "random"):
        made = cg.orderings.cd_grab(rule=rule), cg.orderings.d_grab(rule=rule)
        assert [(o.family, o.coordinated, o.slopes) for o in made] == [
            ("pair", True, "cd-grab"),
            ("mean", False, "d-grab"),
        ]
