"""Functions of users: what they read, print, raise and close neither hangs nor stops a sweep."""

import os
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from cdgrab_sim._sweep import _engines, execute, open_sweep
from cdgrab_sim._sweep._engines import landings
from tests.sweep.tasks import waves

CONFIGS = [{"x": x} for x in range(4)]


def reading(config):
    return {"x": config["x"], "read": sys.stdin.read(), "raw": os.read(0, 10).decode()}


def printing(config):
    os.write(1, b"raw words\n")
    sys.stdout.write("words\n")
    os.system("echo words of a child")
    return {"x": config["x"]}


def closing(config):
    if config["x"] == 2:
        os.closerange(3, 100)
    return {"x": config["x"]}


def test_a_function_that_reads_stdin_meets_its_end():
    assert execute(reading, CONFIGS, jobs=2) == [config | {"read": "", "raw": ""} for config in CONFIGS]


def test_what_a_function_prints_is_no_reply(capfd):
    assert execute(printing, CONFIGS, jobs=2) == CONFIGS
    assert capfd.readouterr().out == ""


def test_a_function_that_closes_everything_is_lost_and_hangs_nobody():
    with pytest.raises(RuntimeError, match=r"1 of 4 tasks.*'x': 2.*lost"):
        execute(closing, CONFIGS, jobs=2)


def test_a_sitecustomize_that_prints_and_reads(tmp_path, python):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nprint('hello')\nsys.stdout.flush()\nsys.stdin.read()\n"
    )
    code = (
        f"import os\nos.environ['PYTHONPATH'] = {str(tmp_path)!r} + os.pathsep + os.environ['PYTHONPATH']\n"
        "from cdgrab_sim._sweep import execute\nfrom tests.sweep.tasks import waves\n"
        "print(len(execute(waves, [{'x': 1}, {'x': 2}], jobs=2)))\n"
    )
    done = python("-c", code, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.communicate(timeout=60)[0] == b"2\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed(closed, tmp_path):
    code = (
        "from cdgrab_sim._sweep import execute\nfrom tests.sweep.tasks import waves\n"
        f"execute(waves, [{{'x': 1}}, {{'x': 2}}], jobs=2, store={str(tmp_path / 'store.sqlite')!r})\n"
    )
    words = [sys.executable, "-c", code]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", *words], env=environment, timeout=60, check=True)
    assert open_sweep(tmp_path / "store.sqlite").status() == {"runs": 2, "done": 2}


def test_no_more_processes_than_tasks():
    tasks = [(position, {"x": position}) for position in range(1, 4)]
    assert len(_engines._lanes(10**9, len(tasks), None)) == 3
    with landings(waves, tasks, jobs=10**9, executor=None) as landed:
        assert sum(len(outcomes) for outcomes in landed) == 3


class Silent(Exception):
    def __str__(self):
        raise ValueError("no words")


class Stop(BaseException):
    """An exception that is no Exception."""


def leaving(config):
    ways = {
        0: lambda: sys.exit(3),
        1: lambda: sys.exit("enough"),
        2: lambda: (_ for _ in ()).throw(Silent()),
        3: lambda: (_ for _ in ()).throw(Stop("stopped")),
        4: lambda: (_ for _ in ()).throw(ValueError("a name: \udcff")),
    }
    if config["x"] in ways:
        ways[config["x"]]()
    return {"x": config["x"]}


@pytest.mark.parametrize("jobs", [1, 2])
def test_whatever_is_raised_is_an_outcome(jobs, tmp_path):
    path = tmp_path / "store.sqlite"
    with pytest.raises(RuntimeError, match=r"5 of 7 tasks have no result; .* failed: SystemExit: 3"):
        execute(leaving, [{"x": x} for x in range(7)], jobs=jobs, store=path)
    study = open_sweep(path)
    assert study.status() == {"runs": 7, "done": 2, "failed": 5}
    for word, message in zip(
        ["SystemExit: 3", "SystemExit: enough", "Silent: ", "Stop: stopped", "ValueError: a name: "],
        study.messages(),
        strict=True,
    ):
        assert word in message


def test_ctrl_c_inside_a_task_still_ends_the_sweep():
    def interrupted(config):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(interrupted, CONFIGS)


MEASURED = {
    "fraction": (Fraction(1, 4), 0.25),
    "decimal": (Decimal("0.5"), 0.5),
    "long": (np.longdouble(0.1), float(np.longdouble(0.1))),
    "half": (np.float16(0.5), 0.5),
    "nan": (np.float32("nan"), float("nan")),
    "count": (np.uint64(2**64 - 1), 2**64 - 1),
    "yes": (np.True_, True),
    "text": (np.str_("a"), "a"),
}


def test_numbers_that_are_measured_come_back_as_python_numbers(tmp_path):
    measured = {name: given for name, (given, _) in MEASURED.items()}
    for store in (None, tmp_path / "store.sqlite"):
        (found,) = execute(lambda config: measured, [{}], store=store)
        for name, (_, expected) in MEASURED.items():
            assert type(found[name]) is type(expected), name
            assert found[name] == expected or expected != expected


@pytest.mark.parametrize(
    "value",
    [1j, np.complex64(1), np.datetime64("2026-01-01"), np.ma.array([1.0], mask=[True]), np.ma.masked,
     {"a": 1}, b"x", np.array([object()])],
)  # fmt: skip
def test_what_no_store_can_hold_fails_its_run_alone(value, tmp_path):
    def task(config):
        return {"found": value if config["x"] == 1 else 0}

    with pytest.raises(RuntimeError, match=r"1 of 4 tasks .*TypeError: found: expected a real number"):
        execute(task, CONFIGS, store=tmp_path / "store.sqlite")
    assert open_sweep(tmp_path / "store.sqlite").status() == {"runs": 4, "done": 3, "failed": 1}
