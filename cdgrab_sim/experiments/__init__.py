"""Experiments: one file per question, `EXPERIMENTS` the one place where a question is registered.

A module ``_name`` has ``run(options, **arguments) -> Result`` and, where it takes arguments of its own,
``add_arguments(parser)``. Measured and predicted numbers meet here and nowhere else.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# name of the command -> the question, in one line. The modules are imported when they are run.
EXPERIMENTS: dict[str, str] = {
    "speedup": "How does the error fall with the number of workers?",
    "herding": "How does the herding error grow with workers and with examples?",
}


def load(name: str) -> Any:
    """Return the module of an experiment.

    Examples
    --------
    >>> load("speedup").run.__name__
    'run'
    """
    return import_module(f"{__name__}._{name.replace('-', '_')}")
