"""What every registered update must do."""

import inspect
import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim.synchronous import _engine

EVERY = pytest.mark.parametrize("name", sorted(cg.updates.UPDATES))


def run_of(problem, name, **more):
    given = {"epochs": 4, "step_size": 0.01, "x0": np.ones(problem.d)} | more
    return cg.simulate(problem, "cd-grab", update=name, record=cg.Record(trajectory=True), **given)


@pytest.fixture(scope="module")
def problem():
    """Three workers, odd n, and a dimension with a tail behind the eighth coordinate."""
    return cg.problems.skewed(m=3, n=5, d=9, seed=1)


@EVERY
def test_x_moves_and_the_start_stays(name, problem):
    x0 = np.ones(problem.d)
    x0.flags.writeable = False
    run = run_of(problem, name, x0=x0)
    assert (run.trajectory[0, 0] == 1.0).all()
    assert (run.trajectory[0, 1] != 1.0).any()
    assert np.isfinite(run.trajectory).all()


@EVERY
@pytest.mark.parametrize("batch", [1, 2])
def test_compiled_and_plain_gradients_take_the_same_steps(name, problem, batch):
    """The compiled loop, and the same loop as Python around a plain function."""

    def grads(out, x, who, idx, data):
        problem.grads(out, x, who, idx, problem.arrays)

    def value(x, data):
        return problem.value(x, problem.arrays)

    plain = cg.Problem("plain", m=3, n=5, d=9, data=(), grads=grads, value=value)
    runs = [run_of(one, name, batch=batch) for one in (problem, plain)]
    assert_array_equal(runs[0].trajectory, runs[1].trajectory)


@EVERY
@pytest.mark.parametrize("batch", [1, 2])
def test_steps_do_not_depend_on_the_chunk(name, problem, batch, monkeypatch):
    whole = run_of(problem, name, batch=batch)
    monkeypatch.setattr(_engine, "chunk_steps", lambda m, n, d: 2)
    assert_array_equal(run_of(problem, name, batch=batch).trajectory, whole.trajectory)


@EVERY
def test_replicates_are_independent_of_each_other_and_of_threads(name, problem):
    many = [run_of(problem, name, replicates=3, threads=threads) for threads in (1, 3)]
    assert_array_equal(many[0].x, many[1].x)
    assert_array_equal(many[0].x[0], run_of(problem, name).x[0])


@EVERY
def test_an_update_says_what_it_is(name):
    update = cg.updates.make(name)
    assert update.name == name
    assert set(update.settings) == set(inspect.signature(cg.updates.UPDATES[name]).parameters)
    assert json.loads(json.dumps(update.describe())) == update.describe()
