"""Awkward input: handled, or refused in one clear line; finite input never gives NaN."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from tests import naive_rules
from tests.strategies import few, thorough, whole

RULES = cg.balancing.RULES
SCOPES = ["coordinated", "independent"]
EVERY = pytest.mark.parametrize("rule", RULES)
ONLINE = ["greedy", "random", "self-balancing", "hilbert"]
AWKWARD = {
    "zeros": np.zeros((8, 3)),
    "one vector": np.ones((1, 3)),
    "one zero": np.zeros((1, 1)),
    "duplicates": np.tile([1.0, -2.0, 0.5], (9, 1)),
    "a line": np.array([[1.0], [-2.0], [3.0], [1.0], [0.0], [1.0], [5.0]]),
    "whole numbers": np.random.RandomState(0).randint(-3, 4, size=(8, 2)),
    "huge": 1e150 * np.random.RandomState(0).standard_normal((8, 3)),
    "tiny": 1e-150 * np.random.RandomState(0).standard_normal((8, 3)),
    "both": np.array([[1e150, 1.0], [1e-150, 1.0], [1e-150, -1e150], [1.0, 1.0]]),
    "largest numbers": np.full((6, 2), 1e307),
    "smallest numbers": np.full((6, 2), 5e-324),
    "zeros among others": np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0], [3.0, -1.0]]),
}


@EVERY
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("case", AWKWARD)
def test_signs_are_signs_and_nothing_is_nan(rule, scope, case):
    for z in (AWKWARD[case], np.stack([AWKWARD[case]] * 2)):
        made = cg.balancing.balance(z, rule, scope=scope)
        assert made.signs.shape == z.shape[:-1]
        assert (np.abs(made.signs) == 1).all()
        assert np.isfinite(made.sums).all()
        assert not np.isnan(cg.balancing.prefix_discrepancy(z, made.signs, "l2"))


@pytest.mark.parametrize("exponent", [-1000, -600, 600, 1000])
@pytest.mark.parametrize("norm", ["inf", "l1", "l2"])
def test_measures_do_not_depend_on_the_unit(norm, exponent):
    """Squares of 2^600 are no numbers any more; multiplied by powers of two, nothing rounds."""
    z = np.random.RandomState(0).randint(-3, 4, size=(2, 7, 9)).astype(float)
    pi = np.array([np.random.RandomState(i).permutation(7) for i in range(2)])
    eps = np.where(z[:, :, 0] > 0, 1, -1)
    measures = [
        lambda z: cg.herding.error(z, pi, norm),
        lambda z: cg.herding.profile(z, pi, norm),
        lambda z: cg.herding.worker_errors(z, pi, norm),
        lambda z: cg.herding.random_profile(z),
        lambda z: cg.balancing.prefix_discrepancy(z, eps, norm),
    ]
    for measure in measures:
        assert_array_equal(measure(np.ldexp(z, exponent)), np.ldexp(measure(z), exponent))


@pytest.mark.parametrize("case", AWKWARD)
@pytest.mark.parametrize("form", [cg.orderings.mean, cg.orderings.pair])
@pytest.mark.parametrize("rule", ONLINE)
def test_orders_stay_permutations(form, rule, case):
    z = np.stack([AWKWARD[case]] * 2)
    G = np.asarray(z, dtype=float).swapaxes(0, 1)[None].repeat(3, axis=0)
    if case == "largest numbers":  # whose squares are none: signs would be those of NaN
        with pytest.raises(
            ValueError, match=r"G: expected entries below 1\.\d+e\+153; got 1e\+307; scale them"
        ):
            cg.replay(G, form(scope="coordinated", rule=rule))
        return
    following = cg.replay(G, form(scope="coordinated", rule=rule)).next
    assert_array_equal(np.sort(following, axis=1), np.tile(np.arange(z.shape[1]), (2, 1)))


@pytest.mark.parametrize("factor", [1e-150, 1e150])
@pytest.mark.parametrize("form", [cg.orderings.mean, cg.orderings.pair])
@pytest.mark.parametrize("rule", ONLINE)
def test_orderings_decide_alike_from_tiny_and_huge_gradients(form, rule, factor):
    G = np.random.RandomState(0).standard_normal((4, 9, 2, 3))
    one, two = (cg.replay(a * G, form(scope="coordinated", rule=rule)) for a in (1.0, factor))
    assert_array_equal(one.orders, two.orders)
    assert_array_equal(one.next, two.next)


@EVERY
@pytest.mark.parametrize("factor", [1e-3, 1e3, 1e-150, 1e150])
def test_the_unit_of_the_vectors_does_not_matter(rule, factor):
    z = np.random.RandomState(0).standard_normal((2, 9, 3))
    assert_array_equal(cg.balancing.signs(factor * z, rule), cg.balancing.signs(z, rule))
    if rule == "self-balancing":
        bound = 0.5 * np.linalg.norm(z, axis=2).max()
        scaled, plain = (cg.balancing.balance(a * z, rule, bound=a * bound) for a in (factor, 1.0))
        assert_array_equal(scaled.signs, plain.signs)
        assert_allclose(scaled.sums, factor * plain.sums, rtol=1e-12)


@pytest.mark.parametrize("rule", ["self-balancing", "hilbert"])
@pytest.mark.parametrize("factor", [1e-3, 1e3])
@pytest.mark.parametrize("form", [cg.orderings.mean, cg.orderings.pair])
def test_nor_does_it_in_an_ordering(form, rule, factor):
    G = np.random.RandomState(0).standard_normal((4, 33, 2, 3))
    one, two = (cg.replay(a * G, form(scope="coordinated", rule=rule)) for a in (1.0, factor))
    assert_array_equal(one.orders, two.orders)
    assert_array_equal(one.next, two.next)


def test_the_default_bound_is_the_largest_norm_of_the_epoch_before():
    """Epoch 0 is greedy; then B^2 = 9, c = 1/9 and the threshold 1 makes the signs of s v > 1 sure."""
    rule = cg.orderings.SignRule("self-balancing", c=1 / 9)
    ordering = cg.orderings.mean(scope="independent", rule=rule, first=np.arange(4))
    greedy = cg.orderings.mean(scope="independent", first=np.arange(4))
    G = np.array([3.0, 2.0, -1.0, -4.0]).reshape(1, 4, 1, 1).repeat(3, axis=0)
    assert_array_equal(cg.replay(G[:1], ordering).next, cg.replay(G[:1], greedy).next)
    problem = cg.Problem("four", m=1, n=4, d=1, data=(), grads=None, value=None)
    rng = np.random.default_rng(0)
    state = ordering.init(problem, rng)
    for seen, expected in zip(G, (0.0, 16.0, 16.0), strict=True):
        assert state.signer.bound.tolist() == [expected]
        ordering.observe(state, cg.Seen.along(state.pi, 0, seen))
        state = ordering.advance(state, rng)
    assert state.signer.clips.sum() > 0


@pytest.mark.parametrize("norm", ["inf", "l2"])
@pytest.mark.parametrize("scope", SCOPES)
@thorough
@given(z=st.tuples(few, st.integers(1, 4), few).flatmap(whole))
def test_optimal_signs_are_optimal(scope, norm, z):
    m, n, _ = z.shape
    eps = cg.balancing.signs(z, "optimal", scope=scope, norm=norm)
    if scope == "coordinated":
        best = naive_rules.best_discrepancy(z.swapaxes(0, 1).reshape(m * n, -1).tolist(), m, norm)
        assert cg.balancing.prefix_discrepancy(z, eps, norm) == pytest.approx(best, rel=1e-14)
    else:
        for own, signs in zip(z, eps, strict=True):
            best = naive_rules.best_discrepancy(own.tolist(), 1, norm)
            assert cg.balancing.prefix_discrepancy(own, signs, norm) == pytest.approx(best, rel=1e-14)


def test_optimal_is_no_worse_than_any_rule_at_its_largest_size():
    z = np.random.RandomState(1).standard_normal((20, 3))
    best = cg.balancing.prefix_discrepancy(z, cg.balancing.signs(z, "optimal"))
    for rule in RULES:
        assert best <= cg.balancing.prefix_discrepancy(z, cg.balancing.signs(z, rule, seed=2)) * (1 + 1e-12)
    with pytest.raises(ValueError, match="at most 20 vectors in one sum; got 21; use an online rule"):
        cg.balancing.signs(np.zeros((21, 1)), "optimal")


@pytest.mark.parametrize("norm", ["inf", "l1", "l2"])
@pytest.mark.parametrize("scope", SCOPES)
@thorough
@given(z=st.tuples(few, st.integers(1, 12), few).flatmap(whole))
def test_prefix_signs_stay_below_twice_the_dimension(scope, norm, z):
    length = {"inf": np.inf, "l1": 1, "l2": 2}[norm]
    eps = cg.balancing.signs(z, "prefix", scope=scope)
    bound = 2 * z.shape[2] * np.linalg.norm(z, length, axis=2).max()
    for own, signs in [(z, eps)] if scope == "coordinated" else zip(z, eps, strict=True):
        assert cg.balancing.prefix_discrepancy(own, signs, norm) <= bound * (1 + 1e-12)


def test_prefix_signs_do_not_grow_with_n():
    z = np.random.RandomState(0).standard_normal((800, 2))
    assert cg.balancing.prefix_discrepancy(z, cg.balancing.signs(z, "prefix"), "l2") < 8.0


REFUSED = {
    "bound: expected none for rule 'greedy'; got 2.0": lambda: cg.balancing.signs(np.eye(2), bound=2.0),
    "bound: expected none .* got 1.0": lambda: cg.balancing.signs(np.eye(2), "optimal", bound=1.0),
    "unknown rule 'hilbertt'; did you mean 'hilbert'": lambda: cg.balancing.signs(np.eye(2), "hilbertt"),
    "unknown norm 'l1'": lambda: cg.balancing.signs(np.eye(2), "optimal", norm="l1"),
    r"z\[0, 1\]: expected finite numbers; got inf": lambda: cg.balancing.signs([[0.0, np.inf]], "hilbert"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_wrong_arguments_are_refused_in_one_line(message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        REFUSED[message]()
    assert "\n" not in str(caught.value)
