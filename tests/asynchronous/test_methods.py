"""Methods step by step against their rules, in plain NumPy, and what each is for."""

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim.asynchronous import METHODS, AsyncRecord, Flow, job_times, methods
from tests.asynchronous.test_engine import twin_of

TRACE = AsyncRecord(every=1, trajectory=True, events=True, loss=False)
NOISY = twin_of(cg.problems.quadratic(m=1, n=64, d=3, seed=3))  # plain Python: nothing to compile
SHARDS = cg.problems.quadratic(m=4, n=6, d=3, heterogeneity=1.0, seed=1)
ALPHA, M = 0.03, 4


def run(method, problem=NOISY, workers=M, **changes):
    options = {"updates": 150, "step_size": ALPHA, "record": TRACE, "x0": np.ones(problem.d)}
    options |= {"job_times": job_times.exponential(), "seed": 5}
    return cg.simulate_async(problem, method, workers=workers, **(options | changes))


def gradient(problem, example, x):
    i, j = divmod(int(example), problem.n)
    return problem.data.eigenvalues * (x - problem.data.b[i, j])


class Arrival:
    """What a rule is told: the server's x, the worker's y and g, and g where the worker read before."""

    def __init__(self, x, y, g, before, worker, k_r, k):
        self.x, self.y, self.g, self.before = x, y, g, before
        self.worker, self.k_r, self.k = worker, k_r, k


def arrivals(measured, problem=NOISY):
    """Every gradient that arrived, with the points of the recorded trajectory, and the x that followed."""
    x, events, k, last = measured.trajectory, measured.events, 0, {}
    columns = (events[name] for name in ("worker", "example", "flow", "delay"))
    for worker, example, flow, delay in zip(*columns, strict=True):
        if flow in (Flow.ABORTED, Flow.RELEASED):
            continue
        k_r = k - delay
        before = gradient(problem, example, last.get(worker, np.ones(problem.d)))
        a = Arrival(x[k], x[k_r], gradient(problem, example, x[k_r]), before, worker, k_r, k)
        last[worker] = x[k_r]
        k += flow in (Flow.ADVANCE, Flow.PAUSE)
        yield a, x[k]


def picky(r):
    return lambda a: a.x - ALPHA * a.g if np.linalg.norm(a.x - a.y) <= r else a.x


def clipped(C):
    return lambda a: a.x - ALPHA * min(1.0, C / np.linalg.norm(a.g)) * a.g


def dc_asgd(lam):
    return lambda a: a.x - ALPHA * (a.g + lam * a.g * a.g * (a.x - a.y))


def dc_asgd_adaptive(lam):
    square = np.zeros(3)

    def rule(a):
        square[:] = 0.95 * square + 0.05 * a.g**2
        return a.x - ALPHA * (a.g + lam / np.sqrt(square + 1e-7) * a.g**2 * (a.x - a.y))

    return rule


def gap_aware():
    steps = []

    def rule(a):
        mean = np.mean(steps, axis=0) if steps else np.full(3, np.inf)
        step = ALPHA * a.g / (1.0 + np.abs(a.x - a.y) / mean)
        steps.append(np.abs(step))
        return a.x - step

    return rule


def dana(beta):
    theta, v = np.ones(3), np.zeros((M, 3))

    def rule(a):
        v[a.worker] = beta * v[a.worker] + a.g
        theta[:] = theta - ALPHA * v[a.worker]
        return theta - ALPHA * beta * v.sum(axis=0)

    return rule


def braking(beta, rho):
    v = np.zeros(3)

    def rule(a):
        norms = np.linalg.norm(a.g) * np.linalg.norm(v)
        v[:] = beta * v + (1.0 - rho * (a.g @ v / norms if norms else 0.0)) * a.g
        return a.x - ALPHA * v

    return rule


def storm(weight):
    d = {}

    def rule(a):
        old = d.get(a.worker)
        d[a.worker] = a.g if old is None else a.g + (1.0 - weight) * (old - a.before)
        return a.x - ALPHA * np.mean(list(d.values()), axis=0)

    return rule


