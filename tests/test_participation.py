"""Who takes part: against rounds written out, against full participation, and against the laws of cohorts."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim import cli, participation
from cdgrab_sim._commands._run import _cohorts
from cdgrab_sim._rng import Role, Stream

PERMUTING = cg.orderings.select(lambda ordering: not ordering.replacement)
BOTH = cg.Record(trajectory=True, orders=True)
HALF = {"name": "rand-k", "k": 1}


def grads(out, x, who, idx, data):
    out[:] = (data.hessians[who, idx] * x).sum(axis=-1) - data.linear[who, idx]


def plain(hessians, linear):
    """Gradients in plain Python: nothing is compiled here."""
    return replace(cg.problems.from_hessians(hessians, linear), name="plain", grads=grads, walk=None)


def quadratics(m=4, n=6, d=2, seed=0):
    """Every example has a Hessian of its own."""
    rng = np.random.default_rng([seed, m, n, d])
    root = rng.standard_normal((m, n, d, d))
    A = 0.3 * np.eye(d) + root @ root.swapaxes(2, 3) / (2 * d)
    return plain((A + A.swapaxes(2, 3)) / 2, rng.standard_normal((m, n, d)))


def run_of(problem, who, update="sgd", ordering="rr", **more):
    given = {"epochs": 5, "step_size": 0.1, "x0": np.ones(problem.d), "record": BOTH} | more
    return cg.simulate(problem, ordering, update=update, participation=who, **given)


def drawn(who, problem, rounds, seed=0, replicate=0):
    cohorts = who.cohorts(problem, seed, replicate)
    return [next(cohorts).tolist() for _ in range(rounds)]


UPDATES = {
    "sgd": cg.updates.sgd(),
    "heavy-ball": cg.updates.heavy_ball(),
    "adam": cg.updates.adam(),
    "local": cg.updates.local(steps=4),
    "epochs": cg.updates.local(steps=None),
    "nastya": cg.updates.nastya(),
    "compressed": cg.updates.compressed(compressor=HALF),
    "q-nastya": cg.updates.q_nastya(compressor=HALF, steps=4),
}
ALL = [
    participation.uniform(cohort=4),
    participation.ordered(cohort=4, ordering="rr"),
    participation.ordered(cohort=4, ordering="cd-grab"),
    participation.available(chances=1.0),
]


@pytest.mark.parametrize("name", UPDATES)
def test_cohorts_of_all_are_full_participation_to_the_bit(name):
    problem = quadratics()
    for batch, ordering in ((1, "cd-grab"), (4, "rr")):  # four in six: the last batch is short
        full = run_of(problem, None, UPDATES[name], ordering, batch=batch)
        for who in ALL:
            run = run_of(problem, who, UPDATES[name], ordering, batch=batch)
            assert_array_equal(run.trajectory, full.trajectory)
            assert_array_equal(run.orders, full.orders)


@pytest.mark.parametrize("m", [3, 40])
def test_compiled_walks_seat_everybody_alike(m):
    """The fused walk and the one of updates, chunks of an epoch and of a round."""
    problem = cg.problems.skewed(m=m, n=8, d=3)
    for update in ("heavy-ball", cg.updates.local(steps=3)):
        runs = [run_of(problem, who, update) for who in (None, participation.uniform(cohort=m))]
        assert_array_equal(runs[0].trajectory, runs[1].trajectory)


def naive(problem, orders, cohorts, H, alpha, batch):
    """FedAvg worker by worker: a new cohort every H updates, who leaves x only with its own examples."""
    A, c, n = problem.data.hessians, problem.data.linear, problem.n
    x, path, taken, shown = np.ones(problem.d), [np.ones(problem.d)], 0, []
    for pi in orders:
        for k in range(0, n, batch):
            if taken % H == 0:
                who = cohorts[taken // H]
                points = dict.fromkeys(who, x)
                means = {i: [] for i in who}
            for i in who:
                g = [A[i, j] @ points[i] - c[i, j] for j in pi[i, k : k + batch]]
                points[i] = points[i] - alpha * sum(g) / batch
                means[i] += g
            taken += 1
            if taken % H == 0:
                x = np.mean([points[i] for i in who], axis=0)
                shown.append([np.mean(means[i], axis=0) for i in who])
        path.append(x)
    return np.array(path), shown


@pytest.mark.parametrize(("H", "batch"), [(1, 1), (4, 1), (6, 1), (2, 4)])
@pytest.mark.parametrize("ordering", ["rr", "cd-grab"])
def test_rounds_equal_those_written_out_worker_by_worker(H, batch, ordering):
    problem, who = quadratics(), participation.uniform(cohort=2)
    run = run_of(problem, who, cg.updates.local(steps=H), ordering, batch=batch)
    expected, _ = naive(problem, run.orders[0], drawn(who, problem, 30), H, 0.1, batch)
    assert_allclose(run.trajectory[0], expected, rtol=0, atol=1e-14)


def test_an_ordering_of_workers_herds_the_mean_gradients_of_their_rounds():
    """Two rounds of four workers are a meta-epoch; what is decided there, `cg.replay` decides again."""
    problem, shown = quadratics(m=8), []
    order = cg.orderings.cd_grab(first=[2, 0, 3, 1, 7, 5, 4, 6])

    def observe(state, seen):
        shown.append((seen.at[:, 0].tolist(), seen.G[:, 0].copy()))
        order.observe(state, seen)

    who = participation.ordered(cohort=4, ordering=replace(order, observe=observe))
    run = run_of(problem, who, cg.updates.local(steps=3))  # ten rounds: the last one is not told
    assert len(shown) == 9
    path, means = naive(problem, run.orders[0, :4], [sorted(at) for at, _ in shown], 3, 0.1, 1)
    assert_allclose(run.trajectory[0, :5], path, rtol=0, atol=1e-13)
    for (at, G), expected in zip(shown, means, strict=False):
        assert_allclose(G, [expected[sorted(at).index(i)] for i in at], rtol=0, atol=1e-13)
    pi, G = np.array([at for at, _ in shown[:8]]), np.array([G for _, G in shown[:8]])
    again = cg.replay(G.reshape(4, 8, 1, 2), order)
    assert_array_equal(again.orders[:, 0], pi.reshape(4, 8))
    assert len(np.unique(again.orders, axis=0)) == 4


@pytest.mark.parametrize("name", PERMUTING)
def test_everybody_takes_part_once_in_a_meta_epoch(name):
    problem = quadratics(m=6)
    who = participation.ordered(cohort=2, ordering=name)
    cohorts, seen = who.cohorts(problem, 0, 0), []
    shown = None
    for _ in range(4):
        meta = []
        for _ in range(3):
            cohort = cohorts.send(shown)
            meta += cohort.tolist()
            shown = np.cos(cohort[:, None] + np.arange(2.0)) if who.looks else None
        assert sorted(meta) == list(range(6))
        seen.append(tuple(meta))
    assert (len(set(seen)) == 1) == (name in ("ig", "fixed", "so", "herding"))


def test_cohorts_have_addresses():
    """Those of a round depend on seed, replicate and round: not on orders of examples, updates or epochs."""
    problem = quadratics(m=6)
    for who in (participation.uniform(cohort=2), participation.available(), participation.ordered(cohort=2)):
        one = drawn(who, problem, 20)
        assert one == drawn(who, replace(problem, n=3, smoothness=None), 20)
        assert one != drawn(who, problem, 20, seed=1)
        assert one != drawn(who, problem, 20, replicate=1)
    run = run_of(problem, participation.ordered(cohort=1), epochs=6)  # m = n: not the order of the examples
    assert (
        np.ravel(drawn(participation.ordered(cohort=1), problem, 6)).tolist() != run.orders[0, 0, 0].tolist()
    )


def test_draws_of_an_update_are_those_of_the_worker():
    """One step of Rand-1 from the cohort {1, 3}: coordinates by the numbers that workers 1 and 3 have."""

    def cohorts(problem, seed, replicate):
        while True:
            yield np.array([1, 3])

    problem, rand = quadratics(n=1, d=5), cg.compressors.rand_k(k=1)
    run = run_of(problem, participation.Participation("odd", cohorts), cg.updates.compressed(compressor=HALF),
                 epochs=1, seed=3)  # fmt: skip
    u, A, c = Stream(3, Role.UPDATE, 0).at(0).random((4, 1, 5)), *problem.data[:2]
    sent = [rand(A[i, 0] @ np.ones(5) - c[i, 0], u[i, 0]) for i in (1, 3)]
    assert_allclose(run.x[0], np.ones(5) - 0.1 * np.mean(sent, axis=0), rtol=0, atol=1e-14)


def test_all_subsets_are_drawn_alike():
    cohorts = drawn(participation.uniform(cohort=2), quadratics(m=4), 6000)
    counts = [cohorts.count([i, j]) for i, j in itertools.combinations(range(4), 2)]
    assert sum(counts) == 6000
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 20.5  # chi^2 of 5 degrees: one in a thousand


def test_absent_workers_show_nothing():
    """A witness among the orderings: who was there, which examples, and that the rows are their gradients."""
    problem, pieces = quadratics(), []
    base = cg.orderings.rr()

    def observe(state, seen):
        pieces.append([np.array(a) for a in (seen.who, seen.at, seen.G)])

    witness = replace(base, name="witness", observe=observe, verified=False)
    who = participation.uniform(cohort=2)
    run = run_of(problem, who, cg.updates.local(steps=3), witness, epochs=2)
    A, c = problem.data.hessians, problem.data.linear
    for piece, cohort in enumerate(drawn(who, problem, 4)):
        present, at, G = pieces[piece]
        assert present.tolist() == cohort
        steps = run.orders[0, piece // 2][cohort, 3 * (piece % 2) :][:, :3]
        assert_array_equal(at, steps.T)
        if piece % 2 == 0:
            x = run.trajectory[0, piece // 2]
            first = [A[i, j] @ x - c[i, j] for i, j in zip(cohort, at[0], strict=True)]
            assert_allclose(G[0], first, rtol=0, atol=1e-14)
    assert len(pieces) == 4


def test_who_is_drawn_twice_counts_twice_and_is_shown_once():
    def cohorts(problem, seed, replicate):
        while True:
            yield np.array([1, 1, 2])

    problem, twice = quadratics(), participation.Participation("twice", cohorts)
    run = run_of(problem, twice, cg.updates.local(steps=3), "cd-grab", epochs=2)
    expected, _ = naive(problem, run.orders[0], [[1, 1, 2]] * 4, 3, 0.1, 1)
    A, c, x = problem.data.hessians, problem.data.linear, np.ones(2)
    for pi in run.orders[0]:
        for k in (0, 3):
            ends = []
            for i in (1, 2):
                y = x
                for j in pi[i, k : k + 3]:
                    y = y - 0.1 * (A[i, j] @ y - c[i, j])
                ends.append(y)
            x = (2 * ends[0] + ends[1]) / 3
    assert_allclose(run.trajectory[0, -1], x, atol=1e-14)
    assert len(expected) == 3


# Laws


@pytest.mark.parametrize("C", [1, 2])
def test_uniform_cohorts_have_the_law_of_their_affine_maps(C):
    """Full local gradients: every path is a product of the maps of cohorts, and all are equally likely."""
    problem, H, T, alpha, m = quadratics(m=3, n=1), 3, 3, 0.2, 3
    A, c = problem.data.hessians[:, 0], problem.data.linear[:, 0]
    subsets = list(itertools.combinations(range(m), C))

    def after(x, who):
        ends = []
        for i in who:
            y = x
            for _ in range(H):
                y = y - alpha * (A[i] @ y - c[i])
            ends.append(y)
        return np.mean(ends, axis=0)

    paths = {(): np.ones(2)}
    for _ in range(T):
        paths = {(*key, s): after(x, s) for key, x in paths.items() for s in subsets}
    R = 300
    run = run_of(problem, participation.uniform(cohort=C), cg.updates.local(steps=H), epochs=H * T,
                 step_size=alpha, replicates=R, record=None)  # fmt: skip
    ends = np.array(list(paths.values()))
    nearest = np.abs(run.x[:, None] - ends).max(axis=2)
    assert nearest.min(axis=1).max() < 1e-14
    counts = np.bincount(nearest.argmin(axis=1), minlength=len(ends))
    expected = R / len(ends)
    assert ((counts - expected) ** 2 / expected).sum() < 54.1  # chi^2 of 26 degrees: one in a thousand
    error = run.x.std(axis=0) / np.sqrt(R)
    assert (np.abs(run.x.mean(axis=0) - ends.mean(axis=0)) < 3 * error).all()


@pytest.mark.parametrize("own", [[6, 6, 6, 6], [2, 6, 3, 6]])
def test_a_cohort_moves_like_all_workers_in_expectation(own):
    """Workers with fewer examples are filled up with empty ones: equal weights count all examples alike."""
    data, n = quadratics().data, 6
    there = np.arange(n) < np.array(own)[:, None]
    problem = plain(data.hessians * there[..., None, None], data.linear * there[..., None])
    full = run_of(problem, None, cg.updates.local(steps=n), "ig", epochs=1).x[0]
    ends = []
    for subset in itertools.combinations(range(4), 2):

        def cohorts(problem, seed, replicate, who=subset):
            while True:
                yield np.array(who)

        these = participation.Participation("these", cohorts)
        ends.append(run_of(problem, these, cg.updates.local(steps=n), "ig", epochs=1).x[0])
    assert_allclose(np.mean(ends, axis=0), full, rtol=0, atol=1e-15)


def test_availability_that_depends_on_the_data_moves_the_end():
    """E x obeys an affine recursion, whose rest is the minimiser of objectives with other weights."""
    problem, alpha = quadratics(m=3, n=1), 0.1
    A, c = problem.data.hessians[:, 0], problem.data.linear[:, 0]

    def chances(given):
        return np.where(given.gradients(given.x_star)[:, 0, 0] > 0.0, 0.9, 0.2)

    p, omega = chances(problem), np.zeros(3)
    assert sorted(set(p)) == [0.2, 0.9]
    for there in itertools.product((0, 1), repeat=3):
        if any(there):
            omega += np.prod(np.where(there, p, 1 - p)) * np.array(there) / sum(there)
    omega /= omega.sum()  # nobody there: no round
    rest = np.linalg.solve(np.tensordot(omega, A, 1), omega @ c)
    assert np.linalg.norm(rest - problem.x_star) > 0.1
    P, q, mean = np.eye(2) - alpha * np.tensordot(omega, A, 1), alpha * omega @ c, np.ones(2)
    for _ in range(30):
        mean = P @ mean + q
    run = run_of(problem, participation.available(chances=chances), epochs=30, step_size=alpha,
                 replicates=100, record=None)  # fmt: skip
    error = run.x.std(axis=0) / 10
    assert (np.abs(run.x.mean(axis=0) - mean) < 3 * error).all()
    assert (error < 0.1 * np.linalg.norm(rest - problem.x_star)).all()  # the shift is seen


# Doors


def ended(problem, seed, replicate):
    yield np.arange(2)


def unsorted(problem, seed, replicate):
    while True:
        yield np.array([1, 0])


BAD = {
    "cohort: expected a whole number >= 1; got 0": lambda: participation.uniform(cohort=0),
    "cohort: expected a whole number 1..4; got 5": lambda: run_of(
        quadratics(), participation.uniform(cohort=5)
    ),
    "cohort: expected a whole number 1..4; got 8": lambda: run_of(
        quadratics(), participation.ordered(cohort=8)
    ),
    "cohort: expected a divisor of m = 4; got 3": lambda: run_of(
        quadratics(), participation.ordered(cohort=3)
    ),
    r"chances: expected numbers in \(0, 1\]; got \[0.0\]": lambda: run_of(
        quadratics(), participation.available(chances=0.0)
    ),
    r"chances: expected a number, or one for each of m = 4 workers; got \(2,\)": lambda: run_of(
        quadratics(), participation.available(chances=[0.5, 0.5])
    ),
    "update 'diana': expected one that is stateless where workers are absent": lambda: run_of(
        quadratics(), "uniform", cg.updates.diana(compressor=HALF)
    ),
    "update 'local': expected one that is stateless": lambda: run_of(
        quadratics(), "uniform", cg.updates.local(weights=[0.25] * 4)
    ),
    "record: expected neither herding nor balance where workers are absent": lambda: run_of(
        quadratics(), "uniform", record=cg.Record(herding=["l2"])
    ),
    "unknown participation 'some'": lambda: run_of(quadratics(), "some"),
    "participation 'ended': cohorts: expected a cohort for every round; got no more": lambda: run_of(
        quadratics(), participation.Participation("ended", ended)
    ),
    r"expected 1 to m = 4 workers in ascending order; got \[1, 0\]": lambda: run_of(
        quadratics(), participation.Participation("unsorted", unsorted)
    ),
    "--clients: expected --cohort beside it; got rr alone": lambda: _cohorts(None, "rr"),
}


@pytest.mark.parametrize("message", BAD)
def test_wrong_arguments_are_refused_in_one_line(message):
    with pytest.raises(ValueError, match=message) as refused:
        BAD[message]()
    assert "\n" not in str(refused.value)


def test_the_command_and_a_sweep_take_it(capsys):
    sizes = ["-m", "4", "-n", "8", "-d", "2", "--epochs", "3", "--step-size", "0.01"]
    assert cli.main(["run", *sizes, "--cohort", "2", "--clients", "ig", "--json"]) == 0
    shown = capsys.readouterr().out
    assert '"participation": {"name": "ordered", "cohort": 2, "ordering": "ig"}' in shown
    config = {"problem": "skewed", "m": 4, "n": 8, "d": 2, "ordering": "rr", "epochs": 3, "step_size": 0.01}
    who = {"name": "uniform", "cohort": 2}
    found = cg.sweep([config | {"participation": who}], store=None)
    run = cg.simulate(cg.problems.skewed(m=4, n=8, d=2), "rr", epochs=3, step_size=0.01, participation=who)
    assert found.table()["final_loss"][0] == run.loss[0, -1]
