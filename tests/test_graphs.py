"""Graphs, and what workers do that talk to their neighbours only: closed forms, limits, refusals."""

import math
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim.synchronous._engine import Engine
from tests.naive import reorder
from theory import networks

g = cg.graphs


@pytest.mark.parametrize("name", sorted(g.GRAPHS))
@pytest.mark.parametrize("m", [1, 2, 3, 8, 9, 12])
def test_weights_are_doubly_stochastic_symmetric_and_those_of_metropolis(name, m):
    graph = g.make(name, m, **({"p": 0.8} if name == "erdos-renyi" else {}))
    W = graph.W
    assert_allclose(W.sum(axis=0), np.ones(m), atol=1e-14)
    assert_allclose(W, W.T, atol=1e-15)
    degree = (W > 0.0).sum(axis=1) - (np.diag(W) > 0.0)
    for i, l in zip(*np.nonzero(W - np.diag(np.diag(W))), strict=True):  # noqa: E741
        assert W[i, l] == pytest.approx(1.0 / (1 + max(degree[i], degree[l])), rel=1e-14)
    assert graph.edges == degree.sum()


def test_the_ring_of_nine_has_the_known_eigenvalue():
    assert 1.0 - g.ring(m=9).gap == pytest.approx(0.844029628746, abs=1e-12)


def test_edges_by_name():
    assert [g.make(name, 12).edges for name in ("ring", "star", "complete", "isolated")] == [24, 22, 132, 0]
    assert g.torus(m=12).edges == 48  # 3 x 4, four neighbours each
    assert g.exponential(m=12).edges == 12 * 6  # at 1, 2, 4 in both directions, 8 being -4
    assert g.torus(m=7).edges == g.ring(m=7).edges


def test_random_graphs_have_an_address():
    one, same, other = (g.erdos_renyi(m=12, p=0.5, seed=s) for s in (3, 3, 4))
    assert_array_equal(one.W, same.W)
    assert (one.W != other.W).any()


def test_lazy_weights_are_halfway_to_staying():
    graph = g.ring(m=5)
    assert_allclose(graph.lazy().W, (np.eye(5) + graph.W) / 2, atol=1e-15)
    assert graph.lazy().gap == pytest.approx(graph.gap / 2, rel=1e-12)


BAD = {
    r"graph 'given': expected doubly stochastic weights; column 0 sums to 0.8": lambda: g.from_weights(
        [[0.4, 0.6], [0.4, 0.6]]
    ),
    r"graph 'given': expected doubly stochastic weights; row 1 sums to 1.5": lambda: g.from_weights(
        [[0.5, 0.5], [0.5, 1.0]]
    ),
    r"graph 'given': expected weights >= 0; got -0.5": lambda: g.from_weights([[1.5, -0.5], [-0.5, 1.5]]),
    r"graph 'edges': expected a connected graph of m = 4; got 2 parts, with no way from 0": lambda: (
        g.from_edges(4, [[0, 1], [2, 3]])
    ),
    r"p, seed: expected a connected graph; got \d+ edges, m = 30": lambda: g.erdos_renyi(m=30, p=0.05),
    r"W: expected shape \(m, m\); got \(1, 2\)": lambda: g.from_weights([[0.5, 0.5]]),
    r"edges: expected workers 0..2; got 0 and 3": lambda: g.from_edges(3, [[0, 3]]),
    r"edges: expected two different workers": lambda: g.from_edges(3, [[1, 1]]),
    r"p: expected a probability in \(0, 1\]; got 1.5": lambda: g.erdos_renyi(m=4, p=1.5),
    r"unknown graph 'rings'; did you mean 'ring'\?": lambda: g.make("rings", 4),
    r"graph 'ring': expected one of m = 4 workers; got 3": lambda: g.make(g.ring(m=3), 4),
    r"graph 'isolated': expected edges to talk over; got none": lambda: g.randomized(
        g.isolated(m=2), [[0.0], [1.0]], steps=1
    ),
    r"x: expected one row for each of m = 3 workers; got 2": lambda: g.randomized(
        g.ring(m=3), [[0.0], [1.0]], steps=1
    ),
}


