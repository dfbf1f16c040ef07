"""Eigenvalues of named graphs in closed form (N1)."""

from __future__ import annotations

import math

from theory._checks import integer_at_least, one_of

GRAPHS = ("ring", "star", "complete")


def second_eigenvalue(graph: str, m: int) -> float:
    r"""Return the second largest eigenvalue of the Metropolis weights of a named graph (N1).

    .. math:: \text{ring}: \frac{1 + 2 \cos(2 \pi / m)}{3}, \qquad \text{star}: 1 - \frac1m, \qquad
        \text{complete}: 0

    Assumes m >= 3.

    Provenance: proved here, note ``N1-mean-iterate``; textbook results for circulant matrices.

    Examples
    --------
    A ring has (1 + 2 cos(2 pi / m)) / 3, and cos 40 degrees is 0.766044443119.

    >>> round(second_eigenvalue("ring", 9), 12)
    0.844029628746
    """
    one_of("graph", graph, GRAPHS)
    m = integer_at_least("m", m, 3)
    if graph == "ring":
        return (1.0 + 2.0 * math.cos(2.0 * math.pi / m)) / 3.0
    return 1.0 - 1.0 / m if graph == "star" else 0.0
