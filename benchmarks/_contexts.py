"""A plugin of pytest that tells coverage which test is running, and keeps how long each took."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

_seconds: dict[str, float] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any) -> Iterator[None]:
    """Name what runs until the next test begins."""
    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(item.nodeid)
    return (yield)


def pytest_runtest_logreport(report: Any) -> None:
    """Keep the time of tests that passed."""
    if report.when == "call" and report.passed:
        _seconds[report.nodeid] = report.duration


def pytest_sessionfinish() -> None:
    """Write the times."""
    Path(os.environ["SECONDS_OF_TESTS"]).write_text(json.dumps(_seconds))
