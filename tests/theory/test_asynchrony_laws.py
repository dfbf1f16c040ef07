"""A3, A7 to A10 and A17 against enumeration, an exact Markov chain and a naive event loop."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from tests.naive_asynchrony import arrival_order, in_flight, read_counter
from theory.asynchrony import counting, effective_laws, finite_horizon, renewal

P, TIMES = np.array([0.75, 0.25]), np.array([1, 3])


def random_arrivals(m, updates, rng):
    """Heavy-tailed job times that depend on the job: nothing the identities could rely on."""
    times = rng.pareto(1.2, size=m + updates) + 0.01
    return arrival_order(m, lambda job, worker: times[job], updates)


@pytest.mark.parametrize("m", [1, 2, 7])
@pytest.mark.parametrize("updates", [1, 50])
def test_a3_delay_is_conserved(m, updates):
    jobs, _, _ = random_arrivals(m, updates, np.random.default_rng(m))
    applied = np.arange(updates) - read_counter(jobs, m)
    open_ages = updates - read_counter(in_flight(jobs, m), m)
    assert applied.sum() + open_ages.sum() == counting.total_delay(m, updates)
    older = np.sort(open_ages)[1:]  # without the fresh job, whose age is 0
    average = Fraction(int(applied.sum() + older.sum()), updates + len(older))
    assert counting.average_delay(m, updates) == average


def test_a3_delay_is_conserved_when_gradients_are_dropped():
    m, updates, rng = 5, 80, np.random.default_rng(3)
    jobs, _, _ = random_arrivals(m, updates, rng)
    counter, total, read = 0, 0, dict.fromkeys(range(m), 0)
    for k, job in enumerate(jobs):
        total += counter - read.pop(job)
        counter += int(rng.random() < 0.6)  # a dropped gradient does not advance the counter
        read[m + k] = counter
    assert total + sum(counter - r for r in read.values()) == counting.total_delay(m, counter)


def test_a17_applied_prefix_is_issued_prefix_minus_in_flight():
    m, updates, rng = 6, 40, np.random.default_rng(4)
    v = rng.integers(-9, 10, size=(m + updates, 3)).astype(float)
    jobs, _, _ = random_arrivals(m, updates, rng)
    for T in range(1, updates + 1):
        applied = v[jobs[:T]].sum(axis=0)
        flying = in_flight(jobs[:T], m)
        assert np.array_equal(counting.applied_prefix(v[: T + m], flying), applied)


# An exact chain: two workers, whole ticks, worker 0 before worker 1 within a tick. For each configuration
# (example, ticks left) x 2 it carries the probability and the means of x, both read points and both ages.


def chain(alpha, h, b, ticks):
    """Return stationary means for losses h_z (x - b_z)^2 / 2, after each update and over time."""
    one, x, y, age = 0, 1, (2, 3), (4, 5)
    start = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    state = {
        ((i, TIMES[i]), (j, TIMES[j])): P[i] * P[j] * start
        for i, j in itertools.product(range(len(P)), repeat=2)
    }

    def gradient_sum(jobs, u):
        return sum(h[z] * (u[y[w]] - b[z] * u[one]) for w, (z, _) in enumerate(jobs))

    for _ in range(ticks):
        state = {tuple((z, left - 1) for z, left in jobs): u for jobs, u in state.items()}
        after = {
            "updates": 0.0,
            "x": 0.0,
            "virtual": 0.0,
            "older": np.zeros(len(P)),
            "ages": np.zeros(len(P)),
        }
        after["arrived"] = np.zeros(len(P))
        for w in (0, 1):
            moved = {}
            for jobs, u in state.items():
                z, left = jobs[w]
                if left > 0:
                    moved[jobs] = moved.get(jobs, 0.0) + u
                    continue
                after["arrived"][z] += u[one]
                after["ages"][z] += u[age[w]]
                after["older"][jobs[1 - w][0]] += u[one]
                v = u.copy()
                v[x] -= alpha * h[z] * (u[y[w]] - b[z] * u[one])
                v[y[w]], v[age[w]] = v[x], 0.0
                v[age[1 - w]] += v[one]
                for new in range(len(P)):
                    fresh = ((new, TIMES[new]), jobs[1]) if w == 0 else (jobs[0], (new, TIMES[new]))
                    moved[fresh] = moved.get(fresh, 0.0) + P[new] * v
                    after["updates"] += P[new] * v[one]
                    after["x"] += P[new] * v[x]
                    after["virtual"] += P[new] * (v[x] - alpha * gradient_sum(fresh, v))
            state = moved
    after["in_flight_over_time"] = sum(gradient_sum(jobs, u) for jobs, u in state.items())
    after["busy"] = np.array(
        [sum(u[one] for jobs, u in state.items() if jobs[0][0] == z) for z in range(len(P))]
    )
    return after


@pytest.fixture(scope="module")
def stationary():
    h, b = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    return h, b, chain(0.2, h, b, ticks=400)


def test_a7_delay_and_laws_of_a_stationary_run(stationary):
    _, _, mean = stationary
    np.testing.assert_allclose(mean["arrived"] / mean["updates"], P, atol=1e-10)
    np.testing.assert_allclose(renewal.in_flight_law(P, TIMES), mean["busy"], atol=1e-10)
    np.testing.assert_allclose(renewal.in_flight_law(P, TIMES), mean["older"] / mean["updates"], atol=1e-10)
    np.testing.assert_allclose(
        renewal.expected_delay(P, TIMES, 2), mean["ages"] / mean["arrived"], atol=1e-10
    )


def test_a10_server_iterate_is_unbiased_and_the_drained_one_is_not(stationary):
    h, b, mean = stationary
    x_star = (P * h) @ b / (P @ h)
    at_optimum = (h * (x_star - b))[:, None]
    assert mean["x"] / mean["updates"] == pytest.approx(x_star, abs=1e-10)
    bias = -0.2 * renewal.mean_in_flight_sum(P, TIMES, at_optimum, 2)[0]
    assert abs(bias) > 0.05
    assert mean["virtual"] / mean["updates"] == pytest.approx(x_star + bias, abs=1e-10)
    over_time = renewal.mean_in_flight_sum(P, TIMES, at_optimum, 2, average="time")[0]
    assert mean["in_flight_over_time"] == pytest.approx(over_time, abs=1e-10)


def test_a10_in_flight_mean_is_a_covariance():
    rng = np.random.default_rng(0)
    p, times, v = np.full(50, 0.02), rng.uniform(1.0, 4.0, 50), rng.normal(size=(50, 3))
    v -= v.mean(axis=0)
    covariance = ((times - times.mean())[:, None] * v).mean(axis=0)
    expected = 8 * covariance / times.mean()
    np.testing.assert_allclose(renewal.mean_in_flight_sum(p, times, v, 9), expected, atol=1e-12)


@pytest.mark.parametrize("horizon", [0, 4, 9])
def test_a8_completions_by_enumeration(horizon):
    p, ticks = np.array([0.5, 0.2, 0.3]), np.array([1, 2, 4])
    counts = np.zeros(3)

    def walk(now, weight):
        for z in range(3):
            if now + ticks[z] <= horizon:
                counts[z] += weight * p[z]
                walk(now + ticks[z], weight * p[z])

    walk(0, 1.0)
    np.testing.assert_allclose(finite_horizon.expected_completions(p, ticks, horizon), counts, atol=1e-12)


def test_a8_renewal_function_reaches_its_limit():
    exact = finite_horizon.renewal_function(P, TIMES, 200)[-1]
    assert finite_horizon.renewal_function_limit(P, TIMES, 200.0, span=1.0) == pytest.approx(exact, abs=1e-9)


def enumerate_updates(m, updates):
    """Return exact mean counts of each example among the first updates and among the older jobs in flight."""
    applied, older = np.zeros(len(P)), np.zeros(len(P))
    for examples in itertools.product(range(len(P)), repeat=updates + m - 1):
        weight = P[list(examples)].prod()
        drawn = np.array([*examples, 0])
        jobs, _, _ = arrival_order(m, lambda job, worker, drawn=drawn: TIMES[drawn[job]], updates)
        applied += weight * np.bincount(drawn[jobs], minlength=len(P))
        older += weight * np.bincount(drawn[in_flight(jobs, m)[:-1]], minlength=len(P))
    return applied, older


@pytest.mark.parametrize(("m", "updates"), [(1, 3), (2, 5), (3, 4)])
def test_a8_first_updates_by_enumeration(m, updates):
    applied, older = enumerate_updates(m, updates)
    np.testing.assert_allclose(finite_horizon.expected_applied(P, m, updates, older), applied, atol=1e-12)


def test_a8_first_order_of_the_share():
    np.testing.assert_array_equal(finite_horizon.first_updates_law(P, TIMES, 1, 1), P)  # exact: nobody else
    updates = 10
    applied, _ = enumerate_updates(2, updates)
    predicted = finite_horizon.first_updates_law(P, TIMES, 2, updates)
    assert np.abs(applied / updates - P).max() > 0.02
    np.testing.assert_allclose(applied / updates, predicted, atol=0.05 / updates)


@pytest.mark.parametrize(("m", "k"), [(1, 1), (3, 1), (3, 2), (4, 3)])
def test_a9_first_k_by_enumeration_with_ties(m, k):
    p, times = np.array([0.4, 0.3, 0.2, 0.1]), np.array([2.0, 1.0, 2.0, 5.0])
    share = np.zeros(4)
    priorities = list(itertools.permutations(range(m)))
    for draw in itertools.product(range(4), repeat=m):
        for priority in priorities:
            first = sorted(range(m), key=lambda w, d=draw, r=priority: (times[d[w]], r[w]))[:k]
            for w in first:
                share[draw[w]] += p[list(draw)].prod() / len(priorities) / k
    np.testing.assert_allclose(finite_horizon.first_k(p, times, m, k), share, atol=1e-12)


def test_a9_dropping_conserves_draws():
    p, times = np.array([0.5, 0.3, 0.2]), np.array([1.0, 2.0, 9.0])
    kept = effective_laws.cut_off(p, times, 5.0)
    np.testing.assert_allclose(effective_laws.after_dropping(p, [0, 0, 1], 0.2), kept, atol=1e-12)
    np.testing.assert_allclose(kept, [0.625, 0.375, 0.0], atol=1e-12)


def staggered_run(p, times, m, updates, seed):
    """Return examples and delays in a run whose workers start out of step, so that there are no ties."""
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(p), size=m + updates, p=p)
    offset = rng.uniform(0.0, times.max(), size=m)
    jobs, _, _ = arrival_order(m, lambda j, w: times[drawn[j]] + (offset[w] if j < m else 0.0), updates)
    late = updates // 4  # the rest is near stationarity
    return drawn[jobs][late:], (np.arange(updates) - read_counter(jobs, m))[late:]


def test_a9_weights_and_limits_by_age_with_many_workers():
    # 15,000 arrivals: 0.012 is 3 standard deviations of a share, wrong by chance for 0.3 % of the seeds
    p, times, m = np.array([0.6, 0.2, 0.2]), np.array([1.0, 1.5, 6.0]), 200
    examples, delays = staggered_run(p, times, m, 20_000, seed=5)
    weighted = np.bincount(examples, weights=np.minimum(1.0, m / np.maximum(delays, 1)))
    np.testing.assert_allclose(effective_laws.delay_adaptive(p, times), weighted / weighted.sum(), atol=0.012)
    kept = np.bincount(examples[delays <= m], minlength=3)
    np.testing.assert_allclose(effective_laws.drop_older_than_m(p, times), kept / kept.sum(), atol=0.012)
    assert effective_laws.drop_older_than_m(p, times)[2] == kept[2] == 0


def ringmaster_share(p, times, m, threshold, stop, updates, seed):
    """Return the law of the applied examples: discard on arrival, or abort when the delay reaches R."""
    rng = np.random.default_rng(seed)
    z = rng.choice(len(p), size=m, p=p)
    finish = times[z] * rng.uniform(size=m)  # workers start out of step
    delay, counts, applied = np.zeros(m, dtype=int), np.zeros(len(p)), 0
    while applied < updates:
        w = int(np.argmin(finish))
        now, renew = finish[w], [w]
        if delay[w] < threshold:
            applied += 1
            counts[z[w]] += applied > updates // 4
            delay += 1
        delay[w] = 0
        if stop:
            renew += np.flatnonzero(delay >= threshold).tolist()
        for i in renew:
            z[i] = rng.choice(len(p), p=p)
            finish[i], delay[i] = now + times[z[i]], 0
    return counts / counts.sum()


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("threshold", [150, 330, 500, 900])
def test_a9_age_threshold_with_many_workers(stop, threshold):
    # 6,000 arrivals: 0.02 is over 3 standard deviations of a share, wrong by chance for 0.2 % of the seeds
    p, times, m = np.array([0.6, 0.2, 0.2]), np.array([1.0, 2.0, 7.0]), 200
    measured = ringmaster_share(p, times, m, threshold, stop, 8_000, seed=6)
    np.testing.assert_allclose(
        effective_laws.age_threshold(p, times, m, threshold, stop), measured, atol=0.02
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: renewal.in_flight_law([0.5, 0.4], [1.0, 2.0]), "expected p to sum to 1; got the sum 0.9"),
        (lambda: renewal.expected_delay([0.5, 0.5], [1.0, 0.0], 2), "expected times > 0; got 0.0"),
        (lambda: renewal.expected_delay([0.5, 0.5], [1.0, np.nan], 2), "expected finite times; got nan"),
        (lambda: renewal.in_flight_law([0.5, 0.5], [1.0]), r"expected one time for each example"),
        (lambda: finite_horizon.renewal_function([1.0], [1.5], 3), "expected whole ticks"),
        (lambda: finite_horizon.first_k([1.0], [1.0], 2, 3), "expected k <= m = 2; got 3"),
        (lambda: finite_horizon.expected_applied([1.0], 3, 5, [3.0]), "sum m - 1 = 2"),
        (lambda: effective_laws.cut_off([1.0], [2.0], 1.0), "expected a deadline to keep some example"),
        (
            lambda: effective_laws.after_dropping([0.5, 0.5], [1.0, 0.0], 0.9),
            "dropping no more than is drawn",
        ),
        (lambda: effective_laws.drop_older_than_m([1.0], [2.0]), "expected no job time at the mean 2"),
        (lambda: counting.applied_prefix([[1.0]], [1]), "expected distinct issue numbers in 0..0"),
        (lambda: counting.total_delay(0, 1), "expected m >= 1; got 0"),
    ],
)
def test_arguments_out_of_range_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
