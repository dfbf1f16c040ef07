"""An ordering of my own, with its test.

pytest my_ordering.py                                          its test
cdgrab run --load my_ordering.py --ordering my-ordering        one run
cdgrab score my_ordering.py                                    its scorecard, beside the known orderings

An ordering decides from the gradients of an epoch in which order each worker visits its examples in the next
one. This one balances pairs: of two neighbours, one goes to the front and one to the back, so that the signed
sum of their differences stays small. Change what you like; docs/testing-your-rule.md has more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import cdgrab_sim as cg


class State(NamedTuple):
    """What is remembered: `pi` is followed, the rest is this ordering's own."""

    pi: NDArray[np.int64]  # (m, n): worker i visits example pi[i, k] at step k
    after: NDArray[np.int64]  # (m, n): the next epoch's orders, filled from both ends
    s: NDArray[np.float64]  # (m, d): signed sums of the differences
    first: NDArray[np.float64]  # (m, d): the first gradient of a pair


def init(problem: cg.Problem, rng: Generator) -> State:
    """Begin with random orders. All draws come from `rng`, here and in `advance`; there are no others."""
    m, n, d = problem.m, problem.n, problem.d
    pi = rng.permuted(np.tile(np.arange(n), (m, 1)), axis=1)
    return State(pi, pi.copy(), np.zeros((m, d)), np.zeros((m, d)))


def observe(state: State, seen: cg.Seen) -> None:
    """Look at a piece of the epoch, of any length: at[r, c] is the example of worker who[c], G its gradient.

    The piece may end inside a pair, and its arrays are used again afterwards: copy what is to be kept.
    """
    n = state.pi.shape[1]
    for k, (examples, gradients) in enumerate(zip(seen.at, seen.G, strict=True), start=seen.k0):
        front, back = k // 2, n - 1 - k // 2
        for i, example, g in zip(seen.who, examples, gradients, strict=True):
            if k % 2 == 0:
                state.after[i, front] = example  # where it stays if no partner comes
                state.first[i] = g
                continue
            v = state.first[i] - g
            if state.s[i] @ v <= 0.0:
                state.after[i, back] = example
                state.s[i] += v
            else:
                state.after[i, back] = state.after[i, front]
                state.after[i, front] = example
                state.s[i] -= v


def advance(state: State, rng: Generator) -> State:
    """End an epoch: return the state of the next one."""
    return State(state.after.copy(), state.after, np.zeros_like(state.s), state.first)


def my_ordering() -> cg.Ordering:
    """Balance the pairs of each worker by itself.

    The annotation says that this function makes an ordering: so it is known as my-ordering.
    """
    return cg.Ordering("my-ordering", init, observe, advance)


def test_my_ordering() -> None:
    """Orders are permutations, the same every time, whatever the pieces are; and they herd."""
    cg.testing.check_ordering(my_ordering())
    rng = np.random.default_rng(0)
    z = rng.standard_normal((2, 256, 3))
    z -= z.mean(axis=1, keepdims=True)
    curve = cg.herding.curve(z, my_ordering(), 4)  # the herding error after every epoch
    assert curve[-1] < 0.5 * curve[0]
