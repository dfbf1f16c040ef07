"""The published ablation of the number of workers, on digits in place of CIFAR-10."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import paired_test, verdict
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._readings import Reading, claim, ratio, same, smaller
from cdgrab_sim.experiments._training import train_all

ORDERINGS = ("rr", "d-grab", "d-grab-pair", "cd-grab")
SIZES: dict[str, Any] = {
    "N": 1792,  # examples of all workers together, as published: n = N / m
    "together": 64,  # examples per update, as published: each worker averages 64 / m of them
    "m": [4, 8, 16, 32, 64],
    "alpha": [0.1, 0.3, 1.0],
    "epochs": 100,
    "redrawn": 0.2,
    "anew": False,
    "hidden": 8,
    "seeds": 6,
}
QUICK = SIZES | {"m": [4, 64], "alpha": [0.3], "epochs": 40, "seeds": 3}
SHOWN = 0.3  # the step size whose sweep over m stands beside the published one
BURN_IN = 5  # epochs: at first all orders are random
TAIL = 20  # last epochs whose mean is compared seed by seed: with a large step single epochs fluctuate
OTHERS = ("rr", "d-grab-pair")  # what cd-grab is claimed to be below

# arXiv 2302.00845, LeNet on CIFAR-10, read from its figures: loss after 100 epochs, to 0.003, and the herding
# error of the last epoch, to 2, by ordering, for m = 4, 8, 16, 32, 64.
LOSS = {
    "rr": (0.686, 0.685, 0.698, 0.689, 0.703),
    "d-grab": (0.658, 0.662, 0.676, 0.672, 0.696),
    "d-grab-pair": (0.662, 0.668, 0.668, 0.678, 0.685),
    "cd-grab": (0.648, 0.648, 0.654, 0.645, 0.650),
}
HERDING = {
    "rr": (110, 111, 112, 122, 119),
    "d-grab": (99, 107, 119, 119, 117),
    "d-grab-pair": (103, 96, 101, 116, 113),
    "cd-grab": (98, 89, 92, 94, 95),
}
LOSS_ERROR, HERDING_ERROR = 0.003, 2.0


def run(options: Options) -> Result:
    """Train with 4 to 64 workers on the same examples and updates of the same size.

    Returns
    -------
    Result
        Claims of the published ablation, and ratios beside its readings; data ``m``, ``epochs``,
        ``loss <alpha> <ordering>`` (seeds, T + 1) at the largest m, ``clean <ordering>`` likewise where no
        label is redrawn, and ``herding <ordering>``, ``last <ordering>`` (seeds, K): herding error of the
        last epoch and loss after it, against m.
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed, "orderings": list(ORDERINGS)}
    most, alphas = config["m"][-1], config["alpha"]
    groups = [
        *(_settings(config, most, alpha) for alpha in alphas),
        _settings(config | {"redrawn": 0.0}, most, SHOWN),
        _settings(config | {"anew": True}, most, alphas[-1]),
        *(_settings(config, m, SHOWN, ends=True) for m in config["m"]),
    ]
    axes = {"ordering": ORDERINGS, "seed": subseeds(options.seed, config["seeds"])}
    found = train_all(axes, groups, options)
    loss = {alpha: curves["loss"] for alpha, curves in zip(alphas, found, strict=False)}
    clean, anew = (curves["loss"] for curves in found[len(alphas) : len(alphas) + 2])
    sweep = found[len(alphas) + 2 :]
    herding = np.stack([one["herding"][..., -1] for one in sweep], axis=-1)
    last = np.stack([one["loss"][..., -1] for one in sweep], axis=-1)
    rows = [
        *_below(loss, most),
        *(row for alpha, curves in loss.items() for row in _tails(curves, f"m = {most}, alpha = {alpha:g}")),
        *_tails(anew, f"m = {most}, alpha = {alphas[-1]:g}, labels of its own each seed"),
        *(_smoothness(curves, f"m = {most}, alpha = {alpha:g}") for alpha, curves in loss.items()),
        *_early(loss[SHOWN], f"m = {most}, alpha = {SHOWN:g}"),
        *_growth(herding, config["m"]),
        *(row for k, m in enumerate(config["m"]) for row in _beside(last[..., k], m)),
        *_clean(clean[..., -1], loss[SHOWN][..., -1], most),
    ]
    data = {"m": np.array(config["m"])}
    for o, name in enumerate(ORDERINGS):
        data |= {f"loss {alpha:g} {name}": curves[o] for alpha, curves in loss.items()}
        data |= {
            f"clean {name}": clean[o],
            f"anew {name}": anew[o],
            f"herding {name}": herding[o],
            f"last {name}": last[o],
        }
    return Result("reproduce workers", config, rows, data, [*_ends(loss), *NOTES])


NOTES = (
    "published: LeNet (d = 62006) on CIFAR-10 (N = 49920), momentum 0.9, weight decay 0.01; arXiv 2302.00845",
    "here: network 64-8-10 (d = 610) on 1792 handwritten digits, plain SGD; 20 % of the labels redrawn, so",
    "that they cannot be fitted. 'other data': the reading stands beside; the claims must carry over",
    "herding error: once per step at the start of the epoch; published: after every worker, along the epoch",
)


