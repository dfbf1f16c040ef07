"""The scorecard: wrong orderings are named, equal ones claim nothing, and what is ahead is found to be."""

import json
import re
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import cli, testing
from cdgrab_sim._rng import beside
from cdgrab_sim.experiments import score
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.score import compared, report, settings, validity

SMALL = {
    "seeds": 7,
    "herding": {
        "m": [1, 2], "n": [8, 16], "d": [2, 4], "rounds": 4, "at": {"m": 2, "n": 8, "d": 2},
    },
    "floors": score.QUICK["floors"] | {"problems": ["skewed"], "m": [1, 4], "n": 8, "epochs": 40},
    "tuned": {"problems": ["skewed", "breast-cancer"], "m": [2, 4], "n": 8, "T": 10},
    "later": {"problems": ["skewed"], "m": 2, "n": 8, "T": [5, 10]},
    "updated": {"problems": ["skewed"], "m": [2], "n": 8, "T": 10},
    "cost": {"m": 2, "n": 8, "d": 2, "epochs": 2, "repeats": 2},
}  # fmt: skip


class State(NamedTuple):
    """Orders, and pieces of gradients that were shown."""

    pi: np.ndarray
    kept: list


def shuffled(problem, rng):
    return State(rng.permuted(np.tile(np.arange(problem.n), (problem.m, 1)), axis=1), [])


def no_permutation():
    return cg.Ordering(
        "none", lambda p, rng: State(np.zeros((p.m, p.n), dtype=int), []), None, lambda s, rng: s
    )


def keeps_the_buffer():
    """Sorts by the gradients that it finds at the end of the epoch where it once saw others."""

    def advance(state, rng):
        first = np.array([piece[0].sum(axis=-1) for piece in state.kept])  # (pieces, m)
        shift = int(np.argmax(first.sum(axis=1)))
        return State(np.roll(state.pi, 1 + shift, axis=1), [])

    return cg.Ordering("keeper", shuffled, lambda state, seen: state.kept.append(seen.G), advance)


def draws_elsewhere():
    def advance(state, rng):
        return State(np.array([np.random.permutation(row) for row in state.pi]), [])  # noqa: NPY002

    return cg.Ordering("elsewhere", shuffled, None, advance)


def unseeded():
    def advance(state, rng):
        return State(np.random.default_rng().permuted(state.pi, axis=1), [])

    return cg.Ordering("unseeded", shuffled, None, advance)


def counts_pieces():
    def observe(state, seen):
        state.kept.append(len(seen.G))

    return cg.Ordering(
        "pieces", shuffled, observe, lambda s, rng: State(np.roll(s.pi, len(s.kept), axis=1), [])
    )


def writes():
    def observe(state, seen):
        seen.G[:] = 0.0

    return cg.Ordering("writer", shuffled, observe, lambda state, rng: state)


def knows():
    def init(problem, rng):
        pi = np.argsort(problem.gradients(np.zeros(problem.d)).sum(axis=-1), axis=1)
        return State(pi, [])

    return cg.Ordering("knowing", init, None, lambda state, rng: state)


WRONG = {
    no_permutation: ("orders are permutations", "permutation"),
    keeps_the_buffer: ("no look ahead", "it looks ahead: it remembers the buffer"),
    draws_elsewhere: ("draws come from its seed", "it draws from the global random state"),
    unseeded: ("same orders from the same gradients", "it decides otherwise when asked again"),
    counts_pieces: ("same orders in any pieces", "in pieces of 1 it decides otherwise"),
    writes: ("leaves what it is shown as it is", "it changes the arrays that it is shown"),
    knows: ("sees the gradients of the run only", "it asks the problem for more than the gradients"),
}


@pytest.mark.parametrize("make", WRONG)
def test_a_wrong_ordering_is_named_and_not_scored(make):
    check, words = WRONG[make]
    result = score.run(Options(quick=True, jobs=1), ordering=make())
    failed = {row.quantity: row.verdict for row in result.rows}
    assert failed[check] == "fails"
    assert any(check in note and words in note for note in result.notes)
    assert result.notes[0].startswith("not scored")
    assert not result.data
    assert words in report.page(result).replace("&#x27;", "'")


