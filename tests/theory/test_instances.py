"""The instances against their definitions: fractions, displayed update rules, another quadrature."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from theory import instances
from theory.quadratics import expected_epoch, squares

# ---- I1, I6: skewed ----------------------------------------------------------------------------------------


def bridge_equation(c, kappa):
    """(kappa - 1) E int (B - c)_+ dt - c by quadrature over the marginals of the bridge, t = sin^2(u)."""

    def excess(u):
        s = math.sin(u) * math.cos(u)
        return 2.0 * s * (s * stats.norm.pdf(c / s) - c * stats.norm.sf(c / s))

    return (kappa - 1.0) * integrate.quad(excess, 1e-9, math.pi / 2 - 1e-9, epsabs=1e-13)[0] - c


@pytest.mark.parametrize(("kappa", "stated"), [(10.0, 0.3697), (50.0, 0.6314), (1.5, None), (1000.0, None)])
def test_bridge_constant_against_quadrature(kappa, stated):
    got = instances.bridge_constant(kappa)
    assert got == pytest.approx(
        optimize.brentq(bridge_equation, 0.0, 5.0, args=(kappa,), xtol=1e-12), abs=1e-9
    )
    if stated is not None:
        assert got == pytest.approx(stated, abs=1e-4)


def test_bridge_constant_at_its_ends():
    assert instances.bridge_constant(1.0) == 0.0
    tiny = 1e-6  # c ~ (kappa - 1) * int s phi(0) dt = (kappa - 1) * (pi / 8) / sqrt(2 pi)
    assert instances.bridge_constant(1.0 + tiny) / tiny == pytest.approx(math.sqrt(math.pi / 128), rel=1e-5)
    assert instances.bridge_constant(1e12) > instances.bridge_constant(1e6)


def simulated_mean(nu, kappa, alpha, replicates, burn, epochs, seed):
    """Mean of x at epoch ends; replicates side by side, fresh permutations on every worker."""
    m, n = nu.shape
    rng = np.random.default_rng(seed)
    x, total = np.zeros(replicates), np.zeros(replicates)
    for epoch in range(burn + epochs):
        steps = rng.permuted(np.broadcast_to(nu[:, :, None], (m, n, replicates)), axis=1).mean(axis=0)
        for g in steps:
            x -= alpha * (np.where(x > 0, 1.0, kappa) * x + g)
        if epoch >= burn:
            total += x
    means = total / epochs
    return means.mean(), means.std(ddof=1) / math.sqrt(replicates)


@pytest.mark.parametrize(("kappa", "m"), [(10.0, 1), (10.0, 3)])
def test_reshuffling_drifts_to_the_predicted_side(kappa, m):
    """n = 400, alpha n L = 0.1: within 8 %, ten standard errors and more, so never by chance."""
    n = 400
    nu = np.random.default_rng(6).normal(size=(m, n))
    nu -= nu.mean(axis=1, keepdims=True)
    alpha = 0.1 / (n * kappa)
    measured, error = simulated_mean(nu, kappa, alpha, replicates=192, burn=300, epochs=100, seed=7)
    predicted = instances.skewed_mean(kappa, alpha, math.sqrt(float((nu**2).mean())), n, m)
    assert error < 0.008 * predicted
    assert measured == pytest.approx(predicted, rel=0.08)


def test_skewed_mean_scales_as_stated():
    base = instances.skewed_mean(10.0, 0.01, 2.0, 64, 4)
    assert base == pytest.approx(0.01 * 2.0 * 4.0 * instances.bridge_constant(10.0))
    assert instances.skewed_mean(10.0, 0.01, 2.0, 256, 4) == pytest.approx(2 * base)
    assert instances.skewed_mean(10.0, 0.01, 2.0, 64, 16) == pytest.approx(base / 2)


def test_skewed_function_and_gradient():
    x, L, mu = np.array([-2.0, -1e-3, 0.0, 1e-3, 3.0]), 7.0, 0.5
    naive = sum((L if v <= 0 else mu) * v * v / 2 for v in x)
    assert instances.skewed_value(x, L, mu) == pytest.approx(naive, rel=1e-15)
    step = 1e-6 * np.eye(5)
    finite = [
        (instances.skewed_value(x + e, L, mu) - instances.skewed_value(x - e, L, mu)) / 2e-6 for e in step
    ]
    np.testing.assert_allclose(instances.skewed_gradient(x, L, mu), finite, atol=1e-5)


def test_sign_terms_are_balanced():
    nu = instances.sign_terms(3, 6, 0.5)
    assert nu.shape == (3, 6)
    assert (np.abs(nu) == 0.5).all()
    assert (nu.sum(axis=1) == 0).all()
    assert (nu[:, :3] > 0).all()


# ---- I2: Safran and Shamir ---------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["shared", "split"])
def test_safran_shamir_steps_as_displayed(variant):
    n, G, lam, lam_max, epochs = 6, 1.5, 1.0, 20.0, 40
    data = instances.safran_shamir(variant, n, G, lam, lam_max)
    eta = instances.safran_shamir_step_size(n, epochs, lam)
    assert eta == math.log(n * epochs) / (lam * n * epochs)
    x = data.x0.copy()
    u, v = -G / lam / 2, -G / lam_max / 2
    rng = np.random.default_rng(0)
    for j in itertools.chain.from_iterable(rng.permutation(n) for _ in range(3)):
        x = x - eta * (data.hessians[j] * x + data.linear[j])
        bit = int(j < n // 2)
        u = (1 - eta * lam) * u
        curvature = lam_max if variant == "shared" else lam_max * bit
        v = (1 - eta * curvature) * v + eta * G / 2 * (2 * bit - 1)
    np.testing.assert_allclose(x, [u, v], rtol=1e-13)


@pytest.mark.parametrize(("variant", "share"), [("shared", 0.5), ("split", 0.25)])
def test_safran_shamir_mean_loss(variant, share):
    data = instances.safran_shamir(variant, 4, 1.0, 2.0, 30.0)
    x = np.array([0.3, -0.7])
    loss = np.mean([0.5 * h @ x**2 + c @ x for h, c in zip(data.hessians, data.linear, strict=True)])
    assert loss == pytest.approx(2.0 / 2 * x[0] ** 2 + share * 30.0 * x[1] ** 2, rel=1e-14)


# ---- I3: step-size regimes ---------------------------------------------------------------------------------


def test_scalar_loss_is_what_steps_give():
    x = 1.7
    for steps in range(5):
        assert instances.scalar_loss(3.0, 0.2, 1.7, steps) == pytest.approx(1.5 * x * x, rel=1e-13)
        x -= 0.2 * 3.0 * x
    assert instances.scalar_loss(3.0, 0.7, 1.0, 50) > instances.scalar_loss(3.0, 0.7, 1.0, 0)


def test_small_steps_leave_the_loss_above_the_bound():
    bound = instances.small_step_loss(0.5, 2.0)
    losses = {N: instances.scalar_loss(0.5, 1 / (0.5 * N), 2.0, N) for N in range(2, 200)}
    assert min(losses.values()) >= bound
    assert losses[2] == bound  # attained, so 32 cannot be lowered
    for N in (2, 5, 50):
        assert instances.scalar_loss(0.5, 0.3 / (0.5 * N), 2.0, N) >= bound


# ---- I4, I5: quadratics ------------------------------------------------------------------------------------


def test_shared_hessian_gives_within_worker_moments_in_the_eigenbasis():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(3, 3))
    hessian, b = half @ half.T + np.eye(3), rng.normal(size=(2, 4, 3)) + 5 * rng.normal(size=(2, 1, 3))
    data = instances.shared_hessian(hessian, b)
    np.testing.assert_allclose(data.basis @ np.diag(data.eigenvalues) @ data.basis.T, hessian, atol=1e-12)
    np.testing.assert_allclose(data.x_star, b.reshape(-1, 3).mean(axis=0), atol=1e-14)
    np.testing.assert_allclose(data.deviations @ data.basis.T + data.x_star, b, atol=1e-12)
    original = np.mean([np.cov(worker.T, bias=True) for worker in b], axis=0)
    np.testing.assert_allclose(data.basis @ data.covariance @ data.basis.T, original, atol=1e-12)


def test_general_quadratics_at_their_optimum():
    rng = np.random.default_rng(1)
    half = rng.normal(size=(2, 3, 2, 2))
    a, c = half @ half.swapaxes(-1, -2), rng.normal(size=(2, 3, 2))
    data = instances.general_quadratics(a, c)

    def loss(x):
        return np.mean([0.5 * x @ a[i, j] @ x - c[i, j] @ x for i in range(2) for j in range(3)])

    best = optimize.minimize(loss, np.zeros(2), tol=1e-12)
    np.testing.assert_allclose(data.x_star, best.x, atol=1e-5)
    assert data.f_star == pytest.approx(loss(data.x_star), rel=1e-12)
    np.testing.assert_allclose(data.gradients.sum(axis=(0, 1)), 0, atol=1e-13)
    np.testing.assert_allclose(data.gradients[1, 2], a[1, 2] @ data.x_star - c[1, 2], atol=1e-13)


# ---- I7: De Sa ---------------------------------------------------------------------------------------------


def fraction_product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(5)) for j in range(5)] for i in range(5)]


def test_de_sa_in_exact_fractions():
    data = instances.de_sa()
    one = Fraction(1)
    y = [[Fraction(2, 5) if i == k else Fraction(-1, 10) for i in range(5)] for k in range(5)]
    exact = [[[(i == j) * one + y[k][i] + y[k][j] for j in range(5)] for i in range(5)] for k in range(5)]
    np.testing.assert_allclose(data.matrices, np.array(exact, dtype=float), rtol=0, atol=1e-15)
    total = [[Fraction(0)] * 5 for _ in range(5)]
    for pi in itertools.permutations(range(5)):
        product = exact[pi[0]]
        for k in pi[1:]:
            product = fraction_product(exact[k], product)
        total = [[t + p for t, p in zip(*rows, strict=True)] for rows in zip(total, product, strict=True)]
    mean = [[entry / 120 for entry in row] for row in total]
    fifth = Fraction(1, 5)
    stated = [
        [Fraction(29, 64) * ((i == j) - fifth) - Fraction(19, 16) * fifth for j in range(5)] for i in range(5)
    ]
    assert mean == stated
    np.testing.assert_allclose(data.reshuffled, np.array(stated, dtype=float), rtol=0, atol=1e-15)
    assert [[sum(a[i][j] for a in exact) / 5 for j in range(5)] for i in range(5)] == [
        [one * (i == j) for j in range(5)] for i in range(5)
    ]


def test_de_sa_contractions():
    """Reshuffling is slower in the mean (19/512 against 1/32) and faster in mean square."""
    data, half = instances.de_sa(), instances.de_sa(scale=0.5)
    for a in data.matrices:
        np.testing.assert_allclose(np.linalg.eigvalsh(a), [0, 1, 1, 1, 2], atol=1e-14)
    halves = half.matrices
    np.testing.assert_array_equal(halves, data.matrices / 2)
    means = {law: expected_epoch(law, halves) for law in ("rr", "sgd")}
    np.testing.assert_allclose(means["rr"], half.reshuffled, atol=1e-14)
    np.testing.assert_allclose(means["sgd"], half.replaced, atol=1e-14)
    assert np.linalg.norm(means["rr"], 2) == pytest.approx(19 / 512, rel=1e-13)
    assert np.linalg.norm(means["sgd"], 2) == pytest.approx(1 / 32, rel=1e-13)
    # The factors are symmetric, so P' P and P P' have the same law: apply E[P (x) P] to vec(I).
    mean_squares = {
        law: (expected_epoch(law, squares(halves)) @ np.eye(5).ravel()).reshape(5, 5) for law in ("rr", "sgd")
    }
    assert np.linalg.norm(mean_squares["rr"], 2) < np.linalg.norm(mean_squares["sgd"], 2)


# ---- I8: robust --------------------------------------------------------------------------------------------


def test_robust_loss_and_its_derivatives():
    t = np.linspace(-4, 4, 401)
    h = 1e-5
    for order in (1, 2):
        finite = (instances.robust_loss(t + h, order - 1) - instances.robust_loss(t - h, order - 1)) / (2 * h)
        np.testing.assert_allclose(instances.robust_loss(t, order), finite, atol=1e-8)
    curvature = instances.robust_loss(t, 2)
    assert curvature.max() == 2.0  # at t = 0
    assert curvature.min() == pytest.approx(-0.5, abs=1e-12)  # at t = 1
    np.testing.assert_allclose(instances.robust_loss(t), 1 - 1 / (1 + t**2), atol=1e-15)


@pytest.mark.parametrize(("norm", "order"), [("l2", 2), ("inf", np.inf)])
def test_robust_smoothness_holds_and_is_attained(norm, order):
    rng = np.random.default_rng(9)
    a = rng.normal(size=(20, 4))
    constant = instances.robust_smoothness(a, norm)
    ratios = []
    for row in a:
        steps = [*rng.normal(size=(20, 4)), row, np.sign(row)]
        for step in steps:
            x, y = 1e-4 * step, -1e-4 * step  # around residual 0, where the curvature is 2
            slopes = instances.robust_loss([row @ x, row @ y], 1)
            change = np.linalg.norm(row * (slopes[0] - slopes[1]))
            ratios.append(change / (constant * np.linalg.norm(x - y, ord=order)))
    assert max(ratios) <= 1.0
    assert max(ratios) > 0.999


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: instances.bridge_constant(0.5), "kappa >= 1"),
        (lambda: instances.skewed_mean(10.0, 0.0, 1.0, 4, 1), "alpha > 0"),
        (lambda: instances.skewed_mean(10.0, 0.1, -1.0, 4, 1), "sigma >= 0"),
        (lambda: instances.skewed_mean(10.0, 0.1, 1.0, 4, 0), "m >= 1"),
        (lambda: instances.skewed_value([1.0], 1.0, 2.0), "mu <= L"),
        (lambda: instances.sign_terms(1, 3, 1.0), "even n"),
        (lambda: instances.safran_shamir("both", 4, 1.0, 1.0, 2.0), "shared, split"),
        (lambda: instances.safran_shamir("split", 5, 1.0, 1.0, 2.0), "even n"),
        (lambda: instances.safran_shamir("split", 4, 1.0, 3.0, 2.0), "lam <= lam_max"),
        (lambda: instances.shared_hessian([[1.0, 0.0], [0.0, -1.0]], np.ones((1, 2, 2))), "semi-definite"),
        (lambda: instances.shared_hessian(np.zeros((2, 2)), np.ones((1, 2, 2))), "positive definite"),
        (lambda: instances.shared_hessian(np.eye(2), np.ones((1, 2, 3))), "match the Hessian"),
        (lambda: instances.robust_loss([0.0], 3), "0, 1, 2"),
        (lambda: instances.robust_smoothness([[1.0]], "l1"), "l2, inf"),
        (lambda: instances.small_step_loss(0.0, 1.0), "mu > 0"),
    ],
)
def test_bad_parameters_are_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
