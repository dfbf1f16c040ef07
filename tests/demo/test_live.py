"""The live demo: its numbers, its speed, and the app as its user meets it."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import cli
from cdgrab_sim.demo import _live
from tests import naive

APP = Path(_live.__file__).with_name("app.py")
DEFAULTS = {
    "m": 4,
    "n": 32,
    "d": 2,
    "others": ["d-grab", "cd-grab"],
    "heterogeneity": 0.0,
    "seed": 0,
    "epoch": 10,
}


@pytest.mark.parametrize(
    "chosen", [{}, {"m": 2, "others": ["d-grab"], "seed": 3, "epoch": 5}, {"heterogeneity": 1.0}]
)
def test_what_is_said_is_what_a_run_measures(chosen):
    seen = _live.live(**DEFAULTS | {"n": 12} | chosen)
    z, k = seen.problem.data[0], seen.epoch
    for name, run in seen.runs.items():
        # centred gradients of this problem do not depend on x
        expected = naive.herding_error(z.tolist(), run.orders[0, k].tolist(), "inf")
        assert seen.errors[name] == pytest.approx(expected, rel=1e-9)
        assert seen.floors[name] == pytest.approx(run.loss[0, -30:].mean(), rel=1e-12)
    text, others = seen.sentence(), [name for name in seen.runs if name != "rr"]
    assert all(f"{seen.titles[name]}: {seen.errors[name]:.2f}, where" in text for name in others)
    ratios = [float(ratio) for ratio in re.findall(r"(\S+) times as", text)]
    expected = [
        (seen.errors["rr"] / seen.errors[name], seen.floors["rr"] / seen.floors[name]) for name in others
    ]
    assert ratios == pytest.approx(np.ravel(expected), abs=0.051)


def test_names_stand_for_codes():
    seen = _live.live(**DEFAULTS | {"n": 8, "others": ["d-grab", "ig", "d-grab-pair"]})
    for picture in seen.pictures():
        for code, name in seen.titles.items():
            assert name in picture
            assert not re.search(rf">\s*{code}\b", picture)
    assert _live.live(**DEFAULTS | {"m": 1, "n": 8}).titles["d-grab"] == "GraB"


def test_the_picture_shows_the_run():
    seen = _live.live(**DEFAULTS)
    figures = cg.plots.overview(seen.problem.data[0], seen.orders(), seen.runs)
    walk, profile, loss, power = (figure.axes[0] for figure in figures)
    assert f"cd-grab  (error {seen.errors['cd-grab']:.3g})" in [t.get_text() for t in walk.get_legend().texts]
    tops = [line.get_ydata().max() for line in profile.lines]
    assert tops == pytest.approx(list(seen.errors.values()))
    z, run = seen.problem.data[0], seen.runs["cd-grab"]
    lowest = cg.analysis.spectrum(z, run.orders[0, 20:]).density.sum(axis=1)[1]
    assert power.lines[-1].get_xydata()[0] == pytest.approx([1 / 32, lowest])
    assert [line.get_ydata()[-1] for line in loss.lines] == [run.loss[0, -1] for run in seen.runs.values()]


@pytest.mark.parametrize("name", _live.CHOICES)
def test_every_choice_is_drawn_in_the_ink_of_the_page(name):
    pictures = _live.live(**DEFAULTS | {"others": [name]}).pictures()
    titles = ("walk of the prefix sums", "how far it gets", "loss", "which frequencies it fills")
    for picture, title in zip(pictures, titles, strict=True):
        assert title in picture
        colors = set(re.findall(r"#[0-9a-f]{6}\b", picture))
        assert colors <= {cg.plots.look(shown)["color"].lower() for shown in ("rr", name)}


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"others": ["grab"]}, "unknown ordering 'grab'"),
        ({"d": 1}, "d: expected"),
        ({"epoch": 120}, "epoch: expected"),
    ],
)
def test_what_cannot_be_shown_is_refused(chosen, message):
    with pytest.raises(ValueError, match=message):
        _live.live(**chosen)


@pytest.mark.compiled
def test_a_look_takes_less_than_half_a_second():
    seconds = []
    for seed in range(4):  # the first one compiles
        start = time.process_time()
        seen = _live.live(**DEFAULTS | {"seed": seed})
        assert all(picture.endswith("</svg>\n") for picture in seen.pictures())
        seconds.append(time.process_time() - start)
    assert np.median(seconds[1:]) < 0.5


def test_without_marimo_the_command_says_what_to_do(monkeypatch, capsys):
    from cdgrab_sim._commands import _demo

    monkeypatch.setattr(_demo, "find_spec", lambda name: None)
    assert cli.main(["demo"]) == 2
    assert "install cdgrab-sim[demo]" in capsys.readouterr().err


@pytest.fixture
def marimo():
    return pytest.importorskip("marimo", reason="the live app needs marimo: pip install marimo")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_app_says_the_library_s_sentence(marimo):
    from cdgrab_sim.demo.app import app

    for chosen in ({}, {"m": 2, "n": 16, "others": ["d-grab-pair"], "seed": 7}):
        _, found = app.run(defs={"chosen": DEFAULTS | chosen})
        assert found["sentence"] == _live.live(**DEFAULTS | chosen).sentence()
    _, found = app.run()
    assert found["chosen"] == DEFAULTS


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The app behind an address, once it answers."""
    pytest.importorskip("marimo", reason="the live app needs marimo: pip install marimo")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = free.getsockname()
    words = ["run", str(APP), "--headless", "--host", address[0], "--port", str(address[1])]
    with open(tmp_path_factory.mktemp("live") / "log", "wb") as log:
        server = subprocess.Popen([sys.executable, "-m", "marimo", *words], stdout=log, stderr=log)
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(address) == 0:
                    break
            time.sleep(0.1)
        yield f"http://{address[0]}:{address[1]}"
        server.terminate()
        server.wait(20)


def test_the_app_moves_in_a_browser(served, open_tab):
    tab = open_tab(served, viewport={"width": 1366, "height": 768})
    tab.page.get_by_text(_live.live(**DEFAULTS).sentence()).wait_for(timeout=60_000)
    slider = tab.page.get_by_role("slider").first
    slider.focus()
    tab.press("ArrowRight")
    tab.page.get_by_text(_live.live(**DEFAULTS | {"m": 8}).sentence()).wait_for(timeout=60_000)
    assert not [url for url in tab.asked if not url.startswith((served, "data:", "blob:", "ws://127.0.0.1"))]
    problems = [text for text in tab.said if "error" in text.lower()]
    assert problems == []
    if where := os.environ.get("CDGRAB_SCREENSHOTS"):
        tab.page.screenshot(path=f"{where}/live.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_app_follows_the_scheme_of_the_reader(served, open_tab, scheme):
    tab = open_tab(served, viewport={"width": 390, "height": 844}, color_scheme=scheme)
    tab.page.locator(".pictures figure").first.wait_for(timeout=60_000)
    paper = ("body", "backgroundColor")
    assert (tab.luminance(*paper) > 0.5) == (scheme == "light")
    assert tab.contrast(("h1", "color"), paper) > 7
    assert tab.contrast((".pictures svg text", "fill"), paper) > 7
    boxes = [figure.bounding_box() for figure in tab.page.locator(".pictures figure").all()]
    assert all(box["x"] >= 0 and box["width"] > 250 and box["x"] + box["width"] <= 390 for box in boxes)
