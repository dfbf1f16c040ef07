"""Nothing of a problem or an ordering changes when its maker changes the arrays that he gave."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cdgrab_sim as cg


def grads(out, x, who, idx, data):
    out[:] = x - data[0][who, idx]


def value(x, data):
    return 0.5 * np.mean((x - data[0]) ** 2)


def of_arrays(X, y, loss):
    return cg.problems.from_arrays(X, y, loss=loss, m=2, ridge=0.1)


@pytest.mark.parametrize("loss", ["least-squares", "logistic", "robust", "mlp"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("part", ["X", "y", "X through its base", "X that was read-only"])
def test_from_arrays_keeps_what_it_was_given(loss, order, part):
    rng = np.random.RandomState(0)
    X, y = np.array(rng.standard_normal((9, 4)), order=order), np.arange(9) % 2
    table = {"X through its base": X[:, :], "X that was read-only": frozen_view(X)}.get(part, X)
    problem = of_arrays(table, y, loss)
    x = rng.standard_normal(problem.d)
    before = problem.gradients(x)
    (y if part == "y" else X)[:] = 0
    assert_array_equal(problem.gradients(x), before)


def frozen_view(a):
    view = a[:]
    view.flags.writeable = False
    return view


@pytest.mark.parametrize("kind", ["float64", "int64", "of bytes"])
def test_a_problem_keeps_what_it_was_given(kind):
    b = np.frombuffer(bytearray(48)) if kind == "of bytes" else np.zeros(6, kind)
    x_star, rows = np.zeros(1), np.arange(6)[None].copy()
    problem = cg.Problem("mine", 1, 6, 1, (b.reshape(1, 6, 1),), grads, value, x_star=x_star, rows=rows)
    for a in (b, x_star, rows):
        a += 1
    assert problem.gradients(np.zeros(1)).max() == 0.0
    assert problem.x_star.tolist() == [0.0]
    assert problem.rows.tolist() == [[0, 1, 2, 3, 4, 5]]
    for mine in (*problem.data, problem.x_star, problem.rows):
        with pytest.raises(ValueError, match="read-only"):
            mine[...] = 0


def test_from_hessians_and_constants_keep_what_they_were_given():
    A, c = np.ones((1, 2, 1, 1)), np.ones((1, 2, 1))
    problem = cg.problems.from_hessians(A, c)
    A[:], c[:] = 7.0, 9.0
    assert problem.gradients(np.zeros(1)).ravel().tolist() == [-1.0, -1.0]
    constants = {"L": 1.0}
    kept = dataclasses.replace(problem, constants=constants)
    constants["L"] = 2.0
    assert kept.constants["L"] == 1.0


@pytest.mark.parametrize("form", [np.array, list, lambda pi: np.array([pi, pi])])
def test_fixed_orders_stay(form):
    pi = form([2, 0, 1, 3])
    ordering = cg.orderings.fixed(pi)
    pi[0] = pi[1] if isinstance(pi, list) else 3
    problem = cg.problems.quadratic(m=2, n=4, d=1)
    run = cg.simulate(problem, ordering, epochs=1, step_size=0.1, record=cg.Record(orders=True))
    assert run.orders[0, 0].tolist() == [[2, 0, 1, 3]] * 2


def test_what_was_checked_once_is_not_copied_again():
    problem = cg.problems.least_squares(m=2, n=4, d=3)
    again = dataclasses.replace(problem, name="again")
    assert all(np.shares_memory(a, b) for a, b in zip(problem.data, again.data, strict=True))


def test_a_memory_map_stays_a_map(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, np.random.RandomState(0).standard_normal((8, 2)))
    for mode in ("r", "r+", "c"):
        X = np.load(path, mmap_mode=mode)
        problem = of_arrays(X, np.arange(8) % 2, "logistic")
        assert np.shares_memory(problem.data.X, X)
        assert not problem.data.X.flags.writeable
