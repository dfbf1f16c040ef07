"""Linear methods on quadratics (M): exact moments, rates and noise of random affine maps.

On quadratics SGD, momentum, delays, local steps, gossip, compression and tables of gradients all move a state
s by s -> T_w s + q_w, with w the examples and coins of the step. Maps are written on y = (s, 1):

    P_w = [[T_w, q_w], [0, 1]],    maps[w] = P_w,    square = E[y y'] = [[E s s', E s], [E s', 1]],

so that one recursion carries mean and square. ``maps`` has shape (n, D + 1, D + 1) on one worker, and one
axis for each of m workers, (n, ..., n, D + 1, D + 1), on several. ``ordering`` is the law of w within an
epoch of n steps: "sgd" draws independently, "rr" permutes each worker's examples anew, "ig" goes through the
maps in their order (one axis). Epochs are independent of each other. With ``coins`` maps have one more axis
before the last two: equally likely ones for the same examples, drawn anew at every step.
"""

from theory.affine._laws import LAWS as LAWS
from theory.affine._laws import epoch_square as epoch_square
from theory.affine._laws import mean_square_rate as mean_square_rate
from theory.affine._laws import moments as moments
from theory.affine._laws import stationary_moments as stationary_moments
from theory.affine._methods import momentum_maps as momentum_maps
from theory.affine._methods import table_maps as table_maps

__all__ = [
    "LAWS",
    "epoch_square",
    "mean_square_rate",
    "moments",
    "momentum_maps",
    "stationary_moments",
    "table_maps",
]
