"""The maps of methods with memory: momentum, and tables of gradients (M2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import finite_array, nonnegative, one_of, positive
from theory._spectral import Array, examples


def momentum_maps(
    alpha: float,
    hessians: ArrayLike,
    linear: ArrayLike,
    momentum: float = 0.0,
    weight_decay: float = 0.0,
    kind: str = "heavy-ball",
) -> Array:
    r"""Return the maps of SGD with momentum on (x, v, 1) (M2).

    .. math::
        v' &= \beta v + g_w(x) + \gamma x, \qquad g_w(x) = A_w x - c_w \\
        x' &= x - \alpha v' \ \text{(heavy-ball)}, \qquad
        x' = x - \alpha (g_w(x) + \gamma x + \beta v') \ \text{(nesterov)}

    Without momentum this is plain SGD, with v the gradient of the step before.

    Assumes quadratic examples.

    Provenance: proved here, note ``M2-maps-of-methods``; the recurrences are recalled.

    Parameters
    ----------
    hessians : array_like, shape (n, ..., n, d, d)
        A_w, the mean over workers of the Hessians at the examples w of a step.
    linear : array_like, shape (n, ..., n, d)
        c_w, likewise.
    momentum, weight_decay : float
        beta and gamma.
    kind : {"heavy-ball", "nesterov"}

    Returns
    -------
    ndarray, shape (n, ..., n, 2 d + 1, 2 d + 1)
        The maps.

    Examples
    --------
    >>> momentum_maps(0.5, [[[1.0]]], [[2.0]], momentum=0.25)[0]
    array([[ 0.5  , -0.125,  1.   ],
           [ 1.   ,  0.25 , -2.   ],
           [ 0.   ,  0.   ,  1.   ]])
    """
    A = np.asarray(hessians, dtype=np.float64)
    A = finite_array("hessians", A, max(A.ndim, 3), "(n, ..., n, d, d)")
    c = finite_array("linear", linear, A.ndim - 1, "(n, ..., n, d)")
    if c.shape != A.shape[:-1] or A.shape[-1] != A.shape[-2]:
        raise ValueError(
            f"expected linear of shape {A.shape[:-1]}, square Hessians; got {c.shape}, {A.shape}"
        )
    a, beta, d = positive("alpha", alpha), nonnegative("momentum", momentum), A.shape[-1]
    steepest = A + nonnegative("weight_decay", weight_decay) * np.eye(d)
    maps = np.zeros((*c.shape[:-1], 2 * d + 1, 2 * d + 1))
    x, v = maps[..., :d, :], maps[..., d : 2 * d, :]
    v[..., :d], v[..., d : 2 * d], v[..., -1] = steepest, beta * np.eye(d), -c
    x[..., :d] = np.eye(d)
    if one_of("kind", kind, ("heavy-ball", "nesterov")) == "heavy-ball":
        x -= a * v
    else:
        x -= a * beta * v
        x[..., :d] -= a * steepest
        x[..., -1] += a * c
    maps[..., -1, -1] = 1.0
    return maps


def table_maps(alpha: float, hessians: ArrayLike, linear: ArrayLike, kind: str = "sag") -> Array:
    r"""Return the maps of SAG or SAGA on (x, g_1, ..., g_n, 1), with one worker (M2).

    .. math::
        x' &= x - \frac{\alpha}{n} \Bigl( g_w(x) - g_w + \sum_l g_l \Bigr) \ \text{(sag)}, \qquad
        x' = x - \alpha \Bigl( g_w(x) - g_w + \frac1n \sum_l g_l \Bigr) \ \text{(saga)} \\
        g_w' &= g_w(x) = A_w x - c_w

    In the order of the data SAG is IAG.

    Assumes quadratic examples.

    Provenance: proved here, note ``M2-maps-of-methods``. Schmidt, Le Roux, Bach, arXiv:1309.2388, and
    Defazio, Bach, Lacoste-Julien, arXiv:1407.0202: the recurrences are recalled.

    Parameters
    ----------
    hessians : array_like, shape (n, d, d)
        A_j.
    linear : array_like, shape (n, d)
        c_j.
    kind : {"sag", "saga"}

    Returns
    -------
    ndarray, shape (n, (n + 1) d + 1, (n + 1) d + 1)
        The maps.

    Examples
    --------
    One example: gradient descent, which writes its gradient down.

    >>> table_maps(0.5, [[[1.0]]], [[2.0]])[0]
    array([[ 0.5,  0. ,  1. ],
           [ 1. ,  0. , -2. ],
           [ 0. ,  0. ,  1. ]])
    """
    A, c = examples(hessians, "linear", linear)
    n, d = c.shape
    own = 1.0 / n if one_of("kind", kind, ("sag", "saga")) == "sag" else 1.0
    a, size = positive("alpha", alpha), (n + 1) * d
    maps = np.tile(np.eye(size + 1), (n, 1, 1))
    for j, P in enumerate(maps):
        row = slice((j + 1) * d, (j + 2) * d)
        gradient = np.zeros((d, size + 1))
        gradient[:, :d], gradient[:, -1] = A[j], -c[j]
        table = np.tile(np.eye(d), n) / n
        P[:d] -= a * own * (gradient - P[row])
        P[:d, d:size] -= a * table
        P[row] = gradient
    return maps
