"""Whatever a user gives, a run ends: with a clear error, or with a status that says what happened."""

from fractions import Fraction

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim.asynchronous import (
    AsyncRecord,
    Flow,
    JobTimes,
    Method,
    MethodState,
    job_times,
    methods,
)

QUADRATIC = cg.problems.quadratic(m=1, n=12, d=3, seed=1)
INIT = methods.vanilla().init


def run(problem=QUADRATIC, method="vanilla", workers=4, **changes):
    arguments = {"updates": 150, "step_size": 0.01, "job_times": job_times.exponential()} | changes
    return cg.simulate_async(problem, method, workers=workers, **arguments)


def test_gradients_that_are_returned_and_not_written_are_refused():
    def returned(out, x, who, idx, data):
        return x - 1.0

    problem = cg.Problem("mine", m=1, n=2, d=1, data=(), grads=returned, value=lambda x, data: 0.0)
    with pytest.raises(ValueError, match=r"out\[0, 0\] left as it was"):
        run(problem)


def answering(*answer):
    """A user's method that returns `answer`, or its only part."""
    return Method("mine", INIT, lambda *state: answer if len(answer) > 1 else answer[0])


@pytest.mark.parametrize(
    ("method", "error", "message"),
    [
        (answering(None), TypeError, r"arrive: expected a pair \(flow, weight\) of numbers; got None"),
        (answering(1), TypeError, "expected a pair .* got 1"),
        (answering(1, "all"), TypeError, r"expected a pair .* got \(1, 'all'\)"),
        (answering(7, 1.0), ValueError, "expected a flow 0, 1, 2 or 3 .* got flow 7.0 and weight 1.0"),
        (answering(1.5, 1.0), ValueError, "got flow 1.5"),
        (answering(Flow.ABORTED, 1.0), ValueError, "got flow 4.0"),
        (answering(Flow.RELEASED, 1.0), ValueError, "got flow 5.0"),
        (answering(1, np.nan), ValueError, "a finite weight >= 0; got flow 1.0 and weight nan"),
        (answering(1, -1.0), ValueError, "weight -1.0"),
        (answering(1, np.inf), ValueError, "weight inf"),
    ],
)
def test_what_a_method_must_not_return_is_refused_by_name(method, error, message):
    with pytest.raises(error, match=message) as caught:
        run(method=method)
    assert caught.value.__notes__ == ["method 'mine', at update 0"]


def test_a_restart_without_the_flag_is_refused():
    def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
        restart[:] = True
        return 1, 1.0

    with pytest.raises(ValueError, match="make it with restarts=True"):
        run(method=Method("mine", INIT, arrive))
    assert run(method=Method("mine", INIT, arrive, restarts=True)).aborted.sum() == 150 * 3


@pytest.mark.compiled
@pytest.mark.parametrize(("flow", "weight"), [(7, 1.0), (-1, 1.0), (4, 1.0), (1, -1.0), (1, np.nan)])
def test_a_compiled_method_is_refused_as_well(flow, weight):
    import numba

    @numba.njit
    def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
        return (flow, weight) if k == 5 else (1, 1.0)

    with pytest.raises(ValueError, match=f"got flow {flow} and weight {weight}") as caught:
        run(method=Method("mine", INIT, arrive))
    assert caught.value.__notes__ == ["method 'mine', at update 5"]


def test_an_error_of_a_method_says_when_it_came():
    def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
        return (1, 1.0) if k < 3 else (1, 1.0 / 0)

    with pytest.raises(ZeroDivisionError) as caught:
        run(method=Method("mine", INIT, arrive))
    assert caught.value.__notes__ == ["method 'mine', at update 3"]


def test_a_method_that_returns_nan_diverges():
    for flow in (Flow.ADVANCE, Flow.STAY):

        def arrive(x, *state, flow=flow):
            x[:] = np.nan
            return flow, 1.0

        assert run(method=Method("mine", INIT, arrive)).status == "diverged"


