"""SAG, SAGA, SVRG and SARAH: against their recurrences in plain NumPy, limits, and linear convergence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from theory.affine import table_maps

NAMES = ("sag", "saga", "svrg", "sarah")


def steps_of(orders, batch, m):
    """Yield epoch by epoch the examples [(i, j), ...] of each step."""
    for pi in orders:
        n = pi.shape[1]
        yield [
            [(i, int(pi[i, k])) for k in range(first, min(first + batch, n)) for i in range(m)]
            for first in range(0, n, batch)
        ]


def naive_sag(x, G, alpha, epochs, size):
    h = np.zeros_like(G(x))
    for steps in epochs:
        for seen in steps:
            for at in seen:
                h[at] = G(x)[at]
            x = x - alpha * h.mean(axis=(0, 1))
    return x


def naive_saga(x, G, alpha, epochs, size):
    h = np.zeros_like(G(x))
    for steps in epochs:
        for seen in steps:
            mean = h.mean(axis=(0, 1))
            change = sum(G(x)[at] - h[at] for at in seen) / size
            for at in seen:
                h[at] = G(x)[at]
            x = x - alpha * (change + mean)
    return x


def naive_svrg(x, G, alpha, epochs, size):
    for steps in epochs:
        y = x
        for seen in steps:
            x = x - alpha * (sum(G(x)[at] - G(y)[at] for at in seen) / size + G(y).mean(axis=(0, 1)))
    return x


def naive_sarah(x, G, alpha, epochs, size):
    for steps in epochs:
        v = G(x).mean(axis=(0, 1))
        y, x = x, x - alpha * v
        for seen in steps[1:]:
            v = v + sum(G(x)[at] - G(y)[at] for at in seen) / size
            y, x = x, x - alpha * v
    return x


NAIVE = {"sag": naive_sag, "saga": naive_saga, "svrg": naive_svrg, "sarah": naive_sarah}


def run_of(problem, update, ordering="rr", **more):
    how = {"epochs": 4, "step_size": 0.1, "x0": np.ones(problem.d), "update": update}
    return cg.simulate(problem, ordering, record=cg.Record(orders=True, trajectory=True), **(how | more))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("batch", [1, 2])
def test_steps_are_those_of_the_published_recurrence(name, batch):
    """Five examples in batches of two: the last step has one, and counts as it does in SGD."""
    problem = cg.problems.quadratic(m=2, n=5, d=3, heterogeneity=1.0, seed=3)
    for ordering in ("rr", "cd-grab", "sgd") if batch == 1 else ("rr", "cd-grab"):
        run = run_of(problem, name, ordering, batch=batch)
        epochs = steps_of(run.orders[0], batch, 2)
        expected = NAIVE[name](np.ones(3), problem.gradients, 0.1, epochs, 2 * batch)
        assert_allclose(run.x[0], expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ["sag", "saga"])
def test_tables_follow_their_maps(kind):
    """The maps whose mean-square rates theory computes, multiplied along a run."""
    rng = np.random.default_rng(0)
    A, c = np.linspace(0.2, 1.0, 5).reshape(5, 1, 1), rng.standard_normal((5, 1))
    run = run_of(cg.problems.from_hessians(A[None], c[None]), kind)
    y, maps = np.array([1.0, *np.zeros(5), 1.0]), table_maps(0.1, A, c, kind)
    for j in run.orders[0, :, 0].ravel():
        y = maps[j] @ y
    assert_allclose(run.x[0, 0], y[0], rtol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_one_example_is_gradient_descent(name):
    problem = cg.problems.from_hessians([[[[2.0]]]], [[[3.0]]])
    descent = run_of(problem, "sgd").trajectory
    assert_allclose(run_of(problem, name).trajectory, descent, rtol=1e-14)


@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ordering", ["rr", "cd-grab", "sgd"])
def test_errors_fall_linearly_to_rounding_on_logistic(name, ordering):
    """SGD in the same orders stops at its floor, a thousand times and more above."""
    problem = cg.problems.logistic(m=2, n=16, d=4, ridge=0.1, seed=1)
    how = {"step_size": 0.3 / problem.constants["L"], "epochs": 300, "x0": np.zeros(4)}
    gaps = abs(cg.simulate(problem, ordering, update=name, **how).distance[0])
    assert gaps[-1] <= 1e-12
    middle = gaps[(gaps > 1e-9) & (gaps < 1e-2)]
    assert len(middle) > 5
    assert (middle[5:] < 0.9 * middle[:-5]).all()
    assert cg.simulate(problem, ordering, update="sgd", **how).distance[0, -1] > 1e-9


def test_anchors_may_stay_for_several_epochs():
    problem = cg.problems.quadratic(m=1, n=4, d=2, seed=1)
    long = run_of(problem, cg.updates.svrg(epochs=2), "ig", epochs=2)
    order = [[[(0, j)] for j in (0, 1, 2, 3)] * 2]
    expected = naive_svrg(np.ones(2), problem.gradients, 0.1, order, 1)
    assert_allclose(long.x[0], expected, rtol=1e-13)
    assert run_of(problem, "svrg", "ig", epochs=1).x.tolist() == long.trajectory[:, 1].tolist()


def test_anchors_keep_no_table():
    problem = cg.problems.quadratic(m=2, n=8, d=3)
    rows = {name: len(cg.updates.make(name).init(np.zeros(3), problem).S) for name in NAMES}
    assert rows == {"sag": 17, "saga": 18, "svrg": 2, "sarah": 2}


class Weighted:
    """An ordering in the order of the data whose examples count by a table of weights."""

    def __init__(self, weight):
        self.pi, self.weight = np.tile(np.arange(weight.shape[1]), (len(weight), 1)), weight


def weighted(weight):
    return cg.Ordering("weighted", lambda problem, rng: Weighted(weight), None, lambda state, rng: state)


@pytest.mark.parametrize("name", ["saga", "svrg"])
def test_weights_multiply_the_differences_alone(name):
    """From a table or an anchor at x itself differences vanish, and so do weights."""
    problem = cg.problems.quadratic(m=2, n=3, d=2, heterogeneity=1.0)
    weight = np.array([[0.5, 1.0, 2.0], [4.0, 0.25, 1.0]])
    x, G, y = np.ones(2), problem.gradients, np.ones(2)
    h = np.zeros((2, 3, 2)) if name == "saga" else G(y)
    for j in range(3):
        mean, who = h.mean(axis=(0, 1)), np.arange(2)
        change = (weight[who, j, None] * (G(x) - h)[who, j]).mean(axis=0)
        if name == "saga":
            h[:, j] = G(x)[:, j]
        x = x - 0.1 * (change + mean)
    assert_allclose(run_of(problem, name, weighted(weight), epochs=1).x[0], x, rtol=1e-13)


def test_weights_reach_what_an_update_takes():
    """DIANA without compression and with shifts at 0 sends gradients: its first epoch is that of SGD."""
    problem = cg.problems.quadratic(m=2, n=3, d=2, heterogeneity=1.0)
    weight = np.array([[0.5, 1.0, 2.0], [4.0, 0.25, 1.0]])
    diana = cg.updates.diana(compressor="identity")
    runs = [run_of(problem, update, weighted(weight), epochs=1) for update in ("sgd", diana)]
    assert_allclose(runs[1].x, runs[0].x, rtol=1e-14)
    ones = [run_of(problem, diana, weighted(np.ones((2, 3)))), run_of(problem, diana, "ig")]
    assert_array_equal(ones[0].trajectory, ones[1].trajectory)


def test_an_anchor_stands_alone():
    def of(**more):
        plain = cg.updates.make("svrg")
        return cg.Update("mine", plain.init, plain.step, anchored=True, **more)

    with pytest.raises(ValueError, match=r"update 'mine': anchored: expected neither each nor take"):
        of(each=True)
    with pytest.raises(TypeError, match=r"update 'mine': begin: expected arguments \(it, gradient\)"):
        of(begin=lambda it: None)
