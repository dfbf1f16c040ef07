"""Update: how iterates move; and Iterates, where an update stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cdgrab_sim import _checks
from cdgrab_sim._records._problem import Problem
from cdgrab_sim._types import FloatArray, IntArray

_MOST_DRAWS = 1 << 20


class Iterates(NamedTuple):
    """Where an update stands: one shape for all updates, so that every loop over them is compiled once.

    Attributes
    ----------
    x : array (d,)
        The server's iterate: what is recorded.
    X : array (0, d) or (m, d)
        ``X[i]`` is where worker i computes gradients. No rows: all of them compute at x.
    S : array (rows, d)
        What else is remembered in vectors: velocities, moments, shifts, tables of gradients.
    c : int array (numbers,)
        Counters.
    p : array (numbers,)
        Parameters and other numbers.
    """

    x: FloatArray
    X: FloatArray
    S: FloatArray
    c: IntArray
    p: FloatArray


@dataclass(frozen=True, eq=False)
class Update:
    r"""What a step does with the gradients of all workers.

    At every step worker i's gradient is taken at x, or at its own point. Every b-th step ends in an update:

    .. math:: g = \frac{1}{m b} \sum_{\text{last } b \text{ steps}} \sum_{i=1}^m g_i, \qquad
        \text{step}(it, g, \alpha, u)

    Parameters
    ----------
    name : str
    init : callable
        ``init(x0, problem) -> Iterates``, with a copy of `x0` as ``x``.
    step : callable
        ``step(it, g, alpha, u)`` moves the arrays of `it` in place, with `g` (d,) the mean gradient, `alpha`
        the step size and `u` (m, draws) the uniform numbers of this step. Plain NumPy, or ``numba.njit``.
    take : callable, optional
        ``take(it, out, g, alpha, i, j, u)`` is shown every gradient `g` (d,), of worker i at its example j,
        and adds to `out` (d,) what the gradient contributes to the sum, with `u` (draws,). By default the
        gradient itself. What depends on the example, such as a table of gradients, lives here.
    each : bool
        `step` is shown the mean gradient of each worker, `g` (m, d), instead of the mean of all, and `take`
        adds to that of its worker. Local steps, gossip and compressed messages need it.
    anchored : bool
        ``S[0]`` is a second point: `step` is shown two rows, `g` (2, d), the mean gradient at x and that of
        the same examples at ``S[0]``. SVRG and SARAH need it.
    begin : callable, optional
        ``begin(it, gradient)`` is called before every epoch; ``gradient(x)`` returns grad f(x), from a pass
        over all examples that no ordering sees.
    draws : int, or function of the problem
        Uniform numbers in [0, 1) per gradient. They are drawn outside, worker by worker, so that those of
        worker i depend neither on m nor on what orderings draw.
    settings : mapping
        The arguments that made the update: plain JSON, for results. ``steps`` among them is that of a round;
        None: those of an epoch.
    fused : (float, float), optional
        Momentum and weight decay, where `step` is the heavy ball with them: the walk then takes the step
        itself, with the same bits. Needs ``S`` to have the velocity as its first row.
    stateless : bool
        Nothing about single workers outlives a round, so that others may take their rows of `g`, `u` and
        ``X`` in the next one. Only then may workers be absent. (`take` is told the worker itself.)
    provenance : str
        Where the formulas come from, "read" or "recalled", and what is "proved here"; for `cdgrab list`.

    Raises
    ------
    TypeError
        For an `init`, `step`, `take` or `begin` that cannot be called.
    ValueError
        For an anchor beside `each` or `take`.

    Notes
    -----
    :func:`cdgrab_sim.testing.check_update` holds an update of your own to all this.

    Examples
    --------
    Steps along the signs of the gradient:

    >>> import numpy as np
    >>> import cdgrab_sim as cg
    >>> def init(x0, problem):
    ...     none = np.zeros((0, problem.d))
    ...     return Iterates(x0.copy(), none, none, np.zeros(0, dtype=np.int64), np.zeros(0))
    >>> def step(it, g, alpha, u):
    ...     it.x[:] -= alpha * np.sign(g)
    >>> problem = cg.problems.quadratic(m=2, n=8, d=3)
    >>> sign = Update("sign", init, step)
    >>> run = cg.simulate(problem, "rr", epochs=8, step_size=0.01, x0=[2.0, 2.0, 2.0], update=sign)
    >>> bool(run.distance[0, -1] < run.distance[0, 0])
    True
    """

    name: str
    init: Callable[[FloatArray, Problem], Iterates] = field(repr=False)
    step: Callable[..., Any] = field(repr=False)
    take: Callable[..., Any] | None = field(default=None, repr=False)
    each: bool = False
    anchored: bool = False
    begin: Callable[..., Any] | None = field(default=None, repr=False)
    draws: int | Callable[[Problem], int] = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    fused: tuple[float, float] | None = field(default=None, repr=False)
    stateless: bool = False
    provenance: str = field(default="user", repr=False)

    def __post_init__(self) -> None:
        given = [name for name in ("take", "begin") if getattr(self, name) is not None]
        for name in ("init", "step", *given):
            _checks.function(f"update {_checks.brief(self.name)}: {name}", getattr(self, name))
        object.__setattr__(self, "name", _checks.text("name", self.name))
        object.__setattr__(self, "provenance", _checks.text("provenance", self.provenance))
        where = f"update {self.name!r}:"
        _checks.takes(f"{where} init", self.init, "x0", "problem")
        _checks.takes(f"{where} step", self.step, "it", "g", "alpha", "u")
        if self.take is not None:
            _checks.takes(f"{where} take", self.take, "it", "out", "g", "alpha", "i", "j", "u")
        for flag in ("each", "anchored"):
            object.__setattr__(self, flag, _checks.flag(f"{where} {flag}", getattr(self, flag)))
        if self.fused is not None:
            pair = _checks.vector(f"{where} fused", self.fused, 2)
            object.__setattr__(self, "fused", (float(pair[0]), float(pair[1])))
        if self.begin is not None:
            _checks.takes(f"{where} begin", self.begin, "it", "gradient")
        if self.anchored and (self.each or self.take is not None):
            raise ValueError(f"{where} anchored: expected neither each nor take beside it; leave them out")
        object.__setattr__(self, "stateless", _checks.flag("stateless", self.stateless))
        _checks.mapping(f"{where} settings", self.settings)
        if callable(self.draws):
            _checks.takes(f"{where} draws", self.draws, "problem")
        else:
            object.__setattr__(self, "draws", _draws(where, self.draws))
        object.__setattr__(self, "settings", _checks.plain(f"{where} settings", self.settings))

    def draws_on(self, problem: Problem) -> int:
        """Return the uniform numbers per gradient on this problem."""
        wanted = self.draws(problem) if callable(self.draws) else self.draws
        return _draws(f"update {self.name!r}:", wanted)

    def describe(self) -> dict[str, Any]:
        """Return name and settings as plain JSON."""
        return {"name": self.name, **self.settings}


def _draws(where: str, wanted: Any) -> int:
    return _checks.integer(f"{where} draws", wanted, low=0, high=_MOST_DRAWS)
