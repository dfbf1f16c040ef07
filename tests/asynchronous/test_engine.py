"""The engine: twin = compiled, identities, orders, job times, ends of runs, arguments."""

from dataclasses import replace

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim._kernels.jit import KERNELS, compiles
from cdgrab_sim.asynchronous import (
    METHODS,
    AsyncRecord,
    Flow,
    JobTimes,
    Method,
    ball,
    box,
    job_times,
    methods,
)
from cdgrab_sim.asynchronous._hash import uniform, worker_keys
from cdgrab_sim.asynchronous._queue import place, tournament
from tests.naive_asynchrony import arrival_order

QUADRATIC = cg.problems.quadratic(m=1, n=12, d=3, seed=1)
SHARDS = cg.problems.quadratic(m=4, n=6, d=3, heterogeneity=1.0, seed=1)
MODELS = {
    "ticks": job_times.fixed([1, 2, 2, 5]),
    "exponential": job_times.exponential(),
    "lognormal": job_times.lognormal(0.7, [1.0, 2.0, 1.0, 3.0]),
    "pareto": job_times.pareto(1.3),
    "straggler": job_times.straggler(0.2, 9.0),
    "by example": job_times.by_example([1, 2, 3] * 4),
    "trace": job_times.trace([[1, 0, 2], [1, 1, 1], [0, 0, 1], [3, 0.5, 0]], step=0.7),
    "on-off": job_times.on_off(3.0, 1.0, steps=200, base=job_times.exponential()),
    "sinusoid": job_times.sinusoid(5.0, 0.9, job_times.by_example([1, 2, 3] * 4)),
}


def twin_of(problem):
    """The same problem in plain Python."""
    home = {"quadratic": "_quadratic", "skewed": "_skewed"}[problem.name]
    grads = KERNELS[f"cdgrab_sim.problems.{home}.grads"][1]
    return cg.Problem(
        problem.name, problem.m, problem.n, problem.d, problem.data, grads, problem.value, problem.x_star
    )


def twin_method(method):
    """The same method in plain Python."""
    arrive = next(twin for function, twin in KERNELS.values() if function is method.arrive)
    return Method(method.name, method.init, arrive, method.restarts, method.second_gradient)


def run(problem=QUADRATIC, method="vanilla", workers=4, **changes):
    arguments = {"updates": 150, "step_size": 0.01, "job_times": MODELS["exponential"], "x0": np.ones(3)}
    arguments |= changes
    return cg.simulate_async(problem, method, workers=workers, **arguments)


