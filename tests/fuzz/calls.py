"""For every public function a small call that works, found from its signature.

What a function returns says how it is tried: an ordering is run with, a kernel halves points. What its
arguments may be stands in `values`: by name, and for single functions where a name means something else.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

import cdgrab_sim as cg
from cdgrab_sim import (
    compressors,
    experiments,
    graphs,
    orderings,
    plots,
    problems,
    testing,
    thinning,
    updates,
)
from cdgrab_sim.asynchronous import job_times, methods
from tests.fuzz import values as v


@dataclass(frozen=True)
class Call:
    """A function, arguments that it takes, and errors beside ValueError and TypeError that it promises."""

    function: Callable[..., Any]
    valid: dict[str, Any]
    promises: tuple[type[Exception], ...] = ()


def call(function, /, *promises, **valid):
    return Call(function, valid, promises)


# how a record is looked at, which may be in use only
def in_simulate(**given):
    return cg.simulate(**{"problem": v.problem(), "ordering": "rr", "epochs": 2} | v.STEP | given)


def in_simulate_async(**given):
    return cg.simulate_async(
        **{"problem": v.alone(), "method": "vanilla", "workers": 2, "updates": 4} | v.STEP | given
    )


USES = {
    "AsyncRecord": lambda made: in_simulate_async(record=made),
    "Compressor": lambda made: in_simulate(update=updates.compressed(compressor=made)),
    "Graph": lambda made: made.gap,
    "Iterates": lambda made: made,
    "JobTimes": lambda made: in_simulate_async(job_times=made),
    "Kernel": lambda made: thinning.halve(v.X, made),
    "Method": lambda made: in_simulate_async(method=made),
    "Ordering": lambda made: in_simulate(ordering=made),
    "Participation": lambda made: in_simulate(participation=made),
    "Problem": lambda made: in_simulate(problem=made),
    "Record": lambda made: in_simulate(record=made, ordering="cd-grab"),
    "Region": lambda made: in_simulate_async(projection=made),
    "SignRule": lambda made: in_simulate(ordering=orderings.cd_grab(rule=made)),
    "Update": lambda made: in_simulate(update=made),
}
# Records of what came out, and what belongs to others.
RESULTS = {"AsyncRun", "AsyncStatus", "Audit", "Axes", "Balance", "Coreset", "Figure", "Finding", "Flow"}
RESULTS |= {"Halves", "MethodState", "RateFit", "Region", "Replay", "Run", "Seen", "Settled", "Spectrum"}
RESULTS |= {"Status", "Sweep", "Tuned", "Verdict"}
# Of these the methods are tried.
OBJECTS = {
    "analysis.RateFit": v.fit,
    "analysis.Spectrum": v.spectrum,
    "asynchronous.AsyncRun": v.asynchronous_run,
    "compressors.Compressor": compressors.rand_k,
    "graphs.Graph": lambda: graphs.ring(m=3),
    "Problem": v.problem,
    "Run": v.run,
    "Sweep": v.study,
}


def functions():
    """Return every public function and record under its name, once, and the functions of records."""
    named = {name: getattr(cg, name) for name in cg._HOMES}
    modules = {name: value for name, value in named.items() if isinstance(value, ModuleType)}
    for name, module in (modules | {"job_times": job_times, "methods": methods}).items():
        parts = getattr(module, "__all__", [part for part in vars(module) if not part.startswith("_")])
        named |= {f"{name}.{part}": getattr(module, part) for part in parts}
    for name, made in OBJECTS.items():
        inside = [part for part, value in vars(named[name]).items() if inspect.isfunction(value)]
        named |= {f"{name}.{part}": getattr(made(), part) for part in inside if not part.startswith("_")}
    once: dict[int, str] = {}
    for name, value in named.items():
        once.setdefault(value if inspect.ismethod(value) else id(value), name)
    return {name: named[name] for name in once.values() if _asked(named[name])}


def _asked(value):
    ours = getattr(value, "__module__", "").startswith("cdgrab_sim")
    return inspect.isroutine(value) or ((inspect.isclass(value) and value.__name__ not in RESULTS) and ours)


def parameters(function):
    kinds = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return {key: one for key, one in inspect.signature(function).parameters.items() if one.kind not in kinds}


def found(name, function):
    """Return the call of a function: what its arguments are, and what is done with what it makes."""
    known = v.ARGUMENTS | v.OTHERWISE.get(name, {})
    valid = {key: known.get(key, one.default) for key, one in parameters(function).items()}
    made = function.__name__ if inspect.isclass(function) else inspect.signature(function).return_annotation
    promises = [OSError] if {"path", "folder", "store", "jobs"} & valid.keys() else []
    promises += [AssertionError] if name.startswith("testing.") else []
    promises += PROMISES.get(name, [])
    return Call(used(function, USES[made]) if made in USES else function, valid, tuple(promises))


def unknown(one):
    """Return the arguments of a call of which nobody says what they may be."""
    return [key for key, value in one.valid.items() if value is inspect.Parameter.empty]


def used(function, use):
    """Make a record and use it at once."""
    return lambda **given: use(function(**given))


PROMISES = {"simulate": [FloatingPointError], "sweep": [OSError], "Sweep.to_csv": [OSError]}


def styled():
    with plots.style():
        return


def grab(**given):
    return in_simulate(ordering=orderings.grab(**given), problem=problems.skewed(m=1, n=4, d=2))


# What is more than one call of one function, and second calls of some.
MORE = {
    "Sweep.curves": call(lambda name, **fields: v.study().curves(name, **fields), name="loss", m=2, kappa=20.0),
    "experiments.run": call(lambda **given: experiments.run(quick=True, **given), name="herding", orderings=["rr"], seed=0),
    "global_orders of a problem": call(cg.global_orders, pi=v.PI, problem=v.problem()),
    "online": call(cg.online, ordering="cd-grab", n=4, d=2, m=2, seed=1, batch=2, sketch=1, by="count"),
    "online, observe": call(lambda worker, gradient, step: cg.online("cd-grab", n=4, d=2, m=2).observe(worker, gradient, step=step),
                            worker=1, gradient=np.ones((2, 2)), step=1),
    "online, all": call(lambda gradient: cg.online("cd-grab", n=4, d=2, m=2).observe(gradient), gradient=np.ones((2, 2))),
    "online, load": call(lambda state: cg.online("cd-grab", n=4, d=2).load_state_dict(state), state=cg.online("cd-grab", n=4, d=2).state_dict()),
    "online, sampler": call(lambda worker, rows: list(cg.online("rr", n=4, d=2).sampler(worker, rows)), worker=0, rows=np.arange(4)),
    "online, skip": call(lambda worker, steps: cg.online("rr", n=4, d=2).skip(worker, steps), worker=0, steps=1),
    "orderings.grab": call(grab, exact=False, rule="greedy", first=v.PI[0]),
    "plots.style": call(styled),
    "problems.from_arrays, numbers": call(used(problems.from_arrays, USES["Problem"]), X=v.X, y=v.X[:, 1] + v.LABELS,
                                          loss="least-squares", m=2, partition="sorted", ridge=0.1),
    "problems.from_arrays, classes": call(used(problems.from_arrays, USES["Problem"]), X=v.X, y=v.LABELS, loss="mlp", m=2,
                                          hidden=2),
    "simulate, schedules": call(cg.simulate, problem="skewed", ordering="rr", epochs=2, step_size=np.array([0.01, 0.02]),
                                batch=np.array([1, 2]), update="adam"),
    "sweep of a list": call(cg.sweep, OSError, configs=[v.CONFIG], problems={"mine": v.problem()},
                            orderings={"mine": orderings.rr()}, updates={"mine": updates.sgd()}, store=None, executor=None,
                            progress=False),
    "sweep of a value": call(lambda **given: cg.sweep([v.CONFIG | given]), kappa=2.0, x0=[0.5, 0.5], batch=2, seed=1, m=2,
                             momentum=0.5, record={"every": 1}, problem="skewed", ordering="rr"),
    "testing.signs": call(lambda shape: testing.signs(shape), shape=2),
}  # fmt: skip
FOUND = {name: found(name, function) for name, function in functions().items() if name not in MORE}
CALLS = {name: one for name, one in FOUND.items() if not unknown(one)} | MORE
