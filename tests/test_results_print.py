"""Results print as a line, and say what was not recorded."""

import copy
import pickle

import numpy as np
import pytest

import cdgrab_sim as cg


def test_results_print_as_a_line():
    run = cg.simulate_async("quadratic", "vanilla", workers=8, updates=50, step_size=1e-3)
    assert repr(run).startswith("<AsyncRun of vanilla on quadratic, 8 workers: 50 updates in time ")
    fit = cg.analysis.rate([1, 2, 4], np.array([[4.0, 2.0, 1.0]] * 3))
    assert repr(fit) == "<RateFit: slope -1.000, 95 % interval [-1.000, -1.000], 3 seeds, x from 1 to 4>"
    one = cg.analysis.rate([1, 2, 4], np.array([[4.0, 2.0, 1.0]]))
    assert "interval [nan, nan], 1 seeds" in repr(one)


def test_what_was_not_recorded_says_so(tmp_path):
    run = cg.simulate("quadratic", "rr", epochs=2, step_size=1e-3, record=cg.Record(herding=("l2",)))
    run.save(tmp_path / "run.npz")
    for again in (run, cg.load(tmp_path / "run.npz"), copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        assert list(again.herding) == ["l2"]
        with pytest.raises(
            KeyError, match=r"'inf' was not recorded; ask for it with record=...; recorded: 'l2'"
        ):
            again.herding["inf"]
    events = cg.simulate_async("quadratic", "vanilla", workers=8, updates=5, step_size=1e-3).events
    with pytest.raises(KeyError, match=r"'worker' was not recorded.*recorded: nothing"):
        events["worker"]
