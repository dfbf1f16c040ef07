"""Faults that programs for example ordering are known to have, one test for each.

Every test was seen to fail with its fault put in.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim._kernels.prefix import stream_errors
from cdgrab_sim.analysis import rate
from cdgrab_sim.herding._vectors import vectors
from cdgrab_sim.synchronous import _engine
from tests import naive

PACKAGE = Path(cg.__file__).parent
ORDERS = cg.Record(orders=True)
BALANCING = ["cd-grab", "d-grab", "d-grab-pair"]


def numbered(m=3, n=5):
    """Worker i's example j has the gradient 1000 i + j everywhere."""
    return vectors((1000.0 * np.arange(m)[:, None] + np.arange(n))[:, :, None])


def watched(inner, steps):
    """`inner`, which puts every step that it is shown into `steps`, as (k, gradients (m, d))."""

    def observe(state, seen):
        steps.extend((seen.k0 + r, g.copy()) for r, g in enumerate(seen.G))

    return cg.Ordering("watched", inner.init, observe, inner.advance)


def fresh(ordering, m, n, d):
    problem = cg.Problem("sizes", m=m, n=n, d=d, data=(), grads=None, value=None)
    return ordering.init(problem, np.random.default_rng(0))


def orders(name, **changes):
    args = {"epochs": 4, "step_size": 1e-3, "record": ORDERS} | changes
    return cg.simulate(cg.problems.skewed(m=3, n=16), name, **args).orders


def code_of(path):
    """Source without comments and docstrings."""
    return re.sub(r'"""[\s\S]*?"""|#.*', "", path.read_text())


def test_a_stored_reference_to_a_reused_buffer():
    """The first gradient of a pair was kept by reference: every difference came out as zero."""
    ordering, buffer = cg.orderings.cd_grab(first=[0, 1]), np.empty((1, 1, 2))
    state = fresh(ordering, 1, 2, 2)
    for k, gradient in enumerate(([1.0, 1.0], [0.25, 0.25])):
        buffer[0, 0] = gradient
        ordering.observe(state, cg.Seen.along(state.pi, k, buffer))
        assert buffer[0, 0].tolist() == gradient
    assert state.opened.tolist() == [[1.0, 1.0]]
    assert state.s.tolist() == [[0.75, 0.75]]


@pytest.mark.parametrize("name", ["rr", "flipflop", "sgd", *BALANCING])
def test_an_order_that_never_changes(name):
    """The last step was told by an empty queue: pairs never closed, and all epochs had one order."""
    used = orders(name)[0]
    assert len({pi.tobytes() for pi in used}) == 4


@pytest.mark.parametrize("name", BALANCING)
def test_herding_that_never_falls(name):
    z = np.random.RandomState(0).standard_normal((2, 512, 2))
    curve = cg.herding.curve(z - z.mean(axis=1, keepdims=True), name, 3)
    assert curve[-1] < 0.3 * curve[0]


def test_a_running_mean_of_centred_vectors():
    """The mean was summed after centring: it alternated between the true mean and zero."""
    ordering = cg.orderings.d_grab()
    state, rng = fresh(ordering, 2, 8, 3), np.random.default_rng(0)
    G = 50.0 + np.random.RandomState(0).standard_normal((8, 2, 3))
    for _ in range(4):
        ordering.observe(state, cg.Seen.along(state.pi, 0, G))
        state = ordering.advance(state, rng)
        assert_allclose(state.mean, G.mean(axis=0), rtol=1e-12)


def test_state_that_leaks_from_one_ordering_to_the_next():
    """A mutable default argument carried state from one sampler to another in the same process."""
    names = sorted(set(cg.orderings.ORDERINGS) - {"grab"})
    alone = {name: orders(name) for name in names}
    for name in reversed(names):
        assert_array_equal(orders(name), alone[name])
        assert_array_equal(orders(cg.orderings.make(name)), alone[name])


