"""`cdgrab variance`: what its cells measure, where it is known, and a part from end to end."""

import numpy as np
import pytest

from cdgrab_sim.experiments import variance
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.variance import batches, below, tables
from cdgrab_sim.experiments.variance.balanced import _speed


def test_the_speed_of_a_geometric_sequence_is_its_rate():
    path = 5.0 * np.exp(-0.7 * np.arange(60.0))
    assert _speed(path) == pytest.approx(0.7, rel=1e-12)
    assert _speed(np.ones(60)) == 0.0
    assert _speed(np.append(path[:6], np.inf)) == 0.0


def test_later_rates_are_nearer_to_the_one_of_the_long_run():
    """Values from Kronecker squares and all 120 orders, computed elsewhere (M2)."""
    sizes = variance.SIZES["tables"]
    assert tables.in_the_long_run(sizes, "sag", "ig", 1 / 3) == pytest.approx(0.592814, abs=1e-6)
    off = [abs(tables.exact(sizes, "sag", "rr", 1 / 3, t) - 0.692842) for t in ([2, 6], [30, 40])]
    assert off[1] < 1e-3 < off[0]


def test_ways_to_lower_a_floor_have_the_same_relaxations():
    small = {"alpha_n": 0.4, "relaxations": 30}
    made = {way: batches._shrunk({"factor": 4, "way": way, "n": 8}, small) for way in batches.WAYS}
    assert [(c["step_size"], c["batch"], c["m"]) for c in made.values()] == [
        (0.0125, 1, 2),
        (0.05, 4, 2),
        (0.05, 1, 8),
    ]
    assert [c["epochs"] for c in made.values()] == [300, 300, 75]


def test_no_more_is_claimed_than_the_interval_shows():
    said = [below.below("x", "y", np.array(v)).verdict for v in ([-1.0, -1.1], [-1.0, 1.0], [1.0, 1.1])]
    assert said == ["holds", "inconclusive", "fails"]


@pytest.mark.compiled
def test_reshuffling_a_table_is_slower_at_small_steps_and_faster_at_long_ones():
    result = variance.run(Options(quick=True, jobs=1), parts=["tables"])
    assert {row.verdict for row in result.rows} == {"agrees"}
    small, long = (row.measured for row in result.rows if "less that of draws" in row.quantity)
    assert small > 0.0 > long
