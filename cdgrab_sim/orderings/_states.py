"""The states of an ordering, epoch after epoch: every run of every ordering goes through here."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering, Problem
from cdgrab_sim._rng import Role, Stream
from cdgrab_sim._types import FloatArray, IntArray


def states(
    ordering: Ordering,
    problem: Problem,
    seed: int,
    replicate: int = 0,
    first: IntArray | None = None,
    role: Role = Role.ORDER,
) -> Iterator[Any]:
    """Yield the state of epoch 0, 1, 2, ...; between two of them the caller shows the epoch's gradients.

    `seed`, `role` and `replicate` are the address of the draws; `first` (m, n) replaces the first orders of
    ``ordering.init``. Orders that are not what they must be are refused.
    """
    stream = Stream(seed, role, replicate)
    state = ordering.init(problem, stream.at(0))
    if first is not None:
        if not hasattr(state, "_replace"):
            raise TypeError(
                f"first: expected an ordering whose state is a NamedTuple; got {type(state).__name__} from "
                f"{ordering.name!r}; give the first orders to the ordering itself"
            )
        state = state._replace(pi=first)
    for t in count(1):
        check_orders(ordering, state, problem)
        yield state
        state = ordering.advance(state, stream.at(t))


def orders_of(ordering: Ordering, state: Any) -> IntArray:
    """Return the orders to follow in this epoch: a contiguous copy where somebody else wrote the ordering.

    Its `observe` might write into ``state.pi`` while the epoch goes on, and kernels compile once.
    """
    pi: IntArray = state.pi
    return pi if ordering.verified else np.array(pi, order="C")


def weight_of(ordering: Ordering, state: Any, problem: Problem) -> FloatArray | None:
    """Return what the ordering multiplies gradients with, (m, n), or None for 1."""
    weight: FloatArray | None = getattr(state, "weight", None)
    if weight is None or ordering.verified:
        return weight
    name, shape = f"ordering {ordering.name!r}: state.weight", (problem.m, problem.n)
    table = _checks.floats(name, weight, 2)
    if table.shape != shape:
        raise ValueError(f"{name}: expected shape (m, n) = {shape}; got {table.shape}")
    return np.array(table, order="C")


def check_orders(ordering: Ordering, state: Any, problem: Problem) -> None:
    """Refuse orders that are not what they must be, where somebody else wrote the ordering."""
    if ordering.verified:
        return
    if not hasattr(state, "pi"):
        raise TypeError(
            f"ordering {ordering.name!r}: expected init and advance to return a state with orders as `pi`; "
            f"got {type(state).__name__}; return a NamedTuple that has it"
        )
    name = f"ordering {ordering.name!r}: state.pi"
    if ordering.replacement:
        _checks.in_range(name, state.pi, (problem.m, problem.n))
    else:
        _checks.permutations(name, state.pi, (problem.m, problem.n))
