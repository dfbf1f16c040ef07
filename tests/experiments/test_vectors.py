"""`cdgrab herding --vectors`: the vectors of a file, what is measured on them, and files that hold none."""

import io
import json

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import cli
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments import herding
from cdgrab_sim.experiments.herding import on_vectors

RNG = np.random.RandomState(3)
Z = RNG.standard_normal((4, 12, 3)) + 5.0


def run(capsys, tmp_path, path, *words):
    code = cli.main(
        ["herding", "--vectors", str(path), "-q", "--jobs", "1", "--out", str(tmp_path / "out"), *words]
    )
    return code, *capsys.readouterr()


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "_z$1.npy"
    np.save(path, Z)
    return path


def test_errors_are_those_of_the_centred_vectors(saved, tmp_path, capsys):
    code, out, err = run(capsys, tmp_path, saved, "--json")
    assert (code, err) == (0, "")
    rows = {(row["name"], row["quantity"]): row for row in json.loads(out)["rows"]}
    centred = Z - Z.mean(axis=1, keepdims=True)
    curves = [cg.herding.curve(centred, "cd-grab", 15, seed=seed) for seed in subseeds(0, 6)]
    expected = np.mean([curve[-5:].mean() for curve in curves])
    assert rows["cd-grab", "herding error at m = 4"]["measured"] == pytest.approx(expected)
    assert rows["cd-grab", "herding error at m = 4"]["ci_low"] > 0.0
    assert {(name, "herding error exponent in m") for name in herding.ORDERINGS} <= rows.keys()
    assert {row["verdict"] for row in rows.values()} == {"no prediction"}
    data = np.load(tmp_path / "out" / "data.npz")
    assert data["m"].tolist() == [1, 2, 4]
    assert (tmp_path / "out" / "figure.svg").exists()


def test_what_is_used_is_said_and_one_worker_is_enough(tmp_path, capsys):
    np.save(tmp_path / "one.npy", Z[0].astype(np.float32))
    code, out, _ = run(capsys, tmp_path, tmp_path / "one.npy")
    assert code == 0
    assert "m = 1 workers with n = 12 vectors in d = 3 dimensions; each worker's are centred" in out
    assert "exponent" not in out


def archive():
    file = io.BytesIO()
    np.savez(file, z=Z)
    return file.getvalue()


def npy(array, cut=0):
    file = io.BytesIO()
    np.save(file, np.asarray(array))
    return file.getvalue()[: len(file.getvalue()) - cut]


BAD = {
    "text": (b"1,2\n3,4\n", "expected vectors (m, n, d) or (n, d) in a file of numpy.save"),
    "empty": (b"", "expected vectors (m, n, d) or (n, d) in a file of numpy.save"),
    "cut": (npy(Z, cut=9), "got another, or a damaged one"),
    "archive": (archive(), "got an archive"),
    "objects": (npy(np.array([[1, "a"], [2, None]], dtype=object)), "got another, or a damaged one"),
    "words": (npy([["a", "b"]] * 2), "expected numbers; got dtype"),
    "complex": (npy(Z * 1j), "expected numbers; got dtype complex128"),
    "NaN": (npy(np.where(Z > 6, np.nan, Z)), "expected finite numbers; got nan"),
    "flat": (npy(Z[0, 0]), "expected a non-empty array with 2 or 3 axes; got shape (3,)"),
    "none": (npy(Z[:, :0]), "expected a non-empty array"),
    "single": (npy(Z[:, :1]), "there is nothing to order"),
    "huge": (npy(Z * 1e200), "expected entries below 1e+100; got"),
}


@pytest.mark.parametrize("name", BAD)
def test_files_without_vectors_are_refused_in_one_line(name, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(on_vectors, "run_cells", lambda *a: 1 / 0)
    content, message = BAD[name]
    (tmp_path / "z.npy").write_bytes(content)
    code, out, err = run(capsys, tmp_path, tmp_path / "z.npy")
    assert (code, out) == (2, "")
    assert message in err
    assert "z.npy" in err
    assert err.count("\n") == 1


def test_a_missing_file_is_refused(tmp_path, capsys):
    code, _, err = run(capsys, tmp_path, tmp_path / "none.npy")
    assert (code, err.count("\n")) == (2, 1)


def test_equal_vectors_are_at_rounding_level(tmp_path, capsys):
    np.save(tmp_path / "z.npy", np.ones((2, 4, 2)))
    code, out, err = run(capsys, tmp_path, tmp_path / "z.npy")
    assert (code, err) == (0, "")
    assert "at rounding level" in out
