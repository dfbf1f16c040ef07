"""A1 to A17 measured with the engine."""

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim.asynchronous import METHODS, AsyncRecord, Flow, Method, MethodState, job_times, methods
from theory.asynchrony import (
    counting,
    effective_laws,
    exact_laws,
    exponential,
    finite_horizon,
    fixed_delay,
    invariance,
    renewal,
    sequential,
    wall_clock,
)

MODE = cg.problems.quadratic(m=1, n=1, d=1, eigenvalues=[1.0], sigma=0.0)  # one quadratic mode, no noise
NOISY = cg.problems.quadratic(m=1, n=64, d=2, seed=3)
TRACE = AsyncRecord(every=1, trajectory=True, events=True, loss=False)


def distance(run):
    return run.trajectory[:, 0] - MODE.x_star[0]


def modes(workers, c, updates, times=1.0, **changes):
    options = {"updates": updates, "step_size": c, "job_times": times, "record": TRACE}
    return cg.simulate_async(MODE, "vanilla", workers=workers, x0=MODE.x_star + 1.0, **(options | changes))


@pytest.mark.parametrize("m", [1, 2, 5, 16])
def test_a4_equal_workers_are_a_fixed_delay_bit_by_bit(m):
    """Every iterate, with the example that it stepped for; the second coordinate has its own curvature."""
    run = cg.simulate_async(
        NOISY, "vanilla", workers=m, updates=200, step_size=0.02, x0=np.ones(2), record=TRACE
    )
    targets, lam = NOISY.data[0][0][run.events["example"]], NOISY.data[1]
    x = [np.ones(2)]
    for k in range(200):
        x.append(x[k] - 0.02 * (lam * (x[max(0, k - m + 1)] - targets[k])))
    np.testing.assert_array_equal(run.trajectory, x)


