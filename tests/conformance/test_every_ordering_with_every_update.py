"""The product: every registered ordering runs with every registered update, and keeps its promises."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cdgrab_sim as cg

ORDERINGS = sorted(set(cg.orderings.ORDERINGS) - {"herding"})  # which wants gradients at a point


def grads(out, x, who, idx, data):
    out[:] = 0.5 * x - data.linear[who, idx]


def problem_of(name):
    """One worker for grab; plain Python, so that nothing is compiled for each pair."""
    m, n = 1 if name == "grab" else 2, 4
    A = np.full((m, n, 1, 1), 0.5)
    like = cg.problems.from_hessians(A, np.random.RandomState(0).standard_normal((m, n, 1)))
    return replace(like, name="plain", grads=grads, walk=None)


@pytest.mark.parametrize("update", sorted(cg.updates.UPDATES))
def test_iterates_move_and_orders_stay_orders(update):
    for name in ORDERINGS:
        how = {"epochs": 3, "step_size": 0.05, "x0": [50.0], "record": cg.Record(orders=True)}
        run = cg.simulate(problem_of(name), name, update=update, **how)
        assert np.isfinite(run.x).all(), name
        assert run.x[0, 0] != 50.0, name
        if not cg.orderings.make(name).replacement:
            shown = np.sort(run.orders[0], axis=2)
            assert_array_equal(shown, np.broadcast_to(np.arange(4), shown.shape), err_msg=name)
