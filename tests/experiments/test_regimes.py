"""`cdgrab regimes`: the bound behind the map, the probes, and where they would notice."""

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import experiments
from cdgrab_sim.experiments import regimes
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.regimes import bias, gain, transient, workers
from cdgrab_sim.experiments.regimes import map as plane
from theory.convergence import strongly_convex_path

pytestmark = pytest.mark.compiled  # whole experiments: minutes as plain Python

TINY = {
    "seeds": 3,
    "problem": {"family": "skewed", "kappa": 5.0, "d": 2},
    "map": {"kappa": 5.0, "n": [4, 8, 16], "T": [4, 30], "m": [1, 8], "replicates": {"others": 1}},
    "gain": {
        case: sizes | {"n": 8, "alpha_n_L": [0.1, 0.2]} if isinstance(sizes, dict) else sizes
        for case, sizes in regimes.SIZES["gain"].items()
    }
    | {"relaxations": 2, "replicates": {"others": 1}},
    "bias": regimes.SIZES["bias"] | {"m": [2], "n": 8, "epochs": 100, "replicates": 1, "margin": 5.0},
    "transient": {"m": 2, "n": [16, 64], "T": 6, "alpha_n_L": 0.05},
    "workers": regimes.SIZES["workers"]
    | {"m": [1, 2], "n": 8, "relaxations": 2, "replicates": {"others": 1}},
}


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regimes, "QUICK", TINY)
        return regimes.run(Options(quick=True, jobs=1))


def test_every_probe_has_rows_and_a_panel(result):
    quantities = " | ".join(row.quantity for row in result.rows)
    for word in (
        "exponent in m, measured",
        "epochs to H",
        "skewed, m = 4, n = 8: floor",
        "quadratic, m = 1, n = 8: floor",
        "bias / G3's",
        "worker means",
        "own shards",
        "copies shards",
        "±1 terms",
    ):
        assert word in quantities
    assert result.data["map error"].shape == (3, 2, 2, 3)
    assert len([ax for ax in experiments.figure(result).axes if ax.get_title()]) == 6  # others: colour bars


def test_the_bound_is_the_path_of_t3_with_halving_herding_errors():
    """At the cap of the step size, against the recursion of T3 step by step."""
    kappa, n, T, d, m = 7.0, 4, 5, 2, 3
    A, H0 = 0.8, 2.0
    H = H0 * 0.5 ** np.arange(T) + A
    alpha = np.array([1.0, 0.3]) / kappa
    added = plane._added(alpha, (1.0 - alpha) ** n, H, kappa)
    for k in range(2):
        squares = np.tile(H[:, None] ** 2, (1, n))
        path = strongly_convex_path(0.0, squares, alpha[k], kappa, 1.0)
        assert added[k] == pytest.approx(path[-1], rel=1e-12)
    assert plane.bound(m, n, T, d, kappa).value <= (1 - 1 / kappa) ** (n * T) * d + 1e3


def test_short_runs_are_capped_or_remember_and_long_ones_gain():
    words = [plane.bound(16, n, T, d=3, kappa=30.0).regime for n, T in ((8, 5), (128, 5), (128, 400))]
    assert words == ["step-size cap", "first orders", "speedup"]
    values = [[plane.bound(m, 32, T, 3, 30.0).value for m in (16, 32)] for T in (1, 2000)]
    exponents = np.diff(np.log2(values), axis=1)[:, 0]
    assert exponents[0] > -0.1
    assert -2.0 < exponents[1] < -1.6


def test_steps_beyond_the_cap_count_as_the_cap():
    cell = {"ordering": "cd-grab", "problem": TINY["problem"], "m": 64, "n": 4, "T": 2, "seed": 1, "x0": 1.0}
    found = plane.capped_error(cell | {"replicates": {"others": 1}})
    problem = cg.problems.skewed(m=64, n=4, d=2, kappa=5.0, seed=1)
    run = cg.simulate(problem, "cd-grab", epochs=2, step_size=1 / 5.0, seed=1, x0=[1.0, 1.0])
    assert found["capped"] == 1.0
    assert found["error"] == pytest.approx(run.loss[0, -1], rel=1e-12)


def test_heterogeneity_changes_nothing_and_the_row_would_notice(result):
    rows = [row for row in result.rows if "worker means" in row.quantity]
    assert [row.verdict for row in rows] == ["agrees"] * 3
    assert all(row.measured == pytest.approx(1.0, abs=1e-6) for row in rows)


