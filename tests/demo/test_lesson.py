"""The numbers of the hand-out, and the file that holds them."""

import json
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim import cli, demo
from tests import naive


@pytest.fixture(scope="module")
def shown():
    return demo.lesson(m=3, n=9, epochs=4, seed=5)


def test_walks_and_errors_are_those_of_the_orders(shown):
    for strand in shown.strands:
        for pi, walk, error in zip(strand.orders, strand.walks, strand.errors, strict=True):
            steps = [[shown.z[i, j] for i, j in enumerate(column)] for column in pi.T]
            sums = np.cumsum([np.zeros(2), *(np.sum(step, axis=0) for step in steps)], axis=0)
            assert_allclose(walk, sums, rtol=0, atol=1e-12)
            assert error == naive.herding_error(shown.z.tolist(), pi.tolist(), "inf")


def test_orders_are_those_of_a_run_on_the_same_seed(shown):
    problem = cg.problems.skewed(m=3, n=9, d=2, seed=5)
    record = cg.Record(orders=True)
    for strand in shown.strands:
        if strand.name == "d-grab":  # knows the exact mean here, and a stale one in a run
            continue
        # at the origin, with steps too short to matter
        run = cg.simulate(problem, strand.name, epochs=4, step_size=1e-12, seed=5, record=record)
        assert_array_equal(strand.orders[:4], run.orders[0])


def test_all_start_alike_and_the_sentence_says_so(shown):
    first, *others = shown.strands
    assert all(np.array_equal(first.orders[0], strand.orders[0]) for strand in others)
    assert shown.sentence(0).endswith(f"its herding error is {first.errors[0]:.2f}.")


@pytest.mark.parametrize("t", [1, 4])
def test_sentences_hold_what_they_state(shown, t):
    rr, d_grab, cd_grab = (strand.errors[t] for strand in shown.strands)
    text = shown.sentence(t)
    assert f"Random reshuffling {rr:.2f}, D-GraB {d_grab:.2f}, CD-GraB {cd_grab:.2f}." in text
    ratio = re.search(r"stays (\S+) times", text)
    assert float(ratio[1]) == pytest.approx(rr / cd_grab, abs=0.05)


def test_losses_are_those_of_runs_and_come_apart():
    shown = demo.lesson()
    problem = cg.problems.skewed(m=4, n=24, d=2, kappa=2.0, seed=0)
    assert_array_equal(problem.data.terms, shown.z)
    for strand in shown.strands:
        how = {"epochs": 12, "step_size": 2.0 / (24 * 2.0), "x0": [3.0, 3.0], "replicates": 8}
        assert_array_equal(strand.losses, cg.simulate(problem, strand.name, **how).loss.mean(axis=0))
    first, last = (np.array([strand.losses[t] for strand in shown.strands]) for t in (2, -1))
    assert first.max() < 1.2 * first.min()
    assert last[0] > 10 * last[1] > 20 * last[2]


@pytest.mark.parametrize(("m", "name"), [(1, "GraB"), (2, "D-GraB")])
def test_what_is_d_grab_is_called_so(m, name):
    shown = demo.lesson(m=m, n=4, epochs=1)
    titles = [strand["title"] for strand in embedded(demo.page(shown))["strands"]]
    assert titles == ["Random reshuffling", name, "CD-GraB"]
    assert f", {name} " in shown.sentence(1)


@pytest.mark.parametrize(("name", "value"), [("m", 9), ("n", 49), ("epochs", 21), ("n", 1)])
def test_sizes_that_no_screen_holds_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name}: expected a whole number"):
        demo.lesson(**{name: value})


def embedded(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def test_the_page_carries_the_numbers_of_the_library(shown):
    data = embedded(demo.page(shown))
    for strand, drawn in zip(shown.strands, data["strands"], strict=True):
        assert drawn["errors"] == strand.errors.tolist()
        assert_array_equal(np.reshape(drawn["orders"], strand.orders.shape), strand.orders)
        assert_allclose(drawn["walks"], strand.walks, rtol=0, atol=5.01e-4)


def test_the_largest_page_is_small_and_asks_for_nothing():
    text = demo.page(demo.lesson(m=8, n=48, epochs=20))
    assert len(text.encode()) <= 200_000
    assert set(re.findall(r"\w+://[^\s\"'`]+", text)) == {"http://www.w3.org/2000/svg"}  # a name, no address
    assert re.findall(r"(?:src|href)=\"([^\"]*)\"", text) == ["data:,"]
    assert "{{" not in text


def test_the_command_writes_the_page_and_nothing_else(tmp_path, capsys):
    words = ["demo", "-m", "2", "-n", "6", "--epochs", "3", "--seed", "1", "--html"]
    assert cli.main([*words, str(tmp_path / "a.html")]) == 0
    assert cli.main([*words, str(tmp_path / "b.html")]) == 0
    assert "open it in any browser" in capsys.readouterr().out
    expected = demo.page(demo.lesson(m=2, n=6, epochs=3, seed=1))
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text() == expected
    assert len(list(tmp_path.iterdir())) == 2


def test_wrong_sizes_leave_no_file(tmp_path, capsys):
    assert cli.main(["demo", "-m", "99", "--html", str(tmp_path / "a.html")]) == 2
    assert "m: expected a whole number 1..8; got 99" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
