"""What an audit looked for, what it saw, and how often chance alone would show as much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from cdgrab_sim._text import aligned


@dataclass(frozen=True)
class Finding:
    """One fault that was looked for.

    Attributes
    ----------
    fault : str
        Its name.
    seen : str
        What was seen, in words.
    log_p : float or None
        The logarithm of an upper bound on the probability that a loader without faults shows as much. None:
        counted, so that chance has no part in it.
    present : bool
        What was counted is there, or the probability is below the level of the test.
    verdict : str
        "fault", "known" for one that was announced, or "not seen".
    """

    fault: str
    seen: str
    log_p: float | None
    present: bool = False
    verdict: str = "not seen"

    def cells(self) -> dict[str, str]:
        """Return the row as text, by heading."""
        return {
            "looked for": self.fault,
            "seen": self.seen,
            "by chance": self._chance(),
            "verdict": self.verdict,
        }

    def _chance(self) -> str:
        if self.log_p is None:
            return "counted"
        return (
            f"p <= {exp(self.log_p):.2g}" if self.log_p > -700.0 else f"p <= 10^{self.log_p / 2.302585:.0f}"
        )


@dataclass(frozen=True)
class Audit:
    """What `examine` found.

    Attributes
    ----------
    findings : sequence of Finding
        One for every fault that was looked for.
    error : float
        Bound on the probability that a loader without faults is accused of any.
    """

    findings: Sequence[Finding]
    error: float

    @property
    def faults(self) -> list[str]:
        """The names of the faults that were found, without those that were announced."""
        return [one.fault for one in self.findings if one.verdict == "fault"]

    def table(self) -> str:
        """Return the findings as a table of aligned text."""
        return "\n".join(aligned([one.cells() for one in self.findings]))

    def __str__(self) -> str:
        return self.table()
