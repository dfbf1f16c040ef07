"""check_ordering and check_update: one line each that tests a record of one's own."""

from __future__ import annotations

import json

import numpy as np

from cdgrab_sim import _checks, orderings, problems, updates
from cdgrab_sim._records import Iterates, Ordering, Problem, Seen, Update
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._states import orders_of, states


def check_ordering(ordering: Ordering | str, *, m: int = 3, n: int = 9, d: int = 4, seed: int = 0) -> None:
    """Test an ordering over four epochs of whole-numbered gradients.

    Orders must be permutations (numbers of examples, for an ordering with replacement), the same every time,
    and the same whatever the pieces are in which the gradients come; nothing of the buffer may be needed
    after the call, and gradients and what `seen` tells of them stay as they are.

    Parameters
    ----------
    ordering : Ordering or str
    m, n, d : int
        Workers, examples, dimension. An odd n finds more than an even one.
    seed : int

    Raises
    ------
    AssertionError
        With what was expected and what came.
    ValueError, TypeError
        For orders or a state of a wrong form.

    Examples
    --------
    >>> check_ordering("cd-grab")
    >>> class Last:
    ...     def __init__(self, problem, rng):
    ...         self.pi = np.tile(np.arange(problem.n), (problem.m, 1))
    ...     def observe(self, seen):
    ...         self.pi = np.roll(self.pi, int(seen.G[-1].sum() > 0), axis=1)  # once in every piece
    >>> check_ordering(Ordering("last", Last, Last.observe, lambda state, rng: state))
    Traceback (most recent call last):
    ...
    AssertionError: ordering 'last': expected the same orders in pieces of 1 step and of 9;
    got others in epoch 1
    """
    ordering, seed = orderings.make(ordering), _checks.integer("seed", seed, low=0)
    m, n, d = _checks.sizes(m=m, n=n, d=d)
    where = f"ordering {ordering.name!r}:"
    stack = n * stream(seed, Role.DATA).integers(-9, 10, size=(4, n, m, d)).astype(np.float64)
    whole = _decided(ordering, stack, n, where, seed)
    if not np.array_equal(_decided(ordering, stack, n, where, seed), whole):
        raise AssertionError(f"{where} expected the same orders for the same gradients and seed; got others")
    for chunk in sorted({1, 2, max(1, n // 2)} - {n}):
        pieces = _decided(ordering, stack, chunk, where, seed)
        differs = (pieces != whole).any(axis=(1, 2))
        if differs.any():
            steps = "1 step" if chunk == 1 else f"{chunk} steps"
            raise AssertionError(
                f"{where} expected the same orders in pieces of {steps} and of {n}; "
                f"got others in epoch {int(np.argmax(differs))}"
            )


def _decided(ordering: Ordering, stack: FloatArray, chunk: int, where: str, seed: int) -> IntArray:
    """Orders of all epochs where gradients come in pieces, all of them through one buffer."""
    T, n, m, d = stack.shape
    problem = problems.PROBLEMS["skewed"](m=m, n=n, d=d)
    buffer, other, orders = np.empty((chunk, m, d)), stream(seed, Role.DATA, chunk), []
    coming = states(ordering, problem, seed)
    for t in range(T):
        state = next(coming)
        pi = np.array(orders_of(ordering, state))
        orders.append(pi)
        for k0 in range(0, n if ordering.observe is not None else 0, chunk):
            part = stack[t, k0 : k0 + chunk]
            seen = Seen.along(pi, k0, buffer[: len(part)])
            shown = [np.array(a) for a in (seen.who, seen.at, part)]
            seen.G[:] = part
            ordering.observe(state, seen)  # type: ignore[misc]
            for name, a, b in zip(("who", "at", "G"), (seen.who, seen.at, seen.G), shown, strict=True):
                if not np.array_equal(a, b):
                    raise AssertionError(
                        f"{where} observe: expected seen.{name} to be left as it is; it was changed"
                    )
            buffer[:] = other.standard_normal(buffer.shape)  # nothing of it may be needed again
    orders.append(np.array(orders_of(ordering, next(coming))))
    return np.array(orders)


def check_update(update: Update | str, *, m: int = 3, d: int = 4, seed: int = 0) -> None:
    """Test an update over twelve steps.

    x must move and stay finite while x0 and the gradients stay as they are; arrays keep their form; and the
    steps follow from the iterates alone: the same when repeated, and when taken up from a copy half-way.

    Parameters
    ----------
    update : Update or str
    m, d : int
        Workers, dimension.
    seed : int

    Raises
    ------
    AssertionError
        With what was expected and what came.
    ValueError, TypeError
        For iterates of a wrong form.

    Examples
    --------
    >>> check_update("adam")
    >>> import cdgrab_sim as cg
    >>> seen = []
    >>> def step(it, g, alpha, u):
    ...     seen.append(g.copy())  # remembered outside of the iterates
    ...     it.x[:] -= alpha * sum(seen)
    >>> check_update(Update("hoards", lambda x0, problem: cg.updates.iterates(x0), step))
    Traceback (most recent call last):
    ...
    AssertionError: update 'hoards': expected the same steps from the same iterates; got others at step 0
    """
    update, seed = updates.make(update), _checks.integer("seed", seed, low=0)
    where = f"update {update.name!r}:"
    m, d = _checks.size("m", m), _checks.size("d", d)
    problem = problems.PROBLEMS["skewed"](m=m, n=4, d=d)
    x0 = stream(seed, Role.DATA).standard_normal(d)
    kept = x0.copy()
    it = updates.start(update, x0, problem)
    path, half = _path(update, it, problem, range(12), where, seed)
    if not np.array_equal(x0, kept):
        raise AssertionError(f"{where} init: expected x0 to be left as it is; it was changed")
    if not np.isfinite(path).all():
        raise AssertionError(f"{where} expected finite iterates; got {path[~np.isfinite(path)][0]}")
    if (path == x0).all():
        raise AssertionError(f"{where} expected x to move; got x0 after {len(path)} steps")
    again, _ = _path(update, updates.start(update, x0, problem), problem, range(12), where, seed)
    later, _ = _path(update, half, problem, range(6, 12), where, seed)
    for other, first, start in ((again, path, 0), (later, path[6:], 6)):
        differs = (other != first).any(axis=1)
        if differs.any():
            raise AssertionError(
                f"{where} expected the same steps from the same iterates; "
                f"got others at step {start + int(np.argmax(differs))}"
            )
    try:
        same = json.loads(json.dumps(update.describe())) == update.describe()
    except TypeError:
        same = False
    if not same:
        raise AssertionError(f"{where} expected settings of plain JSON; got {update.describe()}")


def _path(
    update: Update, it: Iterates, problem: Problem, steps: range, where: str, seed: int
) -> tuple[FloatArray, Iterates]:
    """Take steps in place; return the points after each, and a copy of the iterates before step 6."""
    m, d, numbers = problem.m, problem.d, update.draws_on(problem)
    rng = stream(seed, Role.UPDATE)
    gradients, uniforms = rng.standard_normal((12, m, d)), rng.random((12, m, numbers))
    points, half = [], it
    for t in steps:
        if t == 6:
            half = Iterates._make(a.copy() for a in it)
        rows, u = gradients[t].copy(), uniforms[t].copy()
        if update.begin is not None and t % 4 == 0:
            update.begin(it, lambda x: gradients.mean(axis=(0, 1)) + x)
        g = _contributed(update, it, problem.n, rows, u)
        mean = g.copy()
        update.step(it, g, 0.125, u)
        if not (np.array_equal(rows, gradients[t]) and np.array_equal(u, uniforms[t]) and (g == mean).all()):
            raise AssertionError(f"{where} expected g and u to be left as they are; they were changed")
        points.append(it.x.copy())
    return np.array(points), half


def _contributed(update: Update, it: Iterates, n: int, rows: FloatArray, u: FloatArray) -> FloatArray:
    """Return what the workers' gradients contribute: their mean, or that of each, or that at both points."""
    out = np.zeros(rows.shape if update.each else (1, len(it.x)))
    for i, g in enumerate(rows):
        mine = out[i if update.each else 0]
        if update.take is None:
            mine += g
        else:
            update.take(it, mine, g, 0.125, i, i % n, u[i])
    if update.anchored:
        return np.array([out[0] / len(rows), out[0] / len(rows) + it.S[0] - it.x])
    return out if update.each else out[0] / len(rows)
