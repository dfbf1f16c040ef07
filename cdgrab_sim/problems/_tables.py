"""Examples in a table: worker i's example j is row ``rows[i, j]`` of X (N, d) and of y (N,).

Synthetic and real data have this one form, so that each loss has one kernel, and so that a memory map of real
data is looked up row by row and never copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import _checks
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray

FEATURES, TRUTH, WORKER, NOISE, OUTLIER, START = range(6)  # fields of the DATA role
_CHUNK = 1 << 16  # entries of X looked at together


class Table(NamedTuple):
    """Examples (a, y) of m workers; read-only arrays."""

    X: FloatArray  # (N, d) features
    y: NDArray[Any]  # (N,) float64 targets or int64 classes
    rows: IntArray  # (m, n) which row of X and y

    @property
    def left_over(self) -> int:
        """Rows of X that no worker has."""
        return len(self.X) - self.rows.size


def table(X: FloatArray, y: NDArray[Any], rows: IntArray) -> Table:
    """Return the table of arrays in the form that kernels take; a memory map stays one."""
    return Table(_checks.data("X", X), _checks.data("y", y), _checks.data("rows", rows))


def chunks(
    X: FloatArray, y: NDArray[Any], rows: IntArray
) -> Iterator[tuple[FloatArray, NDArray[Any], slice]]:
    """Pass over the examples in worker order: features, targets, places in ``rows``, flattened."""
    flat = rows.reshape(-1)
    length = max(1, _CHUNK // X.shape[1])
    for start in range(0, flat.size, length):
        place = slice(start, min(start + length, flat.size))
        yield X[flat[place]], y[flat[place]], place


def synthetic_features(m: int, n: int, d: int, *, seed: int) -> tuple[FloatArray, IntArray]:
    """Draw standard normal features (m n, d), and the rows (m, n) of the workers, one after the other."""
    X = stream(_checks.integer("seed", seed, low=0), Role.DATA, FEATURES).standard_normal((m * n, d))
    X.flags.writeable = False  # so that a table need not copy it
    return X, np.arange(m * n).reshape(m, n)


def true_margins(X: FloatArray, m: int, *, heterogeneity: float, seed: int) -> FloatArray:
    """Return <a_ij, w_i> of all examples (m n,), with a w_i per worker that does not depend on m.

    w_i = w + heterogeneity * u_i; the entries of w and u_i are normal with variance 1/d.
    """
    heterogeneity = _checks.spread("heterogeneity", heterogeneity)
    d = X.shape[1]
    truth = stream(seed, Role.DATA, TRUTH).standard_normal(d)
    w = (truth + heterogeneity * stream(seed, Role.DATA, WORKER).standard_normal((m, d))) / np.sqrt(d)
    a, t = X.reshape(m, -1, d), np.zeros((m, len(X) // m))
    for p in range(d):  # one coordinate at a time: no BLAS, no temporary of the size of X
        t += a[:, :, p] * w[:, None, p]
    return t.reshape(-1)
