"""What comes in: numbers of NumPy become numbers of Python, and what is no number is refused by name."""

import decimal
import fractions
import json

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
        lambda: cg.Update("mine", functions, functions, settings={"f": functions}),
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
