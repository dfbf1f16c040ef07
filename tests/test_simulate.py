"""The engine: what a step, an epoch and a record mean. Naive twins are written from the formulas."""

import dataclasses
import itertools
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim._kernels import jit
from cdgrab_sim.synchronous import _engine


def integer_problem(m=3, n=5, d=2, seed=0):
    """f_ij(x) = <b_ij, x> with small integer b: every sum is exact when m and alpha are dyadic."""
    b = np.random.RandomState(seed).randint(-8, 9, size=(m, n, d)).astype(float)

    def grads(out, x, who, idx, data):
        out[:] = data[0][who, idx]

    def value(x, data):
        return float(data[0].mean(axis=(0, 1)) @ x)

    return cg.Problem("integer", m=m, n=n, d=d, data=(b,), grads=grads, value=value)


def naive_epoch(b, pi, x, v, *, alpha, momentum, weight_decay, batch):
    """One epoch in plain Python lists."""
    m, n, d = b.shape
    x, v = list(x), list(v)
    for start in range(0, n, batch):
        total = [0.0] * d
        for k in range(start, min(start + batch, n)):
            for i in range(m):
                for p in range(d):
                    total[p] += b[i, pi[i, k], p]
        for p in range(d):
            v[p] = momentum * v[p] + total[p] / (m * batch) + weight_decay * x[p]
            x[p] = x[p] - alpha * v[p]
    return x, v


@pytest.mark.parametrize(("n", "batch"), [(4, 1), (4, 2), (5, 2), (5, 4), (5, 5)])
@pytest.mark.parametrize(("momentum", "weight_decay"), [(0.0, 0.0), (0.5, 0.25)])
def test_steps_equal_the_naive_epoch(n, batch, momentum, weight_decay):
    problem = integer_problem(m=2, n=n)
    pi = np.array([np.random.RandomState(i).permutation(n) for i in range(2)])
    rule = {"momentum": momentum, "weight_decay": weight_decay, "batch": batch}
    run = cg.simulate(
        problem, cg.orderings.fixed(pi), epochs=3, step_size=0.25, x0=[1.0, -2.0], **rule,
        record=cg.Record(trajectory=True),
    )  # fmt: skip
    x, v = [1.0, -2.0], [0.0, 0.0]
    for t in range(3):
        x, v = naive_epoch(problem.data[0], pi, x, v, alpha=0.25, **rule)
        np.testing.assert_allclose(run.trajectory[0, t + 1], x, rtol=1e-14)


