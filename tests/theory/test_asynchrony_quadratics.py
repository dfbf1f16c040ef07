"""A1, A2, A2b, A4 to A6 against root finding, Lyapunov solves, enumeration and a naive event loop."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import solve_discrete_lyapunov

from tests.naive_asynchrony import arrival_order, read_counter
from theory.asynchrony import exponential, fixed_delay

DELAYS = [0, 1, 2, 3, 7, 20]


def companion(c, delay):
    """State (x_k, ..., x_{k-delay}) of x_{k+1} = x_k - c x_{k-delay}."""
    A = np.diag(np.ones(delay), -1)
    A[0, 0] += 1.0
    A[0, delay] -= c
    return A


def radius(matrix):
    return np.abs(np.linalg.eigvals(matrix)).max()


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("part", [0.02, 0.3, 0.7, 0.95, 1.0, 1.4])
def test_a1_contraction_factor_is_the_largest_root(delay, part):
    c = part * fixed_delay.stability_limit(delay)
    assert fixed_delay.contraction_factor(c, delay) == pytest.approx(radius(companion(c, delay)), rel=1e-9)


@pytest.mark.parametrize("delay", DELAYS)
def test_a1_stability_limit_is_where_the_largest_root_leaves_the_unit_disc(delay):
    limit = fixed_delay.stability_limit(delay)
    assert radius(companion(limit, delay)) == pytest.approx(1.0, abs=1e-9)
    assert radius(companion(limit * (1 - 1e-4), delay)) < 1.0 < radius(companion(limit * (1 + 1e-4), delay))


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("part", [0.01, 0.3, 0.8, 0.97])
def test_a2_covariances_solve_the_lyapunov_equation(delay, part):
    c, noise = part * fixed_delay.stability_limit(delay), 0.3
    A = companion(c, delay)
    Q = np.zeros_like(A)
    Q[0, 0] = noise**2
    S = solve_discrete_lyapunov(A, Q)
    lagged = [(np.linalg.matrix_power(A, j) @ S)[0, 0] for j in range(2 * delay + 4)]
    gamma = fixed_delay.autocovariance(c, delay, len(lagged) - 1, noise)
    np.testing.assert_array_equal(fixed_delay.autocovariance(c, delay, 0, noise), gamma[:1])
    assert fixed_delay.variance(c, delay, noise) == pytest.approx(S[0, 0], rel=1e-9)
    np.testing.assert_allclose(gamma, lagged, rtol=0, atol=1e-9 * S[0, 0])


@pytest.mark.parametrize("delay", DELAYS)
def test_a2_variance_for_small_steps(delay):
    c = 1e-3 / (delay + 1)
    first_order = (1 + c * (delay + 0.5)) / (2 * c)
    assert fixed_delay.variance(c, delay) == pytest.approx(first_order, rel=2e-6)


@pytest.mark.parametrize("delay", DELAYS[1:])
def test_a2b_fastest_step_minimises_the_largest_root(delay):
    best = fixed_delay.fastest_step(delay)
    # a double root: one rounding of c moves it by about 1e-8
    assert fixed_delay.contraction_factor(best, delay) == pytest.approx(delay / (delay + 1), rel=1e-7)
    for part in (0.5, 0.9, 0.99, 1.01, 1.1, 1.5):
        assert radius(companion(part * best, delay)) > delay / (delay + 1) + 1e-6


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize(("part", "oscillates"), [(0.99, False), (1.1, True)])
def test_a2b_iterates_keep_their_sign_up_to_the_fastest_step(delay, part, oscillates):
    c, x = part * fixed_delay.fastest_step(delay), [1.0]
    for k in range(300):
        x.append(x[k] - c * x[max(k - delay, 0)])
    assert (min(x) < 0.0) == oscillates


@pytest.mark.parametrize("m", [1, 2, 5, 8])
def test_a4_equal_workers_are_a_fixed_delay_bit_for_bit(m):
    steps = 60
    rng = np.random.default_rng(m)
    gains, targets = rng.uniform(0.0, 0.2, steps), rng.normal(size=steps)
    jobs, _, _ = arrival_order(m, lambda job, worker: 3, steps)
    x = [0.7]
    for k, job in enumerate(jobs):
        assert job == k
        assert k - read_counter(job, m) == min(k, m - 1)
        x.append(x[k] - gains[job] * (x[read_counter(job, m)] - targets[job]))
    assert np.array_equal(fixed_delay.iterates(gains, targets, 0.7, m), x)


def exponential_paths(m, steps, c):
    """Yield (delays, iterates) of every equally likely sequence of arriving workers, exactly."""
    for sequence in itertools.product(range(m), repeat=steps):
        read, x = [0] * m, [Fraction(1)]
        delays = []
        for k, worker in enumerate(sequence):
            delays.append(k - read[worker])
            x.append(x[-1] - c * x[read[worker]])
            read[worker] = k + 1
        yield delays, x


@pytest.mark.parametrize(("m", "steps"), [(1, 4), (2, 8), (3, 6)])
def test_a5_delay_law_and_mean_iterates_by_enumeration(m, steps):
    c = Fraction(3, 4)
    paths = list(exponential_paths(m, steps, c))
    means = [float(sum(x[k] for _, x in paths) / len(paths)) for k in range(steps + 1)]
    np.testing.assert_allclose(exponential.mean_iterates(float(c), m, steps), means, atol=1e-13)
    for k in range(steps):
        counts = np.bincount([delays[k] for delays, _ in paths], minlength=k + 1)
        np.testing.assert_allclose(exponential.delay_law(m, k), counts / len(paths), atol=1e-13)


def second_moment_map(c, m):
    """Mean of A_i (x) A_i over the arriving worker i, for the state (x, y_1, ..., y_m)."""
    total = 0.0
    for i in range(1, m + 1):
        A = np.eye(m + 1)
        A[0, i] = -c
        A[i] = A[0]
        total = total + np.kron(A, A)
    return total / m


@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("part", [0.02, 0.5, 0.95])
def test_a6_variance_solves_the_second_moment_equation(m, part):
    c, noise = part * exponential.stability_limit(m), 0.3
    # the noise enters x and the read point of the worker that arrives
    enters = np.mean([np.outer(e, e) for e in np.eye(m + 1)[1:] + np.eye(m + 1)[0]], axis=0)
    S = np.linalg.solve(np.eye((m + 1) ** 2) - second_moment_map(c, m), noise**2 * enters.ravel())
    assert exponential.variance(c, m, noise) == pytest.approx(S[0], rel=1e-9)


@pytest.mark.parametrize("m", [1, 2, 3, 5, 8])
def test_a6_stability_limit_is_where_the_second_moment_stops_contracting(m):
    limit = exponential.stability_limit(m)
    assert radius(second_moment_map(limit, m)) == pytest.approx(1.0, abs=1e-9)
    assert radius(second_moment_map(0.999 * limit, m)) < 1.0 < radius(second_moment_map(1.001 * limit, m))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fixed_delay.variance(1.0, 1), "stability limit at delay 1; got 1.0"),
        (lambda: exponential.variance(1.0, 3), "stability limit of 3 exponential workers; got 1.0"),
        (lambda: fixed_delay.stability_limit(-1), "expected delay >= 0; got -1"),
        (lambda: fixed_delay.contraction_factor(0.0, 1), "expected c > 0; got 0.0"),
        (lambda: fixed_delay.iterates(np.ones(2), np.ones(3), 0.0, 1), r"shape \(2,\); got \(3,\)"),
    ],
)
def test_arguments_out_of_range_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
