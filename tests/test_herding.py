"""Herding errors, reorders, orders and curves: naive twins, the reorder identities, golden numbers."""

import json
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from tests import naive
from tests.strategies import orders, signs, thorough, vectors

NORMS = {"inf": lambda a: np.abs(a).max(axis=-1), "l2": lambda a: np.linalg.norm(a, axis=-1)}
EVERY_NORM = pytest.mark.parametrize("norm", sorted(NORMS))


def sphere(seed, m, n, d=16):
    """Vectors on the unit sphere, each worker centred, (m, n, d)."""
    z = np.random.RandomState(seed).randn(m * n, d)
    z /= np.linalg.norm(z, axis=1)[:, None]
    z = z.reshape(n, m, d).swapaxes(0, 1).copy()
    return z - z.mean(axis=1, keepdims=True)


def zero_sum(z):
    """Move the last vector so that all vectors together sum to zero."""
    z = z.copy()
    z[-1, -1] -= z.sum(axis=(0, 1))
    return z


def reordered(z, pi):
    return np.take_along_axis(z, pi[:, :, None], axis=1)


@EVERY_NORM
@thorough
@given(z=vectors(), data=st.data())
def test_errors_equal_their_naive_twins(norm, z, data):
    m, n, _ = z.shape
    pi = data.draw(orders(m, n))
    once = cg.herding.error(z, pi, norm)
    often = cg.herding.error_after_every_worker(z, pi, norm)
    assert once == naive.herding_error(z.tolist(), pi.tolist(), norm)
    assert often == naive.herding_error(z.tolist(), pi.tolist(), norm, after_every_worker=True)
    assert often >= once


@thorough
@given(z=vectors(), data=st.data())
def test_prefix_sums_start_at_the_origin_and_reach_the_error(z, data):
    m, n, d = z.shape
    pi = data.draw(orders(m, n))
    sums = cg.herding.prefix_sums(z, pi)
    assert sums.shape == (n + 1, d)
    assert not sums[0].any()
    assert np.abs(sums).max() == cg.herding.error(z, pi)
    assert_allclose(np.diff(sums, axis=0), reordered(z, pi).sum(axis=0), rtol=1e-9, atol=1e-9)


@thorough
@given(eps=signs(2, 7))
def test_reorder_equals_its_naive_twin(eps):
    expected = [naive.reorder(range(7), row) for row in eps.tolist()]
    assert cg.herding.reorder(eps).tolist() == expected
    assert cg.herding.reorder(eps[0].astype(float)).tolist() == expected[0]


@thorough
@given(z=vectors(m=st.just(1)), data=st.data())
def test_prefixes_of_a_reorder_are_half_sums_and_half_differences(z, data):
    """Front prefixes are (S + R) / 2, back prefixes S_n - (S - R) / 2, for any signs and any sum."""
    z = z[0]
    n = len(z)
    eps = data.draw(signs(n))
    S, R = np.cumsum(z, axis=0), np.cumsum(eps[:, None] * z, axis=0)
    new = np.cumsum(z[cg.herding.reorder(eps)], axis=0)
    for k in range(n):
        front, back = (eps[: k + 1] > 0).sum(), (eps[: k + 1] < 0).sum()
        if front:
            assert_array_equal(2 * new[front - 1], S[k] + R[k])
        if back < n:
            assert_array_equal(2 * new[n - back - 1], 2 * S[-1] - (S[k] - R[k]))


@EVERY_NORM
@thorough
@given(z=vectors(m=st.just(1)), data=st.data())
def test_a_reorder_halves_the_error_up_to_the_discrepancy(norm, z, data):
    z = zero_sum(z)[0]
    n = len(z)
    eps = data.draw(signs(n))
    old, new = (cg.herding.error(z, pi, norm) for pi in (np.arange(n), cg.herding.reorder(eps)))
    assert 2 * new <= (old + cg.balancing.prefix_discrepancy(z, eps, norm)) * (1 + 1e-12)


def test_the_halving_needs_the_sum_to_be_zero():
    z, eps = np.ones((3, 1)), np.array([1, -1, -1])
    assert cg.herding.error(z, cg.herding.reorder(eps)) == 3.0
    assert cg.balancing.prefix_discrepancy(z, eps) == 1.0


@thorough
@given(z=vectors(m=st.just(1)))
def test_pair_balancing_is_the_reorder_with_alternating_signs(z):
    z = z[0]
    n = len(z)
    differences = z[: n - n % 2 : 2] - z[1::2]
    pairs = cg.balancing.signs(differences) if len(differences) else np.zeros(0, dtype=int)
    eps = np.append(np.column_stack((pairs, -pairs)).ravel(), [1] * (n % 2))
    expected = cg.herding.reorder(eps)
    assert_array_equal(cg.herding.order(z, "cd-grab", first=np.arange(n)), expected)
    eps[n - n % 2 :] = -1  # the unpaired example takes the middle slot, whatever its sign
    assert_array_equal(cg.herding.reorder(eps), expected)


