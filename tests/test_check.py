"""``cdgrab check``: what turns a row red, what is refused, and what the result depends on."""

import json
import math

import numpy as np
import pytest

from cdgrab_sim import analysis, cli
from cdgrab_sim.experiments import check
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.check import null
from cdgrab_sim.experiments.check.sight import sight
from cdgrab_sim.experiments.statements import STATEMENTS, Statement
from cdgrab_sim.experiments.statements import _statement as frame
from theory import balancing, herding, slopes

KEYS = {"name", "kind", "claim", "cases", "worst", "low", "high", "verdict", "sees"}


def made(kind, low=-math.inf, high=math.inf, **more):
    return Statement("V1", "made up", kind, lambda rng, number: 0.0, 1, low, high, **more)


def made_row(claim):
    return check.Held("V1", "upper", claim, 1, 1.0, None, None, "holds", "")


@pytest.mark.parametrize(
    ("statement", "values", "verdict"),
    [
        (made("identity", high=1e-10), [0.0, 9e-11], "holds"),
        (made("identity", high=1e-10), [0.0, 2e-10], "fails"),
        (made("identity", high=1e-10), [0.0, math.nan], "fails"),
        (made("upper", 0.5, 1.0), [0.1, 0.9], "holds"),
        (made("upper", 0.5, 1.0), [0.1, 1.1], "fails"),
        (made("upper", 0.5, 1.0), [0.1, 0.4], "fails"),  # nothing came near the bound
        (made("upper", 0.5, 1.0), [0.1, math.inf], "fails"),
        (made("lower", 1.0, 2.0), [1.5, 9.0], "holds"),
        (made("lower", 1.0, 2.0), [0.9, 1.5], "fails"),
        (made("lower", 1.0, 2.0), [2.5, 9.0], "fails"),
        (made("slope", -1.2, -0.8), [-1.01, -0.99, -1.0], "agrees"),
        (made("slope", -1.2, -0.8), [-2.01, -1.99, -2.0], "disagrees"),
        (made("slope", -1.2, -0.8), [-1.3, -0.7, -1.0], "inconclusive"),
        (made("refuted", 1.0), [1.5, 9.0], "refuted"),
        (made("refuted", 1.0), [0.9, 9.0], "fails"),  # what is printed was not contradicted here
        (made("slope", -1.2, -0.8), [-1.0, math.nan, -1.0], "fails"),
        (made("slope", -math.inf, -0.8), [-2.01, -1.99, -2.0], "agrees"),  # of an upper bound
        (made("slope", -math.inf, -0.8), [-0.71, -0.69, -0.7], "disagrees"),
        (made("mean", 0.9, 1.1), [1.01, 0.99, 1.0], "agrees"),
        (
            made("mean", 0.9, 1.1),
            [1.2, 0.8, 1.0, 1.1],
            "inconclusive",
        ),  # the interval is wider than the margin
        (made("reference"), [7.0], "no prediction"),
    ],
)
def test_verdicts(statement, values, verdict):
    row = check.judge(statement, np.array(values))
    assert row.verdict == verdict
    assert row.cases == len(values)
    assert json.loads(json.dumps(row.worst, allow_nan=False)) == row.worst


@pytest.mark.compiled
@pytest.mark.parametrize("d", [512, 1024])
def test_the_printed_lemma_of_pair_balancing_is_refuted_and_its_repair_is_not(d):
    """At 4,096 too, which is left to the check itself: an array of 268 megabytes."""
    printed, repaired = (s for s in check.select(["H9"]) if f"d = {d}," in s.title)
    assert check.judge(printed, printed.values(0, 1)).verdict == "refuted"
    assert check.judge(repaired, repaired.values(0, 1)).verdict == "holds"


def test_what_was_never_measured_fails():
    assert check.judge(made("upper", 0.0, 1.0), np.array([])).verdict == "fails"


def test_a_statement_that_raises_is_a_red_row_among_the_others(monkeypatch, tmp_path, capsys):
    def breaks(norms):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(balancing, "greedy_prefix_bound", breaks)
    code, result = run(tmp_path, capsys, "V1", "--quick")
    verdicts = {row["claim"]: row["verdict"] for row in result["rows"]}
    assert code == 1
    assert verdicts["greedy sums"] == "fails"
    assert verdicts["squared norms of greedy sums"] == "holds"
    told = check.run(Options(quick=True, jobs=1), statements=["V1"]).notes
    assert told == ["V1 greedy sums: ZeroDivisionError: by nothing"]


