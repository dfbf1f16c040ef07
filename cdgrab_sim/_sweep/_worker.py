"""The program of a worker process: read a call, run it, reply; leave when the parent is gone.

Started by path with pipes for stdin and stdout. Nothing but the standard library may be imported before the
parent's ``sys.path`` has arrived, which is the first message.
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
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a task prints must not end up among the replies
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
