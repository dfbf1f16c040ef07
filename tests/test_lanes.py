"""Eight coordinates at a time: the same numbers in machine code and in Python, and nothing beyond them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from cdgrab_sim._kernels import jit
from cdgrab_sim._kernels.jit import inlined
from cdgrab_sim._kernels.registers import LANES, aligned, larger, load, spread, store, total, zeros
from cdgrab_sim.orderings import _balance
from tests.strategies import thorough


@inlined
def _mix(out, a, r, p):
    """Use every operation once: out = 3 (a[r] - a[0]) + a[1], from p on; returns its total."""
    t = zeros() + spread(3.0) * (load(a, (r, p)) - load(a, (0, p))) + load(a, (1, p))
    store(out, (p,), t)
    return total(t)


@pytest.mark.parametrize("p", [0, 3, 8])
def test_operations_are_those_of_the_eight_numbers(p):
    a, out = np.random.RandomState(0).standard_normal((3, 16)), np.zeros(16)
    made = _mix(out, a, 2, p)
    expected = 3.0 * (a[2] - a[0]) + a[1]
    here = slice(p, p + LANES)
    assert_array_equal(out[here], expected[here])
    assert (np.delete(out, np.r_[here]) == 0.0).all()
    t = expected[here].tolist()
    assert made == ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]))


@inlined
def _clipped(out, a, least):
    store(out, (0,), larger(load(a, (0,)), spread(least)))


def test_the_larger_of_two():
    a, out = np.array([-3.0, 2.0, 0.0, -1.0, 5.0, -0.5, 1.0, -2.0]), np.zeros(8)
    _clipped(out, a, -1.0)
    assert_array_equal(out, np.maximum(a, -1.0))


@pytest.mark.parametrize("shape", [(1,), (3, 5), (2, 3, 64), (1000, 7)])
def test_aligned_arrays_begin_at_a_cache_line(shape):
    for _ in range(5):
        a = aligned(shape)
        assert a.shape == shape
        assert a.ctypes.data % 64 == 0
        assert a.flags.c_contiguous
        assert (a == 0.0).all()


def test_what_was_loaded_stays_as_it_was():
    a = np.arange(8.0)
    before = load(a, (0,))
    store(a, (0,), zeros())
    assert_array_equal(before, np.arange(8.0))


@pytest.mark.compiled
@pytest.mark.skipif(not jit.compiles(), reason="NUMBA_DISABLE_JIT: nothing is typed")
def test_other_arrays_are_not_taken_for_contiguous_doubles():
    errors = pytest.importorskip("numba").core.errors
    a = np.ones((3, 16))
    for other in (np.asfortranarray(a), a[:, ::2], a.astype(np.float32)):
        with pytest.raises(errors.TypingError):
            _mix(np.zeros(16), other, 2, 0)


@thorough
@given(d=st.integers(1, 25), seed=st.integers(0, 2**16), m=st.integers(1, 3))
def test_two_at_a_time_have_the_bits_of_one_after_the_other(d, seed, m):
    rng = np.random.RandomState(seed)
    G = rng.standard_normal((6, m, d)) * 10.0 ** rng.randint(-3, 4, size=(6, m, 1))
    start = rng.standard_normal((1, d))
    one, two = start.copy(), start.copy()
    k, i, k2, i2 = 1, 0, 3, m - 1
    eps = _balance.balance(one, 0, G, (k - 1, i), G, (k, i))
    eta = _balance.balance(one, 0, G, (k2 - 1, i2), G, (k2, i2))
    assert _balance.balance_two(two, G, k, i, k2, i2) == (eps, eta)
    assert one.tobytes() == two.tobytes()
