"""Slow, plain SGD over finite sums that logs everything the convergence statements speak of."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Problem:
    """m workers with n examples each: all gradients at a point as one (m, n, d) array."""

    name: str
    gradients: Callable
    value: Callable
    L: float
    L_cross: float  # ||grad f_ij(x) - grad f_ij(y)||_2 <= L_cross ||x - y||_inf
    x0: np.ndarray
    inf_value: float
    mu: float | None = None  # strong convexity of every example
    x_star: np.ndarray | None = None


@dataclass(frozen=True)
class Log:
    """Points x_0..x_n of every epoch, the orders used, and the running sums of the balancing rule."""

    points: np.ndarray  # (T, n + 1, d)
    orders: np.ndarray  # (T, m, n)
    sums: list  # T arrays (steps, groups, d)


def pair_balance(stream, pi, together):
    n, m, d = stream.shape
    s, sums = np.zeros((m, d)), []
    front, back = [[] for _ in range(m)], [[] for _ in range(m)]
    for j in range(n // 2):
        for i in range(m):
            r, v = s[0 if together else i], stream[2 * j, i] - stream[2 * j + 1, i]
            first, second = pi[i, 2 * j], pi[i, 2 * j + 1]
            plus = r @ v <= 0
            r += v if plus else -v
            front[i].append(first if plus else second)
            back[i].append(second if plus else first)
        sums.append(s[:1].copy() if together else s.copy())
    middle = [list(pi[i, n - n % 2 :]) for i in range(m)]
    new = np.array([front[i] + middle[i] + back[i][::-1] for i in range(m)])
    return new, np.array(sums)


def run(problem, ordering, alpha, T, seed):
    """Follow one of "rr", "fixed", "d-grab-pair", "cd-grab" for T epochs."""
    rng, x = np.random.default_rng(seed), problem.x0.copy()
    m, n, d = problem.gradients(x).shape
    shuffled = lambda: np.array([rng.permutation(n) for _ in range(m)])  # noqa: E731
    pi, points, orders, sums = shuffled(), [], [], []
    for _ in range(T):
        path, stream = [x], []
        for k in range(n):
            stream.append(problem.gradients(x)[np.arange(m), pi[:, k]])
            x = x - alpha * stream[-1].mean(axis=0)
            path.append(x)
        stream = np.array(stream)
        points.append(path)
        orders.append(pi)
        if ordering == "rr":
            pi, s = shuffled(), np.zeros((1, 1, d))
        elif ordering == "fixed":
            s = np.zeros((1, 1, d))
        else:
            pi, s = pair_balance(stream, pi, together=ordering == "cd-grab")
        sums.append(s)
    return Log(np.array(points), np.array(orders), sums)


def prefixes(problem, x, pi):
    """P_0..P_n (n + 1, d): prefix sums at x of the worker-averaged gradients, centred, in the order pi."""
    g = problem.gradients(x)
    z = g[np.arange(len(g))[:, None], pi].mean(axis=0) - g.mean(axis=(0, 1))
    return np.vstack([np.zeros(z.shape[1]), np.cumsum(z, axis=0)])


def quadratic(m, n, d, seed, mu=0.2, L=1.0):
    """f_ij = (x - b)' A (x - b) / 2 with every eigenvalue of every A in [mu, L]."""
    rng = np.random.default_rng(seed)
    q = np.linalg.qr(rng.normal(size=(m, n, d, d)))[0]
    A = np.einsum("mnij,mnj,mnkj->mnik", q, rng.uniform(mu, L, size=(m, n, d)), q)
    b = rng.normal(size=(m, n, d))
    gradients = lambda x: np.einsum("mnij,mnj->mni", A, x - b)  # noqa: E731
    value = lambda x: float(np.mean(np.sum((x - b) * gradients(x), axis=-1)) / 2)  # noqa: E731
    x_star = np.linalg.solve(A.mean(axis=(0, 1)), np.einsum("mnij,mnj->i", A, b) / (m * n))
    corners = np.array(np.meshgrid(*[[-1, 1]] * d)).reshape(d, -1)
    cross = float(np.linalg.norm(A @ corners, axis=-2).max())
    x0, low = np.full(d, 2.0), value(x_star)
    return Problem(f"quadratic {m}x{n}", gradients, value, L, cross, x0, low, mu, x_star)


def skewed(m, n, d, seed, mu=0.1, L=1.0):
    """f_ij = sum_p (L, x_p <= 0; mu, x_p > 0) x_p^2 / 2 + <nu_ij, x>, nu summing to zero: optimum 0."""
    nu = np.random.default_rng(seed).normal(size=(m, n, d))
    nu -= nu.mean(axis=(0, 1))
    slope = lambda x: np.where(x <= 0, L, mu)  # noqa: E731
    gradients = lambda x: slope(x) * x + nu  # noqa: E731
    value = lambda x: float(np.sum(slope(x) * x**2) / 2)  # noqa: E731
    x0, cross = np.full(d, 0.5), L * d**0.5
    return Problem(f"skewed {m}x{n}", gradients, value, L, cross, x0, 0.0, mu, np.zeros(d))


def robust(m, n, d, seed):
    """f_ij = phi(a.x - y), phi(t) = t^2 / (1 + t^2), |phi''| <= 2: non-convex, bounded below by 0."""
    rng = np.random.default_rng(seed)
    a, y = rng.normal(size=(m, n, d)), rng.normal(size=(m, n))
    gradients = lambda x: (2 * (a @ x - y) / (1 + (a @ x - y) ** 2) ** 2)[..., None] * a  # noqa: E731
    value = lambda x: float(np.mean((a @ x - y) ** 2 / (1 + (a @ x - y) ** 2)))  # noqa: E731
    l1, l2 = np.abs(a).sum(axis=-1), np.linalg.norm(a, axis=-1)
    L, cross = 2 * (l2**2).max(), 2 * (l1 * l2).max()
    return Problem(f"robust {m}x{n}", gradients, value, L, cross, np.ones(d), 0.0)
