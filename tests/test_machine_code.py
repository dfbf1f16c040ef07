"""The compiler vectorises the loops of hot kernels: their machine code holds packed multiplies.

Speed itself is measured in benchmarks/ and asserted nowhere: a busy machine would fail it. Packed
multiplications of two or more doubles disappear from a kernel when its loops stop being vectorisable, by an
alias that the compiler cannot rule out or by a branch.
"""

import platform
import re

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim._kernels import jit
from cdgrab_sim.orderings._pair import observe_pairs

numba = pytest.importorskip("numba", reason="machine code needs numba")

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(not jit.compiles(), reason="NUMBA_DISABLE_JIT: kernels are plain Python"),
    pytest.mark.skipif(numba.config.BOUNDSCHECK == 1, reason="bounds checks are branches in every loop"),
    pytest.mark.skipif(
        platform.machine() not in ("x86_64", "AMD64"), reason=f"reads x86-64, not {platform.machine()}"
    ),
]
PACKED = re.compile(r"\bv?mulpd\b")


def machine_code(kernel, *arguments):
    """Compile a kernel again for these arguments, since the disk cache keeps no assembly."""
    ours = kernel.targetoptions.items()
    afresh = numba.njit(**{name: value for name, value in ours if name not in ("cache", "nopython")})(
        kernel.py_func
    )
    afresh(*arguments)
    (signature,) = afresh.signatures
    return afresh.inspect_asm(signature)


@pytest.mark.parametrize("family", ["skewed", "least-squares", "logistic"])
def test_gradients_multiply_packed(family):
    m, d = 4, 64
    problem = cg.problems.PROBLEMS[family](m=m, n=2, d=d)
    rows = np.arange(m), np.zeros(m, dtype=np.int64)
    assert PACKED.search(machine_code(problem.grads, np.empty((m, d)), np.ones(d), *rows, problem.data))


def test_signs_of_pairs_multiply_packed():
    m, d = 4, 64
    at, G = np.tile(np.arange(2)[:, None], (1, m)), np.ones((2, m, d))
    after, shown = np.zeros((m, 2), dtype=np.int64), np.zeros(m, dtype=np.int64)
    arrays = (after, np.zeros((1, d)), np.empty((m, d)), shown, at, G)
    assert PACKED.search(machine_code(observe_pairs, *arrays))


def test_a_loop_that_cannot_be_vectorised_holds_none():
    """Each product waits for the one before: what the pattern must not find."""

    @numba.njit
    def horner(a, x):
        total = 0.0
        for p in range(a.shape[0]):
            total = total * x + a[p]
        return total

    assert horner(np.array([1.0, 2.0]), 3.0) == 5.0
    code = horner.inspect_asm(horner.signatures[0])
    assert re.search(r"\bv?mulsd\b", code)
    assert not PACKED.search(code)
