"""A network of two layers: many saddles and minima, and analytic gradients per example."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.sums import dot, dots_twin
from cdgrab_sim._kernels.walk import walk_loop
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.problems._registry import PROBLEMS
from cdgrab_sim.problems._tables import NOISE, START, TRUTH, WORKER, Table, synthetic_features, table


class Network(NamedTuple):
    """Data of `mlp`: examples as in a `Table`, and the network."""

    X: FloatArray  # (N, p) inputs
    y: IntArray  # (N,) classes
    rows: IntArray  # (m, n) which row of X and y
    ridge: FloatArray  # (1,) rho
    start: FloatArray  # (d,) w_0
    sizes: IntArray  # (2,) hidden units and classes


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


@inlined
def cross_entropy(hidden, scores, w, a, label):  # type: ignore[no-untyped-def]
    """Return log sum_c exp(s_c) - s_label of one example."""
    forward(hidden, scores, w, a)
    score = scores[label]
    top, total = exponentials(scores)
    return (math.log(total) + top) - score


@kernel
def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    """Gradient of a row by back-propagation: see `mlp`."""
    X, y, rows, ridge, start, sizes = data
    h, c, p, d = sizes[0], sizes[1], X.shape[1], x.shape[0]
    outer = h * p + h
    w, hidden, delta = start + x, np.empty(h), np.empty(c)
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


@kernel
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
    entropy = cross_entropy(hidden, scores, w, X[row], y[row])
    return entropy + 0.5 * ridge[0] * dot(w, w)  # type: ignore[no-any-return]


@kernel
def value(x: FloatArray, data: Data) -> float:
    """f(x), summed over the examples in worker order."""
    X, y, rows, ridge, start, sizes = data
    m, n = rows.shape
    w, hidden, scores = start + x, np.empty(sizes[0]), np.empty(sizes[1])
    total = 0.0
    for i in range(m):
        for k in range(n):
            j = rows[i, k]
            total += cross_entropy(hidden, scores, w, X[j], y[j])
    return total / (m * n) + 0.5 * ridge[0] * dot(w, w)  # type: ignore[no-any-return]


KERNELS: dict[str, Any] = {"grads": grads, "value": value, "loss": loss, "walk": walk}
KERNELS["provenance"] = "textbook"


def mlp_on(examples: Table, *, classes: int, hidden: int, ridge: float, seed: int) -> Problem:
    """Return the network on a table of examples with classes 0, 1, ... as targets."""
    ridge, (m, n), p = _checks.real("ridge", ridge, low=0.0), examples.rows.shape, examples.X.shape[1]
    h, *_ = _checks.sizes(hidden=hidden, inputs=p + classes)
    outer = h * (p + 1)
    start = stream(seed, Role.DATA, START).standard_normal(outer + classes * (h + 1))
    start[: h * p] /= math.sqrt(p)  # W, b, V and b' one after the other; no thresholds at first
    start[h * p : outer] = 0.0
    start[outer:-classes] /= math.sqrt(h)
    start[-classes:] = 0.0
    data = Network(*examples, np.array([ridge]), start, np.array([h, classes]))
    constants = {"rows_left_over": examples.left_over}
    return Problem("mlp", m, n, len(start), data, constants=constants, rows=examples.rows, **KERNELS)


@PROBLEMS.register
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
    m, n, p = _checks.sizes(m=m, n=n, inputs=inputs)
    classes = _checks.integer("classes", classes, low=2)
    _checks.sizes(m=m, n=n, classes=classes)
    X, rows = synthetic_features(m, n, p, seed=seed)
    y = _true_classes(X, m, classes, sigma=sigma, heterogeneity=heterogeneity, seed=seed)
    return mlp_on(table(X, y, rows), classes=classes, hidden=hidden, ridge=ridge, seed=seed)


def _true_classes(
    X: FloatArray, m: int, classes: int, *, sigma: float, heterogeneity: float, seed: int
) -> IntArray:
    sigma = _checks.spread("sigma", sigma)
    heterogeneity = _checks.spread("heterogeneity", heterogeneity)
    p, n = X.shape[1], len(X) // m
    truth = stream(seed, Role.DATA, TRUTH).standard_normal((classes, p)) / math.sqrt(p)
    margins = np.stack([dots_twin(X, t) for t in truth], axis=1)
    shifts = stream(seed, Role.DATA, WORKER).standard_normal((m, classes))
    noise = stream(seed, Role.DATA, NOISE).standard_normal((m * n, classes))
    scores = margins * margins + heterogeneity * np.repeat(shifts, n, axis=0) + sigma * noise
    largest: IntArray = np.argmax(scores, axis=1)
    return largest