NONE, NUMBERS, STEP = np.zeros((0, 3)), np.zeros(0, dtype=np.int64), np.array([0.1])


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (None, TypeError, "init of 'mine': expected a MethodState; got None"),
        ((NONE, NONE, NUMBERS, STEP), TypeError, "expected a MethodState"),
        (
            MethodState(1, NONE, NUMBERS, STEP),
            TypeError,
            "S: expected a C-ordered array with 2 axes of float64",
        ),
        (MethodState(NONE, NONE, STEP, STEP), TypeError, r"c: .* of int64; got float64 \(1,\)"),
        (MethodState(NONE, NONE, NUMBERS, NUMBERS + 1), TypeError, r"p: .* of float64; got int64 \(0,\)"),
        (MethodState(NONE, NONE.T, NUMBERS, STEP[:0]), ValueError, "p: expected the step size first"),
        (MethodState(NONE, NONE, NUMBERS, STEP), ValueError, r"at least \(4, 3\), .* got \(0, 3\)"),
    ],
)
def test_a_state_that_kernels_cannot_read_is_refused(made, error, message):
    method = Method("mine", lambda x0, workers, step_size: made, lambda *a: (1, 1.0), second_gradient=True)
    with pytest.raises(error, match=message):
        run(method=method)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"job_times": "exponential"}, TypeError, "expected numbers > 0; got 'exponential'"),
        ({"job_times": None}, TypeError, "expected numbers > 0; got None; see job_times"),
        ({"job_times": 1j}, TypeError, "got 1j"),
        ({"job_times": []}, TypeError, r"got \[\]"),
        ({"job_times": np.ones((4, 2, 2))}, ValueError, r"a table \(workers, K\); got shape \(4, 2, 2\)"),
        ({"job_times": JobTimes("bad", example=lambda p: "abc")}, TypeError, "by example: .* got 'abc'"),
        ({"job_times": job_times.by_example([np.inf] * 12)}, ValueError, "all of them are infinite"),
        ({"job_times": JobTimes("bad", rates=lambda w: np.ones(3))}, ValueError, r"2 axes; got shape \(3,\)"),
        ({"job_times": JobTimes("bad", rates=lambda w: np.ones((5, 3)))}, ValueError, r"\(4, K\) .* \(5, 3"),
        ({"job_times": JobTimes("bad", rates=lambda w: np.zeros((w, 3)))}, ValueError, "not all 0"),
        ({"job_times": JobTimes("bad", rates=lambda w: np.full((4, 3), np.nan))}, ValueError, r"rates\[0"),
        ({"method": None}, TypeError, "method: expected a Method or a name; got None"),
        ({"method": methods.vanilla}, TypeError, r"call its factory, as in methods.vanilla\(\)"),
        ({"record": {"loss": True}}, TypeError, r"expected cg.asynchronous.AsyncRecord\(...\); got {"),
        ({"projection": "ball"}, TypeError, r"projection: expected cg.asynchronous.ball\(...\) or box"),
        ({"updates": 0}, ValueError, "updates: expected a whole number >= 1; got 0"),
        ({"updates": None, "until": np.inf}, ValueError, "until: expected a finite number > 0; got inf"),
        ({"step_size": np.nan}, ValueError, "step_size: expected a finite number > 0; got nan"),
        ({"step_size": -1.0}, ValueError, "step_size: expected a finite number > 0; got -1.0"),
        ({"record": AsyncRecord(interval=1e-300)}, ValueError, "at most 1,000,000 records; got an"),
        ({"record": AsyncRecord(interval=1e-9), "until": 1e3}, ValueError, "at most 1,000,000 records"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_by_name(changes, error, message):
    with pytest.raises(error, match=message):
        run(**changes)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: JobTimes("bad", law=(17.0, 0.0, 0.0)), ValueError, r"law: expected \(kind, a, b\)"),
        (lambda: JobTimes("bad", law=(2.0, np.nan, 0.0)), ValueError, r"law\[1\]: expected finite numbers"),
        (lambda: JobTimes("bad", step=0.0), ValueError, "step: expected a finite number > 0; got 0.0"),
        (lambda: JobTimes("bad", example=np.ones(3)), TypeError, "example: expected a function; got array"),
        (lambda: job_times.by_gradient(2.0, 5.0), ValueError, r"expected a number in \[0, 1\]; got 2.0"),
        (lambda: job_times.by_gradient(0.2, -5.0), ValueError, "ratio: expected a finite number > 0; got -5"),
        (lambda: job_times.two_classes([True], 2.0, mean=0.0), ValueError, "mean: expected a finite"),
        (lambda: job_times.shuffled(1.0), TypeError, "times: expected a JobTimes; got 1.0"),
        (lambda: job_times.shuffled(job_times.fixed(), seed=-1), ValueError, "seed: .* got -1"),
        (lambda: job_times.by_example([1.0], "exp"), TypeError, r"such as exponential\(\); got 'exp'"),
    ],
)  # fmt: skip
def test_wrong_models_are_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_workers_that_all_die_end_the_run():
    """Each does one job; the table says that its second never ends."""
    dying = np.array([[1.0, np.inf], [2.0, np.inf], [2.0, np.inf], [3.0, np.inf]])
    dead = run(job_times=dying)
    assert (dead.status, dead.updates, dead.time) == ("stalled", 4, 3.0)
    assert "mend the dead workers" in dead.message
    watched = run(job_times=dying, updates=None, until=9.0)
    assert (watched.status, watched.updates, watched.time) == ("completed", 4, 9.0)


