"""Exact predictions for asynchronous SGD, numbered A1 to A17; the proofs are in ``theory/notes/A*.md``.

Conventions. `m` workers; the server's counter k is the number of updates applied so far. A job reads the
iterate at counter k_r and is applied at counter k_a; its delay is ``tau = k_a - k_r``, zero when fresh.
``c = alpha * h`` is the step size times the curvature of a quadratic mode. A job on example z takes the time
s_z; ``mean_time = sum_z p_z s_z``. A worker is re-issued the moment its gradient has been applied, so that m
jobs are in flight at all times.

``p`` (n,) is the law of the drawn example and ``times`` (n,) its job time, > 0 (the mean, where the time is
random given the example); ``ticks`` are times in whole ticks. ``updates`` is T, ``delay`` is tau >= 0 counted
in updates, and ``noise`` the standard deviation of one step's noise, ``alpha * sigma``.

=====================  =============================================================================
module                 statements
=====================  =============================================================================
``fixed_delay``        A1 stability, A2 stationary covariance, A2b fastest rate, A4 equal workers
``exponential``        A5 geometric delays and implicit momentum, A6 exact second moment
``counting``           A3 conservation of delay, A17 applied and issued prefix sums
``renewal``            A7 delay given the example, A10 bias of the drained iterate
``finite_horizon``     A8 counts and shares after finitely many updates, first k of m (A9)
``effective_laws``     A9 the law of the examples that a discarding rule really trains on
``exact_laws``         A9 for rounds and for weights by delay, exact for job times in whole ticks
``wall_clock``         A11 rates of fixed times, A12 time complexities, A13 times to R updates
``invariance``         A14 order invariance of ordered momentum, A15 exact delay compensation
``sequential``         A16 the sequential parents that every method equals with one worker
=====================  =============================================================================
"""

from theory.asynchrony import counting as counting
from theory.asynchrony import effective_laws as effective_laws
from theory.asynchrony import exact_laws as exact_laws
from theory.asynchrony import exponential as exponential
from theory.asynchrony import finite_horizon as finite_horizon
from theory.asynchrony import fixed_delay as fixed_delay
from theory.asynchrony import invariance as invariance
from theory.asynchrony import renewal as renewal
from theory.asynchrony import sequential as sequential
from theory.asynchrony import wall_clock as wall_clock

__all__ = [
    "counting",
    "effective_laws",
    "exact_laws",
    "exponential",
    "finite_horizon",
    "fixed_delay",
    "invariance",
    "renewal",
    "sequential",
    "wall_clock",
]
