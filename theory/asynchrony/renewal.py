"""Job times that depend on the example: who is in flight, how late, and what that biases (A7, A10).

Model. Each of m workers draws z from the law p, is busy for the time s_z, has its gradient applied and draws
again. Nothing is dropped. The length-biased law is ``p_lb(z) = s_z p_z / mean_time``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, matrix, one_of
from theory.asynchrony._inputs import law, law_and_times


def in_flight_law(p: ArrayLike, times: ArrayLike) -> NDArray[np.float64]:
    r"""Return the law of the example that a busy worker is computing (A7).

    .. math:: p_{lb}(z) = \frac{s_z p_z}{\sum_y s_y p_y}

    The examples that arrive have the law p itself.

    Assumes the model of this module in its stationary regime; seen at a fixed time, or at an arrival of
    another worker.

    Provenance: proved here, note ``A7-delay-given-the-example`` (renewal reward; length bias is classical).

    Returns
    -------
    ndarray, shape (n,)
        The length-biased law.

    Examples
    --------
    By hand, 0.75 to 1.25.

    >>> in_flight_law([0.75, 0.25], [1.0, 5.0]).tolist()
    [0.375, 0.625]
    """
    p, times = law_and_times(p, times)
    return times * p / (times @ p)


def expected_delay(p: ArrayLike, times: ArrayLike, m: int) -> NDArray[np.float64]:
    r"""Return the mean delay of each example (A7).

    .. math:: E[\tau \mid z] = (m - 1)\,\frac{s_z}{\text{mean\_time}}

    Slow examples are always evaluated at older points; the mean over p is m - 1.

    Assumes the model of this module in its stationary regime, workers independent of each other. On whole
    ticks simultaneous arrivals are served in a fixed order of workers; by age of job, the law differs.

    Provenance: proved here, note ``A7-delay-given-the-example``.

    Returns
    -------
    ndarray, shape (n,)
        Mean number of updates between reading and applying, for each example.

    Examples
    --------
    >>> expected_delay([0.75, 0.25], [1.0, 5.0], 5).tolist()
    [2.0, 10.0]
    """
    p, times = law_and_times(p, times)
    return (integer_at_least("m", m, 1) - 1) * times / (times @ p)


def mean_in_flight_sum(
    p: ArrayLike, times: ArrayLike, vectors: ArrayLike, m: int, average: str = "update"
) -> NDArray[np.float64]:
    r"""Return the mean sum of the gradients in flight, the bias of the drained iterate (A10).

    .. math::
        \text{average over updates: } (m-1)\,E_{lb}[g], \qquad
        \text{over time: } m\,E_{lb}[g], \qquad
        E_{lb}[g] = E[g] + \operatorname{Cov}(s, g) / \text{mean\_time}

    With g the gradients at x*, a constant step alpha and quadratic losses (also with curvatures that depend
    on the example) the server's iterate is unbiased, while the virtual or drained one is off by alpha times
    this:

    .. math::
        E[x] = x^*, \qquad
        E\Big[x - \alpha \sum_{\text{in flight}} g\Big] = x^* - \alpha (m-1) E_{lb}[g(x^*)]

    Assumes the model of this module in its stationary regime. The average over updates is taken right after
    each update and counts the fresh job at E[g] = 0 (vectors that are not centred add it). The average over
    time holds, by Little's law, for every order that visits the examples with the frequencies p, shuffled
    queues included.

    Provenance: proved here, note ``A10-bias-of-the-drained-iterate``.

    Parameters
    ----------
    vectors : array_like, shape (n, d)
        One vector for each example, such as its gradient at x*.
    average : {"update", "time"}
        Over updates or over time.

    Returns
    -------
    ndarray, shape (d,)
        The mean sum of the m vectors in flight.

    Examples
    --------
    >>> mean_in_flight_sum([0.5, 0.5], [1.0, 3.0], [[-1.0], [1.0]], m=5).tolist()
    [2.0]
    """
    biased, p = in_flight_law(p, times), law("p", p)
    vectors, m = matrix("vectors", vectors), integer_at_least("m", m, 1)
    one_of("average", average, ("update", "time"))
    if len(vectors) != len(p):
        raise ValueError(
            f"expected vectors of shape ({len(p)}, d); got {vectors.shape}; one for each example"
        )
    if average == "time":
        return m * (biased @ vectors)
    return (m - 1) * (biased @ vectors) + p @ vectors
