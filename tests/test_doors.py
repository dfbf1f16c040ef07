"""What comes in: numbers of NumPy become numbers of Python, and what is no number is refused by name."""

import decimal
import fractions
import json
from dataclasses import replace

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import _checks
from cdgrab_sim.asynchronous import job_times as times

ONES = [np.int64(1), np.uint8(1), np.float16(1), np.float32(1), np.longdouble(1), np.array(1.0), 1]
NO_NUMBERS = [
    "1",
    b"1",
    True,
    np.True_,
    np.array(True),
    np.array("1.5"),
    1 + 1j,
    np.complex128(1),
    np.array(1j),
    [1.0],
    None,
    np.ma.masked,
    np.ma.array(2.0, mask=True),
    np.timedelta64(1, "s"),
    np.datetime64("2020-01-01"),
]


@pytest.mark.parametrize("one", [*ONES, fractions.Fraction(1), decimal.Decimal(1)], ids=repr)
def test_a_real_number_is_one_of_python(one):
    assert type(_checks.real("a", one)) is float
    assert _checks.real("a", one) == 1.0


@pytest.mark.parametrize("other", NO_NUMBERS, ids=repr)
def test_what_is_no_real_number_is_refused_by_name(other):
    with pytest.raises((TypeError, ValueError), match=r"^a: expected a finite number"):
        _checks.real("a", other)


@pytest.mark.parametrize("one", [np.int8(1), np.uint64(1), np.array(1)], ids=repr)
def test_a_whole_number_is_one_of_python(one):
    assert type(_checks.integer("a", one, low=0)) is int


@pytest.mark.parametrize("other", [*NO_NUMBERS, 1.0, np.float64(1), np.ma.array(2, mask=True)], ids=repr)
def test_what_is_no_whole_number_is_refused_by_name(other):
    with pytest.raises((TypeError, ValueError), match=r"^a: expected a whole number"):
        _checks.integer("a", other, low=0)


def test_sizes_beyond_machine_numbers_are_refused():
    with pytest.raises(ValueError, match=r"epochs: expected a whole number below 2\^63"):
        cg.simulate("skewed", "rr", epochs=2**63, step_size=0.1)
    assert _checks.integer("seed", 2**200, low=0) == 2**200


TINY = {
    "epochs": np.uint8(3),
    "step_size": np.float16(2**-10),
    "seed": np.uint16(1),
    "replicates": np.int8(1),
}


def test_a_run_with_numbers_of_numpy_is_saved(tmp_path):
    record = cg.Record(every=np.uint8(2), loss=np.True_, grad_norm=np.False_, orders=np.True_)
    rule = cg.orderings.SignRule("hilbert", delta=np.float16(0.5))
    ordering = cg.orderings.cd_grab(rule=rule)
    update = cg.updates.adam(beta1=np.float32(0.5))
    run = cg.simulate("skewed", ordering, record=record, update=update, batch=np.int16(2), **TINY)
    run.save(tmp_path / "run.npz")
    assert cg.load(tmp_path / "run.npz").meta == json.loads(json.dumps(run.meta))
    assert type(rule.delta) is float


def test_an_asynchronous_run_with_numbers_of_numpy_is_saved(tmp_path):
    problem = cg.problems.quadratic(m=1, n=4, d=1)
    record = cg.asynchronous.AsyncRecord(every=np.uint8(7), interval=np.float16(2), loss=np.True_)
    ends = {"updates": np.int64(20), "until": np.float32(100)}
    given = {"workers": np.int8(2), "step_size": np.float16(2**-10), "patience": np.uint32(1000)}
    run = cg.simulate_async(problem, "vanilla", record=record, **ends, **given)
    run.save(tmp_path / "run.npz")
    assert cg.load(tmp_path / "run.npz").meta == json.loads(json.dumps(run.meta))


def test_a_grid_of_small_numbers_ends():
    """every=np.uint8(100) wrapped around at 256 and never reached the last of 1,000 epochs."""
    run = cg.simulate(
        "skewed", "ig", epochs=1000, step_size=1e-6, record=cg.Record(every=np.uint8(100), grad_norm=False)
    )
    assert run.epochs.tolist() == list(range(0, 1001, 100))


