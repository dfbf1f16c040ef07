"""Fixtures that start processes and end them."""

import os
import signal
import subprocess
import sys

import pytest

from tests.sweep.processes import Cluster


def _listen():
    """Let Ctrl-C arrive, also where a shell started the tests in its background, which is deaf to it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def python():
    """Start Python processes that see what the tests see; kill those that are left."""
    started = []

    def start(*arguments, **options):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen(
            [sys.executable, *map(str, arguments)], env=environment, preexec_fn=_listen, **options
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


@pytest.fixture
def cluster(python, tmp_path):
    """Start a dask cluster with so many workers."""
    pytest.importorskip("distributed")
    made = []

    def start(workers):
        folder = tmp_path / "dask"
        folder.mkdir()
        made.append(Cluster(python, folder, workers))
        return made[-1]

    yield start
    for one in made:
        one.stop()