def test_what_is_registered_is_an_ordering():
    for name in sorted(set(cg.orderings.ORDERINGS) - {"grab", "herding"}):  # one worker; what nobody can know
        found = validity.look({"ordering": name})
        assert not any(found[check] for check in validity.MUST), name
        looks = cg.orderings.make(name).observe is not None
        assert found["orders follow gradients"] == ("yes" if looks else "no"), name
    assert "asks the problem" in validity.look({"ordering": "herding"})["sees the gradients of the run only"]
    pairs, means = (validity.look({"ordering": name}) for name in ("cd-grab", "d-grab"))
    plus = "same orders for gradients plus a vector"
    assert (pairs[plus], means[plus]) == ("yes", "no")  # the stale mean of the first epoch is 0


def test_the_threshold_is_that_of_all_sign_flips():
    logs = np.random.RandomState(0).standard_normal((5, 6)) + 0.4
    logs[4] = 0.0
    c, most = compared.threshold(logs, 0.1)

    def consistency(flipped):
        sizes = [max(float(np.sqrt(6.0 * (row**2).sum())), 1e-300) for row in flipped]
        return [abs(float(row.sum())) / size for row, size in zip(flipped, sizes, strict=True)]

    largest = [max(consistency(logs * np.array(signs))) for signs in product((1.0, -1.0), repeat=6)]
    np.testing.assert_allclose(c, consistency(logs))
    for one in np.linspace(0.0, 1.0, 41):
        share = np.mean([other >= one for other in largest])
        if abs(one - most) > 1e-6:
            assert (one > most) == (share <= 0.1)


def test_chance_claims_a_difference_once_in_twenty_times():
    """Log ratios of heavy tails that depend on each other: 2,000 scorecards, 3 standard errors."""
    rng, claims = np.random.RandomState(0), 0
    for _ in range(2000):
        shared = rng.standard_t(2, size=(1, 7)) + rng.standard_t(2, size=(6, 7))
        c, most = compared.threshold(shared, compared.LEVEL)
        claims += bool((c > most).any())
    assert 0.02 < claims / 2000 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_an_interval_leaves_1_out_exactly_where_a_difference_is_claimed():
    rng = np.random.RandomState(1)
    logs = rng.standard_normal((40, 8)) * 0.3 + np.linspace(-1.0, 1.0, 40)[:, None]
    data = {}
    for k, row in enumerate(logs):
        data[f"floor|p{k}|a"], data[f"floor|p{k}|b"] = np.exp(row)[:, None], np.ones((8, 1))
    data["floor|lost|a"], data["floor|lost|b"] = np.zeros((8, 1)), np.ones((8, 1))
    rows = compared.rows("a", "b", found := compared.pairs(data, "a", "b"), 0.05)
    assert {row.verdict for row in rows} == {"ahead", "behind", "no difference seen", "at rounding level"}
    for row in rows[1:]:
        assert (row.ci_low <= 1.0 <= row.ci_high) == (row.verdict == "no difference seen")
        assert row.ci_low < row.measured < row.ci_high
    ahead = sum(row.verdict == "ahead" for row in rows)
    assert f"of b on {ahead} of 40 problems" in compared.sentences("a", "b", found, rows)[0]


def test_late_gradients_are_late_on_a_quadratic():
    problem = cg.problems.quadratic(m=2, n=5, d=2)
    run = cg.simulate(
        problem, "rr", epochs=2, step_size=0.02, update=settings.delayed(steps=3), x0=[1.0, 2.0],
        record=cg.Record(orders=True),
    )  # fmt: skip
    points = [np.array([1.0, 2.0])] * 4
    for pi in run.orders[0]:
        for k in range(5):
            g = problem.gradients(points[-4])
            points.append(points[-1] - 0.02 * np.mean([g[i, pi[i, k]] for i in range(2)], axis=0))
    np.testing.assert_allclose(run.x[0], points[-1], rtol=1e-12)
    testing.check_update(settings.delayed(steps=2))


