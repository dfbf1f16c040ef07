"""Herding (H): what one reorder does to the prefix sums of an order.

S_k is the sum of the first k vectors in the old order, R_k the same sum with signs, and the herding error H
the largest ||S_k||; the largest ||R_k|| is the balance A. A reorder sends the vectors with sign + to the
front in old order and those with sign - to the back in reversed old order. Everything here holds in ANY norm
and for one worker as for m: S_k then sums over the workers too, so that ``old`` is the parallel herding
error, not divided by m. ``old`` and ``signed`` are H and A before the reorder, ``norms`` the lengths ||z_j||,
``B`` the largest of them.
"""

from theory.herding._existence import herding_lower_bound as herding_lower_bound
from theory.herding._existence import prefix_signing_bound as prefix_signing_bound
from theory.herding._existence import steinitz_bound as steinitz_bound
from theory.herding._existence import transference_rounds as transference_rounds
from theory.herding._published import hadamard_pairs as hadamard_pairs
from theory.herding._published import harvey_samadi_bound as harvey_samadi_bound
from theory.herding._published import harvey_samadi_vectors as harvey_samadi_vectors
from theory.herding._published import pair_balancing_published as pair_balancing_published
from theory.herding._reorders import independent_reorder_bound as independent_reorder_bound
from theory.herding._reorders import pair_reordered_prefixes as pair_reordered_prefixes
from theory.herding._reorders import recentred_signed_sums as recentred_signed_sums
from theory.herding._reorders import reorder_bound as reorder_bound
from theory.herding._reorders import reordered_prefixes as reordered_prefixes
from theory.herding._reorders import repeated_reorder_bound as repeated_reorder_bound
from theory.herding._reorders import stale_mean_bound as stale_mean_bound
from theory.herding._sketches import left_to_chance as left_to_chance

__all__ = [
    "hadamard_pairs",
    "harvey_samadi_bound",
    "harvey_samadi_vectors",
    "herding_lower_bound",
    "independent_reorder_bound",
    "left_to_chance",
    "pair_balancing_published",
    "pair_reordered_prefixes",
    "prefix_signing_bound",
    "recentred_signed_sums",
    "reorder_bound",
    "reordered_prefixes",
    "repeated_reorder_bound",
    "stale_mean_bound",
    "steinitz_bound",
    "transference_rounds",
]