def functions():
    return {"grads": lambda out, x, who, idx, data: out.fill(0.0), "value": lambda x, data: 0.0}


def of(*data):
    return problem_of(data=data)


def problem_of(**others):
    return cg.Problem(
        **{"name": "mine", "m": 1, "n": 2, "d": 1, "data": (np.ones(2),)} | functions() | others
    )


MASKED = np.ma.array([1.0, 2.0], mask=[True, False])
REFUSED = {
    "record: loss": (r"loss: expected True or False; got 1", lambda: cg.Record(loss=1)),
    "record: text": (r"orders: expected True or False; got 'no'", lambda: cg.Record(orders="no")),
    "scalar": (r"data\[1\]: expected an array; got 1.0", lambda: of(np.ones(2), 1.0)),
    "0-d": (r"data\[1\]: expected an array; got array\(1", lambda: of(np.ones(2), np.array(1.0))),
    "0-d text": (r"data\[0\]: expected an array; got array\('a'", lambda: of(np.array("a"))),
    "mask": (r"data\[0\]: expected an array without masked entries", lambda: of(MASKED)),
    "mask in a list": (r"data\[0\]: expected an array without masked", lambda: of([[MASKED]])),
    "mask of a label": (
        r"y: expected an array without masked entries",
        lambda: cg.problems.from_arrays(np.ones((2, 1)), MASKED, loss="least-squares", m=1),
    ),
    "complex": (r"data\[0\]: expected numbers; got dtype complex128", lambda: of(np.ones(2) * 1j)),
    "complex start": (
        r"x0: expected numbers; got dtype complex",
        lambda: cg.simulate("skewed", "rr", epochs=1, step_size=0.1, x0=np.ones(3) * 1j),
    ),
    "constants": (r"constants: expected a mapping, such as .*; got None", lambda: problem_of(constants=None)),
    "trace": (r"base: expected a JobTimes, .* got 5", lambda: times.trace([1.0], base=5)),
    "on-off": (r"base: expected a JobTimes, .* got 5", lambda: times.on_off(1.0, 1.0, base=5)),
    "sinusoid": (r"base: expected a JobTimes, .* got 5", lambda: times.sinusoid(8.0, 0.5, base=5)),
    "problem": (r"name: expected text; got 3", lambda: problem_of(name=3)),
    "update": (
        r"update 'mine': settings\['f'\]: expected numbers, text, lists or mappings",
        lambda: replace(cg.updates.adam(), name="mine", settings={"f": functions}),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name(case):
    line, call = REFUSED[case]
    with pytest.raises((TypeError, ValueError), match=line):
        call()


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("CD-GraB", "cd-grab"),
        ("RR", "rr"),
        ("SGD", "sgd"),
        ("GraB", "grab"),
        ("D-GraB", "d-grab"),
        ("Flip-Flop", "flipflop"),
        ("cd_grab", "cd-grab"),
        ("CD GraB", "cd-grab"),
    ],
)
def test_the_papers_spellings_of_orderings(spelled, name):
    assert cg.orderings.make(spelled).name == name


def test_the_papers_spellings_of_problems_and_updates():
    assert cg.problems.make("Least_Squares").name == "least-squares"
    assert cg.updates.make("AdamW").name == "adamw"
    with pytest.raises(ValueError, match="unknown ordering 'CD-GraBB'; did you mean 'cd-grab'"):
        cg.orderings.make("CD-GraBB")
    with pytest.raises(ValueError, match=r"unknown loss 'Least Squares'; did you mean 'least-squares'\?"):
        cg.problems.from_arrays(np.ones((2, 1)), np.ones(2), loss="Least Squares", m=1)
    assert sorted({_checks.folded(name) for name in cg.orderings.ORDERINGS}) == sorted(
        name.replace("-", "") for name in cg.orderings.ORDERINGS
    )


class Rude:
    """What a class of somebody else may do."""

    def __float__(self):
        raise RuntimeError("float")

    __index__ = __float__

    def __eq__(self, other):
        raise RuntimeError("eq")

    __hash__ = object.__hash__

    def __repr__(self):
        return "two\nlines"


