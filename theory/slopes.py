"""What log-log slope each statement predicts: one table, one look-up.

A slope is the exponent p in ``quantity ~ variable ** p`` with everything else held fixed. Every entry names
the statement it comes from, the regime in which it is claimed, and how strong the claim is. What the table
does not hold is not predicted: :func:`predicted` then answers ``None``, never a guess.
"""

from dataclasses import dataclass

from theory._checks import one_of

__all__ = ["ORDERINGS", "QUANTITIES", "VARIABLES", "Slope", "predicted", "table"]

ORDERINGS = ("sgd", "ig", "so", "rr", "flipflop", "grab", "d-grab", "d-grab-pair", "cd-grab")
VARIABLES = ("m", "n", "T", "alpha")


@dataclass(frozen=True)
class Slope:
    """One predicted exponent and the claim behind it.

    Attributes
    ----------
    quantity, ordering, variable : str
        The keys under which :func:`predicted` finds it.
    value : float
        The exponent; the centre of the interval where only an interval is predicted.
    half_width : float
        Half the length of that interval, 0.0 for a point prediction. A test adds it to its margin.
    worst : float or None
        The exponent the worst data and first orders reach, where it differs from the typical one.
    kind : str
        ``"exact"`` (equality, or a limit law), ``"typical"`` (what unaligned data gives; see ``worst``) or
        ``"upper bound"`` (the exponent of a proved bound: an instance may do better).
    regime : str
        Where the exponent is claimed, and up to which logarithms.
    statement : str
        Label of the statement, as in ``theory/notes``.
    provenance : str
        Derived, or heuristic (it rests on an assumption about the data that is not proved), with the note in
        ``theory/notes`` that obtains the exponent.
    """

    quantity: str
    ordering: str
    variable: str
    value: float
    half_width: float
    worst: float | None
    kind: str
    regime: str
    statement: str
    provenance: str


@dataclass(frozen=True)
class _Row:
    """All orderings of one (quantity, variable) that share a statement, a kind and a regime.

    An exponent is a float, or ``(low, high)`` for an interval.
    """

    quantity: str
    variable: str
    exponents: dict[str, float | tuple[float, float]]
    kind: str
    statement: str
    regime: str
    worst: float | None = None


_PROVENANCE = {
    "exact": "derived (note S-slopes)",
    "upper bound": "derived (note S-slopes)",
    "typical": "heuristic (note S-slopes)",
}

_Exponents = dict[str, float | tuple[float, float]]

_RANDOM = ("so", "rr", "flipflop")
_LOCAL = ("d-grab", "d-grab-pair")
_HERDED = ("grab", *_LOCAL, "cd-grab")

_MEAN_SQUARE = "root mean square over independent permutations, every n and m"
_STATIC = "static vectors in general position, after about log2(H_0 / A) rounds"
_ALIGNED = "worst: identical data and identical first orders on all workers"
_FIXED_A = "balancing bound A fixed"
_FLOOR = "skewed instance, alpha n L <= 0.1, after burn-in, averaged over time"
_QUADRATIC = "shared Hessian, h = alpha lambda n -> 0, stationary"
_TUNED = "skewed instance, constant step tuned, n T >= 2 kappa log(m n T); up to a power of log(m n T)"
_CAPPED = "skewed instance, constant step tuned, T >= 25 kappa log(m n T); up to a power of log(m n T)"
_TIME = "skewed instance, constant step tuned, epochs until f - f_star <= eps; up to logarithms"
_FIXED_N = "as the tuned error, but with N = m n examples in all: n = N / m"
_RR_WINDOW = "leading term of the bound dominates: T >> 3 F0 L m n / sigma^2"
_CD_WINDOW = f"{_FIXED_A}, leading term dominates: T >> 23.3 F0 L (m n / A)^2"
_LOCAL_WINDOW = f"as cd-grab with m = 1, workers' prefixes independent; {_ALIGNED}"


def _all(orderings: tuple[str, ...], exponent: float | tuple[float, float]) -> _Exponents:
    return dict.fromkeys(orderings, exponent)


