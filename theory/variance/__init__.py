"""Sampling and variance (W): weighted draws, projections, tables of gradients, batches, strata.

One worker with n examples unless said. ``p`` are the probabilities (n,) of draws with replacement; gradients
count 1/(n p_j). Examples are quadratic, g_j(x) = A_j x - c_j, where the moments are exact.
"""

from theory.variance._batches import batch_noise as batch_noise
from theory.variance._batches import batch_over_step as batch_over_step
from theory.variance._kaczmarz import kaczmarz_bound as kaczmarz_bound
from theory.variance._momentum import adam_noise as adam_noise
from theory.variance._momentum import momentum_noise as momentum_noise
from theory.variance._tables import sag_bound as sag_bound
from theory.variance._weights import weighted_bound as weighted_bound
from theory.variance._weights import weighted_moments as weighted_moments

__all__ = [
    "adam_noise",
    "batch_noise",
    "batch_over_step",
    "kaczmarz_bound",
    "momentum_noise",
    "sag_bound",
    "weighted_bound",
    "weighted_moments",
]
