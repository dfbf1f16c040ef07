"""sweep: simulate every configuration of a grid, on any engine, into one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering, Problem, Record, Update
from cdgrab_sim._sweep._config import Config, changes, plain
from cdgrab_sim._sweep._engines import Engine
from cdgrab_sim._sweep._execute import Plan, run_plan
from cdgrab_sim._sweep._grid import configurations, read_toml
from cdgrab_sim._sweep._open import in_memory, writing
from cdgrab_sim._sweep._results import Sweep
from cdgrab_sim._sweep._simulation import Simulation

Configs: TypeAlias = str | PathLike[str] | Sequence[Mapping[str, Any]]


def sweep(
    configs: Configs | None = None,
    *,
    fixed: Mapping[str, Any] | None = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    zip: Mapping[str, Sequence[Any]] | None = None,
    store: str | PathLike[str] | None = None,
    problems: Mapping[str, Problem | Callable[..., Problem]] | None = None,
    orderings: Mapping[str, Ordering | Callable[..., Ordering]] | None = None,
    updates: Mapping[str, Update | Callable[..., Update]] | None = None,
    record: Record | None = None,
    jobs: int | None = 1,
    executor: Engine = None,
    progress: bool = False,
) -> Sweep:
    """Simulate every configuration of a grid once, and keep every run as soon as it is done.

    A configuration is plain JSON. Its fields are ``problem``, ``ordering`` and, if wanted, ``update``
    (names), the arguments of their factories (``m``, ``n``, ``d``, ``kappa``, ...), and ``epochs``,
    ``step_size``, ``seed``, ``x0``, ``momentum``, ``weight_decay``, ``batch``, ``record`` (a table, for
    example ``{"every": 10}``) of `simulate`. One run is one chain; for repetitions vary ``seed``, which
    redraws data and first orders.

    Parameters
    ----------
    configs : list of mappings, or path of a TOML file, optional
        The configurations, or the three tables below in a file.
    fixed : mapping of field to value, optional
    grid : mapping of field to list, optional
        Lists that are multiplied.
    zip : mapping of field to list, optional
        Lists of one length that run side by side.
    store : path, optional
        SQLite file; without it the runs stay in memory. The same call continues where an interrupted one
        stopped, and a larger grid adds runs.
    problems, orderings, updates : mapping of name to record or factory, optional
        Your own, known by these names besides the registered ones. They may be defined in a notebook. The
        store knows their name only: choose another name, or file, when you change them.
    record : Record, optional
        What every run writes down, for configurations that do not say so themselves.
    jobs : int, optional
        Worker processes; 1 runs in this process, None means one per core. Ignored with an `executor`.
    executor : Executor, function that returns one, or str, optional
        Any ``concurrent.futures.Executor``, for example dask's ``Client(...).get_executor()``, or the address
        ``"tcp://HOST:PORT"`` of a dask scheduler. Results do not depend on the engine.
    progress : bool
        Show rate and time left on stderr.

    Returns
    -------
    Sweep
        Everything that the store holds. A run that diverges is a result; see `Sweep.messages` for failures.

    Raises
    ------
    ValueError, TypeError
        For wrong configurations, before any work starts; for a store that is damaged or not ours.
    OSError
        For a store that another process writes to, or a full disk.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> study = cg.sweep(
    ...     fixed={"problem": "skewed", "n": 16, "epochs": 20, "step_size": 0.01, "x0": [1.0, 1.0, 1.0]},
    ...     grid={"ordering": ["rr", "cd-grab"], "m": [1, 4], "seed": [0, 1, 2]},
    ... )
    >>> study
    <Sweep of 12 runs: 12 completed>
    >>> study.curves("loss", ordering="rr", m=4).shape
    (3, 21)
    """
    progress = _checks.flag("progress", progress)
    task = Simulation(
        *(_named(*one) for one in (("problems", problems), ("orderings", orderings), ("updates", updates)))
    )
    if record is not None:
        _checks.instance("record", record, Record, "a Record, such as cg.Record(every=10)")
    shared = {} if record is None else plain({"record": record})
    plan = plan_of(task, [shared | config for config in configs_of(configs, fixed, grid, zip)])
    options: dict[str, Any] = {"jobs": jobs, "executor": executor, "progress": progress, "label": "runs"}
    if store is None:
        opened = in_memory()
        run_plan(plan, opened, **options)
        return Sweep(opened)
    with writing(store) as opened:
        run_plan(plan, opened, **options)
    return Sweep(store)


def _named(name: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    return {} if given is None else _checks.mapping(name, given)


def configs_of(
    configs: Configs | None,
    fixed: Mapping[str, Any] | None,
    grid: Mapping[str, Sequence[Any]] | None,
    zip: Mapping[str, Sequence[Any]] | None,
) -> list[Config]:
    """Return the configurations from whichever form they were given in."""
    if configs is None:
        return configurations(fixed, grid, zip)
    tables = [_named(*one) for one in (("fixed", fixed), ("grid", grid), ("zip", zip))]
    if any(tables):
        raise ValueError("expected configs, or fixed, grid and zip; got both")
    if isinstance(configs, str | PathLike):
        return read_toml(configs)
    if isinstance(configs, Mapping):
        raise TypeError("configs: expected a list of configurations; got one; pass [config], or fixed=config")
    if hasattr(configs, "__array__"):
        kind = type(configs).__name__
        raise TypeError(f"configs: expected a list of configurations; got {kind}; pass a list of mappings")
    return [plain(config) for config in _checks.listed("configs", configs)]


def plan_of(task: Simulation, configs: Sequence[Config]) -> Plan:
    """Check every configuration; step sizes are shown as floats, records as what they change."""
    settled = [plain(config) for config in configs]
    for config in settled:
        task.check(config)
        if isinstance(config["step_size"], int):
            config["step_size"] = float(config["step_size"])
        if "record" in config:
            config["record"] = changes(task.record(config))
            if not config["record"]:
                del config["record"]
    return Plan.of(task, settled, name="simulate")