_ROWS = (
    # The parallel herding error max_k ||sum_i sum_{l<=k} z_i,pi_i(l)||, not divided by m.
    _Row("herding error", "m", _all(_RANDOM, 0.5), "exact", "R2", _MEAN_SQUARE),
    _Row("herding error", "m", _all(_LOCAL, 0.5), "typical", "T8", f"{_STATIC}; {_ALIGNED}", worst=1.0),
    _Row("herding error", "m", {"cd-grab": 0.0}, "typical", "V3", _STATIC),
    _Row("herding error", "n", _all(_RANDOM, 0.5), "exact", "R2", _MEAN_SQUARE),
    _Row("herding error", "n", _all(_HERDED, 0.0), "typical", "V3", f"{_STATIC}; up to log n"),
    # The stationary loss f - f_star at a fixed step size.
    _Row("floor", "m", {"sgd": -1.0}, "exact", "I6", _FLOOR),
    _Row("floor", "m", _all(_RANDOM, -1.0), "exact", "I6", _FLOOR),
    _Row("floor", "m", _all(_LOCAL, -1.0), "typical", "T8", f"{_FLOOR}; {_ALIGNED}", worst=0.0),
    _Row(
        "floor",
        "m",
        {"cd-grab": -2.0},
        "upper bound",
        "T3",
        f"{_FLOOR}; {_FIXED_A}, and not 0 as on +-1 data",
    ),
    _Row("floor", "n", {"sgd": 0.0}, "exact", "I6", _FLOOR),
    _Row("floor", "n", _all(_RANDOM, 1.0), "exact", "I6", _FLOOR),
    _Row("floor", "n", _all(_HERDED, 0.0), "typical", "T3", f"{_FLOOR}; up to log n"),
    _Row("floor", "alpha", {"sgd": 1.0}, "exact", "I6", _FLOOR),
    _Row("floor", "alpha", _all(("ig", *_RANDOM), 2.0), "exact", "I6", _FLOOR),
    _Row("floor", "alpha", _all(_HERDED, 2.0), "upper bound", "T3", f"{_FLOOR}; herding error fixed"),
    _Row("floor (quadratic)", "m", _all(("sgd", *_RANDOM), -1.0), "exact", "Q8", "shared Hessian, any step"),
    _Row(
        "floor (quadratic)",
        "n",
        {"sgd": 0.0, "so": 1.0, "rr": 2.0, "flipflop": 4.0},
        "exact",
        "Q11",
        _QUADRATIC,
    ),
    _Row(
        "floor (quadratic)",
        "alpha",
        {"sgd": 1.0, "so": 2.0, "rr": 3.0, "flipflop": 5.0},
        "exact",
        "Q11",
        _QUADRATIC,
    ),
    _Row("floor (quadratic)", "alpha", {"ig": 2.0}, "exact", "Q9", _QUADRATIC),
    _Row("floor (quadratic)", "alpha", _all(_HERDED, (2.0, 3.0)), "typical", "Q13", _QUADRATIC),
    # f(x_T) - f_star after a fixed number of epochs, the step size tuned for each ordering and size.
    _Row("tuned error", "m", {"sgd": -1.0}, "exact", "I6", _TUNED),
    _Row("tuned error", "m", _all(_RANDOM, -1.0), "upper bound", "T3", _TUNED),
    _Row("tuned error", "m", _all(_LOCAL, -1.0), "typical", "T8", f"{_TUNED}; {_ALIGNED}", worst=0.0),
    _Row("tuned error", "m", {"cd-grab": -2.0}, "upper bound", "T6", f"{_CAPPED}; {_FIXED_A}"),
    _Row("tuned error", "n", {"sgd": -1.0}, "exact", "I6", _TUNED),
    _Row("tuned error", "n", _all(_RANDOM, -1.0), "upper bound", "T3", _TUNED),
    _Row("tuned error", "n", _all(_HERDED, -2.0), "typical", "T3", _TUNED),
    _Row("tuned error", "T", {"sgd": -1.0}, "exact", "I6", _TUNED),
    _Row("tuned error", "T", _all((*_RANDOM, *_HERDED), -2.0), "upper bound", "T3", _TUNED),
    _Row("tuned error (fixed N)", "m", _all(("rr", "cd-grab"), 0.0), "upper bound", "T3", _FIXED_N),
    # The smallest number of epochs, or of sequential steps n T, that reaches a given accuracy.
    _Row("time to accuracy", "m", {"sgd": -1.0}, "exact", "I6", _TIME),
    _Row("time to accuracy", "m", _all(_RANDOM, -0.5), "upper bound", "T3", _TIME),
    _Row("time to accuracy", "m", _all(_LOCAL, -0.5), "typical", "T8", f"{_TIME}; {_ALIGNED}", worst=0.0),
    _Row("time to accuracy", "m", {"cd-grab": -1.0}, "typical", "T3", f"{_TIME}; {_FIXED_A}"),
    _Row("steps to accuracy (fixed N)", "m", _all(("rr", "cd-grab"), -1.0), "upper bound", "T3", _FIXED_N),
    # The bounds on mean_t ||grad f(x_t)||^2, step size optimised in the bound.
    _Row("non-convex bound", "m", {"rr": -1 / 3}, "upper bound", "T1", _RR_WINDOW),
    _Row("non-convex bound", "m", _all(_LOCAL, -1 / 3), "typical", "T8", _LOCAL_WINDOW, worst=0.0),
    _Row("non-convex bound", "m", {"cd-grab": -2 / 3}, "upper bound", "T5", _CD_WINDOW),
    _Row("non-convex bound", "n", {"rr": -1 / 3}, "upper bound", "T1", _RR_WINDOW),
    _Row("non-convex bound", "n", _all(_HERDED, -2 / 3), "upper bound", "T5", _CD_WINDOW),
    _Row("non-convex bound", "T", {"rr": -2 / 3}, "upper bound", "T1", _RR_WINDOW),
    _Row("non-convex bound", "T", _all(_HERDED, -2 / 3), "upper bound", "T5", _CD_WINDOW),
    _Row("non-convex time to accuracy", "m", {"rr": -0.5}, "upper bound", "T1", _RR_WINDOW),
    _Row("non-convex time to accuracy", "m", _all(_LOCAL, -0.5), "typical", "T8", _LOCAL_WINDOW, worst=0.0),
    _Row("non-convex time to accuracy", "m", {"cd-grab": -1.0}, "upper bound", "T5", _CD_WINDOW),
)