@EVERY_NORM
@thorough
@given(z=vectors())
def test_coordinated_pairs_halve_the_parallel_error_up_to_their_discrepancy(norm, z):
    """Only even prefixes and the sum of all workers enter; worker sums may differ."""
    z = zero_sum(z)
    m, n, _ = z.shape
    identity = np.tile(np.arange(n), (m, 1))
    new = cg.herding.error(z, cg.herding.order(z, "cd-grab", first=identity), norm)
    _, sums = naive.pair_signs(naive.follow(z.tolist(), identity.tolist()), "coordinated")
    even = np.cumsum(z.sum(axis=0), axis=0)[1::2]
    if n == 1:
        assert new == cg.herding.error(z, identity, norm)
    else:
        assert 2 * new <= (NORMS[norm](even).max() + NORMS[norm](np.array(sums)).max()) * (1 + 1e-12)


def test_without_pairs_the_joint_bound_is_false():
    """A coordinated sum over single vectors bounds nothing: found by enumeration over tiny cases."""
    broken = 0
    for entries in product([-2, -1, 0, 1, 2], repeat=5):
        z = zero_sum(np.array([*entries, 0], dtype=float).reshape(2, 3, 1))
        eps = cg.balancing.signs(z, scope="coordinated")
        new = cg.herding.error(z, cg.herding.reorder(eps))
        old, discrepancy = cg.herding.error(z, np.arange(3)), cg.balancing.prefix_discrepancy(z, eps)
        broken += new > (old + discrepancy) / 2
        if broken:
            return
    pytest.fail("no counterexample found")


