"""The assertions for other people's rules: right rules pass, wrong ones are caught, and quickly."""

import doctest
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cdgrab_sim as cg
from cdgrab_sim import testing
from tests.strategies import orders, signs, thorough

PAGE = Path(__file__).parents[2] / "docs" / "testing-your-rule.md"


def greedy(z, start=0.0, tie=1, flip=1, stale=0, forget=1.0):
    s, seen, eps = start * np.ones(z.shape[1]), [np.zeros(z.shape[1])], []
    for v in z:
        p = float((seen[max(0, len(seen) - 1 - stale)] * v).sum())
        sign = flip * (1 if p < 0 or (p == 0 and tie > 0) else -1)
        s = forget * s + sign * v
        seen.append(s)
        eps.append(sign)
    return np.array(eps)


def changes_its_input(z):
    eps = greedy(z)
    z *= eps[:, None]
    return eps


def sorts_first(z):
    """Looks at all vectors before the first sign."""
    eps, by_length = np.empty(len(z), dtype=int), np.argsort(-(z * z).sum(axis=1), kind="stable")
    eps[by_length] = greedy(z[by_length])
    return eps


class Moody:
    def __init__(self):
        self.calls = 0

    def __call__(self, z):
        self.calls += 1
        return greedy(z) * (-1) ** (self.calls % 2)


