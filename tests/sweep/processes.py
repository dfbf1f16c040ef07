"""Processes for fault injection: everything on loopback, everything ended by the test that started it."""

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path


def until(condition, seconds=30.0):
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.005)


def is_running(pid):
    """Tell whether a process lives; a zombie does not."""
    return _status(pid) not in (None, "Z")


def children(pid):
    """Return the living children of a process."""
    found = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()]
    return [child for child in found if _parent(child) == pid and is_running(child)]


def workers(pid):
    """Return the living worker processes of a sweep that runs in a process."""
    return [child for child in children(pid) if "_sweep/_worker.py" in command(child)]


def command(pid):
    """Return the command line of a process, empty when it is gone."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def _fields(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def _status(pid):
    fields = _fields(pid)
    return fields and fields[0]


def _parent(pid):
    fields = _fields(pid)
    return fields and int(fields[1])


def _json(path):
    """Return what a file holds, None while it is missing or half written."""
    with suppress(FileNotFoundError, json.JSONDecodeError):
        return json.loads(path.read_text())
    return None


class Cluster:
    """A dask scheduler and its workers, as processes of their own."""

    def __init__(self, python, folder, workers):
        def start(module, *arguments):
            common = ("--no-dashboard", "--scheduler-file", contact)
            return python(
                "-m",
                f"distributed.cli.{module}",
                *common,
                *arguments,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
            )

        contact = folder / "scheduler.json"
        self.processes = [start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")]
        self.scheduler = self.processes[0]
        until(lambda: _json(contact))  # the scheduler creates the file before it fills it
        options = ("--host", "127.0.0.1", "--nthreads", "1", "--memory-limit", "0", "--death-timeout", "60")
        self.nannies = [start("dask_worker", *options) for _ in range(workers)]
        self.processes += self.nannies
        self.address = _json(contact)["address"]

    def workers(self):
        """Return the process ids of the workers proper, which their nannies start again."""
        found = [child for nanny in self.nannies for child in children(nanny.pid)]
        return [pid for pid in found if "spawn_main" in command(pid)]

    def stop(self):
        """Kill everything: nannies first, so that they start no new workers."""
        started = [child for nanny in self.nannies for child in children(nanny.pid)]
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        for pid in started:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until(lambda: not any(is_running(pid) for pid in started))
