"""Thinning: few points that stand for many, by the pair rule that also orders examples.

Points are an array (n, d); what comes back are indices. `halve` gives the pairs of points signs, in the space
of a kernel; `thin` halves again and again; `compress` does it in nearly linear time; `mmd` is the distance
that all of them keep small.
"""

from cdgrab_sim.thinning._compress import compress
from cdgrab_sim.thinning._functions import Kernel, gaussian, inverse_multiquadric, linear, matern
from cdgrab_sim.thinning._greedy import herd, nested_order
from cdgrab_sim.thinning._halving import Halves, halve
from cdgrab_sim.thinning._mmd import mmd
from cdgrab_sim.thinning._thin import Coreset, thin

__all__ = [
    "Coreset",
    "Halves",
    "Kernel",
    "compress",
    "gaussian",
    "halve",
    "herd",
    "inverse_multiquadric",
    "linear",
    "matern",
    "mmd",
    "nested_order",
    "thin",
]


def __dir__() -> list[str]:
    return __all__
