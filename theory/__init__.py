"""Closed forms, bounds and slopes for example orderings in SGD, with their proofs in ``theory/notes``."""

from theory import asynchrony as asynchrony
from theory import balancing as balancing
from theory import citations as citations
from theory import convergence as convergence
from theory import herding as herding
from theory import instances as instances
from theory import quadratics as quadratics
from theory import random_orders as random_orders
from theory import slopes as slopes
