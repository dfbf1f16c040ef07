"""Dealing real data to workers: partitions, labels, memory maps, messages."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import cdgrab_sim as cg
from cdgrab_sim.problems import _partition, from_arrays


@st.composite
def deals(draw):
    """Labels, and m and n with at least m n rows."""
    m, n = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    N = m * n + draw(st.integers(0, 10))
    labels = draw(st.lists(st.integers(0, draw(st.integers(1, 4))), min_size=N, max_size=N))
    return np.array(labels), m, n, draw(st.integers(0, 1000))


def assert_dealt(rows, N, m, n):
    assert rows.shape == (m, n)
    assert rows.flags.c_contiguous
    assert len(np.unique(rows)) == m * n
    assert rows.min() >= 0
    assert rows.max() < N


@settings(deadline=None, max_examples=60)
@given(deals(), st.sampled_from([0.01, 0.5, 1.0, 1e6]))
def test_every_partition_gives_n_rows_each_and_none_twice(deal, concentration):
    labels, m, n, seed = deal
    N = len(labels)
    assert_dealt(_partition.iid(labels, m, n, seed=seed), N, m, n)
    assert_dealt(_partition.by_target(labels, m, n, seed=seed), N, m, n)
    rows = _partition.dirichlet(labels, m, n, concentration=concentration, seed=seed)
    assert_dealt(rows, N, m, n)


@settings(deadline=None, max_examples=60)
@given(deals())
def test_sorted_workers_hold_ascending_targets(deal):
    labels, m, n, seed = deal
    y = labels[_partition.by_target(labels, m, n, seed=seed)]
    assert (y[:-1].max(axis=1) <= y[1:].min(axis=1)).all()


@settings(deadline=None, max_examples=60)
@given(deals())
def test_iid_rows_do_not_depend_on_m(deal):
    labels, m, n, seed = deal
    fewer = max(1, m // 2)
    rows = _partition.iid(labels, m, n, seed=seed)
    np.testing.assert_array_equal(_partition.iid(labels, fewer, n, seed=seed), rows[:fewer])


@settings(deadline=None, max_examples=200)
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6), st.integers(1, 30), st.data())
def test_fill_keeps_to_shares_while_rows_last(weights, n, data):
    total = sum(weights)
    shares = np.array(weights) / total if total > 0.0 else np.full(len(weights), 1.0 / len(weights))
    plenty = np.full(len(shares), n)
    counts = _partition.fill(shares, plenty, n)
    assert counts.sum() == n
    assert (np.abs(counts - n * shares) <= 1.0 + 1e-9).all()
    short = np.array(data.draw(st.lists(st.integers(0, n), min_size=len(shares), max_size=len(shares))))
    short[0] += max(0, n - short.sum())
    counts = _partition.fill(shares, short, n)
    assert counts.sum() == n
    assert (counts <= short).all()
    assert (counts >= np.minimum(np.floor(n * shares), short)).all()


def test_fill_is_the_greedy_rule():
    """One place at a time, to the class furthest below its share; ties to the first."""
    shares, available, n = np.array([0.55, 0.05, 0.4]), np.array([3, 9, 9]), 10
    counts = np.zeros(3, dtype=int)
    for _ in range(n):
        below = [n * p - c if c < a else -np.inf for p, c, a in zip(shares, counts, available, strict=True)]
        counts[int(np.argmax(below))] += 1
    np.testing.assert_array_equal(_partition.fill(shares, available, n), counts)


def test_dirichlet_shares_are_dirichlet():
    """Three labels, concentration 1: a label's share is Beta(1, 2).

    Kolmogorov-Smirnov at level 1e-4, plus 2 / n for the rounding of shares to n places (density <= 2).
    """
    m, n = 1000, 200
    labels = np.repeat(np.arange(3), m * n)
    rows = _partition.dirichlet(labels, m, n, concentration=1.0, seed=0)
    for c in range(3):
        shares = (labels[rows] == c).mean(axis=1)
        distance = stats.kstest(shares, stats.beta(1.0, 2.0).cdf).statistic
        assert distance <= np.sqrt(np.log(2.0 / 1e-4) / (2.0 * m)) + 2.0 / n


def test_large_concentrations_are_even_and_small_ones_pure():
    labels = np.tile(np.arange(4), 4000)
    counts = {}
    for concentration in (1e8, 1e-4):
        y = labels[_partition.dirichlet(labels, 8, 40, concentration=concentration, seed=1)]
        counts[concentration] = np.array([np.bincount(row, minlength=4) for row in y])
    assert (np.abs(counts[1e8] - 10) <= 1).all()
    assert (counts[1e-4].max(axis=1) >= 39).all()


def data(N=41, d=3, classes=2):
    rng = np.random.RandomState(0)
    return rng.standard_normal((N, d)), rng.randint(classes, size=N)


@pytest.mark.parametrize("loss", ["least-squares", "logistic", "robust", "mlp"])
@pytest.mark.parametrize("partition", ["iid", "sorted", "dirichlet"])
def test_every_loss_runs_on_every_partition(loss, partition):
    X, y = data()
    arguments = {"loss": loss, "m": 4, "partition": partition, "ridge": 0.1, "seed": 2}
    arguments |= {"concentration": 0.5} if partition == "dirichlet" else {}
    if partition == "dirichlet" and loss in ("least-squares", "robust"):
        with pytest.raises(ValueError, match="expected labels to share out"):
            from_arrays(X, y, **arguments)
        return
    problem = from_arrays(X, y, **arguments)
    assert (problem.name, problem.m, problem.n) == (loss, 4, 10)
    assert problem.constants["rows_left_over"] == 1
    run = cg.simulate(problem, "cd-grab", epochs=20, step_size=0.05)
    assert run.loss[0, -1] < run.loss[0, 0]


@pytest.mark.parametrize(("loss", "ridge"), [("least-squares", 0.0), ("logistic", 0.01)])
def test_the_minimiser_is_over_the_rows_in_use(loss, ridge):
    X, y = data()
    problem = from_arrays(X, y, loss=loss, m=4, ridge=ridge, seed=2)
    rows = problem.data[2].reshape(-1)
    if loss == "least-squares":
        expected = np.linalg.lstsq(X[rows], y[rows].astype(float), rcond=None)[0]
    else:  # gradient descent from the definition, contraction 1 - ridge / L
        expected, sign = np.zeros(3), 2.0 * y[rows] - 1.0
        for _ in range(5000):
            pull = sign / (1.0 + np.exp(sign * (X[rows] @ expected)))
            expected = expected - (ridge * expected - (pull[:, None] * X[rows]).mean(axis=0))
    np.testing.assert_allclose(problem.x_star, expected, atol=1e-10)


def test_labels_of_any_kind():
    X, y = data()
    words = np.array(["no", "yes"])[y]
    for loss in ("logistic", "mlp"):
        a, b = (from_arrays(X, labels, loss=loss, m=4, ridge=0.1) for labels in (y, words))
        np.testing.assert_array_equal(a.data[1], b.data[1])
    signs = from_arrays(X, words, loss="logistic", m=4, ridge=0.1).data[1]
    np.testing.assert_array_equal(signs, np.where(words == "yes", 1.0, -1.0))


def test_separable_labels_without_a_ridge_have_no_minimiser():
    X, _ = data()
    y = X[:, 0] > 0.0
    assert from_arrays(X, y, loss="logistic", m=4).x_star is None
    assert from_arrays(X, y, loss="logistic", m=4, ridge=1e-3).x_star is not None


def test_dependent_columns_give_the_shortest_minimiser_and_no_mu():
    X, y = data()
    problem = from_arrays(np.hstack([X, X[:, :1]]), y, loss="least-squares", m=4)
    assert problem.x_star[0] == pytest.approx(problem.x_star[3], rel=1e-9)
    assert "mu" not in problem.constants


def test_units_do_not_decide_whether_there_is_a_minimiser():
    """f(x; c X, c y) = c^2 f(x; X, y): tolerances are relative to what the gradient adds up."""
    X, y = data()
    one, many = (from_arrays(c * X, c * np.sin(y), loss="least-squares", m=4) for c in (1.0, 1e6))
    np.testing.assert_allclose(many.x_star, one.x_star, rtol=1e-12)
    assert many.f_star == pytest.approx(1e12 * one.f_star, rel=1e-12)


@pytest.fixture
def mapped(tmp_path):
    rng = np.random.RandomState(0)
    np.save(tmp_path / "X.npy", rng.standard_normal((60_000, 32)))
    return np.load(tmp_path / "X.npy", mmap_mode="r"), rng.randint(2, size=60_000)


@pytest.mark.compiled
@pytest.mark.parametrize("loss", ["least-squares", "logistic", "robust", "mlp"])
def test_a_memory_map_stays_one(mapped, loss):
    X, y = mapped
    from_arrays(X[:100], y[:100], loss=loss, m=8, ridge=0.1)  # compiles outside the measurement
    tracemalloc.start()
    problem = from_arrays(X, y, loss=loss, m=8, ridge=0.1)
    problem.value(np.zeros(problem.d), problem.data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 2  # rows, targets, a permutation, a chunk
    assert np.shares_memory(problem.data[0], X)
    assert all(np.shares_memory(a, X) or a.nbytes < X.nbytes / 16 for a in problem.data)


def test_a_memory_map_runs_like_the_array(mapped):
    X, y = mapped
    runs = []
    for features in (X[:400], np.array(X[:400])):
        problem = from_arrays(features, y[:400], loss="logistic", m=8, ridge=0.1)
        runs.append(cg.simulate(problem, "cd-grab", epochs=3, step_size=0.1))
    assert runs[0].loss.tobytes() == runs[1].loss.tobytes()


def test_a_memory_map_that_kernels_cannot_read_is_refused(tmp_path):
    y = np.arange(40) % 2
    np.save(tmp_path / "X.npy", np.ones((40, 3), dtype=np.float32))
    with pytest.raises(ValueError, match="memory map of float64 in C order; got float32"):
        from_arrays(np.load(tmp_path / "X.npy", mmap_mode="r"), y, loss="logistic", m=2)
    np.save(tmp_path / "F.npy", np.asfortranarray(np.ones((40, 3))))
    with pytest.raises(ValueError, match="got float64 in another order"):
        from_arrays(np.load(tmp_path / "F.npy", mmap_mode="r"), y, loss="logistic", m=2)


def spoiled(a, index, value):
    a = a.astype(float)
    a[index] = value
    return a


X, Y = data()
FAULTS = {
    "X with NaN": ((spoiled(X, (7, 2), np.nan), Y), {}, r"X\[7, 2\]: expected finite"),
    "X with inf": ((spoiled(X, (7, 2), np.inf), Y), {}, r"X\[7, 2\]: expected finite"),
    "y with NaN": ((X, spoiled(Y, 5, np.nan)), {}, r"y\[5\]: expected finite"),
    "y with NaN, regression": ((X, spoiled(Y, 5, np.nan)), {"loss": "robust"}, r"y\[5\]: expected finite"),
    "X with one axis": ((X[:, 0], Y), {}, r"X: expected a non-empty array with 2 axes; got shape \(41,\)"),
    "lengths": ((X, Y[:40]), {}, r"y: expected one target per row of X, shape \(41,\); got shape \(40,\)"),
    "too few rows": ((X, Y), {"n": 11}, r"m n = 4 \* 11 = 44 rows; got 41"),
    "fewer rows than workers": ((X, Y), {"m": 50}, r"m n = 50 \* 1 = 50 rows; got 41"),
    "one label": ((X, np.zeros(41)), {}, r"y: expected two labels .*; got 1 \(0.0\)"),
    "three labels": ((X, np.arange(41) % 3), {}, r"y: expected two labels .*; got 3 \(0, 1, 2\)"),
    "one label, mlp": ((X, np.zeros(41)), {"loss": "mlp"}, "y: expected at least two labels"),
    "loss": ((X, Y), {"loss": "logistics"}, "unknown loss 'logistics'; did you mean 'logistic'"),
    "partition": ((X, Y), {"partition": "sort"}, "unknown partition 'sort'; did you mean 'sorted'"),
    "ridge": ((X, Y), {"ridge": -1.0}, r"ridge: expected a finite number >= 0; got -1.0"),
    "no concentration": ((X, Y), {"partition": "dirichlet"}, "concentration: expected a number > 0"),
    "idle concentration": ((X, Y), {"concentration": 1.0}, "concentration: expected .* for no other"),
    "concentration": (
        (X, Y),
        {"partition": "dirichlet", "concentration": 0.0},
        "concentration: expected a finite number > 0; got 0.0",
    ),
    "idle hidden": ((X, Y), {"hidden": 3}, "hidden: expected for loss 'mlp' only; got 3"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_have_one_clear_line(fault):
    arrays, arguments, message = FAULTS[fault]
    with pytest.raises(ValueError, match=message) as caught:
        from_arrays(*arrays, **({"loss": "logistic", "m": 4} | arguments))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("stranger", [None, "a"])
def test_labels_that_cannot_be_sorted_are_refused(stranger):
    labels = np.array([0, 1] * 20 + [stranger], dtype=object)
    with pytest.raises(TypeError, match="y: expected labels of one kind, none missing"):
        from_arrays(X, labels, loss="logistic", m=4)


def test_words_are_no_targets_of_a_regression():
    with pytest.raises(TypeError, match="y: expected numbers"):
        from_arrays(X, np.full(41, "a"), loss="least-squares", m=4)


@pytest.mark.parametrize("loss", ["least-squares", "logistic", "robust", "mlp"])
@pytest.mark.parametrize("partition", ["iid", "sorted", "dirichlet"])
def test_saved_orders_are_rows_of_the_users_table(tmp_path, loss, partition):
    """At x = 0 the gradient of least squares is -y a: it tells which row each step really visited."""
    rng = np.random.default_rng(5)
    X, labels = rng.standard_normal((23, 2)), rng.permutation(np.arange(23) % 2)
    dirichlet = partition == "dirichlet"
    if dirichlet and loss in ("least-squares", "robust"):
        pytest.skip("dirichlet shares out labels")
    concentration = 0.3 if dirichlet else None
    problem = from_arrays(
        X, labels, loss=loss, m=3, n=7, partition=partition, concentration=concentration, seed=4
    )
    run = cg.simulate(problem, "cd-grab", epochs=3, step_size=1e-3, record=cg.Record(orders=True))
    pi = run.orders[0, -1]
    cg.save_orders(tmp_path / "orders.npy", pi, indices="global", problem=problem)
    rows = np.load(tmp_path / "orders.npy")
    seen = cg.Problem(
        "rows themselves", 3, 7, 2, (problem.data.X, problem.data.rows), copy_row, lambda x, data: 0.0
    ).gradients(np.zeros(2))
    np.testing.assert_array_equal(X[rows], np.take_along_axis(seen, pi[:, :, None], axis=1))
    if loss == "least-squares":
        gradients = np.take_along_axis(problem.gradients(np.zeros(2)), pi[:, :, None], axis=1)
        np.testing.assert_allclose(gradients, -labels[rows][:, :, None] * X[rows], atol=1e-15)


def copy_row(out, x, who, idx, data):
    X, rows = data
    out[:] = X[rows[who, idx]]


def test_the_issue_of_twelve_rows():
    """Worker 0 held rows [8, 5, 3, 1] of the table, and its exported order said [1, 2, 0, 3]."""
    X, y = np.arange(12.0)[:, None], np.arange(12.0)
    problem = from_arrays(X, y, loss="least-squares", m=3)
    pi = np.array([[1, 2, 0, 3]] * 3)
    for i, rows in enumerate(cg.global_orders(pi, problem=problem)):
        assert X[rows, 0].tolist() == X[problem.rows[i]][[1, 2, 0, 3], 0].tolist()
    assert sorted(problem.rows.reshape(-1)) == list(range(12))
    assert not problem.rows.flags.writeable
    assert cg.problems.skewed().rows is None