@pytest.mark.parametrize("name", [Rude(), np.array(["rr", "sgd"]), np.array("rr"), ["rr"], None, 3, b"rr"])
def test_what_is_no_name_is_refused_in_one_line(name):
    for make in (cg.orderings.make, cg.problems.make, cg.updates.make):
        with pytest.raises(TypeError, match=r"^(ordering|problem|update): expected one of ") as caught:
            make(name)
        assert "\n" not in str(caught.value)


def test_rude_numbers_are_refused():
    with pytest.raises(TypeError, match=r"^m: expected a whole number"):
        cg.problems.skewed(m=Rude())
    with pytest.raises(TypeError, match=r"^kappa: expected a finite number"):
        cg.problems.skewed(kappa=Rude())


BEYOND = np.array([[np.longdouble("1e4000")], [1.0]])


@pytest.mark.parametrize(
    ("line", "call"),
    [
        (
            r"X\[0, 0\]: expected finite numbers",
            lambda: cg.problems.from_arrays(BEYOND, [0, 1], loss="robust", m=1),
        ),
        ("sigma: expected a number below", lambda: cg.problems.skewed(sigma=1e200)),
        ("sigma: expected a number below", lambda: cg.problems.least_squares(sigma=1e308)),
        ("heterogeneity: expected a number below", lambda: cg.problems.logistic(heterogeneity=1e200)),
        (
            r"eigenvalues\[0\]: expected a number below",
            lambda: cg.problems.quadratic(d=1, eigenvalues=[1e200]),
        ),
        ("pi: expected rows of one length", lambda: cg.global_orders([[1], [0, 1]])),
    ],
)
def test_numbers_beyond_the_machine_are_refused(line, call):
    with pytest.raises(ValueError, match=line):
        call()


ONE = np.ones(1)
LINES = {"rr": [[4.0, 2.0], [6.0, 3.0]]}


def run_with(**given):
    return cg.simulate(**{"problem": "skewed", "ordering": "rr", "epochs": 1, "step_size": 1e-3} | given)


def async_with(**given):
    settings = {"problem": "quadratic", "method": "vanilla", "workers": 8, "updates": 2, "step_size": 1e-3}
    return cg.simulate_async(**settings | given)