@pytest.mark.parametrize("ordering", ["grab", "cd-grab", "d-grab", "d-grab-pair", "rr", "flipflop", "sgd"])
@EVERY_NORM
def test_curves_are_the_errors_of_the_orders(ordering, norm):
    z = sphere(0, m=1 if ordering == "grab" else 3, n=31, d=4)
    curve = cg.herding.curve(z, ordering, 4, seed=3, norm=norm)
    for t, error in enumerate(curve):
        pi = cg.herding.order(z, ordering, t, seed=3)
        stream = reordered(z, pi).swapaxes(0, 1)
        assert error == pytest.approx(naive.largest_prefix(stream.tolist(), norm), rel=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("ordering", ["cd-grab", "d-grab", "d-grab-pair"])
def test_the_error_halves_every_round_until_the_plateau(ordering):
    # A round leaves (H + A) / 2 at most, with a discrepancy A of the size of the plateau.
    curve = cg.herding.curve(sphere(0, m=2, n=16384, d=4), ordering, 8, first=np.arange(16384))
    plateau = curve[-1]
    assert curve[0] > 16 * plateau
    ratios = curve[1:4] / curve[:3]
    assert (ratios > 0.4).all()
    assert (ratios < 0.6).all()


def test_workers_with_equal_data_and_orders_add_up_unless_coordinated():
    m = 8
    z = np.repeat(sphere(1, m=1, n=64, d=4), m, axis=0)
    first = np.arange(64)
    one = cg.herding.curve(z[0], "d-grab-pair", 5, first=first)
    assert_allclose(cg.herding.curve(z, "d-grab-pair", 5, first=first), m * one, rtol=1e-13)
    assert cg.herding.curve(z, "cd-grab", 5, first=first)[-1] < one[-1] * 1.5


@thorough
@given(z=vectors(), shift=st.integers(-5, 5))
def test_mean_forms_subtract_the_exact_means_from_the_first_round_on(z, shift):
    z = z.shape[1] * z  # worker means are whole numbers
    offsets = shift * np.arange(1, len(z) + 1)[:, None, None]
    first = np.arange(z.shape[1])
    centred = z - z.mean(axis=1, keepdims=True)
    expected = cg.herding.reorder(cg.balancing.signs(centred))
    assert_array_equal(cg.herding.order(z + offsets, "d-grab", first=first), expected)


def test_first_orders_are_those_of_simulate():
    problem = cg.problems.quadratic(m=3, n=9)
    run = cg.simulate(problem, "cd-grab", epochs=1, step_size=1e-3, seed=6, record=cg.Record(orders=True))
    z = np.zeros((3, 9, 2))
    assert_array_equal(cg.herding.order(z, "d-grab", rounds=0, seed=6), run.orders[0, 0])


def test_all_forms_of_input_give_the_same():
    z = np.random.RandomState(2).randint(-5, 6, size=(2, 8, 3))
    first = np.arange(8)[::-1]
    expected = cg.herding.order(z.astype(float), "cd-grab", 2, first)
    frozen = z.astype(float)
    frozen.flags.writeable = False
    for form in (z, z.tolist(), z.astype(np.float32), np.asfortranarray(z.astype(float)), frozen):
        assert_array_equal(cg.herding.order(form, "cd-grab", 2, first.tolist()), expected)
    assert cg.herding.order(z[0], "cd-grab", 2, first).shape == (8,)
    assert_array_equal(
        cg.herding.order(z[:1], "cd-grab", 2, first)[0], cg.herding.order(z[0], "cd-grab", 2, first)
    )


Z = np.zeros((2, 3, 1))
REFUSED = {
    "z: expected a non-empty array with 2 or 3 axes": lambda: cg.herding.error(np.zeros(3), [0]),
    r"z\[0, 1, 0\]: expected finite numbers; got inf": lambda: cg.herding.error([[[0.0], [np.inf]]], [0, 1]),
    r"pi: expected shape \(n,\) = \(3,\) or": lambda: cg.herding.error(Z, [0, 1]),
    r"pi\[1\]: .* example 2 is missing": lambda: cg.herding.error(Z, [[0, 1, 2], [0, 1, 1]]),
    "unknown norm 'l3'": lambda: cg.herding.curve(Z, "rr", 1, norm="l3"),
    "unknown ordering 'cd-grap'; did you mean 'cd-grab'": lambda: cg.herding.order(Z, "cd-grap"),
    "rounds: expected a whole number >= 0; got -1": lambda: cg.herding.order(Z, "rr", -1),
    "first: expected shape": lambda: cg.herding.order(Z, "rr", first=[0]),
    "seed: expected a whole number >= 0; got 1.5": lambda: cg.herding.curve(Z, "rr", 1, seed=1.5),
    r"eps\[1\]: expected a sign \+1 or -1; got 0": lambda: cg.herding.reorder([1, 0]),
    "eps: expected signs of shape": lambda: cg.herding.reorder([]),
    "expected one worker, m = 1": lambda: cg.herding.order(Z, "grab"),
    r"pi: expected orders of shape \(n,\) or": lambda: cg.global_orders(np.zeros((1, 1, 1), dtype=int)),
    "pi: expected whole numbers": lambda: cg.save_orders("never", [0.0, 1.0]),
    "unknown indices 'both'": lambda: cg.save_orders("never", [0, 1], indices="both"),
    "expected 'global' together with problem= or rows=": lambda: cg.save_orders("n", [0], indices="global"),
    "and neither with 'local'": lambda: cg.save_orders("never", [0, 1], rows=[0, 1]),
    r"rows: expected whole numbers of shape \(m, n\) = \(1, 2\)": lambda: cg.global_orders([0, 1], rows=[3]),
    "rows: expected row numbers >= 0; got -1": lambda: cg.global_orders([0, 1], rows=[0, -1]),
    r"pi: expected orders of shape \(m, n\) = \(8, 64\)": lambda: cg.global_orders(
        [0, 1], problem=cg.problems.skewed()
    ),
    "problem: expected a Problem, and no rows= beside it": lambda: cg.global_orders([0], problem="skewed"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_wrong_arguments_are_refused_in_one_line(message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        REFUSED[message]()
    assert "\n" not in str(caught.value)


class Bare:
    """A state that is no NamedTuple."""

    def __init__(self, problem, rng):
        self.pi = np.tile(np.arange(problem.n), (problem.m, 1))


def test_an_ordering_of_a_user_runs_and_a_first_order_needs_a_named_tuple():
    bare = cg.Ordering("bare", Bare, None, lambda state, rng: state)
    assert cg.herding.order(Z, bare, 3).tolist() == [[0, 1, 2]] * 2
    with pytest.raises(
        TypeError, match=r"first: expected an ordering whose .* NamedTuple; got Bare from 'bare'"
    ):
        cg.herding.order(Z, bare, first=[2, 1, 0])


@pytest.mark.parametrize("indices", ["local", "global"])
def test_saved_orders_come_back_and_failures_leave_no_file(tmp_path, indices):
    pi = np.array([[2, 0, 1], [1, 0, 2]])
    told = {"rows": np.arange(6).reshape(2, 3)} if indices == "global" else {}
    cg.save_orders(tmp_path / "pi.npy", pi, indices=indices, **told)
    saved = np.load(tmp_path / "pi.npy", allow_pickle=False)
    assert saved.dtype == np.int64
    assert_array_equal(saved, pi if indices == "local" else [[2, 0, 1], [4, 3, 5]])
    with pytest.raises(ValueError, match="example 1 is missing"):
        cg.save_orders(tmp_path / "bad.npy", pi * 0, indices=indices, **told)
    assert [path.name for path in tmp_path.iterdir()] == ["pi.npy"]


GOLDEN = json.loads((Path(__file__).parent / "golden" / "herding.json").read_text())
CASES = [(p, name, s) for p, by in GOLDEN.items() for name, seeds in by.items() for s in seeds]


@lru_cache(maxsize=1)
def published_vectors(seed, m, n):
    return sphere(seed, m=m, n=n)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("panel", "ordering", "trial"),
    [pytest.param(*case, marks=() if case[0].startswith("m=20 ") and case[2] == "seed0" else pytest.mark.slow)
     for case in sorted(CASES, key=lambda case: (case[0], case[2]))],
)  # fmt: skip
def test_the_published_figure(panel, ordering, trial):
    m, n = (int(size.split("=")[1]) for size in panel.split())
    z = published_vectors(int(trial.removeprefix("seed")), m, n)
    curve = cg.herding.curve(z, ordering, 15, first=np.arange(n))
    assert_allclose(curve, GOLDEN[panel][ordering][trial], rtol=1e-9)