@pytest.mark.parametrize("interval", [0.25, 1.0])
def test_a_grid_of_times_does_not_outlive_the_last_arrival(interval):
    record = AsyncRecord(interval=interval)
    stalled = run(method="mini-batch", job_times=[1.0, np.inf, 1.0, 1.0], record=record)
    assert (stalled.status, stalled.updates, stalled.time) == ("stalled", 0, 1.0)
    until = run(
        method="mini-batch", job_times=[1.0, np.inf, 1.0, 1.0], record=record, updates=None, until=5.0
    )
    assert (until.status, until.time, len(until.at_time)) == ("completed", 5.0, 1 + 5 / interval)


def test_workers_that_all_wait_are_no_dead_workers():
    waiting = run(method=answering(Flow.WAIT, 0.0))
    assert (waiting.status, waiting.updates) == ("stalled", 0)
    assert "all workers wait" in waiting.message


@pytest.mark.parametrize("method", [methods.rennala(10**9), answering(Flow.STAY, 0.0)], ids=["batch", "user"])
def test_a_counter_that_never_moves_is_a_livelock(method):
    stuck = run(method=method, patience=300)
    assert (stuck.status, stuck.updates) == ("livelock", 0)
    assert stuck.applied.sum() + stuck.dropped.sum() == 300


def test_times_too_large_for_the_clock_end_the_run():
    overflow = run(job_times=1e308)
    assert (overflow.status, overflow.updates) == ("stalled", 4)
    mixed = run(job_times=np.array([[2.0**53, 1.0]] * 4))
    assert (mixed.status, mixed.updates) == ("stalled", 1)
    exact = run(job_times=[2.0**53, 1.0, 1.0, 1.0], updates=None, until=1e4)
    assert exact.by_worker.tolist() == [0, 10_000, 10_000, 10_000]


def test_stays_far_longer_than_the_trace_take_no_memory():
    on = job_times.on_off(1e12, 1.0, steps=64)
    np.testing.assert_array_equal(on.rates(3), 1.0)


def test_a_run_that_ends_before_the_first_arrival_has_no_law():
    """NaN, without a warning: nothing was applied, delayed or averaged."""
    early = run(job_times=1.0, updates=100, until=1e-9, record=AsyncRecord(average=True, events=True))
    assert (early.status, early.updates, early.time) == ("completed", 0, 1e-9)
    for value in (early.law, early.in_flight_law, early.mean_delay, early.average):
        assert np.isnan(value).all()
    assert early.drawn.sum() == early.in_flight.sum() == 4
    assert len(early.events["worker"]) == 0


@pytest.mark.parametrize(
    ("interval", "until"), [(0.3, 0.9), (0.1, 0.7), (0.7, 2.1), (1 / 3, 5 / 3), (1e-9, 6e-9)]
)
def test_a_grid_of_times_meets_the_end_once(interval, until):
    times = run(updates=None, until=until, record=AsyncRecord(interval=interval)).at_time
    count = round(until / interval)
    np.testing.assert_array_equal(times[:-1], [k * interval for k in range(count)])
    assert times[-1] == until


@pytest.mark.parametrize(
    "changes",
    [
        {"updates": np.int64(20), "seed": np.int32(3), "workers": np.int16(4), "patience": np.int64(500)},
        {"updates": None, "until": np.float32(3.0), "step_size": np.float16(0.01), "drain": np.True_},
        {"record": AsyncRecord(every=np.uint8(100), loss=np.True_), "updates": np.uint16(1_000)},
        {"record": AsyncRecord(interval=Fraction(1, 3)), "until": Fraction(7, 2)},
    ],
)
def test_numbers_of_numpy_are_numbers_and_the_run_can_be_saved(changes, tmp_path):
    done = run(**changes)
    done.save(tmp_path / "run.npz")
    assert cg.load(tmp_path / "run.npz").meta == done.meta


@pytest.mark.parametrize("name", ["patience", "updates"])
def test_counts_beyond_the_machine_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}: expected a whole number below 2"):
        run(**{name: 2**63})
