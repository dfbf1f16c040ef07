"""The table of slopes against slopes computed otherwise: bound curves, exact variances, plain SGD."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from cdgrab_sim.experiments.statements import STATEMENTS
from tests.theory.naive_sgd import prefixes, run, skewed
from theory import convergence, slopes
from theory.slopes import predicted


def fit(curve, grid):
    """Least-squares slope of log curve against log grid."""
    return np.polyfit(np.log(grid), np.log([curve(v) for v in grid]), 1)[0]


DOUBLING = [1, 2, 4, 8, 16, 32]


# Non-convex bounds: the curves of T1 with the mean square of RR, and of T5.


def rr_rate(m=4, n=1000, T=10**9):
    return convergence.nonconvex_rate(1.0, 1.0, convergence.rr_mean_square_herding(1.0, m, n), n, T)


def cd_rate(m=4, n=16, T=10**14):
    return convergence.cd_grab_nonconvex_rate(1.0, 1.0, 1.0, m, n, T)


@pytest.mark.parametrize(
    ("ordering", "curve", "n_grid"),
    [("rr", rr_rate, [500, 1000, 2000]), ("cd-grab", cd_rate, [8, 16, 32])],
)
def test_nonconvex_bound_curves(ordering, curve, n_grid):
    slope = {
        "m": fit(lambda m: curve(m=m), DOUBLING),
        "n": fit(lambda n: curve(n=n), n_grid),
        "T": fit(lambda T: curve(T=T), [10**13, 10**14, 10**15]),
    }
    for variable, value in slope.items():
        assert predicted("non-convex bound", ordering, variable).value == pytest.approx(value, abs=0.02)


def test_leading_terms_take_over_where_the_regimes_say():
    m, n, A, F0, L, sigma = 4, 1000, 3.0, 2.0, 0.5, 1.5
    T = round(23.3 * F0 * L * (m * n / A) ** 2)
    whole = convergence.cd_grab_nonconvex_rate(F0, L, A, m, n, T)
    assert whole == pytest.approx(2 * 24.6 * F0 * L / T, rel=0.01)
    V = convergence.rr_mean_square_herding(sigma, m, n)
    T = round(3 * F0 * L * m * n / sigma**2)
    assert convergence.nonconvex_rate(F0, L, V, n, T) == pytest.approx(2 * 20 / 3 * F0 * L / T, rel=0.01)


def test_nonconvex_slope_in_m_is_gone_once_the_step_is_capped():
    """The regime in the table is needed: at small T the same curve is flat in m."""
    assert abs(fit(lambda m: cd_rate(m=m, T=10), DOUBLING)) < 0.05


def first_time(error, eps):
    """Smallest T, by bisection on log T, with error(T) <= eps."""
    low, high = 0.0, 80.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if error(math.exp(middle)) <= eps else (middle, high)
    return math.exp(high)


@pytest.mark.parametrize(("ordering", "curve"), [("rr", rr_rate), ("cd-grab", cd_rate)])
def test_nonconvex_time_to_accuracy_inverts_the_bound(ordering, curve):
    times = fit(lambda m: first_time(lambda T: curve(m=m, T=max(1, round(T))), 1e-10), DOUBLING)
    assert predicted("non-convex time to accuracy", ordering, "m").value == pytest.approx(times, abs=0.02)


# Tuned errors: T3 with the herding error each ordering has, minimised over the step size.

HERDING = {
    "rr": lambda m, n: n / (2 * math.sqrt((n - 1) * m)),
    "d-grab": lambda m, n: 1 / math.sqrt(m),
    "cd-grab": lambda m, n: 1 / m,
}


def tuned(ordering, m=4, n=64, T=10**12, mu=0.1):
    """Smallest T3 bound over alpha, and the log-free error err / (alpha* mu n T)^2."""
    H, T = HERDING[ordering](m, n), round(T)

    def error(log_alpha):
        return convergence.strongly_convex_bound(1.0, 1.0, H, mu, math.exp(log_alpha), n, T)

    best = minimize_scalar(error, bounds=(math.log(1e-2 / (n * T)), 0.0), method="bounded")
    return best.fun, best.fun / (math.exp(best.x) * mu * n * T) ** 2


@pytest.mark.parametrize("ordering", HERDING)
@pytest.mark.parametrize(
    ("variable", "grid"),
    [("m", DOUBLING), ("n", [64, 128, 256, 512]), ("T", [10**12, 10**13, 10**14])],
    ids=["m", "n", "T"],
)
def test_tuned_errors_up_to_their_logarithm(ordering, variable, grid):
    expected = predicted("tuned error", ordering, variable).value
    raw, rescaled = (fit(lambda v, i=i: tuned(ordering, **{variable: v})[i], grid) for i in (0, 1))
    assert expected == pytest.approx(rescaled, abs=0.03)
    assert expected <= raw < expected + 0.15  # the tuned step carries a logarithm


@pytest.mark.parametrize("ordering", HERDING)
def test_time_to_accuracy_inverts_the_tuned_error(ordering):
    times = fit(lambda m: first_time(lambda T: tuned(ordering, m=m, T=max(1.0, T))[0], 1e-16), DOUBLING)
    assert predicted("time to accuracy", ordering, "m").value == pytest.approx(times, abs=0.06)


@pytest.mark.parametrize("ordering", ["rr", "cd-grab"])
def test_at_fixed_total_the_orderings_do_not_separate(ordering):
    N = 2**14
    errors = fit(lambda m: tuned(ordering, m=m, n=N // m)[1], DOUBLING)
    assert predicted("tuned error (fixed N)", ordering, "m").value == pytest.approx(errors, abs=0.02)

    def steps(m):
        return N // m * first_time(lambda T: tuned(ordering, m=m, n=N // m, T=max(1.0, T))[0], 1e-16)

    expected = predicted("steps to accuracy (fixed N)", ordering, "m").value
    assert expected == pytest.approx(fit(steps, DOUBLING), abs=0.02)


def test_floor_bounds():
    def cd(alpha=1e-4, m=4):
        return convergence.cd_grab_pl_floor(alpha, 1.0, 1.0, 0.1, m)

    def rr(alpha=1e-5, m=4, n=1000):
        return convergence.rr_pl_floor(alpha, 1.0, 1.0, 0.1, m, n)

    assert predicted("floor", "cd-grab", "m").value == pytest.approx(fit(lambda m: cd(m=m), DOUBLING))
    assert predicted("floor", "rr", "m").value == pytest.approx(fit(lambda m: rr(m=m), DOUBLING))
    steps = [1e-5, 2e-5, 4e-5]
    assert predicted("floor", "cd-grab", "alpha").value == pytest.approx(fit(lambda a: cd(alpha=a), steps))
    assert predicted("floor", "rr", "alpha").value == pytest.approx(fit(lambda a: rr(alpha=a), steps))
    in_n = fit(lambda n: rr(n=n), [500, 1000, 2000])
    assert predicted("floor", "rr", "n").value == pytest.approx(in_n, abs=0.01)


# Quadratics: the stationary variance of a linear recursion whose noise is a weighted sum in random order.


def stationary_variance(ordering, alpha=1e-5, n=64, lam=1.0, m=1):
    """E e^2 for e <- rho^n e + alpha lam sum_k B_k u_pi(k), unit variance of u, averaged over m workers."""
    k = np.arange(1, n + 1)
    log_rho = math.log1p(-alpha * lam)
    rho = lambda power: np.exp(power * log_rho)  # noqa: E731
    weights = rho(2 * n - k) + rho(k - 1) if ordering == "flipflop" else rho(n - k)
    length = 2 * n if ordering == "flipflop" else n
    if ordering == "sgd":
        noise = np.sum(weights**2)
    else:
        noise = n / (n - 1) * np.sum((weights - weights.mean()) ** 2)
    if ordering == "so":  # the same noise in every epoch adds up coherently
        return alpha**2 * lam**2 * noise / m / np.expm1(n * log_rho) ** 2
    return alpha**2 * lam**2 * noise / m / -np.expm1(2 * length * log_rho)


@pytest.mark.parametrize("ordering", ["sgd", "so", "rr", "flipflop"])
def test_quadratic_floors(ordering):
    slope = {
        "alpha": fit(lambda a: stationary_variance(ordering, alpha=a), [1e-5, 2e-5, 4e-5]),
        "n": fit(lambda n: stationary_variance(ordering, n=n), [64, 128, 256]),
        "m": fit(lambda m: stationary_variance(ordering, m=m), DOUBLING),
    }
    for variable, value in slope.items():
        expected = predicted("floor (quadratic)", ordering, variable).value
        assert expected == pytest.approx(value, abs=0.02), variable


# Plain SGD and static vectors.


def test_fixed_order_on_skewed_examples_has_a_floor_quadratic_in_alpha():
    p = skewed(1, 6, 1, seed=11)

    def floor(alpha):
        epochs = round(20 / (p.mu * 6 * alpha))
        return p.value(run(p, "fixed", alpha, epochs, seed=0).points[-1, -1])

    assert predicted("floor", "ig", "alpha").value == pytest.approx(fit(floor, [0.01, 0.02]), abs=0.1)


def herding(ordering, m, n, rounds=14):
    """Mean over first orders of the unnormalised parallel herding error on static random vectors."""
    errors = []
    for seed in range(6):
        p = skewed(m, n, 4, seed=seed)
        still = run(p, ordering, alpha=1e-12, T=rounds, seed=seed)
        last = [np.linalg.norm(prefixes(p, p.x0, pi), axis=1).max() for pi in still.orders[-4:]]
        errors.append(m * np.mean(last))
    return np.mean(errors)


@pytest.mark.parametrize("ordering", ["rr", "d-grab-pair", "cd-grab"])
def test_herding_error_grows_as_predicted(ordering):
    """On six data sets; the herded orders keep a logarithm in n, worth about 0.1 here."""
    in_m = fit(lambda m: herding(ordering, m, 16), DOUBLING)
    assert predicted("herding error", ordering, "m").value == pytest.approx(in_m, abs=0.1)
    in_n = fit(lambda n: herding(ordering, 2, n), [32, 64, 128, 256])
    assert predicted("herding error", ordering, "n").value == pytest.approx(in_n, abs=0.17)


# The table itself.


@pytest.mark.parametrize("slope", slopes.table(), ids=lambda s: f"{s.quantity}-{s.ordering}-{s.variable}")
def test_every_entry_is_found_and_complete(slope):
    assert predicted(slope.quantity, slope.ordering, slope.variable) is slope
    assert slope.ordering in slopes.ORDERINGS
    assert slope.variable in slopes.VARIABLES
    assert slope.regime
    assert slope.statement
    assert ("heuristic" in slope.provenance) == (slope.kind == "typical")
    # Aligned workers gain nothing from m, so the worst exponent is the larger one.
    assert slope.worst is None or (slope.variable == "m" and slope.worst > slope.value)


def test_no_combination_is_listed_twice():
    keys = [(row.quantity, name, row.variable) for row in slopes._ROWS for name in row.exponents]
    assert len(set(keys)) == len(keys) == len(slopes.table())


def test_every_quantity_is_measured_by_the_check():
    titles = [statement.title for statement in STATEMENTS.values() if statement.kind == "slope"]
    assert {title.split(" of ")[0] for title in titles} == set(slopes.QUANTITIES)


def test_floor_exponents_in_m_on_the_skewed_instance():
    expected = {"sgd": -1, "rr": -1, "d-grab": -1, "d-grab-pair": -1, "cd-grab": -2}
    assert {name: predicted("floor", name, "m").value for name in expected} == expected


def test_an_interval_is_its_centre_and_half_width():
    slope = predicted("floor (quadratic)", "cd-grab", "alpha")
    assert (slope.value - slope.half_width, slope.value + slope.half_width) == (2, 3)


def test_what_is_not_predicted_is_none():
    assert predicted("floor", "grab", "m") is None  # one worker
    assert predicted("floor", "rr", "T") is None
    assert predicted("herding error", "sgd", "m") is None  # draws with replacement have no order to judge


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("flor", "rr", "m"), r"expected quantity among .*floor.*non-convex bound.*; got 'flor'"),
        (("floor", "random", "m"), r"expected ordering among sgd, ig, so, rr.*; got 'random'"),
        (("floor", "rr", "M"), r"expected variable among m, n, T, alpha; got 'M'"),
    ],
)
def test_unknown_names_are_refused_with_the_list(arguments, message):
    with pytest.raises(ValueError, match=message):
        predicted(*arguments)
