"""A pytest that is ready before it knows its tests: every order runs in a fork of it.

numpy, numba, scipy and pytest itself are imported once instead of once for each mutant.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

READY = ("numpy.testing", "numba", "hypothesis")
READY += ("scipy.stats", "scipy.linalg", "scipy.optimize", "scipy.sparse")
WORDS = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", "benchmarks._forks", "-m", ""]
PIPES, TOLD = "PIPES_OF_FORKS", ".told.json"
WAITS = 10.0  # times the CPU limit: of a test that waits for ever, on a machine that others use, too


class Forks:
    """The pipes to a pytest that waits in a folder."""

    def __init__(self, where: Path, env: dict[str, str]) -> None:
        theirs, mine = os.pipe()
        back, answers = os.pipe()
        env = os.environ | env | {"PYTHONPATH": str(where), PIPES: f"{theirs} {answers}"}
        words = [sys.executable, "-m", "pytest", *WORDS]
        self.where = where
        self.process = subprocess.Popen(
            words, cwd=where, env=env, pass_fds=(theirs, answers), stdout=subprocess.DEVNULL
        )
        for end in (theirs, answers):
            os.close(end)
        self.orders, self.answers = os.fdopen(mine, "w"), os.fdopen(back)

    def run(self, tests: list[str], limit: float, *, first: bool = True) -> dict[str, Any]:
        """Run tests, by default until one fails; return the exit code and what the tests told.

        `limit` is in seconds of CPU of each process. A negative code is the signal that ended it.
        """
        (self.where / TOLD).unlink(missing_ok=True)
        print(json.dumps({"tests": tests, "limit": limit, "first": first}), file=self.orders, flush=True)
        answer = self.answers.readline()
        if not answer:
            raise RuntimeError("expected an answer of the pytest that forks; it ended")
        told = self.where / TOLD
        heard = json.loads(told.read_text()) if told.exists() else {"seconds": {}, "failed": ""}
        return {"code": int(answer), **heard}

    def close(self) -> None:
        """End the waiting pytest."""
        self.orders.close()
        self.process.wait()
        self.answers.close()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Serve until the pipe closes; in a fork, go on with what is ordered."""
    for name in READY:
        importlib.import_module(name)
    gc.freeze()  # what is here already is no garbage of the forks
    orders, answers = map(int, os.environ[PIPES].split())
    with os.fdopen(orders) as lines:
        for line in lines:
            order = json.loads(line)
            if (child := os.fork()) == 0:
                os.setsid()
                resource.setrlimit(resource.RLIMIT_CPU, 2 * (int(order["limit"]) + 1,))
                config.args, config.option.maxfail = order["tests"], int(order["first"])
                return
            os.write(answers, f"{_ended(child, WAITS * order['limit'])}\n".encode())
    os._exit(0)


def _ended(child: int, limit: float) -> int:
    """Wait for a fork and end what it leaves; return its exit code."""
    end = time.monotonic() + limit
    while not (found := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < end:
        time.sleep(0.005)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode((found if found[0] else os.waitpid(child, 0))[1])


_spent: dict[str, float] = {}
_passed: set[str] = set()
_failed: list[str] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any) -> Iterator[None]:
    """Keep the CPU seconds of a test, with those of its processes."""
    began = sum(os.times()[:4])
    result = yield
    _spent[item.nodeid] = sum(os.times()[:4]) - began
    return result


def pytest_runtest_logreport(report: Any) -> None:
    """Keep what passed, and what failed."""
    if report.failed:
        _failed.append(report.nodeid)
    elif report.when == "call" and report.passed:
        _passed.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Tell it to who ordered, and end without cleaning up what ends with the process."""
    seconds = {name: spent for name, spent in _spent.items() if name in _passed}
    told = {"seconds": seconds, "failed": next(iter(_failed), "")}
    (session.config.rootpath / TOLD).write_text(json.dumps(told))
    os._exit(exitstatus)