@pytest.mark.parametrize("name", BALANCING)
def test_rounds_that_forget_the_new_order(name):
    """Every round was fed in the first order, so that the second undid what the first had done."""
    z = np.random.RandomState(0).standard_normal((2, 256, 2))
    pi = np.arange(256)
    for t in range(4):
        assert_array_equal(cg.herding.order(z, name, t, first=np.arange(256)), np.broadcast_to(pi, (2, 256)))
        pi = cg.herding.order(z, name, 1, first=pi)


def test_shuffle_once_that_shuffles_never():
    """The permutation was drawn and not used, so shuffle-once was incremental gradient."""
    assert (orders("so") != orders("ig")).any()
    assert_array_equal(orders("so")[0, 0], orders("so")[0, -1])


@pytest.mark.parametrize("name", ["sgd", "rr", "so", "flipflop", *BALANCING])
def test_replicates_that_are_one_replicate(name):
    """Trials in a pool of processes shared one seed."""
    used = orders(name, replicates=4)
    assert len({chain.tobytes() for chain in used}) == 4


def test_a_local_index_taken_for_a_global_one():
    """A block-local index was used in the whole table."""
    pi = [[2, 0, 1, 4, 3], [0, 4, 3, 2, 1], [1, 2, 3, 4, 0]]
    steps, problem = [], numbered()
    cg.simulate(problem, watched(cg.orderings.fixed(pi), steps), epochs=1, step_size=1.0)
    for k, g in steps:
        assert g[:, 0].tolist() == [1000 * i + pi[i][k] for i in range(3)]
    rows = problem.data[0].reshape(15)[cg.global_orders(pi)]
    assert_array_equal(rows.T, [g[:, 0] for _, g in steps])
    assert cg.herding.error(problem.data[0], pi) == problem.data[0].sum()


@pytest.mark.parametrize("n", range(1, 21))
def test_a_slice_that_wraps_around_its_end(n, monkeypatch):
    """Both ends of a slice were taken modulo n: the last one was empty, half the data never seen."""
    pi = np.random.RandomState(n).permutation(n)
    for chunk in (1, 2, 3, 7, 20):
        monkeypatch.setattr(_engine, "chunk_steps", lambda m, n, d, chunk=chunk: min(chunk, n))
        for batch in {1, min(2, n), min(5, n), n}:
            steps = []
            ordering = watched(cg.orderings.fixed(pi), steps)
            cg.simulate(numbered(m=1, n=n), ordering, epochs=1, step_size=1.0, batch=batch)
            assert [(k, g[0, 0]) for k, g in steps] == list(enumerate(pi))


def test_a_recorded_order_that_is_off_by_one_epoch():
    """The order of the coming epoch was recorded as that of the last."""
    steps = []
    ordering = watched(cg.orderings.flipflop(), steps)
    run = cg.simulate(numbered(m=2, n=6), ordering, epochs=5, step_size=1.0, record=ORDERS)
    used = np.array([g[:, 0] for _, g in steps]).reshape(5, 6, 2).swapaxes(1, 2)
    assert_array_equal(run.orders[0] + 1000 * np.arange(2)[:, None], used)


@pytest.mark.parametrize("norm", ["inf", "l2"])
def test_recorded_herding_that_is_not_herding(norm):
    """The recorded number was a norm of raw, uncentred running sums."""
    problem = cg.problems.quadratic(m=2, n=6, d=2)
    record = cg.Record(herding=(norm,), orders=True, trajectory=True)
    run = cg.simulate(problem, "rr", epochs=3, step_size=0.02, x0=[3.0, -2.0], record=record)
    b, lam = problem.data[:2]
    for t in range(3):
        z = lam * (run.trajectory[0, t] - b)
        z = z - z.mean(axis=(0, 1))
        expected = naive.herding_error(z.tolist(), run.orders[0, t].tolist(), norm)
        assert run.herding[norm][0, t] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("family", sorted(cg.problems.PROBLEMS))
