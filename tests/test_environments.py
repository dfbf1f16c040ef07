"""Commands end well in any environment: locales, settings of matplotlib, Python's switches, an installation
that nobody may write to."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Tables with ± and signs of mathematics in figures, processes that start processes.
COMMANDS = ["herding --jobs 2", "reproduce logistic", "list"]
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


def run(words, out, environment, switches=(), before=(), **more):
    named = [] if words == "list" else ["--quick", "-q", "--out", out]
    command = [*before, sys.executable, *switches, "-m", "cdgrab_sim", *words.split(), *named]
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
def test_an_installation_that_nobody_may_write_to_without_a_home(tmp_path):
    """Permissions are nothing to root: for them the folder is mounted read-only."""
    place, out = tmp_path / "installed", tmp_path / "out"
    for name in ("cdgrab_sim", "theory"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    out.mkdir()
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" || exit 99; exec "$@"'
    sealed = ["unshare", "--mount", "sh", "-c", mount, str(place)] if os.geteuid() == 0 else []
    if sealed and subprocess.run([*sealed, "true"], capture_output=True, check=False).returncode:
        pytest.skip("as root this needs the right to mount")
    folders = [place, *(path for path in place.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    clean = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH") if key in os.environ}
    settings = clean | {"HOME": "/proc/nonexistent", "PYTHONPATH": str(place)}
    try:
        for words in ("list", "herding", "reproduce logistic --jobs 2"):
            done = run(words, out / words.split()[0], settings, before=sealed, cwd=place)
            assert done.returncode == 0, done.stderr
            assert b"Traceback" not in done.stderr
        assert not [path for path in place.rglob("*") if path.suffix in (".pyc", ".nbi")]
    finally:
        for folder in folders:
            folder.chmod(0o755)
