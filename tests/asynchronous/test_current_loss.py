"""Job times that follow the current loss: a naive event loop, mean 1, drift, the control, wrong arguments."""

from dataclasses import replace

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim._kernels.jit import KERNELS
from cdgrab_sim.asynchronous import METHODS, AsyncRecord, Method, job_times, methods
from cdgrab_sim.asynchronous._hash import control
from theory.asynchrony import effective_laws

QUADRATIC = cg.problems.quadratic(m=1, n=12, d=3, seed=1)
SHARDS = cg.problems.quadratic(m=4, n=6, d=3, heterogeneity=1.0, seed=1)
ROWS = cg.problems.least_squares(m=1, n=12, d=3, seed=1)
TRACE = AsyncRecord(every=1, trajectory=True, events=True, loss=False)


def run(problem=QUADRATIC, method="vanilla", times=None, workers=4, **changes):
    arguments = {"updates": 120, "step_size": 0.02, "x0": np.ones(3), "record": TRACE} | changes
    times = job_times.by_loss() if times is None else times
    return cg.simulate_async(problem, method, workers=workers, job_times=times, **arguments)


def half_square(problem, x, z):
    """The loss of an example, from the definition of the problem."""
    if problem.name == "quadratic":
        return 0.5 * np.sum(problem.data[1] * (x - problem.data[0].reshape(-1, 3)[z]) ** 2)
    return 0.5 * (problem.data[0][z] @ x - problem.data[1][z]) ** 2


@pytest.mark.parametrize("problem", [QUADRATIC, ROWS], ids=["quadratic", "least-squares"])
def test_the_loop_is_the_naive_event_loop(problem):
    """A heap of jobs, each as long as the loss of its example where it read; examples in their order."""
    power, floor, ticks = 1.5, 0.2, [1, 2, 2, 5]
    times = job_times.by_loss(power, job_times.fixed(ticks), floor=floor)
    measured = run(problem, times=times, order="ig")
    scale = np.mean([half_square(problem, problem.x_star, z) ** power for z in range(12)])

    def gradient(x, z):
        if problem.name == "quadratic":
            return problem.data[1] * (x - problem.data[0][0, z])
        return (problem.data[0][z] @ x - problem.data[1][z]) * problem.data[0][z]

    def job(worker, now, x, number):
        z = number % 12
        effort = floor + (1 - floor) * half_square(problem, x, z) ** power / scale
        return now + ticks[worker] * effort, worker, z, x

    x, arrivals = np.ones(3), []
    heap = [job(worker, 0.0, x, worker) for worker in range(4)]
    for k in range(120):
        arrival = min(heap, key=lambda row: row[:2])
        heap = [row for row in heap if row is not arrival]
        now, worker, z, read = arrival
        arrivals.append((now, worker, z))
        x = x - 0.02 * gradient(read, z)
        heap.append(job(worker, now, x, 4 + k))
    for name, column in zip(("time", "worker", "example"), zip(*arrivals, strict=True), strict=True):
        np.testing.assert_allclose(measured.events[name], column, rtol=1e-9)
    np.testing.assert_allclose(measured.x, x, rtol=1e-9)
    assert np.ptp(measured.events["time"] - measured.events["start"]) > 2.0


def twin_loss(x, i, j, data):
    return KERNELS["cdgrab_sim.problems._quadratic.loss"][1](x, i, j, data)


@pytest.mark.parametrize("name", ["vanilla", "first-k", "ringmaster-stop"])
def test_the_twin_has_the_bits_of_the_compiled_loop(name):
    """A loss in plain Python runs the loop as Python; aborts, waits, queues and shards included."""
    assert name in METHODS
    for problem in (QUADRATIC, SHARDS):
        plain, compiled = (
            run(
                problem,
                name,
                job_times.shuffled(job_times.by_loss(0.7, job_times.exponential(), loss=loss), seed=4),
                order="rr",
                drain=True,
            )
            for loss in (twin_loss, None)
        )
        assert plain.time == compiled.time
        for column in plain.events:
            np.testing.assert_array_equal(plain.events[column], compiled.events[column], err_msg=column)
        np.testing.assert_array_equal(plain.trajectory, compiled.trajectory)


@pytest.mark.parametrize(
    "problem",
    [
        cg.problems.quadratic(m=2, n=5, d=3, heterogeneity=1.0),
        cg.problems.least_squares(m=2, n=5, d=3),
        cg.problems.logistic(m=2, n=5, d=3, ridge=0.1),
    ],
    ids=lambda problem: problem.name,
)
def test_the_losses_of_the_examples_have_the_mean_f(problem):
    x = np.array([0.3, -1.0, 2.0])
    each = problem.values(x)
    assert each.mean() == pytest.approx(problem.value(x, problem.data), rel=1e-13)
    assert np.ptp(each) > 0.1


def durations(times, **changes):
    events = run(times=times, workers=8, updates=4000, step_size=1e-15, **changes).events
    return events["example"], events["time"] - events["start"]


def test_the_mean_is_one_at_the_point_of_reference_and_moves_with_x():
    """Where x stands still, every example has one time: that of its loss there."""
    for at in (None, [2.0, 0.0, -1.0]):
        point = QUADRATIC.x_star if at is None else np.array(at)
        examples, took = durations(job_times.by_loss(2.0, at=at), x0=point)
        table = np.full(12, np.nan)
        table[examples] = took
        assert table.mean() == pytest.approx(1.0, abs=1e-9)
        np.testing.assert_allclose(took, table[examples], rtol=1e-6)
        assert table.min() >= 0.1
    far = durations(job_times.by_loss(), x0=QUADRATIC.x_star + 3.0)[1]
    assert far.mean() > 2.0


