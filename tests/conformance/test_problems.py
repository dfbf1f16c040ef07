"""What every registered family of problems must do."""

import hashlib
import inspect
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim._kernels import jit
from cdgrab_sim._records import Record
from cdgrab_sim.herding._vectors import vectors
from cdgrab_sim.problems import PROBLEMS
from cdgrab_sim.synchronous._engine import Engine

FAMILIES = sorted(PROBLEMS)
TABLES = ["least-squares", "logistic", "mlp", "robust"]  # data = (X, y, rows, ...)
MARGINS = ["least-squares", "logistic", "robust"]
SLOPES = [*MARGINS, "linear-system"]  # the gradient is a multiple of the features
BUILT_IN = [*FAMILIES, "from_hessians", "vectors"]
CONVEX = [name for name in FAMILIES if PROBLEMS[name]().x_star is not None]


def build(name, m=3, n=5, **arguments):
    """More than eight coordinates, so that the dot product uses its lanes and its tail.

    `heterogeneity` is for families that have it.
    """
    wide = {"inputs": 11, "hidden": 9} if name == "mlp" else {"d": 11}
    if "heterogeneity" not in inspect.signature(PROBLEMS[name]).parameters:
        arguments.pop("heterogeneity", None)
    return PROBLEMS[name](m=m, n=n, **wide, **arguments)


def built_in(name, m=3, n=5):
    """Return a problem of a family, or of those that are built from arrays."""
    rng = np.random.RandomState(7)
    if name == "vectors":
        return vectors(rng.standard_normal((m, n, 11)))
    if name == "from_hessians":
        B, c = rng.standard_normal((m, n, 11, 11)), rng.standard_normal((m, n, 11))
        return cg.problems.from_hessians(22 * np.eye(11) + B + B.swapaxes(2, 3), c)
    return build(name, m=m, n=n, heterogeneity=0.5, **({"ridge": 0.3} if name in TABLES else {}))


def differences(value, x, h=1e-5):
    """Central differences; the error is about h^2 f''' / 6 + 1e-16 / h < 1e-9."""
    return np.array([(value(x + h * e) - value(x - h * e)) / (2.0 * h) for e in np.eye(len(x))])


def point(problem, seed=0):
    return np.random.RandomState(seed).standard_normal(problem.d)


def uncompiled(problem):
    """Return the problem with every kernel as the Python that it was, and the walk as NumPy."""
    twins = {id(function): other for function, other in jit.KERNELS.values()}
    parts = {part: getattr(problem, part) for part in ("grads", "value", "walk", "loss")}
    return replace(problem, **{part: twins.get(id(f), f) for part, f in parts.items()})


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize(("m", "n"), [(3, 5), (1, 4), (4, 1), (1, 1)])
def test_all_values_and_gradients_are_those_of_the_sum(name, m, n):
    problem = built_in(name, m, n)
    for scale in (0.3, 3.0):
        x = scale * point(problem)
        f, G = problem.values(x), problem.gradients(x)
        assert (f.shape, G.shape) == ((m, n), (m, n, problem.d))
        assert f.mean() == pytest.approx(problem.value(x, problem.data), rel=1e-12)
        full = differences(lambda z, problem=problem: problem.value(z, problem.data), x)
        np.testing.assert_allclose(G.mean(axis=(0, 1)), full, atol=1e-7)
        np.testing.assert_allclose(Engine(problem).full_gradient(x), G.mean(axis=(0, 1)), 1e-12, 1e-14)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_example_has_the_gradient_of_its_own_value(name):
    problem = built_in(name)
    x = point(problem)
    slopes = [(problem.values(x + h) - problem.values(x - h)) / 2e-5 for h in 1e-5 * np.eye(problem.d)]
    np.testing.assert_allclose(problem.gradients(x), np.moveaxis(slopes, 0, 2), atol=1e-8)


@pytest.mark.parametrize("name", TABLES)
def test_the_value_of_an_example_is_that_of_a_problem_with_it_alone(name):
    problem = built_in(name)
    x, (X, y, rows, *rest) = point(problem), problem.data
    for (i, j), value in np.ndenumerate(problem.values(x)):
        alone = rows[i : i + 1, j : j + 1]
        one = replace(problem, m=1, n=1, smoothness=None, data=(X, y, alone, *rest), rows=alone)
        assert value == one.value(x, one.data)


