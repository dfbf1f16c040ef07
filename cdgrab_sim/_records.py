"""The records that travel through the house: Problem, Ordering, Seen, Record.

An epoch is two stages that meet in an array, the stream of gradients:

    walk     (problem)   follow the orders pi, step x, write the stream G (steps, m, d)
    observe  (ordering)  read what was seen, fill the next orders

Problems and orderings are records of a few functions. They are configuration and never change; whatever an
ordering remembers lives in the state that it returns and receives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import Data, FloatArray, Grads, IntArray, Loss, Value, Walk


@dataclass(frozen=True, eq=False)
class Problem:
    r"""A finite sum over m workers with n examples each.

    .. math:: f(x) = \frac{1}{mn} \sum_{i=1}^{m} \sum_{j=1}^{n} f_{ij}(x), \qquad x \in R^d

    Parameters
    ----------
    name : str
    m, n, d : int
        Workers, examples per worker, dimension.
    data : tuple of arrays
        Whatever `grads` and `value` need; coerced to float64 or int64 in C order, made read-only, and
        refused where it holds NaN or inf. A NamedTuple stays one: ``problem.data.terms``.
    grads : callable
        ``grads(out, x, who, idx, data)`` writes into row r of `out` (rows, d) the gradient of example
        ``idx[r]`` of worker ``who[r]`` at `x` (d,). A plain NumPy function, or one compiled with
        ``numba.njit``.
    value : callable
        ``value(x, data)`` returns f(x).
    x_star, f_star : array (d,) and float, optional
        A minimiser and the minimum, exact to rounding. Leave them out rather than approximate them.
    constants : mapping, optional
        What theory needs, by letter: ``L``, ``L_2inf``, ``mu``, ``sigma`` (within workers), ``varsigma``
        (across workers). Absent means not known.
    walk : callable, optional
        Compiled walk with `grads` bound into it (:mod:`cdgrab_sim._kernels.walk`). Built-in problems carry
        one so that its machine code is cached on disk; for others `simulate` binds `grads` itself.
    loss : callable, optional
        ``loss(x, i, j, data)`` returns f_ij(x), the value of example j of worker i. A plain function, or one
        compiled with ``numba.njit``. `values` needs it, and so do job times that follow the loss.

    Raises
    ------
    ValueError
        For sizes below 1, data that is not finite (with its index), or an x_star of the wrong shape.
    TypeError
        For data that is no tuple, or a minimum or constant that is no number.

    Examples
    --------
    One worker, two examples, f_j(x) = (x - b_j)^2 / 2:

    >>> def grads(out, x, who, idx, data):
    ...     out[:] = x - data[0][who, idx]
    >>> def value(x, data):
    ...     return 0.5 * np.mean((x - data[0]) ** 2)
    >>> b = np.array([[[-1.0], [3.0]]])
    >>> problem = Problem("two points", m=1, n=2, d=1, data=(b,), grads=grads, value=value, x_star=np.ones(1))
    >>> import cdgrab_sim as cg
    >>> run = cg.simulate(problem, "rr", epochs=200, step_size=0.02)
    >>> bool(run.distance[0, -1] < 0.05)
    True
    """

    name: str
    m: int
    n: int
    d: int
    data: Data = field(repr=False)
    grads: Grads = field(repr=False)
    value: Value = field(repr=False)
    x_star: FloatArray | None = field(default=None, repr=False)
    f_star: float | None = None
    constants: Mapping[str, float] = field(default_factory=dict)
    walk: Walk | None = field(default=None, repr=False)
    loss: Loss | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for letter in ("m", "n", "d"):
            object.__setattr__(self, letter, _checks.size(letter, getattr(self, letter)))
        if not isinstance(self.data, tuple | list):  # an array would be taken apart row by row
            got = type(self.data).__name__
            raise TypeError(f"data: expected a tuple of arrays; got {got}; write data=(a,) for one array a")
        object.__setattr__(self, "data", _checked(self.data))
        constants = {letter: _number(f"constants[{letter!r}]", c) for letter, c in self.constants.items()}
        object.__setattr__(self, "constants", constants)
        if self.f_star is not None:
            object.__setattr__(self, "f_star", _checks.real("f_star", self.f_star))
        if self.x_star is not None:
            object.__setattr__(self, "x_star", _checks.vector("x_star", self.x_star, self.d))

    @property
    def arrays(self) -> Data:
        """`data` as compiled code gets it: a plain tuple for built-in kernels, which unpack it.

        Numba looks at every entry of a NamedTuple anew in each call, which made small runs 11 percent slower.
        """
        return self.data if self.walk is None else tuple(self.data)

    def gradients(self, x: ArrayLike) -> FloatArray:
        """Return the gradients (m, n, d) of all examples at `x` (d,).

        Examples
        --------
        >>> import cdgrab_sim as cg
        >>> problem = cg.problems.least_squares(m=2, n=8, d=3)
        >>> bool(np.linalg.norm(problem.gradients(problem.x_star).mean(axis=(0, 1))) < 1e-12)
        True
        """
        m, n, point = self.m, self.n, np.array(_checks.vector("x", x, self.d))
        rows = np.empty((m * n, self.d))
        self.grads(rows, point, np.repeat(np.arange(m), n), np.tile(np.arange(n), m), self.arrays)
        return rows.reshape(m, n, self.d)

    def values(self, x: ArrayLike) -> FloatArray:
        """Return f_ij(x) of all examples, (m, n), at `x` (d,); their mean is f(x).

        Raises
        ------
        ValueError
            For a problem without `loss`.

        Examples
        --------
        >>> import cdgrab_sim as cg
        >>> problem = cg.problems.quadratic(m=2, n=4, d=1, eigenvalues=[2.0])
        >>> bool(np.allclose(problem.values([3.0]), (problem.data.b[:, :, 0] - 3.0) ** 2))
        True
        """
        point = np.array(_checks.vector("x", x, self.d))
        if self.loss is None:
            raise ValueError(
                f"values: expected a problem with `loss`; got {self.name!r} without one; "
                "give it loss(x, i, j, data), which returns f_ij(x)"
            )
        data = self.arrays
        rows = [[self.loss(point, i, j, data) for j in range(self.n)] for i in range(self.m)]
        return np.array(rows, dtype=np.float64)


def _checked(data: Data) -> Data:
    """Return checked arrays, as a NamedTuple where they came as one."""
    if not hasattr(data, "_fields"):
        return tuple(_checks.data(f"data[{k}]", a) for k, a in enumerate(data))
    return data._make(_checks.data(f"data.{name}", a) for name, a in zip(data._fields, data, strict=True))


def _number(name: str, value: Any) -> float:
    """Return a number of Python, which JSON knows; whole numbers, such as counts, stay whole."""
    number = _checks.real(name, value)
    return int(value) if isinstance(value, int | np.integer) else number


class Seen(NamedTuple):
    """A piece of the stream: which workers were there, which examples they visited, and the gradients.

    Attributes
    ----------
    k0 : int
        Step of the epoch at which the piece begins.
    who : int array (w,)
        The workers that were there, in ascending order. Absent ones have no rows.
    at : int array (steps, w)
        ``at[r, c]`` is the example that worker ``who[c]`` visited at step ``k0 + r``.
    G : array (steps, w, d)
        Its raw gradient where it was computed.
    """

    k0: int
    who: IntArray
    at: IntArray
    G: FloatArray

    @classmethod
    def along(cls, pi: IntArray, k0: int, G: FloatArray) -> Seen:
        """Return the piece G (steps, m, d) of an epoch in which all workers follow `pi` (m, n).

        Examples
        --------
        >>> Seen.along(np.array([[2, 0, 1], [0, 1, 2]]), 1, np.zeros((2, 2, 3))).at
        array([[0, 1],
               [1, 2]])
        """
        at = np.ascontiguousarray(pi[:, k0 : k0 + len(G)].T)
        return cls(k0, np.arange(len(pi)), at, G)


FAMILIES = ("drawn", "fixed", "mean", "pair", "recursive", "ideal", "user")


@dataclass(frozen=True, eq=False)
class Ordering:
    """How the order of epoch t + 1 follows from the gradients of epoch t.

    Parameters
    ----------
    name : str
    init : callable
        ``init(problem, rng) -> state`` with the first orders in ``state.pi``, an int64 array (m, n): worker i
        visits example ``pi[i, k]`` at step k.
    observe : callable or None
        ``observe(state, seen)`` is shown the epoch piece by piece, as `Seen`, and updates the arrays of
        `state` in place; what it writes into ``pi`` counts from the next epoch on. The arrays of `seen` are
        buffers that are used again: copy what must outlive the call. None: the ordering looks at nothing.
    advance : callable
        ``advance(state, rng) -> state`` at the end of an epoch returns the state of the next one.
        Draws happen here and in `init` only.
    replacement : bool
        Orders may repeat examples. Otherwise each row of ``state.pi`` must be a permutation.
    verified : bool
        The orders are right by construction (tests prove it for the built-in orderings) and stay as they are
        while they are followed, so that `simulate` need neither look at them nor copy them.
    family : {"drawn", "fixed", "mean", "pair", "recursive", "ideal", "user"}
        Where orders come from: drawn anew, kept, or one of the ways to balance.
    coordinated : bool
        All workers balance one running sum; otherwise each looks at its own gradients at most.
    slopes : str, optional
        The ordering in :mod:`theory.slopes` whose exponents predict this one's. None: nothing is predicted.
    compared : bool
        Stands in the comparisons of `cdgrab speedup`, `herding`, `rates` and `cost`.
    look : tuple, optional
        Colour, marker and dashes in figures, as matplotlib takes them. None: some that its name decides.

    Raises
    ------
    ValueError
        For an unknown family, or a look of other than three parts.
    TypeError
        For an `init`, `observe` or `advance` that cannot be called, or an `observe` with other arguments.

    Notes
    -----
    A state has ``pi``. It may show more, under these names: ``s`` (d,) or (rows, d), its running signed sums,
    for records of the balance; ``weight`` (m, n), what the gradient of each example is multiplied with in the
    update, 1 by default (orderings see raw gradients); ``mean`` (m, d), the stale means that it balances
    against, which the array functions replace by exact ones; ``clips``, numbers of clips up to now, for
    ``Run.clips``.

    Examples
    --------
    Reverse the order every epoch:

    >>> from typing import NamedTuple
    >>> class State(NamedTuple):
    ...     pi: np.ndarray
    >>> def init(problem, rng):
    ...     return State(np.tile(np.arange(problem.n), (problem.m, 1)))
    >>> there_and_back = Ordering("there and back", init, None, lambda state, rng: State(state.pi[:, ::-1]))
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=1, n=4, d=1)
    >>> run = cg.simulate(problem, there_and_back, epochs=2, step_size=0.1, record=cg.Record(orders=True))
    >>> run.orders[0, :, 0].tolist()
    [[0, 1, 2, 3], [3, 2, 1, 0]]
    """

    name: str
    init: Callable[[Problem, Generator], Any] = field(repr=False)
    observe: Callable[[Any, Seen], None] | None = field(repr=False)
    advance: Callable[[Any, Generator], Any] = field(repr=False)
    replacement: bool = False
    verified: bool = False
    family: str = "user"
    coordinated: bool = False
    slopes: str | None = None
    compared: bool = False
    look: tuple[str, str, Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _checks.choice("family", self.family, FAMILIES)
        if self.look is not None and len(self.look) != 3:
            raise ValueError(f"look: expected a colour, a marker and dashes; got {self.look!r}")
        for name in ("init", "advance") if self.observe is None else ("init", "observe", "advance"):
            _checks.function(f"ordering {self.name!r}: {name}", getattr(self, name))
        if self.observe is not None:
            _checks.takes(
                f"ordering {self.name!r}: observe", self.observe, "state", "seen",
                hint="find k0 and G, and also who and at, in `seen`",
            )  # fmt: skip


@dataclass(frozen=True)
class Record:
    """What `simulate` writes down; memory follows the choice.

    Parameters
    ----------
    every : int
        Epochs between records; the first and the last are always recorded.
    loss, grad_norm, distance : bool
        f(x_t); the 2-norm of the full gradient at x_t, which costs about one more epoch per record; the
        2-norm of x_t - x_star, where x_star is known.
    herding : tuple of {"inf", "l2"}
        Exact parallel herding error at x_t of the order used in epoch t, in these norms, unnormalised, and
        beside it the same error of the gradients as they came along the epoch ("live").
    balance : bool
        Largest 2-norm of the ordering's running signed sum during epoch t, after each step; where each
        worker keeps its own sum, the sum of their largest norms. The ordering's state must show the running
        sum as ``s``, (d,) or (rows, d).
    orders, trajectory, average : bool
        The orders really used; the iterates x_t; the loss of the average iterate with weights
        proportional to t.

    Raises
    ------
    ValueError, TypeError
        For `every` below 1, an unknown norm, or norms that are no tuple or list.
    """

    every: int = 1
    loss: bool = True
    grad_norm: bool = True
    distance: bool = True
    herding: tuple[str, ...] = ()
    balance: bool = False
    orders: bool = False
    trajectory: bool = False
    average: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "every", _checks.size("every", self.every))
        if not isinstance(self.herding, tuple | list):
            raise TypeError(f"herding: expected a tuple of norms, such as ('inf',); got {self.herding!r}")
        norms = tuple(_checks.choice("norm", norm, ("inf", "l2")) for norm in self.herding)
        object.__setattr__(self, "herding", norms)
