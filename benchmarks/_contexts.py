"""A plugin of pytest that tells coverage which test is running."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import coverage
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any) -> Iterator[None]:
    """Name what runs until the next test begins."""
    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(item.nodeid)
    return (yield)
