"""Orders for somebody else's loop are those of `simulate`, bit for bit, whatever comes in between."""

import io
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim.synchronous._engine import Engine

T, STEP = 3, 0.01
NAMES = [name for name in cg.orderings.ORDERINGS if name != "herding"]
FORMS = {name: cg.orderings.make(name) for name in NAMES} | {
    "grab, exact": cg.orderings.grab(exact=True),
    "mean, coordinated": cg.orderings.mean(scope="coordinated"),
    "cd-grab, self-balancing": cg.orderings.cd_grab(rule="self-balancing"),
    "d-grab-pair, random": cg.orderings.d_grab_pair(rule="random"),
    "cd-grab-gossip, complete": cg.orderings.cd_grab_gossip(graph="complete"),
    "cd-grab-local, 2": cg.orderings.cd_grab_local(steps=2),
    "weighted, given": cg.orderings.weighted(by=np.arange(1.0, 8.0)),
    "cd-grab, leverage": cg.orderings.sketched(cg.orderings.cd_grab(), 2, "leverage"),
}


def sizes(name):
    return (1, 7) if name.startswith("grab") else (3, 7)


def problem(m, n, d=3):
    return cg.problems.least_squares(m=m, n=n, d=d, seed=1)


def feed_by_worker(orders, G):
    for row in G:
        for i, g in enumerate(row):
            orders.observe(i, g)


def feed_backwards(orders, G):
    for row in G:
        for i in reversed(range(len(row))):
            orders.observe(i, row[i])


def feed_whole(orders, G):
    orders.observe(G)


def feed_odd(orders, G):
    for first, last in ((0, 3), (3, 4), (4, 7)):
        orders.observe(G[first:last])


def feed_mixed(orders, G):
    orders.observe(G[0])
    feed_by_worker(orders, G[1:2])
    orders.observe(0, G[2, 0])
    for i in range(1, G.shape[1]):
        orders.observe(i, G[2:3, i])
    orders.observe(G[3:])


def feed_frozen(orders, G):
    G = G.copy()
    G.flags.writeable = False
    orders.observe(G)


FEEDS = [feed_by_worker, feed_backwards, feed_whole, feed_odd, feed_mixed, feed_frozen]


def followed(one, orders, feed, seed=5):
    """The loop of `simulate`, with orders that are made online."""
    engine, found = Engine(one, whole_epoch=True), []
    for _ in range(T):
        pi = np.array([orders.order(i) for i in range(one.m)])
        found.append(pi)
        weights = [orders.weights(i) for i in range(one.m)]
        weight = None if weights[0] is None else np.array(weights)
        engine.epoch(pi, np.full(one.n, STEP), None, weight=weight)
        feed(orders, engine.stream.copy())
        orders.end_epoch()
    return np.array(found), engine.it.x


def simulated(one, ordering, seed=5):
    record = cg.Record(orders=True)
    run = cg.simulate(one, ordering, epochs=T, step_size=STEP, seed=seed, record=record)
    return run.orders[0], run.x[0]


@pytest.mark.parametrize("feed", FEEDS)
@pytest.mark.parametrize("name", FORMS)
def test_orders_are_those_of_simulate(name, feed):
    m, n = sizes(name)
    one = problem(m, n)
    orders = cg.online(FORMS[name], m=m, n=n, d=one.d, seed=5)
    for found, expected in zip(followed(one, orders, feed), simulated(one, FORMS[name]), strict=True):
        assert_array_equal(found, expected)
    assert orders.skipped == orders.late == 0


class Killed:
    """An `Online` that is saved, lost and loaded again after every call."""

    def __init__(self, *what, **how):
        self.make = lambda: cg.online(*what, **how)
        self.one = self.make()

    def __getattr__(self, name):
        def call(*args):
            result = getattr(self.one, name)(*args)
            file = io.BytesIO()
            np.savez(file, **self.one.state_dict())
            file.seek(0)
            self.one = self.make()
            with np.load(file, allow_pickle=False) as saved:
                self.one.load_state_dict(saved)
            return result

        return call


