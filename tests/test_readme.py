"""README.md is true: its code runs, its commands exist, its blocks are those that `make readme` writes."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from cdgrab_sim import cli, experiments

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()


def builder():
    spec = spec_from_file_location("readme", ROOT / "docs" / "readme.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.compiled
@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
def test_the_python_runs(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    losses = {(line[0], line[1]): float(line[2]) for line in lines}
    assert losses["16", "cd-grab"] < losses["16", "d-grab-pair"] < losses["16", "rr"]


def test_every_block_shows_its_command_and_a_verdict():
    for name, words in builder().BLOCKS.items():
        block = re.search(rf"<!-- {name} -->(.*?)<!-- end -->", TEXT, re.DOTALL).group(1)
        assert f"$ cdgrab {' '.join(words)}\n" in block
        assert "verdict" in block
        assert "disagrees" not in block
        assert (ROOT / "docs" / "figures" / f"{name}.svg").exists()


def test_every_command_that_is_named_exists():
    named = set(re.findall(r"`cdgrab ([a-z][a-z-]*)", TEXT)) | set(re.findall(r"\$ cdgrab ([a-z-]+)", TEXT))
    assert named <= {name.split()[0] for name in experiments.EXPERIMENTS} | set(cli._TOOLS)


def test_every_link_leads_somewhere():
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert link.startswith("https://") or (ROOT / link.split("#")[0]).exists(), link


def test_blocks_are_replaced_once():
    readme = builder()
    text = "a <!-- x -->old<!-- end --> b"
    assert (
        readme.replace(text, "x", ["run"], "new")
        == "a <!-- x -->\n```\n$ cdgrab run\nnew\n```\n<!-- end --> b"
    )
    with pytest.raises(SystemExit, match="expected one block 'y'"):
        readme.replace(text, "y", ["run"], "new")
    assert "readme" not in sys.modules
