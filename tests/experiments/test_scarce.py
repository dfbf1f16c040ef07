"""`cdgrab compress` and `cdgrab gossip`: what they predict by naive loops, and their rows."""

import math

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import experiments
from cdgrab_sim.experiments import compress, gossip
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.compress import bits
from cdgrab_sim.experiments.gossip import floors


def test_the_spread_is_that_of_steps_along_gradients_that_stand_still():
    """Points of the workers under gossip with alpha = 1, less their mean at the start of the epoch."""
    problem, W = cg.problems.skewed(m=4, n=5, d=2, seed=3), cg.graphs.ring(m=4).W
    orders = np.array([[np.random.default_rng([t, i]).permutation(5) for i in range(4)] for t in range(4)])
    x, squares = np.zeros((4, 2)), []
    for t, pi in enumerate(orders):
        start = x.mean(axis=0)
        for k in range(5):
            if t >= 2:
                squares.append(((x - start) ** 2).sum() / 4)
            x = W @ (x - [problem.data.terms[i, pi[i, k]] for i in range(4)])
    assert floors.spread_of(problem, orders, W) == pytest.approx(np.mean(squares), rel=1e-12)


def test_lazy_weights_are_used_where_an_eigenvalue_is_negative():
    made = [floors.ordering_on("cd-grab-gossip", cg.graphs.make(name, 4)) for name in ("ring", "complete")]
    problem, rng = cg.problems.skewed(m=4, n=4), np.random.default_rng(0)
    ring, complete = (ordering.init(problem, rng).weights for ordering in made)
    assert (complete == 1.0).all()
    assert sorted(set(ring.round(12))) == [0.25, 1.0]  # 1/6 over 2/3
    assert floors.ordering_on("rr", cg.graphs.ring(m=4)).name == "rr"


def test_a_message_of_plain_gradients_has_all_its_numbers():
    assert bits._message(None, 16) == 32 * 16
    assert bits._message({"name": "diana", "compressor": {"name": "rand-k", "k": 4}}, 16) == 32 * 4


@pytest.mark.parametrize("module", [compress, gossip])
def test_unknown_parts_are_refused(module):
    with pytest.raises(ValueError, match="unknown part 'floor'"):
        module.run(Options(quick=True, jobs=1), parts=["floor"])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "panels"), [("compress", 5), ("gossip", 4)])
def test_no_row_disagrees_and_the_figure_has_its_panels(name, panels):
    result = experiments.load(name).run(Options(quick=True, jobs=1))
    assert not [row for row in result.rows if row.verdict in experiments.FAILED]
    assert all(math.isfinite(row.measured) for row in result.rows)
    assert len(experiments.figure(result).axes) == panels