def test_values_and_gradients_check_what_they_are_given():
    problem = built_in("vectors")
    with pytest.raises(ValueError, match=r"x: expected shape \(d,\) = \(11,\); got \(3,\)"):
        problem.gradients(np.zeros(3))
    with pytest.raises(ValueError, match=r"x\[1\]: expected finite"):
        problem.values([0.0, np.nan, *[0.0] * 9])
    with pytest.raises(ValueError, match="values: expected a problem with `loss`; got 'vectors' without"):
        replace(problem, loss=None).values(np.zeros(11))


def test_values_and_gradients_of_plain_functions():
    def grads(out, x, who, idx, data):
        out[:] = x - data[0][who, idx]
        x[:] = np.nan  # what a function does to its point is its own business

    def loss(x, i, j, data):
        return 0.5 * np.sum((x - data[0][i, j]) ** 2)

    b, x = np.arange(6.0).reshape(2, 3, 1), np.ones(1)
    problem = cg.Problem("mine", m=2, n=3, d=1, data=(b,), grads=grads, value=lambda x, data: 0.0, loss=loss)
    np.testing.assert_array_equal(problem.gradients(x), x - b)
    np.testing.assert_array_equal(problem.values([1]), 0.5 * ((x - b) ** 2)[:, :, 0])


@pytest.mark.parametrize("name", BUILT_IN)
def test_runs_have_the_same_bits_without_compilation(name):
    problem = built_in(name, m=3, n=7)
    record = Record(herding=("inf", "l2"), trajectory=True)
    arguments = {"epochs": 3, "step_size": 0.01, "momentum": 0.5, "batch": 2, "record": record}
    a, b = (cg.simulate(p, "cd-grab", x0=point(p), **arguments) for p in (problem, uncompiled(problem)))
    assert a.status[0] == "completed"
    for one, other in ((a.x, b.x), (a.trajectory, b.trajectory), (a.loss, b.loss)):
        assert one.tobytes() == other.tobytes()
    for norm in record.herding:
        assert a.herding[norm].tobytes() == b.herding[norm].tobytes()


@pytest.mark.parametrize("name", BUILT_IN)
def test_values_and_gradients_of_many_arguments_have_the_same_bits(name):
    problem = built_in(name, m=4, n=10)
    other = uncompiled(problem)
    for scale in (0.0, 0.1, 3.0, 100.0):
        x = scale * point(problem)
        assert problem.value(x, problem.data) == other.value(x, problem.data)
        assert problem.values(x).tobytes() == other.values(x).tobytes()
        assert problem.gradients(x).tobytes() == other.gradients(x).tobytes()


@pytest.mark.parametrize("name", FAMILIES)
def test_data_stays_as_it_is_and_kernels_compile_once(name):
    problem = build(name)
    before = [a.copy() for a in problem.data]
    functions = [f for f in (problem.grads, problem.value) if jit.is_jitted(f)]
    cg.simulate(problem, "cd-grab", epochs=2, step_size=0.01)
    known = [set(f.signatures) for f in functions]
    for ordering in ("rr", "sgd", "cd-grab"):
        cg.simulate(build(name, m=1, n=1), ordering, epochs=2, step_size=0.01)
        cg.simulate(problem, ordering, epochs=2, step_size=0.01, replicates=2, batch=2)
    for a, b in zip(problem.data, before, strict=True):
        assert not a.flags.writeable
        np.testing.assert_array_equal(a, b)
    if jit.is_jitted(problem.walk):
        assert len(problem.walk.signatures) == 1
        assert [set(f.signatures) for f in functions] == known


@pytest.mark.parametrize("name", FAMILIES)
def test_nan_and_inf_are_refused_with_their_index(name):
    problem = build(name)
    for bad in (np.nan, np.inf):
        first = problem.data[0].copy()
        first[(1,) * first.ndim] = bad
        where = ", ".join(["1"] * first.ndim)
        for field in getattr(problem.data, "_fields", ())[:1]:
            with pytest.raises(ValueError, match=rf"data\.{field}\[{where}\]: expected finite"):
                replace(problem, data=problem.data._replace(**{field: first}))
        with pytest.raises(ValueError, match=rf"data\[0\]\[{where}\]: expected finite"):
            replace(problem, data=(first, *problem.data[1:]))


