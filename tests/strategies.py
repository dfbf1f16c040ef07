"""Hypothesis strategies that several test files share. Whole numbers, so that every sum is exact."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

thorough = settings(deadline=None, max_examples=100)
sizes = st.integers(1, 7)
few = st.integers(1, 3)


def whole(shape):
    """Vectors with small whole entries: ties, zeros and duplicates are common."""
    return hnp.arrays(np.int64, shape, elements=st.integers(-3, 3)).map(lambda a: a.astype(float))


@st.composite
def vectors(draw, m=few, n=sizes, d=few):
    """Vectors (m, n, d)."""
    return draw(whole((draw(m), draw(n), draw(d))))


@st.composite
def streams(draw, epochs=3, m=few, n=sizes, d=few):
    """Gradients (T, n, m, d) of several epochs, multiples of n, so that means over n steps are exact."""
    steps = draw(n)
    return steps * draw(whole((epochs, steps, draw(m), draw(d))))


def orders(m, n):
    """Orders (m, n)."""
    row = st.permutations(range(n))
    return st.lists(row, min_size=m, max_size=m).map(np.array)


def signs(*shape):
    """Arrays of signs +1 and -1."""
    return hnp.arrays(np.int64, shape, elements=st.sampled_from([-1, 1]))
