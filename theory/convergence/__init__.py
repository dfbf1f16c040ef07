"""Convergence (T): what SGD reaches under given, random and balanced orders.

T1 holds for smooth objectives and any order (T1-RR in expectation), T2 under the PL condition, T3 for
strongly convex objectives and steps up to 1/L. T4 is the herding recursion of CD-GraB, T5 (smooth) and T6
(PL) are CD-GraB end to end. T7 is the herding recursion of GraB with a stale mean, T8 that of independent
workers. All are derived in ``theory/notes`` with the constants shown. Names that end in ``_published``, and
:func:`published_order`, are theorems of others, read or recalled: reference lines, never expected values.
"""

from theory.convergence._cd_grab import (
    cd_grab_nonconvex_bound,
    cd_grab_nonconvex_rate,
    cd_grab_nonconvex_step,
    cd_grab_pl_bound,
    cd_grab_pl_floor,
)
from theory.convergence._herding import (
    cd_grab_herding_bound,
    grab_herding_bound,
    independent_herding_bound,
    independent_herding_heuristic,
)
from theory.convergence._nonconvex import (
    epoch_descent_bound,
    nonconvex_bound,
    nonconvex_rate,
    nonconvex_step,
    rr_mean_square_herding,
    rr_nonconvex_bound,
)
from theory.convergence._pl import (
    pl_bound,
    pl_floor,
    rr_pl_floor,
)
from theory.convergence._published import (
    cd_grab_nonconvex_published,
    cd_grab_nonconvex_step_published,
    cd_grab_pl_published,
    rr_convex_published,
    rr_strongly_convex_published,
    sgd_strongly_convex_published,
)
from theory.convergence._published_orders import (
    ORDERS,
    PublishedOrder,
    published_order,
)
from theory.convergence._strongly_convex import (
    rr_strongly_convex_bound,
    strongly_convex_bound,
    strongly_convex_path,
)

__all__ = [
    "ORDERS",
    "PublishedOrder",
    "cd_grab_herding_bound",
    "cd_grab_nonconvex_bound",
    "cd_grab_nonconvex_published",
    "cd_grab_nonconvex_rate",
    "cd_grab_nonconvex_step",
    "cd_grab_nonconvex_step_published",
    "cd_grab_pl_bound",
    "cd_grab_pl_floor",
    "cd_grab_pl_published",
    "epoch_descent_bound",
    "grab_herding_bound",
    "independent_herding_bound",
    "independent_herding_heuristic",
    "nonconvex_bound",
    "nonconvex_rate",
    "nonconvex_step",
    "pl_bound",
    "pl_floor",
    "published_order",
    "rr_convex_published",
    "rr_mean_square_herding",
    "rr_nonconvex_bound",
    "rr_pl_floor",
    "rr_strongly_convex_bound",
    "rr_strongly_convex_published",
    "sgd_strongly_convex_published",
    "strongly_convex_bound",
    "strongly_convex_path",
]
