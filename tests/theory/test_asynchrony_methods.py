"""A11 to A16 against a naive event loop, brute-force searches and the methods written out job by job."""

import itertools

import numpy as np
import pytest

from tests.naive_asynchrony import arrival_order, read_counter
from theory.asynchrony import effective_laws, invariance, sequential, wall_clock

PROFILES = [[1.0], [3.0, 3.0, 3.0], [1.0, 2.0, 7.0], [5.0, 1.0, 1.0, 40.0], [1.0, 4.0, 9.0, 16.0, 25.0]]


@pytest.mark.parametrize("times", PROFILES)
def test_a11_counts_and_shares_of_fixed_times(times):
    _, workers, moments = arrival_order(len(times), lambda job, worker: times[worker], 200)
    for t in (0.0, 1.0, 6.5, moments[-1] - 1.0):
        counts = np.bincount(workers[moments <= t], minlength=len(times))
        assert np.array_equal(wall_clock.arrivals(times, t), counts)
    period = float(np.lcm.reduce(np.array(times, dtype=int)))
    counts = wall_clock.arrivals(times, period)
    assert counts.sum() == pytest.approx(period * wall_clock.update_rate(times), rel=1e-12)
    np.testing.assert_allclose(effective_laws.shards(times), counts / counts.sum(), atol=1e-12)


def test_a12_optimal_time_is_the_best_choice_of_workers():
    rng = np.random.default_rng(1)
    for _ in range(100):
        times, sigma, eps = rng.pareto(1.0, 4) + 0.1, rng.uniform(0.0, 3.0), rng.uniform(0.05, 1.0)
        by_subset = [
            (2.0 * 3.0 / eps + sigma**2 * 2.0 * 3.0 / (r * eps**2)) * r / sum(1.0 / s for s in chosen)
            for r in range(1, 5)
            for chosen in itertools.combinations(times, r)
        ]
        optimal, concurrent, lockstep = (
            wall_clock.time_complexity(times, 2.0, 3.0, sigma, eps, method)
            for method in ("optimal", "async", "sync")
        )
        assert optimal == pytest.approx(min(by_subset), rel=1e-12)
        assert concurrent == pytest.approx(by_subset[-1], rel=1e-12)
        assert optimal <= concurrent * (1 + 1e-12)
        assert concurrent <= lockstep * (1 + 1e-12)


def test_a12_equal_workers_need_the_same_time_by_every_method():
    kinds = ("optimal", "async", "sync")
    values = [wall_clock.time_complexity([2.0] * 8, 1.0, 1.0, 1.0, 0.25, kind) for kind in kinds]
    assert max(values) == pytest.approx(min(values), rel=1e-12)


@pytest.mark.parametrize("times", PROFILES)
@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_a13_time_of_fresh_gradients(times, count):
    _, _, moments = arrival_order(len(times), lambda job, worker: times[worker], count)
    assert wall_clock.fresh_gradients_time(times, count) == moments[-1]
    assert moments[-1] <= wall_clock.fresh_gradients_bound(times, count) * (1 + 1e-12)


@pytest.mark.parametrize("m", [1, 7, 50])
def test_a13_bound_on_fresh_gradients_is_attained_by_equal_workers(m):
    for count in (1, m + 1, 3 * m + 1):  # one gradient more than whole rounds deliver
        bound = wall_clock.fresh_gradients_bound([1.0] * m, count)
        assert bound == pytest.approx(wall_clock.fresh_gradients_time([1.0] * m, count), rel=1e-12)


def ringmaster_moments(times, threshold, updates):
    """Return the times of the updates; every job whose delay reaches the threshold is restarted at once."""
    finish, delay, moments = np.array(times, dtype=float), np.zeros(len(times), dtype=int), []
    while len(moments) < updates:
        w = int(np.argmin(finish))
        now = finish[w]
        moments.append(now)
        delay += 1
        delay[w] = threshold  # the arriving worker restarts too
        again = delay >= threshold
        finish[again], delay[again] = now + np.array(times)[again], 0
    return np.array(moments)


def test_a13_ringmaster_bound_holds_and_plain_sums_do_not():
    rng, plain, ratios = np.random.default_rng(2), [], []
    for _ in range(150):
        times = np.sort(rng.integers(1, 60, size=rng.integers(1, 9))).astype(float)
        threshold = int(rng.integers(1, 12))
        moments = np.concatenate([[0.0], ringmaster_moments(times, threshold, 60)])
        longest = (moments[threshold:] - moments[:-threshold]).max()
        ratios.append(longest / wall_clock.ringmaster_bound(times, threshold))
        plain.append(longest / wall_clock.fresh_gradients_bound(times, threshold))
    assert 0.6 < max(ratios) <= 1.0 + 1e-12
    assert max(plain) > 1.0  # without the wasted job of each worker the bound would be false


def ordered_anytime_run(x0, gradients, index, order, eta):
    """Ordered AnyTime job by job, in the order of arrival given."""
    w, x = x0.copy(), x0.copy()
    A = lambda i: (i + 1) * (i + 2) / 2  # noqa: E731
    for k, job in enumerate(order):
        j = index[job]
        w = w - eta * (j + 1) * gradients[job]
        x = x - eta * (j + 1) * gradients[job] * (A(k) - A(j)) / A(k)
        x = (A(k) * x + (k + 2) * w) / A(k + 1)
    return w, x


