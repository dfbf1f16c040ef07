"""How far a coreset is from all points, and greedy swaps that bring it closer."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.thinning._functions import Kernel, make_kernel
from cdgrab_sim.thinning._halving import as_points
from cdgrab_sim.thinning._loops import sums_loop


def mmd(points: ArrayLike, chosen: ArrayLike, kernel: Kernel | str = "gaussian") -> float:
    r"""Return the maximum mean discrepancy of some of the points to all of them.

    .. math::

        \mathrm{MMD}^2 = \frac1{n^2} \sum_{x, y} k(x, y) - \frac{2}{n s} \sum_{x, y \in S} k(x, y)
        + \frac1{s^2} \sum_{x \in S, y \in S} k(x, y)

    the largest difference of means over functions of norm 1 in the kernel's space. O(n^2) time, O(n) memory.

    Parameters
    ----------
    points : array (n, d)
    chosen : int array (s,)
        Indices of the coreset S; repetitions count as often as they occur.
    kernel : Kernel or str

    Examples
    --------
    >>> mmd([[0.0], [2.0]], [0], "linear")  # the means are 0 and 1
    1.0
    """
    table, kernel = as_points(points), make_kernel(kernel)
    rows = as_rows(chosen, len(table))
    return Distances(table, kernel).mmd(rows)


class Distances:
    """The means of a kernel over all points, from which the MMD of any coreset follows."""

    def __init__(self, table: FloatArray, kernel: Kernel) -> None:
        kernel.check(table)
        self._table, self._kernel, self._sums = table, kernel, sums_loop(kernel, table)
        self.mean = self.sums(table) / len(table)  # (n,) mean over y of k(x, y)
        self._self = float(np.cumsum(self.mean)[-1] / len(table))

    def sums(self, Y: FloatArray) -> FloatArray:
        """Return sum over y in Y of k(x, y) for all points x."""
        out = np.empty(len(self._table))
        self._sums(out, Y)
        return out

    def mmd(self, rows: IntArray, near: FloatArray | None = None) -> float:
        """Return the MMD of a coreset; `near` are its `sums` where they are known."""
        s = len(rows)
        if near is None:
            inner = np.empty(s)
            sums_loop(self._kernel, self._table[rows])(inner, self._table[rows])
        else:
            inner = near[rows]
        square = self._self - 2.0 / s * np.cumsum(self.mean[rows])[-1] + np.cumsum(inner)[-1] / s**2
        return math.sqrt(max(0.0, float(square)))

    def refined(self, rows: IntArray, passes: int, rng: Generator) -> tuple[IntArray, float]:
        r"""Replace one point after the other, in random order, by the one that makes the MMD smallest.

        .. math:: \arg\min_y \; 2 \sum_{z \in S \setminus x} k(z, y) + k(y, y) - 2 s \, \frac1n \sum_z k(z, y)

        over points y that are not in S, or x itself, which stays on a tie. In the order of the points the MMD
        ends about a tenth higher than in random order. Returns the coreset and its MMD.
        """
        chosen, near = rows.copy(), self.sums(self._table[rows])
        best = rows, self.mmd(rows, near)
        pull = self._own() - 2.0 * len(rows) * self.mean
        free, room = pull.copy(), np.empty(len(pull))
        free[chosen] = np.inf
        for _ in range(passes):
            for position in rng.permutation(len(chosen)):
                chosen[position] = self._swapped(int(chosen[position]), near, pull, free, room)
            best = min(best, (chosen.copy(), self.mmd(chosen, near)), key=lambda one: one[1])
        return best

    def _swapped(self, x: int, near: FloatArray, pull: FloatArray, free: FloatArray, room: FloatArray) -> int:
        """Return who takes the place of x; `free` is `pull`, but infinite for points in S."""
        row = self.sums(self._table[x : x + 1])
        np.subtract(near, row, out=room)
        room *= 2.0
        own = room[x] + pull[x]
        room += free
        y = int(np.argmin(room))
        if room[y] >= own:
            return x
        near += self.sums(self._table[y : y + 1]) - row
        free[x], free[y] = pull[x], np.inf
        return y

    def _own(self) -> FloatArray:
        """Return k(x, x) for all points x."""
        if self._kernel.is_gaussian:
            return np.ones(len(self._table))
        function, settings = self._kernel.function, self._kernel.settings
        return np.array([function(x, x, settings) for x in self._table])


def as_rows(chosen: ArrayLike, n: int) -> IntArray:
    """Return indices of points, checked."""
    rows = _checks.array("chosen", chosen)
    if rows.ndim != 1 or not len(rows) or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n:
        raise ValueError(
            f"chosen: expected indices of points, from 0 to {n - 1}; got {_checks.brief(chosen)}"
        )
    return rows.astype(np.int64)
