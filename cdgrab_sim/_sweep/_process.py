"""An executor that is one worker process, so that a death has exactly one suspect."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_WORKER = Path(__file__).with_name("_worker.py")
# Many processes with many threads each are 5 to 9 times slower than one thread each.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


class NotStarted(BrokenExecutor):
    """The worker was killed before it took up the call, which is therefore not to blame."""


class WorkerProcess(Executor):
    """One fresh Python process that runs calls one after the other.

    Unlike a worker of ``multiprocessing`` it does not import the main module of the caller: scripts need no
    ``if __name__ == "__main__"``, and it leaves at once when its parent is killed.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _ONE_THREAD,
            start_new_session=True,  # Ctrl-C is for the parent, which ends its workers
        )
        self._thread = ThreadPoolExecutor(1)
        self._ready = False

    def submit(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Run ``function(*args)`` in the process; `BrokenExecutor` is the answer when it dies."""
        if kwargs:
            raise TypeError("submit: expected positional arguments only")
        return self._thread.submit(self._call, function, args)

    def _call(self, function: Callable[..., R], arguments: tuple[Any, ...]) -> R:
        call = pickle.dumps((function, arguments), protocol=pickle.HIGHEST_PROTOCOL)
        try:
            if not self._ready:
                self._exchange(pickle.dumps(sys.path))
                self._ready = True
            result, error = self._exchange(call)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise self._obituary() from None
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    def _exchange(self, message: bytes) -> Any:
        requests, replies = self._process.stdin, self._process.stdout
        assert requests is not None
        assert replies is not None
        requests.write(message)
        requests.flush()
        return pickle.load(replies)

    def _obituary(self) -> Exception:
        code = self._process.wait()
        if self._ready:
            return BrokenExecutor(f"worker process died (exit code {code})")
        if code < 0:
            return NotStarted(f"worker process was killed before it started (exit code {code})")
        return RuntimeError(f"worker processes do not start (exit code {code}); see the messages above")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self._thread.shutdown(wait=True, cancel_futures=cancel_futures)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):  # a message that nobody will read was still in the buffer
                pipe.close()
