"""The leaderboard: who is on it, and that each column has ranks of its own."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim.experiments import leaderboard
from cdgrab_sim.experiments._experiment import Options

ROOT = Path(__file__).parent.parent.parent


def builder():
    spec = importlib.util.spec_from_file_location("leaderboard_page", ROOT / "docs" / "leaderboard.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.compiled
def test_every_column_has_ranks_of_its_own():
    result = leaderboard.run(Options(quick=True, jobs=1), names=["rr", "grab", "cd-grab"])
    assert result.notes[0].startswith("grab is left out: ValueError: ordering 'grab': expected one worker")
    rows = {(row.quantity, row.name): row for row in result.rows}
    slopes = {name: rows["floor exponent in m, skewed", name] for name in ("rr", "cd-grab")}
    logs = np.log(result.data["floor, workers alike|skewed|rr"]).mean(axis=0)
    assert slopes["rr"].measured == pytest.approx(np.polyfit(np.log([1, 4, 16]), logs, 1)[0])
    assert slopes["cd-grab"].verdict == "1 of 2"
    assert rows["floor / rr, skewed, m = 16", "rr"].measured == 1.0
    held = {name: rows["floats held, m = 4, n = 64, d = 32", name] for name in ("rr", "cd-grab")}
    assert (held["rr"].verdict, held["cd-grab"].measured) == (
        "1 of 2",
        5 * 32,
    )  # its sum, and a gradient each
    page = builder().page(result)
    assert "| `cd-grab` | **1.** " in page
    assert "- grab is left out" in page


def test_the_page_ranks_orderings_that_there_are():
    """It is rebuilt by hand: new ones may be missing."""
    text = (ROOT / "docs" / "leaderboard.md").read_text()
    assert text.startswith(builder().HEAD)
    shown = re.findall(r"^\| `(.*?)` \|", text, re.MULTILINE)
    assert len(shown) > 15
    assert {*shown} <= {*cg.orderings.ORDERINGS}
