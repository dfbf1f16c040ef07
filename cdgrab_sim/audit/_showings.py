"""Counted faults: what an epoch leaves out, shows twice, or shows on two ranks; and what nobody ever sees."""

from __future__ import annotations

from math import lgamma

import numpy as np

from cdgrab_sim.audit._epochs import Epoch, Repeats, in_turn, repeats, without_padding
from cdgrab_sim.audit._finding import Finding


def never_by_chance(examples: int, left_out: list[int], never: int) -> float:
    r"""Bound the chance that epochs which leave out some examples at random all leave out the same ones.

    .. math:: P(X \ge c) \le E \binom Xc = \binom Nc \prod_t \binom{r_t}c \Big/ \binom Nc

    for the number X of examples that nobody saw, if epoch t leaves out r_t of N, any of them.

    Returns
    -------
    float
        The logarithm of the bound at c = `never`.

    Examples
    --------
    Two epochs that leave out one example of four: the same one in one case of four.

    >>> round(float(np.exp(never_by_chance(4, [1, 1], 1))), 12)
    0.25
    """
    whole = _log_choose(examples, never)
    return min(0.0, whole + sum(_log_choose(r, never) - whole for r in left_out))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) if 0 <= k <= n else -np.inf


class Showings:
    """Counts how often every epoch shows every example."""

    def __init__(self, examples: int) -> None:
        self._seen = np.zeros(examples, dtype=bool)
        self._left_out: list[int] = []
        self._repeats: list[Repeats] = []

    def look(self, epoch: Epoch) -> Epoch:
        """Count an epoch, and return it without its padding."""
        flat, ranks = in_turn(epoch)
        counts = np.bincount(flat, minlength=len(self._seen))
        self._left_out.append(int((counts == 0).sum()))
        self._seen |= counts > 0
        self._repeats.append(repeats(flat, ranks) if counts.max() > 1 else Repeats(0, 0, 0))
        padding = self._repeats[-1].padding
        return without_padding(epoch, ranks, padding) if padding else epoch

    def findings(self) -> list[Finding]:
        """Return what was counted."""
        N, T = len(self._seen), len(self._left_out)
        short = sum(r > 0 for r in self._left_out)
        never = np.flatnonzero(~self._seen)
        tail = ", the last of all" if len(never) and never[0] == N - len(never) else ""
        found = [
            Finding("examples dropped", _share(short, T, self._left_out, "left out"), None, short > 0),
            Finding(
                "examples that no epoch shows",
                f"{len(never)} of {N}{tail}",
                never_by_chance(N, self._left_out, len(never)) if len(never) else 0.0,
            ),
        ]
        for fault, values in zip(
            ("padding at the end", "duplicates on a rank", "overlap of ranks"),
            map(list, zip(*(self._repeats or [Repeats(0, 0, 0)]), strict=True)),
            strict=True,
        ):
            times = sum(v > 0 for v in values)
            found.append(Finding(fault, _share(times, T, values, "shown again"), None, times > 0))
        return found


def _share(times: int, T: int, values: list[int], what: str) -> str:
    return f"in {times} of {T} epochs, up to {max(values)} {what}" if times else "none"