def test_an_optimum_taken_from_the_run(family):
    """The smallest loss seen stood in for the minimum; the last gap was 0 and the slope -2.6 for -1."""
    problem = cg.problems.make(family)
    if problem.x_star is not None:
        mean = _engine.Engine(problem).full_gradient(problem.x_star)
        assert np.linalg.norm(mean) <= 1e-12
        assert problem.value(problem.x_star, problem.data) == pytest.approx(problem.f_star, abs=1e-12)
    unknown = numbered(m=1, n=2)
    run = cg.simulate(unknown, "rr", epochs=2, step_size=1.0)
    assert unknown.x_star is None
    assert run.distance is None


def test_a_fit_over_a_noise_floor():
    """k^-2 on a floor was fitted as one line, with slope -1.6; the fit must say that the points bend."""
    k = np.arange(1.0, 51.0)
    seeds = np.random.RandomState(0).uniform(0.9, 1.1, size=(6, 1))
    floor, clean = (seeds * k**-2 + c for c in (1e-3, 0.0))
    assert rate(k, floor).bends
    assert not rate(k, clean).bends
    assert_array_equal(rate(k[:10], floor[:, :10]).x, k[:10])


def test_a_last_batch_that_weighs_as_much_as_the_others():
    """The mean of batch means of 1, 1, 1, 1, -4 in batches of 2 is -2/3; the mean is 0."""
    problem = vectors([[1.0], [1.0], [1.0], [1.0], [-4.0]])
    for batch in range(1, 6):
        run = cg.simulate(problem, "ig", epochs=1, step_size=1.0, batch=batch)
        assert run.x[0, 0] == pytest.approx(0.0, abs=1e-15)


def test_a_schedule_that_never_runs():
    """The step size was to be divided at the end of an epoch, in a branch that was never entered."""
    record = cg.Record(trajectory=True)
    run = cg.simulate(vectors([[-1.0]]), "ig", epochs=4, step_size=lambda t: 0.5**t, record=record)
    assert run.trajectory[0, :, 0].tolist() == [0.0, 1.0, 1.5, 1.75, 1.875]


def test_two_measures_under_one_name():
    """Looked at after every worker, the parallel herding error is another number."""
    z = [[[1.0], [-1.0]], [[-1.0], [1.0]]]
    assert cg.herding.error(z, [0, 1]) == 0.0
    assert cg.herding.error_after_every_worker(z, [0, 1]) == 1.0
    assert cg.herding.error([[3.0, 4.0]], [0], "inf") == 4.0
    assert cg.herding.error([[3.0, 4.0]], [0], "l2") == 5.0


@pytest.mark.parametrize("name", ["sgd", "rr", "so", "flipflop", *BALANCING])
def test_one_seed_that_makes_all_workers_shuffle_alike(name):
    """Every worker seeded its own generator with the same number."""
    first = orders(name)[0, 0]
    assert len(np.unique(first, axis=0)) == len(first)


def test_seeds_of_the_host_that_do_or_undo_something():
    """Global seeds did not reach compiled code, and libraries seeded the user's stream."""
    assert not re.search(
        r"np\.random\.(?!RandomState|default_rng\(\w)|random\.seed",
        "".join(map(code_of, PACKAGE.rglob("*.py"))),
    )
    results = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        results.append(orders("rr"))
        assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert_array_equal(*results)


def test_a_seed_that_does_not_steer_and_seed_zero_as_none():
    """A seed fed only a projection; seed 0 meant "random"; each call made its generator anew."""
    first = [orders("rr", seed=seed)[0, 0].tobytes() for seed in (0, 0, 1, 2)]
    assert first[0] == first[1]
    assert len(set(first)) == 3
    epochs = orders("rr", epochs=20)[0]
    assert len({pi.tobytes() for pi in epochs}) == 20


@pytest.mark.compiled
def test_a_running_sum_that_threads_share():
    """One sum in a parallel loop gave 15 sign tables in 15 runs."""
    assert not re.search(r"prange|parallel *=|fastmath", "".join(map(code_of, PACKAGE.rglob("*.py"))))
    problem = cg.problems.skewed(m=16, n=512, d=32)
    args = {"epochs": 3, "step_size": 1e-4, "replicates": 4}
    runs = [cg.simulate(problem, "cd-grab", threads=threads, **args).x for threads in (1, 2, 2)]
    assert runs[0].tobytes() == runs[1].tobytes() == runs[2].tobytes()


