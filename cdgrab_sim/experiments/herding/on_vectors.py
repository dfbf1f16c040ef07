"""Herding errors of the user's own vectors, against workers and round by round."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim import _checks, herding
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import t_interval
from cdgrab_sim.experiments._cells import by_ordering, grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._exponents import raw_exponent_row
from cdgrab_sim.experiments._measures import plateau
from cdgrab_sim.experiments._readings import ratio
from cdgrab_sim.problems._linear_terms import example_sums

SIZES: dict[str, Any] = {"rounds": 15, "seeds": 6}


def read(path: Path) -> FloatArray:
    """Read vectors (m, n, d) or (n, d), and return them as (m, n, d), each worker's centred.

    Raises
    ------
    ValueError, TypeError
        For a file that holds no such array of finite numbers, in one line with its path.
    """
    wanted = f"{path}: expected vectors (m, n, d) or (n, d) in a file of numpy.save"
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError):
        raise ValueError(f"{wanted}; got another, or a damaged one; write numpy.save(FILE, array)") from None
    if not isinstance(found, np.ndarray):
        found.close()
        raise ValueError(f"{wanted}; got an archive; save one array of it")
    z = _checks.floats(str(path), found, (2, 3))
    z = z[None] if z.ndim == 2 else z
    if z.shape[1] < 2:
        raise ValueError(f"{wanted}, n >= 2; got shape {found.shape}; there is nothing to order")
    _checks.below(str(path), z)
    return np.asarray(z - (example_sums(z) / z.shape[1])[:, None])


@lru_cache(maxsize=1)
def _vectors(path: str, digest: str) -> FloatArray:
    return read(Path(path))


def errors(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure one cell: herding errors of the first m workers after every round, and their plateau."""
    z = np.ascontiguousarray(_vectors(cell["path"], cell["digest"])[: cell["m"]])
    found = herding.curve(z, cell["ordering"], cell["rounds"], seed=cell["seed"])
    return {"curve": found, "error": plateau(found, cell["ordering"])}


def run(options: Options, names: Sequence[str], path: Path) -> Result:
    """Order the vectors again and again, and compare the errors; nothing is predicted of them.

    Parameters
    ----------
    options : Options
        Seeds draw the first orders.
    names : sequence of str
    path : Path
        Of numpy.save.

    Returns
    -------
    Result
        Rows "herding error at m = ...", "herding error / rr at m = ...", and the exponent in m over the
        first 1, 2, 4, ... workers; data ``m`` (K,), ``m <ordering>`` (seeds, K) and ``rounds <ordering>``
        (seeds, rounds + 1).
    """
    z, digest = read(path), hashlib.sha256(path.read_bytes()).hexdigest()
    m, n, d = z.shape
    workers = [*(1 << k for k in range(m.bit_length()) if 1 << k < m), m]
    config = SIZES | {"seed": options.seed, "orderings": list(names), "vectors": path.name, "sha256": digest}
    seeds = subseeds(options.seed, config["seeds"])
    shared = {"path": str(path.resolve()), "digest": digest, "rounds": config["rounds"]}
    found = run_cells(errors, grid({"ordering": names, "seed": seeds, "m": workers}, shared), options)
    tables = by_ordering(found, "error", names, len(seeds))
    curves = np.reshape([cell["curve"] for cell in found], (len(names), len(seeds), len(workers), -1))
    data: dict[str, Any] = {"m": np.array(workers)} | {f"m {name}": table for name, table in tables.items()}
    data |= {f"rounds {name}": curve[:, -1] for name, curve in zip(names, curves, strict=True)}
    used = f"m = {m} workers with n = {n} vectors in d = {d} dimensions; each worker's are centred"
    return Result("herding", config | {"m": workers, "n": n, "d": d}, _rows(workers, tables), data, [used])


def _rows(workers: Sequence[int], tables: dict[str, FloatArray]) -> list[Row]:
    rows, last = [], f"at m = {workers[-1]}"
    for name, table in tables.items():
        low, high = t_interval(table[:, -1], positive=True)
        rows.append(Row(name, f"herding error {last}", float(table[:, -1].mean()), low, high))
    for name, table in tables.items():
        if "rr" in tables and name != "rr":
            rows.append(ratio(name, f"herding error / rr {last}", table[:, -1], tables["rr"][:, -1]))
    if len(workers) > 1:
        rows += [raw_exponent_row(name, "herding error", "m", workers, t) for name, t in tables.items()]
    return rows
