"""How much of the theory is proved here, for ``cdgrab list``."""

from __future__ import annotations

from theory import _provenance


def theory_counts() -> dict[str, int]:
    """Return how many public functions of theory there are of each provenance.

    Examples
    --------
    >>> list(theory_counts())
    ['proved here', 'published, read', 'published, recalled']
    """
    return _provenance.counts()
