"""Counts of memory and arithmetic against what runs, and the modelled network by hand."""

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import experiments, orderings
from cdgrab_sim.experiments import cost
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.cost import stored
from cdgrab_sim.experiments.cost.model import Network, counts, epoch_seconds

NAMES = ["sgd", "ig", "so", "rr", "flipflop", "d-grab", "d-grab-pair", "cd-grab"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("m", "n", "d"), [(3, 5, 2), (2, 8, 7)])
def test_memory_is_what_the_state_holds(name, m, n, d):
    problem = cg.problems.skewed(m=m, n=n, d=d)
    held, derived = stored(orderings.make(name), problem), counts(name, m, n, d)
    assert (held.server, held.worker, held.integers) == (derived.server, derived.worker, derived.integers)


class Counted(float):
    """A number that counts the operations on it."""

    done = 0

    def _count(self, other, result):
        Counted.done += 1
        return Counted(result)

    def __add__(self, other):
        return self._count(other, float(self) + float(other))

    def __sub__(self, other):
        return self._count(other, float(self) - float(other))

    def __mul__(self, other):
        return self._count(other, float(self) * float(other))

    def __truediv__(self, other):
        return self._count(other, float(self) / float(other))


def operations(work):
    Counted.done = 0
    work()
    return Counted.done


def numbers(rng, *shape):
    return np.vectorize(Counted, otypes=[object])(rng.standard_normal(shape))


def inner(s, v):
    total = s[0] * v[0]
    for a, b in zip(s[1:], v[1:], strict=True):
        total = total + a * b
    return total


def add_signed(s, v):
    plus = inner(s, v) <= 0.0
    return [a + b if plus else a - b for a, b in zip(s, v, strict=True)]


@pytest.mark.parametrize("n", [4, 5])
def test_arithmetic_is_what_the_definitions_do(n):
    m, d, rng = 3, 4, np.random.RandomState(0)
    G = numbers(rng, m, n, d)

    def pairs_of_a_worker(g):
        s = numbers(rng, d)
        for k in range(0, n - 1, 2):
            s = add_signed(s, [a - b for a, b in zip(g[k], g[k + 1], strict=True)])

    def means_of_a_worker(g):
        s, mean, total = numbers(rng, d), numbers(rng, d), numbers(rng, d)
        for one in g:
            total = [a + b for a, b in zip(total, one, strict=True)]
            s = add_signed(s, [a - b for a, b in zip(one, mean, strict=True)])
        return [a / n for a in total]

    assert operations(lambda: pairs_of_a_worker(G[0])) == counts("d-grab-pair", m, n, d).worker_operations
    assert operations(lambda: means_of_a_worker(G[0])) == counts("d-grab", m, n, d).worker_operations
    coordinated = counts("cd-grab", m, n, d)
    together = m * coordinated.worker_operations + coordinated.server_operations
    assert operations(lambda: [pairs_of_a_worker(g) for g in G]) == together
    assert coordinated.sent == m * (n // 2) * d + m * (n // 2)  # differences up, signs down


def test_the_model_by_hand():
    network = Network(latency=3.0, bandwidth=8.0, speed=2.0)  # a float a second
    # 4 steps: 10 operations in 5 s; ring of 2 (m - 1) = 2 messages of 6 / 2 floats, each 3 + 3 s
    assert epoch_seconds("rr", network, m=2, n=4, d=6, operations=10.0) == 4 * (5.0 + 12.0)
    # d-grab adds 4 * (5 * 6 - 1) + 6 = 122 operations
    assert epoch_seconds("d-grab", network, m=2, n=4, d=6, operations=10.0) == 68.0 + 61.0
    # cd-grab: 2 pairs; 12 operations of a worker, 2 * 2 * 17 of the server; 4 latencies; 2 * 2 * 7 floats
    assert epoch_seconds("cd-grab", network, m=2, n=4, d=6, operations=10.0) == 68.0 + 40.0 + 12.0 + 28.0


def test_an_ordering_that_nobody_counted_is_refused():
    with pytest.raises(ValueError, match="ordering 'herding': expected one whose costs are derived"):
        counts("herding", 2, 4, 3)


def test_the_table_holds_counts_times_and_the_model(monkeypatch):
    monkeypatch.setattr(cost, "QUICK", cost.SIZES | {"m": 2, "n": 6, "epochs": 1, "repeats": 2})
    result = cost.run(Options(quick=True, jobs=1))
    rows = {(row.name, row.quantity): row for row in result.rows}
    assert {row.verdict for row in result.rows} == {"agrees", "no prediction"}
    assert rows["cd-grab", "floats sent per epoch"].measured == 2 * 3 * 65
    shares = result.data["model cd-grab"] / result.data["model rr"]
    assert rows["cd-grab", "modelled time / rr, LeNet, m = 4"].measured == shares[1]
    assert len(experiments.figure(result).axes) == 1


@pytest.mark.parametrize(("field", "row"), [("server", 0), ("worker", 1), ("integers", 2)])
def test_one_number_too_many_is_seen(field, row, monkeypatch):
    problem = cg.problems.skewed(m=3, n=5, d=2)
    assert {one.verdict for one in cost._counted("cd-grab", problem)[:3]} == {"agrees"}
    held = stored(orderings.make("cd-grab"), problem)
    monkeypatch.setattr(cost, "stored", lambda *_: held._replace(**{field: getattr(held, field) + 1}))
    assert [one.verdict for one in cost._counted("cd-grab", problem)[:3]].index("disagrees") == row


def test_the_first_time_of_all_is_not_counted():
    config = {"orderings": ["rr", "so"], "repeats": 2, "epochs": 1}
    measured = cost.timed(cg.problems.skewed(m=1, n=2, d=1), config, Options(jobs=1))
    assert {name: times.shape for name, times in measured.items()} == {"rr": (2,), "so": (2,)}
