"""Tasks for sweeps, importable by their workers."""

import os
import signal
import time
from pathlib import Path

import numpy as np


def waves(config):
    """Cheap numbers with many digits, after a while."""
    time.sleep(config.get("seconds", 0.0))
    x = config["x"]
    return {"sine": float(np.sin(x)), "name": f"x{x}", "curve": np.cos(x * np.arange(x % 7 + 1.0))}


def deadly(config):
    """Kill the worker at x = 7, always."""
    time.sleep(config.get("seconds", 0.0))
    if config["x"] == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"x": config["x"]}


def fragile(config):
    """Raise at x = 3; leave a trace otherwise."""
    if config["x"] == 3:
        raise ValueError("three is\nno number")
    Path(config["folder"], str(config["x"])).touch()
    return {"x": config["x"]}


def same(a, b):
    """Tell whether two lists of results are equal to the bit, types included."""
    return len(a) == len(b) and all(
        p.keys() == q.keys() and all(type(p[k]) is type(q[k]) and equal(p[k], q[k]) for k in p)
        for p, q in zip(a, b, strict=True)
    )


def equal(a, b):
    """Equal, where NaN equals NaN."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a == b or (a != a and b != b)
