"""Instances (I): problems with closed forms, as plain arrays and functions of arrays.

Every finite sum here is f = mean over m workers and n examples each of f_ij. ``L`` and ``mu`` are the largest
and the smallest curvature, ``kappa`` = L / mu, ``alpha`` a step size, ``x0`` a start. Data come back as
NamedTuples of arrays, so that any simulator can be fed with them; nothing here steps.
"""

from theory.instances._quadratic import (
    DeSa,
    GeneralQuadratics,
    SafranShamir,
    SharedHessian,
    de_sa,
    general_quadratics,
    safran_shamir,
    safran_shamir_step_size,
    shared_hessian,
)
from theory.instances._scalar import (
    robust_loss,
    robust_smoothness,
    scalar_loss,
    small_step_loss,
)
from theory.instances._skewed import (
    bridge_constant,
    sign_terms,
    skewed_gradient,
    skewed_mean,
    skewed_value,
)

__all__ = [
    "DeSa",
    "GeneralQuadratics",
    "SafranShamir",
    "SharedHessian",
    "bridge_constant",
    "de_sa",
    "general_quadratics",
    "robust_loss",
    "robust_smoothness",
    "safran_shamir",
    "safran_shamir_step_size",
    "scalar_loss",
    "shared_hessian",
    "sign_terms",
    "skewed_gradient",
    "skewed_mean",
    "skewed_value",
    "small_step_loss",
]
