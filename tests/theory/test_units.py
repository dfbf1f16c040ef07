"""Bounds have the unit of what they bound: f and x are measured in other units, and every number follows."""

import inspect

import numpy as np
import pytest

from theory import convergence

# Letters, a value, and the powers of the unit of f and of the unit of x.
NONE, VALUE, GRADIENT, SQUARE, STEP, CURVATURE = (0, 0), (1, 0), (1, -1), (2, -2), (-1, 2), (1, -2)
LENGTH, DISTANCE = (0, 1), (0, 2)
LETTERS = {
    **dict.fromkeys(("F0", "F", "value"), (1.3, VALUE)),
    **dict(zip(("L", "L_mean", "mu", "lam"), [(x, CURVATURE) for x in (0.9, 0.6, 0.2, 0.3)], strict=True)),
    **dict.fromkeys(("sigma", "varsigma", "G", "H0", "H", "balance", "grad_norm"), (1.1, GRADIENT)),
    **dict.fromkeys(("spread", "mean_error", "H1"), (1.2, GRADIENT)),
    **dict.fromkeys(("moved", "moved_sum"), (0.3, LENGTH)),
    "V": (1.7, SQUARE),
    "alpha": (0.003, STEP),
    "r0": (1.6, DISTANCE),
    **{name: (value, NONE) for name, value in (("m", 3), ("n", 6), ("T", 20_000), ("steps", 7))},
}
PUBLISHED = {"balance": (1.1, NONE), "drift": (1.2, LENGTH)}  # balance: of vectors of length 1
# Without the published PL theorem of CD-GraB, whose C holds mu^2 where units ask for mu^3.
UNITS = {
    VALUE: "epoch_descent_bound pl_floor pl_bound rr_pl_floor cd_grab_pl_floor cd_grab_pl_bound "
    "rr_any_step_published rr_convex_published",
    SQUARE: "nonconvex_bound nonconvex_rate rr_nonconvex_bound rr_mean_square_herding "
    "cd_grab_nonconvex_bound cd_grab_nonconvex_rate cd_grab_nonconvex_published",
    GRADIENT: "cd_grab_herding_bound grab_herding_bound live_difference_bound independent_herding_heuristic",
    STEP: "nonconvex_step cd_grab_nonconvex_step cd_grab_nonconvex_step_published",
    DISTANCE: "rr_strongly_convex_bound strongly_convex_bound rr_strongly_convex_published "
    "sgd_strongly_convex_published",
    LENGTH: "cd_grab_drift_published",
}
CASES = [(unit, name) for unit, names in UNITS.items() for name in names.split()]


@pytest.mark.parametrize(("unit", "name"), CASES)
@pytest.mark.parametrize(("c", "s"), [(4.0, 1.0), (1.0, 2.0)])
def test_bounds_have_the_unit_of_what_they_bound(unit, name, c, s):
    letters = LETTERS | (PUBLISHED if "published" in name else {})
    function = getattr(convergence, name)
    given = {one: letters[one] for one in inspect.signature(function).parameters}
    scaled = {
        one: value * c ** of[0] * s ** of[1] if any(of) else value for one, (value, of) in given.items()
    }
    plain = np.asarray(function(**{one: value for one, (value, _) in given.items()}))
    assert plain.min() > 0.0
    np.testing.assert_allclose(function(**scaled), plain * c ** unit[0] * s ** unit[1], rtol=1e-12)
