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


_LAST_WORDS = 5.0  # seconds for a worker that no longer answers to end


def _pipe() -> tuple[int, int]:
    """Return a pipe above the descriptors of the standard streams, which may be closed here."""
    import fcntl

    low = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in low)
    for end in low:
        os.close(end)
    return high[0], high[1]


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


class NotStarted(BrokenExecutor):
    """The worker was killed before it took up the call, which is therefore not to blame."""


class WorkerProcess(Executor):
    """One fresh Python process that runs calls one after the other.

    Unlike a worker of ``multiprocessing`` it does not import the main module of the caller: scripts need no
    ``if __name__ == "__main__"``, and it leaves at once when its parent is killed.
    """

    def __init__(self) -> None:
        theirs_in, ours_out = _pipe()
        ours_in, theirs_out = _pipe()
        self._requests, self._replies = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_WORKER), str(theirs_in), str(theirs_out)],
                stdin=subprocess.DEVNULL,
                stdout=2 if _is_open(2) else subprocess.DEVNULL,  # what tasks print are no results
                stderr=None if _is_open(2) else subprocess.DEVNULL,
                pass_fds=(theirs_in, theirs_out),
                env=os.environ | _ONE_THREAD,
                start_new_session=True,  # Ctrl-C is for the parent, which ends its workers
            )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
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
        self._requests.write(message)
        self._requests.flush()
        return pickle.load(self._replies)

    def _obituary(self) -> Exception:
        try:
            code = self._process.wait(_LAST_WORDS)
        except subprocess.TimeoutExpired:  # it lives, but has closed its end of a pipe
            self._process.kill()
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
        for pipe in (self._requests, self._replies):
            with suppress(BrokenPipeError):  # a message that nobody will read was still in the buffer
                pipe.close()
