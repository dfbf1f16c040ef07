"""A network of two layers: many saddles and minima, and analytic gradients per example."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.sums import dot, dot_twin, dots_twin, ordered_sum
from cdgrab_sim._kernels.walk import numpy_walk, walk_loop
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.problems._tables import (
    NOISE,
    START,
    TRUTH,
    WORKER,
    Table,
    chunks,
    synthetic_features,
    table,
)


def _apply(function: Callable[[float], float], a: FloatArray) -> FloatArray:
    """Call the C library for every entry, as the compiled kernels do."""
    return np.array([function(one) for one in a.reshape(-1).tolist()]).reshape(a.shape)


def _split(w: FloatArray, p: int, sizes: IntArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    h, c = int(sizes[0]), int(sizes[1])
    W, b, V, b_out = np.split(w, np.cumsum([h * p, h, c * h]))
    return W.reshape(h, p), b, V.reshape(c, h), b_out


def _forward_twin(w: FloatArray, a: FloatArray, sizes: IntArray) -> tuple[FloatArray, FloatArray]:
    W, b, V, b_out = _split(w, a.shape[1], sizes)
    hidden = _apply(math.tanh, dots_twin(a[:, None], W) + b)
    return hidden, dots_twin(hidden[:, None], V) + b_out


@inlined
def forward(hidden, scores, w, a):  # type: ignore[no-untyped-def]
    """Fill the hidden units and the class scores of one example."""
    h, c, p = hidden.shape[0], scores.shape[0], a.shape[0]
    outer = h * p + h
    for q in range(h):
        hidden[q] = math.tanh(dot(a, w[q * p : (q + 1) * p]) + w[h * p + q])
    for q in range(c):
        scores[q] = dot(hidden, w[outer + q * h : outer + (q + 1) * h]) + w[outer + c * h + q]


@inlined
def exponentials(scores):  # type: ignore[no-untyped-def]
    """Replace scores by exp(score - largest); return the largest and the sum."""
    top = scores[0]
    for q in range(1, scores.shape[0]):
        top = max(top, scores[q])
    total = 0.0
    for q in range(scores.shape[0]):
        scores[q] = math.exp(scores[q] - top)
        total += scores[q]
    return top, total


def _grads_twin(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    X, y, rows, ridge, start, sizes = data
    j, w = rows[who, idx], start + x
    a = X[j]
    hidden, scores = _forward_twin(w, a, sizes)
    e = _apply(math.exp, scores - scores.max(axis=1, keepdims=True))
    delta = e / ordered_sum(e.T)[:, None]
    delta[np.arange(len(j)), y[j]] -= 1.0
    _, _, V, _ = _split(w, a.shape[1], sizes)
    back = ordered_sum(delta.T[:, :, None] * V[:, None]) * (1.0 - hidden * hidden)
    blocks = (back[:, :, None] * a[:, None], back, delta[:, :, None] * hidden[:, None], delta)
    out[:] = np.concatenate([block.reshape(len(j), -1) for block in blocks], axis=1) + ridge[0] * w


@kernel(twin=_grads_twin)
def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    """Gradient of a row by back-propagation: see `mlp`."""
    X, y, rows, ridge, start, sizes = data
    h, c, p, d = sizes[0], sizes[1], X.shape[1], x.shape[0]
    outer = h * p + h
    w, hidden, delta = np.empty(d), np.empty(h), np.empty(c)
    for u in range(d):
        w[u] = start[u] + x[u]
    for r in range(out.shape[0]):
        j = rows[who[r], idx[r]]
        a, g = X[j], out[r]
        forward(hidden, delta, w, a)
        _, total = exponentials(delta)
        for q in range(c):
            delta[q] /= total
        delta[y[j]] -= 1.0
        for q in range(h):
            back = delta[0] * w[outer + q]
            for u in range(1, c):
                back += delta[u] * w[outer + u * h + q]
            back *= 1.0 - hidden[q] * hidden[q]
            for u in range(p):
                g[q * p + u] = back * a[u]
            g[h * p + q] = back
        for q in range(c):
            for u in range(h):
                g[outer + q * h + u] = delta[q] * hidden[u]
            g[outer + c * h + q] = delta[q]
        for u in range(d):
            g[u] += ridge[0] * w[u]


@kernel(twin=numpy_walk(_grads_twin))
def walk(  # type: ignore[no-untyped-def]
    G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data
):
    """Walk bound to this file's `grads`."""
    walk_loop(grads, G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)


@kernel
def loss(x: FloatArray, i: int, j: int, data: Data) -> float:
    """f_ij(x) = log sum_c exp(s_c) - s_y + ridge |w|^2 / 2."""
    X, y, rows, ridge, start, sizes = data
    w, hidden, scores = start + x, np.empty(sizes[0]), np.empty(sizes[1])
    row = rows[i, j]
    forward(hidden, scores, w, X[row])
    score = scores[y[row]]
    top, total = exponentials(scores)
    return ((math.log(total) + top) - score) + 0.5 * ridge[0] * dot(w, w)  # type: ignore[no-any-return]


def _value_twin(x: FloatArray, data: Data) -> float:
    X, y, rows, ridge, start, sizes = data
    w, total = start + x, 0.0
    for a, labels, _ in chunks(X, y, rows):
        scores = _forward_twin(w, a, sizes)[1]
        top = scores.max(axis=1)
        sums = ordered_sum(_apply(math.exp, scores - top[:, None]).T)
        losses = (_apply(math.log, sums) + top) - scores[np.arange(len(labels)), labels]
        total = float(ordered_sum(np.append(total, losses)))
    return total / rows.size + 0.5 * float(ridge[0]) * dot_twin(w, w)


