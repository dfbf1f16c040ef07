"""README.md is true: its programs print what it shows, its commands exist, and following it works."""

import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from cdgrab_sim import cli, experiments
from cdgrab_sim.experiments._times import in_words

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "docs" / "figures"
TEXT = (ROOT / "README.md").read_text()


def tool(name):
    spec = spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


builder, follower = tool("readme"), tool("follow")
PROGRAMS = list(builder.PROGRAM.finditer(TEXT))
PICTURES = ["walk", None, "mine"]
EACH = pytest.mark.parametrize(
    ("program", "picture"), list(zip(PROGRAMS, PICTURES, strict=True)), ids=["draw", "measure", "own"]
)


def labels(path):
    return re.findall(r"<text[^>]*>([^<]*)<", path.read_text())


@pytest.mark.compiled
@EACH
def test_programs_print_what_is_shown_and_make_their_pictures(program, picture, tmp_path):
    assert builder.run(program["code"], tmp_path) == (program["prints"] or "")
    assert [path.stem for path in tmp_path.glob("*.svg")] == ([picture] if picture else [])
    if picture:
        assert f"](docs/figures/{picture}.svg)" in TEXT[program.end() :].partition("```")[0]
        assert labels(tmp_path / f"{picture}.svg") == labels(FIGURES / f"{picture}.svg")


@pytest.mark.compiled
def test_what_is_said_of_the_pictures_holds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw, own = {}, {}
    exec(PROGRAMS[0]["code"], draw)
    walks = [np.abs(line.get_xydata()) for line in draw["ax"].lines[0:6:2]]
    assert walks[2].max() < min(walk.max() for walk in walks[:2])
    assert all(np.allclose(walk[-1], 0.0, atol=1e-12) for walk in walks)
    exec(PROGRAMS[2]["code"], own)
    slopes = {
        name: np.polyfit(np.log(own["workers"]), np.log(table).mean(axis=0), 1)[0]
        for name, table in own["floors"].items()
    }
    assert abs(slopes["there-and-back"] + 1.0) < 0.35
    assert abs(slopes["rr"] + 1.0) < 0.35
    assert abs(slopes["cd-grab"] + 2.0) < 0.35


def test_what_is_said_of_the_prints_holds():
    rows = [line.split() for line in PROGRAMS[1]["prints"].replace("=", " ").splitlines()]
    loss = {(int(row[1]), row[2]): float(row[4]) for row in rows}
    assert loss[16, "cd-grab"] < loss[16, "d-grab-pair"] < loss[16, "rr"]


def test_run_times_are_those_that_were_measured():
    assert builder.times(TEXT) == TEXT
    commands = [match[2] for match in builder.QUESTION.finditer(TEXT)]
    assert len(commands) > 8
    shown = builder.times("| why? | `cdgrab herding` | by hand |")
    assert shown == f"| why? | `cdgrab herding` | {in_words('herding')} |"
    assert "s with --quick" in shown


def test_every_block_shows_its_command_and_a_verdict():
    for name, words in builder.BLOCKS.items():
        block = re.search(rf"<!-- {name} -->(.*?)<!-- end -->", TEXT, re.DOTALL).group(1)
        assert f"$ cdgrab {' '.join(words)}\n" in block
        assert "verdict" in block
        assert "disagrees" not in block
        assert (FIGURES / f"{name}.svg").exists()


def test_every_command_that_is_named_exists():
    named = set(re.findall(r"(?:`|\$ |^    )cdgrab ([a-z][a-z-]*)", TEXT, re.MULTILINE))
    assert len(named) > 10
    assert named <= {name.split()[0] for name in experiments.EXPERIMENTS} | set(cli._TOOLS)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^    )make ([a-z-]+)", TEXT, re.MULTILINE)) <= targets


def test_every_link_leads_somewhere():
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert link.startswith("https://") or (ROOT / link.split("#")[0]).exists(), link


def test_blocks_are_replaced_once():
    text = "a <!-- x -->old<!-- end --> b"
    assert (
        builder.replace(text, "x", ["run"], "new")
        == "a <!-- x -->\n```\n$ cdgrab run\nnew\n```\n<!-- end --> b"
    )
    with pytest.raises(SystemExit, match="expected one block 'y'"):
        builder.replace(text, "y", ["run"], "new")
    assert "readme" not in sys.modules


def test_prints_are_put_behind_their_program_and_pictures_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(builder, "FIGURES", tmp_path)
    silent = "```python\nfrom pathlib import Path\n_ = Path('a.svg').write_text('drawn')\n```\n"
    loud = "```python\nprint(1 + 1)\n```\n"
    prints = "\n<!-- prints -->\n```\n2\n```\n<!-- end -->\n"
    for old in ("\n<!-- prints -->\n<!-- end -->\n", prints.replace("2", "3")):
        assert builder.programs(f"{silent}text\n{loud}{old}end") == f"{silent}text\n{loud}{prints}end"
    assert (tmp_path / "a.svg").read_text() == "drawn"


PAGE = """# Page

    export WHO=you   # for what follows

```
$ echo hello $WHO
hello you
```

```python
print("it's", 2)
```

<!-- prints -->
```
it's 3
```
<!-- end -->

| question | command | time |
|---|---|---|
| why? | `cdgrab a b`, `c` | 3 s |

| to | open |
|---|---|
| see | `cdgrab demo` |
"""


def test_steps_are_the_page_s_from_top_to_bottom():
    found = follower.steps(PAGE)
    assert [(step.line, step.prints) for step in found] == [
        (3, None), (5, "hello you\n"), (10, "it's 3\n"), (22, None), (22, None)
    ]  # fmt: skip
    commands = [step.command for step in found]
    assert commands[:2] == ["export WHO=you   # for what follows", "echo hello $WHO"]
    assert commands[3:] == [f"cdgrab a {one} --quick" for one in "bc"]


def test_steps_share_a_shell_which_stops_at_the_first_failure(tmp_path):
    follow = [step for step in follower.steps(PAGE) if "cdgrab" not in step.command]
    follow += [follower.Step(30, "false", None), follower.Step(31, "echo too far", None)]
    words = follower.script(follow, tmp_path).replace("python -c", f"{sys.executable} -c")
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "README.md:30: false"
    assert [(tmp_path / str(k)).read_text() for k in (1, 2, 3)] == ["hello you\n", "it's 2\n", ""]
    assert not (tmp_path / "4").exists()


@pytest.mark.deep
def test_following_readme_in_a_fresh_environment_works(tmp_path):
    for name in ("python3.11", "make", "git"):
        if shutil.which(name) is None:
            pytest.skip(f"README.md asks for {name}")
    assert follower.follow(tmp_path) == []
