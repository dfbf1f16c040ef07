"""`cdgrab speedup --data`: what is refused, and what is found on a real table."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from cdgrab_sim import cli
from cdgrab_sim.analysis import t_interval
from cdgrab_sim.experiments import _real_data
from cdgrab_sim.experiments._table import read_table, shipped

pytestmark = pytest.mark.compiled  # whole experiments: minutes as plain Python

CANCER = shipped("breast_cancer.csv")


def speedup(capsys, tmp_path, *words):
    code = cli.main(["speedup", "-q", "--jobs", "1", "--out", str(tmp_path / "out"), *words])
    return code, *capsys.readouterr()


def write(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


ROWS = "".join(f"{k},{k % 7},{k % 2}\n" for k in range(600))
REFUSED = {
    "an empty table": ("", "y"),
    "got an empty table": ("a,b,y\n", "y"),
    "unknown column 'z'": ("a,b,y\n" + ROWS, "z"),
    "'a' occurs twice": ("a,a,y\n" + ROWS, "y"),
    "row 3, column 'b': expected a finite number; got 'red'": ("a,b,y\n1,2,0\n1,red,1\n" + ROWS, "y"),
    "row 2, column 'a': expected a finite number; got an empty cell": ("a,b,y\n,2,0\n" + ROWS, "y"),
    "row 2, column 'b': expected a finite number; got 'nan'": ("a,b,y\n1,nan,0\n" + ROWS, "y"),
    "row 4: expected 3 cells, as in the header; got 2": ("a,b,y\n1,2,0\n1,3,1\n1,2\n" + ROWS, "y"),
    "expected a target with at least two values; got one": ("a,b,y\n" + "1,2,1\n" * 600, "y"),
    "row 3, column 'b': expected a finite number; got '1_000'": ("a,b,y\n1,2,0\n1,1_000,1\n", "y"),
    "row 2, column 'b': expected a finite number; got '\uff11'": ("a,b,y\n1,\uff11,0\n1,1,1\n", "y"),
    "row 2, column 'b': expected a finite number; got 'inf'": ("a,b,y\n1,1e999,0\n1,1,1\n", "y"),
    "expected CSV; unexpected end of data": ('a,b,y\n1,"2,0\n1,1,1\n', "y"),
    "column 'y': expected a label as above; got '1'": ("a,b,y\n1,2,no\n1,3,1\n", "y"),
    "column 'y': expected a label as above; got an empty cell": ("a,b,y\n1,2,no\n1,3,\n", "y"),
    "got 3 labels, such as 'no'": ("a,b,y\n1,2,no\n1,3,yes\n1,4,so\n", "y"),
    "expected features beside the target": ("y\n1\n0\n", "y"),
    "expected a CSV text file; got binary data": (b"\x89PNG\x00\xff\xfe", "y"),
    "expected a CSV text file; got binary": (b"a,b\x00,y\n1,2,3\n", "y"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_bad_tables_are_refused_in_one_line(message, tmp_path, capsys):
    text, target = REFUSED[message]
    code, out, err = speedup(capsys, tmp_path, "--data", write(tmp_path, text), "--target", target)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_missing_file_or_half_of_the_arguments_is_refused(tmp_path, capsys):
    code, _, err = speedup(capsys, tmp_path, "--data", str(tmp_path / "none.csv"), "--target", "y")
    assert code == 2
    assert "none.csv" in err
    code, _, err = speedup(capsys, tmp_path, "--data", str(CANCER))
    assert code == 2
    assert "--data and --target go together" in err


def test_columns_are_standardised_over_the_whole_file_and_an_intercept_is_added():
    table = read_table(CANCER, "target", standardize=True)
    raw = np.loadtxt(CANCER, delimiter=",", skiprows=1)
    expected = (raw[:, :-1] - raw[:, :-1].mean(axis=0)) / raw[:, :-1].std(axis=0)
    np.testing.assert_allclose(table.features[:, :-1], expected, rtol=1e-12, atol=1e-12)
    assert (table.features[:, -1] == 1).all()
    np.testing.assert_array_equal(
        read_table(CANCER, "target", standardize=False).features[:, :-1], raw[:, :-1]
    )


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8-sig"])
def test_words_in_the_target_and_other_encodings_are_read(encoding, tmp_path):
    text = ",größe,y\n0,1,Ja\n1,3,nein\n2,2,Ja\n"
    table = read_table(Path(write(tmp_path, text.encode(encoding))), "y", standardize=False)
    assert table.target.tolist() == [0, 1, 0]
    assert table.labels == ("Ja", "nein")
    assert table.dropped
    assert table.features.tolist() == [[1, 1], [3, 1], [2, 1]]


def test_a_first_column_that_does_not_count_rows_is_a_feature(tmp_path):
    table = read_table(Path(write(tmp_path, ",b,y\n0,1,0\n2,3,1\n")), "y", standardize=False)
    assert not table.dropped
    assert table.features.tolist() == [[0, 1, 1], [2, 3, 1]]


def test_wide_and_long_tables_are_read_in_seconds(tmp_path):
    wide = ",".join(f"c{k}" for k in range(30_000)) + "\n" + ",".join(["1.5"] * 30_000) + "\n"
    long = "a,b,c,y\n" + "1.25,-3e-2,7,1\n" * 200_000
    start = time.perf_counter()
    assert read_table(Path(write(tmp_path, wide)), "c7", standardize=False).features.shape == (1, 30_000)
    assert read_table(Path(write(tmp_path, long)), "y", standardize=False).features.shape == (200_000, 4)
    assert time.perf_counter() - start < 10


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(_real_data, "QUICK", _real_data.SIZES | {"epochs": 2, "seeds": 2})


RANDOM = "".join(f"{k % 17},{k * k % 23},{'yes' if k * k * k % 29 % 2 else 'no'}\n" for k in range(70))


@pytest.mark.parametrize(
    ("words", "used"),
    [
        ([], "logistic 'yes' against 'no' on 64 of 70 rows at m = 16: n = 4 for each worker"),
        (["-m", "2", "1"], "on 70 of 70 rows at m = 2: n = 35 for each worker"),
        (["-n", "8", "--loss", "logistic", "--epochs", "3"], "on 64 of 70 rows at m = 8: n = 8 for each"),
    ],
)
def test_what_is_used_is_said_and_chosen(words, used, tiny, tmp_path, capsys):
    path = write(tmp_path, "a,b,y\n" + RANDOM)
    code, out, err = speedup(capsys, tmp_path, "--quick", "--data", path, "--target", "y", *words)
    assert (code, err) == (0, "")
    assert used in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "8", "-m", "10"], "expected at least m n = 80 rows; got 70"),
        (["-m", "71"], "expected at least m n = 71 rows; got 70"),
        (["-n", "0"], "-n: expected a whole number >= 1; got 0"),
        (["--loss", "least-squares"], "got 2 labels, such as 'no'"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(words, message, tiny, tmp_path, capsys):
    path = write(tmp_path, "a,b,y\n" + RANDOM)
    code, out, err = speedup(capsys, tmp_path, "--quick", "--data", path, "--target", "y", *words)
    assert (code, out) == (2, "")
    assert message in err


def test_exponents_of_tuned_errors_on_a_table(tiny, tmp_path, capsys):
    path = write(tmp_path, "a,b,y\n" + RANDOM)
    words = ["--quick", "--json", "-q", "--jobs", "1", "--out", str(tmp_path / "out"), "--data", path]
    words += ["--target", "y", "-m", "1", "2", "--epochs", "8", "--ridge", "1"]
    code = cli.main(["rates", *words])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert (result["config"]["n"], result["config"]["loss"]) == (35, "logistic")
    quantities = {row["quantity"] for row in result["rows"]}
    assert quantities == {*(f"tuned error exponent in {v}" for v in "mT"), "tuned error at m = 2, T = 8"}
    assert {row["verdict"] for row in result["rows"]} == {"no prediction"}
    assert all(row["ci_low"] > 0.0 for row in result["rows"] if "at m" in row["quantity"])
    data = np.load(tmp_path / "out" / "data.npz")
    assert (data["tuned m"].tolist(), data["tuned T"].tolist()) == ([1, 2], [1, 2, 4, 8])
    np.testing.assert_array_equal(data["tuned m cd-grab"][:, -1], data["tuned T cd-grab"][:, -1])
    assert cli.main(["speedup", *words[:-2], "--ridge", "1", "--force"]) == 0
    np.testing.assert_array_equal(
        np.load(tmp_path / "out" / "data.npz")["error cd-grab"], data["tuned m cd-grab"]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "y"], "--data and --target go together"),
        (["-n", "4"], "n: expected none without --data; got 4"),
        (
            ["floors", "--data", "t.csv", "--target", "y"],
            "expected 'tuned', or none, on other problems; got floors",
        ),
        (["--data", "t.csv", "--target", "y", "-n", "100"], "expected at least m n = 100 rows; got 70"),
    ],
)
def test_rates_refuses_half_a_table(words, message, tiny, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,y\n" + RANDOM)
    assert cli.main(["rates", "--quick", "-q", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_intervals_of_errors_on_a_table_are_positive(tiny, tmp_path, capsys):
    """Errors that differ by magnitudes over seeds: Student's interval for the mean ends below 0."""
    path = write(tmp_path, "a,b,y\n" + RANDOM)
    words = ["--quick", "--json", "--data", path, "--target", "y", "-m", "1", "--epochs", "40"]
    _, out, _ = speedup(capsys, tmp_path, *words)
    rows = [row for row in json.loads(out)["rows"] if row["quantity"].startswith("tuned")]
    spread = np.load(tmp_path / "out" / "data.npz")
    assert any(t_interval(spread[f"error {row['name']}"][:, 0])[0] < 0.0 for row in rows)
    assert all(0.0 < row["ci_low"] < row["measured"] < row["ci_high"] for row in rows)


