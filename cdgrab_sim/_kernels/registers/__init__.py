"""Eight coordinates at a time: the partial sums of :mod:`cdgrab_sim._kernels.sums` in one register.

A compiler may not reorder a sum, and the vectoriser that would merge eight scalar partial sums as they stand
(LLVM's SLP) is off in numba. So the hot kernels say it themselves. In

    t = zeros()
    for p in range(0, full, LANES):
        t = t + load(a, (p,)) * load(b, (p,))
    inner = total(t)

`t` is one vector of machine code, on processors with narrow registers two or four. Called from Python the
same functions work on arrays of eight, with the same bits.
"""

from cdgrab_sim._kernels import jit
from cdgrab_sim._kernels.registers._plain import (
    LANES,
    Where,
    aligned,
    larger,
    load,
    spread,
    store,
    total,
    zeros,
)

if jit.version() is not None:
    import cdgrab_sim._kernels.registers._compiled  # noqa: F401  (gives the functions their machine code)

__all__ = ["LANES", "Where", "aligned", "larger", "load", "spread", "store", "total", "zeros"]
