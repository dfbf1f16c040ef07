"""Spectra of orders (P): what an order does to the floor, frequency by frequency.

An order turns examples into a stream z_1, z_2, ...: the mean over workers of the gradients at x_star, less
their mean. On quadratics with one Hessian a linear update is a filter for it, coordinate by coordinate: the
errors are the stream, each frequency times the transfer function. omega is in radians per step, the
frequencies of a stream of N steps are omega_j = 2 pi j / N. ``eigenvalues`` (d,) lambda_p > 0, rho_p = 1 -
alpha lambda_p, and streams (N, d) are in the eigenbasis. Powers sum to the mean square; a density is a power
times N, which for white noise is its variance.
"""

from theory.spectra._filters import UPDATES as UPDATES
from theory.spectra._filters import order_power as order_power
from theory.spectra._filters import prefix_floor_bound as prefix_floor_bound
from theory.spectra._filters import prefix_power_bound as prefix_power_bound
from theory.spectra._filters import standing_floor as standing_floor
from theory.spectra._filters import transfer as transfer
from theory.spectra._orders import DRAWN as DRAWN
from theory.spectra._orders import balanced_density as balanced_density
from theory.spectra._orders import drawn_density as drawn_density
from theory.spectra._orders import folded_power as folded_power

__all__ = [
    "DRAWN",
    "UPDATES",
    "balanced_density",
    "drawn_density",
    "folded_power",
    "order_power",
    "prefix_floor_bound",
    "prefix_power_bound",
    "standing_floor",
    "transfer",
]
