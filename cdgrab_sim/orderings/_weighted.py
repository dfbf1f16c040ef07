"""Draws with replacement where some examples come more often than others, and count less."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering, Problem
from cdgrab_sim._rng import beside
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._registry import ORDERINGS

BY = ("uniform", "smoothness", "half")


class WeightedState(NamedTuple):
    """Orders drawn anew every epoch, what examples count, and how they are drawn."""

    pi: IntArray  # (m, n)
    weight: FloatArray  # (m, n) 1 / (n p)
    kept: FloatArray  # (m, n) chance that a uniform draw of the example stands
    other: IntArray  # (m, n) what comes instead


@ORDERINGS.register
def weighted(by: str | ArrayLike = "uniform") -> Ordering:
    r"""SGD with weights: worker i draws example j with probability p_ij, and its gradient counts 1/(n p_ij).

    .. math:: P(j) = p_{ij}, \qquad x \leftarrow x - \frac\alpha m \sum_i \frac{1}{n p_{ij}} \nabla f_{ij}(x)

    The step is unbiased for every p. p_ij in proportion to the smoothness L_ij of the example replaces the
    largest L_ij by their mean in the rate, and may raise the noise without bound where some L_ij are small;
    half of the probability for each of both at most doubles either (W1). On a linear system with rows a_j
    and the step 1/mean L_j, "smoothness" is the randomized Kaczmarz method: every step is a projection (W2).

    Parameters
    ----------
    by : {"uniform", "smoothness", "half"}, or array (n,) or (m, n)
        "smoothness": by `Problem.smoothness`. "half": the mean of both. Numbers: in proportion to them.
        "uniform" has the bits of `sgd`.

    Raises
    ------
    ValueError
        For numbers that are not positive and finite; when the run starts, for another shape than (n,) or
        (m, n), and for a problem that does not know its smoothness.

    References
    ----------
    Needell, Srebro, Ward, "Stochastic Gradient Descent, Weighted Sampling, and the Randomized Kaczmarz
    algorithm", arXiv 1310.5715 (abstract read; the rest recalled).

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]], [[3.0]]]], [[[0.0], [0.0]]])
    >>> states = [weighted(by).init(problem, np.random.default_rng(0)) for by in ("smoothness", "half")]
    >>> [state.weight.round(6).tolist() for state in states]
    [[[2.0, 0.666667]], [[1.333333, 0.8]]]
    """
    given = None if isinstance(by, str) else _given(by)
    name = "given" if given is not None else _checks.choice("by", by, BY)

    def init(problem: Problem, rng: Generator) -> WeightedState:
        share = _shares(name, given, problem)
        tables = [_alias(row) for row in share]
        kept, other = (np.array(column) for column in zip(*tables, strict=True))
        return WeightedState(_draw(kept, other, rng), 1.0 / share, kept, other)

    def advance(state: WeightedState, rng: Generator) -> WeightedState:
        return state._replace(pi=_draw(state.kept, state.other, rng))

    return Ordering(
        "weighted" if name == "uniform" else f"weighted by {name}",
        init,
        None,
        advance,
        replacement=True,
        verified=True,
        family="drawn",
        slopes="sgd" if name == "uniform" else None,
        provenance="arXiv 1310.5715, recalled; moments proved here",
        look=("#56B4E9", "v", (0, (3, 1, 1, 1))),
    )


def _given(by: ArrayLike) -> FloatArray:
    table = np.array(_checks.floats("by", by, (1, 2)))
    if not (table > 0.0).all():
        raise ValueError(
            f"by: expected positive numbers; got {table.min():g}; an example that never comes biases"
        )
    return table


def _shares(name: str, given: FloatArray | None, problem: Problem) -> FloatArray:
    """Return n p (m, n): ones where all are alike, to the last bit."""
    shape = (problem.m, problem.n)
    if name == "uniform":
        return np.ones(shape)
    table = problem.smoothness if given is None else given
    if table is None:
        raise ValueError(
            f"weighted: expected a problem that knows its smoothness; got {problem.name!r}; give numbers"
        )
    if table.shape not in (shape, shape[1:]):
        raise ValueError(f"by: expected shape (n,) = ({shape[1]},) or (m, n) = {shape}; got {table.shape}")
    share = np.array(np.broadcast_to(table, shape), order="C")
    share /= share.max(axis=1, keepdims=True)
    share /= share.sum(axis=1, keepdims=True) / shape[1]
    if name == "half":
        share = 0.5 * share + 0.5
    if not (share > 0.0).all():
        i, j = np.argwhere(share <= 0.0)[0]
        raise ValueError(
            f"weighted: expected a positive smoothness; got 0 at example {j} of worker {i}; take 'half'"
        )
    return share


def _alias(share: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return Walker's table of probabilities share / n: what is kept, and what comes instead."""
    kept, other = np.ones(len(share)), np.arange(len(share))
    left = share.copy()
    small, large = (list(np.flatnonzero(which)) for which in (left < 1.0, left > 1.0))
    while small and large:
        j, k = small.pop(), large[-1]
        kept[j], other[j] = left[j], k
        left[k] -= 1.0 - left[j]
        if left[k] <= 1.0:
            large.pop()
            if left[k] < 1.0:
                small.append(k)
    return kept, other


def _draw(kept: FloatArray, other: IntArray, rng: Generator) -> IntArray:
    """Draw as `sgd` does; a coin beside decides whether the draw stands."""
    coins = beside(rng).random(kept.shape)
    pi = rng.integers(kept.shape[1], size=kept.shape)
    row = np.arange(len(kept))[:, None]
    return np.where(coins < kept[row, pi], pi, other[row, pi])
