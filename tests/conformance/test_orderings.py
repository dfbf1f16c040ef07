"""What every registered ordering must do, alone and in a run."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cdgrab_sim as cg

ROOT = Path(__file__).parents[2]
# "herding" wants gradients at a point, not a stream: tests/balancing has its own tests.
NAMES = set(cg.orderings.ORDERINGS) - {"herding"}
DRAWN = set(cg.orderings.select(lambda o: o.family in ("drawn", "fixed")))  # look at no gradient
# Herding errors fall round by round.
BALANCING = set(cg.orderings.select(lambda o: o.family in ("mean", "pair")))
COINS = {"kernel-halving"}
PAIRING = set(cg.orderings.select(lambda o: o.family == "pair"))
ONLINE = ("random", "self-balancing", "hilbert")
SCOPES = ("coordinated", "independent")
EVERY = pytest.mark.parametrize("name", sorted(NAMES))
SIZES = [(1, 1), (1, 2), (1, 3), (1, 8), (3, 1), (3, 2), (3, 3), (3, 8), (3, 9)]


def workers(name, m):
    return 1 if name == "grab" else m


def whole_numbers(n, m, d=3, epochs=4, seed=0):
    """Gradients (T, n, m, d), multiples of n, so that means are exact."""
    return n * np.random.RandomState(seed).randint(-9, 10, size=(epochs, n, m, d)).astype(float)


def decided(name, G, chunk, frozen=False):
    """Orders of all epochs when G is shown in chunks of some steps, all through one buffer."""
    ordering, rng = cg.orderings.make(name), np.random.default_rng(0)
    T, n, m, d = G.shape
    problem = cg.Problem("sizes", m=m, n=n, d=d, data=(), grads=None, value=None)
    state = ordering.init(problem, rng)
    orders, buffer = [], np.full((chunk, m, d), np.nan)
    for t in range(T):
        assert state.pi.flags.c_contiguous
        orders.append(state.pi.copy())
        for k0 in range(0, n if ordering.observe else 0, chunk):
            part = G[t, k0 : k0 + chunk]
            seen = buffer[: len(part)]
            seen[:] = part
            if frozen:
                seen = seen.copy()
                seen.flags.writeable = False
            ordering.observe(state, cg.Seen.along(state.pi, k0, seen))
            buffer[:] = np.nan  # nothing of it may be needed again
        state = ordering.advance(state, rng)
    return np.array([*orders, state.pi])


@EVERY
@pytest.mark.parametrize(("m", "n"), SIZES)
def test_every_order_is_a_permutation(name, m, n):
    orders = decided(name, whole_numbers(n, workers(name, m)), n)
    assert orders.dtype == np.int64
    assert orders.min() >= 0
    assert orders.max() < n
    if not cg.orderings.make(name).replacement:
        assert_array_equal(np.sort(orders, axis=2), np.broadcast_to(np.arange(n), orders.shape))


@EVERY
@pytest.mark.parametrize("n", [1, 2, 3, 64, 65])
def test_orders_do_not_depend_on_the_chunk_and_keep_nothing_of_the_buffer(name, n):
    G = whole_numbers(n, workers(name, 3))
    whole = decided(name, G, n)
    for chunk in (1, 2, 7, 64):
        assert_array_equal(decided(name, G, min(chunk, n)), whole)


@EVERY
def test_read_only_gradients_do(name):
    G = whole_numbers(9, workers(name, 3))
    assert_array_equal(decided(name, G, 4, frozen=True), decided(name, G, 4))


@EVERY
def test_gradients_are_left_as_they_are(name):
    G = whole_numbers(9, workers(name, 3))
    before = G.copy()
    decided(name, G, 9)
    assert_array_equal(G, before)


@pytest.mark.parametrize("name", sorted(PAIRING))
def test_the_unpaired_example_of_an_odd_epoch_takes_the_middle(name):
    orders = decided(name, whole_numbers(9, 3), 9)
    assert_array_equal(orders[1:, :, 4], orders[:-1, :, 8])


@pytest.mark.parametrize("name", sorted(BALANCING))
def test_the_error_falls_round_by_round(name):
    z = np.random.RandomState(0).standard_normal((workers(name, 4), 4096, 4))
    z -= z.mean(axis=1, keepdims=True)
    curve = cg.herding.curve(z, name, 2 if name in COINS else 4)  # signs with coins end higher, and sooner
    assert (curve[1:] < 0.7 * curve[:-1]).all()


@pytest.mark.parametrize("name", sorted(NAMES - {"grab", "sync-shuf"}))  # which shifts by i n / m
def test_what_is_drawn_does_not_depend_on_m(name):
    few, many = (orders_of_a_run(name, m=m, epochs=8) for m in (4, 16))
    for epoch in (0, 1, 7) if name in DRAWN else (0,):  # later orders follow from gradients
        assert_array_equal(few[epoch], many[epoch, :4])


@pytest.mark.parametrize("name", ["d-grab", "d-grab-pair"])
@pytest.mark.parametrize("epoch", [0, 1, 7])
def test_independent_workers_decide_alike_whatever_m_is(name, epoch):
    G = whole_numbers(9, 16, epochs=8)
    many, few = cg.replay(G, name).orders, cg.replay(G[:, :, :4], name).orders
    assert_array_equal(few[epoch], many[epoch, :4])


def orders_of_a_run(name, *, m=3, epochs=3, replicates=1, threads=None):
    problem = cg.problems.skewed(m=workers(name, m), n=16, d=3)
    args = {"epochs": epochs, "step_size": 1e-3, "record": cg.Record(orders=True)}
    orders = cg.simulate(problem, name, replicates=replicates, threads=threads, **args).orders
    return orders if replicates > 1 else orders[0]


@EVERY
def test_orders_do_not_depend_on_threads(name):
    one, two = (orders_of_a_run(name, replicates=3, threads=threads) for threads in (1, 2))
    assert_array_equal(one, two)


@pytest.mark.compiled
def test_each_kernel_compiles_once():
    """After runs, replays and array functions on all kinds of input, in one fresh process."""
    assert run_apart(COMPILES_ONCE) == "[]"


COMPILES_ONCE = """
import numpy as np
import cdgrab_sim as cg
from cdgrab_sim._kernels import jit

