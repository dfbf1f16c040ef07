"""Problem: what gradients are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import Data, FloatArray, Grads, IntArray, Loss, Value, Walk

_TAKEN = {
    "grads": ("out", "x", "who", "idx", "data"),
    "value": ("x", "data"),
    "loss": ("x", "i", "j", "data"),
}


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
    rows : int array (m, n), optional
        Which row of the table that the examples came from is example j of worker i: ``X[problem.rows]`` are
        the examples. `global_orders` needs it to speak of that table.
    smoothness : array (m, n), optional
        L_ij, the largest second derivative of example j of worker i in any direction.
    provenance : str
        Where the family comes from, "read" or "recalled", and what is "proved here"; for `cdgrab list`.

    Raises
    ------
    ValueError
        For sizes below 1, data that is not finite (with its index), or an x_star or rows of the wrong shape.
    TypeError
        For data that is not a tuple, or a minimum or constant that is not a number.

    Notes
    -----
    :func:`cdgrab_sim.testing.check_problem` holds functions of your own to all this.

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
    rows: IntArray | None = field(default=None, repr=False)
    smoothness: FloatArray | None = field(default=None, repr=False)
    provenance: str = field(default="user", repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _checks.text("name", self.name))
        object.__setattr__(self, "provenance", _checks.text("provenance", self.provenance))
        for letter in ("m", "n", "d"):
            object.__setattr__(self, letter, _checks.size(letter, getattr(self, letter)))
        if not isinstance(self.data, tuple | list):  # an array would be taken apart row by row
            got = type(self.data).__name__
            raise TypeError(f"data: expected a tuple of arrays; got {got}; write data=(a,) for one array a")
        object.__setattr__(self, "data", _checked(self.data))
        for name, arguments in _TAKEN.items():
            if (function := getattr(self, name)) is not None:
                _checks.function(f"problem {self.name!r}: {name}", function)
                _checks.takes(f"problem {self.name!r}: {name}", function, *arguments)
        if self.walk is not None:
            _checks.function(f"problem {self.name!r}: walk", self.walk)
        if not isinstance(self.constants, Mapping):
            raise TypeError(
                f"constants: expected a mapping, such as {{'L': 2.0}}; got {_checks.brief(self.constants)}"
            )
        constants = {letter: _number(f"constants[{letter!r}]", c) for letter, c in self.constants.items()}
        object.__setattr__(self, "constants", constants)
        if self.f_star is not None:
            object.__setattr__(self, "f_star", _checks.real("f_star", self.f_star))
        if self.x_star is not None:
            object.__setattr__(self, "x_star", _checks.frozen(_checks.vector("x_star", self.x_star, self.d)))
        if self.rows is not None:
            object.__setattr__(self, "rows", _checks.rows("rows", self.rows, (self.m, self.n)))
        if self.smoothness is not None:
            object.__setattr__(self, "smoothness", _smoothness(self.smoothness, (self.m, self.n)))

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


def _smoothness(table: ArrayLike, shape: tuple[int, int]) -> FloatArray:
    given = _checks.floats("smoothness", table, 2)
    if given.shape != shape or not (given >= 0.0).all():
        got = f"shape {given.shape}, the least {given.min():g}"
        raise ValueError(f"smoothness: expected numbers >= 0 of shape (m, n) = {shape}; got {got}")
    frozen: FloatArray = _checks.frozen(given)
    return frozen


def _number(name: str, value: Any) -> float:
    """Return a number of Python, which JSON knows; whole numbers, such as counts, stay whole."""
    number = _checks.real(name, value)
    return int(value) if isinstance(value, int | np.integer) else number
