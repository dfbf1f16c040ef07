"""Every checked statement: one file per family, one small function per claim, all in `STATEMENTS`."""

from cdgrab_sim.experiments.statements import (  # noqa: F401  (importing a family registers it)
    affine,
    asynchronous_laws,
    asynchronous_modes,
    asynchrony,
    balancing,
    compression,
    constants,
    convergence,
    drawn_orders,
    exponents,
    far_tails,
    general_quadratics,
    herding,
    linear_speedup,
    local_steps,
    networks,
    problem_instances,
    published,
    quadratic_limits,
    quadratics,
    random_orders,
    self_balancing,
    spectra,
    thinning,
    variance,
)
from cdgrab_sim.experiments.statements._statement import STATEMENTS, Statement

__all__ = ["STATEMENTS", "Statement"]
