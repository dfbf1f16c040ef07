"""Commands end well in any environment: locales, settings of matplotlib, Python's switches, an installation
that nobody may write to."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOBODY = 65534
# Tables with ±, κ and ≤, a figure with mathematical signs, processes that start processes.
COMMANDS = ["herding --jobs 2", "discrepancy", "reproduce logistic", "centralized", "list"]
ENVIRONMENTS = {
    "UTF-8": ({"LC_ALL": "C.UTF-8"}, []),
    "ASCII": (
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
        [],
    ),
    "POSIX": ({"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, []),
    "LaTeX": ({"MATPLOTLIBRC": "{folder}/matplotlibrc"}, []),
    "no docstrings": ({"PYTHONOPTIMIZE": "2"}, []),
    "no warnings": ({}, ["-W", "error"]),
}
pytestmark = [pytest.mark.slow, pytest.mark.compiled]


def run(words, out, environment, switches=(), **more):
    named = [] if words == "list" else ["--quick", "-q", "--out", out]
    command = [sys.executable, *switches, "-m", "cdgrab_sim", *words.split(), *named]
    return subprocess.run(command, capture_output=True, env=environment, check=False, **more)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_commands_end_well(name, tmp_path):
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\n")
    settings, switches = ENVIRONMENTS[name]
    known = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))}
    own = {key: value.format(folder=tmp_path) for key, value in settings.items()}
    for k, words in enumerate(COMMANDS):
        done = run(words, tmp_path / str(k), known | own, switches, cwd=ROOT)
        assert (done.returncode, done.stderr) == (0, b""), words
        assert words == "list" or (tmp_path / str(k) / "figure.svg").stat().st_size > 1000


@pytest.mark.deep
def test_an_installation_that_nobody_may_write_to_without_a_home():
    """As another user, since nothing is read-only to root."""
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cdgrab_sim", "theory"):
            shutil.copytree(ROOT / name, Path(folder, name), ignore=shutil.ignore_patterns("__pycache__"))
        out = Path(folder, "out")
        out.mkdir()
        if who:
            os.chown(out, NOBODY, NOBODY)
        for path in [
            Path(folder),
            *Path(folder, "cdgrab_sim").rglob("*"),
            *Path(folder, "theory").rglob("*"),
        ]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        clean = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH") if key in os.environ}
        for words in ("list", "herding", "centralized --jobs 2"):
            settings = clean | {"HOME": "/nonexistent", "PYTHONPATH": folder}
            done = run(words, out / words.split()[0], settings, cwd=folder, **who)
            assert done.returncode == 0, done.stderr
            assert b"Traceback" not in done.stderr
        for path in [Path(folder), *(p for p in Path(folder).rglob("*") if p.is_dir())]:
            path.chmod(0o755)
