"""cg.testing.assert_exact_law: right records of one's own pass, and every slip is found."""

import types
from dataclasses import replace

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim._kernels import steps
from cdgrab_sim._rng import Stream
from cdgrab_sim.synchronous import _engine
from cdgrab_sim.testing import assert_exact_law
from cdgrab_sim.testing._order_laws import LAWS

RNG = np.random.default_rng(5)
B = RNG.standard_normal((2, 3, 1))


def grads(out, x, who, idx, data):
    out[:] = (1.0 + who + idx)[:, None] * (x - data[0][who, idx])


def plain(n=3, m=2):
    """A problem whose walk is the Python loop, in which a test can break things."""
    return cg.Problem("mine", m=m, n=n, d=1, data=(B[:m, :n],), grads=grads, value=lambda x, data: 0.0)


class Pairs:
    """CD-GraB as somebody else writes it, with slips: the sum kept, or pairs that go on over epochs."""

    def __init__(self, problem, rng, *, keeps_sum=False, across=False):
        self.pi = rng.permuted(np.tile(np.arange(problem.n), (problem.m, 1)), axis=1)
        self.keeps_sum, self.across = keeps_sum, across
        self.total, self.seen, self.open = np.zeros(problem.d), [], None

    def observe(self, seen):
        self.seen += list(seen.G.copy())

    def advance(self, rng):
        m, n = self.pi.shape
        if not self.keeps_sum:
            self.total[:] = 0.0
        rows = self.seen if self.open is None else [self.open, *self.seen[:-1]]
        front, back = [[] for _ in range(m)], [[] for _ in range(m)]
        for k in range(1, n, 2):
            for i in range(m):
                v = rows[k - 1][i] - rows[k][i]
                plus = self.total @ v <= 0
                self.total += v if plus else -v
                front[i].append(self.pi[i, k - (1 if plus else 0)])
                back[i].append(self.pi[i, k - (0 if plus else 1)])
        self.open = self.seen[-1] if self.across else None
        self.pi = np.array([front[i] + [self.pi[i, -1]] * (n % 2) + back[i][::-1] for i in range(m)])
        self.seen = []
        return self


def mine(**slip):
    def init(problem, rng):
        return Pairs(problem, rng, **slip)

    return cg.Ordering("mine", init, Pairs.observe, Pairs.advance)


def test_an_ordering_of_ones_own_passes():
    assert_exact_law(plain(), mine(), law="cd-grab", epochs=4)


@pytest.mark.parametrize("slip", ["keeps_sum", "across"])
def test_a_sum_that_is_not_reset_and_pairs_across_epochs_are_found(slip):
    with pytest.raises(
        AssertionError, match="ordering 'mine': expected orders of the law 'cd-grab' in epoch"
    ):
        assert_exact_law(plain(), mine(**{slip: True}), law="cd-grab", epochs=4)


def test_a_fresh_mean_in_place_of_the_stale_one_is_found():
    fresh = cg.orderings.grab(exact=True)
    with pytest.raises(AssertionError, match="expected orders of the law 'grab' in epoch 1, 1 possible"):
        assert_exact_law(plain(m=1), fresh, law="grab", epochs=3)


def test_an_index_off_by_one_is_found(monkeypatch):
    def visit(idx, pi, k):
        idx[:] = pi[:, k - 1]

    monkeypatch.setattr(steps, "visit", visit)
    monkeypatch.setattr(_engine, "bound_walk", lambda problem: None)
    with pytest.raises(AssertionError, match=r"expected x = .* after epoch 0, by the maps of update 'sgd'"):
        assert_exact_law(plain(), "rr")


def test_a_sum_of_gradients_that_is_not_reset_is_found(monkeypatch):
    monkeypatch.setattr(steps, "reset", lambda out: None)
    monkeypatch.setattr(_engine, "bound_walk", lambda problem: None)
    with pytest.raises(AssertionError, match="after epoch 0, by the maps of update 'sgd'"):
        assert_exact_law(plain(), "rr", batch=2)


def test_the_step_size_of_the_update_before_is_found(monkeypatch):
    """At a short last batch, as step sizes of every update."""
    right = cg.synchronous._engine.Engine.epoch

    def late(self, pi, alpha, see, **how):
        right(self, pi, np.append(alpha[0], alpha[:-1]), see, **how)

    how = {"batch": 2, "step_size": np.array([[0.1, 0.05], [0.2, 0.02]])}
    assert_exact_law(plain(), "rr", **how)
    monkeypatch.setattr(_engine.Engine, "epoch", late)
    with pytest.raises(AssertionError, match="after epoch 0, by the maps of update 'sgd'"):
        assert_exact_law(plain(), "rr", **how)


def momentum_twice(it, g, alpha, u):
    it.S[0] = it.p[0] * it.S[0] + g
    it.x[:] -= alpha * (g + it.p[0] * it.S[0])


def test_momentum_twice_is_found():
    """In the step, where its recurrence is known, and in the walk, which has steps of its own."""
    ball = cg.updates.heavy_ball(momentum=0.5)
    with pytest.raises(AssertionError, match=r"update 'heavy-ball': expected the map \[\["):
        assert_exact_law(plain(), "rr", replace(ball, step=momentum_twice, fused=None))
    with pytest.raises(AssertionError, match="after epoch 1, by the maps of update 'heavy-ball'"):
        assert_exact_law(cg.problems.quadratic(m=2, n=1, d=1), "ig", replace(ball, fused=(1.0, 0.0)))


