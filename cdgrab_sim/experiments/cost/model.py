"""Counts that follow from the definitions of the orderings, and what they cost on a modelled network."""

from __future__ import annotations

import math
from typing import NamedTuple

from cdgrab_sim import orderings
from cdgrab_sim._records import Ordering

_FLOAT = 8  # bytes


class Counts(NamedTuple):
    """What an ordering needs beyond SGD itself."""

    server: int  # floats
    worker: int  # floats, each worker
    integers: int  # each worker
    sent: int  # floats and signs per epoch, all workers, both directions
    worker_operations: int  # per epoch, each worker: additions, subtractions, multiplications, divisions
    server_operations: int  # per epoch


def counts(ordering: str, m: int, n: int, d: int) -> Counts:
    r"""Count memory, traffic and arithmetic of an ordering.

    A pair of one worker takes d subtractions for v, 2d - 1 operations for <s, v>, d for s + eps v:

    .. math:: \lfloor n/2 \rfloor (4d - 1) \text{ per epoch and worker}

    and an example under mean balancing d more for the sum that becomes the mean, whose d divisions end the
    epoch: n (5d - 1) + d. Under cd-grab a worker forms v and sends it, the server does the rest for all
    workers and returns a sign. A worker with pairs keeps the first gradient of the pair.

    Parameters
    ----------
    ordering : str
    m, n, d : int

    Returns
    -------
    Counts

    Examples
    --------
    >>> counts("cd-grab", m=2, n=4, d=3)
    Counts(server=3, worker=3, integers=8, sent=16, worker_operations=6, server_operations=32)
    """
    kind = orderings.make(ordering)
    if not known(kind):
        can = ", ".join(orderings.select(known))
        raise ValueError(f"ordering {ordering!r}: expected one whose costs are derived: {can}")
    pairs = n // 2
    if kind.family in ("drawn", "fixed"):
        return Counts(0, 0, n, 0, 0, 0)
    if kind.family == "mean":
        return Counts(0, 3 * d, 3 * n, 0, n * (5 * d - 1) + d, 0)
    if not kind.coordinated:
        return Counts(0, 2 * d, 2 * n, 0, pairs * (4 * d - 1), 0)
    return Counts(d, d, 2 * n, m * pairs * (d + 1), pairs * d, m * pairs * (3 * d - 1))


def known(ordering: Ordering) -> bool:
    """Tell whether the cost of an ordering is derived here; it follows from the family."""
    if ordering.family == "mean":
        return not ordering.coordinated
    return ordering.family in ("drawn", "fixed", "pair")


class Network(NamedTuple):
    """Workers and a server that balances, nothing overlapping."""

    latency: float  # seconds a message
    bandwidth: float  # bytes a second, of each machine
    speed: float  # operations a second, of each machine


def epoch_seconds(ordering: str, network: Network, *, m: int, n: int, d: int, operations: float) -> float:
    r"""Return the modelled time of one epoch.

    .. math::

        n \Big( \frac{c}{v} + 2 (m - 1) \Big( \tau + \frac{8 d}{m \beta} \Big) \Big)
        + \frac{c_{worker} + c_{server}}{v} + [\text{sends}] \Big( 2 \lfloor n/2 \rfloor \tau
        + \frac{8 \cdot \text{sent}}{\beta} \Big)

    with c operations a gradient, v the speed, tau the latency, beta the bandwidth: gradient work, a ring
    all-reduce of d floats, and what the ordering adds. The server's line carries all that is sent.

    Parameters
    ----------
    ordering : str
    network : Network
    m, n, d : int
    operations : float
        Of one gradient.

    Examples
    --------
    >>> line = Network(latency=0.0, bandwidth=8.0, speed=1.0)
    >>> epoch_seconds("rr", line, m=1, n=4, d=3, operations=10.0)
    40.0
    >>> epoch_seconds("cd-grab", line, m=2, n=4, d=3, operations=10.0) - epoch_seconds(
    ...     "rr", line, m=2, n=4, d=3, operations=10.0)
    54.0
    """
    one = counts(ordering, m, n, d)
    hop = network.latency + _FLOAT * d / (m * network.bandwidth)
    step = operations / network.speed + 2 * (m - 1) * hop
    extra = (one.worker_operations + one.server_operations) / network.speed
    if one.sent:
        extra += 2 * (n // 2) * network.latency + _FLOAT * one.sent / network.bandwidth
    return math.fsum([n * step, extra])
