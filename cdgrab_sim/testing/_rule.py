"""check_sign_rule: one line that tests somebody's own rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray
from cdgrab_sim.herding import reorder
from cdgrab_sim.testing._herding import assert_reorder_halves
from cdgrab_sim.testing._laws import assert_greedy_bound, assert_greedy_decisions, assert_walk_bound
from cdgrab_sim.testing._strategies import KINDS, hypothesis, vectors, whole

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

LAWS = ("greedy", "walk", "any")


def check_sign_rule(
    rule: Callable[..., Any],
    *,
    law: str = "greedy",
    online: bool = True,
    bound: Callable[[FloatArray], float] | None = None,
    norm: str = "inf",
    examples: int = 100,
) -> None:
    r"""Test a sign rule on vectors of every kind; raise with the smallest example it fails on.

    Every rule must answer with one sign +1 or -1 for each vector, the same every time, without touching its
    input, and its signs must halve herding errors as H1 says. An online rule must not look ahead: the signs
    of the first k vectors are those of the k vectors alone. Beside that:

    ``law="greedy"``
        the sign is +1 if <s, z> <= 0 else -1, exactly, on whole numbers; and V1 on all kinds of vectors.
    ``law="walk"``
        the rule tosses coins and takes ``rule(z, seed)``; its signed sums keep the bound V6 of the
        self-balancing walk, by frequency.
    ``law="any"``
        nothing more.

    Parameters
    ----------
    rule : callable
        ``rule(z) -> signs (n,)`` for vectors z (n, d); ``rule(z, seed)`` for ``law="walk"``.
    law : {"greedy", "walk", "any"}
    online : bool
        False for a rule that may look at all vectors before it decides.
    bound : callable, optional
        ``bound(z) -> A``: the rule claims that all its signed sums stay below A.
    norm : {"inf", "l1", "l2"}
        Of that bound.
    examples : int
        Lists of vectors to try for each property. They are the same every time.

    Raises
    ------
    AssertionError
        With what was expected, and the vectors.
    ValueError, TypeError
        For wrong arguments.

    Examples
    --------
    A rule that forgets to add up:

    >>> def forgetful(z):
    ...     return np.where(z[:, 0] <= 0, 1, -1)
    >>> check_sign_rule(forgetful)
    Traceback (most recent call last):
    ...
    AssertionError: greedy: expected the sign +1 at vector 0, as <s, z> = 0; got -1...
    """
    _checks.function("rule", rule)
    if bound is not None:
        _checks.function("bound", bound)
    examples = _checks.size("examples", examples)
    _checks.choice("law", law, LAWS)
    _checks.takes("rule", rule, *("z", "seed")[: 1 + (law == "walk")])
    online = _checks.flag("online", online)
    _checks.choice("norm", norm, ("inf", "l1", "l2"))
    plain: Callable[[FloatArray], Any] = (lambda z: rule(z, 0)) if law == "walk" else rule

    def always(z: FloatArray) -> None:
        eps = _signs(plain, z)
        assert_reorder_halves(z, eps, reorder(eps))
        if online:
            k = (len(z) + 1) // 2
            _equal(_signs(plain, z[:k]), eps[:k], f"an online rule not to look beyond the first {k} vectors")
        if bound is not None:
            _within(z, eps, bound(z), norm)
        if law == "greedy":
            assert_greedy_bound(z, eps)

    if law == "greedy":
        _for_all(lambda z: assert_greedy_decisions(z, _signs(plain, z)), _whole_lists(), examples)
    _for_all(always, vectors(), examples)
    if law == "walk":
        for kind in ("sphere", "adversarial", "duplicated"):
            assert_walk_bound(rule, KINDS[kind](stream(0, Role.DATA), 128, 3))


def _for_all(
    check: Callable[[FloatArray], None], strategy: SearchStrategy[FloatArray], examples: int
) -> None:
    given, settings, phase = hypothesis().given, hypothesis().settings, hypothesis().Phase
    same = settings(
        deadline=None,
        max_examples=examples,
        derandomize=True,
        database=None,
        phases=(phase.generate, phase.shrink),  # a look for the cause would take as long again
    )
    same(given(strategy)(check))()


def _whole_lists() -> SearchStrategy[FloatArray]:
    st = hypothesis().strategies
    return st.tuples(st.integers(1, 8), st.integers(1, 3)).flatmap(whole)  # type: ignore[no-any-return]


def _signs(rule: Callable[[FloatArray], Any], z: FloatArray) -> Any:
    """Return the signs that a rule gives, after what every rule must do."""
    shown = z.copy()
    eps = np.asarray(rule(shown))
    if not np.array_equal(shown, z):
        raise AssertionError("expected the vectors to be left as they are; the rule changed its input")
    if eps.shape != z.shape[:1] or not np.isin(eps, (-1, 1)).all():
        raise AssertionError(f"expected {len(z)} signs +1 or -1; got {_checks.brief(eps)}")
    _equal(np.asarray(rule(z.copy())), eps, "the same signs for the same vectors")
    return eps.astype(np.int64)


def _equal(got: Any, expected: Any, what: str) -> None:
    if not np.array_equal(got, expected):
        raise AssertionError(f"expected {what}; got {got} and {expected}")


def _within(z: FloatArray, eps: Any, bound: float, norm: str) -> None:
    order = {"inf": np.inf, "l1": 1, "l2": 2}[norm]
    reached = float(np.linalg.norm(np.cumsum(eps[:, None] * z, axis=0), order, axis=1).max())
    if not reached <= bound * (1.0 + 1e-9):  # a bound that is no number bounds nothing
        raise AssertionError(f"expected signed sums of at most {bound:g}; got {reached:g}")
