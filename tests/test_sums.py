"""One order of summation, in loops and in NumPy, down to the sign of zero."""

import numpy as np
import pytest

from cdgrab_sim._kernels.sums import dot, dot_twin, dots_twin


def naive_dot(a, b):
    """Eight interleaved partial sums, then the remaining coordinates one by one."""
    full = len(a) - len(a) % 8
    t = [0.0] * 8
    for p in range(full):
        t[p % 8] += a[p] * b[p]
    total = ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]))
    for p in range(full, len(a)):
        total += a[p] * b[p]
    return total


@pytest.mark.parametrize("d", [1, 2, 7, 8, 9, 16, 31, 64])
def test_dots_have_the_bits_of_the_naive_dot(d):
    rng = np.random.RandomState(d)
    a, b = rng.standard_normal((20, d)) * 10.0 ** rng.randint(-8, 9, size=(20, d)), rng.standard_normal(d)
    a[0] = 0.0
    b[0] = -1.0  # products of -0.0, whose sum from +0.0 is +0.0
    for signs in (b, -np.abs(b)):
        expected = np.array([naive_dot(row, signs) for row in a.tolist()])
        assert dots_twin(a, signs).tobytes() == expected.tobytes()
        assert np.array([dot(row, signs) for row in a]).tobytes() == expected.tobytes()
        assert np.array([dot_twin(row, signs) for row in a]).tobytes() == expected.tobytes()


def test_dots_broadcast_over_rows():
    rng = np.random.RandomState(0)
    a, b = rng.standard_normal((4, 11)), rng.standard_normal((3, 11))
    np.testing.assert_array_equal(dots_twin(a[:, None], b), [[dot_twin(x, y) for y in b] for x in a])
