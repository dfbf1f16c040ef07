"""Is it an ordering at all? What it must do, what it must not know, and how it behaves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import getstate as plain_state
from typing import Any

import numpy as np
from numpy.random import get_state as numpy_state

from cdgrab_sim import orderings, problems
from cdgrab_sim._records import Ordering, Seen
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._parts import Findings
from cdgrab_sim.orderings._states import orders_of, states
from cdgrab_sim.synchronous._replay import replay

SIZES = ((1, 1, 1), (2, 2, 2), (3, 9, 4), (4, 16, 2))  # (m, n, d)
EPOCHS = 4


class Wrong(Exception):
    """What a check found."""


class Touched(Wrong):
    """It wrote where it may only read, so that no other check means anything."""


def gradients(m: int, n: int, d: int, seed: int) -> FloatArray:
    """Draw whole-numbered gradients (T, n, m, d): sums of them are exact, in whatever order."""
    drawn = stream(seed, Role.DATA).integers(-9, 10, size=(EPOCHS, n, m, d))
    return n * drawn.astype(np.float64)


def decided(
    ordering: Ordering, G: FloatArray, chunk: int, seed: int, *, used_again: bool = False
) -> IntArray:
    """Return the orders (T + 1, m, n) where gradients come in pieces, each left alone afterwards, or not."""
    _, n, m, d = G.shape
    problem = problems.PROBLEMS["skewed"](m=m, n=n, d=d)
    coming, noise, orders = (
        states(replace(ordering, verified=False), problem, seed),
        stream(seed, Role.CASE),
        [],
    )
    for epoch in G:
        state = next(coming)
        pi = np.array(orders_of(ordering, state))
        orders.append(pi)
        for k0 in range(0, n if ordering.observe is not None else 0, chunk):
            seen = Seen.along(pi, k0, epoch[k0 : k0 + chunk].copy())
            shown = [np.array(a) for a in (seen.who, seen.at, seen.G)]
            ordering.observe(state, seen)  # type: ignore[misc]
            if not all(np.array_equal(a, b) for a, b in zip((seen.who, seen.at, seen.G), shown, strict=True)):
                raise Touched("it changes the arrays that it is shown")
            if used_again:  # as the engine does with the next piece
                seen.G[:] = noise.standard_normal(seen.G.shape)
    return np.array([*orders, orders_of(ordering, next(coming))])


def _leaves(ordering: Ordering) -> None:
    m, n, d = SIZES[2]
    with suppress(ValueError, TypeError):  # orders that are none are another check's
        decided(ordering, gradients(m, n, d, 0), n, 0)


def _permutations(ordering: Ordering) -> None:
    for m, n, d in SIZES:
        decided(ordering, gradients(m, n, d, 0), n, 0)


def _global_state(ordering: Ordering) -> None:
    before = plain_state(), numpy_state()  # noqa: NPY002
    for seed in range(2):
        decided(ordering, gradients(3, 9, 4, 0), 9, seed)
    plain, numpy = plain_state(), numpy_state()  # noqa: NPY002
    if plain != before[0] or not all(np.array_equal(a, b) for a, b in zip(numpy, before[1], strict=True)):
        raise Wrong("it draws from the global random state; draw from the rng that init and advance get")


def _repeats(ordering: Ordering) -> None:
    for m, n, d in SIZES[2:]:
        G = gradients(m, n, d, 0)
        if not np.array_equal(decided(ordering, G, n, 0), decided(ordering, G, n, 0)):
            raise Wrong("it decides otherwise when asked again with the same gradients and seed")


def _looks_ahead(ordering: Ordering) -> None:
    for m, n, d in SIZES[2:]:
        G = gradients(m, n, d, 0)
        for chunk in (1, 2, n):
            if not np.array_equal(
                decided(ordering, G, chunk, 0, used_again=True), decided(ordering, G, chunk, 0)
            ):
                raise Wrong(
                    "it looks ahead: it remembers the buffer, which holds later gradients when it "
                    "looks again; copy what is to be kept"
                )


def _pieces(ordering: Ordering) -> None:
    for m, n, d in SIZES[2:]:
        G = gradients(m, n, d, 0)
        whole = decided(ordering, G, n, 0)
        for chunk in (1, 2, n // 2):
            if not np.array_equal(decided(ordering, G, chunk, 0), whole):
                raise Wrong(f"in pieces of {chunk} it decides otherwise than in one piece")


def _sees(ordering: Ordering) -> None:
    m, n, d = SIZES[2]
    G = gradients(m, n, d, 0)
    known = decided(ordering, G, n, 0)
    try:
        recorded = replay(G, ordering)
    except Exception as error:
        raise Wrong(f"it asks the problem for more than the gradients of the run ({error})") from None
    if not np.array_equal([*recorded.orders, recorded.next], known):
        raise Wrong("it decides otherwise where nothing but the gradients of the run is known")


# what must hold -> how it is looked at; where one of the first two fails, no other means anything
MUST: dict[str, Callable[[Ordering], None]] = {
    "leaves what it is shown as it is": _leaves,
    "orders are permutations": _permutations,
    "draws come from its seed": _global_state,
    "same orders from the same gradients": _repeats,
    "no look ahead": _looks_ahead,
    "same orders in any pieces": _pieces,
    "sees the gradients of the run only": _sees,
}


def _same(ordering: Ordering, change: Callable[[FloatArray], FloatArray]) -> bool:
    m, n, d = SIZES[2]
    G = gradients(m, n, d, 0)
    return np.array_equal(decided(ordering, G, n, 0), decided(ordering, change(G), n, 0))


# how it may behave
MAY: dict[str, Callable[[FloatArray], FloatArray]] = {
    "same orders for gradients times 4": lambda G: 4.0 * G,
    "same orders for gradients plus a vector": lambda G: G + 9.0,
    "same orders for permuted coordinates": lambda G: np.ascontiguousarray(G[..., ::-1]),
    "orders follow gradients": lambda G: np.ascontiguousarray(G[:, ::-1]),
}


def look(cell: dict[str, Any]) -> dict[str, str]:
    """Look at an ordering; return for each check "" or what is wrong, and how it behaves."""
    ordering = orderings.make(cell["ordering"])
    found = {}
    for name, check in MUST.items():
        found[name] = ""
        try:
            check(ordering)
        except Wrong as wrong:
            found[name] = str(wrong)
        except Exception as error:  # whatever its code raises
            found[name] = " ".join(f"{type(error).__name__}: {error}".split())
        if found[name] and check in (_leaves, _permutations):
            return found
    if not any(found.values()):
        for name, change in MAY.items():
            found[name] = "yes" if _same(ordering, change) else "no"
        follow = "orders follow gradients"
        found[follow] = "no" if found[follow] == "yes" else "yes"
    return found


def read(subject: str, found: dict[str, str]) -> Findings:
    """Make rows of what was found, and notes of what is wrong."""
    rows = [
        Row(subject, name, None, verdict=text or "holds")
        if name in MAY
        else Row(subject, name, None, verdict="fails" if text else "holds")
        for name, text in found.items()
    ]
    notes = [f"{subject}: {name}: {text}" for name, text in found.items() if name in MUST and text]
    return Findings(rows, {}, notes)
