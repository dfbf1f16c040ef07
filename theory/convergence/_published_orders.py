"""Published rates without their constants, as reference lines for the slope of a plot.

Each entry says whether its formula was READ in the source named, or only RECALLED as commonly quoted. Letters
are the project's: m workers, n examples per worker, T epochs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from theory._checks import integer_at_least, one_of


@dataclass(frozen=True)
class PublishedOrder:
    """A published rate without its constants, as a function of (m, n, T).

    Attributes
    ----------
    name : str
    formula : str
        The order, with upper bounds written O and lower bounds Omega.
    order : callable
        (m, n, T) -> float, constants and problem parameters set to 1.
    provenance : str
        "read" with what was read, or "recalled".
    citation : str
        Key of :mod:`theory.citations`.
    """

    name: str
    formula: str
    order: Callable[[int, int, int], float]
    provenance: str
    citation: str


_ORDERS = (
    PublishedOrder(
        "rr non-convex",
        "O(n^{-1/3} T^{-2/3})",
        lambda m, n, T: n ** (-1 / 3) * T ** (-2 / 3),
        "read (abstract, in total steps n T)",
        "lu2022grab",
    ),
    PublishedOrder(
        "grab non-convex",
        "O((n T)^{-2/3})",
        lambda m, n, T: (n * T) ** (-2 / 3),
        "read (abstract, in total steps n T)",
        "lu2022grab",
    ),
    PublishedOrder(
        "grab PL",
        "O~((n T)^{-2})",
        lambda m, n, T: (n * T) ** -2.0,
        "read (quoted in cooper2023cdgrab, p. 9)",
        "lu2022grab",
    ),
    PublishedOrder(
        "cd-grab non-convex",
        "O((m n T)^{-2/3})",
        lambda m, n, T: (m * n * T) ** (-2 / 3),
        "read (Theorem 2, pp. 6-8)",
        "cooper2023cdgrab",
    ),
    PublishedOrder(
        "cd-grab PL",
        "O~((m n T)^{-2})",
        lambda m, n, T: (m * n * T) ** -2.0,
        "read (Theorem 3, pp. 6-8)",
        "cooper2023cdgrab",
    ),
    PublishedOrder(
        "minibatch rr PL",
        "O~(1 / (m n T^2))",
        lambda m, n, T: 1 / (m * n * T**2),
        "read (Theorem 1)",
        "yun2022minibatch",
    ),
    PublishedOrder(
        "minibatch rr PL, lower",
        "Omega(1 / (m n T^2)) for T above a multiple of kappa",
        lambda m, n, T: 1 / (m * n * T**2),
        "read (Theorem 3, even n)",
        "yun2022minibatch",
    ),
    PublishedOrder(
        "rr strongly convex, lower",
        "Omega(1 / (n T)^2 + 1 / (n T^3))",
        lambda m, n, T: (n * T) ** -2.0 + 1 / (n * T**3),
        "read (Theorem 5)",
        "safran2020good",
    ),
    PublishedOrder(
        "so strongly convex, lower",
        "Omega(1 / (n T^2))",
        lambda m, n, T: 1 / (n * T**2),
        "read (Theorem 7)",
        "safran2020good",
    ),
    PublishedOrder(
        "ig strongly convex, lower",
        "Omega(1 / T^2)",
        lambda m, n, T: T**-2.0,
        "read (Theorem 8)",
        "safran2020good",
    ),
    PublishedOrder(
        "rr strongly convex",
        "O~(1 / (n T^2)) for T above kappa^2 log(n T)",
        lambda m, n, T: 1 / (n * T**2),
        "read (table)",
        "nagaraj2019sgd",
    ),
    PublishedOrder(
        "rr strongly convex, Lipschitz Hessian",
        "O~(1 / (n T)^2 + 1 / T^3)",
        lambda m, n, T: (n * T) ** -2.0 + T**-3.0,
        "read (quoted in the table of nagaraj2019sgd)",
        "haochen2019random",
    ),
    PublishedOrder(
        "rr strongly convex, mean of all iterates, steps T^{-3/4}",
        "Theta(T^{-3/2}) almost surely: T^{-2s} at steps T^{-s}, 1/2 < s < 1",
        lambda m, n, T: T**-1.5,
        "read (abstract, p. 1)",
        "gurbuzbalaban2021random",
    ),
    PublishedOrder(
        "any order non-convex, without noise",
        "O(1 / (n T)), the first term of F / (alpha n T) + L^2 alpha^2 sigma_tau^2 at alpha = O(1 / L)",
        lambda m, n, T: 1 / (n * T),
        "read (abstract, p. 1; the second term in a summary of the paper, its constants not established)",
        "koloskova2024convergence",
    ),
    PublishedOrder(
        "any permutation strongly convex, lower",
        "Omega(1 / (n T)^2)",
        lambda m, n, T: (n * T) ** -2.0,
        "recalled",
        "cha2023tighter",
    ),
    PublishedOrder(
        "flipflop rr quadratic",
        "O~(1 / (n T)^2 + 1 / (n T^5))",
        lambda m, n, T: (n * T) ** -2.0 + 1 / (n * T**5),
        "recalled",
        "rajput2022permutation",
    ),
    PublishedOrder(
        "flipflop so quadratic",
        "O~(1 / (n T)^2 + 1 / (n T^4))",
        lambda m, n, T: (n * T) ** -2.0 + 1 / (n * T**4),
        "recalled",
        "rajput2022permutation",
    ),
    PublishedOrder(
        "flipflop ig quadratic",
        "O~(1 / (n T)^2 + 1 / T^3)",
        lambda m, n, T: (n * T) ** -2.0 + T**-3.0,
        "recalled",
        "rajput2022permutation",
    ),
)

ORDERS = {entry.name: entry for entry in _ORDERS}


def published_order(name: str, m: int, n: int, T: int) -> float:
    """Return a published order with its constants set to 1, for a reference line in a plot (T).

    Parameters
    ----------
    name : str
        One of the keys of :data:`ORDERS`.

    Examples
    --------
    >>> published_order("minibatch rr PL", m=2, n=5, T=10)
    0.001
    """
    entry = ORDERS[one_of("order", name, ORDERS)]
    sizes = integer_at_least("m", m, 1), integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    return float(entry.order(*sizes))
