"""`cdgrab tightness`: stored instances come out again, and wrong constants turn rows red."""

import json

import numpy as np
import pytest

from cdgrab_sim import experiments
from cdgrab_sim.experiments import tightness
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.tightness import bounds, exact
from theory import convergence, herding

CHEAP = ("H1 herding error after a reorder", "V2 greedy sums on the line", "R2 prefixes of any order")


def test_every_bound_has_a_stored_instance():
    stored = tightness.stored()
    assert stored.keys() == bounds.BOUNDS.keys()
    for key, one in stored.items():
        assert len(one["numbers"]) == bounds.BOUNDS[key].numbers
        assert all(0.0 <= x <= 1.0 for x in one["numbers"])
    labels = {key.split()[0] for key in stored}
    wanted = {f"{letter}{k}" for letter, last in (("T", 9), ("V", 6), ("H", 7)) for k in range(1, last + 1)}
    assert wanted - {"V3"} <= labels  # V3 is an equality


def test_at_least_fifteen_bounds_are_within_a_factor_ten_and_loose_ones_have_a_reason():
    shares = {key: one["share"] for key, one in tightness.stored().items()}
    assert sum(share >= 0.1 for share in shares.values()) >= tightness.FEWEST
    assert all(0.0 < share <= 1.0 + 1e-9 for share in shares.values())
    assert not [key for key, share in shares.items() if share < 0.1 and not bounds.BOUNDS[key].reason]


@pytest.mark.compiled
def test_stored_instances_come_out_again_and_are_drawn():
    result = tightness.run(Options(jobs=1))
    assert [row for row in result.rows if row.verdict != "holds"] == []
    assert len(result.rows) == len(bounds.BOUNDS) + len(exact.CASES)
    assert len(experiments.figure(result).axes) == 3


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_another_constant_turns_the_row_red(factor, monkeypatch):
    """Smaller: the instance exceeds it. Larger: the stored share no longer comes out."""
    right = herding.reorder_bound
    monkeypatch.setattr(herding, "reorder_bound", lambda *sums: factor * right(*sums))
    key = CHEAP[0]
    one, known = bounds.BOUNDS[key], tightness.stored()[key]
    found = tightness.measure({"key": key, "search": False, "seed": 0, "numbers": known["numbers"]})
    assert tightness._judge(one, found, known).verdict == "fails"


@pytest.mark.parametrize("factor", [0.1, 10.0])
@pytest.mark.parametrize("name", ["F0", "V"])
def test_another_constant_of_one_term_turns_its_row_red(name, factor, monkeypatch):
    """The sum of both terms stays where it was at many instances; the row of the term does not."""
    right = convergence.nonconvex_bound

    def wrong(**given):
        return right(**given) + (factor - 1.0) * (right(**given) - right(**given | {name: 0.0}))

    monkeypatch.setattr(convergence, "nonconvex_bound", wrong)
    key = f"T1 mean squared gradient: term in {name}"
    one, known = bounds.BOUNDS[key], tightness.stored()[key]
    found = {"numbers": known["numbers"], "share": one.measure(np.array(known["numbers"]))}
    assert found["share"] == pytest.approx(known["share"] / factor)
    assert tightness._judge(one, found, known).verdict == "fails"


@pytest.mark.parametrize("key", CHEAP)
def test_a_search_is_deterministic_and_finds_instances_inside(key):
    one = bounds.BOUNDS[key]
    first, second = (bounds.search(one, 3, evaluations=200) for _ in range(2))
    assert first[1] == second[1] == one.measure(first[0])
    assert 0.3 < first[1] <= 1.0 + 1e-9
    assert not np.array_equal(first[0], bounds.search(one, 4, evaluations=200)[0])


def test_what_a_search_finds_can_be_kept(tmp_path):
    rows = [tightness.Tight("V1", "made up", 0.25, 4.0, "", (0.5, 1.0), "holds")]
    path = tmp_path / "instances.json"
    tightness.keep(tightness.Result("tightness", {}, rows, {}), path)
    assert json.loads(path.read_text()) == {"V1 made up": {"share": 0.25, "numbers": [0.5, 1.0]}}


def test_a_bound_has_one_name():
    with pytest.raises(ValueError, match=r"V2 greedy sums on the line.*registered already"):
        bounds.bound("V2", "greedy sums on the line", 1)(lambda p: 0.0)


def test_exact_worst_cases_are_below_their_bounds():
    solved = tightness.solved()
    assert solved.keys() == exact.CASES.keys()
    for key, value in solved.items():
        assert 0.0 < value <= exact.CASES[key].bound * (1 + tightness.SOLVER)
        assert tightness._exact(key, value).verdict == "holds"
        assert tightness._exact(key, 1.001 * exact.CASES[key].bound).verdict == "fails"


def test_gradient_descent_is_solved_to_what_is_known():
    """(1 - alpha mu)^{2T} for descent with alpha = 1/L, mu = 0.1, T = 2 (Taylor, Hendrickx, Glineur)."""
    [key] = [key for key in exact.CASES if "n = 1, T = 2" in key]
    assert tightness.solved()[key] == pytest.approx(0.9**4, rel=1e-4)


@pytest.mark.parametrize("key", [key for key in exact.CASES if "n = 2" in key or "descent" in key])
def test_worst_cases_are_solved_again(key):
    pytest.importorskip("PEPit", reason="the extra 'pep' is not installed")
    assert exact.CASES[key].solve() == pytest.approx(tightness.solved()[key], rel=1e-3)
