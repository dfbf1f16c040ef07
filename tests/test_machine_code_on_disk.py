"""Machine code that outlives its source, its file or its folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cdgrab_sim._kernels import jit

ROOT = Path(__file__).parent.parent
pytestmark = [pytest.mark.compiled, pytest.mark.skipif(not jit.compiles(), reason="nothing is compiled")]

DOT = """
import numpy as np
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim.orderings._balance import balance

@kernel
def signed(s, a, b):
    return balance(s, 0, a, (0,), b, (0,))

s = np.ones((1, 2))
print(signed(s, np.ones((1, 2)), np.zeros((1, 2))), len(signed.stats.cache_hits))
"""


@pytest.fixture
def place(tmp_path):
    """A copy of the package whose sources may be changed, and a function that runs a script in it."""
    shutil.copytree(
        ROOT / "cdgrab_sim", tmp_path / "cdgrab_sim", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "script.py").write_text(DOT)

    def run(**environment):
        clean = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
        done = subprocess.run(
            [sys.executable, "script.py"], cwd=tmp_path, text=True, capture_output=True, check=True,
            env=clean | {"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)} | environment,
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout.split()

    return tmp_path, run


def test_a_changed_callee_in_another_file_is_compiled_anew(place):
    """Numba watches the file of a function only: an edit of the sums ran with the old ones."""
    folder, run = place
    assert run() == ["-1.0", "0"]
    assert run() == ["-1.0", "1"]
    rule = folder / "cdgrab_sim" / "orderings" / "_balance.py"
    text = rule.read_text()
    right, wrong = "ia, b, ib) <= 0.0 else -1.0", "ia, b, ib) > 0.0 else -1.0"
    assert right in text
    rule.write_text(text.replace(right, wrong))
    assert run() == ["1.0", "0"]
    kept = list((folder / "__pycache__").glob("script.signed*.nbi"))
    assert len(kept) == 1  # the old one is gone


def test_damaged_files_are_compiled_over(place):
    folder, run = place
    run()
    for path in [*(folder / "__pycache__").glob("*.nbi"), *(folder / "cdgrab_sim").rglob("*.nbi")]:
        path.write_bytes(b"\x80\x05damaged")
    assert run()[0] == "-1.0"


def test_an_installation_that_nobody_can_write_to_compiles_all_the_same(place):
    """It ended in a traceback of numba: no locator available."""
    _, run = place
    script = "from numba.core import caching\ncaching.CacheImpl._locator_classes = []\n"
    folder = place[0]
    (folder / "script.py").write_text(script + DOT)
    assert run() == ["-1.0", "0"]
