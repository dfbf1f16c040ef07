"""Every convergence statement under one name, grouped by what is assumed of the objective.

====== ============================================= ==============================================
label  statement                                     functions
====== ============================================= ==============================================
T1     smooth, any order; T1-RR in expectation       :mod:`theory.nonconvex`
T2     PL, any order                                 :mod:`theory.pl`
T3     strongly convex, any order, steps up to 1/L   :mod:`theory.strongly_convex`
T4     herding recursion of CD-GraB                  :mod:`theory.herding_dynamics`
T5     CD-GraB, smooth                               :mod:`theory.cd_grab` (``cd_grab_nonconvex_*``)
T6     CD-GraB, PL                                   :mod:`theory.cd_grab` (``cd_grab_pl_*``)
T7     herding recursion of GraB with a stale mean   :mod:`theory.herding_dynamics`
T8     independent workers                           :mod:`theory.herding_dynamics`
====== ============================================= ==============================================

All are derived in ``theory/notes`` with the constants shown. Published theorems, whose constants were only
read or recalled, live apart in :mod:`theory.published` and
:mod:`theory.published_orders`.
"""

from theory.cd_grab import (
    cd_grab_nonconvex_bound,
    cd_grab_nonconvex_rate,
    cd_grab_nonconvex_step,
    cd_grab_pl_bound,
    cd_grab_pl_floor,
)
from theory.herding_dynamics import (
    cd_grab_herding_bound,
    grab_herding_bound,
    independent_herding_bound,
    independent_herding_heuristic,
)
from theory.nonconvex import (
    epoch_descent_bound,
    nonconvex_bound,
    nonconvex_rate,
    nonconvex_step,
    rr_mean_square_herding,
    rr_nonconvex_bound,
)
from theory.pl import pl_bound, pl_floor, rr_pl_floor
from theory.strongly_convex import (
    rr_strongly_convex_bound,
    strongly_convex_bound,
    strongly_convex_path,
)

__all__ = [
    "cd_grab_herding_bound",
    "cd_grab_nonconvex_bound",
    "cd_grab_nonconvex_rate",
    "cd_grab_nonconvex_step",
    "cd_grab_pl_bound",
    "cd_grab_pl_floor",
    "epoch_descent_bound",
    "grab_herding_bound",
    "independent_herding_bound",
    "independent_herding_heuristic",
    "nonconvex_bound",
    "nonconvex_rate",
    "nonconvex_step",
    "pl_bound",
    "pl_floor",
    "rr_mean_square_herding",
    "rr_nonconvex_bound",
    "rr_pl_floor",
    "rr_strongly_convex_bound",
    "strongly_convex_bound",
    "strongly_convex_path",
]