def test_the_same_order_on_copies_is_one_worker():
    """m copies in step are one worker: the iterates agree to rounding, whatever m."""
    cell = {"ordering": workers.SAME, "shards": "copies", "problem": TINY["problem"], "n": 8, "seed": 2}
    cell |= {"replicates": {"others": 1}, "step_size": 0.01, "epochs": 50}
    one, many = (workers.workers_floor(cell | {"m": m})["error"] for m in (1, 5))
    assert many == pytest.approx(one, rel=1e-9)
    apart = workers.workers_floor(cell | {"m": 5, "ordering": "rr"})["error"]
    assert apart < 0.6 * one


def test_one_order_is_a_permutation_shared_by_all():
    run = cg.simulate("skewed", workers.one_order(), epochs=3, step_size=1e-4, record=cg.Record(orders=True))
    orders = run.orders[0]
    assert (orders == orders[:, :1]).all()
    assert (np.sort(orders, axis=-1) == np.arange(orders.shape[-1])).all()
    assert (orders[0] != orders[1]).any()


def test_the_first_orders_are_forgotten_as_promised():
    cell = {"problem": TINY["problem"], "m": 4, "n": 256, "T": 10, "alpha_n_L": 0.05, "seed": 5}
    found = transient.transient(cell)
    assert 1 <= found["epochs"] <= found["promised"]


@pytest.mark.compiled
def test_a_floor_on_a_quadratic_is_that_of_its_mean_prefixes_and_not_of_others(monkeypatch):
    """Q13 holds up to order h = 0.02, for one alpha and any orders; half of every order is another one."""
    cell = {"problem": regimes.QUADRATIC, "m": 2, "n": 8, "seed": 4, "replicates": {"others": 2}}
    cell |= {"step_size": 0.02 / 8, "epochs": 2000}
    for ordering in ("rr", "cd-grab"):
        found = gain.filtered_floor(cell | {"ordering": ordering})
        assert found["error"] == pytest.approx(found["filtered"], rel=0.02)
    real = gain._mean_prefixes
    monkeypatch.setattr(gain, "_mean_prefixes", lambda z, pi: real(z[:, :4], pi[..., :4] % 4))
    assert found["error"] != pytest.approx(
        gain.filtered_floor(cell | {"ordering": "rr"})["filtered"], rel=0.5
    )


def test_mean_prefixes_by_hand():
    z = np.array([[[1.0], [2.0], [-3.0]], [[0.0], [4.0], [-4.0]]])
    pi = np.array([[[0, 1, 2], [2, 1, 0]]])
    # steps (1 - 4, 2 + 4, -3 + 0) / 2, prefixes -1.5, 1.5, 0
    np.testing.assert_allclose(gain._mean_prefixes(z, pi), [[0.0]], atol=1e-15)
    np.testing.assert_allclose(gain._mean_prefixes(z[:1], pi[:, :1]), [[(1 + 3 + 0) / 3]])


@pytest.mark.compiled
def test_the_bias_points_where_g3_says(monkeypatch):
    cell = {"problem": {"family": "least-squares", "d": 2}, "n": 8, "alpha_n_L": 0.1, "epochs": 4000}
    cell |= {"replicates": 4, "seed": 7, "m": 1}
    assert bias.stationary_bias(cell)["ratio"] == pytest.approx(1.0, abs=0.3)
    real = bias.reshuffling_bias
    monkeypatch.setattr(bias, "reshuffling_bias", lambda *a: -real(*a))
    assert bias.stationary_bias(cell)["ratio"] < -0.5


def test_places_without_speedup_are_named():
    speedup, cap = (plane.REGIMES.index(name) for name in ("speedup", "step-size cap"))
    regime = np.array([[cap, cap], [speedup, cap], [speedup, speedup]])
    assert "from T = 40 epochs on" in plane._onset(8, [10, 20, 40], [1, 2], regime)
    assert "no speedup is promised up to m = 2 within T = 20" in plane._onset(8, [10, 20], [1, 2], regime[:2])


def test_signs_are_a_share_of_rr_instance_by_instance():
    """Floors by ordering, seed, m = 1, ..., 4; the worst instance is what is told."""
    rr, cd = np.array([[8.0, 4.0, 2.0, 1.0]] * 2), np.array([[4.0, 0.0, 1.0, 0.0], [2.0, 0.0, 0.5, 0.0]])
    part = workers.signs_part(TINY, [1, 2])
    found = part.read([{"error": value} for value in np.concatenate([rr.ravel(), cd.ravel()]).tolist()])
    np.testing.assert_array_equal(found.data["signs share"], cd / rr)
    assert [row.measured for row in found.rows] == [0.5, 0.0, 0.5, 0.0]
    assert [row.verdict for row in found.rows[1::2]] == ["holds", "holds"]