def test_a_law_that_is_another_is_found():
    problem = cg.problems.quadratic(m=1, n=3, d=2)
    for ordering, law, message in (
        ("sgd", "rr", "expected orders of the law 'rr' in epoch 0, 6 possible"),
        ("rr", "so", "expected orders of the law 'so' in epoch 1, 1 possible"),
        ("so", "rr", "within 3 standard errors; got"),
        ("ig", "so", "within 3 standard errors; got"),
    ):
        with pytest.raises(AssertionError, match=message):
            assert_exact_law(problem, ordering, law=law)


def local_steps(H):
    def init(x0, problem):
        return cg.updates.iterates(x0, points=problem.m, counters=[0])

    def take(it, out, g, alpha, i, j, u):
        it.X[i] -= alpha * g

    def step(it, g, alpha, u):
        it.c[0] += 1
        if it.c[0] % H == 0:
            it.x[:] = it.X.mean(axis=0)
            it.X[:] = it.x

    return cg.Update("local", init, step, take)


@pytest.mark.parametrize("ordering", ["rr", "cd-grab"])
def test_points_of_workers_and_counters(ordering):
    assert_exact_law(plain(), ordering, local_steps(2), replicates=50)


def sparse(scale=2.0):
    """Each gradient is sent with probability 1/2, doubled."""

    def take(it, out, g, alpha, i, j, u):
        if u[0] < 0.5:
            out += scale * g

    def step(it, g, alpha, u):
        it.x[:] -= alpha * g

    return cg.Update("sparse", lambda x0, problem: cg.updates.iterates(x0), step, take, draws=1)


@pytest.mark.parametrize("ordering", ["rr", "sgd", "ig", "cd-grab"])
def test_draws(ordering):
    assert_exact_law(plain(), ordering, sparse(), cells=2, replicates=100)


def test_draws_that_are_not_uniform_are_found(monkeypatch):
    """An engine that never draws above 3/4 sends with probability 2/3."""
    right = Stream.at

    def at(self, epoch):
        rng = right(self, epoch)
        return types.SimpleNamespace(
            random=lambda shape: 0.75 * rng.random(shape), standard_normal=rng.standard_normal
        )

    monkeypatch.setattr(Stream, "at", at)
    with pytest.raises(AssertionError, match="within 3 standard errors"):
        assert_exact_law(plain(), "ig", sparse(), cells=2, replicates=300)


def test_recurrences_of_ones_own():
    def claimed(alpha, A, c):
        maps = np.zeros((*c.shape[:-1], 2, 2))
        maps[..., 0, 0], maps[..., 0, 1], maps[..., 1, 1] = 1 - alpha * A[..., 0, 0], alpha * c[..., 0], 1.0
        return maps

    def step(it, g, alpha, u):
        it.x[:] -= alpha * g

    bare = cg.Update("bare", lambda x0, problem: cg.updates.iterates(x0), step)
    assert_exact_law(plain(), "rr", bare, maps=claimed)
    with pytest.raises(AssertionError, match="update 'bare': expected the map"):
        assert_exact_law(plain(), "rr", bare, maps=lambda alpha, A, c: claimed(2 * alpha, A, c))


@pytest.mark.parametrize("name", ["adam", "adamw"])
def test_updates_that_are_not_linear_are_told_apart(name):
    with pytest.raises(AssertionError, match="expected steps that are affine in the iterates"):
        assert_exact_law(plain(), "ig", name, replicates=2)


def test_an_ordering_without_a_law_still_follows_the_maps(monkeypatch):
    def rolling(problem, rng):
        return types.SimpleNamespace(pi=np.tile(np.arange(problem.n), (problem.m, 1)))

    def advance(state, rng):
        return types.SimpleNamespace(pi=np.roll(state.pi, 1, axis=1))

    assert_exact_law(plain(), cg.Ordering("rolling", rolling, None, advance), law="any")
    monkeypatch.setattr(steps, "reset", lambda out: None)
    monkeypatch.setattr(_engine, "bound_walk", lambda problem: None)
    with pytest.raises(AssertionError, match="after epoch 0, by the maps of update 'sgd'"):
        assert_exact_law(plain(), cg.Ordering("rolling", rolling, None, advance), law="any")


def test_every_registered_ordering_has_a_law():
    assert set(LAWS) >= {
        "sgd", "rr", "flipflop", "so", "ig", "fixed", "herding", "grab", "d-grab", "d-grab-pair", "cd-grab",
    }  # fmt: skip


def test_what_cannot_be_compared_is_refused():
    unknown = replace(cg.orderings.rr(), name="unknown")
    with pytest.raises(ValueError, match="law: expected a function or one of any, sgd, rr"):
        assert_exact_law(plain(), unknown)
    with pytest.raises(ValueError, match="expected at most 5040 paths"):
        assert_exact_law(cg.problems.quadratic(m=2, n=5, d=1), "cd-grab", replicates=2)
    with pytest.raises(ValueError, match="expected quadratic examples; got 'logistic'"):
        assert_exact_law(cg.problems.logistic(m=1, n=3, d=2), "rr")