def table():
    G = {}

    def rule(a):
        G[a.worker] = a.g
        return a.x - ALPHA * np.mean(list(G.values()), axis=0)

    return rule


def table_adaptive(share):
    """The published recursion, with the steps of all updates in a list."""
    G, reads, gamma = {}, {}, []

    def rule(a):
        G[a.worker], reads[a.worker] = a.g, a.k_r
        gamma.append(share * max(0.0, ALPHA - sum(gamma[min(reads.values()) :])))
        return a.x - gamma[-1] * np.mean(list(G.values()), axis=0)

    return rule


def rescaled(times):
    mean_rate = np.mean(1.0 / np.array(times))
    return lambda a: a.x - ALPHA * times[a.worker] * mean_rate * a.g


def rescaled_by_counts():
    counts = np.zeros(M)

    def rule(a):
        counts[a.worker] += 1
        return a.x - ALPHA * (a.k + 1) / (M * counts[a.worker]) * a.g

    return rule


def batches(size, beta, ahead, fresh):
    batch, v = [], np.zeros(3)

    def rule(a):
        if fresh and a.k_r < a.k:
            return a.x
        batch.append(a.g)
        if len(batch) < size:
            return a.x
        mean = np.mean(batch, axis=0)
        batch.clear()
        v[:] = beta * v + mean
        return a.x - ALPHA * (mean + beta * v if ahead else v)

    return rule


def malenia(size):
    seen = {}

    def rule(a):
        if a.k_r < a.k:
            return a.x
        seen.setdefault(a.worker, []).append(a.g)
        if len(seen) < M or M / sum(1 / len(g) for g in seen.values()) < size / M - 1e-12:
            return a.x
        mean = np.mean([np.mean(g, axis=0) for g in seen.values()], axis=0)
        seen.clear()
        return a.x - ALPHA * mean

    return rule


def ringleader():
    now, later, done = {}, {}, set()

    def rule(a):
        if a.worker in done:
            later.setdefault(a.worker, []).append(a.g)
            return a.x
        now.setdefault(a.worker, []).append(a.g)
        if len(now) < M:
            return a.x
        x = a.x - ALPHA * np.mean([np.mean(g, axis=0) for g in now.values()], axis=0)
        done.add(a.worker)
        if len(done) == M:
            now.clear()
            now.update(later)
            later.clear()
            done.clear()
        return x

    return rule


TIMES = [1.0, 2.0, 2.0, 5.0]
RULES = {
    "picky": (methods.picky(0.05), lambda: picky(0.05)),
    "clipped": (methods.clipped(0.7), lambda: clipped(0.7)),
    "dc-asgd": (methods.delay_compensated(1e-3), lambda: dc_asgd(1e-3)),
    "dc-asgd-adaptive": (methods.delay_compensated(0.02, adaptive=True), lambda: dc_asgd_adaptive(0.02)),
    "gap-aware": (methods.gap_aware(), gap_aware),
    "dana-zero": (methods.dana(0.7), lambda: dana(0.7)),
    "dana-slim": (methods.dana(0.7, slim_server=True), lambda: dana(0.7)),
    "adaptive-braking": (methods.adaptive_braking(0.7, rho=0.4), lambda: braking(0.7, 0.4)),
    "storm": (methods.storm(0.2), lambda: storm(0.2)),
    "gradient-table": (methods.gradient_table(), table),
    "piag-adaptive": (methods.delay_adaptive_table(0.6), lambda: table_adaptive(0.6)),
    "rescaled": (methods.rescaled(TIMES), lambda: rescaled(TIMES)),
    "rescaled by counts": (methods.rescaled(), rescaled_by_counts),
    "filtered-batches-nesterov": (methods.filtered_batches(3), lambda: batches(3, 0.9, True, True)),
    "filtered-batches-heavy-ball": (
        methods.filtered_batches(3, inner="heavy-ball", momentum=0.6),
        lambda: batches(3, 0.6, False, True),
    ),
    "filtered-batches-sgd": (
        methods.filtered_batches(3, inner="sgd"),
        lambda: batches(3, 0.0, False, True),
    ),
    "buffered": (methods.buffered(3), lambda: batches(3, 0.0, False, False)),
    "malenia": (methods.malenia(6), lambda: malenia(6)),
    "malenia-ignore": (methods.malenia(6, stop=False), lambda: malenia(6)),
    "ringleader": (methods.ringleader(), ringleader),
    "asgrad-random": (methods.assigned("random", 2, seed=3), lambda: batches(2, 0.0, False, False)),
    "asgrad-shuffled": (methods.assigned("shuffled", 2), lambda: batches(2, 0.0, False, False)),
    "asgrad-pure-waiting": (methods.assigned("pure", 3), lambda: batches(3, 0.0, False, False)),
}


