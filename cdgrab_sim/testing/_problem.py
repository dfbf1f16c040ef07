"""check_problem: one line that tests a problem of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks, problems
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray
from cdgrab_sim.problems._probe import probe

_STEP = np.finfo(float).eps ** (1 / 3)  # of central differences: truncation and rounding are of one size
_CLOSE = 1e-4  # relative: what central differences of smooth functions keep to with ease


def check_problem(problem: Problem | str, *, x: ArrayLike | None = None, seed: int = 0) -> None:
    r"""Test a problem: gradients, values, shapes, determinism, and that nothing else is touched.

    Gradients are held against central differences along each coordinate,

    .. math:: \partial_p f(x) \approx \frac{f(x + h e_p) - f(x - h e_p)}{2 h},

    those of single examples where the problem has a ``loss``, their mean otherwise. The functions must be
    smooth near x.

    Parameters
    ----------
    problem : Problem or str
    x : array (d,), optional
        Where to look; standard normal by default.
    seed : int
        Of that point.

    Raises
    ------
    AssertionError
        With what was expected, what came, and where.
    ValueError, TypeError
        For functions that cannot be called as `Problem` says.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> check_problem(cg.problems.logistic(m=2, n=4, d=3))
    >>> def wrong(out, x, who, idx, data):
    ...     out[:] = 1.5 * (x - data[0][who, idx])
    >>> def value(x, data):
    ...     return 0.5 * np.mean((x - data[0]) ** 2)
    >>> check_problem(Problem("mine", 1, 2, 1, (np.array([[[1.0], [2.0]]]),), wrong, value), x=[0.0])
    Traceback (most recent call last):
    ...
    AssertionError: problem 'mine': expected grads to be the slope of value, -1.5 along coordinate 0;
    got -2.25
    """
    problem, seed = problems.make(problem), _checks.integer("seed", seed, low=0)
    drawn = stream(seed, Role.DATA).standard_normal(problem.d) if x is None else x
    point = np.array(_checks.vector("x", drawn, problem.d))
    where, before = f"problem {problem.name!r}:", [np.array(a) for a in problem.data]
    probe(problem, point)
    G, f = problem.gradients(point), _value(problem, point)
    _finite(f"{where} grads", G)
    _finite(f"{where} value", f)
    _same(f"{where} grads", problem.gradients(point), G)
    _same(f"{where} value", _value(problem, point), f)
    _single_rows(problem, point, G, where)
    if problem.loss is not None:
        values = problem.values(point)
        _same(f"{where} loss", problem.values(point), values)
        _near(f"{where} expected the mean of loss over all examples to be value", values.mean(), f, f)
    _slopes(problem, point, G, where)
    if not all(np.array_equal(a, b) for a, b in zip(before, problem.data, strict=True)):
        raise AssertionError(f"{where} expected the data to be left as they are; a function changed them")
    if problem.x_star is not None:
        _minimum(problem, where)


def _value(problem: Problem, x: FloatArray) -> float:
    return float(problem.value(x.copy(), problem.arrays))


def _finite(what: str, number: Any) -> None:
    wrong = ~np.isfinite(number)
    if wrong.any():
        got = np.asarray(number)[wrong][0]
        raise AssertionError(f"{what}: expected finite numbers; got {got}; choose another x, or mend it")


def _same(what: str, again: Any, first: Any) -> None:
    if not np.array_equal(again, first):
        raise AssertionError(f"{what}: expected the same numbers when called twice; got others")


def _near(what: str, got: Any, expected: float, scale: float) -> None:
    if not abs(got - expected) <= 1e-9 * abs(scale):  # also where one of them is no number
        raise AssertionError(f"{what}, {expected:.6g}; got {got:.6g}")


def _single_rows(problem: Problem, x: FloatArray, G: FloatArray, where: str) -> None:
    """Each row of `out` belongs to its own example, however many are asked for."""
    m, n = problem.m, problem.n
    for i, j in {(0, 0), (m - 1, 0), (0, n - 1), (m - 1, n - 1)}:
        out = np.full((1, problem.d), np.nan)
        problem.grads(out, x.copy(), np.array([i]), np.array([j]), problem.arrays)
        if not np.allclose(out[0], G[i, j], rtol=1e-9, atol=1e-12 * float(np.abs(G).max())):
            raise AssertionError(
                f"{where} grads: expected the gradient of example {j} of worker {i} to be the same alone and "
                f"beside others; got {out[0]} and {G[i, j]}; row r belongs to example idx[r] of worker who[r]"
            )


def _slopes(problem: Problem, x: FloatArray, G: FloatArray, where: str) -> None:
    h = _STEP * max(1.0, float(np.abs(x).max()))
    f = problem.values if problem.loss is not None else lambda at: _value(problem, at)
    g, of = (G, "loss") if problem.loss is not None else (G.mean(axis=(0, 1)), "value")
    noise = 1e-9 * (np.abs(G).max() + np.abs(f(x)).max())  # of differences of numbers of this size
    for p, e in enumerate(np.eye(problem.d)):
        slopes = np.asarray((f(x + h * e) - f(x - h * e)) / (2.0 * h))
        wrong = ~(np.abs(slopes - g[..., p]) <= _CLOSE * np.abs(g[..., p]).max() + noise)
        if wrong.any():
            at = tuple(int(k) for k in np.argwhere(wrong)[0])
            example = f" of example {at[1]} of worker {at[0]}" if at else ""
            raise AssertionError(
                f"{where} expected grads to be the slope of {of}{example}, {slopes[at]:.6g} along coordinate "
                f"{p}; got {g[(*at, p)]:.6g}"
            )


def _minimum(problem: Problem, where: str) -> None:
    x = np.array(problem.x_star)
    G = problem.gradients(x)
    g, size = np.linalg.norm(G.mean(axis=(0, 1))), float(np.linalg.norm(G, axis=2).max())
    if not g <= max(1e-6 * size, 1e-9):
        raise AssertionError(f"{where} expected a gradient of zero at x_star; got one of norm {g:.3g}")
    if problem.f_star is not None:
        f, scale = _value(problem, x), abs(problem.f_star) + size
        _near(f"{where} expected value to be f_star at x_star", f, problem.f_star, scale)
