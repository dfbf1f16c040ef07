"""A reference laboratory for example orderings in SGD.

>>> import cdgrab_sim as cg
>>> problem = cg.problems.skewed(m=8, n=64, d=3, seed=0)
>>> run = cg.simulate(problem, "cd-grab", epochs=20, step_size=1e-3)
>>> run.loss.shape
(1, 21)

=================================  =====================================================
`simulate`, `Record`, `Run`        SGD over m workers, what to write down, what came out
`problems`, `Problem`              finite sums, built in and your own
`orderings`, `Ordering`, `Seen`    example orderings, built in and your own
`updates`, `Update`, `Iterates`    how iterates move: SGD, momentum, Adam, and your own
`compressors`, `graphs`            what is sent instead of a gradient, and to whom
`participation`                    who takes part in a round
`herding`, `balancing`, `replay`   orders and signs of vectors that do not move
`thinning`                         few points that stand for many, by the same pair rule
`online`                           orders for a training loop of your own
`simulate_async`, `asynchronous`   SGD with delays
`sweep`, `open_sweep`, `Sweep`     grids of runs in one file
`audit`                            whether a data loader's order is what it is meant to be
`analysis`, `plots`                exponents with intervals, verdicts, figures
`experiments`, `testing`           what the command line runs; assertions for your own rules
`load`                             a run that was saved
`save_orders`, `global_orders`     orders for a data loader
=================================  =====================================================

Names are imported when they are first used, so that ``import cdgrab_sim`` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cdgrab_sim._version import __version__ as __version__

if TYPE_CHECKING:
    from cdgrab_sim import analysis as analysis
    from cdgrab_sim import asynchronous as asynchronous
    from cdgrab_sim import audit as audit
    from cdgrab_sim import balancing as balancing
    from cdgrab_sim import compressors as compressors
    from cdgrab_sim import experiments as experiments
    from cdgrab_sim import graphs as graphs
    from cdgrab_sim import herding as herding
    from cdgrab_sim import orderings as orderings
    from cdgrab_sim import participation as participation
    from cdgrab_sim import plots as plots
    from cdgrab_sim import problems as problems
    from cdgrab_sim import testing as testing
    from cdgrab_sim import thinning as thinning
    from cdgrab_sim import updates as updates
    from cdgrab_sim._load import load as load
    from cdgrab_sim._online import online as online
    from cdgrab_sim._records import Iterates as Iterates
    from cdgrab_sim._records import Ordering as Ordering
    from cdgrab_sim._records import Problem as Problem
    from cdgrab_sim._records import Record as Record
    from cdgrab_sim._records import Seen as Seen
    from cdgrab_sim._records import Update as Update
    from cdgrab_sim._run import Run as Run
    from cdgrab_sim._run import Status as Status
    from cdgrab_sim._sweep import Sweep as Sweep
    from cdgrab_sim._sweep import open_sweep as open_sweep
    from cdgrab_sim._sweep import sweep as sweep
    from cdgrab_sim.asynchronous._simulate import simulate_async as simulate_async
    from cdgrab_sim.herding._loader import global_orders as global_orders
    from cdgrab_sim.herding._loader import save_orders as save_orders
    from cdgrab_sim.synchronous._replay import Replay as Replay
    from cdgrab_sim.synchronous._replay import replay as replay
    from cdgrab_sim.synchronous._simulate import simulate as simulate

# public name -> module, and the name inside it; None for the module itself
_HOMES: dict[str, tuple[str, str | None]] = {
    "Ordering": ("_records", "Ordering"),
    "Problem": ("_records", "Problem"),
    "Record": ("_records", "Record"),
    "Replay": ("synchronous._replay", "Replay"),
    "Seen": ("_records", "Seen"),
    "Run": ("_run", "Run"),
    "Status": ("_run", "Status"),
    "Sweep": ("_sweep", "Sweep"),
    "analysis": ("analysis", None),
    "asynchronous": ("asynchronous", None),
    "audit": ("audit", None),
    "balancing": ("balancing", None),
    "compressors": ("compressors", None),
    "experiments": ("experiments", None),
    "graphs": ("graphs", None),
    "global_orders": ("herding._loader", "global_orders"),
    "herding": ("herding", None),
    "load": ("_load", "load"),
    "online": ("_online", "online"),
    "open_sweep": ("_sweep", "open_sweep"),
    "orderings": ("orderings", None),
    "participation": ("participation", None),
    "plots": ("plots", None),
    "problems": ("problems", None),
    "updates": ("updates", None),
    "Update": ("_records", "Update"),
    "Iterates": ("_records", "Iterates"),
    "replay": ("synchronous._replay", "replay"),
    "save_orders": ("herding._loader", "save_orders"),
    "simulate": ("synchronous._simulate", "simulate"),
    "simulate_async": ("asynchronous._simulate", "simulate_async"),
    "sweep": ("_sweep", "sweep"),
    "testing": ("testing", None),
    "thinning": ("thinning", None),
}

__all__ = sorted(_HOMES)  # without it, help(cdgrab_sim) would show nothing


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, inner = _HOMES[name]
    found = import_module(f"{__name__}.{module}")
    globals()[name] = value = found if inner is None else getattr(found, inner)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
