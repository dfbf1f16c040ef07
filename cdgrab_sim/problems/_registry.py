"""`PROBLEMS`: every family that is known by name."""

from cdgrab_sim._records import Problem
from cdgrab_sim._registry import Registry

PROBLEMS = Registry(Problem, "cdgrab_sim.problems", {"m": 2, "n": 4, "seed": 0})