@pytest.mark.parametrize("name", FORMS)
def test_a_kill_at_any_moment_changes_nothing(name):
    m, n = sizes(name)
    one = problem(m, n)
    orders = Killed(FORMS[name], m=m, n=n, d=one.d, seed=5)
    found = followed(one, orders, feed_by_worker)
    for one_found, expected in zip(found, simulated(one, FORMS[name]), strict=True):
        assert_array_equal(one_found, expected)


@pytest.mark.parametrize("feed", [feed_by_worker, feed_odd])
@pytest.mark.parametrize("by", ["columns", "runs", "count"])
@pytest.mark.parametrize("name", ["cd-grab", "d-grab", "kernel-halving"])
def test_sketches_are_those_of_simulate(name, by, feed):
    one = problem(3, 7, d=9)
    ordering = cg.orderings.sketched(cg.orderings.make(name), 4, by)
    orders = cg.online(name, m=3, n=7, d=9, seed=5, sketch=4, by=by)
    for found, expected in zip(followed(one, orders, feed), simulated(one, ordering), strict=True):
        assert_array_equal(found, expected)
    killed = Killed(name, m=3, n=7, d=9, seed=5, sketch=4, by=by)
    assert_array_equal(followed(one, killed, feed)[0], simulated(one, ordering)[0])


def test_an_ordering_that_draws_needs_no_gradients():
    orders = cg.online("rr", m=2, n=5, d=3, sketch=2)
    one = cg.problems.quadratic(m=2, n=5, d=3)
    expected = cg.simulate(one, "rr", epochs=2, step_size=0.1, record=cg.Record(orders=True)).orders[0]
    assert_array_equal([orders.order(0), orders.order(1)], expected[0])
    orders.end_epoch()
    assert_array_equal([orders.order(0), orders.order(1)], expected[1])
    assert orders.skipped == 0


@pytest.mark.parametrize("name", ["d-grab-pair", "d-grab", "rr", "so", "flipflop", "ig"])
def test_a_worker_with_fewer_examples_goes_on_as_if_it_were_alone(name):
    """Phantoms that are never shown stay in the middle: what is left is the order without them."""
    n, rng = (9, 4, 7), np.random.default_rng(2)
    orders = cg.online(name, m=3, n=n, d=2, seed=1)
    z = [rng.integers(-3, 4, (size, 2)).astype(float) for size in n]
    first = [orders.order(i) for i in range(3)]
    assert [sorted(row) for row in first] == [list(range(size)) for size in n]
    if name not in ("d-grab-pair", "d-grab"):
        orders.end_epoch()
        assert [sorted(orders.order(i)) for i in range(3)] == [list(range(size)) for size in n]
        return
    alone = [
        cg.online(getattr(cg.orderings, name.replace("-", "_"))(first=row), n=len(row), d=2) for row in first
    ]
    for _ in range(3):
        for k in range(9):
            for i in range(3):
                if k < n[i]:
                    orders.observe(i, z[i][orders.order(i)[k]])
                    alone[i].observe(0, z[i][alone[i].order(0)[k]])
        orders.end_epoch()
        for i in range(3):
            alone[i].end_epoch()
            assert_array_equal(orders.order(i), alone[i].order(0))
    assert orders.skipped == 0


def test_a_missing_gradient_costs_its_pair_and_nothing_else():
    """Pairs (0, 1) and (4, 5) of differences 3 and 2 get + and -; 2 and 3 stay in the middle."""
    z = [4.0, 1.0, 7.0, 7.0, 2.0, 0.0]
    for how in ("skip", "step", "first"):
        orders = cg.online(cg.orderings.d_grab_pair(first=range(6)), n=6, d=1)
        orders.observe(0, [z[0]])
        orders.observe(0, [z[1]])
        if how == "first":
            orders.skip(0)
            orders.observe(0, [z[3]])
        elif how == "skip":
            orders.observe(0, [z[2]])
            orders.skip(0)
        orders.observe(0, [z[4]], step=4)
        orders.observe(0, [9.0], step=3)
        orders.observe(0, [z[5]])
        assert (orders.skipped, orders.late, orders.position(0)) == (1, 1, 6)
        orders.end_epoch()
        assert_array_equal(orders.order(0), [0, 5, 2, 3, 4, 1])