def sgd():
    return batches(1, 0.0, False, False)


def of_six():
    return batches(6, 0.0, False, False)


# What rules for M workers are for one.
OF_ONE = dict.fromkeys(("rescaled", "rescaled by counts", "ringleader"), sgd)
OF_ONE |= {f"asgrad-{rule}": sgd for rule in ("random", "shuffled", "pure-waiting")}
OF_ONE |= {"malenia": of_six, "malenia-ignore": of_six}
# Tested elsewhere, each against its own law: tests/asynchronous/test_engine.py and test_predictions.py.
ELSEWHERE = {
    "vanilla", "delay-adaptive", "drop-by-age", "ringmaster", "ringmaster-stop", "mini-batch", "first-k",
    "rennala", "rennala-ignore", "ordered-momentum-anytime", "ordered-momentum-heavy-ball",
    "ordered-momentum-mu-squared",
}  # fmt: skip


def test_every_method_has_a_rule():
    assert set(METHODS) == (set(RULES) - {"rescaled by counts"}) & set(METHODS) | ELSEWHERE


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("times", [job_times.exponential(), job_times.fixed(TIMES)], ids=["random", "ticks"])
def test_every_update_is_that_of_the_rule(name, times):
    method, rule = RULES[name]
    measured, step, moved = run(method, job_times=times), rule(), 0
    for a, after in arrivals(measured):
        np.testing.assert_allclose(step(a), after, rtol=1e-11, atol=1e-13)
        moved += bool((after != a.x).any())
    assert measured.updates == 150
    assert moved >= 100  # adaptive steps may be zero


