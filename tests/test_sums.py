"""One order of summation, in loops and in NumPy, down to the sign of zero."""

import math

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim._kernels.sums import dot, dot_twin, dots_twin
from cdgrab_sim.synchronous._engine import Engine


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


def test_recorded_norms_have_the_one_order():
    """NumPy's norm asks BLAS, whose kernels add in the order that suits the processor."""
    problem = cg.problems.least_squares(m=2, n=8, d=37)
    run = cg.simulate(problem, "rr", epochs=30, step_size=0.01, record=cg.Record(trajectory=True))
    full = Engine(problem).full_gradient
    for x, g, distance in zip(run.trajectory[0], run.grad_norm[0], run.distance[0], strict=True):
        mean, apart = full(x), x - problem.x_star
        assert g == math.sqrt(naive_dot(mean, mean))
        assert distance == math.sqrt(naive_dot(apart, apart))


def test_recorded_norms_of_asynchronous_runs_have_the_one_order():
    problem = cg.problems.least_squares(m=1, n=8, d=37)
    record = cg.asynchronous.AsyncRecord(every=1, grad_norm=True, trajectory=True)
    run = cg.simulate_async(problem, "vanilla", workers=2, updates=30, step_size=0.01, record=record)
    for x, norm in zip(run.trajectory, run.grad_norm, strict=True):
        mean = np.zeros(37)
        for row in problem.gradients(x)[0]:
            mean += row
        mean /= 8
        assert norm == math.sqrt(naive_dot(mean, mean))
