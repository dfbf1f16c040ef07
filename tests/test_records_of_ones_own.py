"""cg.testing.check_problem, check_ordering, check_update: right records pass, every slip is a clear line."""

from dataclasses import replace

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import testing
from cdgrab_sim.problems import _slope

RNG = np.random.RandomState(3)
B = RNG.standard_normal((2, 5, 3))


def grads(out, x, who, idx, data):
    out[:] = x - data[0][who, idx]


def value(x, data):
    return 0.5 * np.mean(np.sum((x - data[0]) ** 2, axis=2))


def loss(x, i, j, data):
    return 0.5 * np.sum((x - data[0][i, j]) ** 2)


def mine(**others):
    functions = {"grads": grads, "value": value, "loss": loss}
    return cg.Problem(**{"name": "mine", "m": 2, "n": 5, "d": 3, "data": (B,)} | functions | others)


@pytest.mark.parametrize("name", sorted(cg.problems.PROBLEMS))
def test_built_in_problems_pass(name):
    testing.check_problem(cg.problems.PROBLEMS[name](m=2, n=3))


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_right_problems_of_any_scale_pass(scale):
    testing.check_problem(mine(data=(scale * B,)), x=scale * np.ones(3))
    testing.check_problem(mine(loss=None, x_star=B.mean(axis=(0, 1))))


def scaled(by):
    def grads(out, x, who, idx, data):
        out[:] = by * (x - data[0][who, idx])

    return grads


def first_row(out, x, who, idx, data):
    out[:] = (x - data[0][who, idx])[0]


def drifting():
    held = B.copy()

    def grads(out, x, who, idx, data):
        out[:] = x - held[who, idx]
        if len(who) == held.shape[0] * held.shape[1]:
            held[0, 0] += 1.0

    return grads


SLIPS = {
    "slope of loss of example 0 of worker 0": lambda: mine(grads=scaled(1.5)),
    "slope of value, ": lambda: mine(grads=scaled(0.99), loss=None),
    "slope of value": lambda: mine(grads=scaled(-1.0), loss=None),
    "grads: expected finite numbers": lambda: mine(grads=scaled(np.nan)),
    "value: expected finite numbers": lambda: mine(value=lambda x, data: np.inf),
    "to be the same alone and beside others": lambda: mine(grads=first_row),
    "grads: expected the same numbers when called twice": lambda: mine(grads=drifting()),
    "expected the mean of loss over all examples to be value": lambda: mine(
        value=lambda x, data: 1.001 * value(x, data)
    ),
    "expected a gradient of zero at x_star": lambda: mine(x_star=np.zeros(3)),
    "expected value to be f_star": lambda: mine(x_star=B.mean(axis=(0, 1)), f_star=0.0),
}


@pytest.mark.parametrize("line", SLIPS)
def test_slips_in_problems_are_found(line):
    with pytest.raises(AssertionError, match=line) as caught:
        testing.check_problem(SLIPS[line]())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", sorted(cg.orderings.ORDERINGS))
@pytest.mark.parametrize("n", [1, 8, 9])
def test_built_in_orderings_pass(name, n):
    testing.check_ordering(name, m=1 if name == "grab" else 3, n=n)


class State:
    def __init__(self, problem, rng):
        self.pi = np.tile(np.arange(problem.n), (problem.m, 1))
        self.kept = []


def keeps(state, seen):
    state.kept.append(seen.G)


def by_what_was_kept(state, rng):
    state.pi = np.argsort(np.concatenate(state.kept)[:, :, 0], axis=0, kind="stable").T.copy()
    state.kept = []
    return state


def keeps_copies(state, seen):
    state.kept.append(seen.G.copy())


def by_chance(state, rng):
    state.pi = np.ascontiguousarray(RNG.permutation(state.pi.T).T)
    return state


def scribbles(state, seen):
    seen.G[:] -= seen.G.mean()


def repeats(state, rng):
    state.pi = state.pi * 0
    return state


def test_an_ordering_that_copies_what_it_keeps_passes():
    testing.check_ordering(cg.Ordering("sorts", State, keeps_copies, by_what_was_kept))