@pytest.mark.parametrize("name", RULES)
def test_one_worker_is_the_sequential_rule(name):
    """No delay, and the rule for one worker, step by step."""
    sequential = {
        "rescaled": methods.rescaled([3.0]),
        "asgrad-random": methods.assigned("random"),
        "asgrad-shuffled": methods.assigned("shuffled"),
        "asgrad-pure-waiting": methods.assigned("pure"),
    }
    measured = run(sequential.get(name, RULES[name][0]), workers=1, updates=40)
    rule = OF_ONE.get(name, RULES[name][1])()
    assert measured.mean_delay == 0.0
    for a, after in arrivals(measured):
        np.testing.assert_array_equal(a.x, a.y)
        np.testing.assert_allclose(rule(a), after, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("order", ["rr", "so", "ig"])
@pytest.mark.parametrize("m", [1, 2, 4, 8])
@pytest.mark.parametrize(
    "method",
    ["mini-batch", "rennala", "malenia", methods.first_k, lambda m: methods.assigned("pure", m)],
    ids=["mini-batch", "rennala", "malenia", "first-k", "asgrad-pure-waiting"],
)
def test_equal_times_are_the_steps_of_simulate(method, m, order):
    """Whole numbers and powers of two: sums are exact, so that the two engines agree to the bit."""
    n, rng = 6, np.random.default_rng(m)
    shards = rng.integers(-8, 9, size=(m, n, 2)).astype(float)
    problem = cg.Problem(
        "points", m, n, 2, (shards,), points, lambda x, data: float(((x - data[0]) ** 2).mean())
    )
    options = {"step_size": 0.25, "seed": 9, "x0": np.ones(2)}
    rounds = cg.simulate_async(
        problem, method(m) if callable(method) else method, workers=m, order=order, updates=2 * n,
        abort="again", **options,  # a job thrown away at the end of a round is the next of the worker's order
    )  # fmt: skip
    epochs = cg.simulate(problem, order, epochs=2, **options)
    np.testing.assert_array_equal(rounds.x, epochs.x[0])


def points(out, x, who, idx, data):
    out[:] = x - data[0][who, idx]


def test_exact_compensation_is_sgd_without_delay():
    measured = run(methods.exactly_compensated(np.diag(NOISY.data.eigenvalues)), workers=16, updates=300)
    x = np.ones(3)
    for a, after in arrivals(measured):
        x = x - ALPHA * (a.g + NOISY.data.eigenvalues * (a.x - a.y))
        np.testing.assert_allclose(after, x, rtol=1e-12, atol=1e-12)
    plain = np.ones(3)
    for example in measured.events["example"]:
        plain = plain - ALPHA * gradient(NOISY, example, plain)
    assert measured.mean_delay > 10
    np.testing.assert_allclose(measured.x, plain, rtol=1e-12, atol=1e-12)


def test_both_danas_are_one_method():
    zero, slim = (run(methods.dana(0.9, slim_server=flag), updates=400) for flag in (False, True))
    np.testing.assert_allclose(zero.trajectory, slim.trajectory, rtol=1e-12, atol=1e-12)


def test_dana_of_one_worker_is_nesterov():
    zero = run(methods.dana(0.9), workers=1, order="rr", job_times=1.0, updates=3 * 64, seed=9)
    parent = cg.simulate(
        NOISY,
        "rr",
        epochs=3,
        step_size=ALPHA,
        update=cg.updates.nesterov(momentum=0.9),
        seed=9,
        x0=np.ones(3),
    )
    np.testing.assert_allclose(zero.x, parent.x[0], rtol=1e-12)


def test_the_momentum_of_mu_squared_sums_what_two_gradients_tell():
    """s d = sum over its gradients of s g(y) - (s - 1) g(q), in the words of the paper: all weigh alike."""
    measured = run("ordered-momentum-mu-squared", updates=60, step_size=1e-3)
    sums, counts, w = np.zeros((M, 3)), np.zeros(M), np.ones(3)
    for a, after in arrivals(measured):
        counts[a.worker] += 1
        s = counts[a.worker]
        sums[a.worker] += s * a.g - (s - 1) * a.before
        w -= 1e-3 * (a.k + 1) * sums.sum(axis=0) / counts.sum()
        weight, seen = a.k + 2, (a.k + 1) * (a.k + 2) / 2
        np.testing.assert_allclose(after, (seen * a.x + weight * w) / (seen + weight), rtol=1e-12, atol=1e-12)


# What the methods for workers that differ are for: no noise, one example each, a slow worker.

ONE_EACH = cg.problems.quadratic(m=4, n=1, d=3, heterogeneity=1.0, seed=2)


def last(method, **changes):
    options = {"workers": 4, "job_times": [1.0, 2.0, 3.0, 20.0], "updates": 200_000, "step_size": 0.01}
    return cg.simulate_async(ONE_EACH, method, **(options | changes))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", ["malenia", "malenia-ignore", "ringleader", "gradient-table", "piag-adaptive"]
)
def test_slow_workers_do_not_bias_tables_and_rounds_over_all(name):
    method = methods.malenia(8, stop=False) if name == "malenia-ignore" else name
    np.testing.assert_allclose(last(method).x, ONE_EACH.x_star, atol=1e-9)
    assert np.linalg.norm(last("vanilla").x - ONE_EACH.x_star) > 0.05  # where the fast workers pull


@pytest.mark.compiled
@pytest.mark.parametrize("times", [[1.0, 2.0, 3.0, 20.0], None], ids=["known", "counted"])
def test_rescaled_steps_make_the_law_over_shards_uniform(times):
    for model in (job_times.fixed([1.0, 2.0, 3.0, 20.0]), job_times.exponential([1.0, 2.0, 3.0, 20.0])):
        shares = last(methods.rescaled(times), job_times=model, step_size=1e-4).weight.sum(axis=1)
        np.testing.assert_allclose(shares / shares.sum(), 0.25, rtol=0.01)
    fast = last("vanilla").weight.sum(axis=1)
    assert fast.max() > 10 * fast.min()


