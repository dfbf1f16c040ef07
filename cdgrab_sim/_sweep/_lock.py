"""One writer: a lock that the operating system drops when its holder dies, and that says who holds it."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold ``PATH.lock`` while a file is written.

    Raises
    ------
    OSError
        When somebody else holds it; the message names host and process.
    """
    import fcntl

    lock = path.with_name(path.name + ".lock")
    while True:
        descriptor = _opened(lock)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 200, 0).decode(errors="replace").strip() or "another process"
            os.close(descriptor)
            raise OSError(
                errno.EBUSY, f"{path}: {holder} writes to it; wait for it, or choose another file"
            ) from None
        if _is_at(lock, descriptor):
            break
        os.close(descriptor)  # its holder removed it between our opening and our locking
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _opened(lock: Path) -> int:
    """Open a lock; what a link points at would be overwritten."""
    try:
        return os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise OSError(error.errno, f"{lock}: expected no file there, or a lock; remove it") from None
        raise


def _is_at(lock: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(lock.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
