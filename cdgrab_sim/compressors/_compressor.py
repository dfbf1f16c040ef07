"""Compressor: what a worker sends instead of a vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._registry import Registry
from cdgrab_sim._types import FloatArray

WORD = 32  # bits of a number, as published comparisons count


@dataclass(frozen=True, eq=False)
class Compressor:
    """How a vector is compressed, and what that costs.

    Parameters
    ----------
    name : str
    apply : callable
        ``apply(q, v, u, size)`` writes Q(v) into `q` (d,), with `u` (d,) uniform numbers in [0, 1), which are
        drawn outside. Plain NumPy, or ``numba.njit``.
    bits : callable
        ``bits(d)`` is the length of a message, in bits.
    omega : callable, optional
        ``omega(d)`` is the relative variance: E Q(v) = v and E |Q(v) - v|^2 <= omega |v|^2 for every v.
        None: Q is biased.
    delta : callable, optional
        ``delta(d)`` in (0, 1]: |Q(v) - v|^2 <= (1 - delta) |v|^2 for every v. None: Q is no contraction.
    size : float
        The number that `apply` needs: coordinates, or levels.
    draws : bool
        Whether `apply` looks at `u`, which is empty otherwise.
    smallest : int
        The fewest coordinates that it can be applied to.
    settings : mapping
        The arguments that made it: plain JSON.

    Raises
    ------
    TypeError
        For functions that cannot be called.

    Examples
    --------
    >>> from cdgrab_sim import compressors
    >>> compressors.top_k(k=1)([3.0, -4.0])
    array([ 0., -4.])
    """

    name: str
    apply: Callable[..., Any] = field(repr=False)
    bits: Callable[[int], float] = field(repr=False)
    omega: Callable[[int], float] | None = field(default=None, repr=False)
    delta: Callable[[int], float] | None = field(default=None, repr=False)
    size: float = 0.0
    draws: bool = False
    smallest: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _checks.text("name", self.name))
        where = f"compressor {self.name!r}:"
        arguments = {"apply": ("q", "v", "u", "size"), "bits": ("d",), "omega": ("d",), "delta": ("d",)}
        for name, taken in arguments.items():
            given = getattr(self, name)
            if given is not None or name in ("apply", "bits"):
                _checks.function(f"{where} {name}", given)
                _checks.takes(f"{where} {name}", given, *taken)
        object.__setattr__(self, "size", _checks.real(f"{where} size", self.size))
        object.__setattr__(self, "draws", _checks.flag(f"{where} draws", self.draws))
        object.__setattr__(self, "smallest", _checks.size(f"{where} smallest", self.smallest))
        settings = _checks.mapping(f"{where} settings", self.settings)
        object.__setattr__(self, "settings", _checks.plain(f"{where} settings", settings))

    def __call__(self, v: ArrayLike, u: ArrayLike | None = None) -> FloatArray:
        """Return Q(v) of a vector (d,), with uniform numbers `u` (d,) where it draws."""
        given = np.array(_checks.floats("v", v, 1))
        self.check(len(given))
        if self.draws and u is None:
            raise ValueError(f"u: expected {len(given)} uniform numbers, as {self.name} draws; got none")
        uniforms = np.zeros(0) if u is None else np.array(_checks.vector("u", u, len(given)))
        q = np.zeros_like(given)
        self.apply(q, given, uniforms, self.size)
        return q

    def check(self, d: int) -> None:
        """Refuse dimensions that are too small for it."""
        if _checks.size("d", d) < self.smallest:
            name = "k" if "k" in self.settings else "smallest"
            raise ValueError(f"{name}: expected at most d = {d} coordinates to be kept; got {self.smallest}")

    def describe(self) -> dict[str, Any]:
        """Return name and settings as plain JSON."""
        return {"name": self.name, **self.settings}


COMPRESSORS = Registry(Compressor)

AnyCompressor: TypeAlias = Compressor | str | Mapping[str, Any]  # a record, a name, or what describes one
