"""The check notices what it should: every mutant turns its statement red."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.mutants import ASYNCHRONY, CONSTANTS, FORMULAS, KERNELS, MUTANTS

ROOT = Path(__file__).parent.parent
SAMPLE = (KERNELS[0], KERNELS[4], FORMULAS[5], FORMULAS[8], FORMULAS[18], ASYNCHRONY[14], CONSTANTS[15])
LONG = {"T10"}  # minutes as plain Python: compiled, in a folder of its own


def name(mutant):
    return f"{mutant.file}: {mutant.new.strip()}"


def rows_of(mutant, folder):
    """Run the mutant's statement on a copy of the packages in which `old` has become `new`."""
    for package in ("cdgrab_sim", "theory"):
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "notes")
        )
    source = folder / mutant.file
    source.write_text(source.read_text(encoding="utf-8").replace(mutant.old, mutant.new), encoding="utf-8")
    # Plain Python loops: nothing to compile, and no machine code of the unchanged kernels to be found.
    plain = {"NUMBA_DISABLE_JIT": "0" if mutant.label in LONG else "1"}
    environment = os.environ | plain | {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "numba")}
    words = ["check", mutant.label, "--quick", "--json", "-q", "--jobs", "1", "--out", str(folder / "out")]
    done = subprocess.run(
        [sys.executable, "-m", "cdgrab_sim", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)["rows"]


def must_turn_red(mutant, folder):
    code, rows = rows_of(mutant, folder)
    assert any(row["verdict"] in ("fails", "disagrees") for row in rows if row["name"] == mutant.label)
    assert code == 1


def test_there_are_a_hundred_and_no_two_are_the_same():
    assert len(MUTANTS) >= 100
    assert max(Counter(MUTANTS).values()) == 1
    assert all(mutant.old != mutant.new for mutant in MUTANTS)


def test_every_asynchronous_statement_has_one():
    labels = {f"A{number}" for number in range(1, 18)} | {"A2b"}
    assert {mutant.label for mutant in ASYNCHRONY} == labels


@pytest.mark.parametrize("mutant", MUTANTS, ids=name)
def test_what_it_changes_occurs_once(mutant):
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1


@pytest.mark.parametrize("mutant", SAMPLE, ids=name)
def test_it_turns_red(mutant, tmp_path):
    must_turn_red(mutant, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("mutant", [m for m in MUTANTS if m not in SAMPLE], ids=name)
def test_every_other_one_turns_red(mutant, tmp_path):
    must_turn_red(mutant, tmp_path)