# The kinds of faults that the fuzzer found, an argument each; it has more (tests/fuzz).
FOUND = {
    "a value of many lines": (r"^m: expected .* got a value of type ndarray$", lambda: run_with(problem=cg.problems.skewed(m=np.eye(9)))),
    "a value without a text": (r"^kappa: expected .* got a value of type Mute", lambda: cg.problems.skewed(kappa=Mute())),
    "a list of rude ones": (r"^eps: expected an array", lambda: cg.balancing.prefix_discrepancy(ONE[None], Unarrayed())),
    "a field of rude ones": (r"^\[grid\] kappa: expected", lambda: cg.sweep(fixed={}, grid={"kappa": Unarrayed()})),
    "no path": (r"^path: expected a path; got 3", lambda: cg.load(3)),
    "bytes as a path": (r"^path: expected a path; got b'a'", lambda: run_with().save(b"a")),
    "a path with a null": (r"^path: expected a path; .* no file can be called", lambda: cg.load("a\0b")),
    "a path beyond Unicode": (r"^path: expected a path; .* no file can be called", lambda: cg.save_orders("\ud800", [0])),
    "no mapping": (r"^fixed: expected a mapping", lambda: cg.sweep(fixed=3)),
    "keys that are no text": (r"^a key of grid: expected text; got 1", lambda: cg.sweep(fixed={}, grid={1: [2]})),
    "records that are no mapping": (r"^updates: expected a mapping", lambda: cg.sweep([], updates=3)),
    "configurations that are no list": (r"^configs: expected a list", lambda: cg.sweep(1.0)),
    "dimensions that are no list": (r"^dims: expected a list", lambda: study().to_xarray(1)),
    "a dimension twice": (r"^dims: expected different fields", lambda: study().to_xarray(["seed", "seed"])),
    "an executor that is none": (r"^executor: expected a function that returns an Executor", lambda: study(executor=int)),
    "a truth value that is none": (r"^exact: expected True or False", lambda: cg.orderings.grab(exact=ONE)),
    "a truth value of a method": (r"^stop: expected True or False", lambda: cg.asynchronous.methods.rennala(2, stop=ONE)),
    "a truth value of a run": (r"^drain: expected True or False", lambda: async_with(drain=1)),
    "complex numbers": (r"^times: expected numbers", lambda: cg.analysis.uncensored([[1j]])),
    "a complex box": (r"^low: expected numbers", lambda: cg.asynchronous.box(1j, 1.0)),
    "boxes that do not fit": (r"^low, high: expected numbers or one shape", lambda: cg.asynchronous.box([1, 2], [3, 4, 5])),
    "a function of other arguments": (r"step: expected arguments \(it, g, alpha, u\); got \(\)", lambda: replace(cg.updates.adam(), step=lambda: 0)),
    "a gradient of other arguments": (r"problem 'mine': grads: expected arguments", lambda: problem_of(grads=lambda: 0)),
    "a method of other arguments": (r"method 'a': arrive: expected arguments", lambda: cg.asynchronous.Method("a", lambda x, w, s: 0, lambda: 0)),
    "an error that is no number": (r"^what error returns: expected numbers", lambda: cg.analysis.tune(lambda a: "x", 1, 9)),
    "an edge of a range": (r"lower low$", lambda: cg.analysis.tune(lambda a: a, 1, 9)),
    "a span of time": (r"^m: expected plain JSON", lambda: study().curves("loss", m=np.timedelta64(1, "s"))),
    "a batch of rude ones": (r"^batch: expected an array", lambda: run_with(batch=Unarrayed())),
    "a point beyond the machine": (r"^at: expected entries below", lambda: async_with(job_times=times.by_loss(at=[1e200] * 3))),
    "directions beyond the machine": (r"^directions: expected numbers of at most", lambda: cg.testing.assert_sub_gaussian([1.0], [[0.0]], [1.0], [1.0], [[1e300]])),
    "no function": (r"^belongs: expected a function", lambda: cg.orderings.select(3)),
    "no list of numbers": (r"^counters: expected a list", lambda: cg.updates.iterates(ONE, counters=3)),
    "more than memory": (r"^m, n, d: expected sizes .* fits into memory; got m = 1099511627776", lambda: cg.problems.skewed(m=2**40)),
    "more classes than memory": (r"^m, n, classes: expected sizes", lambda: cg.problems.mlp(classes=2**62)),
    "more units than memory": (r"^hidden, inputs: expected sizes", lambda: cg.problems.mlp(hidden=2**40)),
    "more workers than memory": (r"^workers, d: expected sizes", lambda: async_with(problem=cg.problems.quadratic(m=1), workers=2**62)),
    "more draws than memory": (r"update 'adam': draws: expected a whole number 0\.\.", lambda: replace(cg.updates.adam(), draws=2**62)),
    "numbers whose squares leave the machine": (r"^linear: expected entries below", lambda: cg.problems.from_hessians([[[[1.0]]]], [[[1e308]]])),
    "a power that leaves the machine": (r"^power: expected one", lambda: async_with(job_times=times.by_norm(1e30))),
    "a ratio that leaves the machine": (r"^ratio: expected a number below", lambda: times.two_classes([True, False], 1e308)),
    "classes that are no truth values": (r"^slow: expected truth values", lambda: times.two_classes(3, 2.0)),
    "a seed that is an array": (r"^seed: expected a whole number", lambda: cg.problems.quadratic(seed=ONE)),
    "an experiment that is none": (r"^experiment: expected one of", lambda: cg.experiments.load(3)),
    "a result that is none": (r"^result: expected a Result", lambda: cg.experiments.figure(3)),
    "axes that are none": (r"^ax: expected Axes", lambda: cg.plots.prefix_walk([[1.0, 2.0]], {"rr": [0]}, ax=3)),
    "a figure that is none": (r"^figure: expected a Figure", lambda: cg.plots.inline_svg(3)),
    "a name that is none": (r"^name: expected text", lambda: cg.plots.look(b"rr")),
    "panels that are none": (r"^panels: expected a list", lambda: cg.plots.together(3)),
    "nothing to draw": (r"^runs: expected at least one name", lambda: cg.plots.loss_curves({})),
    "a table of another shape": (r"^values\['rr'\]: expected numbers of shape", lambda: cg.plots.rate_plot([1, 2, 3], LINES, xlabel="", ylabel="")),
    "a line too steep for a page": (r"^slopes: expected exponents", lambda: cg.plots.rate_plot([1, 2], LINES, xlabel="", ylabel="", slopes=[1e308])),
    "a minimum above the losses": (r"^f_star: expected a minimum", lambda: cg.plots.loss_curves({"rr": run_with()}, f_star=1e9)),
    "colours beyond the machine": (r"^values: expected numbers below", lambda: cg.plots.order_map([[0, 1]], values=[1e308, 0])),
    "colours that do not fit": (r"^values: expected shape", lambda: cg.plots.order_map([[0, 1]], values=[1.0, 2.0, 3.0])),
    "an order under another name": (r"^new: expected whole numbers", lambda: cg.testing.assert_pairs_halve(np.eye(2), [0.5, 1], [1])),
    "runs that are no number": (r"^runs: expected a whole number", lambda: cg.testing.assert_random_orders(np.zeros((1, 2, 1)), len, runs=-1)),
    "thresholds near 0": (r"^thresholds: expected numbers from", lambda: cg.testing.assert_sub_gaussian([1.0], [[0.0]], [1.0], [5e-324], [[1.0]])),
    "cohorts that are no generator": (r"participation 'a': cohorts: expected a generator", lambda: run_with(participation=cg.participation.Participation("a", lambda problem, seed, replicate: 0.0))),
    "chances that find nobody": (r"^chances: expected somebody in one of a million rounds", lambda: run_with(participation=cg.participation.available(chances=1e-16))),
    "a kernel that returns no number": (r"^what kernel 'a': function returns: expected a finite number", lambda: cg.thinning.halve(np.eye(4), cg.thinning.Kernel("a", lambda x, y, settings: "text"))),
    "settings that are no tuple": (r"^settings: expected a tuple of numbers", lambda: cg.thinning.Kernel("a", lambda x, y, settings: 1.0, 3)),
    "a number that is none in a table": (r"^smoothness: expected a finite number", lambda: cg.thinning.matern(smoothness=[1.5])),
    "a second kernel that nobody knows": (r"^unknown split_kernel 'a'", lambda: cg.thinning.thin(np.eye(4), split_kernel="a")),
    "a chance that vanishes": (r"^delta: expected a probability between 0 and 1, at least 1e-100", lambda: cg.thinning.compress(np.eye(4), delta=5e-324)),
    "a graph that is none": (r"^graph: expected a Graph", lambda: cg.graphs.randomized(3, np.eye(3), steps=1)),
    "edges that are no pairs": (r"^edges: expected whole numbers \(E, 2\)", lambda: cg.graphs.from_edges(3, [0, 1])),
    "rows that are no matrix": (r"^start, near, weights: expected the rows of a matrix", lambda: cg.graphs.Graph("a", [0, 2], [0, 1], [0.5, 0.5])),
    "weights that are no numbers": (r"^weights: expected numbers", lambda: cg.graphs.Graph("a", [0, 1], [0], ["a"])),
    "more edges than memory": (r"^m, columns: expected sizes", lambda: cg.graphs.star(m=2**62)),
    "a draw without edges": (r"^p, seed: expected a connected graph; got 0 edges", lambda: cg.graphs.erdos_renyi(m=4, p=5e-324)),
    "a field of a compressor": (r"compressor 'a': omega: expected a function", lambda: cg.compressors.Compressor("a", lambda q, v, u, size: None, float, 3)),
    "a dimension of a compressor": (r"^d: expected a whole number", lambda: cg.compressors.rand_k(k=1).check("2")),
    "a class that is no function of these": (r"arrive: expected a function of \(x, S, .*\); got int", lambda: cg.asynchronous.Method("a", lambda x0, workers, step_size: 0, int)),
    "an ordering that is none": (r"^ordering: expected an Ordering from for_update of 'rr'", lambda: run_with(ordering=replace(cg.orderings.rr(), for_update=lambda update: 3))),
    "a maker of orderings that is none": (r"ordering 'rr': for_update: expected a function", lambda: replace(cg.orderings.rr(), for_update=3)),
    "a truth value of an update": (r"update 'adam': each: expected True or False", lambda: replace(cg.updates.adam(), each=1)),
    "a pair that is none": (r"update 'adam': fused: expected", lambda: replace(cg.updates.adam(), fused=0.5)),
    "a walk that is none": (r"problem 'mine': walk: expected a function", lambda: problem_of(walk=3)),
    "a schedule of other arguments": (r"^batch: expected arguments \(t\)", lambda: run_with(batch=lambda: 1)),
    "ends that are no numbers": (r"^high: expected a finite number", lambda: cg.analysis.word_within([1.0, 2.0], 0.0, "a")),
    "ends that are no interval": (r"^low, high: expected low <= high", lambda: cg.analysis.chance_to_agree(0.0, 1.0, 3, 1.0, 0.0)),
    "frequencies that there are not": (r"^low, high: expected two frequencies", lambda: cg.analysis.spectrum(np.eye(4), range(4)).slope(0.6, 0.7)),
    "a transfer function that is none": (r"^transfer: expected numbers", lambda: cg.analysis.spectrum(np.eye(4), range(4)).floor("a")),
    "orders without steps": (r"^pi: expected orders", lambda: cg.analysis.spectrum(np.eye(4), 3)),
    "vectors whose products leave the machine": (r"^z: expected entries below 3.35e\+153; got 1e\+200; scale them", lambda: cg.herding.order(np.eye(4) * 1e200, "cd-grab")),
    "gradients whose products leave the machine": (r"^G: expected entries below 9.48e\+153; got 1e\+200", lambda: cg.replay(np.full((1, 2, 1, 1), 1e200), "grab")),
    "densities that do not fit": (r"^densities\['rr'\]: expected 2 numbers", lambda: cg.plots.spectrum_plot([0.0, 0.5], {"rr": [1.0]})),
    "lines that do not fit": (r"^lines: expected 2 numbers for 'rr'", lambda: cg.plots.points_plot([1, 2], LINES, xlabel="", ylabel="", lines={"rr": [1.0]})),
    "a law that is none": (r"^law: expected text", lambda: cg.testing.assert_exact_law(cg.problems.quadratic(m=1, n=2, d=1), "rr", law=3)),
    "outcomes that do not fit": (r"^probabilities, ends: expected one of each", lambda: cg.testing.assert_sub_gaussian([1.0], [[0.0], [1.0]], [1.0], [1.0], [[1.0]])),
}  # fmt: skip


class Mute:
    """A class whose values have no text."""

    def __repr__(self):
        raise RuntimeError("no")


class Unarrayed:
    """A class that is no array after all."""

    def __array__(self, *given, **named):
        raise RuntimeError("no")


def study(**more):
    fixed = {"problem": "skewed", "ordering": "rr", "m": 1, "n": 2, "epochs": 1, "step_size": 1e-3}
    return cg.sweep(fixed=fixed, grid={"seed": [0, 1]}, **more)


@pytest.mark.parametrize("kind", FOUND)
def test_the_kinds_that_a_fuzzer_found_are_refused_by_name(kind):
    line, call = FOUND[kind]
    with pytest.raises((TypeError, ValueError), match=line) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, UnicodeError)


def test_lines_beyond_the_numbers_there_are_have_no_warning():
    fit = cg.analysis.rate([1.0, 2.0], [[1.0, 8.0], [1.0, 4.0]])
    assert fit.predict([1e300])[0].tolist() == [np.inf]
    cg.asynchronous.job_times.pareto(2.0, np.longdouble("1e4000"))
    cg.testing.assert_greedy_decisions([[1e300], [2e300], [3e300]], [1, -1, 1])