@pytest.mark.parametrize("name", FAMILIES)
def test_workers_do_not_depend_on_how_many_there_are(name):
    # with heterogeneity, terms that sum to zero over the workers may depend on m; tables have none
    heterogeneity = 1.0 if name in TABLES else 0.0
    few, many = (build(name, m=m, n=6, heterogeneity=heterogeneity, seed=3) for m in (4, 16))
    x = point(few)
    assert few.gradients(x).tobytes() == many.gradients(x)[:4].tobytes()


@pytest.mark.parametrize("name", FAMILIES)
def test_seeds_and_workers_have_data_of_their_own(name):
    a, b = (build(name, seed=seed) for seed in (0, 1))
    G = a.gradients(point(a))
    assert not np.array_equal(G, b.gradients(point(a)))
    assert len(np.unique(G.reshape(-1, a.d), axis=0)) == a.m * a.n


@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("seed", range(3))
def test_the_minimiser_is_one(name, seed):
    problem = build(name, m=4, n=16, heterogeneity=0.5, seed=seed)
    x = problem.x_star
    assert np.linalg.norm(problem.gradients(x).mean(axis=(0, 1))) <= 1e-12
    # a mean square has the last bits of its terms, not of itself
    assert problem.f_star == pytest.approx(problem.value(x, problem.data), rel=1e-14, abs=1e-14)
    assert problem.value(x + 1e-3 * point(problem), problem.data) > problem.f_star


@pytest.mark.parametrize("name", FAMILIES)
def test_a_minimiser_and_what_depends_on_it_are_known_together(name):
    assert {"least-squares", "logistic", "quadratic", "skewed"} <= set(CONVEX)
    problem = build(name, m=4, n=16)
    known = name in CONVEX
    assert (problem.x_star is not None) == (problem.f_star is not None) == known
    assert {"mu", "sigma", "varsigma"} & set(problem.constants) == (
        {"mu", "sigma", "varsigma"} if known else set()
    )


@pytest.mark.parametrize("name", CONVEX)
def test_spread_of_the_gradients_at_the_minimiser(name):
    problem = build(name, m=4, n=16, heterogeneity=0.7)
    G = problem.gradients(problem.x_star)
    means = G.mean(axis=1)
    sigma = math.sqrt(np.mean([np.sum((g - mean) ** 2) / 16 for g, mean in zip(G, means, strict=True)]))
    varsigma = math.sqrt(np.mean(np.sum(means**2, axis=1)))
    assert problem.constants["sigma"] == pytest.approx(sigma, rel=1e-10)
    assert problem.constants["varsigma"] == pytest.approx(varsigma, rel=1e-10)


def directions(problem):
    """Axes and the diagonal, and for margins the features and their signs, which are where L is attained."""
    steps = [*np.eye(problem.d), np.ones(problem.d)]
    if problem.name in SLOPES:
        for a in problem.data[0]:
            steps += [a / np.linalg.norm(a), np.sign(a)]
    return [s * h for h in steps for s in (1e-4, -1e-4)]


def bases(problem):
    """Points where the second derivative of some example is largest; a new family may need its own."""
    points = [np.zeros(problem.d), point(problem), -10.0 * np.ones(problem.d)]
    if problem.name in SLOPES:
        X, y = problem.data[:2]
        points += [t * a / (a @ a) for t, a in zip(y, X, strict=True)]
    return points


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "mlp"])
def test_smoothness_is_the_largest_ratio(name):
    arguments = {"ridge": 0.0} if name in MARGINS else {}
    problem = PROBLEMS[name](m=2, n=3, d=3, **arguments)
    two, cross = [], []
    for x in bases(problem):
        G = problem.gradients(x)
        for h in directions(problem):
            lengths = np.linalg.norm(problem.gradients(x + h) - G, axis=2)
            two.append(lengths.max() / np.linalg.norm(h))
            cross.append(lengths.max() / np.abs(h).max())
    # never above, up to the rounding of differences, and reached
    for letter, largest in (("L", max(two)), ("L_2inf", max(cross))):
        assert largest == pytest.approx(problem.constants.get(letter, largest), rel=1e-6)


