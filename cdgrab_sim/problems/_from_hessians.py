"""Quadratics with Hessians of their own: where even the mean of the iterates depends on the order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.sums import dot
from cdgrab_sim._kernels.walk import walk_loop
from cdgrab_sim._records import Problem
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.problems._linear_terms import mean_term


class Hessians(NamedTuple):
    """Data of `from_hessians`."""

    hessians: FloatArray  # (m, n, d, d) A
    linear: FloatArray  # (m, n, d) c
    mean_hessian: FloatArray  # (d, d)
    mean_linear: FloatArray  # (d,)


@kernel(small=True)
def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    """Gradient of a row: A_ij x - c_ij."""
    hessians, linear, _, _ = data
    for r in range(out.shape[0]):
        i, j = who[r], idx[r]
        for p in range(out.shape[1]):
            out[r, p] = dot(hessians[i, j, p], x) - linear[i, j, p]


@kernel
def walk(  # type: ignore[no-untyped-def]
    G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data
):
    """Walk bound to this file's `grads`."""
    walk_loop(grads, G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)


@inlined
def form(x, A, c):  # type: ignore[no-untyped-def]
    """Return x' A x / 2 - c' x."""
    image = np.empty(x.shape[0])
    for p in range(x.shape[0]):
        image[p] = dot(A[p], x)
    return 0.5 * dot(x, image) - dot(c, x)


@kernel
def loss(x: FloatArray, i: int, j: int, data: Data) -> float:
    """f_ij(x) = x' A_ij x / 2 - c_ij' x."""
    hessians, linear, _, _ = data
    return form(x, hessians[i, j], linear[i, j])  # type: ignore[no-any-return]


@kernel
def value(x: FloatArray, data: Data) -> float:
    """f(x) = x' A x / 2 - c' x, with the mean A and c."""
    _, _, mean_hessian, mean_linear = data
    return form(x, mean_hessian, mean_linear)  # type: ignore[no-any-return]


KERNELS: dict[str, Any] = {"grads": grads, "value": value, "loss": loss, "walk": walk}
KERNELS["provenance"] = "textbook; constants proved here"


def from_hessians(hessians: ArrayLike, linear: ArrayLike) -> Problem:
    r"""Quadratics given by their Hessians and linear terms.

    .. math:: f_{ij}(x) = \tfrac12 x^\top A_{ij} x - c_{ij}^\top x

    Parameters
    ----------
    hessians : array (m, n, d, d)
        Symmetric A_ij; their mean must be positive definite, single ones need not be.
    linear : array (m, n, d)

    Returns
    -------
    Problem
        With constants ``mu``, of the mean, and ``L``, the largest absolute eigenvalue of any A_ij.

    Examples
    --------
    >>> problem = from_hessians([[[[1.0]], [[3.0]]]], [[[2.0], [2.0]]])
    >>> problem.x_star, float(problem.f_star), problem.constants["L"]
    (array([1.]), -1.0, 3.0)
    """
    A, c = _checks.floats("hessians", hessians, 4), _checks.floats("linear", linear, 3)
    for name, entries in (("hessians", A), ("linear", c)):
        _checks.below(name, entries)
    m, n, d = c.shape
    if A.shape != (m, n, d, d):
        raise ValueError(f"hessians: expected shape (m, n, d, d) = {(m, n, d, d)}; got {A.shape}")
    if not np.array_equal(A, A.swapaxes(2, 3)):
        raise ValueError("hessians: expected symmetric matrices; got others; use (A + A') / 2")
    mean_A = mean_term(A.reshape(m, n, d * d)).reshape(d, d)
    mean_c = mean_term(c)
    mu = float(np.linalg.eigvalsh(mean_A)[0])
    if mu <= 0.0:
        raise ValueError(f"hessians: expected a positive definite mean; got smallest eigenvalue {mu:.3g}")
    x_star: FloatArray = np.linalg.solve(mean_A, mean_c).astype(np.float64, copy=False)
    data = Hessians(A, c, mean_A, mean_c)
    known: dict[str, Any] = {"x_star": x_star, "f_star": value(x_star, tuple(data))}
    known["smoothness"] = L = np.abs(np.linalg.eigvalsh(A)).max(axis=2)
    constants = {"L": float(L.max()), "mu": mu}
    return Problem("from_hessians", m, n, d, data, constants=constants, **known, **KERNELS)