def other_seeds():
    """Random reshuffling with draws of its own."""
    rr = cg.orderings.rr()
    return replace(
        rr, name="rr-elsewhere", init=lambda problem, rng: rr.init(problem, beside(rng)),
        advance=lambda state, rng: rr.advance(state, beside(rng)),
    )  # fmt: skip


def half():
    """CD-GraB under another name: ahead of rr, and bit for bit what CD-GraB is."""
    return replace(cg.orderings.cd_grab(), name="half")


@pytest.mark.compiled
def test_what_is_ahead_is_found_and_what_is_the_same_is_not(monkeypatch):
    less = {"tuned": SMALL["tuned"] | {"problems": ["skewed"], "m": [2]}, "seeds": 6}
    less |= {key: SMALL[key] | {"problems": []} for key in ("later", "updated")}
    monkeypatch.setattr(score, "QUICK", SMALL | less)
    result = score.run(Options(quick=True, jobs=1), ordering=half(), against=["rr"])
    rows = {row.quantity: row for row in result.rows if row.name == "half"}
    for key in (
        "floor, workers alike, skewed",
        "herding error, largest n",
        "tuned error, workers alike, skewed",
    ):
        a, b = (result.data[f"{'|'.join(key.rsplit(', ', 1))}|{name}"][:, -1] for name in ("half", "rr"))
        assert rows[f"{key}, over rr"].measured == pytest.approx(np.exp(np.log(a / b).mean()))
    assert rows["floor, workers alike, skewed, over rr"].verdict == "ahead"
    page = report.page(result)
    assert page.count("<svg") == 4
    assert not re.search(r"<(script|link|img|iframe)\b|url\(http|@import", page)
    for word in ("prefers-color-scheme: dark", "@media print", "Scorecard of half", "ahead of rr on 1 of 1"):
        assert word in page


@pytest.mark.slow
@pytest.mark.compiled
def test_a_file_is_scored_with_the_same_bits_on_two_processes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(score, "QUICK", SMALL)
    path = tmp_path / "half.py"
    path.write_text(
        "import cdgrab_sim as cg\nfrom dataclasses import replace\n"
        "half = replace(cg.orderings.cd_grab(), name='half')\n"
    )
    tables = []
    for jobs in (1, 2):
        out = tmp_path / f"jobs{jobs}"
        words = ["score", str(path), "--quick", "-q", "--json", "--jobs", str(jobs), "--out", str(out)]
        assert cli.main(words) == 0
        rows = json.loads(capsys.readouterr().out)["rows"]
        tables.append([row for row in rows if "time per" not in row["quantity"]])
        assert (out / "report.html").exists()
    assert tables[0] == tables[1]
    one, two = (np.load(tmp_path / f"jobs{jobs}" / "data.npz") for jobs in (1, 2))
    assert one.files == two.files
    assert all(np.array_equal(one[name], two[name]) for name in one.files)
    same = [row for row in tables[0] if "over cd-grab" in row["quantity"]]
    assert len(same) > 8
    assert {(row["measured"], row["verdict"]) for row in same} == {(1.0, "no difference seen")}


def test_what_cannot_be_scored_is_refused_in_one_line(tmp_path, capsys):
    path = tmp_path / "two.py"
    path.write_text(
        "import cdgrab_sim as cg\nfrom dataclasses import replace\n"
        "a, b = (replace(cg.orderings.rr(), name=name) for name in 'ab')\n"
    )
    for words, line in (
        ([str(path)], "expected one ordering; got a, b"),
        (["cd-grub"], "did you mean 'cd-grab'"),
        ([str(tmp_path / "no.py")], "No such file"),
    ):
        assert cli.main(["score", *words, "--quick", "-q", "--out", str(tmp_path / "out")]) == 2
        err = capsys.readouterr().err
        assert line in err
        assert err.count("\n") == 1


@pytest.mark.deep
@pytest.mark.compiled
def test_rr_beside_itself_claims_a_difference_in_two_of_forty_scorecards_at_most():
    claims = [
        any(
            row.verdict in ("ahead", "behind")
            for row in score.run(
                Options(seed=seed, quick=True, jobs=1), ordering=other_seeds(), against=["rr"]
            ).rows
        )
        for seed in range(40)
    ]
    assert sum(claims) <= 2
