"""Published lines keep the exponents they claim and refuse what they do not cover.

Their constants are recalled or read, so none is an expected value here.
"""

import numpy as np
import pytest

from theory import convergence
from theory.slopes import predicted

DOUBLING = [1, 2, 4, 8, 16, 32]


def fit(curve):
    return np.polyfit(np.log(DOUBLING), np.log([curve(m) for m in DOUBLING]), 1)[0]


def test_cd_grab_theorems_have_the_exponents_of_linear_speedup():
    common = {"F": 1.0, "L": 1.0, "sigma": 1.0, "varsigma": 0.5, "balance": 2.0, "n": 64}
    in_m = fit(lambda m: convergence.cd_grab_nonconvex_published(**common, m=m, T=10**14))
    assert in_m == pytest.approx(predicted("non-convex bound", "cd-grab", "m").value, abs=0.02)
    in_m = fit(lambda m: convergence.cd_grab_pl_published(**common, mu=0.1, m=m, T=10**14))
    expected = predicted("tuned error", "cd-grab", "m").value
    assert expected <= in_m < expected + 0.1  # Lambert's function is the logarithm


def test_derived_shuffling_floor_is_not_worse_than_the_published_one():
    """Both at one worker: the same line in n = 2, and half of it in the limit of large n."""
    common = {"r0": 0.0, "L": 1.0, "sigma": 1.3, "mu": 0.2, "alpha": 0.5, "T": 3}
    for n in (2, 3, 10, 10**4):
        derived = convergence.rr_strongly_convex_bound(m=1, n=n, **common)
        ratio = derived / convergence.rr_strongly_convex_published(n=n, **common)
        assert ratio == pytest.approx(n / (2 * (n - 1)), rel=1e-12)


def test_recalled_step_size_shrinks_with_noise_and_grows_with_workers():
    common = {"F": 1.0, "L": 1.0, "varsigma": 0.5, "balance": 2.0, "n": 64, "T": 10**6}
    steps = [
        convergence.cd_grab_nonconvex_step_published(sigma=s, m=m, **common)
        for s, m in ((2, 1), (1, 1), (1, 2))
    ]
    assert steps == sorted(steps)
    assert len(set(steps)) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: convergence.rr_strongly_convex_published(1, 2, 1, 1, 0.6, 4, 5), "alpha <= 1 / L"),
        (lambda: convergence.rr_convex_published(1, 2, 1, 0.1, 4, 5), "alpha n L <= 0.7071"),
        (lambda: convergence.sgd_strongly_convex_published(1, 2, 1, 1, 0.3, 5), "alpha <= 0.5 / L"),
        (lambda: convergence.cd_grab_pl_published(1, 1, 0.1, 0, 0, 1, 2, 4, 5), "varsigma . sigma > 0"),
        (lambda: convergence.cd_grab_nonconvex_published(1, 1, 1, 1, 1, 2, 4, 0), "T >= 1; got 0"),
    ],
)
def test_bad_parameters_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