@pytest.mark.parametrize("message", sorted(BAD))
def test_wrong_graphs_are_one_line(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


def test_graphs_of_other_sizes_are_refused_before_work():
    for update in (cg.updates.gossip(graph=g.ring(m=4)), cg.updates.exact_diffusion(graph=g.ring(m=4))):
        with pytest.raises(ValueError, match=r"expected one of m = 3 workers; got 4"):
            cg.simulate(cg.problems.skewed(m=3, n=2), "rr", epochs=1, step_size=0.01, update=update)
    with pytest.raises(ValueError, match=r"unknown graph 'rin'"):
        cg.updates.gossip(graph="rin")
    with pytest.raises(ValueError, match=r"mixing: expected a whole number >= 1; got 0"):
        cg.updates.gossip(mixing=0)


# Limits.

HOW = {"epochs": 4, "step_size": 0.01, "record": cg.Record(trajectory=True)}


@pytest.mark.parametrize("ordering", ["rr", "cd-grab"])
def test_gossip_on_the_complete_graph_is_sgd(ordering):
    problem = cg.problems.skewed(m=4, n=6, d=3, heterogeneity=1.0)
    plain, other = (
        cg.simulate(problem, ordering, x0=np.ones(3), update=u, **HOW)
        for u in ("sgd", cg.updates.gossip(graph="complete"))
    )
    assert_allclose(other.trajectory, plain.trajectory, rtol=0, atol=1e-12)


def test_tracking_on_the_complete_graph_is_sgd():
    problem = cg.problems.skewed(m=4, n=6, d=3, heterogeneity=1.0)
    plain, other = (
        cg.simulate(problem, "rr", x0=np.ones(3), update=u, **HOW)
        for u in ("sgd", cg.updates.gradient_tracking(graph="complete"))
    )
    assert_allclose(other.trajectory, plain.trajectory, rtol=0, atol=1e-12)


def test_exchanges_of_several_steps_are_local_sgd():
    problem = cg.problems.skewed(m=4, n=6, d=3, heterogeneity=1.0)
    local, other = (
        cg.simulate(problem, "rr", x0=np.ones(3), update=u, **HOW)
        for u in (cg.updates.local(steps=3), cg.updates.gossip(graph="complete", mixing=3))
    )
    assert_allclose(other.trajectory, local.trajectory, rtol=0, atol=1e-12)


def test_without_edges_everybody_is_alone():
    problem = cg.problems.quadratic(m=3, n=4, d=2, heterogeneity=1.0)
    engine = Engine(problem, cg.updates.gossip(graph="isolated"))
    pi = np.tile(np.arange(4), (3, 1))
    engine.epoch(pi, np.full(4, 0.05), None)
    for i, b in enumerate(problem.data.b):
        x = np.zeros(2)
        for one in b:
            x = x - 0.05 * problem.data.eigenvalues * (x - one)
        assert_allclose(engine.it.X[i], x, rtol=1e-13)


def naive(problem, W, method, alpha, steps):
    """Gradient tracking and exact diffusion as the papers have them, full gradients."""
    lam, b = problem.data.eigenvalues, problem.data.b[:, 0]
    X = np.ones_like(b)
    y, last, psi = np.zeros_like(b), np.zeros_like(b), X.copy()
    for _ in range(steps):
        grad = lam * (X - b)
        if method == "tracking":
            y, last = W @ (y + grad - last), grad
            X = W @ (X - alpha * y)
        else:
            moved = X - alpha * grad
            X, psi = W @ (moved + X - psi), moved
    return X


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_tracking_and_diffusion_follow_the_published_recurrences(steps):
    problem = cg.problems.quadratic(m=5, n=1, d=3, heterogeneity=1.0)
    ring, pi = g.ring(m=5), np.zeros((5, 1), dtype=np.int64)
    cases = (
        (cg.updates.gradient_tracking(), ring.W, "tracking"),
        (cg.updates.exact_diffusion(), (np.eye(5) + ring.W) / 2, "diffusion"),
        (cg.updates.exact_diffusion(lazy=False), ring.W, "diffusion"),
    )
    for update, W, method in cases:
        engine = Engine(problem, update, np.ones(3))
        for _ in range(steps):
            engine.epoch(pi, np.array([0.03]), None)
        assert_allclose(engine.it.X, naive(problem, W, method, 0.03, steps), rtol=1e-12)
        assert_allclose(engine.it.x, engine.it.X.mean(axis=0), rtol=1e-14)


def test_consensus_is_reached_to_rounding_but_by_gossip():
    problem = cg.problems.quadratic(m=6, n=1, d=2, eigenvalues=[1.0, 3.0], heterogeneity=1.0)
    pi, spread = np.zeros((6, 1), dtype=np.int64), {}
    for name in ("gossip", "gradient-tracking", "exact-diffusion"):
        engine = Engine(problem, cg.updates.make(name))
        for _ in range(3000):
            engine.epoch(pi, np.array([0.1]), None)
        spread[name] = abs(engine.it.X - engine.it.X.mean(axis=0)).max()
    exact = networks.gossip_fixed_point(0.1, [1.0, 3.0], g.ring(m=6).W, problem.data.b[:, 0])
    assert spread["gradient-tracking"] < 1e-14
    assert spread["exact-diffusion"] < 1e-14
    assert spread["gossip"] == pytest.approx(abs(exact - exact.mean(axis=0)).max(), rel=1e-10)


@pytest.mark.parametrize("name", ["gossip", "gradient-tracking", "exact-diffusion"])
@pytest.mark.parametrize("ordering", ["rr", "cd-grab"])
def test_runs_have_the_whole_law_of_their_iterates(name, ordering):
    problem = cg.problems.quadratic(m=2, n=3, d=2, heterogeneity=1.0)
    update = cg.updates.UPDATES[name](graph=g.from_weights([[0.75, 0.25], [0.25, 0.75]]))
    cg.testing.assert_exact_law(problem, ordering, update, replicates=50)


# CD-GraB over a graph.


def curves(z, *orderings):
    return [cg.herding.curve(z, one, 4) for one in orderings]


@pytest.mark.parametrize("m", [1, 2, 7, 49])
@pytest.mark.parametrize("whole", [False, True])
def test_gossiped_signs_are_those_of_cd_grab_and_of_independent_workers(m, whole):
    z = np.random.RandomState(m).standard_normal((m, 9, 3))
    z = np.rint(2.0 * z) if whole else z
    over = lambda name: cg.orderings.cd_grab_gossip(graph=name)  # noqa: E731
    for limit, name in (("cd-grab", "complete"), ("d-grab-pair", "isolated")):
        one, other = (cg.herding.order(z, ordering, 3) for ordering in (limit, over(name)))
        assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["ring", "star", "torus"])
