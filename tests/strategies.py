"""Hypothesis strategies that several test files share. Whole numbers, so that every sum is exact."""

from hypothesis import settings
from hypothesis import strategies as st

from cdgrab_sim.testing import orders as orders
from cdgrab_sim.testing import signs as signs
from cdgrab_sim.testing import whole as whole

thorough = settings(deadline=None, max_examples=100)
sizes = st.integers(1, 7)
few = st.integers(1, 3)


@st.composite
def vectors(draw, m=few, n=sizes, d=few):
    """Vectors (m, n, d)."""
    return draw(whole((draw(m), draw(n), draw(d))))


@st.composite
def streams(draw, epochs=3, m=few, n=sizes, d=few):
    """Gradients (T, n, m, d) of several epochs, multiples of n, so that means over n steps are exact."""
    steps = draw(n)
    return steps * draw(whole((epochs, steps, draw(m), draw(d))))
