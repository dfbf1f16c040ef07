"""Networks (N): workers that average with their neighbours instead of with a server.

``weights`` W (m, m) is doubly stochastic: its rows and columns sum to 1. Worker i is at x_i, and a step is
x <- W (x - alpha g). The problem is that of :mod:`theory.quadratics`: a shared Hessian with ``eigenvalues``
lambda_p, in whose eigenbasis everything is written, and rho_p = 1 - alpha lambda_p.
"""

from theory.networks._averaging import accelerated_gossip_rate as accelerated_gossip_rate
from theory.networks._averaging import connectivity as connectivity
from theory.networks._averaging import randomized_gossip_moments as randomized_gossip_moments
from theory.networks._gossip import consensus_covariance as consensus_covariance
from theory.networks._gossip import consensus_error as consensus_error
from theory.networks._gossip import filtered_disagreement as filtered_disagreement
from theory.networks._gossip import gossip_fixed_point as gossip_fixed_point
from theory.networks._graphs import second_eigenvalue as second_eigenvalue

__all__ = [
    "accelerated_gossip_rate",
    "connectivity",
    "consensus_covariance",
    "consensus_error",
    "filtered_disagreement",
    "gossip_fixed_point",
    "randomized_gossip_moments",
    "second_eigenvalue",
]
