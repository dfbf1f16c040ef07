"""The program of a worker process: read a call, run it, reply; leave when the parent is gone.

Started by path with the descriptors of two pipes as arguments. stdin, stdout and stderr are not among them: a
task, or what Python runs at its start, may read and print. Nothing but the standard library may be imported
before the parent's ``sys.path`` has arrived, which is the first message.
"""

import os
import pickle
import queue
import sys
import threading
from typing import Any, BinaryIO


def _listen(requests: BinaryIO, calls: "queue.SimpleQueue[Any]") -> None:
    """Queue what the parent sends. End of file means that it is gone: stop, even inside a task."""
    while True:
        try:
            calls.put(pickle.load(requests))
        except (EOFError, OSError):
            os._exit(0)
        except Exception as error:  # a call that cannot be read here, for example a missing module
            calls.put(error)


def main() -> None:
    """Serve calls ``(function, arguments)`` one after the other."""
    for descriptor in map(int, sys.argv[1:3]):
        os.set_inheritable(descriptor, False)  # processes of a task must not keep the pipes open
    requests, replies = os.fdopen(int(sys.argv[1]), "rb"), os.fdopen(int(sys.argv[2]), "wb")
    sys.path[:] = pickle.load(requests)
    calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, calls), daemon=True).start()
    _reply(replies, None, None)
    while True:
        call = calls.get()
        try:
            if isinstance(call, Exception):
                raise call
            function, arguments = call
            result, error = function(*arguments), None
        except Exception as raised:
            result, error = None, raised
        _reply(replies, result, error)


def _reply(replies: BinaryIO, result: Any, error: Exception | None) -> None:
    pickle.dump((result, error), replies, protocol=pickle.HIGHEST_PROTOCOL)
    replies.flush()


if __name__ == "__main__":
    main()
