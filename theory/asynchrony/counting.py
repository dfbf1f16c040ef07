"""Identities that hold in every run, whatever the job times: delays (A3) and prefix sums (A17)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, matrix


def total_delay(m: int, updates: int) -> int:
    r"""Return the total delay of a run: applied, discarded and still in flight (A3).

    .. math:: \sum_{\text{finished jobs}} \tau + \sum_{\text{in flight}} (k - k_r) = (m - 1)\,k

    Assumes m jobs in flight, all read at counter 0 to begin with; a worker that finishes (or is aborted) gets
    a new job that reads the counter after it. Jobs that a method drops or aborts count among the finished, k
    among the counter's advances only: so the identity holds for every rule, at every moment, for any job
    times.

    Provenance: proved here, note ``A3-conservation-of-delay``.

    Examples
    --------
    >>> total_delay(4, 10)
    30
    """
    return (integer_at_least("m", m, 1) - 1) * integer_at_least("updates", updates, 0)


def average_delay(m: int, updates: int) -> Fraction:
    r"""Return the average delay over the applied jobs and the m - 1 older jobs in flight (A3).

    .. math:: \tau_{avg} = \frac{(m-1)\,T}{T + m - 1} < m - 1

    Assumes what :func:`total_delay` assumes, with every gradient applied.

    Provenance: proved here, note ``A3-conservation-of-delay``; averaging over applied and unfinished jobs
    together follows the definition of arXiv:2206.08307.

    Examples
    --------
    >>> average_delay(4, 9)
    Fraction(9, 4)
    """
    updates = integer_at_least("updates", updates, 1)
    return Fraction(total_delay(m, updates), updates + m - 1)


def applied_prefix(issued: ArrayLike, in_flight: ArrayLike) -> NDArray[np.float64]:
    r"""Return the sum of the vectors applied so far, from those issued and those still in flight (A17).

    .. math:: P_{app}(T) = P_{iss}(T + m) - \sum_{j \text{ in flight}} v_j

    Hence ``max_T |P_app| <= max_T |P_iss| + max_T |in-flight sum|`` in every norm: asynchrony adds to the
    herding error and does not multiply it.

    Assumes nothing on the job times; every job is applied once, none is dropped.

    Provenance: proved here, note ``A17-applied-and-issued-prefix-sums``.

    Parameters
    ----------
    issued : array_like, shape (T + m, d)
        Vectors of all jobs issued so far, in the order of issue.
    in_flight : array_like of int, shape (m,)
        Issue numbers of the jobs in flight.

    Returns
    -------
    ndarray, shape (d,)
        The applied prefix sum after T arrivals.

    Examples
    --------
    >>> applied_prefix([[1.0], [2.0], [4.0]], [1]).tolist()
    [5.0]
    """
    issued = matrix("issued", issued)
    jobs = np.asarray(in_flight)
    if jobs.ndim != 1 or not (np.issubdtype(jobs.dtype, np.integer) or jobs.size == 0):
        raise TypeError(f"expected in_flight as issue numbers, shape (m,); got {in_flight!r}; pass integers")
    valid = (jobs >= 0) & (jobs < len(issued))
    if not valid.all() or len(np.unique(jobs)) < len(jobs):
        raise ValueError(
            f"expected distinct issue numbers in 0..{len(issued) - 1}; got {jobs.tolist()}; "
            "list each job once"
        )
    return np.asarray(issued.sum(axis=0) - issued[jobs.astype(np.intp)].sum(axis=0))