def _settings(config: dict[str, Any], m: int, alpha: float, *, ends: bool = False) -> dict[str, Any]:
    """Return what cells share; with `ends` they record the last order, and the iterate that it leads to."""
    problem = {"m": m, **{key: config[key] for key in ("redrawn", "hidden", "anew")}}
    record = {"every": config["epochs"] - 1 if ends else 1, "herding": ends}
    sizes = {"epochs": config["epochs"], "batch": config["together"] // m, **record}
    return {"table": "digits", "problem": problem, "alpha": alpha, "momentum": 0.0} | sizes


def _below(loss: dict[float, FloatArray], m: int) -> list[Row]:
    rows = []
    for alpha, curves in loss.items():
        means = dict(zip(ORDERINGS, curves.mean(axis=1)[:, BURN_IN + 1 :], strict=True))
        for other in OTHERS:
            what = f"loss / {other}, m = {m}, alpha = {alpha:g}, worst epoch after {BURN_IN}"
            rows.append(claim("cd-grab", what, means["cd-grab"] / means[other], below=1.0))
    return rows


def _tails(curves: FloatArray, where: str) -> list[Row]:
    """Compare the means over the last epochs, seed by seed."""
    tails = dict(zip(ORDERINGS, curves[..., -TAIL:].mean(axis=-1), strict=True))
    what = f"{where}, last {TAIL} epochs"
    return [smaller("cd-grab", f"loss / {other}, {what}", tails["cd-grab"], tails[other]) for other in OTHERS]


def _smoothness(curves: FloatArray, where: str) -> Row:
    """Compare how much the loss varies over the last epochs, around a line through them."""
    late = dict(zip(ORDERINGS, curves[..., -TAIL:], strict=True))
    variances = {name: _around_a_line(late[name]) for name in ("cd-grab", "rr")}
    what = f"variance of the loss / rr, {where}, last {TAIL} epochs around a line"
    return smaller("cd-grab", what, variances["cd-grab"], variances["rr"])


def _around_a_line(curves: FloatArray) -> FloatArray:
    """Return the mean squares (seeds,) that a straight line leaves of curves (seeds, epochs)."""
    line, _ = np.linalg.qr(np.vander(np.arange(curves.shape[-1], dtype=np.float64), 2))
    left: FloatArray = curves - (curves @ line) @ line.T
    return np.asarray(np.mean(left**2, axis=-1))


def _early(curves: FloatArray, where: str) -> list[Row]:
    """Few epochs gain nothing: an order is as good as what the epochs before it have seen."""
    means = dict(zip(ORDERINGS, curves.mean(axis=1), strict=True))
    gain = 1.0 - means["cd-grab"] / means["rr"]
    what = f"loss gained on rr, {where}"
    return [
        same("cd-grab", f"{what}, first epoch", float(gain[1]), Reading(0.0, 1e-12)),
        claim("cd-grab", f"{what}, 2 epochs over the last {TAIL}", gain[2] / gain[-TAIL:].mean(), below=0.5),
    ]


def _ends(loss: dict[float, FloatArray]) -> list[str]:
    notes = []
    for alpha, curves in loss.items():
        last = dict(zip(ORDERINGS, curves[..., -1], strict=True))
        tail = dict(zip(ORDERINGS, curves[..., -TAIL:].mean(axis=-1), strict=True))
        change = 100.0 * (last["cd-grab"].mean() / last["rr"].mean() - 1.0)
        wins, of_means = (int((one["cd-grab"] < one["rr"]).sum()) for one in (last, tail))
        p = paired_test(tail["cd-grab"], tail["rr"])
        notes.append(
            f"alpha = {alpha:g}: last loss {change:+.1f} % from rr, lower in {wins} of {last['rr'].size} "
            f"seeds, mean of the last {TAIL} in {of_means} (exact paired test, p = {p:.3g})"
        )
    return notes


def _growth(herding: FloatArray, workers: list[int]) -> list[Row]:
    what = f"last herding error, m = {workers[-1]} over m = {workers[0]}, alpha = {SHOWN:g}"
    growth = dict(zip(ORDERINGS, herding[..., -1].mean(axis=1) / herding[..., 0].mean(axis=1), strict=True))
    rows = [claim(name, what, growth[name], above=1.1) for name in ("d-grab", "d-grab-pair")]
    return [*rows, claim("cd-grab", what, growth["cd-grab"], below=1.1)]


def _beside(last: FloatArray, m: int) -> list[Row]:
    base, place = last[0], SIZES["m"].index(m)
    what, rows = f"loss / rr, m = {m}, alpha = {SHOWN:g}, last epoch", []
    for name, values in zip(ORDERINGS[1:], last[1:], strict=True):
        read = LOSS[name][place] / LOSS["rr"][place]
        error = LOSS_ERROR * (1.0 + read) / LOSS["rr"][place]
        rows.append(ratio(name, what, values, base, Reading(round(read, 3), round(error, 3))))
    return rows


def _clean(clean: FloatArray, redrawn: FloatArray, m: int) -> list[Row]:
    """Compare the gains in loss over rr: where all labels can be fitted, little is left to gain."""
    gains = {"no": clean[0] - clean[-1], "a fifth": redrawn[0] - redrawn[-1]}
    what = f"loss of rr less loss, m = {m}, alpha = {SHOWN:g}, last epoch"
    return [
        Row.judged("cd-grab", f"{what}, no label redrawn", verdict(gains["no"], None, None)),
        Row.judged("cd-grab", f"{what}, a fifth redrawn", verdict(gains["a fifth"], None, None)),
        claim(
            "cd-grab", "the first over the second", gains["no"].mean() / gains["a fifth"].mean(), below=0.25
        ),
    ]