def test_a_table_without_a_minimum_is_refused_before_the_work(tiny, tmp_path, capsys):
    path = write(tmp_path, "a,b,y\n" + "".join(f"{k},{k % 3},{int(k > 30)}\n" for k in range(64)))
    words = ["--quick", "--data", path, "--target", "y", "--ridge", "0"]
    code, out, err = speedup(capsys, tmp_path, *words)
    assert (code, out) == (2, "")
    assert "give --ridge > 0" in err


def test_errors_at_the_level_of_rounding_are_said(tiny, tmp_path, capsys):
    path = write(tmp_path, "a,y\n" + "".join(f"{k % 7},{2 * (k % 7) + 1}\n" for k in range(64)))
    words = ["--quick", "--data", path, "--target", "y", "--ridge", "0", "--epochs", "300", "-m", "2"]
    code, out, err = speedup(capsys, tmp_path, *words)
    assert (code, err) == (0, "")
    assert "errors are at the level of rounding" in out
    assert "nan" not in out


def test_a_constant_column_becomes_zero(tmp_path):
    table = read_table(Path(write(tmp_path, "a,b,y\n5,1,0\n5,2,1\n")), "y", standardize=True)
    assert table.features.tolist() == [[0.0, -1.0, 1.0], [0.0, 1.0, 1.0]]


