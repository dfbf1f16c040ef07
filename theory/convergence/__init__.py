"""Convergence (T): what SGD reaches under given, random and balanced orders.

T1 holds for smooth objectives and any order (T1-RR in expectation), T2 under the PL condition, T3 for
strongly convex objectives and steps up to 1/L. T4 is the herding recursion of CD-GraB, T5 (smooth) and T6
(PL) are CD-GraB end to end. T7 is the herding recursion of GraB with a stale mean, T8 that of independent
workers. All are derived in ``theory/notes`` with the constants shown. T9 has the theorems of others, read or
recalled, in functions that end in ``_published``, and :func:`published_order`: reference lines, never
expected values. T10 joins T5 and T6 with the walk of V8.

Symbols. f is the mean of f_ij over m workers and n examples per worker; every f_ij is L-smooth, and ``mu`` is
the PL or the strong convexity constant. Epoch t of T starts at x_t and makes the n steps
``x_k = x_{k-1} - (alpha / m) sum_i grad f_{i, pi_i(k)}(x_{k-1})``. Its order enters only through its prefixes

    P_k = sum_{l<=k} [ (1/m) sum_i grad f_{i, pi_i(l)}(x_t) - grad f(x_t) ],
    H_t = max_k ||P_k||,        V_t = (1/n) sum_{k<n} ||P_k||^2 <= H_t^2.

H is the parallel herding error of the unnormalised prefix sums DIVIDED BY m; ``H0`` is that of the first
order at x_0. ``balance`` is A_t, the largest norm of the signed running sum of epoch t, NOT divided by m.
``V`` and ``balance`` are one number for all epochs, or an array with one entry per epoch. ``F0`` is
f(x_0) - inf f, ``r0`` is ||x_0 - x*||^2, ``grad_norm`` is ||grad f(x_t)||, and sigma^2 is the mean over
workers of the within-worker variance of the gradients (in T3 at x*).

Statements without an expectation are pathwise: they hold for every order of every method, random or not. All
but T3 also hold with the norms of all prefixes taken in the inf-norm and L replaced by L_{2,inf}, the
constant of ``||grad f_ij(x) - grad f_ij(y)||_2 <= L_{2,inf} ||x - y||_inf`` (note
``T1-nonconvex-any-order``).
"""

from theory.convergence._cd_grab import cd_grab_nonconvex_bound as cd_grab_nonconvex_bound
from theory.convergence._cd_grab import cd_grab_nonconvex_rate as cd_grab_nonconvex_rate
from theory.convergence._cd_grab import cd_grab_nonconvex_step as cd_grab_nonconvex_step
from theory.convergence._cd_grab import cd_grab_pl_bound as cd_grab_pl_bound
from theory.convergence._cd_grab import cd_grab_pl_floor as cd_grab_pl_floor
from theory.convergence._cd_grab import live_difference_bound as live_difference_bound
from theory.convergence._herding import cd_grab_herding_bound as cd_grab_herding_bound
from theory.convergence._herding import grab_herding_bound as grab_herding_bound
from theory.convergence._herding import independent_herding_bound as independent_herding_bound
from theory.convergence._herding import independent_herding_heuristic as independent_herding_heuristic
from theory.convergence._nonconvex import epoch_descent_bound as epoch_descent_bound
from theory.convergence._nonconvex import nonconvex_bound as nonconvex_bound
from theory.convergence._nonconvex import nonconvex_rate as nonconvex_rate
from theory.convergence._nonconvex import nonconvex_step as nonconvex_step
from theory.convergence._nonconvex import rr_mean_square_herding as rr_mean_square_herding
from theory.convergence._nonconvex import rr_nonconvex_bound as rr_nonconvex_bound
from theory.convergence._pl import pl_bound as pl_bound
from theory.convergence._pl import pl_floor as pl_floor
from theory.convergence._pl import rr_pl_floor as rr_pl_floor
from theory.convergence._published import rr_any_step_published as rr_any_step_published
from theory.convergence._published import rr_convex_published as rr_convex_published
from theory.convergence._published import rr_strongly_convex_published as rr_strongly_convex_published
from theory.convergence._published import sgd_strongly_convex_published as sgd_strongly_convex_published
from theory.convergence._published import shuffling_lower_line as shuffling_lower_line
from theory.convergence._published import shuffling_step_published as shuffling_step_published
from theory.convergence._published_cd_grab import cd_grab_drift_published as cd_grab_drift_published
from theory.convergence._published_cd_grab import cd_grab_nonconvex_published as cd_grab_nonconvex_published
from theory.convergence._published_cd_grab import (
    cd_grab_nonconvex_step_published as cd_grab_nonconvex_step_published,
)
from theory.convergence._published_cd_grab import cd_grab_pl_published as cd_grab_pl_published
from theory.convergence._published_cd_grab import cd_grab_pl_step_published as cd_grab_pl_step_published
from theory.convergence._published_orders import ORDERS as ORDERS
from theory.convergence._published_orders import PublishedOrder as PublishedOrder
from theory.convergence._published_orders import published_order as published_order
from theory.convergence._strongly_convex import rr_strongly_convex_bound as rr_strongly_convex_bound
from theory.convergence._strongly_convex import strongly_convex_bound as strongly_convex_bound
from theory.convergence._strongly_convex import strongly_convex_path as strongly_convex_path

__all__ = [
    "ORDERS",
    "PublishedOrder",
    "cd_grab_drift_published",
    "cd_grab_herding_bound",
    "cd_grab_nonconvex_bound",
    "cd_grab_nonconvex_published",
    "cd_grab_nonconvex_rate",
    "cd_grab_nonconvex_step",
    "cd_grab_nonconvex_step_published",
    "cd_grab_pl_bound",
    "cd_grab_pl_floor",
    "cd_grab_pl_published",
    "cd_grab_pl_step_published",
    "epoch_descent_bound",
    "grab_herding_bound",
    "independent_herding_bound",
    "independent_herding_heuristic",
    "live_difference_bound",
    "nonconvex_bound",
    "nonconvex_rate",
    "nonconvex_step",
    "pl_bound",
    "pl_floor",
    "published_order",
    "rr_any_step_published",
    "rr_convex_published",
    "rr_mean_square_herding",
    "rr_nonconvex_bound",
    "rr_pl_floor",
    "rr_strongly_convex_bound",
    "rr_strongly_convex_published",
    "sgd_strongly_convex_published",
    "shuffling_lower_line",
    "shuffling_step_published",
    "strongly_convex_bound",
    "strongly_convex_path",
]
