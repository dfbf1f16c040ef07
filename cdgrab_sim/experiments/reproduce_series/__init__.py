"""The published forecasts of weekly series by an autoregressive network, on generated series for M4."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim._records import Record
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._readings import claim, smaller
from cdgrab_sim.experiments.reproduce_series.network import forecasts
from cdgrab_sim.synchronous._simulate import simulate

ORDERINGS = ("rr", "cd-grab")
SIZES: dict[str, Any] = {
    "m": 32,  # as published, with 20 values in, 6 out, 64 hidden units twice, 32 examples per update
    "n": 32,  # published: 3,355
    "hidden": 64,
    "alpha": [0.001, 0.003, 0.01],  # the best for rr is taken for both, as published
    "momentum": 0.9,
    "epochs": 50,
    "seeds": 3,
}
QUICK = SIZES | {"n": 16, "hidden": 16, "alpha": [0.001], "epochs": 40, "seeds": 6}
TAIL = 10  # last epochs whose mean is compared


def train(cell: dict[str, Any]) -> dict[str, FloatArray]:
    """Measure one cell: the loss after every epoch."""
    run = simulate(
        forecasts(cell["m"], cell["n"], cell["hidden"], cell["seed"]),
        cell["ordering"],
        epochs=cell["epochs"],
        step_size=cell["alpha"],
        momentum=cell["momentum"],
        seed=cell["seed"],
        record=Record(grad_norm=False),
        threads=1,
        throw=True,
    )
    assert run.loss is not None
    return {"loss": run.loss[0]}


def run(options: Options) -> Result:
    """Train with the step size that is best for rr, and compare.

    Returns
    -------
    Result
        Claims about the loss; data ``alpha`` (K,) and ``loss <ordering>`` (K, seeds, T + 1).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed, "orderings": list(ORDERINGS)}
    axes = {"ordering": ORDERINGS, "alpha": config["alpha"], "seed": subseeds(options.seed, config["seeds"])}
    shared = {key: config[key] for key in ("m", "n", "hidden", "momentum", "epochs")}
    found = [cell["loss"] for cell in run_cells(train, grid(axes, shared), options)]
    table = np.reshape(found, (*(len(axis) for axis in axes.values()), -1))
    loss = dict(zip(ORDERINGS, table, strict=True))
    best = int(loss["rr"][..., -TAIL:].mean(axis=(1, 2)).argmin())
    rr, cd_grab = loss["rr"][best], loss["cd-grab"][best]
    where = f"m = {config['m']}, alpha = {config['alpha'][best]:g}"
    tails = [curve[:, -TAIL:].mean(axis=1) for curve in (cd_grab, rr)]
    shares = cd_grab.mean(axis=0) / rr.mean(axis=0)
    rows = [
        smaller("cd-grab", f"SMAPE / rr, {where}, last {TAIL} epochs", *tails),
        claim("cd-grab", f"SMAPE / rr, {where}, worst of the last {TAIL} epochs", shares[-TAIL:], below=1.0),
        claim("rr", f"SMAPE, {where}, last over first epoch", rr[:, -1].mean() / rr[:, 0].mean(), below=0.5),
    ]
    data = {"alpha": np.array(config["alpha"])} | {f"loss {name}": curves for name, curves in loss.items()}
    return Result("reproduce series", config | {"best": best}, rows, data, NOTES)


NOTES = (
    "published: M4 weekly series, n = 3,355 windows for each of m = 32 workers, d = 5,569, alpha = 0.001 of",
    "0.01, 0.001, 0.0001, chosen for rr, momentum 0.9, about 50 epochs; arXiv 2302.00845, Figure 3c",
    "here: generated series with a yearly wave, trend and lasting shocks, n = 32; the same network, windows,",
    "loss and updates. An epoch has 32 updates for 3,355, so that larger steps are in the grid",
)
