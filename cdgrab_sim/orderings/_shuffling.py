"""Orders drawn without a look at the gradients: with replacement, reshuffled, flip-flopped."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cdgrab_sim._records import Ordering
from cdgrab_sim._types import IntArray
from cdgrab_sim.orderings._orders import drawn, random_orders
from cdgrab_sim.orderings._registry import ORDERINGS


@ORDERINGS.register
def sgd() -> Ordering:
    """SGD with replacement: worker i visits n examples drawn independently and uniformly.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> run = cg.simulate("quadratic", sgd(), epochs=1, step_size=1e-3, record=cg.Record(orders=True))
    >>> len(np.unique(run.orders[0, 0, 0])) < 64  # some of 64 examples never, others more than once
    True
    """
    return drawn(
        "sgd",
        lambda m, n, rng: rng.integers(n, size=(m, n)),
        provenance="textbook",
        replacement=True,
        slopes="sgd",
        compared=True,
        look=("#000000", "s", (0, (1, 1))),
    )


@ORDERINGS.register
def rr() -> Ordering:
    """Random reshuffling: every worker draws a new permutation every epoch, independently.

    On m workers this is D-RR of arXiv 2302.00845. The prefix sums of a random order are of size sqrt(n) in
    one worker and sqrt(m n) in all together.

    References
    ----------
    Mishchenko, Khaled, Richtarik, "Random Reshuffling: Simple Analysis with Vast Improvements", arXiv
    2006.05988; on m workers Yun, Rajput, Sra, arXiv 2110.10342.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> first, second = (cg.herding.order(np.zeros((16, 1)), rr(), rounds) for rounds in (0, 1))
    >>> bool((first == second).all()), sorted(second.tolist()) == list(range(16))
    (False, True)
    """
    return drawn(
        "rr",
        random_orders,
        slopes="rr",
        provenance="textbook; arXiv 2006.05988, recalled; on m workers arXiv 2110.10342, read",
        compared=True,
        look=("#E69F00", "o", (0, (4, 2))),
    )


@ORDERINGS.register
def flipflop() -> Ordering:
    r"""FlipFlop: random reshuffling whose every other epoch reverses the one before.

    .. math:: \pi^0, \quad \operatorname{reverse}(\pi^0), \quad \pi^2, \quad
        \operatorname{reverse}(\pi^2), \quad \dots

    with a new independent permutation for every worker in every even epoch.

    References
    ----------
    Rajput, Lee, Papailiopoulos, "Permutation-Based SGD: Is Random Optimal?", arXiv 2102.09718.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> run = cg.simulate("quadratic", flipflop(), epochs=2, step_size=1e-3, record=cg.Record(orders=True))
    >>> there, back = run.orders[0]
    >>> bool((back == there[:, ::-1]).all())
    True
    """
    return drawn(
        "flipflop",
        random_orders,
        reverse=True,
        slopes="flipflop",
        provenance="arXiv 2102.09718, recalled",
        look=("#9A8F00", "D", (0, (6, 1, 1, 1))),
    )


@ORDERINGS.register
def sync_shuf() -> Ordering:
    r"""SyncShuf: all workers follow one new permutation, each from a place of its own.

    .. math:: \pi_i(k) = \pi(k + \lfloor i n / m \rfloor \bmod n)

    Where all workers hold the same examples in the same order, n / m steps visit each of them once, so that
    their prefixes cancel. Where examples of the same number differ, it is random reshuffling.

    References
    ----------
    Yun, Rajput, Sra, "Minibatch vs Local SGD with Shuffling", arXiv 2110.10342, section 5.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=2, n=4, d=1)
    >>> run = cg.simulate(problem, sync_shuf(), epochs=1, step_size=0.1, record=cg.Record(orders=True))
    >>> first, second = run.orders[0, 0].tolist()
    >>> second == first[2:] + first[:2]
    True
    """

    def draw(m: int, n: int, rng: Generator) -> IntArray:
        places = np.arange(n) + (np.arange(m) * n // m)[:, None]
        pi: IntArray = random_orders(1, n, rng)[0][places % n]
        return pi

    return drawn(
        "sync-shuf",
        draw,
        coordinated=True,
        provenance="arXiv 2110.10342, section 5, read",
        look=("#E377C2", "H", (0, (1, 2))),
    )