whole = np.random.RandomState(0).randint(-3, 4, size=(3, 5, 2))
whole.flags.writeable = False
tossing = [cg.orderings.cd_grab(rule=rule) for rule in ("random", "self-balancing", "hilbert")]
for name in [*sorted(set(cg.orderings.ORDERINGS) - {"herding"}), *tossing]:
    z = whole[:1] if name == "grab" else whole
    m, (first, record) = len(z), ([4, 3, 2, 1, 0], cg.Record(herding=("l2",)))
    cg.simulate(cg.problems.skewed(m=m, n=5), name, epochs=3, step_size=1e-3, record=record)
    frozen = z.astype(float).reshape(1, 5, m, 2)
    frozen.flags.writeable = False
    for G in (frozen, np.asfortranarray(frozen), frozen.astype(int)):
        cg.replay(G, name)
    for form in (z, z[0], z.astype(np.float32), np.asfortranarray(z.astype(float)), z[:, ::-1]):
        cg.herding.curve(form, name, 2, first=first)
        cg.herding.order(form, name, 2)
eps = cg.balancing.signs(whole)
for form in (eps, eps.tolist(), eps[:, ::-1], np.asfortranarray(eps.astype(float)), eps[0]):
    cg.herding.reorder(form)
cg.balancing.prefix_discrepancy(whole[:, ::-1], eps[:, ::-1])
cg.herding.error_after_every_worker(whole, np.arange(5, dtype=np.int32)[::-1])
print([(name, kernel.signatures) for name, (kernel, _) in jit.KERNELS.items() if len(kernel.signatures) > 1])
"""


def test_numba_absent_gives_the_same_bits():
    assert run_apart(WITHOUT_NUMBA) == digest()


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
from tests.conformance.test_orderings import digest
print(digest())
"""


def digest():
    """A hash of orders, errors and signs of real numbers, from every kernel that an ordering touches."""
    import hashlib

    bits = hashlib.sha256()
    o = cg.orderings
    ruled = [form(scope=scope, rule=rule) for form in (o.mean, o.pair) for scope in SCOPES for rule in ONLINE]
    for seed, name in enumerate([*sorted(NAMES), *ruled]):
        z = np.random.RandomState(seed).standard_normal((workers(name, 3), 33, 11))
        z[:, ::4] = np.round(z[:, ::4], 1)
        bits.update(cg.herding.curve(z, name, 3, norm="l2").tobytes())
        bits.update(cg.herding.order(z, name, 3).tobytes())
        for rule in ("greedy", *ONLINE, "prefix"):
            bits.update(cg.balancing.signs(z, rule, scope="coordinated").tobytes())
        bits.update(np.float64(cg.herding.error_after_every_worker(z, np.arange(33))).tobytes())
        record = cg.Record(herding=("inf",), orders=True)
        problem = cg.problems.skewed(m=workers(name, 3), n=9)
        run = cg.simulate(problem, name, epochs=4, step_size=1e-3, record=record)
        bits.update(run.orders.tobytes() + run.loss.tobytes() + run.herding["inf"].tobytes())
    return bits.hexdigest()


def run_apart(program):
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