@pytest.mark.parametrize(
    ("observe", "advance", "line"),
    [
        (keeps, by_what_was_kept, "the same orders in pieces of 1 step and of 9; got others in epoch 1"),
        (None, by_chance, "expected the same orders for the same gradients and seed"),
        (scribbles, lambda state, rng: state, "expected seen.G to be left as it is"),
        (None, repeats, "expected a permutation"),
    ],
)
def test_slips_in_orderings_are_found(observe, advance, line):
    with pytest.raises((AssertionError, ValueError), match=line):
        testing.check_ordering(cg.Ordering("mine", State, observe, advance))


@pytest.mark.parametrize("name", sorted(cg.updates.UPDATES))
def test_built_in_updates_pass(name):
    testing.check_update(name)


def start(x0, problem):
    return cg.updates.iterates(x0)


def plain(it, g, alpha, u):
    it.x[:] -= alpha * g


def overwrites(it, g, alpha, u):
    g *= alpha
    it.x[:] -= g


def infinite(it, g, alpha, u):
    it.x[:] = np.inf


def idle(it, g, alpha, u):
    it = it._replace(x=it.x - alpha * g)  # a new array, which nobody sees


def hoarding():
    total = np.zeros(4)

    def step(it, g, alpha, u):
        total[:] += g
        it.x[:] -= alpha * total

    return step


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (overwrites, "expected g and u to be left as they are"),
        (infinite, "expected finite iterates; got inf"),
        (idle, "expected x to move; got x0 after 12 steps"),
        (hoarding(), "expected the same steps from the same iterates; got others at step 0"),
    ],
)
def test_slips_in_updates_are_found(step, line):
    testing.check_update(cg.Update("plain", start, plain))
    with pytest.raises(AssertionError, match=line):
        testing.check_update(cg.Update("mine", start, step))


def test_settings_of_numpy_are_plain_numbers():
    testing.check_update(
        replace(cg.updates.make("adam"), settings={"beta": np.float32(0.5), "a": (1, np.ones(2))})
    )


def runs(problem, **more):
    return cg.simulate(problem, "rr", epochs=1, step_size=1e-9, **more)


@pytest.mark.parametrize("by", [1.5, 0.5, -1.0, 0.0, 1.2])
@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e8])
def test_a_run_warns_of_gradients_that_are_no_slope(by, scale):
    problem = mine(data=(scale * B,), grads=scaled(by), loss=None)
    with pytest.warns(UserWarning, match="problem 'mine': expected grads to be the slope of value") as caught:
        runs(problem, x0=scale * np.ones(3))
    assert caught[0].filename == __file__
    runs(replace(problem, grads=grads), x0=scale * np.ones(3))
    runs(replace(problem, grads=grads))


def test_a_run_does_not_look_where_that_would_cost_too_much(monkeypatch):
    problem = mine(grads=scaled(1.5), loss=None)
    monkeypatch.setattr(_slope, "_MOST", problem.m * problem.n * problem.d)
    with pytest.warns(UserWarning, match="expected grads to be the slope of value"):
        runs(problem, x0=np.ones(3))
    monkeypatch.setattr(_slope, "_MOST", problem.m * problem.n * problem.d - 1)
    runs(problem, x0=np.ones(3))


def absolute(out, x, who, idx, data):
    out[:] = np.sign(x - data[0][who, idx])


def sum_of_distances(x, data):
    return np.mean(np.abs(x - data[0]).sum(axis=2))


def hinge(out, x, who, idx, data):
    a = data[0][who, idx]
    out[:] = -a * (a @ x < 1.0)[:, None]


def hinge_value(x, data):
    return np.maximum(0.0, 1.0 - data[0] @ x).mean()


def shifting(x, data):
    return value(x, data) + RNG.standard_normal()


def fails_off_the_start(x, data):
    if (x != x[0]).any():
        raise ArithmeticError("only at the start")
    return 0.0


@pytest.mark.parametrize(
    ("g", "f"),
    [
        (absolute, sum_of_distances),
        (hinge, hinge_value),
        (grads, lambda x, data: 0.0),  # fills the place
        (grads, lambda x, data: np.nan),
        (grads, shifting),
        (grads, fails_off_the_start),
        (grads, lambda x, data: value(x, data) + 1e16),  # nothing but rounding
    ],
)
@pytest.mark.parametrize("data", [B, np.round(B), 0 * B])
def test_kinks_noise_and_rounding_give_no_alarm(g, f, data):
    with np.errstate(all="ignore"):
        for x0 in (np.zeros(3), np.ones(3)):
            runs(mine(data=(data,), grads=g, value=f, loss=None), x0=x0, record=cg.Record(loss=False))
