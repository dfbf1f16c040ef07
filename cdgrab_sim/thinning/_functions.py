"""Kernels: functions of two points that say how alike they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, is_jitted, kernel
from cdgrab_sim._kernels.registers import LANES, load, total, zeros
from cdgrab_sim._types import FloatArray

LINEAR, GAUSSIAN, INVERSE_MULTIQUADRIC, MATERN_1, MATERN_3, MATERN_5 = range(6)
_SMOOTHNESS = {0.5: MATERN_1, 1.5: MATERN_3, 2.5: MATERN_5}
_ROOT_3, _ROOT_5 = math.sqrt(3.0), math.sqrt(5.0)


@inlined
def _product(x: FloatArray, y: FloatArray) -> float:
    """Return <x, y>, summed as `_kernels.sums` sums."""
    d = x.shape[0]
    full = d - d % LANES
    inner = 0.0
    if full > 0:
        t = zeros()
        for p in range(0, full, LANES):
            t = t + load(x, (p,)) * load(y, (p,))
        inner = total(t)
    for p in range(full, d):
        inner += x[p] * y[p]
    return inner


@inlined
def _square_distance(x: FloatArray, y: FloatArray) -> float:
    """Return |x - y|^2, summed as `_kernels.sums` sums."""
    d = x.shape[0]
    full = d - d % LANES
    square = 0.0
    if full > 0:
        t = zeros()
        for p in range(0, full, LANES):
            v = load(x, (p,)) - load(y, (p,))
            t = t + v * v
        square = total(t)
    for p in range(full, d):
        square += (x[p] - y[p]) * (x[p] - y[p])
    return square


@kernel(small=True)
def built_in(x: FloatArray, y: FloatArray, settings: tuple[int, float]) -> float:
    """Return k(x, y) for one of the kernels of this file; `settings` are its code and 1 / scale."""
    code, inverse = settings
    if code == LINEAR:
        return _product(x, y)
    square = _square_distance(x, y) * inverse * inverse
    if code == GAUSSIAN:
        return math.exp(-0.5 * square)
    if code == INVERSE_MULTIQUADRIC:
        return 1.0 / math.sqrt(1.0 + square)
    r = math.sqrt(square)
    if code == MATERN_1:
        return math.exp(-r)
    if code == MATERN_3:
        return (1.0 + _ROOT_3 * r) * math.exp(-_ROOT_3 * r)
    return (1.0 + _ROOT_5 * r + 5.0 / 3.0 * square) * math.exp(-_ROOT_5 * r)


@dataclass(frozen=True)
class Kernel:
    """A symmetric function k(x, y) whose matrices have no negative eigenvalue.

    Parameters
    ----------
    name : str
    function : callable
        ``function(x, y, settings)`` with points x and y (d,) returns a number. Compiled with
        ``numba.njit`` it runs as fast as the built-in ones; a plain one is called for every pair of points.
    settings : tuple
        Numbers that the function needs.

    Examples
    --------
    >>> import numpy as np
    >>> from cdgrab_sim import thinning
    >>> squared = thinning.Kernel("squared", lambda x, y, settings: float(x @ y) ** 2)
    >>> thinning.halve([[0.0], [3.0], [1.0], [2.0]], squared, seed=0).first.shape
    (2,)
    """

    name: str
    function: Callable[[FloatArray, FloatArray, Any], float] = field(repr=False)
    settings: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _checks.text("name", self.name))
        _checks.function(f"kernel {self.name!r}: function", self.function)
        _checks.takes(
            f"kernel {self.name!r}: function", self.function, "x", "y", "settings", hint="return one number"
        )

        given = _checks.instance("settings", self.settings, tuple, "a tuple of numbers")
        for k, number in enumerate(given):
            _checks.real(f"settings[{k}]", number)

    def check(self, points: FloatArray) -> None:
        """Refuse a function of one's own that returns no number."""
        if not self.is_built_in:
            one = self.function(points[0], points[-1], self.settings)
            _checks.real(f"what kernel {self.name!r}: function returns", one)

    @property
    def is_built_in(self) -> bool:
        """Whether it is one of this package's, whose machine code is kept on disk."""
        return self.function is built_in

    @property
    def is_gaussian(self) -> bool:
        """Whether it is the Gaussian kernel of this package, which has loops of its own."""
        return self.is_built_in and self.settings[0] == GAUSSIAN

    @property
    def compiles(self) -> bool:
        """Whether it can be pasted into compiled loops."""
        return is_jitted(self.function)


def _radial(name: str, code: int, scale: float) -> Kernel:
    length = _checks.real("scale", scale, above=1.0 / _checks.LARGEST)
    return Kernel(name, built_in, (code, 1.0 / length))


def linear() -> Kernel:
    r"""Return the linear kernel, whose walk is the running sum of pair balancing.

    .. math:: k(x, y) = \langle x, y \rangle

    Examples
    --------
    >>> import numpy as np
    >>> float(linear().function(np.array([1.0, 2.0]), np.array([3.0, 4.0]), linear().settings))
    11.0
    """
    return Kernel("linear", built_in, (LINEAR, 1.0))


def gaussian(scale: float = 1.0) -> Kernel:
    r"""Return the Gaussian kernel.

    .. math:: k(x, y) = \exp\Big( -\frac{\| x - y \|_2^2}{2 \ell^2} \Big)

    Parameters
    ----------
    scale : float
        The length :math:`\ell`.
    """
    return _radial("gaussian", GAUSSIAN, scale)


def inverse_multiquadric(scale: float = 1.0) -> Kernel:
    r"""Return the inverse multiquadric kernel.

    .. math:: k(x, y) = \Big( 1 + \frac{\| x - y \|_2^2}{\ell^2} \Big)^{-1/2}

    Parameters
    ----------
    scale : float
        The length :math:`\ell`.
    """
    return _radial("inverse-multiquadric", INVERSE_MULTIQUADRIC, scale)


def matern(scale: float = 1.0, *, smoothness: float = 1.5) -> Kernel:
    r"""Return a Matern kernel.

    With r = \|x - y\| / \ell: e^{-r} for the smoothness 1/2, (1 + \sqrt3 r) e^{-\sqrt3 r} for 3/2, and
    (1 + \sqrt5 r + 5 r^2 / 3) e^{-\sqrt5 r} for 5/2.

    Parameters
    ----------
    scale : float
        The length :math:`\ell`.
    smoothness : {0.5, 1.5, 2.5}
    """
    half = _checks.real("smoothness", smoothness)
    if half not in _SMOOTHNESS:
        raise ValueError(f"smoothness: expected one of {', '.join(map(str, _SMOOTHNESS))}; got {half:g}")
    return _radial("matern", _SMOOTHNESS[half], scale)


_BY_NAME: dict[str, Callable[[], Kernel]] = {
    "linear": linear,
    "gaussian": gaussian,
    "inverse-multiquadric": inverse_multiquadric,
    "matern": matern,
}


def make_kernel(kernel: Kernel | str, name: str = "kernel") -> Kernel:
    """Return a kernel from a record or a name.

    Examples
    --------
    >>> make_kernel("gaussian") == gaussian()
    True
    """
    return kernel if isinstance(kernel, Kernel) else _BY_NAME[_checks.choice(name, kernel, _BY_NAME)]()
