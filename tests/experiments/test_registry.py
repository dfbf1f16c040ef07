"""What is registered once is known everywhere."""

import subprocess
import sys

import pytest

from cdgrab_sim import experiments

NEW = """
from argparse import Namespace
from dataclasses import replace
from cdgrab_sim import orderings, plots

look = ("#123456", "o", "solid")
known = {"slopes": "rr", "compared": True, "look": look}
orderings.ORDERINGS["mine"] = lambda: replace(orderings.rr(), name="mine", **known)

from cdgrab_sim._commands import _list
from cdgrab_sim.experiments import cost, herding, rates, speedup
from cdgrab_sim.experiments._exponents import exponent_row
import numpy as np

assert all("mine" in one.ORDERINGS for one in (cost, herding, rates, speedup))
assert "mine" in rates.SIZES["tuned"]["orderings"]
assert plots.look("mine") == {"color": look[0], "marker": look[1], "linestyle": look[2]}
assert exponent_row("mine", "floor", "m", [1, 2], np.array([[2.0, 1.0]] * 2), 0.2).verdict == "agrees"
assert cost.counts("mine", 2, 4, 3) == cost.counts("rr", 2, 4, 3)
assert "  mine " in _list.run(Namespace())
"""


def test_an_ordering_is_known_from_its_record():
    done = subprocess.run([sys.executable, "-c", NEW], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_published_lists_stay_as_they_are():
    assert experiments.load("speedup").ORDERINGS == ("sgd", "rr", "d-grab", "d-grab-pair", "cd-grab")
    assert experiments.load("herding").ORDERINGS == ("rr", "d-grab", "d-grab-pair", "cd-grab")
    assert experiments.load("cost").ORDERINGS == ("rr", "d-grab", "d-grab-pair", "cd-grab")
    assert experiments.load("rates").ORDERINGS == ("sgd", "rr", "d-grab-pair", "cd-grab")


@pytest.mark.parametrize("name", experiments.EXPERIMENTS)
def test_an_experiment_is_a_folder_with_a_run(name):
    assert callable(experiments.load(name).run)
    assert experiments.has_figure(name) == (name not in ("all", "leaderboard"))
