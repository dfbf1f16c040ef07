"""The task of a sweep: simulate one configuration."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from dataclasses import fields as fields_of
from typing import Any

import numpy as np

from cdgrab_sim import _checks, participation
from cdgrab_sim._records import Ordering, Problem, Record, Update
from cdgrab_sim._registry import Registry
from cdgrab_sim._run import Run
from cdgrab_sim._sweep._bundle import Values
from cdgrab_sim._sweep._config import Config
from cdgrab_sim.orderings import ORDERINGS
from cdgrab_sim.problems import PROBLEMS
from cdgrab_sim.synchronous._simulate import simulate
from cdgrab_sim.updates import UPDATES

_REQUIRED = ("problem", "ordering", "epochs", "step_size")
_OPTIONAL = ("seed", "x0", "update", "batch", "participation", "record")
_OF_UPDATES = ("momentum", "weight_decay")  # fields of a run without `update`; else arguments of the update

# curve -> names of its axes; a curve with the name of its axis holds the labels of that axis
AXES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("epoch", "loss", "grad_norm", "distance", "loss_average"), ("epoch",)),
    **dict.fromkeys(("order_epoch", "balance"), ("order_epoch",)),
    **{f"herding{live}_{norm}": ("order_epoch",) for live in ("", "_live") for norm in ("inf", "l2")},
    "trajectory": ("epoch", "coordinate"),
    "orders": ("order_epoch", "worker", "step"),
    "x": ("coordinate",),
}


@dataclass(frozen=True)
class Simulation:
    """Simulate a configuration; records and factories given here are known besides the registered ones."""

    problems: Mapping[str, Problem | Callable[..., Problem]] = field(default_factory=dict)
    orderings: Mapping[str, Ordering | Callable[..., Ordering]] = field(default_factory=dict)
    updates: Mapping[str, Update | Callable[..., Update]] = field(default_factory=dict)

    def check(self, config: Config) -> None:
        """Refuse missing and unknown fields, unknown names, and bad values of the fields of a run.

        Arguments of a problem, ordering or update are checked by name; their values by the factory, in the
        run.
        """
        for name in _REQUIRED:
            if name not in config:
                raise ValueError(f"{name}: expected in every configuration; got {config}")
        self._split(config)
        _count("epochs", config["epochs"])
        _checks.integer("seed", config.get("seed", 0), low=0)
        if np.ndim(config.get("batch", 1)) == 0:
            _count("batch", config.get("batch", 1))
        if np.ndim(config["step_size"]) == 0:
            _checks.real("step_size", config["step_size"], above=0.0)
        for name in _OF_UPDATES:
            _checks.real(name, config.get(name, 0.0), low=0.0)
        if config.get("participation") is not None:
            participation.make(config["participation"])
        self.record(config)

    def __call__(self, config: Config) -> Values:
        """Return final numbers and curves."""
        problem, ordering, settings = self.build(config)
        return _measured(simulate(problem, ordering, threads=1, **settings))

    def build(self, config: Config) -> tuple[Problem, Ordering, dict[str, Any]]:
        """Return the problem, the ordering, and the other arguments of `simulate`."""
        made = {kind: _make(one, given) for kind, (one, given) in self._split(config).items()}
        known = _settings(config) - {"problem", "ordering", "update", "record"}
        settings = {name: config[name] for name in config if name in known} | {"record": self.record(config)}
        if "update" in made:
            settings["update"] = made["update"]
        return made["problem"], made["ordering"], settings

    def _split(self, config: Config) -> dict[str, tuple[Any, Config]]:
        """Return, for every kind of record, the factory and the fields that it takes."""
        known: dict[str, Mapping[str, Any]] = {
            "problem": _known(PROBLEMS, self.problems, config),
            "ordering": _known(ORDERINGS, self.orderings, config),
            "update": _known(UPDATES, self.updates, config),
        }
        for kind in known.keys() & config.keys():
            if not isinstance(config[kind], str):
                raise TypeError(
                    f"{kind}: expected a name; "
                    f"got {_checks.brief(config[kind])} (known: {', '.join(known[kind])})"
                )
        chosen = {
            kind: registry[_checks.choice(kind, config[kind], registry)]
            for kind, registry in known.items()
            if kind in config
        }
        taken = {kind: _parameters(one) for kind, one in chosen.items()}
        settings = _settings(config)
        for name in config.keys() - settings:
            takers = sum(name in names for names in taken.values())
            if takers != 1:
                who = " and ".join(f"{kind} {_checks.brief(config[kind])}" for kind in chosen)
                wrong = "none of them takes it" if takers == 0 else "both take it, which is ambiguous"
                fields = ", ".join(sorted(settings.union(*taken.values())))
                raise ValueError(f"field {name!r}: {who}: {wrong} (known: {fields})")
        return {
            kind: (one, {name: config[name] for name in taken[kind] if name in config})
            for kind, one in chosen.items()
        }

    def record(self, config: Config) -> Record:
        """Return what a configuration asks to write down."""
        chosen = config.get("record", {})
        if not isinstance(chosen, Mapping):
            raise TypeError(
                f"record: expected a table, for example {{'every': 10}}; got {_checks.brief(chosen)}"
            )
        for name in chosen:
            _checks.choice("record", name, [one.name for one in fields_of(Record)])
        return Record(**chosen)


def _known(registry: Registry[Any], given: Mapping[str, Any], config: Config) -> dict[str, Any]:
    """Return what a name may stand for: registered, the caller's, or of an installed package."""
    known, name = {**registry, **given}, config.get(registry.kind)
    if isinstance(name, str) and name not in known and name in registry.installed():
        known[name] = registry.factory(name)
    return known


def _count(name: str, value: Any) -> None:
    if _checks.size(name, value) >= 2**63:  # kernels count in 64 bits
        raise ValueError(f"{name}: expected a whole number below 2^63; got {value}")


def _settings(config: Config) -> set[str]:
    """Return the fields that `simulate` takes itself."""
    return {*_REQUIRED, *_OPTIONAL, *(() if "update" in config else _OF_UPDATES)}


def _parameters(made: Any) -> set[str]:
    """Return the names of the arguments of a factory; a record takes none, and ``**arguments`` name none."""
    if isinstance(made, Problem | Ordering | Update):
        return set()
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name for name, one in inspect.signature(made).parameters.items() if one.kind in named}


def _make(made: Any, arguments: Config) -> Any:
    return made if isinstance(made, Problem | Ordering | Update) else made(**arguments)


def _measured(run: Run) -> Values:
    """Return the only replicate of a run: status, final numbers, curves."""
    curves: Values = {"epoch": run.epochs}
    for name in ("loss", "grad_norm", "distance", "loss_average", "trajectory", "balance", "orders", "x"):
        if (found := getattr(run, name)) is not None:
            curves[name] = found[0]
    for quantity in ("herding", "herding_live"):
        curves |= {f"{quantity}_{norm}": errors[0] for norm, errors in getattr(run, quantity).items()}
    if any("order_epoch" in AXES[name] for name in curves):
        curves["order_epoch"] = run.epochs[:-1]
    final = {
        f"final_{name}": curves[name][-1] for name in ("loss", "grad_norm", "distance") if name in curves
    }
    ends = {"status": str(run.status[0]), "diverged_at": int(run.diverged_at[0])}
    if run.clips is not None:
        ends["clips"] = int(run.clips[0])
    return {**ends, **final, **curves}
