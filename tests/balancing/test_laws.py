"""The rules against theory: exact laws by enumeration, frequencies by one-sided tests at level 1e-6."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest

import cdgrab_sim as cg
from cdgrab_sim.balancing._signs import walk_of_signs
from cdgrab_sim.orderings._rules import Signer
from tests.theory.naive_theory import walk_laws
from theory import balancing as theory

LEVEL = 1e-6
SignRule = cg.orderings.SignRule
ALMOST_ONE = 1.0 - 2.0**-53


def walks(rule, vectors, uniforms, N):
    """Ends and clips of independent walks over the same vectors (n, d), one for each row of uniforms."""
    m, d = len(uniforms), vectors.shape[1]
    signer, G = Signer.new(rule, m, d, uniforms), np.repeat(vectors[:, None], m, axis=1)
    return signer, walk_of_signs(signer, G, rule, N)


def law_of(rule, vectors, thresholds, N):
    """Exact law of the walk: every path, forced by u = 0 (+) and u just below 1 (-), with its probability."""
    uniforms = np.array(list(itertools.product([0.0, ALMOST_ONE], repeat=len(vectors))))
    signer, eps = walks(rule, vectors, uniforms, N)
    probability, w = np.ones(len(uniforms)), np.zeros((len(uniforms), vectors.shape[1]))
    for k, (v, a) in enumerate(zip(vectors, thresholds, strict=True)):
        p = w @ v
        clipped = np.abs(p) > a
        probability *= np.where(clipped, 0.5, (1 - eps[:, k] * p / a) / 2)  # a clip ignores u
        w += np.where(clipped, -p / a, eps[:, k])[:, None] * v
    assert_allclose(signer.s, w, rtol=1e-12, atol=1e-12)
    return probability, signer


@pytest.mark.parametrize("delta", [0.01, 0.9999])  # rare clips, frequent clips
@pytest.mark.parametrize("n", [1, 4, 10])
def test_the_law_of_the_hilbert_walk_is_exact_and_sub_gaussian(n, delta):
    rng = np.random.RandomState(n)
    vectors = rng.standard_normal((n, 3)) * rng.uniform(0.2, 2.0, size=(n, 1))
    norms = np.linalg.norm(vectors, axis=1)
    N = 1  # delta is then the probability of each clip, as in theory
    thresholds = theory.kernel_halving_thresholds(norms, delta)
    probability, signer = law_of(SignRule("hilbert", delta=delta), vectors, thresholds, N)
    laws, clips = walk_laws(vectors, thresholds)
    expected, ends = laws[-1]
    assert probability.sum() == pytest.approx(1.0, rel=1e-12)
    variances = theory.self_balancing_variances(norms, thresholds)
    assert_allclose(signer.variance, variances[-1], rtol=1e-12)
    assert probability @ signer.clips == pytest.approx(clips.sum(), rel=1e-10, abs=1e-15)
    if n == 10 and delta > 0.5:
        assert clips.sum() > 0.01
    for u in rng.standard_normal((20, 3)):
        moment = probability @ np.exp(signer.s @ u)
        assert moment == pytest.approx(expected @ np.exp(ends @ u), rel=1e-10)
        assert moment <= np.exp(variances[-1] * (u @ u) / 2) * (1 + 1e-12)


def test_the_share_of_plus_is_the_formula():
    """P(+) = (1 - p/a)/2: counted over an even grid of uniforms, for p = 2 and a = 8, hence 3/8."""
    grid = ((np.arange(1024) + 0.5) / 1024)[:, None] * [0.0, 1.0]
    vectors = np.array([[2.0], [1.0]])  # the first is + as u = 0, so s = 2 and p = 2
    _, eps = walks(SignRule("self-balancing", bound=2.0, c=2.0), vectors, grid, 2)
    assert (eps[:, 0] == 1).all()
    assert (eps[:, 1] == 1).mean() == 3 / 8


@pytest.mark.parametrize(("epochs", "N"), [(1, 1), (3, 8)])
def test_a_rule_of_many_epochs_shares_its_probability_out_among_them(epochs, N):
    rule = SignRule("hilbert", delta=0.1, epochs=epochs)
    expected = 2 * math.log(4 / 0.1 * (1 + math.log(epochs)) * (1 + math.log(N)))
    assert rule.factor(N) == pytest.approx(expected, rel=1e-14)


def test_the_default_threshold_is_that_of_the_prefix_theorem():
    for N in (1, 10, 1000):
        ours = SignRule("self-balancing", delta=0.05).factor(N)
        assert ours == pytest.approx(theory.self_balancing_threshold(N, 0.05), rel=1e-14)


@pytest.mark.compiled
@pytest.mark.parametrize(("N", "d"), [(64, 2), (256, 16)])
@pytest.mark.parametrize("norm", ["inf", "l2"])
def test_the_prefix_bound_of_the_self_balancing_walk(N, d, norm):
    """Violated with frequency delta at most, and at most three times the largest value seen."""
    runs, delta, B = 400, 0.1, 3.0
    z = np.random.RandomState(d).standard_normal((N, d))
    z *= B / np.linalg.norm(z, axis=1)[:, None]
    rule = SignRule("self-balancing", bound=B * (1 + 1e-12), delta=delta)
    made = cg.balancing.balance(np.repeat(z[None], runs, axis=0), rule, seed=1)
    assert made.guaranteed
    sums = np.cumsum(made.signs[:, :, None] * z, axis=1)
    largest = (np.abs(sums).max(axis=2) if norm == "inf" else np.linalg.norm(sums, axis=2)).max(axis=1)
    bound = theory.self_balancing_bound(N, d, delta, norm, B)
    violated = int(((largest > bound) | (made.clips > 0)).sum())
    assert binomtest(violated, runs, delta, alternative="greater").pvalue > LEVEL
    assert bound <= 3.0 * largest.max()


def test_a_guarantee_is_claimed_only_where_the_bound_was_given_and_kept():
    z = np.random.RandomState(0).standard_normal((20, 3))
    longest = float(np.linalg.norm(z, axis=1).max()) * (1 + 1e-12)

    def claimed(rule, bound=None):
        return cg.balancing.balance(z, rule, bound=bound).guaranteed

    assert claimed("self-balancing", longest)
    assert not claimed("self-balancing")
    assert not claimed("self-balancing", 0.99 * longest)
    assert not claimed(SignRule("self-balancing", bound=longest, c=1.0))
    for rule in ("greedy", "random", "hilbert", "optimal", "prefix"):
        assert not claimed(rule)


def test_greedy_reaches_the_square_root_on_its_worst_case():
    z = theory.greedy_worst_case(400, 3)
    sums = np.cumsum(cg.balancing.signs(z)[:, None] * z, axis=0)
    assert_allclose(np.linalg.norm(sums, axis=1), np.sqrt(np.arange(1, 401)), rtol=1e-8)


def test_coins_on_the_worst_case_of_greedy_stay_below_it():
    z = theory.greedy_worst_case(4096, 2)
    greedy = cg.balancing.prefix_discrepancy(z, cg.balancing.signs(z), "l2")
    for rule in ("self-balancing", "hilbert"):
        assert cg.balancing.prefix_discrepancy(z, cg.balancing.signs(z, rule), "l2") < 0.5 * greedy


def growth(scope, rule="greedy"):
    """Slopes of the largest prefix of signed pair differences in m = 1, ..., 4096, one per seed."""
    sizes, n, d = [1, 8, 64, 512, 4096], 64, 4
    slopes = []
    for seed in range(8):
        z = np.random.RandomState(seed).standard_normal((max(sizes), n, d))
        v = z[:, ::2] - z[:, 1::2]
        largest = [
            cg.balancing.prefix_discrepancy(v[:m], cg.balancing.signs(v[:m], rule, scope=scope), "l2")
            for m in sizes
        ]
        slopes.append(np.polyfit(np.log(sizes), np.log(largest), 1)[0])
    return np.mean(slopes)


@pytest.mark.compiled
def test_coordinated_pairs_are_flat_in_m_and_independent_ones_grow_as_its_root():
    assert abs(growth("coordinated")) <= 0.05
    assert abs(growth("independent") - 0.5) <= 0.05
