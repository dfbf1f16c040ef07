"""``cdgrab run``: one ordering on one problem, printed epoch by epoch."""

from __future__ import annotations

import argparse
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim import _checks, orderings, participation, problems, updates
from cdgrab_sim._files import writable_file
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._run import Run
from cdgrab_sim._types import FloatArray
from cdgrab_sim.participation import Participation
from cdgrab_sim.synchronous._simulate import simulate

_LINES = 11  # of the table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `simulate` that have a word on the command line."""
    add = parser.add_argument
    add("--problem", default="skewed", help=f"one of {', '.join(problems.PROBLEMS)} (default: skewed)")
    add("--ordering", default="cd-grab", help=f"one of {', '.join(orderings.ORDERINGS)} (default: cd-grab)")
    for letter, meaning in (("m", "workers"), ("n", "examples per worker"), ("d", "dimension")):
        add(f"-{letter}", type=int, help=f"{meaning} (default: the problem's)")
    add("--epochs", type=int, default=100, help="epochs T (default: 100)")
    add("--step-size", type=float, help="alpha (default: 0.05 / (n L) where L is known)")
    add("--update", help=f"one of {', '.join(updates.UPDATES)}, with its defaults (default: sgd)")
    add("--momentum", type=float, default=0.0, help="of plain heavy ball (default: 0)")
    add("--weight-decay", type=float, default=0.0)
    add("--batch", type=int, default=1, help="examples per worker and step (default: 1)")
    add("--cohort", type=int, metavar="C", help="workers that take part in a round (default: all)")
    add("--clients", help="how cohorts are chosen: uniform (default), or an ordering, such as rr or ig")
    add("--seed", type=int, default=0, help="the only source of randomness (default: 0)")
    add("--save", metavar="FILE.npz", help="keep the whole run")
    add("--json", action="store_true", help="print one JSON object instead of the table")


def run(args: argparse.Namespace) -> str:
    """Run and return what is printed."""
    seed = _checks.integer("--seed", args.seed, low=0)
    if args.save:
        writable_file(Path(args.save))
    family = problems.PROBLEMS.factory(args.problem)
    sizes = {letter: getattr(args, letter) for letter in ("m", "n", "d") if getattr(args, letter) is not None}
    for letter in set(sizes) - set(inspect.signature(family).parameters):
        got = f"got {sizes[letter]}; leave it out"
        raise ValueError(f"-{letter}: expected none for {args.problem}, which derives it; {got}")
    problem = family(seed=seed, **sizes)
    step_size = args.step_size
    if step_size is None:
        if "L" not in problem.constants:
            raise ValueError(f"--step-size: expected a number, as {args.problem} has no known L; got none")
        step_size = 0.05 / (problem.n * problem.constants["L"])
    who = _cohorts(args.cohort, args.clients)
    norms = ("inf", "l2") if who is None else ()  # errors of whole epochs
    done = simulate(
        problem,
        args.ordering,
        epochs=args.epochs,
        step_size=step_size,
        seed=seed,
        x0=_start(problem),
        update=args.update,
        momentum=args.momentum,
        weight_decay=args.weight_decay,
        batch=args.batch,
        participation=who,
        record=Record(every=max(1, args.epochs // (_LINES - 1)), herding=norms),
    )
    if args.save:
        done.save(args.save)
    return json.dumps(_columns(done) | {"meta": dict(done.meta)}) if args.json else _table(done)


def _cohorts(cohort: int | None, clients: str | None) -> Participation | None:
    """Return who takes part, or None for everybody."""
    if cohort is None:
        if clients is not None:
            raise ValueError(f"--clients: expected --cohort beside it; got {clients} alone")
        return None
    if clients in (None, "uniform"):
        return participation.uniform(cohort=cohort)
    known = ["uniform", *orderings.ORDERINGS]
    return participation.ordered(cohort=cohort, ordering=_checks.choice("--clients", clients, known))


def _start(problem: Problem) -> FloatArray | None:
    """Return the origin, or ones where the origin is the minimiser and nothing would be seen."""
    if problem.x_star is None or problem.x_star.any():
        return None
    return np.ones(problem.d)


def _columns(run: Run) -> dict[str, Any]:
    """Return the measurements of replicate 0, as lists of equal length; the last epoch has no order."""
    measured = {"loss": run.loss, "grad_norm": run.grad_norm, "distance": run.distance}
    columns = {name: a[0] for name, a in measured.items() if a is not None}
    for norm, errors in run.herding.items():
        columns[f"herding_{norm}"] = np.append(errors[0], np.nan)
    lists = {name: [x if np.isfinite(x) else None for x in a.tolist()] for name, a in columns.items()}
    return {"epoch": run.epochs.tolist()} | lists


def _table(run: Run) -> str:
    columns = _columns(run)
    lines = ["  ".join(name.rjust(12) for name in columns)]
    for row in zip(*columns.values(), strict=True):
        cells = ["" if x is None else str(x) if isinstance(x, int) else f"{x:.5e}" for x in row]
        lines.append("  ".join(cell.rjust(12) for cell in cells).rstrip())
    start = f" from x = {run.meta['x0'][0][0]:g}, ..." if any(run.meta["x0"][0]) else ""
    what = f"{run.meta['ordering']} on {run.meta['problem']['name']}{start}: {run.messages()[0]}"
    return "\n".join([*lines, what])
