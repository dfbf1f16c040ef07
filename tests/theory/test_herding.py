"""H1 to H8: identities to rounding, bounds in three norms, and the tempting wrong lemma refuted."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import cdgrab_sim as cg
from tests.theory.naive_theory import NORMS, coordinated_pair_signs, greedy, pair_reorder, reorder
from theory import herding

integers = st.integers(-9, 9).map(float)
lists = st.tuples(st.integers(1, 9), st.integers(1, 3)).flatmap(
    lambda shape: st.tuples(
        arrays(float, shape, elements=integers), arrays(int, shape[0], elements=st.sampled_from([-1, 1]))
    )
)
worker_lists = st.tuples(st.integers(1, 4), st.integers(2, 9), st.integers(1, 3)).flatmap(
    lambda shape: arrays(float, shape, elements=integers)
)


def prefixes(z):
    return np.cumsum(z, axis=-2)


def largest(norm, sums):
    return float(NORMS[norm](sums).max()) if len(sums) else 0.0


def centred(z):
    return z - z.mean(axis=tuple(range(z.ndim - 1)))


def close(measured, predicted):
    np.testing.assert_allclose(measured, predicted, rtol=1e-12, atol=1e-12 * (1 + np.abs(predicted).max()))


# H1, H2 -----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(lists)
def test_reorder_identity_and_bound_with_any_signs_and_any_total(case):
    z, eps = case
    S, R = prefixes(z), prefixes(eps[:, None] * z)
    new = prefixes(z[reorder(eps)])
    close(new, herding.reordered_prefixes(S, R, eps))
    for norm in NORMS:
        total = float(NORMS[norm](S[-1]))
        bound = herding.reorder_bound(largest(norm, S), largest(norm, R), total)
        assert largest(norm, new) <= bound * (1 + 1e-12)


def test_reorder_bound_needs_the_total():
    z, eps = np.ones((3, 1)), [1, -1, -1]
    new = largest("l2", prefixes(z[reorder(eps)]))
    signed = largest("l2", prefixes(np.array(eps)[:, None] * z))
    assert new == 3 > herding.reorder_bound(3.0, signed)
    assert new <= herding.reorder_bound(3.0, signed, total=3.0)


def test_reorder_bound_without_a_total_is_attained():
    ratios = []
    for z in itertools.product([-1.0, 1.0, 2.0, -2.0], repeat=4):
        if sum(z) == 0:
            for eps in itertools.product([-1, 1], repeat=4):
                old = max(abs(np.cumsum(z)))
                signed = max(abs(np.cumsum(np.multiply(eps, z))))
                new = max(abs(np.cumsum(np.array(z)[reorder(eps)])))
                ratios.append(new / herding.reorder_bound(old, signed))
    assert max(ratios) == 1.0


@settings(deadline=None)
@given(lists, integers)
def test_stale_mean_identity_and_bound(case, stale):
    z, eps = case
    mean = z.mean(axis=0)
    shift = mean - stale
    R_stale, R_exact = prefixes(eps[:, None] * (z - stale)), prefixes(eps[:, None] * (z - mean))
    close(herding.recentred_signed_sums(R_stale, eps, shift), R_exact)
    E = np.abs(np.cumsum(eps)).max()
    for norm in NORMS:
        old, new = (largest(norm, prefixes((z - mean)[order])) for order in (np.arange(len(z)), reorder(eps)))
        mean_error = float(NORMS[norm](shift))
        bound = herding.stale_mean_bound(old, largest(norm, R_stale), E, mean_error)
        assert new <= bound * (1 + 1e-12) + 1e-10


# H3, H4 -----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(lists.filter(lambda case: len(case[0]) >= 2))
def test_pair_reorder_is_the_reorder_with_opposite_signs_in_each_pair(case):
    z, eps = case
    n = len(z)
    signs = eps[: n // 2]
    order = pair_reorder(signs, n)
    unpaired = [1] if n % 2 else []
    assert order == reorder(np.concatenate([np.column_stack([signs, -signs]).ravel(), unpaired]))
    if n % 2:
        assert order == reorder(np.concatenate([np.column_stack([signs, -signs]).ravel(), [-1]]))
        assert order[n // 2] == n - 1
    Rp = prefixes(signs[:, None] * (z[: n // 2 * 2 : 2] - z[1 : n // 2 * 2 : 2]))
    S = prefixes(z)
    new = prefixes(z[order])
    close(new, herding.pair_reordered_prefixes(S, Rp))
    flipped = prefixes(z[pair_reorder(-signs, n)])
    for norm in NORMS:
        total = float(NORMS[norm](S[-1]))
        bound = herding.reorder_bound(largest(norm, S[1::2]), largest(norm, Rp), total)
        assert max(largest(norm, new), largest(norm, flipped)) <= bound * (1 + 1e-12)


@settings(deadline=None)
@given(worker_lists)
def test_parallel_pair_reorder_identity_and_bound_with_unequal_worker_means(z):
    m, n, _ = z.shape
    z = z + np.arange(m)[:, None, None] * 3.0  # worker means far apart
    z = centred(z)
    signs, Rp = coordinated_pair_signs(z)
    S = prefixes(z.sum(axis=0))
    new = prefixes(sum(z[i][pair_reorder(signs[i], n)] for i in range(m)))
    close(new, herding.pair_reordered_prefixes(S, Rp))
    for norm in NORMS:
        bound = herding.reorder_bound(largest(norm, S[1::2]), largest(norm, Rp))
        assert largest(norm, new) <= bound * (1 + 1e-12) + 1e-10
        own = z - z.mean(axis=1, keepdims=True)
        close(prefixes(own.sum(axis=0)), S)  # centring worker by worker changes no parallel prefix
        singles = [(largest(norm, prefixes(v)), largest(norm, greedy_pairs(v))) for v in own]
        alone = sum(v[pair_reorder(coordinated_pair_signs(v[None])[0][0], n)] for v in own)
        bound = herding.independent_reorder_bound(*zip(*singles, strict=True))
        assert largest(norm, prefixes(alone)) <= bound * (1 + 1e-12) + 1e-10


def greedy_pairs(v):
    return coordinated_pair_signs(v[None])[1]


def test_joint_bound_is_false_without_pairs():
    """Balancing every z with one running sum lets front blocks of unequal length meet: H4 needs the pairs."""
    rng, violated = np.random.default_rng(0), 0
    for _ in range(200):
        m, n = 2, 4
        z = centred(rng.standard_normal((m, n, 1)))
        flat_signs, R, _ = greedy(z.transpose(1, 0, 2).reshape(m * n, 1))
        signs = flat_signs.reshape(n, m).T
        new = prefixes(sum(z[i][reorder(signs[i])] for i in range(m)))
        tempting = herding.reorder_bound(largest("l2", prefixes(z.sum(axis=0))), largest("l2", R))
        violated += largest("l2", new) > tempting * (1 + 1e-9)
    assert violated >= 10


# H5, H8 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [16, 17])
def test_repeated_reorders_follow_the_recursion_path_by_path(n):
    rng = np.random.default_rng(n)
    z = centred(rng.standard_normal((3, n, 2)))
    herdings, balances = [largest("inf", prefixes(z.sum(axis=0)))], []
    for _ in range(12):
        signs, Rp = coordinated_pair_signs(z)
        z = np.array([z[i][pair_reorder(signs[i], n)] for i in range(3)])
        balances.append(largest("inf", Rp))
        herdings.append(largest("inf", prefixes(z.sum(axis=0))))
    bounds = herding.repeated_reorder_bound(herdings[0], balances)
    assert (np.array(herdings) <= bounds * (1 + 1e-12)).all()
    T = len(balances)
    unrolled = 2.0**-T * herdings[0] + sum(2.0 ** -(T - s) * balances[s] for s in range(T))
    assert bounds[-1] == pytest.approx(unrolled, rel=1e-12)
    assert bounds[-1] <= 2.0**-T * herdings[0] + (1 - 2.0**-T) * max(balances)


@pytest.mark.parametrize("norm", NORMS)
def test_a_signing_bound_becomes_a_herding_bound(norm):
    rng = np.random.default_rng(2)
    z = centred(rng.standard_normal((60, 2)))
    z = z[np.argsort(z[:, 0])]  # sorted: a bad start
    balance = herding.prefix_signing_bound(2, largest(norm, z))
    initial = largest(norm, prefixes(z))
    rounds = herding.transference_rounds(initial, balance, excess=0.5)
    assert rounds >= 2
    assert herding.repeated_reorder_bound(initial, [balance] * rounds)[-1] <= balance + 0.5
    assert herding.repeated_reorder_bound(initial, [balance] * (rounds - 1))[-1] > balance + 0.5
    for _ in range(rounds):
        z = z[reorder(cg.balancing.signs(z, "prefix"))]
    assert largest(norm, prefixes(z)) <= balance + 0.5


def test_transference_needs_no_round_when_it_is_already_there():
    assert herding.transference_rounds(2.0, 2.0, 0.1) == 0
    assert herding.transference_rounds(2.1, 2.0, 0.1 + 1e-9) == 0


# H6, H7 -----------------------------------------------------------------------------------------------------


def hard_lists(d, rng):
    """Zero-sum lists: random, lattice with ties, sorted clusters, a simplex, and one dominant vector."""
    simplex = np.vstack([np.eye(d), -np.ones((1, d))])
    return [
        centred(rng.standard_normal((24, d))),
        np.vstack([a := rng.integers(-1, 2, (11, d)).astype(float), -a]),
        np.repeat(np.vstack([np.eye(d), -np.eye(d)]), 4, axis=0),
        np.repeat(simplex, 5, axis=0),
        np.vstack([np.full((12, d), 1.0), np.full((1, d), -12.0)]),
        np.zeros((5, d)),
    ]


@pytest.mark.parametrize("d", [1, 2, 4])
def test_steinitz_order_stays_within_d_times_the_largest_in_every_norm(d):
    ratios = []
    for z in hard_lists(d, np.random.default_rng(d)):
        order = cg.herding.steinitz_order(z)
        assert sorted(order.tolist()) == list(range(len(z)))
        for norm in NORMS:
            B, H = largest(norm, z), largest(norm, prefixes(z[order]))
            assert herding.herding_lower_bound(NORMS[norm](z)) <= H <= herding.steinitz_bound(d, B) + 1e-9 * B
            ratios.append(H / herding.steinitz_bound(d, B) if B else 0.0)
    assert max(ratios) > 0.4  # d = 1 attains 1


def test_best_order_of_a_short_list_lies_between_the_herding_bounds():
    rng = np.random.default_rng(5)
    for _ in range(10):
        z = centred(rng.standard_normal((6, 2)))
        for norm in NORMS:
            best = min(largest(norm, prefixes(z[list(p)])) for p in itertools.permutations(range(6)))
            B = largest(norm, z)
            assert herding.herding_lower_bound(NORMS[norm](z)) <= best <= herding.steinitz_bound(2, B)
    halves = np.array([1.0, -0.5, -0.5])[:, None]  # starting from -1/2, the lower bound 1/2 is attained
    assert largest("l2", prefixes(halves[[1, 0, 2]])) == herding.herding_lower_bound(np.abs(halves[:, 0]))


@pytest.mark.parametrize("d", [1, 2, 4])
def test_prefix_signs_stay_within_2d_times_the_largest_in_every_norm(d):
    rng = np.random.default_rng(d)
    adversarial = np.abs(rng.standard_normal((200, d))) + 1.0  # all in one orthant, total far from 0
    for z in [*hard_lists(d, rng), adversarial]:
        signs = cg.balancing.signs(z, "prefix")
        assert set(signs.tolist()) <= {-1, 1}
        for norm in NORMS:
            bound = herding.prefix_signing_bound(d, largest(norm, z))
            assert largest(norm, prefixes(signs[:, None] * z)) <= bound * (1 + 1e-9)


# arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: herding.reorder_bound(-1.0, 1.0), "expected old >= 0; got -1.0"),
        (lambda: herding.reorder_bound(1.0, 1.0, float("nan")), "expected a finite total; got nan"),
        (lambda: herding.reordered_prefixes([[1.0]], [[1.0]], [0]), "expected signs of"),
        (lambda: herding.reordered_prefixes([[1.0]], [[1.0, 2.0]], [1]), "expected prefixes, signed"),
        (
            lambda: herding.pair_reordered_prefixes([[1.0], [2.0]], [[1.0], [1.0]]),
            "expected pair_sums with shape",
        ),
        (lambda: herding.recentred_signed_sums([[1.0]], [1], [1.0, 2.0]), "expected signs and shift"),
        (lambda: herding.independent_reorder_bound([1.0], [1.0, 2.0]), "expected signed with shape"),
        (lambda: herding.transference_rounds(1.0, 1.0, 0.0), "expected excess > 0; got 0.0"),
        (lambda: herding.steinitz_bound(0), "expected d >= 1; got 0"),
    ],
)
def test_bad_arguments_are_refused_in_one_clear_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
