"""Streams that never cost a result: closed ones take everything, and what one cannot spell it degrades."""

from __future__ import annotations

import codecs
import os
import sys

_SPELLED = {
    "±": "+/-",
    "−": "-",
    "≤": "<=",
    "≥": ">=",
    "²": "^2",
    "α": "alpha",
    "κ": "kappa",
    "μ": "mu",
    "σ": "sigma",
}


def prepare() -> None:
    """Open what was closed, and let stdout and stderr spell what their encoding lacks."""
    codecs.register_error("cdgrab_sim.spelled", _spelled)
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:  # no file of ours becomes somebody's stdout
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # Python's word for a closed descriptor
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="cdgrab_sim.spelled")


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_SPELLED.get(letter, "?") for letter in text), error.end
