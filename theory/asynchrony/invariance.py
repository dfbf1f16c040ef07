"""Methods whose state forgets the order of arrival (A14), and exact delay compensation (A15).

``gradients`` (K, d) are those that have arrived, in any order; the step size is eta, the momentum beta.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, matrix, positive, vector

State = tuple[NDArray[np.float64], NDArray[np.float64]]


def _jobs(
    gradients: ArrayLike, labels: ArrayLike, latest: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the gradients (K, d) and their integer labels (K,), all in 0..latest."""
    gradients, given = matrix("gradients", gradients), np.asarray(labels)
    if not np.issubdtype(given.dtype, np.integer):
        raise TypeError(f"expected integer labels; got {given.dtype}; pass the index or bucket of each job")
    if given.shape != (len(gradients),) or given.min() < 0 or given.max() > latest:
        raise ValueError(
            f"expected {len(gradients)} labels in 0..{latest}; got shape {given.shape}, {given.tolist()}; "
            "one for each gradient, none from the future"
        )
    return gradients, given.astype(np.int64)


def ordered_anytime_state(
    x0: ArrayLike, gradients: ArrayLike, index: ArrayLike, step_size: float, counter: int
) -> State:
    r"""Return the state of ordered AnyTime SGD, whatever the order in which the gradients arrived (A14).

    .. math::
        w = x_0 - \eta \sum_j \alpha_j g_j, \qquad
        x = x_0 - \eta \sum_j \frac{A_k - A_j}{A_k}\,\alpha_j g_j, \qquad
        \alpha_j = j + 1, \; A_k = \sum_{i \le k} \alpha_i

    over the gradients that have arrived, j being the counter at which the job was issued. It equals AnyTime
    SGD that uses every gradient at its issue index.

    Assumes the update of note A14 without projection; the gradients are taken as given.

    Provenance: proved here (the invariance), note ``A14-order-invariance-of-ordered-momentum``; the rule is a
    reconstruction of arXiv:2605.02043, not compared with its text. See Dahan, Reshef, Goldstein, Levy (2026),
    arXiv:2605.02043. Cutkosky (2019), arXiv:1903.00974 (AnyTime).

    Parameters
    ----------
    index : array_like of int, shape (K,)
        Issue index of each, 0 for all jobs at the start.
    counter : int
        k, the counter now (K if each arrival advances it).

    Returns
    -------
    w, x : ndarray, shape (d,)
        The iterate and the query point that workers read.

    Examples
    --------
    >>> w, x = ordered_anytime_state([0.0], [[1.0], [1.0]], [1, 0], 0.5, counter=2)
    >>> w.tolist(), x.tolist()
    ([-1.5], [-0.9166666666666667])
    """
    x0, eta = vector("x0", x0), positive("step_size", step_size)
    counter = integer_at_least("counter", counter, 0)
    gradients, j = _jobs(gradients, index, counter)
    moved = eta * (j + 1)[:, None] * gradients
    total = (counter + 1) * (counter + 2) / 2
    shown = 1.0 - (j + 1) * (j + 2) / 2 / total
    return x0 - moved.sum(axis=0), x0 - (shown[:, None] * moved).sum(axis=0)


def ordered_heavy_ball_state(
    w0: ArrayLike, gradients: ArrayLike, bucket: ArrayLike, step_size: float, momentum: float, current: int
) -> State:
    r"""Return the state of ordered momentum (OrMo), whatever the order in which the gradients arrived (A14).

    .. math::
        w = w_0 - \eta \sum_j \frac{1 - \beta^{b - c_j + 1}}{1 - \beta}\,g_j, \qquad
        u = \eta \sum_j \beta^{b - c_j} g_j

    over the gradients that have arrived, c_j being the bucket of the job and b the current one. It equals
    synchronous momentum SGD, one step for each bucket.

    Assumes the gradients are taken as given; b advances at any time, but before a gradient of a later bucket
    arrives.

    Provenance: proved here (the invariance), note ``A14-order-invariance-of-ordered-momentum``; the method is
    published (arXiv:2407.19234, its formulas recalled).

    Parameters
    ----------
    bucket : array_like of int, shape (K,)
        Bucket of each job, ``ceil(index / m)``.
    current : int
        b, the bucket now.

    Returns
    -------
    w, u : ndarray, shape (d,)
        The iterate and the momentum.

    Examples
    --------
    >>> w, u = ordered_heavy_ball_state([0.0], [[1.0], [1.0]], [1, 0], 0.5, 0.5, current=1)
    >>> w.tolist(), u.tolist()
    ([-1.25], [0.75])
    """
    w0, eta = vector("w0", w0), positive("step_size", step_size)
    beta = 1.0 - positive("1 - momentum", 1.0 - momentum)
    if beta < 0.0:
        raise ValueError(f"expected 0 <= momentum < 1; got {momentum}; pass a fraction")
    current = integer_at_least("current", current, 0)
    gradients, c = _jobs(gradients, bucket, current)
    decay = beta ** (current - c).astype(np.float64)
    kicks = eta * gradients
    shown = (1.0 - beta * decay) / (1.0 - beta)
    return w0 - (shown[:, None] * kicks).sum(axis=0), (decay[:, None] * kicks).sum(axis=0)


def compensated_gradient(
    gradient: ArrayLike, hessian: ArrayLike, x: ArrayLike, read: ArrayLike
) -> NDArray[np.float64]:
    """Return the delay-compensated gradient, exact on quadratics (A15).

    .. math:: g(y) + H (x - y) = g(x)

    Asynchronous SGD with it equals sequential SGD on the examples in their order of arrival. The published
    rule with ``lambda g * g`` in the place of H is exact iff H is diagonal with that diagonal.

    Assumes H is the Hessian of the example whose gradient is given.

    Provenance: proved here (exactness), note ``A15-exact-delay-compensation``; the rule is published
    (arXiv:1609.08326).

    Parameters
    ----------
    gradient : array_like, shape (d,)
        g(y), as the worker computed it.
    hessian : array_like, shape (d, d)
        H of that example.
    x, read : array_like, shape (d,)
        The server's iterate and y, the point that the worker read.

    Returns
    -------
    ndarray, shape (d,)
        The gradient at x.

    Examples
    --------
    >>> compensated_gradient([2.0], [[2.0]], [3.0], [1.0]).tolist()
    [6.0]
    """
    gradient, hessian = vector("gradient", gradient), matrix("hessian", hessian)
    x, read = vector("x", x), vector("read", read)
    d = len(gradient)
    if hessian.shape != (d, d) or x.shape != (d,) or read.shape != (d,):
        raise ValueError(
            f"expected hessian ({d}, {d}), x and read ({d},); got {hessian.shape}, {x.shape}, {read.shape}; "
            "match the gradient"
        )
    return gradient + hessian @ (x - read)
