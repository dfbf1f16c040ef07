"""The page about sweeps: its configuration is what it says."""

import re
from pathlib import Path

from cdgrab_sim._sweep._api import plan_of
from cdgrab_sim._sweep._grid import read_toml
from cdgrab_sim._sweep._simulation import Simulation

PAGE = (Path(__file__).parents[2] / "docs" / "sweeps.md").read_text()


def test_the_configuration_of_the_page(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1])
    plan = plan_of(Simulation(), read_toml(file))
    assert f"= {len(plan.texts)} runs" in PAGE
