"""Problems on data of one's own, in memory or in a memory map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.problems import _partition
from cdgrab_sim.problems._least_squares import least_squares_on
from cdgrab_sim.problems._logistic import logistic_on
from cdgrab_sim.problems._mlp import mlp_on
from cdgrab_sim.problems._robust import robust_on
from cdgrab_sim.problems._tables import table

_REGRESSION: dict[str, Callable[..., Problem]] = {"least-squares": least_squares_on, "robust": robust_on}
LOSSES = ("least-squares", "logistic", "robust", "mlp")
PARTITIONS = ("iid", "sorted", "dirichlet")


def from_arrays(
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: str,
    m: int,
    n: int | None = None,
    partition: str = "iid",
    concentration: float | None = None,
    ridge: float = 0.0,
    hidden: int | None = None,
    seed: int = 0,
) -> Problem:
    r"""Deal the rows of a data set to m workers, n distinct rows each.

    The losses are those of `least_squares`, `logistic`, `robust` and `mlp`, with (a_ij, y_ij) the row that
    worker i holds as its example j. Nothing is added to X: append a column of ones for an intercept.

    Parameters
    ----------
    X : array (N, d)
        A memory map of float64 in C order stays one: kernels look its rows up, and passes over it take a
        piece at a time.
    y : array (N,)
        Numbers for least-squares and robust. Labels of any kind for logistic (two of them; the larger one
        becomes +1, the smaller one -1) and mlp (numbered in sorted order).
    loss : {"least-squares", "logistic", "robust", "mlp"}
    m : int
        Workers.
    n : int, optional
        Examples per worker; by default as many as there are, floor(N / m). What is left over goes to no
        worker and is counted in ``problem.constants["rows_left_over"]``.
    partition : {"iid", "sorted", "dirichlet"}
        iid: rows at random; those of worker i do not depend on m. sorted: rows at random, then sorted by y
        and cut into m blocks. dirichlet: for worker i = 1, 2, ... the shares of the labels are drawn from
        Dirichlet(concentration, ..., concentration), and its n places are filled greedily: the next one
        goes to the label furthest below its share among those that have rows left. Small concentrations
        make workers differ; late workers take what is left. Within a worker rows are in random order.
    concentration : float, optional
        Larger than 0; for dirichlet only.
    ridge : float
        rho in the penalty rho |x|^2 / 2 of every example.
    hidden : int, optional
        Units of the hidden layer, 8 by default; for mlp only.
    seed : int

    Returns
    -------
    Problem
        With ``rows`` (m, n), the row of X that is example j of worker i: ``X[problem.rows]`` are the
        examples, and orders can be saved as rows of X, see `save_orders`. x_star, f_star and constants are
        as the family has them, over the rows in use; x_star and f_star are None where the gradient cannot be
        brought to 1e-12 of what it adds up, coordinate by coordinate: for classes that a plane separates,
        without a ridge.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0], [1.0, 9.0]]), [0, 0, 1, 1, 1]
    >>> problem = from_arrays(X, y, loss="logistic", m=2, partition="sorted", ridge=0.1)
    >>> problem.n, problem.constants["rows_left_over"]
    (2, 1)
    """
    _checks.choice("loss", loss, LOSSES)
    _checks.choice("partition", partition, PARTITIONS)
    if hidden is not None and loss != "mlp":
        raise ValueError(f"hidden: expected for loss 'mlp' only; got {hidden} for {loss!r}; leave it out")
    seed = _checks.integer("seed", seed, low=0)
    features = _features(X)
    targets, classes = _targets(y, loss, len(features))
    _squares_fit("X", features)
    if loss in _REGRESSION:
        _squares_fit("y", targets)
    m = _checks.size("m", m)
    n = _places(len(features), m, n)
    rows = _rows(targets, m, n, partition, concentration, classes, seed)
    if loss == "logistic":
        return logistic_on(table(features, np.where(targets == 1, 1.0, -1.0), rows), ridge=ridge)
    examples = table(features, targets, rows)
    if loss == "mlp":
        units = 8 if hidden is None else hidden
        return mlp_on(examples, classes=classes, hidden=units, ridge=ridge, seed=seed)
    return _REGRESSION[loss](examples, ridge=ridge)


def _features(X: ArrayLike) -> FloatArray:
    if isinstance(X, np.memmap) and not (X.dtype == np.float64 and X.flags.c_contiguous):
        order = "C order" if X.flags.c_contiguous else "another order"
        raise ValueError(
            f"X: expected a memory map of float64 in C order; got {X.dtype} in {order}; "
            f"write it anew, or pass np.array(X) to load it into memory"
        )
    return _checks.floats("X", X, 2)


def _squares_fit(name: str, a: FloatArray) -> None:
    """Refuse numbers whose squares, summed, might be no numbers of the machine."""
    largest = max(float(a.max()), -float(a.min()))
    if largest >= _checks.LARGEST:
        raise ValueError(
            f"{name}: expected entries below {_checks.LARGEST:g} in absolute value; got {largest:g}; "
            "scale them"
        )


def _targets(y: ArrayLike, loss: str, N: int) -> tuple[NDArray[Any], int]:
    """Return float64 targets and 0, or int64 classes and how many there are."""
    a = _checks.array("y", y)
    if a.shape != (N,):
        raise ValueError(f"y: expected one target per row of X, shape ({N},); got shape {a.shape}")
    if loss in _REGRESSION:
        return _checks.floats("y", a, 1), 0
    if a.dtype.kind == "f":
        _checks.finite("y", a)
    try:
        labels, codes = np.unique(a, return_inverse=True)
    except TypeError as error:  # None, or text beside numbers
        raise TypeError(f"y: expected labels of one kind, none missing; got {error}") from None
    if len(labels) < 2 or (loss == "logistic" and len(labels) > 2):
        few = ", ".join(map(str, labels[:5].tolist())) + (", ..." if len(labels) > 5 else "")
        expected = "two labels" if loss == "logistic" else "at least two labels"
        raise ValueError(f"y: expected {expected} for loss {loss!r}; got {len(labels)} ({few})")
    return codes.astype(np.int64), len(labels)


def _places(N: int, m: int, n: int | None) -> int:
    n = max(1, N // m) if n is None else _checks.size("n", n)
    if m * n > N:
        raise ValueError(
            f"X: expected at least m n = {m} * {n} = {m * n} rows; got {N}; use fewer workers or examples"
        )
    return n


def _rows(
    targets: NDArray[Any],
    m: int,
    n: int,
    partition: str,
    concentration: float | None,
    classes: int,
    seed: int,
) -> IntArray:
    if (partition == "dirichlet") != (concentration is not None):
        raise ValueError(
            f"concentration: expected a number > 0 for partition 'dirichlet' and for no other; "
            f"got {concentration} for {partition!r}"
        )
    if partition == "iid":
        return _partition.iid(targets, m, n, seed=seed)
    if partition == "sorted":
        return _partition.by_target(targets, m, n, seed=seed)
    if not classes:
        raise ValueError(
            "partition: expected labels to share out for 'dirichlet' (loss logistic or mlp); "
            "got a regression loss; use 'sorted'"
        )
    concentration = _checks.real("concentration", concentration, above=0.0)
    return _partition.dirichlet(targets, m, n, concentration=concentration, seed=seed)
