"""Notebooks: sources run as scripts, the built files hold the same code, and wrong code makes them fail."""

import json
import re
import runpy
from pathlib import Path

import matplotlib as mpl
import numba
import pytest
from numpy.testing import assert_array_equal

from cdgrab_sim.orderings import _pair

FOLDER = Path(__file__).parent.parent / "notebooks"
SOURCES = sorted(FOLDER.glob("[0-9][0-9]_*.py"))
EVERY = pytest.mark.parametrize("source", SOURCES, ids=[path.stem for path in SOURCES])
BALANCING = [path for path in SOURCES if path.name.startswith(("02", "03"))]


@pytest.fixture
def quick(monkeypatch):
    """Small sizes, and figures that nobody sees."""
    monkeypatch.setenv("CDGRAB_QUICK", "1")
    with mpl.rc_context():
        from matplotlib import pyplot as plt

        plt.switch_backend("agg")
        yield
        plt.close("all")


def blocks(source):
    """(is it markdown, text) of the cells of a script."""
    parts = re.split(r"^# %%( \[markdown\])?\n", source.read_text(), flags=re.MULTILINE)[1:]
    return [(mark is not None, text.strip("\n")) for mark, text in zip(parts[::2], parts[1::2], strict=True)]


@pytest.mark.compiled
@EVERY
def test_every_source_runs_as_a_script(source, quick, capsys):
    runpy.run_path(str(source), run_name="__main__")
    assert capsys.readouterr().out


@EVERY
def test_built_notebooks_hold_the_code_and_the_text_of_their_source(source):
    book = json.loads(source.with_suffix(".ipynb").read_text())
    for (markdown, text), cell in zip(blocks(source), book["cells"], strict=True):
        built = "".join(cell["source"])
        assert cell["cell_type"] == ("markdown" if markdown else "code")
        assert built == (re.sub(r"^# ?", "", text, flags=re.MULTILINE) if markdown else text)


@EVERY
def test_built_notebooks_were_run_without_errors_and_keep_no_timings(source):
    text = source.with_suffix(".ipynb").read_text()
    book = json.loads(text)
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert [cell["id"] for cell in book["cells"]] == [f"cell-{k:02d}" for k in range(len(book["cells"]))]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"stream", "display_data"}
    assert not [output for output in outputs if output.get("name") == "stderr"]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == source.read_text().count("plt.subplots(")
    assert "assert " in "".join(code[-1]["source"])
    assert "0x" not in "".join("".join(output.get("text", "")) for output in outputs)
    assert "iopub" not in text
    assert len(text) < 600_000


@EVERY
def test_sources_use_public_names_only(source):
    names = re.findall(
        r"\b(?:cg|cdgrab_sim|theory|analysis)(?:\.\w+)+|\bfrom \S+ import .*", source.read_text()
    )
    assert any("cdgrab_sim" in name or "cg." in name for name in names)
    assert not [name for name in names if re.search(r"[. ]_", name)]


def test_what_is_built_is_what_is_written():
    assert {path.stem for path in SOURCES} == {path.stem for path in FOLDER.glob("*.ipynb")}


@numba.njit
def away(after, s, opened, shown, at, G):
    """Balance pairs with the sign that makes the running sum longer."""
    n = after.shape[1]
    for r in range(1, len(G), 2):
        for i in range(len(after)):
            v = G[r - 1, i] - G[r, i]
            eps = 1.0 if (s[i % len(s)] * v).sum() <= 0.0 else -1.0
            s[i % len(s)] -= eps * v
            first, second = at[r - 1, i], at[r, i]
            j = (shown[i] + r) // 2
            after[i, j] = first if eps > 0.0 else second
            after[i, n - 1 - j] = second if eps > 0.0 else first
    shown += len(G)
    return True


@pytest.mark.compiled
@pytest.mark.parametrize("source", BALANCING, ids=[path.stem for path in BALANCING])
def test_a_wrong_sign_in_pair_balancing_makes_them_fail(source, quick, monkeypatch):
    monkeypatch.setattr(_pair, "observe_pairs", away)
    with pytest.raises(AssertionError):
        runpy.run_path(str(source), run_name="__main__")


@pytest.mark.slow
@EVERY
def test_building_again_gives_the_bytes_that_are_committed(source):
    for module in ("nbclient", "ipykernel"):
        pytest.importorskip(module, reason=f"building needs {module}: pip install {module}")
    build = runpy.run_path(str(FOLDER / "build.py"))
    committed = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert_array_equal(build["executed"](source).splitlines(), committed.splitlines())
