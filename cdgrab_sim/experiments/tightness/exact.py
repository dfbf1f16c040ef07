"""Exact worst cases of a few steps by performance estimation, beside the bounds.

A semidefinite program finds the worst smooth (strongly convex) examples in any dimension; it is stated with
PEPit (the extra ``pep``) and solved with an open solver. Answers are stored, and solved again where PEPit is.

References
----------
Taylor, Hendrickx, Glineur, 2017, arXiv 1502.05666; PEPit: arXiv 2201.04040.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from theory import convergence

SQUARES = "three terms are squared together, which costs 3 where one of them leads"


class Case(NamedTuple):
    """A bound at a size where its worst case can be solved for."""

    label: str
    what: str
    solve: Callable[[], float]
    bound: float
    reason: str = ""


MU, L, H, R0, SIGMA = 0.1, 1.0, 1.0, 1.0, 1.0


def _problem(n: int, mu: float | None) -> tuple[Any, list[Any], Any, Any]:
    """Return a program with n examples, their mean, and a first point."""
    from PEPit import PEP
    from PEPit.functions import SmoothFunction, SmoothStronglyConvexFunction

    program = PEP()
    if mu is None:
        examples = [program.declare_function(SmoothFunction, L=L) for _ in range(n)]
    else:
        examples = [program.declare_function(SmoothStronglyConvexFunction, mu=mu, L=L) for _ in range(n)]
    return program, examples, sum(examples[1:], examples[0]) / n, program.set_initial_point()


def _solved(program: Any) -> float:
    return float(program.solve(verbose=0))


def _walk(examples: Sequence[Any], x: Any, alpha: float, order: Sequence[int]) -> Any:
    for j in order:
        x = x - alpha * examples[j].gradient(x)
    return x


def descent(n: int, cap: float) -> float:
    """Return the smallest factor of alpha^3 n L^2 V with which T1 is true, where it has 2.4."""
    alpha = cap / (n * L)
    program, examples, f, x0 = _problem(n, None)
    seen = [one.gradient(x0) for one in examples]
    mean = sum(seen[1:], seen[0]) / n
    prefix, squares = 0.0 * mean, 0.0 * mean**2
    for g in seen[:-1]:
        prefix = prefix + g - mean
        squares = squares + prefix**2 / n
    program.add_constraint(squares <= 1.0 / (alpha**3 * n * L**2))  # so that the solver sees numbers near 1
    x1 = _walk(examples, x0, alpha, range(n))
    program.set_performance_metric(f(x1) - f(x0) + alpha * n / 2 * (1 - 1.6 * cap**2) * mean**2)
    return _solved(program)


def mean_gradient(T: int, cap: float) -> float:
    """Return the largest mean squared gradient of T steps of gradient descent where f(x_0) - inf f <= 1."""
    program, [f], _, x = _problem(1, None)
    first, squares = f(x), []
    for _ in range(T + 1):
        squares.append(f.gradient(x) ** 2)
        program.set_initial_condition(first - f(x) + squares[-1] / (2 * L) <= 1.0)
        x = x - cap / L * f.gradient(x)
    program.set_performance_metric(sum(squares[1:T], squares[0]) / T)
    return _solved(program)


def distance(n: int, orders: Sequence[Sequence[int]], alpha: float, *, prefixes: bool) -> float:
    """Return the largest mean of ||x - x*||^2 over orders, from ||x_0 - x*||^2 <= 1.

    Where every prefix at x* has a norm of at most 1, or their gradients a mean square of at most 1.
    """
    program, examples, f, x0 = _problem(n, MU)
    x_star = f.stationary_point()
    program.set_initial_condition((x0 - x_star) ** 2 <= R0)
    at = [one.gradient(x_star) for one in examples]
    if prefixes:
        prefix = 0.0 * at[0]
        for g in at[:-1]:
            prefix = prefix + g
            program.add_constraint(prefix**2 <= H**2)
    else:
        program.add_constraint(sum((g**2 for g in at[1:]), at[0] ** 2) / n <= SIGMA**2)
    ends = [(_walk(examples, x0, alpha, order) - x_star) ** 2 for order in orders]
    program.set_performance_metric(sum(ends[1:], ends[0]) / len(ends))
    return _solved(program)


def _ig(n: int, T: int, alpha: float) -> Case:
    squares = [[0.0] + [H**2] * (n - 1)] * T
    proved = float(convergence.strongly_convex_path(R0, squares, alpha, L, MU)[-1])
    solve = partial(distance, n, [list(range(n)) * T], alpha, prefixes=True)
    return Case("T3", f"squared distance of ig, n = {n}, T = {T}, alpha = {alpha:g} / L", solve, proved)


def _rr(n: int, T: int, alpha: float) -> list[Case]:
    rows = itertools.permutations(range(n))
    orders = [list(itertools.chain(*some)) for some in itertools.product(list(rows), repeat=T)]
    solve = partial(distance, n, orders, alpha, prefixes=False)
    what = f"mean squared distance of rr, n = {n}, T = {T}, alpha = {alpha:g} / L"
    proved = convergence.rr_strongly_convex_bound(R0, L, SIGMA, MU, alpha, 1, n, T)
    published = convergence.rr_strongly_convex_published(R0, L, SIGMA, MU, alpha, n, T)
    return [Case("T3", what, solve, proved), Case("T9", f"{what}, arXiv 2102.06704", solve, published)]


def _descent(n: int, cap: float) -> Case:
    alpha = cap / (n * L)
    unit = 1.0 / (alpha**3 * n * L**2)
    factor = convergence.epoch_descent_bound(0.0, 0.0, unit, alpha, n, L)
    what = f"factor of the noise term of ig, n = {n}, alpha n L = {cap:g}"
    return Case("T1", what, partial(descent, n, cap), factor, SQUARES)


def _gradient(T: int, cap: float) -> Case:
    bound = convergence.nonconvex_bound(1.0, L, 0.0, cap / L, 1, T)
    return Case("T1", f"mean squared gradient of descent, T = {T}", partial(mean_gradient, T, cap), bound)


CASES: dict[str, Case] = {
    f"{case.label} {case.what}": case
    for case in (
        *(_descent(n, cap) for n, cap in ((2, 0.5), (3, 0.5), (3, 0.2))),
        *(_gradient(T, 0.5) for T in (1, 2)),
        *(_ig(*sizes) for sizes in ((1, 2, 1.0), (2, 1, 1.0), (2, 2, 0.3), (3, 2, 1.0), (3, 2, 0.1))),
        *(case for sizes in ((2, 2, 1.0), (2, 2, 0.1), (3, 1, 0.3)) for case in _rr(*sizes)),
    )
}