def test_what_is_inconclusive_does_not_pass(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(check, "measure", lambda cell: {"values": np.array([0.1, 0.9, 0.5]), "error": ""})
    code, result = run(tmp_path, capsys, "R2", "--quick")
    assert code == 1
    assert "inconclusive" in {row["verdict"] for row in result["rows"]}


NAMED = [pytest.param(s, id=f"{s.label} {s.title}") for s in STATEMENTS.values() if s.kind != "reference"]


@pytest.mark.parametrize("statement", NAMED)
def test_every_row_can_fail_and_says_by_what(statement):
    """Equalities and bounds have an end on the side that a wrong constant leaves by, noise has a margin."""
    assert math.isfinite(statement.low if statement.kind == "refuted" else statement.high)
    assert statement.kind != "identity" or statement.high <= 0.15
    assert statement.kind != "upper" or statement.low > 0.0
    if statement.kind in frame.NOISY:
        assert statement.cases >= check.FEWEST or statement.label in ("A9",)
        assert statement.low < statement.center < statement.high
    values = np.full(9, statement.center if statement.kind in frame.NOISY else 1.0)
    assert sight(statement, values + 1e-3 * np.arange(9))


@pytest.mark.parametrize(
    "statement", [s for s in STATEMENTS.values() if s.kind == "slope"], ids=lambda s: s.title
)
def test_no_slope_accepts_the_exponent_of_another_ordering(statement):
    quantity, _, rest = statement.title.partition(" of ")
    ordering, _, variable = rest.rpartition(" in ")
    found = slopes.predicted(quantity, ordering, variable)
    for rival in frame.rivals(found):
        assert not statement.low <= rival <= statement.high
        other = next(
            s for s in slopes.table() if (s.quantity, s.variable, s.value) == (quantity, variable, rival)
        )
        for taken in STATEMENTS.values():  # nor do two regions overlap
            if taken.title == f"{quantity} of {other.ordering} in {variable}":
                assert taken.high <= statement.low + 1e-12 or statement.high <= taken.low + 1e-12


def test_rows_say_what_they_see():
    assert sight(made("identity", high=1e-10), np.zeros(3)) == "off by 1e-10"
    assert sight(made("identity", high=0.0), np.zeros(3)) == "any bit"
    assert sight(made("upper", 0.5, 1.0), np.array([0.2, 0.75])) == "bound x 0.75"
    assert sight(made("lower", 1.0, 2.0), np.array([1.25, 1.5])) == "bound x 1.25"
    slope = made("slope", -1.2, -0.8, center=-1.0, rival=-2.0)
    text = sight(slope, np.array([-1.02, -0.98, -1.0]))
    assert text == "±0.05 of 0.2; -2: 1.000"
    assert sight(made("reference"), np.ones(1)) == ""


def test_synthetic_checks_under_the_null_are_red_as_often_as_designed():
    """Where the margin is small against the noise a true row is red often, elsewhere never."""
    values = np.array([-0.1, 0.1] * 5)
    wide, narrow = (made("slope", -w, w, center=0.0) for w in (1.0, 0.08))
    assert "0 of 400 synthetic checks of 1 rows, 1 of them" in null.false_alarms([(wide, values)], 400, 0)
    designed = 1.0 - analysis.chance_to_agree(0.0, float(values.std(ddof=1)), 10, -0.08, 0.08)
    found = null.false_alarms([(narrow, values), (made("identity", high=0.0), np.zeros(3))], 4000, 1)
    alarms = int(found.split()[3])
    assert 0.1 < designed < 0.9
    assert abs(alarms / 4000 - designed) < 4.0 * math.sqrt(designed * (1 - designed) / 4000)


def test_many_judgements_at_once_are_those_of_one_at_a_time():
    rng = np.random.RandomState(0)
    for low, high in ((-0.2, 0.2), (-math.inf, 0.1)):
        drawn = rng.normal(0.05, 0.15, size=(300, 6))
        words = [analysis.word_within(row, low, high) == "agrees" for row in drawn]
        assert null.agrees(drawn, low, high).tolist() == words
        assert 0 < sum(words) < 300


def test_ratios_leave_out_what_says_nothing():
    assert frame.ratio([1.0, 0.0, 2.0], [2.0, 0.0, 0.0]).tolist() == [0.5, np.inf]
    assert frame.ratio([1e-15, 1e-15], [1e-16, 1.0], 1.0).tolist() == [1e-15]
    # Below the smallest normal number digits get lost: a decay that ends there breaks no bound.
    assert frame.ratio([1e-323, 1e-309, 1.0, 4e-300], [5e-324, 0.0, 1e-310, 8e-300]).tolist() == [np.inf, 0.5]
    assert frame.difference([0.0, 0.0], [0.0, 0.0]) == 0.0
    assert frame.difference([1.0, 2.0], [1.0, 2.5]) == 0.2
    assert frame.difference([0.0], [1e-17], scale=1.0) == 1e-17


def test_a_claim_has_one_name():
    with pytest.raises(ValueError, match="V1 'greedy sums': expected a new one"):
        frame.upper("V1", "greedy sums", cases=1, tight=0.5)(lambda rng, number: 0.0)


def run(tmp_path, capsys, *words):
    code = cli.main(["check", *words, "-q", "--json", "--jobs", "1", "--out", str(tmp_path)])
    out, err = capsys.readouterr()
    assert err == ""
    return code, json.loads(out)


def test_json_is_one_object_with_a_row_per_claim(tmp_path, capsys):
    code, result = run(tmp_path, capsys, "H7", "V7", "--quick")
    assert code == 0
    assert result.keys() == {"experiment", "config", "rows"}
    assert [row["name"] for row in result["rows"]] == ["V7", "H7"]  # in the order of the labels
    assert all(row.keys() == KEYS for row in result["rows"])
    assert [row["verdict"] for row in result["rows"]] == ["no prediction", "holds"]
    assert result["config"] == {"statements": ["H7", "V7"], "level": "quick", "seed": 0}


def test_the_table_and_the_files(tmp_path, capsys):
    assert cli.main(["check", "V9", "H7", "-q", "--jobs", "1", "--out", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "kind", "claim", "cases", "worst", "accepted", "verdict", "sees"]
    assert {line.split()[0] for line in lines[2:]} == {"V9", "H7"}
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {"table.csv", "config.json", "data.npz", "figure.svg", "figure.pdf", "figure.png"}
    assert (
        (tmp_path / "table.csv").read_text().startswith("name,kind,claim,cases,worst,low,high,verdict,sees\n")
    )


@pytest.mark.parametrize(
    ("module", "function", "wrong", "label", "claim"),
    [
        (herding, "reorder_bound", lambda *sums: 0.9 * sum(sums) / 2, "H1", "herding error after a reorder"),
        (herding, "steinitz_bound", lambda d, B: 9.0 * d * B, "H6", "herding error of the Steinitz order"),
        (
            balancing,
            "greedy_squared_norms",
            lambda norms, inner: norms**2,
            "V1",
            "squared norms of greedy sums",
        ),
    ],
)
def test_a_wrong_prediction_turns_its_row_red(
    module, function, wrong, label, claim, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(module, function, wrong)
    code, result = run(tmp_path, capsys, label, "--quick")
    verdicts = {row["claim"]: row["verdict"] for row in result["rows"]}
    assert code == 1
    assert verdicts[claim] == "fails"


def test_a_family_is_all_its_statements():
    assert {s.label for s in check.select(["H"])} == {f"H{k}" for k in range(1, 12)}
    assert len(check.select([])) == len(STATEMENTS)
    assert check.select(["H", "H1"]) == check.select(["H"])


def test_an_unknown_statement_is_refused_with_the_nearest(tmp_path, capsys):
    assert cli.main(["check", "T44", "--out", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("cdgrab: error: unknown statement 'T44'; did you mean 'T4'? (known: V, H, ")
    assert err.count("\n") == 1


def test_deep_and_quick_exclude_each_other(tmp_path, capsys):
    assert cli.main(["check", "V1", "--deep", "--quick", "--out", str(tmp_path)]) == 2
    assert "--deep, --quick: expected at most one of them" in capsys.readouterr().err


def test_the_levels_draw_more_and_more_of_the_same_cases():
    cell = {"label": "V2", "title": "greedy sums on the line", "seed": 3}
    quick, full, deep = (check.measure(cell | {"level": level})["values"] for level in check.LEVELS)
    assert len(quick) < len(full) < len(deep)
    assert np.array_equal(full[: len(quick)], quick)
    assert np.array_equal(deep[: len(full)], full)


def test_long_runs_are_left_out_of_a_quick_check_and_it_says_so(monkeypatch):
    slow = [s for s in STATEMENTS.values() if s.slow]
    assert slow
    assert all(s.kind in frame.NOISY for s in slow)
    assert {s.label for s in slow} <= {s.label for s in STATEMENTS.values() if not s.slow}
    monkeypatch.setattr(
        check,
        "run_cells",
        lambda task, cells, options: [{"values": np.zeros(1), "error": ""}] * len(cells),
    )
    monkeypatch.setattr(check, "judge", lambda s, values: made_row(s.title))
    quick = check.run(Options(quick=True), statements=["T6"])
    left_out = {s.title for s in check.select(["T6"]) if s.slow}
    assert left_out.isdisjoint(row.claim for row in quick.rows)
    assert quick.notes == [f"left out of a quick check: {len(left_out)} exponents of long runs"]
    assert check.run(Options(), statements=["T6"]).notes == []


def test_rows_depend_on_the_seed_and_on_nothing_else():
    def rows(seed, jobs, statements):
        return check.run(Options(seed=seed, quick=True, jobs=jobs), statements=statements).rows

    alone = rows(0, 1, ["H2"])
    assert rows(0, 2, ["H2", "V2"])[-len(alone) :] == alone  # neither on processes nor on what else is asked
    assert [row.worst for row in rows(1, 1, ["H2"])] != [row.worst for row in alone]


@pytest.mark.slow
@pytest.mark.compiled
def test_every_claim_holds():
    result = check.run(Options())
    assert not [row for row in result.rows if row.verdict in ("fails", "disagrees", "inconclusive")]
