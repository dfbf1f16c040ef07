"""Methods of asynchronous SGD: one file per form of rule, `METHODS` the one place of registration."""

from __future__ import annotations

from collections.abc import Callable

from cdgrab_sim import _checks
from cdgrab_sim.asynchronous._records import Method
from cdgrab_sim.asynchronous.methods._by_delay import delay_adaptive, delay_capped, drop_by_age, ringmaster
from cdgrab_sim.asynchronous.methods._ordered import (
    ordered_anytime,
    ordered_heavy_ball,
    ordered_mu_squared,
)
from cdgrab_sim.asynchronous.methods._rounds import first_k, mini_batch, rennala
from cdgrab_sim.asynchronous.methods._vanilla import vanilla

# name -> factory of the method for m workers, with the defaults of that size
METHODS: dict[str, Callable[[int], Method]] = {
    "vanilla": lambda m: vanilla(),
    "mini-batch": lambda m: mini_batch(),
    "first-k": lambda m: first_k(max(1, (3 * m) // 4)),
    "delay-adaptive": lambda m: delay_adaptive(),
    "drop-by-age": lambda m: drop_by_age(),
    "ringmaster": lambda m: ringmaster(2 * m),
    "ringmaster-stop": lambda m: ringmaster(2 * m, stop=True),
    "rennala": lambda m: rennala(m),
    "rennala-ignore": lambda m: rennala(m, stop=False),
    "ordered-momentum-anytime": lambda m: ordered_anytime(),
    "ordered-momentum-heavy-ball": lambda m: ordered_heavy_ball(),
    "ordered-momentum-mu-squared": lambda m: ordered_mu_squared(),
}

__all__ = [
    "METHODS",
    "delay_adaptive",
    "delay_capped",
    "drop_by_age",
    "first_k",
    "make",
    "mini_batch",
    "ordered_anytime",
    "ordered_heavy_ball",
    "ordered_mu_squared",
    "rennala",
    "ringmaster",
    "vanilla",
]


def make(method: Method | str, workers: int) -> Method:
    """Return a method from a record or from a registered name, which means the defaults for m workers.

    Examples
    --------
    >>> make("rennala", 4).provenance
    'arXiv 2305.12387'
    """
    if isinstance(method, Method):
        return method
    if not isinstance(method, str):
        raise TypeError(
            f"method: expected a Method or a name; got {method!r}; call its factory, as in methods.vanilla()"
        )
    return METHODS[_checks.choice("method", method, METHODS)](workers)