def test_single_precision_that_decides_the_order():
    """Orders in float32 agreed with those in float64 in 9 % of the entries after 5 rounds.

    Pair differences 2^25, -1, 2^25, -1 give s = 2^25, 2^25 - 1, -1, 0 and signs +, +, -, -. In float32 the
    second sum is 2^25 and the fourth sign a tie, +; the common 2^40 hides all differences there.
    """
    z = 2.0**40 + np.array([2.0**25, 0, -1, 0, 2.0**25, 0, -1, 0])[:, None]
    assert cg.herding.order(z, "cd-grab", first=np.arange(8)).tolist() == [0, 2, 5, 7, 6, 4, 3, 1]
    assert cg.replay(z[None, :, None], cg.orderings.cd_grab(first=np.arange(8))).next.tolist() == [
        [0, 2, 5, 7, 6, 4, 3, 1]
    ]
    assert cg.balancing.signs([[2.0**25], [-1.0], [2.0**25], [-1.0]]).tolist() == [1, 1, -1, -1]


def test_ties_that_mirror_the_order():
    """With < for <= six zero vectors come out reversed, and so does every epoch, which starts with a tie."""
    zeros = np.zeros((6, 2))
    assert cg.herding.order(zeros, "grab", first=np.arange(6)).tolist() == [0, 1, 2, 3, 4, 5]
    assert cg.herding.order(zeros, "cd-grab", first=np.arange(6)).tolist() == [0, 2, 4, 5, 3, 1]
    assert cg.balancing.signs([[2.0], [2.0], [2.0], [2.0]]).tolist() == [1, -1, 1, -1]


@pytest.mark.parametrize("name", BALANCING)
def test_a_constant_that_ignores_the_scale(name):
    """A threshold of 30 in a sign rule: gradients a thousandth as large were ordered at random."""
    z = np.random.RandomState(0).standard_normal((2, 64, 4))
    expected = cg.herding.order(z, name, 3)
    for scale in (2.0**-10, 2.0**10, 2.0**-300):
        assert_array_equal(cg.herding.order(scale * z, name, 3), expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_that_stays_unseen(bad):
    """Comparisons with NaN are false: balancing went on, and a maximum of absolute values skipped it."""
    z = np.ones((2, 3, 2))
    z[1, 2, 0] = bad
    for refuse in (
        lambda: cg.herding.error(z, [0, 1, 2]),
        lambda: cg.herding.order(z, "cd-grab"),
        lambda: cg.balancing.signs(z),
    ):
        with pytest.raises(ValueError, match=r"z\[1, 2, 0\]: expected finite numbers"):
            refuse()
    stream = np.ones((4, 1, 3))
    stream[1, 0, 1] = np.nan
    errors = stream_errors(stream, np.zeros(3), ("inf", "l2"))
    assert np.isnan(list(errors.values())).all()


@pytest.mark.parametrize("name", BALANCING)
def test_odd_sizes_and_half_epochs(name):
    """An odd n was refused or lost an example; half an epoch gave 3 4 0 0 0 0 6 0 for an order."""
    for n in (1, 2, 3, 5, 7):
        z = np.random.RandomState(n).standard_normal((2, n, 3))
        pi = cg.herding.order(z, name, 3)
        assert_array_equal(np.sort(pi), np.tile(np.arange(n), (2, 1)))

    def half(state, rng):
        return state._replace(pi=np.where(np.arange(6) < 3, state.pi, 0))

    inner = cg.orderings.make(name)
    broken = cg.Ordering("half", inner.init, inner.observe, half)
    with pytest.raises(ValueError, match=r"'half': state.pi\[0\]: expected a permutation of 0..5"):
        cg.herding.curve(np.ones((2, 6, 1)), broken, 2)
