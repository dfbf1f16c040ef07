"""Kernel halving: pairs of points get signs that keep the walk in the kernel's space short."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.thinning._functions import Kernel, make_kernel
from cdgrab_sim.thinning._loops import signs_linear, signs_loop

DELTA = 0.5  # the chance of a clip that published code allows


class Halves(NamedTuple):
    """Two halves of a set of points, each like the whole.

    Attributes
    ----------
    first, second : int arrays
        Indices of the points, in ascending order of their pairs. With an odd number of points the last one
        is in `first`.
    variance : float
        sigma^2 of the walk: without a clip, for every f of norm 1 in the kernel's space,
        E exp(t n (mean of f over a half - mean over all)) <= exp(t^2 sigma^2 / 2), n even.
    clips : int
        How often the walk came beyond its threshold: then its sign was certain.
    delta : float
        A bound on the chance of a clip.
    """

    first: IntArray
    second: IntArray
    variance: float
    clips: int
    delta: float


def halve(
    points: ArrayLike, kernel: Kernel | str = "gaussian", *, delta: float = DELTA, seed: int = 0
) -> Halves:
    r"""Divide points into halves that have nearly the same means of all functions of a kernel.

    For the pairs i = 1, 2, ... with f_i = k(x_{2i-1}, .) - k(x_{2i}, .), b_i its norm and u_i uniform on
    [0, 1):

    .. math::

        p &= \langle \psi, f_i \rangle, \qquad
        a_i = \max\big( b_i \sigma_{i-1} \sqrt{2 \log(2N/\delta)}, b_i^2 \big) \\
        \epsilon_i &= +1 \text{ if } p \le a_i (1 - 2 u_i) \text{ else } -1, \qquad
        \psi \leftarrow \psi + \epsilon_i f_i

    with N pairs and sigma as in V5 of the theory. The first point of a pair goes to the first half for +1,
    the second one for -1. One value of the kernel for each two points, and never a matrix of them; with the
    linear kernel O(n d) time and O(d) memory.

    Parameters
    ----------
    points : array (n, d)
    kernel : Kernel or str
        ``"linear"``, ``"gaussian"``, ``"inverse-multiquadric"`` or ``"matern"`` stand for their defaults.
    delta : float
        Chance of a clip that is allowed, in (0, 1).
    seed : int

    References
    ----------
    Dwivedi, Mackey, "Kernel Thinning", arXiv 2105.05842, Algorithm 2; "Generalized Kernel Thinning", arXiv
    2110.01593. Published, recalled; the bound on the walk is proved in ``theory/notes`` (V5).

    Examples
    --------
    One of the pair (0, 1) and one of the pair (2, 3):

    >>> halves = halve([[0.0], [3.0], [4.0], [1.0]], "linear", seed=0)
    >>> len(halves.first), sorted(np.concatenate((halves.first, halves.second)).tolist())
    (2, [0, 1, 2, 3])
    """
    table, kernel = as_points(points), make_kernel(kernel)
    rng = stream(_checks.integer("seed", seed, low=0), Role.THINNING)
    rows = np.arange(len(table))
    walk = walk_of(table, rows, kernel, _checks.chance("delta", delta), rng)
    first, second = split(rows, walk.eps)
    return Halves(first, second, walk.variance, walk.clips, walk.delta)


class SignedWalk(NamedTuple):
    """The signs of the pairs of a set of points, and what is known of their walk."""

    eps: IntArray  # (n // 2,)
    variance: float
    clips: int
    delta: float


def walk_of(table: FloatArray, rows: IntArray, kernel: Kernel, delta: float, rng: Generator) -> SignedWalk:
    """Give signs to the pairs of points in `rows`."""
    kernel.check(table)
    X, pairs = table[rows], len(rows) // 2
    eps, memory = np.empty(pairs, dtype=np.int64), np.zeros(2)
    G = 2.0 * math.log(2.0 * max(1, pairs) / delta)
    uniforms = rng.random(pairs)
    if kernel.name == "linear" and kernel.is_built_in:
        signs_linear(eps, memory, np.zeros(X.shape[1]), X, uniforms, G)
    else:
        signs_loop(kernel)(eps, memory, X, uniforms, G)
    return SignedWalk(eps, float(memory[0]), int(memory[1]), delta)


def split(rows: IntArray, eps: IntArray) -> tuple[IntArray, IntArray]:
    """Return the halves of `rows` that signs of its pairs make; an odd one out is in the first."""
    pairs = rows[: 2 * len(eps)].reshape(-1, 2)
    ahead = eps > 0
    first, second = np.where(ahead, pairs[:, 0], pairs[:, 1]), np.where(ahead, pairs[:, 1], pairs[:, 0])
    return np.concatenate((first, rows[2 * len(eps) :])), second


def as_points(points: ArrayLike) -> FloatArray:
    """Return points (n, d), checked, with entries whose squares are numbers of the machine."""
    table = _checks.floats("points", points, 2)
    _checks.below("points", table)
    return table
