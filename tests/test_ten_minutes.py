"""docs/ten-minutes.md is true: its code runs and makes its pictures, its commands and links exist."""

import re
from pathlib import Path

import numpy as np
import pytest

from cdgrab_sim import cli, experiments

DOCS = Path(__file__).parent.parent / "docs"
TEXT = (DOCS / "ten-minutes.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def ran(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(block):
        names = {}
        exec(compile(block, "ten-minutes.md", "exec"), names)
        return names

    return run


@pytest.mark.compiled
@pytest.mark.parametrize("block", BLOCKS, ids=["walk", "mine"])
def test_the_code_makes_the_picture(block, ran, tmp_path):
    ran(block)
    (name,) = (path.stem for path in tmp_path.glob("*.svg"))
    assert f"](figures/{name}.svg)" in TEXT
    labels = [re.findall(r"<text[^>]*>([^<]*)<", path.read_text()) for path in
              (tmp_path / f"{name}.svg", DOCS / "figures" / f"{name}.svg")]  # fmt: skip
    assert labels[0] == labels[1]


@pytest.mark.compiled
def test_what_is_said_of_the_pictures_holds(ran):
    walks = [np.abs(line.get_xydata()).max() for line in ran(BLOCKS[0])["ax"].lines[0:6:2]]
    assert walks[2] < min(walks[:2])
    floors = ran(BLOCKS[1])["floors"]
    slopes = {
        name: np.polyfit(np.log([1, 2, 4, 8]), np.log(table).mean(axis=0), 1)[0]
        for name, table in floors.items()
    }
    assert abs(slopes["there-and-back"] + 1.0) < 0.35
    assert abs(slopes["cd-grab"] + 2.0) < 0.35
    assert 0.5 < floors["there-and-back"].mean() / floors["rr"].mean() < 2.0


def test_commands_and_links_exist():
    named = {words.split()[0] for words in re.findall(r"cdgrab ([a-z][a-z -]*)", TEXT)}
    known = {name.split()[0] for name in experiments.EXPERIMENTS} | set(cli._TOOLS)
    assert named <= known
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert (DOCS / link).exists(), link
