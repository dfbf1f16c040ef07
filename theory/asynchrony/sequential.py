"""The sequential parents (A16): with one worker every delay is 0 and each method is one of these.

Each function returns the points at which gradients are computed, row k at step k and the last row the final
point. The arithmetic is part of the statement: it is written in the order in which the asynchronous method
does it, so that the equality holds bit for bit. ``gradient(x, z)`` is the gradient of example z
at x; ``examples`` are z_k in the order of use, K of them, ``x0`` (d,) is the start, ``batch`` S.

========================================================  ========================
method with one worker                                    parent
========================================================  ========================
vanilla, delay-adaptive, drop by age, Ringmaster          :func:`sgd`
Rennala, mini-batch, first k (k arrivals at one point)    :func:`mini_batch_sgd`
ordered momentum (OrMo)                                   :func:`heavy_ball`
ordered AnyTime                                           :func:`anytime_sgd`
asynchronous mu^2-SGD                                     :func:`mu_squared_sgd`
========================================================  ========================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, positive, vector

Gradient = Callable[[NDArray[np.float64], int], NDArray[np.float64]]


def sgd(gradient: Gradient, x0: ArrayLike, examples: Sequence[int], step_size: float) -> NDArray[np.float64]:
    r"""Return the iterates of SGD (A16).

    .. math:: x_{k+1} = x_k - \alpha\,g(x_k; z_k)

    Assumes nothing.

    Provenance: proved here (the equality with m = 1), note ``A16-sequential-parents``; a textbook rule.

    Returns
    -------
    ndarray, shape (K + 1, d)
        ``x_0 .. x_K``.

    Examples
    --------
    >>> sgd(lambda x, z: x - z, [0.0], [1, 1], 0.5).ravel().tolist()
    [0.0, 0.5, 0.75]
    """
    return mini_batch_sgd(gradient, x0, examples, step_size, batch=1)


def mini_batch_sgd(
    gradient: Gradient, x0: ArrayLike, examples: Sequence[int], step_size: float, batch: int
) -> NDArray[np.float64]:
    r"""Return the iterates of mini-batch SGD; an open last batch is not applied (A16).

    .. math:: x_{k+1} = x_k - \alpha \Big(\frac1S \sum_{j=kS}^{kS+S-1} g(x_k; z_j)\Big)

    Assumes nothing.

    Provenance: proved here (the equality with m = 1), note ``A16-sequential-parents``; a textbook rule.

    Returns
    -------
    ndarray, shape (K // S + 1, d)
        ``x_0 .. x_{K // S}``.

    Examples
    --------
    >>> mini_batch_sgd(lambda x, z: x - z, [0.0], [1, 3, 5], 0.5, batch=2).ravel().tolist()
    [0.0, 1.0]
    """
    x, alpha = vector("x0", x0).copy(), positive("step_size", step_size)
    batch = integer_at_least("batch", batch, 1)
    path = [x]
    for start in range(0, len(examples) - batch + 1, batch):
        total = np.zeros_like(x)
        for z in examples[start : start + batch]:
            total = total + gradient(x, z)
        x = x - alpha * (total / batch)
        path.append(x)
    return np.array(path)


def heavy_ball(
    gradient: Gradient,
    x0: ArrayLike,
    examples: Sequence[int],
    step_size: float,
    momentum: float,
    look_ahead: bool = False,
) -> NDArray[np.float64]:
    r"""Return the points at which SGD with momentum computes its gradients (A16).

    .. math::
        y_k = w_k - \beta u_k, \qquad w_{k+1} = y_k - \alpha g_k, \qquad u_{k+1} = \beta u_k + \alpha g_k

    with g_k at w_k (heavy ball) or at y_k (``look_ahead``: Nesterov's form). Ordered momentum with one worker
    is the first if its bucket advances when the next gradient arrives, the second if it advances before the
    worker reads.

    Assumes ``u_0 = 0``.

    Provenance: proved here (the equality with m = 1), note ``A16-sequential-parents``; a textbook rule.

    Parameters
    ----------
    momentum : float
        beta, 0 <= beta < 1.
    look_ahead : bool, default False
        Read at y_k instead of w_k.

    Returns
    -------
    ndarray, shape (K + 1, d)
        ``w_0 .. w_K``, or ``y_0 .. y_K`` with ``look_ahead``.

    Examples
    --------
    >>> heavy_ball(lambda x, z: x - z, [0.0], [1, 1], 0.5, 0.5).ravel().tolist()
    [0.0, 0.5, 1.0]
    """
    w, alpha = vector("x0", x0).copy(), positive("step_size", step_size)
    positive("1 - momentum", 1.0 - momentum)
    if momentum < 0.0:
        raise ValueError(f"expected 0 <= momentum < 1; got {momentum}; pass a fraction")
    u = np.zeros_like(w)
    y = w
    path = [w]
    for z in examples:
        kick = alpha * gradient(y if look_ahead else w, z)
        w, u = y - kick, momentum * u + kick
        y = w - momentum * u
        path.append(y if look_ahead else w)
    return np.array(path)


def anytime_sgd(
    gradient: Gradient, x0: ArrayLike, examples: Sequence[int], step_size: float
) -> NDArray[np.float64]:
    r"""Return the query points of AnyTime SGD, weighted averages of the iterates (A16).

    .. math::
        w_{k+1} = w_k - \eta\,\alpha_k\,g(x_k; z_k), \qquad
        x_{k+1} = \frac{A_k x_k + \alpha_{k+1} w_{k+1}}{A_{k+1}}, \qquad
        \alpha_k = k + 1, \; A_k = \sum_{i \le k} \alpha_i

    Assumes no projection.

    Provenance: proved here (the equality with m = 1), note ``A16-sequential-parents``; the rule is published
    (arXiv:1903.00974).

    Returns
    -------
    ndarray, shape (K + 1, d)
        ``x_0 .. x_K``.

    Examples
    --------
    >>> anytime_sgd(lambda x, z: x - z, [0.0], [3, 3], 0.25).ravel().tolist()
    [0.0, 0.5, 1.25]
    """
    x, eta = vector("x0", x0).copy(), positive("step_size", step_size)
    w, path = x, [x]
    for k, z in enumerate(examples):
        w = w - eta * (k + 1) * gradient(x, z)
        x = _average(x, w, k)
        path.append(x)
    return np.array(path)


def mu_squared_sgd(
    gradient: Gradient, x0: ArrayLike, examples: Sequence[int], step_size: float
) -> NDArray[np.float64]:
    r"""Return the query points of mu^2-SGD: AnyTime averaging with corrected momentum (A16).

    .. math::
        d_k = g(x_k; z_k) + (1 - \beta_k)\,(d_{k-1} - g(x_{k-1}; z_k)), \quad \beta_k = \tfrac{1}{k+1}, \qquad
        w_{k+1} = w_k - \eta\,\alpha_k\,d_k

    and x_{k+1} averaged as in :func:`anytime_sgd`.

    Assumes no projection; two gradients of every example.

    Provenance: proved here (the equality with m = 1), note ``A16-sequential-parents``; the rule is published
    (arXiv:2304.04172, recalled).

    Returns
    -------
    ndarray, shape (K + 1, d)
        ``x_0 .. x_K``.

    Examples
    --------
    With one curvature the correction is exact and d_k a running mean, ``x_k - (1 + 3) / 2`` at k = 1:

    >>> mu_squared_sgd(lambda x, z: x - z, [0.0], [1, 3], 0.25).ravel().round(6).tolist()
    [0.0, 0.166667, 0.666667]
    """
    x, eta = vector("x0", x0).copy(), positive("step_size", step_size)
    before, w, path = x, x, [x]
    d = np.zeros_like(x)
    for k, z in enumerate(examples):
        beta = 1.0 / (k + 1)
        d = gradient(x, z) + (1.0 - beta) * (d - gradient(before, z))
        before, w = x, w - eta * (k + 1) * d
        x = _average(x, w, k)
        path.append(x)
    return np.array(path)


def _average(x: NDArray[np.float64], w: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return (A_k x + alpha_{k+1} w) / A_{k+1} with alpha_i = i + 1."""
    weight = (k + 1) * (k + 2) / 2
    return (weight * x + (k + 2) * w) / (weight + (k + 2))