WRONG = {
    "sign flipped": (lambda z: greedy(z, flip=-1), "greedy: expected the sign"),
    "stale running sum": (lambda z: greedy(z, stale=1), "greedy: expected the sign"),
    "wrong tie": (lambda z: greedy(z, tie=-1), r"greedy: expected the sign \+1 at vector 0, as <s, z> = 0"),
    "forgetful sum": (lambda z: greedy(z, forget=0.5), "greedy: expected the sign"),
    "sum that does not start at zero": (lambda z: greedy(z, start=1.0), "greedy: expected the sign"),
    "always plus": (lambda z: np.ones(len(z), dtype=int), "greedy: expected the sign"),
    "zeros": (lambda z: np.zeros(len(z)), r"signs \+1 or -1"),
    "one sign short": (lambda z: greedy(z)[1:], r"signs \+1 or -1"),
    "changed input": (changes_its_input, "the rule changed its input"),
    "moods": (Moody(), "the same signs for the same vectors"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_wrong_rules_are_caught_in_a_moment(fault):
    rule, message = WRONG[fault]
    start = time.perf_counter()
    with pytest.raises(AssertionError, match=message):
        testing.check_sign_rule(rule)
    assert time.perf_counter() - start < 5.0


def test_a_rule_that_looks_ahead_is_no_online_rule():
    with pytest.raises(AssertionError, match="not to look beyond"):
        testing.check_sign_rule(sorts_first, law="any")
    testing.check_sign_rule(sorts_first, law="any", online=False)


def bounded(rule):
    for seed in range(20):
        z = np.random.RandomState(seed).standard_normal((12, 2))
        testing.assert_greedy_bound(z, rule(z))


def test_v1_alone_tells_the_wrong_from_the_right():
    bounded(greedy)
    for wrong in ("sign flipped", "stale running sum", "always plus"):
        with pytest.raises(AssertionError, match="V1: expected"):
            bounded(WRONG[wrong][0])


def test_the_signs_that_break_a_bound_are_told():
    with pytest.raises(AssertionError, match=r"from the signs \+\+-\+"):
        testing.assert_greedy_bound(np.ones((4, 1)), [1, 1, -1, 1])


def test_the_rules_of_the_house_pass():
    testing.check_sign_rule(greedy)
    testing.check_sign_rule(cg.balancing.signs)
    for rule in ("self-balancing", "hilbert"):
        walk = lambda z, seed, rule=rule: cg.balancing.signs(z, rule, seed=seed)  # noqa: E731
        testing.check_sign_rule(walk, law="walk", online=False)  # thresholds know the longest, or N

    def lengths(z):
        return np.abs(z).max()

    prefix = lambda z: cg.balancing.signs(z, "prefix")  # noqa: E731
    testing.check_sign_rule(prefix, law="any", online=False, bound=lambda z: 2 * z.shape[1] * lengths(z))
    with pytest.raises(AssertionError, match="expected signed sums of at most"):
        testing.check_sign_rule(prefix, law="any", online=False, bound=lambda z: 0.9 * lengths(z))


def test_plain_coins_are_no_walk():
    coins = lambda z, seed: cg.balancing.signs(z, "random", seed=seed)  # noqa: E731
    with pytest.raises(AssertionError, match="V6: expected sums above"):
        testing.assert_walk_bound(coins, np.tile([[1.0, 0.0]], (2048, 1)), runs=50)


@thorough
@given(z=testing.vectors(), data=st.data(), norm=st.sampled_from(["inf", "l1", "l2"]))
def test_h1_to_h3_hold_for_any_signs(z, data, norm):
    n = len(z)
    eps = data.draw(signs(n))
    testing.assert_reorder_halves(z, eps, cg.herding.reorder(eps), norm)
    testing.assert_stale_mean_costs(z, eps, z[0], norm)
    if n > 1:
        pairs = data.draw(signs(n // 2))
        spelled = np.append(np.column_stack((pairs, -pairs)).ravel(), [1] * (n % 2))
        testing.assert_pairs_halve(z, cg.herding.reorder(spelled), pairs, norm)


@thorough
@given(z=testing.vectors(m=st.integers(1, 4), n=st.integers(2, 9)), norm=st.sampled_from(["inf", "l1", "l2"]))
def test_h4_holds_for_coordinated_pairs(z, norm):
    n = z.shape[1]
    even = n - n % 2
    pairs = cg.balancing.signs(z[:, :even:2] - z[:, 1:even:2], scope="coordinated")
    new = cg.herding.order(z, "cd-grab", first=np.arange(n))
    testing.assert_coordinated_pairs_halve(z, new, pairs, norm)


def test_h5_holds_along_a_curve():
    z = np.random.RandomState(0).standard_normal((3, 64, 2))
    z -= z.mean(axis=(0, 1))
    errors, balances, pi = cg.herding.curve(z, "cd-grab", 6, first=np.arange(64), norm="l2"), [], None
    for t in range(6):
        pi = cg.herding.order(z, "cd-grab", t, first=np.arange(64))
        now = np.take_along_axis(z, pi[:, :, None], axis=1)
        v = now[:, ::2] - now[:, 1::2]
        balances.append(cg.balancing.prefix_discrepancy(v, cg.balancing.signs(v, scope="coordinated"), "l2"))
    testing.assert_rounds_halve(errors, balances)
    with pytest.raises(AssertionError, match="H5, round"):
        testing.assert_rounds_halve(np.append(errors[:-1], errors[0]), balances)


@pytest.mark.parametrize(("factor", "fails"), [(1.0, False), (1.05, True)])
def test_h5_takes_a_bound_at_its_word(factor, fails):
    """From 2 and 1 to at most (2 + 1) / 2."""
    errors = [2.0, 1.5 * factor]
    if fails:
        with pytest.raises(AssertionError, match=r"H5, round 1: expected"):
            testing.assert_rounds_halve(errors, [1.0])
    else:
        testing.assert_rounds_halve(errors, [1.0])


def test_h1_to_h4_catch_orders_that_the_signs_do_not_ask_for():
    z = np.random.RandomState(0).standard_normal((32, 2))
    z -= z.mean(axis=0)
    z = z[np.argsort(z[:, 0])]
    eps = cg.balancing.signs(z)
    with pytest.raises(AssertionError, match="H1: expected an error of at most"):
        testing.assert_reorder_halves(z, eps, np.arange(32))
    pairs = cg.balancing.signs(z[::2] - z[1::2])
    with pytest.raises(AssertionError, match="H3: expected"):
        testing.assert_pairs_halve(z, np.arange(32), pairs)
    with pytest.raises(AssertionError, match="H4: expected"):
        testing.assert_coordinated_pairs_halve(z[None], np.arange(32)[None], pairs[None])


def test_without_pairs_h4_is_false_and_the_suite_finds_it():
    """Signs of single vectors with one sum for all workers: fronts of different lengths."""

    @settings(derandomize=True, database=None, max_examples=500)
    @given(z=testing.vectors(kinds=["whole"], m=st.just(2), n=st.just(3), d=st.just(1)))
    def joint(z):
        z = z.copy()
        z[-1, -1] -= z.sum(axis=(0, 1))
        eps = cg.balancing.signs(z, scope="coordinated")
        old, signed = cg.herding.error(z, np.arange(3)), cg.balancing.prefix_discrepancy(z, eps)
        assert cg.herding.error(z, cg.herding.reorder(eps)) <= (old + signed) / 2

    with pytest.raises(AssertionError):
        joint()


def test_r2_tells_independent_orders_from_shared_and_fixed_ones():
    z = np.random.RandomState(0).standard_normal((1, 16, 2)).repeat(4, axis=0)
    z -= z.mean(axis=1, keepdims=True)

    def independent(seed):
        return np.random.default_rng(seed).permuted(np.tile(np.arange(16), (4, 1)), axis=1)

    testing.assert_random_orders(z, independent)
    for wrong in (lambda seed: np.tile(independent(seed)[:1], (4, 1)), lambda seed: independent(0)):
        with pytest.raises(AssertionError, match="R2: expected"):
            testing.assert_random_orders(z, wrong)


def test_v5_tells_a_fair_step_from_a_longer_one():
    at = [[0.5], [2.0]]
    testing.assert_sub_gaussian([0.5, 0.5], [[1.0], [-1.0]], [1.0], [2.0], at)
    with pytest.raises(AssertionError, match="V5: expected"):
        testing.assert_sub_gaussian([0.5, 0.5], [[1.5], [-1.5]], [1.0], [2.0], at)


@thorough
@given(data=st.data(), kind=st.sampled_from(sorted(testing.KINDS)))
def test_strategies_draw_what_they_say(data, kind):
    z = data.draw(testing.vectors(kinds=[kind]))
    assert np.isfinite(z).all()
    lengths = (z * z).sum(axis=1)
    if kind in ("sphere", "adversarial"):
        np.testing.assert_allclose(lengths, 1.0, rtol=1e-9)
    if kind == "signs":
        assert (np.abs(z) == 1).all()
    if kind == "low rank":
        assert np.linalg.matrix_rank(z, tol=1e-9) <= 1
    if kind == "duplicated":
        assert len(np.unique(z, axis=0)) <= 2
    assert sorted(data.draw(orders(1, 5))[0]) == list(range(5))


def test_the_page_does_what_it_shows():
    failed, tried = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert tried >= 8
    assert failed == 0


def test_without_hypothesis_one_line_says_what_to_install():
    program = "import sys; sys.modules['hypothesis'] = None; import cdgrab_sim as cg; cg.testing.vectors()"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PAGE.parents[1], capture_output=True, text=True, check=False
    )
    assert "pip install 'cdgrab-sim[testing]'" in done.stderr.splitlines()[-1]


SLIPS = {
    "rule: expected a function; got 'greedy'": lambda: testing.check_sign_rule("greedy"),
    "bound: expected a function; got 3.0": lambda: testing.check_sign_rule(cg.balancing.signs, bound=3.0),
    "examples: expected a whole number >= 1; got 0": lambda: testing.check_sign_rule(
        cg.balancing.signs, examples=0
    ),
    # one sign would be spread over both vectors, two errors be compared with the bounds of other rounds
    r"eps: expected one sign per vector, \(2,\); got \(1,\)": lambda: testing.assert_greedy_bound(
        [[1.0], [2.0]], [1]
    ),
    "errors: expected one more than balances, 2; got 3": lambda: testing.assert_rounds_halve(
        [8.0, 5.0, 3.0], [2.0]
    ),
    "unknown kind 'line'": lambda: given(z=testing.vectors(kinds=["line"]))(lambda z: None)(),
}


@pytest.mark.parametrize("message", SLIPS)
def test_slips_are_refused_and_no_assertions(message):
    with pytest.raises((ValueError, TypeError), match=message):
        SLIPS[message]()