QUANTITIES = tuple(dict.fromkeys(row.quantity for row in _ROWS))


def _slopes(row: _Row) -> dict[tuple[str, str, str], Slope]:
    found = {}
    for ordering, exponent in row.exponents.items():
        low, high = exponent if isinstance(exponent, tuple) else (exponent, exponent)
        found[row.quantity, ordering, row.variable] = Slope(
            quantity=row.quantity,
            ordering=ordering,
            variable=row.variable,
            value=(low + high) / 2,
            half_width=(high - low) / 2,
            worst=row.worst,
            kind=row.kind,
            regime=row.regime,
            statement=row.statement,
            provenance=_PROVENANCE[row.kind],
        )
    return found


_TABLE = {key: slope for row in _ROWS for key, slope in _slopes(row).items()}


def predicted(quantity: str, ordering: str, variable: str) -> Slope | None:
    """Return the exponent of a quantity in a variable under an ordering, or None: nothing is predicted.

    Parameters
    ----------
    quantity : str
        One of :data:`QUANTITIES`, such as ``"floor"`` or ``"herding error"``.
    ordering : str
        One of :data:`ORDERINGS`.
    variable : str
        One of :data:`VARIABLES`: workers m, examples per worker n, epochs T, step size alpha. The others stay
        fixed, except in the quantities marked ``(fixed N)``, where n = N / m.

    Examples
    --------
    >>> slope = predicted("floor", "cd-grab", "m")
    >>> slope.value, slope.statement
    (-2.0, 'T3')
    >>> predicted("floor (quadratic)", "cd-grab", "m") is None
    True
    """
    one_of("quantity", quantity, QUANTITIES)
    one_of("ordering", ordering, ORDERINGS)
    one_of("variable", variable, VARIABLES)
    return _TABLE.get((quantity, ordering, variable))


def table() -> tuple[Slope, ...]:
    """Return every prediction, in the order of the table.

    Examples
    --------
    >>> sorted(s.ordering for s in table() if (s.quantity, s.variable) == ("floor", "m") and s.value == -2)
    ['cd-grab']
    """
    return tuple(_TABLE.values())
