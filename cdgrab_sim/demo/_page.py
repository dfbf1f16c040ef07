"""The hand-out: one self-contained HTML file whose script draws numbers that were computed here."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from cdgrab_sim._version import __version__
from cdgrab_sim.demo._lesson import Lesson, Strand
from cdgrab_sim.demo._names import NAMES, title
from cdgrab_sim.plots import look


def page(shown: Lesson) -> str:
    """Return a lesson as HTML that needs nothing else: no network, no other file.

    Parameters
    ----------
    shown : Lesson

    Examples
    --------
    >>> from cdgrab_sim.demo import lesson
    >>> page(lesson(m=2, n=4, epochs=1)).startswith("<!doctype html>")
    True
    """
    m, n, _ = shown.z.shape
    parts = {
        "style": _source("page.css"),
        "script": _source("page.js"),
        "data": json.dumps(_data(shown), separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/"),
        "table": _table(shown),
        "start": escape(shown.sentence(len(shown.strands[0].errors) // 2)),
        "sizes": f"{m} worker{'s' * (m > 1)}, {n} examples each, seed {shown.seed}",
        "version": __version__,
    }
    text = _source("page.html")
    for name, part in parts.items():
        text = text.replace(f"{{{{{name}}}}}", part)
    return text


def _source(name: str) -> str:
    return files("cdgrab_sim.demo").joinpath(name).read_text(encoding="utf-8")


def _data(shown: Lesson) -> dict[str, Any]:
    m, n, _ = shown.z.shape
    epochs = len(shown.strands[0].errors)
    return {
        "m": m,
        "n": n,
        "epochs": epochs,
        "z": np.round(shown.z, 3).reshape(m * n, 2).tolist(),
        "hues": np.round(np.degrees(np.arctan2(shown.z[..., 1], shown.z[..., 0])) % 360).ravel().tolist(),
        "sentences": [shown.sentence(t) for t in range(epochs)],
        "opening": epochs // 2,
        "strands": [_strand(strand, m) for strand in shown.strands],
    }


def _strand(strand: Strand, m: int) -> dict[str, Any]:
    looks = look(strand.name)
    dashes = "" if looks["linestyle"] == "solid" else " ".join(map(str, looks["linestyle"][1]))
    epochs = len(strand.errors)
    return {
        "name": strand.name,
        "title": title(strand.name, m),
        "about": NAMES[strand.name][1],
        "color": looks["color"],
        "dashes": dashes,
        "errors": strand.errors.tolist(),
        "losses": [float(f"{loss:.4g}") for loss in strand.losses],
        "texts": [f"{error:.2f}" for error in strand.errors],
        "walks": np.round(strand.walks, 3).tolist(),
        "orders": strand.orders.reshape(epochs, -1).tolist(),
    }


def _table(shown: Lesson) -> str:
    names = [escape(title(strand.name, len(shown.z))) for strand in shown.strands]
    quantities = "herding error", "loss"
    head = "".join(f'<th scope="col">{name}, {what}</th>' for what in quantities for name in names)
    rows = []
    for t in range(len(shown.strands[0].errors)):
        cells = "".join(f"<td>{strand.errors[t]:.2f}</td>" for strand in shown.strands)
        cells += "".join(f"<td>{strand.losses[t]:.1e}</td>" for strand in shown.strands)
        rows.append(f'<tr><th scope="row">{t}</th>{cells}</tr>')
    return f'<thead><tr><th scope="col">epoch</th>{head}</tr></thead><tbody>{"".join(rows)}</tbody>'
