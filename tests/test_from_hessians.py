"""Quadratics with Hessians of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cdgrab_sim as cg


def arrays(m=3, n=5, d=11, seed=0):
    rng = np.random.RandomState(seed)
    B = rng.standard_normal((m, n, d, d))
    return 2 * d * np.eye(d) + B + B.swapaxes(2, 3), rng.standard_normal((m, n, d))


def test_gradients_are_those_of_the_value_of_each_example():
    A, c = arrays()
    problem = cg.problems.from_hessians(A, c)
    x, out = np.random.RandomState(1).standard_normal(11), np.empty((15, 11))
    problem.grads(out, x, np.repeat(np.arange(3), 5), np.tile(np.arange(5), 3), problem.data)
    assert_allclose(out.reshape(3, 5, 11), A @ x - c, rtol=1e-12)
    values = 0.5 * np.einsum("p,ijpq,q->ij", x, A, x) - c @ x
    assert problem.value(x, problem.data) == pytest.approx(values.mean(), rel=1e-12)


def test_the_minimiser_has_gradient_zero_and_the_least_value():
    A, c = arrays()
    problem = cg.problems.from_hessians(A, c)
    assert_allclose(A.mean(axis=(0, 1)) @ problem.x_star, c.mean(axis=(0, 1)), atol=1e-12)
    for step in 1e-3 * np.eye(11):
        assert problem.value(problem.x_star + step, problem.data) > problem.f_star
    assert problem.constants["mu"] == pytest.approx(np.linalg.eigvalsh(A.mean(axis=(0, 1))).min())
    assert problem.constants["L"] == pytest.approx(np.abs(np.linalg.eigvalsh(A)).max())


def test_one_hessian_for_all_is_the_quadratic_family():
    known = cg.problems.quadratic(m=2, n=4, d=2, eigenvalues=[1.0, 3.0])
    H = np.broadcast_to(np.diag([1.0, 3.0]), (2, 4, 2, 2))
    same = cg.problems.from_hessians(H, known.data[0] * [1.0, 3.0])
    assert_allclose(same.x_star, known.x_star, rtol=1e-12)
    runs = [cg.simulate(p, "rr", epochs=5, step_size=0.05) for p in (known, same)]
    assert_allclose(runs[0].x, runs[1].x, rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda A, c: (A[:, :4], c), "expected shape"),
        (lambda A, c: (A + np.triu(np.ones((11, 11)), 1), c), "symmetric"),
        (lambda A, c: (-A, c), "positive definite mean"),
    ],
)
def test_what_is_no_family_of_quadratics_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        cg.problems.from_hessians(*change(*arrays()))