def test_what_did_not_come_by_the_end_of_the_epoch_is_counted():
    orders = cg.online("cd-grab", m=2, n=6, d=1)
    orders.observe(1, np.ones((3, 1)))
    orders.end_epoch()
    assert orders.skipped == 3 + 2
    assert [sorted(orders.order(i)) for i in range(2)] == [list(range(6))] * 2
    mean = cg.online("d-grab", m=1, n=6, d=1)
    mean.observe(0, np.ones((3, 1)))
    mean.end_epoch()
    assert mean.skipped == 3


def test_a_worker_that_is_late_loses_nothing():
    """Independent workers: whenever theirs come, the orders are the same."""
    z = np.random.default_rng(0).standard_normal((2, 8, 3))
    found = []
    for ahead in (0, 1, 5, 8):
        orders = cg.online("d-grab-pair", m=2, n=8, d=3)
        order = [orders.order(i) for i in range(2)]
        for k in range(8 + ahead):
            if k < 8:
                orders.observe(0, z[0, order[0][k]])
            if k >= ahead:
                orders.observe(1, z[1, order[1][k - ahead]])
        orders.end_epoch()
        assert orders.skipped == 0
        found.append([orders.order(i) for i in range(2)])
    for one in found[1:]:
        assert_array_equal(one, found[0])


def test_units_of_several_examples():
    orders = cg.online("ig", m=2, n=(7, 5), d=1, batch=3)
    assert (orders.steps(0), orders.steps(1)) == (3, 2)
    assert list(orders.sampler(0)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(orders.sampler(1, rows=[10, 11, 12, 13, 14])) == [[10, 11, 12], [13, 14]]


def test_a_sampler_goes_on_where_the_run_was():
    orders = cg.online("cd-grab", m=2, n=4, d=1)
    sampler = orders.sampler(1)
    assert list(sampler) == orders.order(1).tolist()
    assert all(type(row) is int for row in sampler)
    orders.observe(1, [1.0])
    assert len(sampler) == 3
    assert list(sampler) == orders.order(1)[1:].tolist()
    orders.observe(1, [[1.0], [2.0], [3.0]])
    with pytest.raises(RuntimeError, match=r"^worker 1: expected steps in this epoch; got none left"):
        iter(sampler)
    orders.end_epoch()
    assert list(sampler) == orders.order(1).tolist()


def test_weights_are_those_of_the_ordering():
    class State(tuple):
        pi, weight = np.array([[1, 0]]), np.array([[0.5, 1.5]])

    heavy = replace(cg.orderings.ig(), init=lambda problem, rng: State(), verified=False)
    assert_array_equal(cg.online(heavy, n=2, d=1).weights(0), [0.5, 1.5])
    assert cg.online("rr", n=2, d=1).weights(0) is None


MEMORY = {"cd-grab": (3, 1), "d-grab-pair": (4, 0), "d-grab": (4, 0), "grab": (4, 0)}


@pytest.mark.compiled
@pytest.mark.parametrize("name", MEMORY)
def test_memory_is_what_is_said(name):
    m, n, d = (1 if name == "grab" else 4), 10, 40_000
    per_worker, at_server = MEMORY[name]
    said = (per_worker * m + at_server) * d * 8
    G = np.ones((n, m, d), dtype=np.float32)
    tracemalloc.start()
    orders = cg.online(name, m=m, n=n, d=d)
    for _ in range(2):
        orders.observe(G)
        orders.end_epoch()
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert said <= orders.nbytes < said + 10_000
    assert orders.nbytes <= kept < said + 200_000
    assert most < 1.3 * said + 200_000
    assert cg.online(name, m=m, n=n, d=d, sketch=16).nbytes < 100_000