def ordered_heavy_ball_run(w0, gradients, index, order, eta, beta, m):
    """OrMo job by job: bucket ceil(index / m), the current bucket ceil(k / m)."""
    w, u, bucket = w0.copy(), np.zeros_like(w0), 0
    for k, job in enumerate(order):
        if bucket < -(-k // m):
            w, u, bucket = w - beta * u, beta * u, bucket + 1
        e = bucket - -(-index[job] // m)
        u = u + eta * beta**e * gradients[job]
        w = w - eta * (1 - beta ** (e + 1)) / (1 - beta) * gradients[job]
    return w, u, bucket


def orders(m, updates, seed):
    """Yield arrival orders in which every job is issued before it arrives: FIFO, then random ones."""
    rng = np.random.default_rng(seed)
    yield np.arange(updates)
    for scale in (0.5, 2.0, 0.5, 2.0):
        times = rng.lognormal(sigma=scale, size=m + updates)
        yield arrival_order(m, lambda job, worker, s=times: s[job], updates)[0]


@pytest.mark.parametrize("m", [1, 3, 8])
def test_a14_ordered_anytime_forgets_the_order_of_arrival(m):
    updates, eta = 60, 0.01
    for order in orders(m, updates, m):
        rng = np.random.default_rng(0)
        x0, gradients = rng.normal(size=4), rng.normal(size=(m + updates, 4))
        index = read_counter(np.arange(m + updates), m)
        w, x = ordered_anytime_run(x0, gradients, index, order, eta)
        predicted = invariance.ordered_anytime_state(x0, gradients[order], index[order], eta, updates)
        np.testing.assert_allclose(predicted, (w, x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("m", [1, 3, 8])
@pytest.mark.parametrize("beta", [0.0, 0.5, 0.9])
def test_a14_ordered_momentum_forgets_the_order_of_arrival(m, beta):
    updates, eta = 60, 0.1
    for order in orders(m, updates, m):
        rng = np.random.default_rng(0)
        w0, gradients = rng.normal(size=4), rng.normal(size=(m + updates, 4))
        index = read_counter(np.arange(m + updates), m)
        w, u, bucket = ordered_heavy_ball_run(w0, gradients, index, order, eta, beta, m)
        c = -(-index // m)
        predicted = invariance.ordered_heavy_ball_state(w0, gradients[order], c[order], eta, beta, bucket)
        np.testing.assert_allclose(predicted, (w, u), rtol=1e-12, atol=1e-12)


def test_a14_ordered_momentum_equals_synchronous_momentum():
    m, beta, eta, rng = 4, 0.8, 0.1, np.random.default_rng(1)
    gradients, bucket = rng.normal(size=(20, 3)), np.repeat(np.arange(5), m)
    w, u = np.ones(3), np.zeros(3)
    for b in range(5):
        u = beta * u + eta * gradients[bucket == b].sum(axis=0)
        w = w - u
    mixed = rng.permutation(20)
    predicted = invariance.ordered_heavy_ball_state(np.ones(3), gradients[mixed], bucket[mixed], eta, beta, 4)
    np.testing.assert_allclose(predicted, (w, u), rtol=1e-12, atol=1e-12)


def test_a14_ordered_anytime_equals_anytime_sgd_in_issue_order():
    rng = np.random.default_rng(2)
    noise, shift = rng.normal(size=(15, 3)), np.zeros(3)  # gradients that do not depend on x
    path = sequential.anytime_sgd(lambda x, z: noise[z], shift, range(15), 0.05)
    mixed = rng.permutation(15)
    _, x = invariance.ordered_anytime_state(shift, noise[mixed], mixed, 0.05, 15)
    np.testing.assert_allclose(x, path[-1], rtol=1e-12, atol=1e-12)


def quadratics(n, d, seed):
    """Return Hessians, minimisers and the gradient (x, z) of n random quadratics."""
    rng = np.random.default_rng(seed)
    roots, b = rng.normal(size=(n, d, d)), rng.normal(size=(n, d))
    H = roots @ roots.transpose(0, 2, 1) / d
    return H, b, lambda x, z: H[z] @ (x - b[z])


def test_a15_compensated_asynchrony_is_sequential():
    H, _, gradient = quadratics(6, 3, seed=0)
    m, updates, alpha = 5, 80, 0.05
    rng = np.random.default_rng(1)
    drawn = rng.integers(6, size=m + updates)
    jobs, _, _ = arrival_order(m, lambda job, worker: 1.0 + drawn[job] ** 2 + 0.1 * worker, updates)
    x = [np.ones(3)]
    for job in jobs:
        read, z = x[read_counter(job, m)], drawn[job]
        x.append(x[-1] - alpha * invariance.compensated_gradient(gradient(read, z), H[z], x[-1], read))
    parent = sequential.sgd(gradient, np.ones(3), drawn[jobs].tolist(), alpha)
    assert not np.array_equal(jobs, np.arange(updates))
    np.testing.assert_allclose(np.array(x), parent, rtol=1e-12, atol=1e-12)


# A16: every method written out as the server runs it, with one worker, so with delay 0 throughout.

EXAMPLES = np.random.default_rng(7).integers(6, size=40).tolist()


@pytest.fixture
def gradient():
    return quadratics(6, 3, seed=3)[2]


def test_a16_rules_by_delay_are_sgd(gradient):
    rules = {
        "vanilla": lambda tau: 1.0,
        "delay-adaptive": lambda tau: 1 / max(1, tau),
        "drop by age": lambda tau: float(tau <= 1),
        "ringmaster": lambda tau: float(tau < 1),
    }
    parent = sequential.sgd(gradient, np.ones(3), EXAMPLES, 0.05)
    for weight in rules.values():
        x, read = np.ones(3), 0
        for k, z in enumerate(EXAMPLES):
            x = x - 0.05 * weight(k - read) * gradient(x, z)
            read = k + 1
            assert np.array_equal(x, parent[k + 1])


def test_a16_rounds_at_one_point_are_mini_batches(gradient):
    batch = 4
    x, total, seen, path = np.ones(3), np.zeros(3), 0, [np.ones(3)]
    for z in EXAMPLES:
        total, seen = total + gradient(x, z), seen + 1
        if seen == batch:
            x, total, seen = x - 0.05 * (total / batch), np.zeros(3), 0
            path.append(x)
    assert np.array_equal(sequential.mini_batch_sgd(gradient, np.ones(3), EXAMPLES, 0.05, batch), path)


@pytest.mark.parametrize("early", [False, True])
def test_a16_ordered_momentum_is_heavy_ball_or_nesterov(gradient, early):
    """The bucket advances before the worker reads (early) or when its gradient arrives (late)."""
    w, u, beta, path = np.ones(3), np.zeros(3), 0.9, [np.ones(3)]
    for z in EXAMPLES:
        g = gradient(w, z)
        if not early:
            w, u = w - beta * u, beta * u
        u, w = u + 0.02 * g, w - 0.02 * g  # e = 0: the bucket of the only job is the current one
        if early:
            w, u = w - beta * u, beta * u
        path.append(w)
    parent = sequential.heavy_ball(gradient, np.ones(3), EXAMPLES, 0.02, beta, look_ahead=early)
    assert np.array_equal(parent, path)


def test_a16_ordered_anytime_is_anytime_sgd(gradient):
    w, x, path, eta = np.ones(3), np.ones(3), [np.ones(3)], 0.002
    A = lambda i: (i + 1) * (i + 2) / 2  # noqa: E731
    for k, z in enumerate(EXAMPLES):
        g, j = gradient(x, z), k
        w = w - eta * (j + 1) * g
        x = x - eta * (j + 1) * g * (A(k) - A(j)) / A(k)
        x = (A(k) * x + (k + 2) * w) / A(k + 1)
        path.append(x)
    assert np.array_equal(sequential.anytime_sgd(gradient, np.ones(3), EXAMPLES, eta), path)


def test_a16_asynchronous_mu_squared_is_mu_squared_sgd(gradient):
    w, x, q, d, path, eta = np.ones(3), np.ones(3), np.ones(3), np.zeros(3), [np.ones(3)], 0.002
    for k, z in enumerate(EXAMPLES):
        count = k + 1
        beta = 1.0 / count
        d, q = gradient(x, z) + (1.0 - beta) * (d - gradient(q, z)), x
        w = w - eta * (k + 1) * (count / count * d)  # the mean over one worker, weighted by its count
        weight = (k + 1) * (k + 2) / 2
        x = (weight * x + (k + 2) * w) / (weight + (k + 2))
        path.append(x)
    parent = sequential.mu_squared_sgd(gradient, np.ones(3), EXAMPLES, eta)
    assert np.array_equal(parent, path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wall_clock.arrivals([1.0, -1.0], 1.0), "expected times > 0; got -1.0"),
        (lambda: wall_clock.time_complexity([1.0], 1.0, 1.0, 1.0, 0.0), "expected accuracy > 0"),
        (
            lambda: wall_clock.time_complexity([1.0], 1.0, 1.0, 1.0, 1.0, "ssgd"),
            "optimal, async, sync; got 'ssgd'",
        ),
        (lambda: invariance.ordered_anytime_state([0.0], [[1.0]], [2], 0.1, 1), r"1 labels in 0..1"),
        (lambda: invariance.ordered_heavy_ball_state([0.0], [[1.0]], [0], 0.1, 1.0, 1), "1 - momentum > 0"),
        (lambda: invariance.compensated_gradient([1.0], [[1.0]], [1.0], [1.0, 2.0]), "match the gradient"),
        (lambda: sequential.heavy_ball(lambda x, z: x, [1.0], [0], 0.1, -0.5), "0 <= momentum < 1; got -0.5"),
        (lambda: sequential.mini_batch_sgd(lambda x, z: x, [1.0], [0], 0.1, 0), "expected batch >= 1"),
    ],
)
def test_arguments_out_of_range_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