def test_every_shard_has_its_own_losses():
    record = AsyncRecord(events=True, loss=False)
    events = run(SHARDS, step_size=1e-15, x0=SHARDS.x_star, updates=400, record=record).events
    losses = np.array([half_square(SHARDS, SHARDS.x_star, z) for z in range(24)])
    expected = 0.1 + 0.9 * losses[events["example"]] / losses.mean()
    np.testing.assert_allclose(events["time"] - events["start"], expected, rtol=1e-9)


def test_the_control_has_the_times_of_other_examples():
    """The same multiset of times, given to the examples by the permutation of the seed."""
    tables = []
    for times in (job_times.by_loss(), job_times.shuffled(job_times.by_loss(), seed=3)):
        examples, took = durations(times, x0=QUADRATIC.x_star)
        tables.append(np.full(12, np.nan))
        tables[-1][examples] = took
    own, others = tables
    np.testing.assert_allclose(others, own[control(3).permutation(12)], rtol=1e-6)
    assert np.abs(others - own).max() > 0.1
    both = job_times.shuffled(job_times.by_loss(base=job_times.by_example(np.arange(1, 13))), seed=3)
    assert both.name == "by loss, by example, shuffled"
    assert both.example(QUADRATIC).tolist() != [list(range(1, 13))]


@pytest.mark.compiled
def test_a_rule_that_drops_by_age_loses_what_is_hard_and_the_control_does_not():
    """Where x stands still, hard examples are slow: the flow identity of 4.4 says they vanish."""
    shares = []
    for times in (job_times.by_loss(2.0), job_times.shuffled(job_times.by_loss(2.0), seed=1)):
        many = run(
            method="drop-by-age", times=times, workers=64, updates=40_000, step_size=1e-9,
            x0=QUADRATIC.x_star, record=None,
        )  # fmt: skip
        losses = [half_square(QUADRATIC, QUADRATIC.x_star, z) for z in range(12)]
        hard = np.array(losses) ** 2 > 2.0 * np.mean(np.array(losses) ** 2)
        shares.append(many.law[0, hard].sum() / hard.mean())
    assert 0 < hard.sum() < 6
    assert shares[0] < 0.05
    assert shares[1] > 0.5


@pytest.mark.compiled
def test_the_law_of_delay_adaptive_steps_follows_the_losses():
    """Where x stands still, the times are a table: the limit of many workers, up to O(1 / sqrt(m))."""
    times = job_times.by_loss(2.0)
    many = run(
        method="delay-adaptive", times=times, workers=96, updates=200_000, step_size=1e-15,
        x0=QUADRATIC.x_star, record=None,
    )  # fmt: skip
    table = many.busy[0] / (many.applied[0] + many.dropped[0])
    predicted = effective_laws.delay_adaptive(np.full(12, 1 / 12), table)
    assert np.ptp(predicted) > 0.05
    np.testing.assert_allclose(many.law[0], predicted, atol=0.004)


@pytest.mark.parametrize("loss", [None, twin_loss], ids=["compiled", "plain"])
def test_a_run_that_diverges_says_so(loss):
    stalled = run(step_size=5.0, times=job_times.by_loss(3.0, loss=loss), updates=100_000, record=None)
    assert stalled.status == "stalled"
    assert "try a smaller step size" in stalled.message


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: job_times.by_loss(0.0), ValueError, "power: expected a finite number > 0; got 0.0"),
        (
            lambda: job_times.by_loss(floor=0.0),
            ValueError,
            r"floor: expected a number in \(0, 1\]; got 0.0; raise it",
        ),
        (lambda: job_times.by_loss(floor=1.5), ValueError, r"floor: expected a number in \(0, 1\]; got 1.5"),
        (lambda: job_times.by_loss(loss=3.0), TypeError, r"expected a function loss\(x, i, j, data\); got 3"),
        (lambda: job_times.by_loss(base="slow"), TypeError, "base: expected a JobTimes, .* got 'slow'"),
        (lambda: run(times=job_times.by_loss(at=[1.0])), ValueError, r"at: expected shape \(d,\) = \(3,\)"),
        (
            lambda: run(replace(QUADRATIC, loss=None), times=job_times.by_loss()),
            ValueError,
            r"by_loss: .* got 'quadratic' without one; give loss\(x, i, j, data\)",
        ),
        (
            lambda: run(cg.problems.mlp(m=1, n=4), times=job_times.by_loss(), x0=None),
            ValueError,
            "by_loss: expected a point `at`, since 'mlp' has no x_star; give it",
        ),
        (
            lambda: run(times=job_times.by_loss(loss=lambda x, i, j, data: j - 1.0)),
            ValueError,
            "loss of example 0 of worker 0: expected a finite number >= 0; got -1.0",
        ),
        (
            lambda: run(times=job_times.by_loss(loss=lambda x, i, j, data: None)),
            TypeError,
            "loss of example 0 of worker 0: expected a finite number >= 0; got None",
        ),
        (
            lambda: run(times=job_times.by_loss(loss=lambda x, i, j, data: 0.0)),
            ValueError,
            "expected losses whose power 1 has a mean > 0; got 0.0 .* choose another `at`",
        ),
    ],
)
def test_wrong_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_loss_of_ones_own_follows_ones_own_loss():
    """Example j takes j + 1 units over their mean, 6.5, whatever x; the user's method is plain Python too."""

    def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
        x -= p[0] * G[0]
        return 1, 1.0

    mine = Method("mine", methods.vanilla().init, arrive)
    times = job_times.by_loss(floor=1e-9, loss=lambda x, i, j, data: j + 1.0)
    events = run(method=mine, times=times).events
    np.testing.assert_allclose(events["time"] - events["start"], (events["example"] + 1) / 6.5, rtol=1e-7)
