"""`cdgrab limits`: each block against a naive loop or a closed form."""

from itertools import permutations

import numpy as np
import pytest

from cdgrab_sim import experiments, problems
from cdgrab_sim.experiments import _measures, limits
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.limits import quadratics, tuned
from theory import instances
from theory.quadratics import small_step_floor


def test_safran_shamir_follows_the_displayed_update():
    n, kappa, T = 6, 50.0, 7
    eta = np.log(n * T) / (n * T)
    x1, x2 = -0.5, -0.5 / kappa
    for _ in range(T):
        for s in [1] * (n // 2) + [0] * (n // 2):
            x1, x2 = (1 - eta) * x1, (1 - eta * kappa) * x2 + eta * (2 * s - 1) / 2
    cell = {"n": n, "kappa": kappa, "T": T, "ordering": "ig", "seed": 0, "epochs": 1}
    expected = 0.5 * x1**2 + 0.5 * kappa * x2**2
    assert quadratics.safran_shamir(cell)["loss"] == pytest.approx(expected, rel=1e-10)


@pytest.mark.compiled
def test_the_floor_is_the_exact_one_at_small_steps():
    cell = {
        "m": 2,
        "n": 8,
        "epochs": 8000,
        "replicates": {"others": 2},
        "step_size": 1 / 128,
        "ordering": "rr",
    }
    cell |= {"problem": quadratics.ONE_HESSIAN, "every": 2}
    found = [_measures.floor(cell | {"seed": seed})["error"] for seed in range(3)]
    expected = [floor_of(cell, seed) for seed in range(3)]
    assert np.mean(found) == pytest.approx(np.mean(expected), rel=0.2)  # about 4 standard errors


def floor_of(cell, seed):
    problem = problems.quadratic(m=cell["m"], n=cell["n"], d=1, eigenvalues=[1.0], seed=seed)
    variance = problem.constants["sigma"] ** 2
    size = {"n": cell["n"], "m": cell["m"]}
    return 0.5 * small_step_floor("rr", cell["step_size"], 1.0, variance, **size)


def test_de_sa_by_products_of_matrices():
    rows = {(row.name, row.quantity.split(" / ")[0]): row for row in quadratics.de_sa()}
    C = instances.de_sa(scale=0.5).matrices
    products = [np.linalg.multi_dot([C[k] for k in order]) for order in permutations(range(5))]
    mean = rows["rr", "De Sa: norm of the mean epoch"]
    assert mean.measured == pytest.approx(np.linalg.norm(np.mean(products, axis=0), 2), abs=1e-12)
    assert {row.verdict for row in rows.values()} == {"agrees", "holds"}


def test_step_regimes():
    small, slow, large = quadratics.step_regimes()
    assert small.measured == (1 - 0.5) ** 4
    assert slow.measured == pytest.approx((1 - 0.02) ** 100)
    assert large.measured == pytest.approx(1.02**100)


def test_the_rates_are_in_the_products_that_are_named():
    assert tuned.effective_size("rr", 2, 3, 5) == 2 * 3 * 25
    assert tuned.effective_size("cd-grab", 2, 3, 5) == 2 * 3 * 5


@pytest.mark.compiled
def test_every_block_has_its_rows_and_none_disagrees(monkeypatch):
    small = {
        "floors": limits.QUICK["floors"] | {"epochs": 60, "so": {"epochs": 60, "replicates": 2}, "seeds": 2},
        "many epochs": limits.QUICK["many epochs"] | {"T": [50, 1600]},
        "bias": limits.QUICK["bias"] | {"epochs": 2000},
        "herding": {"d": 4, "rounds": 4},
        "rates": limits.QUICK["rates"] | {"sizes": [[2, 8, 50], [8, 8, 50]], "seeds": 2},
    }
    monkeypatch.setattr(limits, "QUICK", small)
    result = limits.run(Options(quick=True, jobs=1))
    herded = len(limits.herding.ORDERINGS)
    assert len(result.rows) == 9 + 4 + 3 + 1 + 3 + herded + 2
    assert not [row for row in result.rows if row.verdict in ("disagrees", "fails")]
    assert result.data["tuned rr"].shape == (2, 2)
    assert len(experiments.figure(result).axes) == 3