@pytest.mark.parametrize("name", MARGINS)
def test_a_ridge_adds_to_smoothness(name):
    plain, ridged = (PROBLEMS[name](d=4, ridge=ridge).constants for ridge in (0.0, 0.5))
    assert ridged["L"] - plain["L"] == pytest.approx(0.5)
    assert ridged["L_2inf"] - plain["L_2inf"] == pytest.approx(0.5 * 2.0)  # |x|_2 <= sqrt(d) |x|_inf


@pytest.mark.parametrize("name", CONVEX)
def test_strong_convexity_is_the_smallest_ratio(name):
    problem = build(name, m=4, n=16)
    mu, rng, ratios = problem.constants["mu"], np.random.RandomState(1), []

    def gradient(x):
        return problem.gradients(x).mean(axis=(0, 1))

    hessian = np.array([gradient(h) - gradient(np.zeros(problem.d)) for h in 1e-3 * np.eye(problem.d)])
    flattest = np.linalg.eigh(hessian + hessian.T)[1][:, 0]
    # the flattest direction at the origin, and far away, where logistic losses are flat but for the ridge
    pairs = [(np.zeros(problem.d), 1e-3 * flattest)]
    pairs += [(scale * x, x) for scale in (1.0, 1e4) for x in rng.standard_normal((20, problem.d))]
    for x, h in pairs:
        ratios.append((gradient(x + h) - gradient(x)) @ h / (h @ h))
    assert min(ratios) >= mu * (1.0 - 1e-6)
    assert min(ratios) == pytest.approx(mu, rel=1e-3)


def test_least_squares_has_the_smallest_eigenvalue_of_its_gram_matrix():
    problem = build("least-squares", m=4, n=16, ridge=0.2)
    X = problem.data[0]
    expected = np.linalg.svd(X, compute_uv=False)[-1] ** 2 / len(X) + 0.2
    assert problem.constants["mu"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("least-squares", {"sigma": -1.0}, "sigma: expected a finite number >= 0"),
        ("logistic", {"heterogeneity": -1.0}, "heterogeneity: expected a finite number >= 0"),
        ("logistic", {"ridge": np.nan}, "ridge: expected a finite number >= 0"),
        ("robust", {"outliers": 1.5}, r"outliers: expected a probability 0..1; got 1.5"),
        ("mlp", {"classes": 1}, "classes: expected a whole number >= 2; got 1"),
        ("mlp", {"hidden": 0}, "hidden: expected a whole number >= 1; got 0"),
        ("mlp", {"ridge": -1.0}, "ridge: expected a finite number >= 0"),
        ("mlp", {"seed": -1}, "seed: expected a whole number >= 0; got -1"),
    ],
)
def test_wrong_arguments_are_refused(name, arguments, message):
    with pytest.raises(ValueError, match=message):
        PROBLEMS[name](**arguments)


FINGERPRINT = """
import hashlib
import inspect
import cdgrab_sim as cg
def fingerprint():
    digest = hashlib.sha256()
    for name, family in sorted(cg.problems.PROBLEMS.items()):
        wide = {"inputs": 11, "hidden": 9} if name == "mlp" else {"d": 11}
        if "heterogeneity" in inspect.signature(family).parameters:
            wide["heterogeneity"] = 0.5
        problem = family(m=3, n=7, seed=5, **wide)
        run = cg.simulate(problem, "cd-grab", epochs=3, step_size=0.01, seed=5)
        examples = (problem.values(run.x[0]), problem.gradients(run.x[0]))
        for a in (*problem.data, run.x, run.loss, run.grad_norm, *examples):
            digest.update(a.tobytes())
    return digest.hexdigest()
"""


def test_without_numba_the_bits_are_the_same():
    here = {}
    exec(FINGERPRINT, here)
    script = f"import sys\nsys.modules['numba'] = None\n{FINGERPRINT}\nprint(fingerprint())"
    script += "\nassert cg._kernels.jit.numba is None"
    there = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert there.stderr == ""
    assert there.stdout.strip() == here["fingerprint"]()
    assert len(there.stdout.strip()) == 2 * hashlib.sha256().digest_size