@pytest.mark.compiled
def test_every_worker_updates_once_a_round_of_ringleader():
    measured = run("ringleader", SHARDS, job_times=job_times.pareto(1.2), updates=400)
    who = measured.events["worker"][measured.events["flow"] == Flow.ADVANCE].reshape(-1, M)
    np.testing.assert_array_equal(np.sort(who, axis=1), np.tile(np.arange(M), (100, 1)))
    assert len(measured.delays) <= 2 * M
    assert measured.dropped.sum() == 0


@pytest.mark.compiled
def test_shuffled_assignment_gives_every_worker_its_share():
    options = {"updates": 4_000, "job_times": job_times.exponential([1.0, 2.0, 3.0, 20.0])}
    shuffled, random, pure = (
        run(methods.assigned(rule), **options).by_worker for rule in ("shuffled", "random", "pure")
    )
    assert np.abs(shuffled - 1000).max() <= 3  # a job given out before the end may still be on its way
    assert np.abs(random - 1000).max() < 4 * np.sqrt(4_000 * 3 / 16)  # four standard deviations of a share
    assert pure.max() > 10 * pure.min()


def test_pure_assignment_of_one_job_is_plain_asynchronous_sgd():
    np.testing.assert_array_equal(run(methods.assigned("pure")).trajectory, run("vanilla").trajectory)


def test_the_seed_of_an_assignment_decides_its_draws():
    first, again, other = (run(methods.assigned("random", seed=seed)).trajectory for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_steps_of_the_adaptive_table_stay_below_alpha_while_its_oldest_gradient_ages():
    measured = run("piag-adaptive", job_times=job_times.pareto(1.1), updates=300)
    sizes, table, settled = [], {}, False
    for a, after in arrivals(measured):
        table[a.worker] = a.k_r, a.g
        mean = np.mean([g for _, g in table.values()], axis=0)
        sizes.append(np.linalg.norm(after - a.x) / np.linalg.norm(mean))
        below = sum(sizes[min(k_r for k_r, _ in table.values()) :]) <= ALPHA * (1 + 1e-9)
        settled |= (
            below and len(table) == M
        )  # a worker that comes late for the first time opens an old window
        assert below or not settled
    assert settled
    assert min(sizes) < 0.1 * ALPHA


REFUSED = [
    (lambda: methods.picky(0.0), "radius: expected a finite number > 0; got 0"),
    (lambda: methods.malenia(0), "batch: expected"),
    (lambda: run(methods.rescaled([1.0, 2.0])), "times: expected one for each of 4 workers; got shape"),
    (lambda: methods.filtered_batches(2, inner="adam"), "unknown inner 'adam'"),
    (
        lambda: methods.filtered_batches(2, momentum=1.0),
        r"momentum: expected a number in \[0, 1\); got 1.0; lower it",
    ),
    (lambda: methods.delay_compensated(-1.0), "strength: expected a finite number >= 0"),
    (
        lambda: run(methods.exactly_compensated(np.eye(2))),
        r"hessian: expected shape \(d, d\) = \(3, 3\); got \(2, 2\)",
    ),
    (lambda: methods.dana(-0.1), r"momentum: expected a number in \[0, 1\); got -0.1; raise it"),
    (lambda: methods.adaptive_braking(rho=1.5), r"rho: expected a number in \[0, 1\]; got 1.5; lower it"),
    (lambda: methods.storm(0.0), r"a: expected a number in \(0, 1\]; got 0.0; raise it"),
    (lambda: methods.delay_adaptive_table(1.0), r"share: expected a number in \(0, 1\); got 1.0; lower it"),
    (lambda: methods.clipped(float("nan")), "limit: expected a finite number > 0; got nan"),
    (lambda: methods.assigned("lazy"), "unknown rule 'lazy'"),
    (lambda: run(methods.assigned("pure", 5)), "batch: expected at most as many as workers, 4; got 5"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_wrong_parameters_are_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