def test_signs_over_a_graph_are_those_of_the_displayed_recurrence(name):
    m, n = 6, 8
    W = g.make(name, m).W
    G = np.random.default_rng(7).standard_normal((1, n, m, 3))
    first = np.tile(np.arange(n), (m, 1))
    after = cg.replay(G, cg.orderings.cd_grab_gossip(graph=name, first=first)).next
    s, signs = np.zeros((m, 3)), [[] for _ in range(m)]
    for k in range(0, n, 2):
        for i in range(m):
            v = G[0, k, i] - G[0, k + 1, i]
            eps = 1 if s[i] @ v <= 0 else -1
            signs[i] += [eps, -eps]
            s += m * W[:, i : i + 1] * eps * v
        s = W @ s
    assert after.tolist() == [reorder(list(range(n)), one) for one in signs]


@pytest.mark.compiled
def test_a_better_connected_graph_herds_better():
    z = np.random.RandomState(0).standard_normal((64, 64, 4))
    z -= z.mean(axis=1, keepdims=True)
    ends = [
        cg.herding.curve(z, cg.orderings.cd_grab_gossip(graph=name), 8)[-3:].mean()
        for name in ("complete", "exponential", "isolated")
    ]
    assert ends[0] < ends[1] < ends[2]


# Talks in pairs.


def test_a_talk_takes_the_mean_of_two():
    x = np.arange(8.0).reshape(4, 2)
    after = g.randomized(g.complete(m=4), x, steps=1, seed=5).x
    i, l = np.nonzero((after != x).any(axis=1))[0]  # noqa: E741
    assert_array_equal(after[[i, l]], np.tile((x[i] + x[l]) / 2, (2, 1)))


def test_accelerated_talks_reach_the_mean_sooner():
    ring, x = g.ring(m=24), np.random.default_rng(0).standard_normal((24, 1))
    fast, slow = (average(ring, x, steps=6000) for average in (g.accelerated, g.randomized))
    assert_allclose(fast.x, np.full((24, 1), x.mean()), atol=1e-6)
    assert fast.error[-1] < 1e-3 * slow.error[-1]
    rate = 1.0 - networks.accelerated_gossip_rate(24, g._averaging.pairs(ring))
    assert math.log(fast.error[0] / fast.error[-1]) > 0.9 * 6000 * rate


def test_the_stationary_covariance_is_that_of_all_orders():
    """Three workers with two examples: x <- W ((1 - a) x + a b), the mean over all 8 triples of orders."""
    a, W, ends = 0.3, 0.25 * (np.ones((3, 3)) + np.eye(3)), []
    b = np.random.default_rng(1).standard_normal((3, 2))
    for orders in product([[0, 1], [1, 0]], repeat=3):
        x = np.zeros(3)
        for k in range(2):
            x = W @ ((1.0 - a) * x + a * b[np.arange(3), [order[k] for order in orders]])
        ends.append(x - x.mean())
    noise = np.cov(np.transpose(ends), bias=True)
    A = np.linalg.matrix_power((1.0 - a) * (W - 1.0 / 3.0), 2)
    S = np.linalg.solve(np.eye(9) - np.kron(A, A), noise.ravel()).reshape(3, 3)
    found = networks.consensus_covariance(a / 2.0, 2.0, W, b.var(axis=1), 2)
    assert_allclose(found, S, rtol=1e-12, atol=1e-15)
    rest = np.linalg.solve(np.eye(3) - (1.0 - a) * W, a * W @ b.mean(axis=1))
    error = networks.consensus_error(a / 2.0, [2.0], W, b[..., None])
    assert error == pytest.approx(np.trace(S) / 3.0 + rest.var(), rel=1e-12)