def naive_path(problem, pi, x, steps, momentum, weight_decay, batch):
    """The ends of epochs with a step size of its own for every update."""
    workers, v, path = np.arange(problem.m), np.zeros(problem.d), [x]
    for alphas in steps:
        for update, start in enumerate(range(0, problem.n, batch)):
            g, total = problem.gradients(x), np.zeros(problem.d)
            for k in range(start, min(start + batch, problem.n)):
                total = total + g[workers, pi[:, k]].sum(axis=0)
            v = momentum * v + total / (problem.m * batch) + weight_decay * x
            x = x - alphas[update] * v
        path.append(x)
    return path


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize(("momentum", "weight_decay"), [(0.0, 0.0), (0.5, 0.25)])
@pytest.mark.parametrize(("n", "batch"), [(5, 1), (5, 2), (7, 3), (9, 5), (9, 8)])
def test_every_update_has_its_own_step_size(n, batch, momentum, weight_decay, fused, monkeypatch):
    """The last batch of an epoch is short, and neither it nor a chunk that ends inside it borrows a step."""
    monkeypatch.setattr(_engine, "CHUNK_BYTES", 1)
    problem = cg.problems.quadratic(m=2, n=n, d=2, seed=1)
    pi = np.array([np.random.RandomState(i).permutation(n) for i in range(2)])
    steps = np.random.RandomState(2).uniform(0.01, 0.2, size=(3, -(-n // batch)))
    update = cg.updates.heavy_ball(momentum=momentum, weight_decay=weight_decay)
    run = cg.simulate(
        problem, cg.orderings.fixed(pi), epochs=3, step_size=steps, x0=[1.0, -2.0], batch=batch,
        update=update if fused else dataclasses.replace(update, fused=None),
        record=cg.Record(trajectory=True),
    )  # fmt: skip
    expected = naive_path(problem, pi, np.array([1.0, -2.0]), steps, momentum, weight_decay, batch)
    np.testing.assert_allclose(run.trajectory[0], expected, rtol=1e-12)


@pytest.mark.parametrize("batch", range(1, 7))
def test_at_fixed_gradients_an_epoch_moves_by_n_over_batch_full_gradients(batch):
    problem = integer_problem(m=2, n=6)
    run = cg.simulate(problem, "rr", epochs=1, step_size=0.5, batch=batch)
    mean = problem.data[0].mean(axis=(0, 1))
    np.testing.assert_allclose(run.x[0], -0.5 * (6 / batch) * mean, rtol=1e-13)


def test_step_sizes_as_number_array_and_function_agree_and_follow_the_epoch():
    problem = cg.problems.quadratic(m=2, n=6, d=2)
    alphas = np.array([0.02, 0.01, 0.005])
    args = {"epochs": 3, "batch": 2, "x0": [1.0, 1.0]}
    by_epoch = cg.simulate(problem, "cd-grab", step_size=alphas, **args)
    by_function = cg.simulate(problem, "cd-grab", step_size=lambda t: float(alphas[t]), **args)
    by_update = cg.simulate(problem, "cd-grab", step_size=np.repeat(alphas[:, None], 3, axis=1), **args)
    assert_array_equal(by_epoch.loss, by_function.loss)
    assert_array_equal(by_epoch.loss, by_update.loss)
    constant = cg.simulate(problem, "cd-grab", step_size=0.02, **args)
    assert_array_equal(by_epoch.loss[:, 1], constant.loss[:, 1])
    assert (by_epoch.loss[:, 2] != constant.loss[:, 2]).all()


@pytest.mark.parametrize("steps", [1, 2, 7, 64])
@pytest.mark.parametrize("ordering", sorted(cg.orderings.ORDERINGS))
def test_bits_do_not_depend_on_the_chunk(monkeypatch, ordering, steps):
    m = 1 if ordering == "grab" else 3
    problem = cg.problems.skewed(m=m, n=65, d=5)
    args = {"epochs": 3, "step_size": 1e-3, "batch": 3, "record": cg.Record(orders=True)}
    whole = cg.simulate(problem, ordering, **args)
    monkeypatch.setattr(_engine, "chunk_steps", lambda m, n, d: min(steps, n))
    chunked = cg.simulate(problem, ordering, **args)
    assert_array_equal(whole.loss, chunked.loss)
    assert_array_equal(whole.orders, chunked.orders)


def test_bits_do_not_depend_on_threads_and_replicates_differ():
    args = {"epochs": 4, "step_size": 1e-3, "replicates": 4}
    one = cg.simulate("skewed", "cd-grab", threads=1, **args)
    two = cg.simulate("skewed", "cd-grab", threads=2, **args)
    assert_array_equal(one.x, two.x)
    assert len(np.unique(one.x[:, 0])) == 4
    alone = cg.simulate("skewed", "cd-grab", **args | {"replicates": 1})
    assert_array_equal(one.x[:1], alone.x)


@pytest.mark.parametrize("ordering", ["sgd", "rr", "cd-grab", "d-grab-pair"])
@pytest.mark.parametrize("epoch", [0, 1, 7])
def test_workers_see_the_same_data_and_draws_whatever_m_is(ordering, epoch):
    few, many = (cg.problems.skewed(m=m, n=8, d=2, seed=3) for m in (4, 16))
    assert_array_equal(few.data[0], many.data[0][:4])
    if ordering in ("cd-grab", "d-grab-pair") and epoch > 0:
        return  # their later orders depend on gradients, which depend on x and so on m
    orders = [
        cg.simulate(p, ordering, epochs=8, step_size=1e-3, seed=5, record=cg.Record(orders=True)).orders
        for p in (few, many)
    ]
    assert_array_equal(orders[0][0, epoch], orders[1][0, epoch, :4])


def test_orderings_share_first_orders():
    args = {"epochs": 1, "step_size": 1e-3, "seed": 2, "record": cg.Record(orders=True)}
    first = [cg.simulate("skewed", name, **args).orders[0, 0] for name in ("rr", "cd-grab", "d-grab-pair")]
    assert_array_equal(first[0], first[1])
    assert_array_equal(first[0], first[2])


def test_records_are_what_they_say():
    problem = cg.problems.quadratic(m=2, n=5, d=3, heterogeneity=1.0)
    record = cg.Record(every=2, herding=("inf", "l2"), orders=True, trajectory=True, average=True)
    run = cg.simulate(problem, "rr", epochs=5, step_size=0.01, x0=[1.0, 1.0, 1.0], record=record)
    b, lam, x_star, _ = problem.data
    assert run.epochs.tolist() == [0, 2, 4, 5]
    for row, x in enumerate(run.trajectory[0]):
        gradients = lam * (x - b)
        assert run.loss[0, row] == pytest.approx(0.5 * (lam * (x - b) ** 2).sum() / 10, rel=1e-12)
        assert run.grad_norm[0, row] == pytest.approx(np.linalg.norm(gradients.mean(axis=(0, 1))), rel=1e-12)
        assert run.distance[0, row] == pytest.approx(np.linalg.norm(x - x_star), rel=1e-12)
        if row < 3:
            centred = gradients - gradients.mean(axis=(0, 1))
            walk = np.zeros(3)
            norms = []
            for k in range(5):
                walk = walk + sum(centred[i, run.orders[0, row, i, k]] for i in range(2))
                norms.append([np.abs(walk).max(), np.sqrt((walk**2).sum())])
            worst = np.max(norms, axis=0)
            assert run.herding["inf"][0, row] == pytest.approx(worst[0], rel=1e-10)
            assert run.herding["l2"][0, row] == pytest.approx(worst[1], rel=1e-10)
    assert_array_equal(run.x[0], run.trajectory[0, -1])


def test_recording_changes_nothing():
    args = {"epochs": 6, "step_size": 1e-3}
    bare = cg.simulate("skewed", "cd-grab", **args, record=cg.Record(every=100, grad_norm=False))
    everything = cg.Record(herding=("inf",), balance=True, orders=True, trajectory=True, average=True)
    full = cg.simulate("skewed", "cd-grab", **args, record=everything)
    assert_array_equal(bare.x, full.x)


def test_average_has_linear_weights():
    run = cg.simulate(
        "skewed", "rr", epochs=4, step_size=1e-3, record=cg.Record(trajectory=True, average=True)
    )
    weights = np.arange(1, 5)
    average = (weights[:, None] * run.trajectory[0, 1:]).sum(axis=0) / weights.sum()
    problem = cg.problems.make("skewed")
    assert run.loss_average[0, -1] == pytest.approx(problem.value(average, problem.data), rel=1e-9)


def test_balance_is_the_largest_running_signed_sum():
    problem = cg.problems.skewed(m=2, n=4, d=3)
    run = cg.simulate(
        problem, "cd-grab", epochs=1, step_size=1e-9, record=cg.Record(balance=True, orders=True)
    )  # alpha so small that the gradients are the linear terms
    nu, pi = problem.data[0], run.orders[0, 0]
    s, largest = np.zeros(3), 0.0
    for j in range(2):
        for i in range(2):
            v = nu[i, pi[i, 2 * j]] - nu[i, pi[i, 2 * j + 1]]
            s = s + v if s @ v <= 0 else s - v
        largest = max(largest, np.linalg.norm(s))
    assert run.balance[0, 0] == pytest.approx(largest, rel=1e-6)


def test_balance_of_an_ordering_without_a_running_sum_is_refused():
    with pytest.raises(ValueError, match="balancing ordering only"):
        cg.simulate("skewed", "rr", epochs=1, step_size=1e-3, record=cg.Record(balance=True))


def test_clips_of_a_sign_rule_are_counted():
    """With a threshold near 0 every vector clips but the first of each sum, which meets s = 0."""
    m, n, T = 3, 7, 4
    problem = cg.problems.skewed(m=m, n=n, d=2)
    tight, wide = (cg.orderings.SignRule("self-balancing", bound=B, c=B) for B in (1e-9, 1e9))
    o = cg.orderings
    expected = {
        o.cd_grab(rule=tight): T * (m * (n // 2) - 1),
        o.d_grab(rule=tight): T * m * (n - 1),
        o.mean(scope="coordinated", rule=tight, exact=True): (T - 1)
        * (m * n - 1),  # the last is not looked at
        o.cd_grab(rule=wide): 0,
    }
    for ordering, clips in expected.items():
        run = cg.simulate(problem, ordering, epochs=T, step_size=1e-3, replicates=2)
        assert_array_equal(run.clips, [clips, clips])
    for name in ("cd-grab", "rr", o.mean(scope="coordinated", exact=True)):
        assert cg.simulate(problem, name, epochs=2, step_size=1e-3).clips is None


def test_divergence_is_a_status_with_the_epoch():
    problem = cg.problems.quadratic(m=1, n=4, d=1, eigenvalues=[1.0])
    run = cg.simulate(problem, "rr", epochs=400, step_size=10.0, replicates=2)
    assert run.status.tolist() == ["diverged", "diverged"]
    epoch = int(run.diverged_at[0])
    assert 0 < epoch < 400
    assert np.isfinite(run.loss[0, :epoch]).all()
    assert np.isnan(run.loss[0, epoch + 2 :]).all()
    assert run.messages()[0] == f"diverged at epoch {epoch}: try a smaller step size"
    with pytest.raises(FloatingPointError, match=f"replicate 0 diverged at epoch {epoch}"):
        cg.simulate(problem, "rr", epochs=400, step_size=10.0, throw=True)


class ListState(NamedTuple):
    """State of an ordering that a user wrote with lists."""

    pi: np.ndarray
    seen: list


def reversing(pi_of=lambda pi: pi[:, ::-1].copy()):
    def init(problem, rng):
        return ListState(np.tile(np.arange(problem.n), (problem.m, 1)), [])

    def observe(state, seen):
        state.seen.extend((seen.k0 + r, g.copy()) for r, g in enumerate(seen.G))

    return cg.Ordering("reversing", init, observe, lambda s, rng: ListState(pi_of(s.pi), []))


def test_orders_in_any_memory_layout_are_those_that_are_followed():
    layouts = (
        lambda pi: pi[:, ::-1],
        lambda pi: pi[:, ::-1].copy(),
        lambda pi: np.asfortranarray(pi[:, ::-1]),
    )
    args = {"epochs": 3, "step_size": 0.01}
    problem = cg.problems.skewed(m=2, n=4, d=2)
    runs = [cg.simulate(problem, reversing(pi_of), **args).x for pi_of in layouts]
    assert_array_equal(runs[0], runs[1])
    assert_array_equal(runs[0], runs[2])
    if jit.is_jitted(problem.walk):
        assert len(problem.walk.signatures) == 1


def test_a_users_problem_and_ordering_in_plain_numpy_run():
    problem = integer_problem(m=2, n=4)
    run = cg.simulate(problem, reversing(), epochs=3, step_size=0.5, record=cg.Record(orders=True))
    assert run.orders[0, 1].tolist() == [[3, 2, 1, 0]] * 2
    np.testing.assert_allclose(run.x[0], -3 * 0.5 * problem.data[0].sum(axis=(0, 1)) / 2)


@pytest.mark.compiled
def test_a_users_compiled_problem_has_the_bits_of_the_plain_one():
    numba = pytest.importorskip("numba")
    plain = cg.problems.quadratic(m=3, n=5, d=2)
    jitted = numba.njit(_loops)
    results = []
    for grads in (_loops, jitted):
        problem = cg.Problem("mine", m=3, n=5, d=2, data=plain.data, grads=grads, value=plain.value)
        results.append(cg.simulate(problem, "cd-grab", epochs=4, step_size=0.01).x)
    assert_array_equal(results[0], results[1])
    assert_array_equal(results[0], cg.simulate(plain, "cd-grab", epochs=4, step_size=0.01).x)


def _loops(out, x, who, idx, data):
    b, lam = data[0], data[1]
    for r in range(out.shape[0]):
        for p in range(out.shape[1]):
            out[r, p] = lam[p] * (x[p] - b[who[r], idx[r], p])


def returns(out, x, who, idx, data):
    return x - data[0][who, idx]


def binds(out, x, who, idx, data):
    out = x - data[0][who, idx]  # noqa: F841


def adds(out, x, who, idx, data):
    out += 1.0 + x


def forgets_a_row(out, x, who, idx, data):
    out[:-1] = x


WRONG_FUNCTIONS = {
    "returns": (r"out\[0, 0\] left as it was; assign out\[:\] = ", {"grads": returns}),
    "binds": (r"out\[0, 0\] left as it was", {"grads": binds}),
    "adds": (
        r"grads: expected every entry of `out` to be written; got out\[0, 0\] with what",
        {"grads": adds},
    ),
    "forgets": (r"out\[1, 0\] left as it was", {"grads": forgets_a_row}),
    "no function": ("grads: expected a function; got None", {"grads": None}),
    "vector": (r"value: expected one number f\(x\); got array", {"value": lambda x, data: x}),
    "nothing": (r"value: expected one number f\(x\); got None", {"value": lambda x, data: None}),
    "vector of an example": (r"loss: expected one number f_ij\(x\)", {"loss": lambda x, i, j, data: x}),
    "no function of an example": ("loss: expected a function; got 3", {"loss": 3}),
}


@pytest.mark.parametrize("slip", WRONG_FUNCTIONS)
def test_a_users_functions_that_would_run_and_mean_nothing_are_refused(slip):
    message, functions = WRONG_FUNCTIONS[slip]

    def run():
        problem = dataclasses.replace(integer_problem(m=2, n=3), **functions)
        cg.simulate(problem, "rr", epochs=1, step_size=0.1, x0=[2.0, 2.0])

    with pytest.raises((ValueError, TypeError), match=f"problem 'integer': .*{message}"):
        run()


def few_examples(out, x, who, idx, data):
    for r in range(out.shape[0]):
        for p in range(out.shape[1]):
            out[r, p] = x[p] - data[0][who[r], idx[r], p]


@pytest.mark.parametrize("compiled", [False, True])
def test_data_with_fewer_examples_than_promised_are_found_where_compiled_code_would_not_look(compiled):
    grads = pytest.importorskip("numba").njit(few_examples) if compiled else few_examples
    short = dataclasses.replace(integer_problem(m=3, n=5), n=9, grads=grads)
    with pytest.raises(IndexError, match="index 8 is out of bounds") as caught:
        cg.simulate(short, "rr", epochs=1, step_size=0.1)
    assert caught.value.__notes__ == [
        "problem 'integer': grads was called with out (2, 2), x (2,), who = [0 2], idx = [8 8]"
    ]


@pytest.mark.parametrize("steps", [2, 64])
def test_an_ordering_that_writes_into_its_orders_does_so_for_the_next_epoch(monkeypatch, steps):
    def observe(state, seen):
        now = slice(seen.k0, seen.k0 + len(seen.G))
        state.pi[:, now] = state.pi[:, now][:, ::-1].copy()
        state.pi[:, :] = np.roll(state.pi, 1, axis=1)

    def init(problem, rng):
        return ListState(np.tile(np.arange(problem.n), (problem.m, 1)), [])

    monkeypatch.setattr(_engine, "chunk_steps", lambda m, n, d: min(steps, n))
    ordering = cg.Ordering("in place", init, observe, lambda state, rng: state)
    problem = cg.problems.skewed(m=2, n=8, d=2)  # where the order matters
    run, same = (cg.simulate(problem, one, epochs=1, step_size=0.05) for one in (ordering, "ig"))
    assert_array_equal(run.x, same.x)
    assert (run.x != cg.simulate(problem, "rr", epochs=1, step_size=0.05).x).any()


def test_a_start_where_a_users_gradients_are_no_numbers_is_a_divergence():
    def grads(out, x, who, idx, data):
        out[:] = 1.0 / x

    problem = dataclasses.replace(integer_problem(), grads=grads)
    run = cg.simulate(problem, "rr", epochs=1, step_size=0.1)
    assert run.status[0] == "diverged"


def test_a_step_size_function_is_asked_before_any_work():
    calls = []
    with pytest.raises(ValueError, match=r"step_size\(2\)"):
        cg.simulate(
            integer_problem(),
            cg.Ordering("never", lambda problem, rng: calls.append(1), None, lambda state, rng: state),
            epochs=3,
            step_size=lambda t: 2.0 - t,
        )
    assert calls == []


ONE_EXAMPLE = np.zeros((3, 1), dtype=np.int64)
BAD_STATES = {
    "init": (lambda problem, rng: None, lambda state, rng: state, "got NoneType"),
    "advance": (
        lambda problem, rng: ListState(np.zeros((3, 1), int), []),
        lambda state, rng: None,
        "got NoneType",
    ),
    "dict": (lambda problem, rng: {"pi": ONE_EXAMPLE}, lambda state, rng: state, "got dict"),
}


@pytest.mark.parametrize("slip", BAD_STATES)
def test_a_users_state_without_orders_is_refused(slip):
    init, advance, got = BAD_STATES[slip]
    ordering = cg.Ordering("mine", init, None, advance)
    with pytest.raises(TypeError, match=f"ordering 'mine': expected init and advance .*{got}"):
        cg.simulate(integer_problem(n=1), ordering, epochs=2, step_size=0.5)


@pytest.mark.parametrize("name", ["init", "observe", "advance"])
def test_an_ordering_is_made_of_functions(name):
    parts = {"init": len, "observe": divmod, "advance": len} | {name: 3}
    with pytest.raises(TypeError, match=f"ordering 'mine': {name}: expected a function; got 3"):
        cg.Ordering("mine", **parts)


def test_an_observe_with_the_arguments_of_old_says_what_to_change():
    expected = r"expected arguments \(state, seen\); got \(state, k0, G\); find k0 and G"
    with pytest.raises(TypeError, match=f"ordering 'mine': observe: {expected}"):
        cg.Ordering("mine", lambda problem, rng: None, lambda state, k0, G: None, lambda state, rng: None)


BAD_ORDERS = {
    "example 0 is missing": lambda pi: np.full_like(pi, 1),
    r"pi\[0, 0\]: expected an example 0..3; got 9": lambda pi: np.full_like(pi, 9),
    "expected an int64 array": lambda pi: pi.astype(float),
    r"shape \(m, n\)": lambda pi: pi[:, :2],
}


@pytest.mark.parametrize("message", BAD_ORDERS)
def test_a_users_wrong_orders_are_refused(message):
    with pytest.raises(ValueError, match=message):
        cg.simulate(integer_problem(n=4), reversing(BAD_ORDERS[message]), epochs=3, step_size=0.5)


REFUSED = {
    "epochs: expected a whole number >= 1; got 0": {"epochs": 0},
    "epochs: expected a whole number >= 1; got 2.5": {"epochs": 2.5},
    "step_size: expected a finite number > 0; got 0": {"step_size": 0},
    "step_size: expected a finite number > 0; got -1.0": {"step_size": -1.0},
    "step_size: expected a finite number > 0; got nan": {"step_size": float("nan")},
    r"step_size\[1\]: expected a finite number > 0; got 0.0": {"step_size": np.array([1.0, 0.0])},
    r"step_size: expected a number, a function of the epoch, or shape \(T,\) = \(2,\)": {
        "step_size": np.ones(3)
    },
    r"step_size\[1\]: expected a finite number > 0; got nan": {"step_size": [1.0, float("nan")]},
    r"step_size\(0\): expected a finite number > 0; got 0": {"step_size": lambda t: 0},
    r"step_size\(1\): expected a finite number > 0; got array": {
        "step_size": lambda t: np.ones(t + 1)[t:] if t else 1
    },
    "step_size: expected a finite number > 0; got '0.1'": {"step_size": "0.1"},
    "step_size: expected a finite number > 0; got True": {"step_size": True},
    "step_size: expected rows of one length; got a ragged list": {"step_size": [[1.0], [1.0, 2.0]]},
    "step_size: expected numbers; got dtype object": {"step_size": np.array([None, 0.1])},
    "record: expected a Record": {"record": {"every": 10}},
    r"did you mean cd_grab\(\)\?": {"ordering": cg.orderings.cd_grab},
    r"did you mean skewed\(\)\?": {"problem": cg.problems.skewed},
    "seed: expected a whole number >= 0; got -1": {"seed": -1},
    "replicates: expected a whole number >= 1; got 0": {"replicates": 0},
    r"x0: expected shape \(d,\) = \(3,\)": {"x0": [1.0]},
    r"x0\[1\]: expected finite numbers; got nan": {"x0": [0.0, float("nan"), 0.0]},
    "momentum: expected a finite number >= 0; got -0.1": {"momentum": -0.1},
    "weight_decay: expected a finite number >= 0; got inf": {"weight_decay": float("inf")},
    "batch: expected a whole number 1..64; got 65": {"batch": 65},
    "unknown ordering 'cd-grb'; did you mean 'cd-grab'": {"ordering": "cd-grb"},
    "unknown problem 'skewd'; did you mean 'skewed'": {"problem": "skewd"},
    "threads: expected a whole number >= 1; got 0": {"threads": 0},
    r"pi\[0\]: expected a permutation of 0..63; example 1 is missing": {
        "ordering": cg.orderings.fixed(np.zeros(64, dtype=int))
    },
}


@pytest.mark.parametrize("message", REFUSED)
def test_wrong_arguments_are_refused_in_one_line(message):
    args = {"problem": "skewed", "ordering": "rr", "epochs": 2, "step_size": 1e-3} | REFUSED[message]
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        cg.simulate(args.pop("problem"), args.pop("ordering"), **args)
    assert "\n" not in str(caught.value)


SIZES = {"mlp": ["m", "n", "inputs", "hidden"]}  # its d follows from the widths


@pytest.mark.parametrize(
    ("family", "letter"), [(f, size) for f in cg.problems.PROBLEMS for size in SIZES.get(f, ["m", "n", "d"])]
)
def test_empty_problems_are_refused(family, letter):
    with pytest.raises(ValueError, match=f"{letter}: expected a whole number >= "):
        cg.problems.PROBLEMS[family](**{letter: 0})


def test_data_that_is_not_finite_is_refused_with_its_index():
    b = np.zeros((2, 3, 2))
    b[1, 2, 0] = np.nan
    with pytest.raises(ValueError, match=r"data\[0\]\[1, 2, 0\]: expected finite numbers; got nan"):
        cg.Problem("bad", m=2, n=3, d=2, data=(b,), grads=_loops, value=lambda x, data: 0.0)


SLIPS = {
    r"data: expected a tuple of arrays; got ndarray; write data=\(a,\)": {"data": np.zeros((2, 3, 2))},
    r"data\[0\]: expected an array without masked entries": {
        "data": (np.ma.masked_array([1.0, 2.0], [0, 1]),)
    },
    r"data\[0\]: expected whole numbers below 2\^63": {"data": (np.array([2**63], dtype=np.uint64),)},
    r"data\[0\]: expected rows of one length": {"data": ([[1.0], [1.0, 2.0]],)},
    "f_star: expected a finite number; got 'low'": {"f_star": "low"},
    r"constants\['L'\]: expected a finite number; got None": {"constants": {"L": None}},
}


@pytest.mark.parametrize("message", SLIPS)
def test_a_problem_refuses_slips(message):
    with pytest.raises((ValueError, TypeError), match=message):
        dataclasses.replace(integer_problem(), **SLIPS[message])


def test_a_record_takes_lists_of_norms_and_refuses_one_norm():
    assert cg.Record(herding=["inf"]) == cg.Record(herding=("inf",))
    with pytest.raises(TypeError, match=r"herding: expected a tuple of norms, such as \('inf',\); got 'inf'"):
        cg.Record(herding="inf")


def test_the_callers_arrays_stay_writable_and_untouched():
    b = np.random.RandomState(0).standard_normal((2, 4, 1))
    before = b.copy()
    problem = cg.Problem("mine", m=2, n=4, d=1, data=(b, np.ones(1)), grads=_loops, value=lambda x, data: 0.0)
    cg.simulate(problem, "cd-grab", epochs=3, step_size=0.1)
    assert_array_equal(b, before)
    assert b.flags.writeable
    assert not problem.data[0].flags.writeable


@pytest.mark.parametrize(("m", "n"), list(itertools.product([1, 2], [1, 2, 3])))
@pytest.mark.parametrize("ordering", sorted(set(cg.orderings.ORDERINGS) - {"grab"}))
def test_tiny_sizes(ordering, m, n):
    problem = cg.problems.skewed(m=m, n=n, d=1)
    run = cg.simulate(problem, ordering, epochs=3, step_size=0.01, x0=[1.0])
    assert run.status.tolist() == ["completed"]
    assert run.loss[0, -1] < run.loss[0, 0]


def test_cd_grab_by_hand():
    """Two workers, four examples, d = 1, first orders 0 1 2 3; gradients 4, 1, 2, 0 and 1, 3, 0, 5.

    Pair 1: worker 0 has v = 3, s = 0 gives +, s = 3; worker 1 has v = -2, s v < 0 gives +, s = 1.
    Pair 2: worker 0 has v = 2, s v > 0 gives -, s = -1; worker 1 has v = -5, s v > 0 gives -, s = 4.
    + keeps (first, second) as (front, back); - swaps them: worker 0: 0 3 | 2 1, worker 1: 0 3 | 2 1.
    """
    b = np.array([[4.0, 1.0, 2.0, 0.0], [1.0, 3.0, 0.0, 5.0]])[:, :, None]
    problem = integer_problem(m=2, n=4, d=1)
    problem = cg.Problem("hand", m=2, n=4, d=1, data=(b,), grads=problem.grads, value=problem.value)
    ordering = cg.orderings.cd_grab(first=[0, 1, 2, 3])
    run = cg.simulate(problem, ordering, epochs=2, step_size=0.5, record=cg.Record(orders=True))
    assert run.orders[0, 1].tolist() == [[0, 3, 2, 1], [0, 3, 2, 1]]
