"""`cdgrab reproduce` with the published settings: forecasts, memory, smoothness, the first epochs."""

from dataclasses import replace
from operator import mul

import numpy as np
import pytest

from cdgrab_sim import experiments, orderings
from cdgrab_sim.experiments import reproduce_memory, reproduce_series, reproduce_workers
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.reproduce_series import network


def test_forecasts_have_the_published_shape():
    assert network.forecasts(2, 3, 64, seed=0).d == 5569  # 20-64-64-1 with thresholds, as published
    assert (network.SEEN, network.AHEAD, reproduce_series.SIZES["m"]) == (20, 6, 32)


def test_series_have_a_wave_of_a_year_a_trend_and_shocks_that_last():
    y = np.log(network.series(300, 520, seed=0))  # ten years of weeks
    spectra = np.fft.rfft(y, axis=1)
    assert np.argmax((np.abs(spectra) ** 2).mean(axis=0)[5:]) + 5 == 10
    assert np.abs(np.exp(1j * np.angle(spectra[:, 10])).mean()) < 0.2  # all phases: 1/sqrt(300) on average
    shocks = np.diff(y[:, 1:] - 0.8 * y[:, :-1], axis=1)  # differences of two, next to no trend or wave
    assert shocks.std() == pytest.approx(0.08 * np.sqrt(2), rel=0.02)


def naive_loss(w, window, h):
    """Predict one value at a time, with loops."""
    W1, w = w[: 20 * h].reshape(h, 20), w[20 * h :]
    b1, W2, b2 = w[:h], w[h : h + h * h].reshape(h, h), w[h + h * h : 2 * h + h * h]
    w3, b3 = w[-h - 1 : -1], w[-1]
    seen, total = list(window[:20]), 0.0
    for true in window[20:]:
        z1 = [np.tanh(sum(map(mul, W1[q], seen[-20:])) + b1[q]) for q in range(h)]
        z2 = [np.tanh(sum(map(mul, W2[q], z1)) + b2[q]) for q in range(h)]
        seen.append(sum(map(mul, w3, z2)) + b3)
        total += 2 * abs(seen[-1] - true) / (abs(seen[-1]) + abs(true)) / 6
    return total


def test_forecasts_read_their_own_predictions():
    problem = network.forecasts(2, 3, 4, seed=1)
    x = 0.1 * np.random.default_rng(0).standard_normal(problem.d)
    values = problem.values(x)
    for i, j in ((0, 0), (1, 2)):
        window = problem.data.windows[problem.data.rows[i, j]]
        assert values[i, j] == pytest.approx(naive_loss(problem.data.start + x, window, 4), rel=1e-8)
    assert problem.value(x, problem.arrays) == pytest.approx(values.mean(), rel=1e-12)


@pytest.mark.parametrize("shift", [0.0, -0.5, -3.0])
def test_gradients_of_forecasts_are_differences(shift):
    """Of predictions above the values, below them, and below 0."""
    problem = network.forecasts(1, 2, 3, seed=2)
    x, e = 0.1 * np.random.default_rng(1).standard_normal(problem.d), 1e-6 * np.eye(problem.d)
    x[-1] += shift
    differences = [(problem.values(x + step) - problem.values(x - step)) / 2e-6 for step in e]
    np.testing.assert_allclose(problem.gradients(x), np.moveaxis(differences, 0, -1), atol=1e-7)


def test_smape_by_hand():
    predicted = np.array([[1.0, 3.0], [-1.0, 2.0]])
    np.testing.assert_allclose(network.smape(predicted, np.ones((2, 2))), [0.5, 4 / 3])


@pytest.mark.compiled
def test_rows_of_forecasts_follow_from_the_data(monkeypatch):
    sizes = {"m": 4, "n": 6, "hidden": 3, "alpha": [0.001, 0.01], "epochs": 12, "seeds": 2}
    monkeypatch.setattr(reproduce_series, "QUICK", reproduce_series.SIZES | sizes)
    result = reproduce_series.run(Options(quick=True, jobs=1))
    tails = {name: result.data[f"loss {name}"][..., -10:].mean(axis=-1) for name in ("rr", "cd-grab")}
    best = tails["rr"].mean(axis=1).argmin()
    assert result.config["best"] == best
    assert result.rows[0].measured == pytest.approx(tails["cd-grab"][best].mean() / tails["rr"][best].mean())
    assert len(experiments.figure(result).axes) == 2


def test_states_hold_as_many_arrays_as_published(monkeypatch):
    monkeypatch.setattr(reproduce_memory, "SIZES", reproduce_memory.SIZES | {"d": 40_000})
    result = reproduce_memory.run(Options())
    assert [row.verdict for row in result.rows] == ["agrees"] * 4 + ["other data"]
    assert [row.predicted for row in result.rows[:4]] == [0.0, 3.0, 1.0, 1.0]
    assert len(experiments.figure(result).axes) == 1


def test_another_array_in_the_state_is_seen(monkeypatch):
    kind = orderings.make("d-grab")
    wasteful = lambda problem, rng: (kind.init(problem, rng), np.zeros(problem.d))  # noqa: E731
    monkeypatch.setitem(orderings.ORDERINGS, "d-grab", lambda: replace(kind, init=wasteful))
    assert reproduce_memory.arrays_held("d-grab", 1, 4, 20_000) == pytest.approx(4.0, abs=0.05)


def test_smoothness_is_what_a_line_leaves():
    t = np.arange(20.0)
    wave = np.cos(np.pi * t)
    left = reproduce_workers._around_a_line(np.stack([3.0 - 0.1 * t, 2.0 + 0.2 * t + 0.5 * wave]))
    slope = np.polyfit(t, wave, 1)
    assert left == pytest.approx([0.0, 0.25 * np.mean((wave - np.polyval(slope, t)) ** 2)], abs=1e-12)


def test_the_first_epoch_gains_nothing_and_later_ones_do():
    curves = np.ones((4, 2, 41))
    curves[-1, :, 2:] = 0.99
    first, early = reproduce_workers._early(curves, "made up")
    assert (first.measured, first.verdict) == (0.0, "agrees")
    assert (round(early.measured, 9), early.verdict) == (1.0, "fails")  # a gain that is there at once
    curves[-1, :, 2] = 0.999
    assert reproduce_workers._early(curves, "made up")[1].verdict == "holds"