@kernel(twin=_value_twin)
def value(x: FloatArray, data: Data) -> float:
    """f(x), summed over the examples in worker order."""
    X, y, rows, ridge, start, sizes = data
    m, n = rows.shape
    w, hidden, scores = np.empty(x.shape[0]), np.empty(sizes[0]), np.empty(sizes[1])
    for u in range(x.shape[0]):
        w[u] = start[u] + x[u]
    loss = 0.0
    for i in range(m):
        for k in range(n):
            j = rows[i, k]
            forward(hidden, scores, w, X[j])
            score = scores[y[j]]
            top, total = exponentials(scores)
            loss += (math.log(total) + top) - score
    return loss / (m * n) + 0.5 * ridge[0] * dot(w, w)  # type: ignore[no-any-return]


def mlp_on(examples: Table, *, classes: int, hidden: int, ridge: float, seed: int) -> Problem:
    """Return the network on a table of examples with classes 0, 1, ... as targets."""
    h, ridge = _checks.size("hidden", hidden), _checks.real("ridge", ridge, low=0.0)
    (m, n), p = examples.rows.shape, examples.X.shape[1]
    sizes = np.array([h, classes])
    start = stream(seed, Role.DATA, START).standard_normal(h * (p + 1) + classes * (h + 1))
    W, b, V, b_out = _split(start, p, sizes)  # views
    W /= math.sqrt(p)
    V /= math.sqrt(h)
    b[:] = b_out[:] = 0.0
    return Problem(
        name="mlp",
        m=m,
        n=n,
        d=len(start),
        data=(*examples, np.array([ridge]), start, sizes),
        grads=grads,
        value=value,
        loss=loss,
        constants={"rows_left_over": examples.left_over},
        walk=walk,
    )


def mlp(
    *,
    m: int = 8,
    n: int = 64,
    inputs: int = 4,
    hidden: int = 8,
    classes: int = 3,
    sigma: float = 0.1,
    heterogeneity: float = 0.0,
    ridge: float = 0.0,
    seed: int = 0,
) -> Problem:
    r"""Classification by a network with one hidden layer of tanh units and the softmax loss.

    .. math::

        f_{ij}(x) = \log \sum_c e^{s_c} - s_{y_{ij}} + \tfrac12 \rho \|w\|^2, \qquad
        s = V h + b', \quad h = \tanh(W a_{ij} + b), \quad (W, b, V, b') = w = w_0 + x

    x is the displacement from the random weights w_0, so that the origin, where `simulate` starts, is no
    saddle. With p the softmax of s and e_y the unit vector of the class, back-propagation reads

    .. math::

        \delta = p - e_y, \quad \beta = (V^\top \delta) \odot (1 - h \odot h), \quad
        \nabla_W = \beta a^\top, \; \nabla_b = \beta, \; \nabla_V = \delta h^\top, \; \nabla_{b'} = \delta

    The inputs are standard normal. The class of an example is the largest of <a, t_c>^2 + heterogeneity u_ic
    + sigma xi_c, with normal t_c of variance 1/inputs per entry: no linear rule finds it.

    Parameters
    ----------
    m, n : int
        Workers, examples per worker.
    inputs, hidden, classes : int
        Widths; d = hidden (inputs + 1) + classes (hidden + 1).
    sigma : float
        Standard deviation of the noise in the scores that decide the class.
    heterogeneity : float
        Standard deviation of the worker-level shifts u_ic of these scores, which skew the shares of the
        classes. Nothing of worker i depends on m.
    ridge : float
        rho.
    seed : int

    Returns
    -------
    Problem
        No minimiser and no constants of theory are known.

    Examples
    --------
    >>> problem = mlp(m=2, n=8, inputs=2, hidden=4, classes=3)
    >>> problem.d, bool(0.0 < problem.value(np.zeros(27), problem.data) < 3.0)
    (27, True)
    """
    m, n, p = _checks.size("m", m), _checks.size("n", n), _checks.size("inputs", inputs)
    classes = _checks.integer("classes", classes, low=2)
    X, rows = synthetic_features(m, n, p, seed=seed)
    y = _true_classes(X, m, classes, sigma=sigma, heterogeneity=heterogeneity, seed=seed)
    return mlp_on(table(X, y, rows), classes=classes, hidden=hidden, ridge=ridge, seed=seed)


def _true_classes(
    X: FloatArray, m: int, classes: int, *, sigma: float, heterogeneity: float, seed: int
) -> IntArray:
    sigma = _checks.real("sigma", sigma, low=0.0)
    heterogeneity = _checks.real("heterogeneity", heterogeneity, low=0.0)
    p, n = X.shape[1], len(X) // m
    truth = stream(seed, Role.DATA, TRUTH).standard_normal((classes, p)) / math.sqrt(p)
    margins = np.stack([dots_twin(X, t) for t in truth], axis=1)
    shifts = stream(seed, Role.DATA, WORKER).standard_normal((m, classes))
    noise = stream(seed, Role.DATA, NOISE).standard_normal((m * n, classes))
    scores = margins * margins + heterogeneity * np.repeat(shifts, n, axis=0) + sigma * noise
    largest: IntArray = np.argmax(scores, axis=1)
    return largest