@pytest.mark.parametrize("order", ["rr", "so", "ig", "given"])
@pytest.mark.parametrize("m", [1, 2, 5])
def test_rounds_of_equal_workers_are_synchronous_sgd(m, order):
    """Rounds that wait for every worker: the orders of `simulate` and, to rounding, its iterates."""
    n, alpha = 7, 0.02
    problem = cg.problems.quadratic(m=m, n=n, d=2, heterogeneity=float(m > 1), seed=4)
    pi = np.array([np.random.default_rng(i).permutation(n) for i in range(m)])
    rounds = cg.simulate_async(
        problem, "mini-batch", workers=m, updates=3 * n, step_size=alpha, record=TRACE, seed=9,
        order=pi if order == "given" else order, x0=np.ones(2),
    )  # fmt: skip
    ordering = cg.orderings.fixed(pi) if order == "given" else order
    epochs = cg.simulate(
        problem, ordering, epochs=3, step_size=alpha, seed=9, x0=np.ones(2),
        record=cg.Record(orders=True, trajectory=True),
    )  # fmt: skip
    visited = rounds.events["example"][rounds.events["flow"] <= Flow.WAIT] % n
    np.testing.assert_array_equal(visited.reshape(3, n, m).transpose(0, 2, 1), epochs.orders[0])
    np.testing.assert_allclose(rounds.trajectory[::n], epochs.trajectory[0], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("order", ["rr", "so"])
def test_a_worker_that_hurries_ahead_visits_the_orders_of_synchronous_epochs(order):
    """Each worker meets the orders of its own epochs, however far the others have come."""
    problem, n = cg.problems.quadratic(m=3, n=4, d=2, seed=4), 4
    events = cg.simulate_async(
        problem, "vanilla", workers=3, updates=700, step_size=1e-3, record=TRACE, seed=9, order=order,
        job_times=[1.0, 3.0, 90.0],
    ).events  # fmt: skip
    expected = cg.simulate(
        problem, order, epochs=120, step_size=1e-3, seed=9, record=cg.Record(orders=True)
    ).orders[0]
    for worker in range(3):
        mine = events["example"][events["worker"] == worker] % n
        assert len(mine) > (400, 150, 4)[worker]
        np.testing.assert_array_equal(mine[: 120 * n], expected[:, worker].ravel()[: len(mine)])


@pytest.mark.parametrize("m", [2, 5])
def test_a1_a4_equal_workers_are_a_fixed_delay(m):
    """The recursion x_{k+1} = x_k - c x_{k-tau} step by step, and its stability limit from both sides."""
    limit = fixed_delay.stability_limit(m - 1)
    x = distance(modes(m, 0.8 * limit, 100))
    expected = [1.0] * m
    for k in range(100):
        expected.append(expected[k + m - 1] - 0.8 * limit * expected[k])
    np.testing.assert_allclose(x, expected[m - 1 :], rtol=1e-9, atol=1e-12)
    last = AsyncRecord(loss=False)
    for factor, grows in ((0.99, False), (1.01, True)):
        run = modes(m, factor * limit, 20_000, record=last)
        assert (not np.isfinite(run.x[0]) or abs(run.x[0] - MODE.x_star[0]) > 1.0) == grows


def test_a2b_the_fastest_step_decays_as_predicted():
    m, c = 4, fixed_delay.fastest_step(3)
    for step in (0.7 * c, 1.4 * c):
        size = np.abs(distance(modes(m, step, 120)))
        window = np.arange(20, 101)  # long enough to average over the phase of the oscillation
        slope = np.polyfit(window, np.log(size[window]), 1)[0]
        assert slope == pytest.approx(np.log(fixed_delay.contraction_factor(step, m - 1)), rel=0.03)


def variance(m, c, times, updates, seed):
    """Variance of the server's iterate in a long run, one coordinate each with its own noise."""
    problem = cg.problems.quadratic(m=1, n=512, d=8, eigenvalues=[1.0] * 8, seed=seed)
    record = AsyncRecord(every=1, trajectory=True, loss=False)
    run = cg.simulate_async(
        problem, "vanilla", workers=m, updates=updates, step_size=c, job_times=times, seed=seed,
        x0=problem.x_star, record=record,
    )  # fmt: skip
    noise = problem.data[0][0].var(axis=0)
    return float(((run.trajectory[200:] - problem.x_star) ** 2 / noise).mean()) / c**2


@pytest.mark.compiled
def test_a2_a6_stationary_variances():
    """8 coordinates and 60,000 updates: 3 standard errors are 4 %."""
    m, c = 4, 0.15
    fixed, chance = (
        variance(m, c, times, 60_000, seed=5) for times in (job_times.fixed(), job_times.exponential())
    )
    assert fixed == pytest.approx(fixed_delay.variance(c, m - 1), rel=0.04)
    assert chance == pytest.approx(exponential.variance(c, m), rel=0.04)
    assert abs(fixed - chance) > 0.1 * fixed


@pytest.mark.compiled
def test_a5_exponential_times_are_geometric_delays_and_heavy_ball_on_average():
    m, c, k, runs = 5, 0.3, 12, 4000
    traces, last = [], []
    for seed in range(runs):
        run = modes(m, c, k, job_times.exponential(), seed=seed)
        traces.append(distance(run))
        last.append(run.events["delay"][-1])
    spread = np.std(traces, axis=0) / runs**0.5
    predicted = exponential.mean_iterates(c, m, k)
    assert (np.abs(np.mean(traces, axis=0) - predicted) <= 4 * spread + 1e-12).all()
    law, counts = exponential.delay_law(m, k - 1), np.bincount(last, minlength=k)
    assert (np.abs(counts / runs - law) <= 4 * np.sqrt(law / runs)).all()


SLOW = np.arange(64) < 13
CLASSES = job_times.two_classes(SLOW, 10.0)
SHARE = SLOW.mean()
FACTORS = CLASSES.example(NOISY)
UNIFORM = np.full(64, 1 / 64)


def long_run(method="vanilla", m=8, updates=100_000, times=CLASSES, **changes):
    options = {"updates": updates, "step_size": 1e-3, "job_times": times, "record": AsyncRecord(loss=False)}
    return cg.simulate_async(NOISY, method, workers=m, **(options | changes))


def test_a3_average_delay():
    run = long_run(m=7, updates=5000, record=AsyncRecord(events=True))
    total, workers = int(run.events["delay"].sum()), run.events["worker"]
    ages = sum(5000 - (int(np.flatnonzero(workers == worker)[-1]) + 1) for worker in range(7))
    assert total + ages == counting.total_delay(7, 5000)
    assert (total + ages) / (5000 + 6) == pytest.approx(float(counting.average_delay(7, 5000)))
    assert run.mean_delay == pytest.approx(total / 5000)


@pytest.mark.compiled
def test_a7_delays_given_the_example_and_laws_on_the_way():
    """100,000 arrivals: 4 standard errors of a class mean are 2 %."""
    run = long_run()
    arrived = run.applied[0]
    mean = [np.average(run.delay[0][chosen], weights=arrived[chosen]) for chosen in (SLOW, ~SLOW)]
    predicted = renewal.expected_delay(UNIFORM, FACTORS, 8)
    assert mean == pytest.approx([predicted[0], predicted[-1]], rel=0.02)
    assert run.law[0, SLOW].sum() == pytest.approx(SHARE, abs=4 * (0.16 / 1e5) ** 0.5)
    busy = renewal.in_flight_law(UNIFORM, FACTORS)[SLOW].sum()
    assert run.in_flight_law[0, SLOW].sum() == pytest.approx(busy, abs=0.01)


@pytest.mark.compiled
def test_a8_first_updates():
    """Of 12 updates: E # = P (T + m - 1) - E # among the older jobs in flight; 4 standard errors."""
    m, updates, runs, gaps = 6, 12, 3000, []
    for seed in range(runs):
        run = long_run(m=m, updates=updates, seed=seed)
        gaps.append(run.applied[0, SLOW].sum() + run.in_flight[0, SLOW].sum())
    # the fresh job counts P more
    assert np.mean(gaps) == pytest.approx(SHARE * (updates + m), abs=4 * np.std(gaps) / runs**0.5)


def slow_share(run):
    return run.law[0, SLOW].sum()


@pytest.mark.compiled
@pytest.mark.parametrize("times", [CLASSES, job_times.shuffled(CLASSES, seed=1)], ids=["slow", "control"])
def test_a9_effective_laws(times):
    """First k is exact; Rennala to first order; the control, permuted across examples, keeps the law P."""
    laws = {
        methods.first_k(6): finite_horizon.first_k(UNIFORM, FACTORS, 8, 6),
        methods.rennala(64): finite_horizon.first_updates_law(UNIFORM, FACTORS, 8, 64),
    }
    for method, law in laws.items():
        run = long_run(method, updates=4000 if method.name == "first-k" else 1000, times=times)
        hit = times.example(NOISY)[0] > 1.0 if times is not CLASSES else SLOW
        assert run.law[0, hit].sum() == pytest.approx(law[SLOW].sum(), abs=0.012)
    assert slow_share(long_run("mini-batch", updates=4000)) == pytest.approx(SHARE, abs=0.01)


@pytest.mark.compiled
@pytest.mark.parametrize("method", ["rennala", "drop-by-age", "delay-adaptive"])
def test_a9_exact_laws(method):
    """Exact for 8 workers in ticks of 1 and 10; 6 binomial standard errors: slow jobs come in clusters."""
    ticks = np.where(SLOW, 10, 1)
    law = {
        "rennala": lambda: exact_laws.round_law(UNIFORM, ticks, 8, 64),
        "drop-by-age": lambda: exact_laws.weighted_by_delay(UNIFORM, ticks, 8, lambda tau: tau <= 20),
        "delay-adaptive": lambda: exact_laws.weighted_by_delay(
            UNIFORM, ticks, 8, lambda tau: 8 / np.maximum(tau, 8)
        ),
    }[method]()[SLOW].sum()
    made = {"rennala": methods.rennala(64), "drop-by-age": methods.drop_by_age(20)}.get(method, method)
    updates = 2000 if method == "rennala" else 128_000
    run = long_run(made, times=job_times.by_example(ticks), updates=updates)
    assert slow_share(run) == pytest.approx(law, abs=6 * (law * (1 - law) / 128_000) ** 0.5)
    assert abs(law - SHARE) > 0.01


@pytest.mark.compiled
def test_a9_limits_of_many_workers():
    """With 300 workers, 100,000 updates; what is left is of order 1 / sqrt(m)."""
    m = 300
    adaptive = long_run("delay-adaptive", m=m)
    assert slow_share(adaptive) == pytest.approx(
        effective_laws.delay_adaptive(UNIFORM, FACTORS)[SLOW].sum(), abs=0.01
    )
    dropped = long_run("drop-by-age", m=m)
    assert slow_share(dropped) < 0.002
    for stop in (False, True):
        R = 600
        kept = long_run(methods.ringmaster(R, stop=stop), m=m)
        law = effective_laws.age_threshold(UNIFORM, FACTORS, m, R, stop)
        assert slow_share(kept) == pytest.approx(law[SLOW].sum(), abs=0.02)


@pytest.mark.compiled
def test_a10_the_server_is_unbiased_and_the_drained_iterate_is_not():
    times = job_times.by_gradient(0.2, 10.0)
    alpha, m = 0.002, 8
    g = NOISY.gradients(NOISY.x_star)[0]
    bias = -alpha * renewal.mean_in_flight_sum(UNIFORM, times.example(NOISY)[0], g, m)
    record = AsyncRecord(every=25, virtual=True, average=True, loss=False)
    gaps, servers = [], []
    for seed in range(8):
        run = long_run(m=m, times=times, step_size=alpha, seed=seed, record=record, x0=NOISY.x_star)
        gaps.append((run.virtual[len(run.virtual) // 10 :] - NOISY.x_star).mean(axis=0))
        servers.append(run.average - NOISY.x_star)
    assert np.linalg.norm(bias) > 0.02
    error = np.std(gaps, axis=0) / 8**0.5
    assert (np.abs(np.mean(gaps, axis=0) - bias) < 5 * error).all()
    assert (5 * error < 0.5 * np.abs(bias).max()).all()
    assert (np.abs(np.mean(servers, axis=0)) < 5 * np.std(servers, axis=0) / 8**0.5).all()


@pytest.mark.parametrize("times", [[1.0, 2.0, 7.0], [3.0, 3.0, 4.0, 12.0]])
def test_a11_counts_of_fixed_times(times):
    for until in (6.5, 84.0):
        run = modes(len(times), 0.01, None, times, until=until)
        np.testing.assert_array_equal(run.by_worker, wall_clock.arrivals(times, until))
    np.testing.assert_allclose(run.by_worker / 84.0, 1 / np.array(times))  # 84 is a multiple of all


@pytest.mark.parametrize("times", [[1.0, 2.0, 7.0], [5.0, 1.0, 1.0, 40.0], [1.0, 4.0, 9.0, 16.0, 25.0]])
def test_a13_times_of_rounds_and_of_updates(times):
    for batch in (1, 5, 12):
        run = cg.simulate_async(
            MODE, methods.rennala(batch), workers=len(times), updates=3, step_size=0.01, job_times=times
        )
        assert run.time == 3 * wall_clock.fresh_gradients_time(times, batch)
        stopping = cg.simulate_async(
            MODE, methods.ringmaster(batch, stop=True), workers=len(times), updates=60, step_size=0.01,
            job_times=times, record=TRACE,
        )  # fmt: skip
        moments = stopping.at_time
        longest = (moments[batch:] - moments[:-batch]).max()
        assert longest <= wall_clock.ringmaster_bound(times, batch) * (1 + 1e-12)
        assert len(stopping.delays) <= batch  # applied delays are below R


def gradients_of(run):
    """Gradients in the order of arrival, and the counters at which their points were read."""
    b, lam = NOISY.data[0][0], NOISY.data[1]
    read = np.arange(len(run.events["delay"])) - run.events["delay"]
    return lam * (run.trajectory[read] - b[run.events["example"]]), read


@pytest.mark.parametrize("m", [1, 3, 8])
@pytest.mark.parametrize("times", [job_times.exponential(), job_times.pareto(1.2), job_times.fixed()])
def test_a14_the_state_forgets_the_order_of_arrival(m, times):
    eta, updates = 0.0005, 120
    options = {"times": times, "m": m, "updates": updates, "record": TRACE, "x0": np.ones(2)}
    run = long_run(methods.ordered_anytime(), step_size=eta, **options)
    g, read = gradients_of(run)
    _, x = invariance.ordered_anytime_state(np.ones(2), g, read, eta, updates)
    np.testing.assert_allclose(run.x, x, rtol=1e-12, atol=1e-12)
    run = long_run(methods.ordered_heavy_ball(0.8), step_size=0.002, **options)
    g, read = gradients_of(run)
    bucket = -(-(updates - 1) // m)
    w, _ = invariance.ordered_heavy_ball_state(np.ones(2), g, -(-read // m), 0.002, 0.8, bucket)
    np.testing.assert_allclose(run.x, w, rtol=1e-12, atol=1e-12)


def test_a14_without_the_correction_the_order_matters():
    options = {"m": 8, "updates": 120, "record": TRACE, "step_size": 0.0005, "x0": np.ones(2)}
    run = long_run(methods.ordered_anytime(correct=False), **options)
    _, x = invariance.ordered_anytime_state(np.ones(2), *gradients_of(run), 0.0005, 120)
    assert np.abs(run.x - x).max() > 1e-4


def test_a15_exact_compensation_is_sequential_sgd():
    """A user's method in plain NumPy: g + H (x - y)."""
    lam, alpha = NOISY.data[1], 0.02

    def init(x0, workers, step_size):
        none = np.zeros((0, 2))
        return MethodState(none, none, np.zeros(0, dtype=np.int64), np.array([step_size, *lam]))

    def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
        x -= p[0] * invariance.compensated_gradient(G[0], np.diag(p[1:]), x, y)
        return 1, 1.0

    run = long_run(Method("oracle", init, arrive), updates=200, step_size=alpha, record=TRACE)
    b = NOISY.data[0][0]
    parent = sequential.sgd(lambda x, z: lam * (x - b[z]), np.zeros(2), run.events["example"].tolist(), alpha)
    assert run.mean_delay > 5
    np.testing.assert_allclose(run.trajectory, parent, rtol=1e-11, atol=1e-12)


PARENTS = {
    "rennala": lambda g, zs, a: sequential.mini_batch_sgd(g, np.ones(2), zs, a, 5),
    "rennala-ignore": lambda g, zs, a: sequential.mini_batch_sgd(g, np.ones(2), zs, a, 5),
    "ordered-momentum-anytime": lambda g, zs, a: sequential.anytime_sgd(g, np.ones(2), zs, a),
    "ordered-momentum-heavy-ball": lambda g, zs, a: sequential.heavy_ball(g, np.ones(2), zs, a, 0.9),
    "ordered-momentum-mu-squared": lambda g, zs, a: sequential.mu_squared_sgd(g, np.ones(2), zs, a),
    "nesterov": lambda g, zs, a: sequential.heavy_ball(g, np.ones(2), zs, a, 0.9, look_ahead=True),
}
OTHERS = {
    "rennala": methods.rennala(5),
    "rennala-ignore": methods.rennala(5, stop=False),
    "nesterov": methods.ordered_heavy_ball(0.9, early=True),
    "delay-capped": methods.delay_capped(20.0),
}


# Held to their own rules, for one worker too, in test_methods.py: their parents are no plain SGD.
RULED = {"adaptive-braking", "clipped", "dana-slim", "dana-zero", "piag-adaptive", "storm"}
RULED |= {"filtered-batches-nesterov"}


@pytest.mark.parametrize("name", sorted({*METHODS, *OTHERS} - RULED))
def test_a16_one_worker_is_the_sequential_parent_bit_for_bit(name):
    alpha = 0.0005
    run = long_run(
        OTHERS.get(name, name), m=1, updates=60, step_size=alpha, record=TRACE, x0=np.ones(2), order="rr"
    )
    b, lam = NOISY.data[0][0], NOISY.data[1]
    parent = PARENTS.get(name, lambda g, zs, a: sequential.sgd(g, np.ones(2), zs, a))
    path = parent(lambda x, z: lam * (x - b[z]), run.events["example"].tolist(), alpha)
    np.testing.assert_array_equal(run.trajectory, path)


def test_a17_applied_and_issued_prefix_sums():
    options = {"record": TRACE, "times": job_times.pareto(1.5)}
    run, longer = (long_run(updates=updates, **options) for updates in (50, 4000))
    v = np.random.default_rng(0).integers(-9, 10, size=(64, 3)).astype(float)  # exact sums
    applied = v[run.events["example"]].sum(axis=0)
    np.testing.assert_array_equal(run.drawn[0] @ v - run.in_flight[0] @ v, applied)
    # the jobs of the short run are the first 50 + 8 issued in the long one
    order = np.lexsort((longer.events["worker"], longer.events["start"]))[: 50 + 8]
    issued = longer.events["example"][order]
    arrived_by_then = np.isin(order, np.arange(50))
    in_flight = np.flatnonzero(~arrived_by_then)
    np.testing.assert_array_equal(counting.applied_prefix(v[issued], in_flight), applied)
