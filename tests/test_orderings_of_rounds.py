"""Orderings for workers that communicate once in a round: cd-grab-local and SyncShuf."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim.experiments.local.prefixes import path_in_rounds

ORDERS = cg.Record(orders=True)


def naive_orders(G, first, H):
    """From the recurrence, pair by pair, on gradients (T, n, m, d) in the order in which they are shown."""
    T, n, m, _ = G.shape
    pi, orders = np.array(first), [np.array(first)]
    for t in range(T):
        s, own, after = np.zeros(2), np.zeros((m, 2)), np.full((m, n), -1)
        for j in range(n // 2):
            for i in range(m):
                own[i] *= j % H > 0
                v = G[t, 2 * j, i] - G[t, 2 * j + 1, i]
                eps = 1 if (s + (H - 1) / H * m * own[i]) @ v <= 0.0 else -1
                s, own[i] = s + eps * v, own[i] + eps * v
                pair = pi[i, 2 * j : 2 * j + 2]
                after[i, j], after[i, n - 1 - j] = pair if eps > 0 else pair[::-1]
        if n % 2:
            after[:, n // 2] = pi[:, -1]
        pi = after
        orders.append(pi)
    return np.array(orders)


@pytest.mark.parametrize("n", [8, 9, 16])
@pytest.mark.parametrize("H", [1, 2, 4, 8])
@pytest.mark.parametrize("m", [1, 3])
def test_signs_answer_both_sums(m, n, H):
    """Multiples of H keep all products exact."""
    G = H * np.random.RandomState(m + n + H).randint(-9, 10, size=(4, n, m, 2)).astype(float)
    found = cg.replay(G, cg.orderings.cd_grab_local(steps=H)).orders
    assert_array_equal(found, naive_orders(G, found[0], H)[: len(found)])


def orders_of(ordering, update):
    problem = cg.problems.skewed(m=3, n=8, d=2)
    return cg.simulate(problem, ordering, epochs=4, step_size=0.01, update=update, record=ORDERS).orders


def test_it_takes_h_from_the_update_it_runs_with():
    by_name = orders_of("cd-grab-local", cg.updates.local(steps=4))
    assert_array_equal(by_name, orders_of(cg.orderings.cd_grab_local(steps=4), cg.updates.local(steps=4)))
    assert (by_name != orders_of(cg.orderings.cd_grab_local(steps=1), cg.updates.local(steps=4))).any()
    epoch = orders_of("cd-grab-local", cg.updates.nastya())  # whose round is an epoch
    assert_array_equal(epoch, orders_of(cg.orderings.cd_grab_local(steps=8), cg.updates.nastya()))
    assert_array_equal(orders_of("cd-grab-local", "adam"), orders_of("cd-grab", "adam"))


def test_steps_are_refused_where_they_are_none():
    with pytest.raises(ValueError, match="steps: expected a whole number >= 1; got 0"):
        cg.orderings.cd_grab_local(steps=0)


def test_it_herds_the_server_and_every_worker_where_others_herd_one_of_them():
    """Mean squares over static normal vectors, after the first rounds: m = 16, H = 16."""
    problem = cg.problems.skewed(m=16, n=64, d=3)
    how = {"epochs": 24, "step_size": 1e-12, "update": cg.updates.local(steps=16), "record": ORDERS}
    found = {}
    for name in ("d-grab-pair", "cd-grab", "cd-grab-local"):
        orders = cg.simulate(problem, name, **how).orders[0, 12:]
        parts = path_in_rounds(problem.data.terms, orders, 16)
        found[name] = [(part**2).sum(axis=-1).mean() for part in parts]
    (alone, drift), (together, far), (parallel, near) = found.values()
    assert together < parallel < 0.7 * alone
    assert near < 1.1 * drift < 0.5 * far


@pytest.mark.parametrize(("m", "n"), [(4, 16), (3, 9), (3, 8)])
def test_syncshuf_shifts_one_permutation_and_cancels_prefixes_of_equal_workers(m, n):
    problem = cg.problems.quadratic(m=m, n=n, d=1)
    orders = cg.simulate(problem, "sync-shuf", epochs=3, step_size=0.01, record=ORDERS).orders[0]
    for pi in orders:
        for i in range(m):
            assert_array_equal(pi[i], np.roll(pi[0], -(i * n // m)))
        if n % m == 0:
            visited = np.sort(pi[:, : n // m].ravel())
            assert_array_equal(visited, np.arange(n))
    assert (orders[0] != orders[1]).any()