def assert_same(a, b):
    assert (a.status, a.updates, a.time) == (b.status, b.updates, b.time)
    for name in ("x", "drawn", "applied", "dropped", "aborted", "in_flight", "weight", "busy", "delays"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    for name, column in a.events.items():
        np.testing.assert_array_equal(column, b.events[name], err_msg=name)


@pytest.mark.parametrize("name", METHODS)
def test_the_twin_has_the_bits_of_the_compiled_loop(name):
    method = methods.make(name, 4)
    for problem in (QUADRATIC, SHARDS):
        options = {"record": AsyncRecord(events=True), "order": "rr", "drain": True}
        compiled = run(problem, method, **options)
        assert_same(run(twin_of(problem), twin_method(method), **options), compiled)


@pytest.mark.parametrize("model", MODELS)
def test_the_twin_has_the_bits_for_every_model_of_times(model):
    options = {"job_times": MODELS[model], "record": AsyncRecord(events=True)}
    assert_same(run(twin_of(QUADRATIC), twin_method(methods.vanilla()), **options), run(**options))


@pytest.mark.parametrize("model", ["trace", "on-off", "sinusoid"])
def test_a_job_ends_when_its_work_is_done(model):
    """The integral of the rate over each job, step by step, is the time it takes at constant rates."""
    times, record = MODELS[model], AsyncRecord(events=True)
    events = run(job_times=times, record=record, updates=400).events
    plain = run(job_times=replace(times, rates=None), record=record, updates=400).events
    rates, step = times.rates(4), times.step
    np.testing.assert_allclose(rates.mean(axis=1), 1.0, rtol=1e-12)
    for worker in range(4):
        mine, other = events["worker"] == worker, plain["worker"] == worker
        work = (plain["time"] - plain["start"])[other][:50]
        spans = zip(events["start"][mine][:50], events["time"][mine][:50], strict=True)
        done = []
        for start, end in spans:
            steps = np.arange(int(start / step), int(end / step) + 1)
            overlap = np.minimum(end, (steps + 1) * step) - np.maximum(start, steps * step)
            done.append(rates[worker, steps % rates.shape[1]] @ overlap)
        count = min(len(done), len(work))
        assert count > 20
        np.testing.assert_allclose(done[:count], work[:count], rtol=1e-9, atol=1e-9)


def test_speeds_that_vary_keep_the_throughput():
    """Mean rates are 1: in a long time every worker does that much work, up to a cycle."""
    for model in ("trace", "sinusoid"):
        times = replace(MODELS[model], example=None)
        measured = run(job_times=times, updates=None, until=420.0)
        assert np.abs(measured.by_worker - 420).max() <= 5
    few, many = (MODELS["on-off"].rates(workers) for workers in (2, 5))
    np.testing.assert_array_equal(few, many[:2])
    assert (few > 0).mean() == pytest.approx(0.75, abs=0.2)


REGIONS = {"ball": ball(0.7, [0.3, 1.5, 0.3]), "box": box(-0.2, [0.4, 2.2, 0.7])}


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize(
    "name", ["vanilla", "rennala", "ordered-momentum-anytime", "ordered-momentum-mu-squared"]
)
def test_the_twin_has_the_bits_with_a_projection(name, region):
    method = methods.make(name, 4)
    options = {
        "record": AsyncRecord(events=True),
        "order": "rr",
        "projection": REGIONS[region],
        "step_size": 0.1,
    }
    compiled = run(QUADRATIC, method, **options)
    if method.projected is not None:
        method, options["projection"] = method.projected(REGIONS[region]), None
    assert_same(run(twin_of(QUADRATIC), twin_method(method), **options), compiled)


def nearest(region, x):
    """The projection, by its textbook formula."""
    first, second = REGIONS[region].bounds(3)
    if region == "box":
        return np.minimum(np.maximum(x, first), second)
    return first + (x - first) * min(1.0, second[0] / np.linalg.norm(x - first))


@pytest.mark.parametrize("region", REGIONS)
def test_one_worker_with_a_projection_is_projected_sgd(region):
    record = AsyncRecord(events=True, every=1, trajectory=True)
    options = {"workers": 1, "updates": 60, "step_size": 0.02, "projection": REGIONS[region]}
    options |= {"record": record}
    b, lam = QUADRATIC.data[0][0], QUADRATIC.data[1]
    plain = run(**options)
    x, inside = np.ones(3), []
    for after, z in zip(plain.trajectory[1:], plain.events["example"], strict=True):
        x = x - 0.02 * (lam * (x - b[z]))
        inside.append(np.array_equal(x, nearest(region, x)))
        x = nearest(region, x)
        np.testing.assert_allclose(after, x, rtol=1e-12, atol=1e-14)
    assert 0 < sum(inside) < 60
    averaged = run(method="ordered-momentum-anytime", **options)
    w, x, total = np.ones(3), np.ones(3), 1.0
    for k, z in enumerate(averaged.events["example"]):
        w = nearest(region, w - 0.02 * (k + 1) * (lam * (x - b[z])))
        x = (total * x + (k + 2) * w) / (total + k + 2)
        total += k + 2
        np.testing.assert_allclose(averaged.trajectory[k + 1], x, rtol=1e-12, atol=1e-14)


def test_the_loop_is_the_naive_event_loop():
    """Same ties, same arrivals, same gradients as a heap of jobs and a list of iterates."""
    ticks, updates, m = [1, 2, 2, 5], 80, 4
    record = AsyncRecord(events=True, every=1, trajectory=True)
    measured = run(job_times=MODELS["ticks"], updates=updates, record=record)
    jobs, workers, times = arrival_order(m, lambda job, worker: ticks[worker], updates)
    np.testing.assert_array_equal(measured.events["worker"], workers)
    np.testing.assert_array_equal(measured.events["time"], times)
    b, lam = QUADRATIC.data[0][0], QUADRATIC.data[1]
    x = [np.ones(3)]
    for job, z in zip(jobs, measured.events["example"], strict=True):
        read = x[max(0, job - m + 1)]
        x.append(x[-1] - 0.01 * (lam * (read - b[z])))
    np.testing.assert_array_equal(measured.trajectory, x)
    np.testing.assert_array_equal(measured.events["delay"], np.arange(updates) - np.maximum(jobs - m + 1, 0))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("model", ["ticks", "pareto"])
def test_a3_delays_and_draws_are_conserved(name, model):
    """The engine asserts it; here it is summed once more from the events, waits and aborts included."""
    measured = run(method=name, job_times=MODELS[model], record=AsyncRecord(events=True), updates=97)
    events = measured.events
    counted = np.bincount(events["example"][events["example"] >= 0], minlength=12) + measured.in_flight[0]
    np.testing.assert_array_equal(counted, measured.drawn[0])
    assert measured.applied.sum() == (events["weight"] > 0).sum() > 0
    last_read = {}
    for worker, delay, flow in zip(events["worker"], events["delay"], events["flow"], strict=True):
        counter = last_read.get("k", 0) + (flow in (Flow.ADVANCE, Flow.PAUSE))
        last_read |= {"k": counter, worker: counter}
        last_read["sum"] = last_read.get("sum", 0) + delay
    ages = sum(measured.updates - last_read.get(worker, 0) for worker in range(4))
    assert last_read["sum"] + ages == 3 * measured.updates


def test_the_books_catch_a_lost_job():
    from cdgrab_sim.asynchronous import _tally

    tally, jobs = _tally.empty(2, 1), np.array([[0, 3, 4]])
    with pytest.raises(AssertionError, match=r"example 1: 1 jobs issued, 1 of them unaccounted for"):
        _tally.assert_books_balance(tally, jobs, np.array([1, 1]), k=3)
    with pytest.raises(AssertionError, match=r"do not sum to \(m - 1\) k at k = 4"):
        _tally.assert_books_balance(tally, jobs, np.array([1, 0]), k=4)


@pytest.mark.parametrize("rows", [7, 64])
@pytest.mark.parametrize("name", ["vanilla", "ringmaster-stop", "mini-batch"])
def test_results_do_not_depend_on_the_length_of_the_log(monkeypatch, rows, name):
    from cdgrab_sim.asynchronous import _engine

    options = {"method": name, "order": "rr", "record": AsyncRecord(events=True)}
    whole = run(**options)
    monkeypatch.setattr(_engine, "ROWS_PER_CALL", rows)
    assert_same(run(**options), whole)


def test_grids_do_not_change_the_run():
    plain, gridded = run(), run(record=AsyncRecord(every=7, interval=1.3, virtual=True, grad_norm=True))
    assert_same(plain, gridded)
    assert (np.diff(gridded.at_update) >= 0).all()
    assert (np.diff(gridded.at_time) >= 0).all()
    assert set(range(0, 151, 7)) <= set(gridded.at_update.tolist())
    on_time = np.isclose(gridded.at_time % 1.3 % 1.3, 0, atol=1e-9) | np.isclose(gridded.at_time % 1.3, 1.3)
    assert on_time.sum() >= int(gridded.time / 1.3)


def test_a_table_of_times_is_walked_cyclically_from_time_and_counter_zero():
    walked = run(
        workers=1, job_times=job_times.fixed([[1.0, 3.0, 2.0]]), updates=5, record=AsyncRecord(events=True)
    )
    np.testing.assert_array_equal(walked.events["time"], [1.0, 4.0, 6.0, 7.0, 10.0])
    np.testing.assert_array_equal(walked.events["start"], [0.0, 1.0, 4.0, 6.0, 7.0])
    np.testing.assert_array_equal(walked.events["delay"], 0)
    two = run(
        workers=2,
        job_times=job_times.fixed([[1.0, 3.0], [2.0, 2.0]]),
        updates=4,
        record=AsyncRecord(events=True),
    )
    np.testing.assert_array_equal(two.events["worker"], [0, 1, 0, 1])
    np.testing.assert_array_equal(two.events["delay"], [0, 1, 1, 1])


def test_until_serves_the_arrivals_at_that_time_and_no_later():
    measured = run(job_times=MODELS["ticks"], updates=None, until=10.0, record=AsyncRecord(events=True))
    assert measured.time == 10.0
    assert measured.events["time"].max() == 10.0
    np.testing.assert_array_equal(measured.by_worker, [10, 5, 5, 2])


def test_methods_on_one_seed_see_the_same_jobs():
    """Job j of worker i: same example, same time, whatever the method did before."""
    seen = {}
    for name in ("vanilla", "delay-adaptive", "ringmaster"):
        events = run(method=name, record=AsyncRecord(events=True)).events
        for worker in range(4):
            mine = events["worker"] == worker
            jobs = np.stack([events["example"][mine], (events["time"] - events["start"])[mine]])[:, :20]
            np.testing.assert_allclose(seen.setdefault(worker, jobs), jobs, rtol=1e-9)


def test_workers_do_not_depend_on_how_many_there_are():
    few = run(workers=2, record=AsyncRecord(events=True)).events
    many = run(workers=4, record=AsyncRecord(events=True)).events
    for worker in range(2):
        a, b = (events["example"][events["worker"] == worker][:20] for events in (few, many))
        np.testing.assert_array_equal(a, b)


def test_a_queue_visits_every_example_once_per_pass():
    measured = run(order="rr", updates=120)
    assert np.ptp(measured.drawn) <= 1
    assert np.ptp(measured.applied + measured.in_flight) <= 1
    once = run(order="ig", workers=1, updates=24, record=AsyncRecord(events=True)).events["example"]
    np.testing.assert_array_equal(once, np.tile(np.arange(12), 2))
    pi = np.arange(12)[::-1]
    given = run(order=pi, workers=1, updates=12, record=AsyncRecord(events=True)).events["example"]
    np.testing.assert_array_equal(given, pi)
    shuffled = run(order="so", workers=1, updates=24, record=AsyncRecord(events=True)).events["example"]
    np.testing.assert_array_equal(shuffled[:12], shuffled[12:])


def test_shards_keep_to_their_worker():
    events = run(SHARDS, record=AsyncRecord(events=True)).events
    np.testing.assert_array_equal(events["example"] // 6, events["worker"])


def test_the_hash_is_uniform_and_independent_across_keys():
    keys = worker_keys(3, 50)
    u = np.array([[uniform(key, j) for j in range(400)] for key in keys[0]])
    assert u.min() > 0.0
    assert u.max() < 1.0
    assert abs(u.mean() - 0.5) < 4 * (1 / 12 / u.size) ** 0.5  # 4 standard deviations: 6e-5
    assert abs(np.corrcoef(u[:25].ravel(), u[25:].ravel())[0, 1]) < 4 / 100
    assert abs(np.corrcoef(u[:, :-1].ravel(), u[:, 1:].ravel())[0, 1]) < 4 / 141
    counts = np.bincount((u.ravel() * 64).astype(int), minlength=64)
    chi2 = ((counts - u.size / 64) ** 2 / (u.size / 64)).sum()
    assert 63 - 4 * 126**0.5 < chi2 < 63 + 4 * 126**0.5
    same = [
        [KERNELS["cdgrab_sim.asynchronous._hash.uniform"][1](key, j) for j in range(9)] for key in keys[1]
    ]
    assert same == [[uniform(key, j) for j in range(9)] for key in keys[1]]
    assert (
        uniform(np.uint64(0), 0) == ((0xE220A8397B1DCDAF >> 12) + 0.5) * 2.0**-52
    )  # its published first number
    largest = (((1 << 52) - 1) + 0.5) * 2.0**-52
    assert largest < 1.0


def test_the_keys_are_split_mix_of_the_place_of_each_worker():
    """SplitMix64 (Steele, Lea, Flood 2014) in Python's own integers, one worker after the other."""

    def split_mix(state):
        z = state % 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    for stream, keys in enumerate(worker_keys(7, 6)):
        seed = np.random.SeedSequence(7, spawn_key=(1000, stream)).generate_state(1, "uint64")[0]
        assert keys.tolist() == [split_mix(int(seed) + 0x9E3779B97F4A7C15 * (i + 1)) for i in range(6)]


def test_the_tournament_finds_the_first_of_the_lowest():
    rng = np.random.default_rng(0)
    for m in (1, 2, 5, 64):
        times, winners = tournament(m)
        now = np.full(m, np.inf)
        for _ in range(200):
            worker, time = int(rng.integers(m)), float(rng.integers(6)) if rng.random() < 0.9 else np.inf
            now[worker] = time
            place(times, winners, worker, time)
            assert times[1] == now.min()
            assert now.min() == np.inf or winners[1] == np.argmin(now)


@pytest.mark.parametrize("model", ["exponential", "lognormal", "straggler", "pareto"])
def test_random_factors_have_mean_one(model):
    """40,000 jobs, 4 standard errors; Pareto with tail 3, which has a variance."""
    times = {
        "exponential": (job_times.exponential(), 1.0),
        "lognormal": (job_times.lognormal(0.7), (np.exp(0.49) - 1) ** 0.5),
        "straggler": (job_times.straggler(0.2, 9.0), None),
        "pareto": (job_times.pareto(3.0), (1 / 3) ** 0.5),
    }[model]
    options = {"workers": 8, "updates": 40_000, "step_size": 1e-6, "record": AsyncRecord(events=True)}
    events = run(job_times=times[0], **options).events
    durations = events["time"] - events["start"]
    spread = times[1] or 8 * (0.2 * 0.8) ** 0.5 / 2.6
    assert abs(durations.mean() - 1.0) < 4 * spread / 200 + 8 * spread**2 / 5000  # the second: cut at T


def test_dependent_times_have_mean_one_and_a_shuffled_control():
    times = job_times.by_gradient(0.25, 15.0)
    table = times.example(QUADRATIC)
    assert table.mean() == pytest.approx(1.0)
    assert np.isclose(table, table.max()).sum() == 3
    control = job_times.shuffled(times, seed=1).example(QUADRATIC)
    np.testing.assert_array_equal(np.sort(control, axis=None), np.sort(table, axis=None))
    assert not np.array_equal(control, table)
    assert job_times.by_norm(2.0).example(QUADRATIC).mean() == pytest.approx(1.0)
    assert job_times.shuffled(job_times.fixed()).example is None


def test_by_gradient_slows_the_examples_that_pull_in_the_principal_direction():
    g = QUADRATIC.gradients(QUADRATIC.x_star)[0]
    u = np.linalg.eigh(np.cov(g.T))[1][:, -1]
    u *= np.sign(u[np.abs(u).argmax()])
    table = job_times.by_gradient(0.25, 15.0).example(QUADRATIC)[0]
    assert set(np.flatnonzero(table > 1)) == set(np.argsort(g @ u)[-3:])


@pytest.mark.parametrize(
    ("method", "weight"),
    [
        (methods.vanilla(), lambda tau: 1.0),
        (methods.delay_adaptive(), lambda tau: min(1.0, 4 / max(tau, 1))),
        (methods.delay_capped(50.0), lambda tau: 1.0 if tau <= 4 else min(1.0, 1 / (4 * 50.0 * tau) / 0.01)),
        (methods.drop_by_age(), lambda tau: float(tau <= 4)),
        (methods.drop_by_age(6, advance=False), lambda tau: float(tau <= 6)),
        (methods.ringmaster(3), lambda tau: float(tau < 3)),
        (methods.ringmaster(1), lambda tau: float(tau < 1)),
        (methods.ringmaster(3, stop=True), lambda tau: float(tau < 3)),
    ],
)
def test_weights_follow_the_delay(method, weight):
    options = {"updates": 400, "job_times": MODELS["lognormal"], "record": AsyncRecord(events=True)}
    events = run(method=method, **options).events
    arrived = events["flow"] != Flow.ABORTED
    expected = [weight(tau) for tau in events["delay"][arrived]]
    np.testing.assert_allclose(events["weight"][arrived], expected, rtol=1e-15)
    assert len(set(expected)) > 1 or method.name in ("vanilla", "ringmaster-stop")
    counts_dropped = method.name == "drop-by-age" and method.init(np.ones(3), 4, 0.1).c[2] == 1
    advances = (events["weight"] > 0) | counts_dropped
    np.testing.assert_array_equal((events["flow"] == Flow.ADVANCE)[arrived], advances[arrived])


def test_the_average_is_over_the_second_half():
    measured = run(updates=151, record=AsyncRecord(every=1, trajectory=True, average=True))
    np.testing.assert_allclose(measured.average, measured.trajectory[76:].mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize("interval", [None, 0.7, 4.0])
def test_with_a_time_alone_the_average_is_over_its_second_half(interval):
    record = AsyncRecord(every=1, interval=interval, trajectory=True, average=True)
    measured = run(updates=None, until=30.0, record=record)
    first = np.unique(measured.at_update, return_index=True)[1]  # one record of each update
    late = first[measured.at_time[first] > 15.0]
    assert 40 < len(late) < len(first) - 40
    np.testing.assert_allclose(measured.average, measured.trajectory[late].mean(axis=0), rtol=1e-12)
    plain = run(updates=None, until=30.0)
    assert_same(measured, plain)


@pytest.mark.parametrize(
    ("method", "seconds"),
    [("mini-batch", 5), *((methods.first_k(k), round_) for k, round_ in enumerate([1, 2, 2, 5], 1))],
)
def test_a_round_starts_everybody_anew(method, seconds):
    """With jobs of 1, 2, 2 and 5 seconds, a round takes as long as its slowest arrival."""
    measured = run(method=method, job_times=MODELS["ticks"], updates=7)
    assert measured.time == 7 * seconds


def test_draining_applies_every_job():
    measured = run(drain=True, updates=40)
    assert measured.in_flight.sum() == 0
    assert measured.updates == 40 + 3 + 1
    assert measured.applied.sum() == measured.drawn.sum()


def test_the_virtual_iterate_steps_for_the_jobs_in_flight():
    record = AsyncRecord(virtual=True, events=True, every=1, trajectory=True)
    measured = run(updates=30, record=record)
    later = run(updates=60, record=record)
    events, trajectory = later.events, later.trajectory
    b, lam = QUADRATIC.data[0][0], QUADRATIC.data[1]
    x, k = measured.x.copy(), np.arange(60)
    for j in range(30, 60):  # jobs that were in flight after 30 updates and arrived later
        read = k[j] - events["delay"][j]
        if read < 30 or (read == 30 and events["start"][j] <= measured.time):
            x -= 0.01 * (lam * (trajectory[read] - b[events["example"][j]]))
    np.testing.assert_allclose(measured.virtual[-1], x, rtol=1e-12)


def test_divergence_is_a_status():
    measured = run(step_size=10.0, updates=100_000)
    assert measured.status == "diverged"
    assert "smaller step size" in measured.message


def test_what_is_recorded_of_a_diverged_run_is_no_error():
    """The gradient at a point that is no number is none; found when a grid of steps went too far."""
    measured = run(step_size=1e3, updates=2000, record=AsyncRecord(every=50, grad_norm=True, virtual=True))
    assert measured.status == "diverged"
    assert np.isnan(measured.grad_norm[-1])
    assert np.isfinite(measured.grad_norm[0])


def test_a_dead_worker_does_no_harm_and_a_round_that_waits_for_it_stalls():
    dead = job_times.fixed([1.0, np.inf, 1.0, 2.0])
    assert run(job_times=dead).by_worker[1] == 0
    stalled = run(method="mini-batch", job_times=dead)
    assert (stalled.status, stalled.updates) == ("stalled", 0)
    assert "dead workers" in stalled.message
    assert run(method="mini-batch", job_times=dead, updates=None, until=5.0).status == "completed"


def test_times_below_the_resolution_of_the_clock_stall():
    table = np.array([[1e20, 1.0]] * 4)
    measured = run(job_times=job_times.fixed(table))
    assert measured.status == "stalled"
    assert "resolution" in measured.message


@pytest.mark.parametrize("flow", [Flow.STAY, Flow.WAIT])
def test_a_method_that_never_advances_ends(flow):
    def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
        return flow, 0.0

    measured = run(method=Method("idle", methods.vanilla().init, arrive), patience=500)
    assert measured.status == ("livelock" if flow == Flow.STAY else "stalled")
    assert measured.updates == 0


@pytest.mark.parametrize("abort", ["fresh", "again"])
def test_what_a_worker_computes_after_an_abort(abort):
    times = job_times.two_classes(np.arange(12) == 0, 100.0, mean=None)
    method, record = methods.ringmaster(4, stop=True), AsyncRecord(events=True)
    events = run(method=method, job_times=times, updates=2000, abort=abort, record=record).events
    kept = []
    for worker in range(4):
        mine = events["worker"] == worker
        example, aborted = events["example"][mine], events["flow"][mine] == Flow.ABORTED
        kept.extend(example[1:][aborted[:-1]] == example[:-1][aborted[:-1]])
    assert len(kept) > 20
    assert np.mean(kept) == 1.0 if abort == "again" else np.mean(kept) < 0.5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"updates": None}, "updates, until: expected at least one"),
        ({"workers": 0}, "workers: expected a whole number >= 1; got 0"),
        ({"job_times": [1.0, np.nan, 1.0, 1.0]}, r"job times by worker\[1\]: expected a time > 0 .* got nan"),
        ({"job_times": [1.0, -2.0, 1.0, 1.0]}, r"job times by worker\[1\]: .* got -2.0"),
        ({"job_times": 0.0}, r"expected a time > 0 .* got 0.0"),
        ({"job_times": [1.0, 2.0]}, r"expected one or \(workers,\) = \(4,\)"),
        ({"job_times": np.inf}, "expected a worker that works"),
        ({"job_times": JobTimes("bad", example=lambda problem: -np.ones(12))}, "job times by example"),
        ({"job_times": JobTimes("bad", example=lambda problem: np.ones(5))}, r"expected shape \(n,\) = "),
        ({"method": "vanila"}, "unknown method 'vanila'; did you mean 'vanilla'"),
        ({"method": methods.first_k(5)}, "expected at most as many arrivals as workers, 4; got 5"),
        ({"order": "grab"}, "unknown order 'grab'"),
        ({"order": [0] * 12}, "expected a permutation"),
        ({"abort": "never"}, "unknown abort"),
        ({"until": -1.0}, "until: expected a finite number > 0"),
        ({"step_size": 0.0}, "step_size: expected a finite number > 0"),
        ({"job_times": job_times.trace([[1.0]] * 3)}, r"\(workers, K\) with 4 workers; got 3 rows"),
        ({"projection": box(0.0, [1.0, 1.0])}, r"box: expected numbers or shape \(d,\) = \(3,\)"),
        ({"problem": SHARDS, "workers": 3}, "expected 4, one for each shard"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_before_any_work(changes, message):
    with pytest.raises(ValueError, match=message):
        run(**changes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: job_times.pareto(1.0), "tail: expected a finite number > 1"),
        (lambda: job_times.straggler(1.5, 2.0), r"probability: expected a number in \[0, 1\]"),
        (lambda: methods.ordered_heavy_ball(1.0), r"momentum: expected a number in \[0, 1\); got 1.0"),
        (lambda: methods.ringmaster(0), "threshold: expected a whole number >= 1"),
        (lambda: job_times.trace([[1.0, 2.0], [0.0, 0.0]]), "expected numbers >= 0, not all 0"),
        (lambda: job_times.sinusoid(1.0, 1.5), r"depth: expected a number in \[0, 1\]; got 1.5"),
        (lambda: job_times.on_off(1.0, 1e6, steps=4).rates(3), "is off for all 4; raise steps"),
        (lambda: box(1.0, 0.0), "expected low <= high"),
        (lambda: ball(-1.0), "radius: expected a finite number > 0"),
        (lambda: AsyncRecord(every=0), "every: expected a whole number >= 1"),
        (lambda: AsyncRecord(interval=0.0), "interval: expected a finite number > 0"),
    ],
)
def test_wrong_models_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.compiled
def test_a_jitted_method_that_allocates_runs_compiled():
    import numba

    @numba.njit
    def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
        step = p[0] * G[0]
        x -= step
        return 1, 1.0

    assert compiles()
    assert_same(run(method=Method("allocating", methods.vanilla().init, arrive)), run())
