"""What a data loader takes: the examples of one worker in the order of the epoch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from cdgrab_sim._types import IntArray

if TYPE_CHECKING:
    from cdgrab_sim._online._online import Online


class Sampler:
    """The examples that a worker still has to visit in this epoch, in order; see `Online.sampler`.

    Iterating begins at the first step whose gradient was not observed, which after a restart in the middle of
    an epoch is where the run was. Nothing of PyTorch is needed for it.
    """

    def __init__(self, source: Online, worker: int, rows: IntArray | None) -> None:
        self._source, self._worker, self._rows = source, worker, rows

    def __len__(self) -> int:
        """Return the number of steps that are left."""
        return self._source.steps(self._worker) - self._source.position(self._worker)

    def __iter__(self) -> Iterator[int] | Iterator[list[int]]:
        """Yield rows of the data set, or with units of several examples the list of a unit."""
        if len(self) == 0:
            raise RuntimeError(
                f"worker {self._worker}: expected steps in this epoch; got none left; call end_epoch()"
            )
        return self._walk()

    def _walk(self) -> Iterator[int] | Iterator[list[int]]:
        source, i = self._source, self._worker
        for j in source.order(i)[source.position(i) :]:
            of_unit = source.examples(i, int(j))
            found = of_unit if self._rows is None else self._rows[of_unit]
            yield np.asarray(found).tolist() if source.batch > 1 else int(found[0])
