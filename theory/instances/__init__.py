"""Instances (I): problems with closed forms, as plain arrays and functions of arrays.

Every finite sum here is f = mean over m workers and n examples each of f_ij. ``L`` and ``mu`` are the largest
and the smallest curvature, ``kappa`` = L / mu, ``alpha`` a step size, ``x0`` a start. Data come back as
NamedTuples of arrays, so that any simulator can be fed with them; nothing here steps.
"""

from theory.instances._quadratic import DeSa as DeSa
from theory.instances._quadratic import GeneralQuadratics as GeneralQuadratics
from theory.instances._quadratic import SafranShamir as SafranShamir
from theory.instances._quadratic import SharedHessian as SharedHessian
from theory.instances._quadratic import de_sa as de_sa
from theory.instances._quadratic import general_quadratics as general_quadratics
from theory.instances._quadratic import safran_shamir as safran_shamir
from theory.instances._quadratic import safran_shamir_step_size as safran_shamir_step_size
from theory.instances._quadratic import shared_hessian as shared_hessian
from theory.instances._safran_shamir import SafranShamirLine as SafranShamirLine
from theory.instances._safran_shamir import safran_shamir_line as safran_shamir_line
from theory.instances._scalar import robust_loss as robust_loss
from theory.instances._scalar import robust_smoothness as robust_smoothness
from theory.instances._scalar import scalar_loss as scalar_loss
from theory.instances._scalar import small_step_loss as small_step_loss
from theory.instances._skewed import bridge_constant as bridge_constant
from theory.instances._skewed import sign_terms as sign_terms
from theory.instances._skewed import skewed_gradient as skewed_gradient
from theory.instances._skewed import skewed_mean as skewed_mean
from theory.instances._skewed import skewed_value as skewed_value

__all__ = [
    "DeSa",
    "GeneralQuadratics",
    "SafranShamir",
    "SafranShamirLine",
    "SharedHessian",
    "bridge_constant",
    "de_sa",
    "general_quadratics",
    "robust_loss",
    "robust_smoothness",
    "safran_shamir",
    "safran_shamir_line",
    "safran_shamir_step_size",
    "scalar_loss",
    "shared_hessian",
    "sign_terms",
    "skewed_gradient",
    "skewed_mean",
    "skewed_value",
    "small_step_loss",
]