@pytest.mark.compiled
def test_coordinated_orders_win_on_real_data(tmp_path, capsys, monkeypatch):
    """At ridge 0.01 and m = 32 the tuned error of cd-grab is at most a third of the others'."""
    monkeypatch.setattr(_real_data, "QUICK", _real_data.SIZES | {"m": [32], "n": 16})
    words = ["--quick", "--json", "--data", str(CANCER), "--target", "target"]
    code, out, _ = speedup(capsys, tmp_path, *words)
    rows = {(row["name"], row["quantity"]): row for row in json.loads(out)["rows"]}
    errors = {name: row["measured"] for (name, what), row in rows.items() if what.startswith("tuned error")}
    assert code == 0
    assert errors["cd-grab"] <= errors["rr"] / 3
    assert errors["cd-grab"] <= errors["d-grab-pair"] / 3
    ratio = rows["cd-grab", "error / rr at m = 32"]["measured"]
    assert ratio == pytest.approx(errors["cd-grab"] / errors["rr"], rel=1e-12)
    assert all(row["verdict"] == "no prediction" for row in rows.values())


@pytest.mark.parametrize(("classes", "loss"), [(2, "logistic"), (9, "least-squares")])
def test_the_loss_follows_the_target_and_every_ordering_gets_its_rows(
    classes, loss, tmp_path, capsys, monkeypatch
):
    rng = np.random.RandomState(0)
    rows = "".join(f"{a:.3f},{b:.3f},{rng.randint(classes)}\n" for a, b in rng.standard_normal((60, 2)))
    tiny = _real_data.SIZES | {"n": 4, "m": [1, 4], "epochs": 6, "seeds": 3}
    monkeypatch.setattr(_real_data, "QUICK", tiny)
    words = [
        "--quick",
        "--json",
        "--data",
        write(tmp_path, "a,b,y\n" + rows),
        "--target",
        "y",
        "--ridge",
        "1",
    ]
    code, out, _ = speedup(capsys, tmp_path, *words)
    result = json.loads(out)
    assert code == 0
    assert result["config"]["loss"] == loss
    for name in result["config"]["orderings"]:
        found = [row for row in result["rows"] if row["name"] == name]
        assert len(found) == (1 if name == "rr" else 2)
        assert all(np.isfinite(row["measured"]) and row["measured"] > 0 for row in found)
    assert (tmp_path / "out" / "figure.svg").exists()
