"""Every registered ordering and every linear update has its exact law on quadratics."""

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim.testing import assert_exact_law
from cdgrab_sim.testing._order_laws import LAWS, both_sums, pairs

# On quadratics; others may be, or not.
LINEAR = {
    "compressed", "compressed-scaffnew", "diana", "diana-nastya", "exact-diffusion", "gossip",
    "gradient-tracking", "heavy-ball", "local", "nastya", "nesterov", "q-nastya", "sag", "saga", "sarah",
    "scaffnew", "scaffold", "sgd", "svrg", "tamuna",
}  # fmt: skip


def general(m, n, d):
    """Every example has a Hessian of its own."""
    rng = np.random.default_rng([m, n, d])
    root = rng.standard_normal((m, n, d, d))
    hessians = root @ root.swapaxes(-1, -2) + 0.3 * np.eye(d)
    return cg.problems.from_hessians(
        (hessians + hessians.swapaxes(-1, -2)) / 2, rng.standard_normal((m, n, d))
    )


def plain(problem):
    """The same gradients in the Python loop, for updates: nothing has to be compiled for each of them."""

    def grads(out, x, who, idx, data):
        problem.grads(out, x, who, idx, problem.arrays)

    return cg.Problem("plain", problem.m, problem.n, problem.d, (), grads, lambda x, data: 0.0)


ALONE = [cg.problems.quadratic(m=1, n=3, d=2), general(1, 4, 1), general(1, 3, 2)]
TOGETHER = [cg.problems.quadratic(m=2, n=3, d=1, heterogeneity=1.0), general(2, 3, 2), general(1, 4, 2)]


@pytest.mark.parametrize("name", cg.orderings.ORDERINGS)
def test_orderings(name):
    for problem in ALONE if name == "grab" else TOGETHER:
        assert_exact_law(problem, name, law=None if name in LAWS else "any", replicates=100)


def test_orderings_of_more_workers_and_longer_rounds():
    """Where neither is CD-GraB: its law is refused."""
    ring, rounds = cg.orderings.cd_grab_gossip(), cg.orderings.cd_grab_local(steps=2)
    for problem, ordering, law in (
        (general(4, 2, 2), ring, "cd-grab-gossip"),
        (general(2, 4, 2), rounds, pairs(both_sums(2))),
    ):
        assert_exact_law(problem, ordering, law=law, replicates=100)
        with pytest.raises(AssertionError, match="expected orders of the law"):
            assert_exact_law(problem, ordering, law="cd-grab", replicates=100)


@pytest.mark.parametrize("name", sorted(cg.updates.UPDATES))
def test_updates(name):
    try:
        for problem, ordering in zip(TOGETHER, ("rr", "sgd", "cd-grab"), strict=True):
            assert_exact_law(plain(problem), ordering, name, replicates=60)
    except AssertionError as error:
        if name in LINEAR or "affine in the iterates" not in str(error):
            raise
