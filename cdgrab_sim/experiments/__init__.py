"""Experiments: one folder per question, `EXPERIMENTS` the one place where a question is registered.

A name of two words is a sub-command of the first. The folder, ``name`` or ``first_second``, has

    __init__.py   ``run(options, **arguments) -> Result``, and ``add_arguments(parser)`` where it takes any
    figure.py     ``PANELS``: functions ``panel(result, ax)``, or a mapping of parts to such functions

and what is measured in files beside them. Measured and predicted numbers meet here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cdgrab_sim._records import Ordering, Problem
    from cdgrab_sim.experiments._experiment import Result
    from cdgrab_sim.plots import Figure

__all__ = ["EXPERIMENTS", "FAILED", "GOOD", "figure", "has_figure", "load", "run"]

# name of the command -> the question, in one line. The modules are imported when they are run.
EXPERIMENTS: dict[str, str] = {
    "check": "Does every statement of the theory hold?",
    "tightness": "How near does the worst known instance come to each bound?",
    "speedup": "How does the error fall with the number of workers?",
    "discrepancy": "How far do signed sums wander, with each sign rule?",
    "rates": "Do errors, times and floors have the exponents that theory predicts?",
    "centralized": "How many sequential steps does CD-GraB on m workers save over GraB on one?",
    "regimes": "Where does linear speedup hold, and what ends it?",
    "herding": "How does the herding error grow with workers and with examples?",
    "spectrum": "Which frequencies do orders fill, and does their spectrum tell the floors?",
    "async stability": "Which step sizes are stable under delay, and how much noise does delay add?",
    "async bias": "Which examples does an asynchronous method really train on?",
    "async compare": "What does each asynchronous method converge to in equal time?",
    "async robustness": "How wide is the range of step sizes that serve each method well?",
    "async claims": "What is claimed of ordered momentum: does it hold for reconstructions of it?",
    "local": "Does order survive when workers communicate once in a while?",
    "thinning": "How close do thinned points come to all points, and orders from sketches to orders?",
    "loaders": "What do the orders of data loaders do to sorted data?",
    "cost": "What does an ordering cost in memory, traffic, arithmetic and time?",
    "compress": "Does order survive when gradients are compressed?",
    "gossip": "Does order survive when workers talk to their neighbours only?",
    "variance": "What do tables, anchors, weights and batches do to noise, and what do orders add?",
    "limits": "How close do orderings come to what is proved impossible to beat?",
    "reproduce herding": "Does the published figure of random vectors come out, digit for digit?",
    "reproduce workers": "Does the gain of coordinated orders keep up with the number of workers?",
    "reproduce logistic": "What do better orders gain in logistic regression with momentum?",
    "reproduce step-size": "Does the gain of coordinated orders grow with the step size?",
    "reproduce series": "What do better orders gain in forecasts by an autoregressive network?",
    "reproduce memory": "How many arrays of the size of the model does each balancing hold?",
    "score": "What does an ordering gain and cost, beside the known ones?",
    "leaderboard": "Which registered ordering is ahead, in each measure of the scorecard?",
    "all": "Which experiments agree with their predictions?",
}

# Experiments that `all` leaves out: itself, and what ranks orderings.
APART = ("all", "score", "leaderboard")

# Verdicts of a row that bears out what it says; "refuted": a claim in print that is false, and was found so.
GOOD = ("agrees", "holds", "refuted")
# Verdicts of a row that contradicts its prediction.
CONTRADICTED = ("disagrees", "fails")
# Verdicts that are no pass: "inconclusive" does not support its prediction either.
FAILED = (*CONTRADICTED, "inconclusive")


def __dir__() -> list[str]:
    return __all__


def load(name: str) -> Any:
    """Return the module of an experiment.

    Examples
    --------
    >>> load("speedup").run.__name__
    'run'
    """
    return import_module(_address(name))


def has_figure(name: str) -> bool:
    """Tell whether an experiment draws anything.

    Examples
    --------
    >>> has_figure("speedup"), has_figure("all")
    (True, False)
    """
    return find_spec(f"{_address(name)}.figure") is not None


def run(
    name: str,
    *,
    orderings: Sequence[Ordering | str] | None = None,
    problem: Callable[..., Problem] | str | None = None,
    seed: int = 0,
    quick: bool = False,
    jobs: int = 1,
    progress: bool = False,
    **arguments: Any,
) -> Result:
    """Run an experiment from Python, with orderings and problems of your own among the registered ones.

    Parameters
    ----------
    name : str
        From `EXPERIMENTS`.
    orderings : sequence of Ordering or str, optional
        What is compared, where the experiment compares orderings: `cdgrab speedup`, `herding`, `rates`,
        `centralized`, `cost`. Their own selection by default.
    problem : callable or str, optional
        A function of ``m``, ``n`` and ``seed`` that returns a Problem with x_star, f_star and a constant
        ``"L"``, or the name of a registered family, for `cdgrab speedup` and `rates`. Exponents are then
        measured, and nothing is predicted.
    seed : int
    quick : bool
        Smaller sizes, for a look in seconds.
    jobs : int
        Processes; records of your own travel along.
    progress : bool
    **arguments
        Those of the command, such as ``data=Path("table.csv"), target="y"``.

    Returns
    -------
    Result
        ``result.table()`` is what the command prints, ``result.rows`` and ``result.data`` the numbers;
        `figure` draws it.

    Raises
    ------
    ValueError, TypeError
        For what the experiment does not take, before any work.

    Examples
    --------
    >>> from dataclasses import replace
    >>> import cdgrab_sim as cg
    >>> mine = replace(cg.orderings.cd_grab(), name="mine")
    >>> result = cg.experiments.run("speedup", orderings=["rr", mine])  # doctest: +SKIP
    >>> cg.experiments.run("limits", orderings=["rr", mine])
    Traceback (most recent call last):
    ValueError: orderings: expected none for 'limits', which compares what it must; leave it out
    """
    from cdgrab_sim.experiments._own import run_own  # needs numpy, which --help does without

    options = {"seed": seed, "quick": quick, "jobs": jobs, "progress": progress}
    return run_own(name, orderings, problem, options, arguments)


def figure(result: Result) -> Figure:
    """Return the figure of an experiment's result, in the shipped style.

    Parameters
    ----------
    result : Result
        Of an experiment with a figure, see `has_figure`.
    """
    from cdgrab_sim import _checks, plots  # matplotlib is for those who draw
    from cdgrab_sim.experiments._experiment import Result

    _checks.instance("result", result, Result, "a Result of an experiment")
    panels = import_module(f"{_address(result.experiment)}.figure").PANELS
    if isinstance(panels, Mapping):
        panels = [panel for part in panels if part in result.config["parts"] for panel in panels[part]]
    return plots.together([partial(panel, result) for panel in panels])


def _address(name: str) -> str:
    from cdgrab_sim import _checks  # needs numpy, which --help does without

    _checks.choice("experiment", name, EXPERIMENTS)
    return f"{__name__}.{name.replace('-', '_').replace(' ', '_')}"
