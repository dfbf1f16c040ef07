"""The hand-out in a browser: operated by keyboard, compared with the library, from a file, offline."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cdgrab_sim import demo

M, N, EPOCHS = 3, 8, 4
SCREENS = {"phone": (390, 844), "laptop": (1366, 768), "projector": (1920, 1080)}


@pytest.fixture(scope="module")
def shown():
    return demo.lesson(m=M, n=N, epochs=EPOCHS, seed=2)


@pytest.fixture(scope="module")
def url(shown, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "demo.html"
    path.write_text(demo.page(shown), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def tab(open_tab, url):
    found = open_tab(url)
    yield found
    assert found.said == []
    assert found.asked == [url]


def values(tab):
    return tab.page.locator(".value").all_inner_texts()


def position(tab):
    return tab.page.inner_text("#now")


def expected(shown, t):
    return [f"{strand.errors[t]:.2f}" for strand in shown.strands]


def test_it_opens_in_the_middle_with_its_explanation(tab, shown):
    """Not where all orders are the same."""
    assert position(tab) == f"{EPOCHS // 2}, step {N} of {N}"
    assert values(tab) == expected(shown, EPOCHS // 2)
    assert len(set(values(tab))) == 3
    assert tab.page.get_by_text("SGD takes one gradient after the other").is_visible()


def test_every_epoch_shows_the_library_s_numbers(tab, shown):
    tab.press("Home")
    for t in range(EPOCHS + 1):
        assert values(tab) == expected(shown, t)
        assert tab.page.inner_text("#summary") == shown.sentence(t)
        assert position(tab) == f"{t}, step {N} of {N}"
        tab.press("PageDown")
    assert values(tab) == expected(shown, EPOCHS)  # the last stays
    tab.press("Home")
    assert values(tab) == expected(shown, 0)


def polyline(tab, index, name):
    points = tab.page.locator(f".{name}").nth(index).get_attribute("points")
    return np.array([pair.split(",") for pair in points.split()], dtype=float) * [1, -1]


@pytest.mark.parametrize("zoom", [False, True])
def test_walks_squares_and_strips_are_drawn_as_computed(tab, shown, zoom):
    tab.press("Home", "PageDown", "PageDown", *["ArrowLeft"] * 3)
    if zoom:
        tab.page.locator("#zoom").focus()
        tab.press("Space")
    for index, strand in enumerate(shown.strands):
        widest = np.abs(strand.walks[2] if zoom else [one.walks for one in shown.strands]).max()
        scale = 100 / (1.06 * widest)
        assert_allclose(polyline(tab, index, "trail"), scale * strand.walks[2, : N - 2], atol=0.2)
        assert_allclose(polyline(tab, index, "rest"), scale * strand.walks[2, N - 3 :], atol=0.2)
        side = float(tab.page.locator(".square").nth(index).get_attribute("width"))
        assert side == pytest.approx(2 * scale * strand.errors[2], rel=1e-3)
        cells = tab.page.locator(f"#strand-{strand.name} .cell")
        hues = cells.evaluate_all("cells => cells.map(cell => +cell.style.getPropertyValue('--hue'))")
        ordered = np.take_along_axis(shown.z, strand.orders[2][:, :, None], axis=1).reshape(-1, 2)
        angles = np.degrees(np.arctan2(ordered[:, 1], ordered[:, 0])) % 360
        assert_allclose(hues, angles, atol=0.51)


def test_losses_are_drawn_as_computed(tab, shown):
    curves = tab.page.locator("#losses .curve")
    logs = [np.log10(strand.losses) for strand in shown.strands]
    low, high = np.floor(np.min(logs)), np.ceil(np.max(logs))
    for index, drawn in enumerate(logs):
        points = [pair.split(",") for pair in curves.nth(index).get_attribute("points").split()]
        heights = np.array(points, dtype=float)[:, 1]
        assert_allclose(heights, 130 - 122 * (drawn - low) / (high - low), atol=0.05)


def test_arrow_keys_step_across_epochs(tab):
    tab.press("Home")
    tab.press("ArrowRight")
    assert position(tab) == f"1, step 1 of {N}"
    tab.press("ArrowLeft")
    assert position(tab) == f"0, step {N} of {N}"
    tab.press("End", "ArrowRight")
    assert position(tab) == f"{EPOCHS}, step {N} of {N}"


def test_space_plays_to_the_end_and_pauses(tab):
    page = tab.page
    page.locator("#speed").focus()
    tab.press("Home")  # two steps a second
    page.locator("#speed").blur()
    tab.press("Home", "Space")
    assert page.inner_text("#play") == "Pause"
    assert page.get_attribute("#summary", "aria-live") == "off"
    tab.press("Space")
    assert page.inner_text("#play") == "Play"
    assert page.get_attribute("#summary", "aria-live") == "polite"
    assert position(tab) != f"0, step {N} of {N}"
    page.locator("#speed").focus()
    tab.press("End")
    page.locator("#speed").blur()
    tab.press("Space")
    page.locator("#play", has_text="Play").wait_for()
    assert position(tab) == f"{EPOCHS}, step {N} of {N}"


def test_tab_reaches_every_control_and_each_has_a_name(tab):
    names = []
    for _ in range(10):
        tab.press("Tab")
        names.append(tab.page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    controls = ["epoch-back", "step-back", "play", "step", "epoch", "when", "speed", "zoom"]
    assert names == [*controls, "SUMMARY", "SUMMARY"]
    tab.press("Home")
    tab.page.locator("#step").focus()
    tab.press("Enter", "Space")  # on a button Space presses it, and plays nothing
    assert position(tab) == f"1, step 2 of {N}"
    assert tab.page.inner_text("#play") == "Play"
    for name in ("Previous epoch", "Previous step", "Play", "Next step", "Next epoch"):
        assert tab.page.get_by_role("button", name=name, exact=True).count() == 1
    assert tab.page.get_by_role("slider", name="Epoch").get_attribute("aria-valuetext")
    assert tab.page.get_by_role("slider", name="Speed").get_attribute("aria-valuetext")
    assert tab.page.get_by_role("checkbox", name="Zoom in on each walk").count() == 1
    pictures = tab.page.locator("svg[role=img]")
    assert pictures.count() == 3 + 2 * 3
    assert all(pictures.nth(k).get_attribute("aria-label") for k in range(pictures.count()))


@pytest.mark.parametrize("screen", SCREENS)
def test_it_fits_the_screen_without_sideways_scrolling(open_tab, url, screen):
    width, height = SCREENS[screen]
    tab = open_tab(url, viewport={"width": width, "height": height})
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    for figure in tab.page.locator(".strand").all():
        box = figure.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    if screen != "phone":  # the whole stage and its controls at once
        box = tab.page.locator(".controls").bounding_box()
        assert box["y"] + box["height"] <= height
        stage = tab.page.locator(".stage").bounding_box()
        assert stage["y"] + stage["height"] <= box["y"] + 1


def test_controls_cover_no_walk_on_a_small_phone(open_tab, url):
    """They stuck to the bottom of the screen, over a third of it."""
    tab = open_tab(url, viewport={"width": 360, "height": 640})
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 360
    for y in (0, 60, 120):
        tab.page.evaluate(f"window.scrollTo(0, {y})")
        controls = tab.page.locator(".controls").bounding_box()
        for walk in tab.page.locator(".walk").all():
            box = walk.bounding_box()
            assert box["y"] + box["height"] <= controls["y"]
    assert box["y"] + box["height"] + y <= 640  # the walks are what is seen first


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_keep_the_contrast(open_tab, url, scheme):
    tab = open_tab(url, color_scheme=scheme)
    page, panel = ("body", "backgroundColor"), ("figure", "backgroundColor")
    assert (tab.luminance(*page) > 0.5) == (scheme == "light")
    assert tab.contrast(("body", "color"), page) >= 7
    for name in ("rr", "d-grab", "cd-grab"):  # of text and of lines, as WCAG 2 asks for them
        assert tab.contrast((f"#strand-{name} h2", "color"), panel) >= 4.5
        assert tab.contrast((f"#strand-{name} .trail", "stroke"), panel) >= 3
    for quiet in ((".about", "color"), (".tick", "fill")):
        assert tab.contrast(quiet, panel) >= 4.5
    assert tab.contrast((".rest", "stroke"), panel) >= 3
