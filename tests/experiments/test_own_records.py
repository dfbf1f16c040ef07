"""Experiments, sweeps and the records of their callers: orderings and problems that nobody registered."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import experiments
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments import centralized, cost, herding, rates, speedup

pytestmark = pytest.mark.compiled  # whole experiments


class State(NamedTuple):
    """Orders of `there_and_back`."""

    pi: np.ndarray


def there_and_back():
    def init(problem, rng):
        return State(np.array([rng.permutation(problem.n) for _ in range(problem.m)]))

    return cg.Ordering("there-and-back", init, None, lambda state, rng: State(state.pi[:, ::-1].copy()))


def family(m, n, seed):
    return cg.problems.least_squares(m=m, n=n, d=2, seed=seed)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    sizes = {"d": 2, "rounds": 6, "seeds": 2, "m": {"m": [1, 2], "n": 8}, "n": {"n": [8, 16], "m": 2}}
    monkeypatch.setattr(herding, "QUICK", sizes)
    monkeypatch.setattr(speedup, "QUICK", speedup.SIZES | {"m": [1, 2], "epochs": 30, "n": 4, "seeds": 2})


def test_an_ordering_of_ones_own_stands_beside_registered_ones_whatever_the_processes():
    chosen = ["RR", there_and_back()]
    one, two = (experiments.run("herding", orderings=chosen, quick=True, jobs=jobs) for jobs in (1, 2))
    assert [row.name for row in one.rows] == ["rr", "there-and-back"] * 2
    assert [row.verdict for row in one.rows][1::2] == ["no prediction"] * 2
    for name in one.data:
        np.testing.assert_array_equal(one.data[name], two.data[name])
    assert len(experiments.figure(one).axes) == 2
    assert "there-and-back" not in cg.orderings.ORDERINGS
    with pytest.raises(ValueError, match="unknown ordering"):
        cg.orderings.make("there-and-back")


def test_a_copy_of_a_registered_ordering_measures_what_it_measures():
    copy = replace(cg.orderings.cd_grab(), name="copy")
    rows = {row.name: row for row in experiments.run("speedup", orderings=["cd-grab", copy], quick=True).rows}
    assert replace(rows["copy"], margin=0.25) == replace(rows["cd-grab"], name="copy")  # also its prediction


def test_a_problem_of_ones_own_has_floors_and_no_prediction():
    result = experiments.run("speedup", orderings=["rr"], problem=family, quick=True)
    [row] = result.rows
    assert row.verdict == "no prediction"
    assert result.config["problem"] == "family"
    step = 0.05 / (4 * max(family(m, 4, subseeds(0, 2)[0]).constants["L"] for m in (1, 2)))
    problem = family(2, 4, subseeds(0, 2)[1])
    run = cg.simulate(problem, "rr", epochs=30, step_size=step, seed=subseeds(0, 2)[1], x0=problem.x_star)
    assert result.data["floor rr"][1, 1] == pytest.approx((run.loss[0, 15:] - problem.f_star).mean())
    assert experiments.run("speedup", orderings=["rr"], problem="least-squares", quick=True).rows[0].measured


def test_every_protocol_with_orderings_takes_them(monkeypatch):
    problem = {"family": "skewed", "kappa": 5.0, "d": 2}
    tiny = {"m": {"m": [1, 2], "T": 30}, "T": {"T": [20, 40], "m": 2}, "steps": [0.5, 128.0]}
    tiny |= {"orderings": [], "replicates": {"others": 1}}
    monkeypatch.setattr(rates, "QUICK", rates.QUICK | {"seeds": 2, "problem": problem, "n": 8, "tuned": tiny})
    result = experiments.run("rates", parts=["tuned"], orderings=[there_and_back()], quick=True)
    assert {row.name for row in result.rows} == {"there-and-back"}
    result = experiments.run("rates", orderings=["rr"], problem=family, quick=True)
    assert [row.quantity for row in result.rows[:2]] == [f"tuned error exponent in {v}" for v in "mT"]
    assert len(experiments.figure(result).axes) == 2
    steps = {"T": 60, "accuracy": {"others": 1e-2}, "rates": [0.01, 4.0], "replicates": {"others": 1}}
    errors = {"T": 30, "steps": [0.5, 128.0], "replicates": {"others": 1}}
    own = {"problem": problem, "N": 16, "m": [1, 2], "steps": steps, "errors": errors, "seeds": 2}
    monkeypatch.setattr(centralized, "QUICK", centralized.QUICK | own)
    result = experiments.run("centralized", orderings=["rr", there_and_back()], quick=True)
    assert "there-and-back" in {row.name for row in result.rows}
    assert experiments.figure(result).axes
    monkeypatch.setattr(cost, "QUICK", cost.SIZES | {"m": 2, "n": 8, "d": 2, "epochs": 2, "repeats": 2})
    result = experiments.run("cost", orderings=[there_and_back()], quick=True)
    held = {row.quantity: row.measured for row in result.rows if row.name == "there-and-back"}
    assert held["integers held by a worker"] == 8.0
    assert experiments.figure(result).axes


def test_what_an_experiment_does_not_take_is_refused_before_the_work():
    for words, message in (
        ({"orderings": "rr"}, "orderings: expected a list of orderings and names; got 'rr'"),
        ({"orderings": ["rr", "RR"]}, "orderings: expected each name once; got 'rr' twice"),
        ({"orderings": [cg.orderings.cd_grab()]}, "'cd-grab': expected a name of its own"),
        ({"orderings": ["grub"]}, "did you mean 'grab'"),
        (
            {"problem": family(2, 4, 0)},
            "problem: expected a function of m, n and seed.* got a Problem with m = 2",
        ),
        ({"problem": "skewd"}, "did you mean 'skewed'"),
        (
            {"problem": lambda m, n, seed: replace(family(m, n, seed), constants={})},
            "expected a constant 'L'",
        ),
        ({"problem": lambda m, n, seed: replace(family(m, n, seed), x_star=None)}, "expected a minimiser"),
        (
            {"problem": lambda m, n, seed: replace(family(m, n, seed), f_star=0.0)},
            r"expected f\(x_star\) = f_star",
        ),
        ({"seed": -1}, "seed: expected a whole number >= 0"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            experiments.run("speedup", quick=True, **words)
    with pytest.raises(ValueError, match="orderings: expected none for 'limits'"):
        experiments.run("limits", orderings=["rr"])
    with pytest.raises(ValueError, match="did you mean 'speedup'"):
        experiments.run("speedups")


def test_a_sweep_takes_the_record_of_its_runs():
    fixed = {"problem": "skewed", "m": 2, "n": 4, "d": 1, "ordering": "rr", "epochs": 6, "step_size": 0.01}
    study = cg.sweep(fixed=fixed, record=cg.Record(every=3, trajectory=True))
    assert study.curves("trajectory").shape == (1, 3, 1)
    own = cg.sweep([fixed, fixed | {"record": {"every": 2}}], record=cg.Record(every=3))
    assert sorted(len(own.curves("loss", record=r)[0]) for r in ({"every": 3}, {"every": 2})) == [3, 4]
    assert cg.sweep(fixed=fixed, record=cg.Record()).curves("loss").shape == (1, 7)
    with pytest.raises(TypeError, match="record: expected a Record"):
        cg.sweep(fixed=fixed, record={"every": 3})
