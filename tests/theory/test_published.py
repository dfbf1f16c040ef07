"""Published lines keep the exponents they claim and refuse what they do not cover.

Constants that are only recalled are no expected values here.
"""

import contextlib
import itertools
import re

import numpy as np
import pytest
from scipy.special import lambertw

from theory import balancing, convergence, herding
from theory.asynchrony import fixed_delay
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


SETTING = {"F": 1.0, "L": 2.0, "mu": 0.1, "sigma": 3.0, "varsigma": 0.5, "balance": 2.0, "m": 4, "n": 16}


def test_the_printed_form_of_the_pl_theorem_differs_by_its_x_alone():
    """X = F + L^2 sigma^2 on p. 8, F + sigma^2 / L on p. 29, both times e^{-W}."""
    T = 10**6
    proof, printed = (convergence.cd_grab_pl_published(**SETTING, T=T, printed=p) for p in (False, True))
    alpha = convergence.cd_grab_pl_step_published(**SETTING, T=T)
    W = alpha * T * 16 * 0.1 / 2
    assert printed - proof == pytest.approx((4 * 9 - 9 / 2) * np.exp(-W), rel=1e-6)
    assert proof == pytest.approx(
        (1 + 9 / 2) * np.exp(-W) + 112 * (2 * 3.5 * 2 * W) ** 2 / 1e-3 / (4 * 16 * T) ** 2
    )


def test_only_the_proofs_x_has_the_unit_of_f():
    """Measure f in other units: its part of the bound must follow, once W is the same."""

    def start(c, printed):
        units = {key: c * SETTING[key] for key in ("F", "L", "mu", "sigma", "varsigma")}
        given = SETTING | units
        alpha = convergence.cd_grab_pl_step_published(**given, T=10**6)
        W = alpha * 10**6 * 16 * given["mu"] / 2
        noise = 112 * (given["L"] * (given["sigma"] + given["varsigma"]) * 2.0) ** 2 * W**2 / given["mu"] ** 3
        bound = convergence.cd_grab_pl_published(**given, T=10**6, printed=printed)
        return (bound - noise / (4 * 16 * 10**6) ** 2) * np.exp(W)

    assert start(7.0, False) == pytest.approx(7.0 * start(1.0, False), rel=1e-4)
    assert start(7.0, True) > 30 * 7.0 * start(1.0, True)


def test_the_bounds_of_others_are_as_written():
    """With no number that is 1, where one operation looks like another."""
    gap = convergence.rr_convex_published(r0=3.0, L=2.0, sigma=1.5, alpha=0.03, n=5, T=7)
    assert gap == pytest.approx(3.0 / (2 * 0.03 * 35) + 0.03**2 * 2 * 5 * 1.5**2 / 4, rel=1e-14)
    gap = fixed_delay.delayed_gap_published(r0=3.0, L=2.0, mu=0.5, alpha=0.01, delay=1, steps=4)
    assert gap == pytest.approx(5 * 2 * (1 - 0.01 * 0.5) ** 10 * 3.0, rel=1e-14)
    line = convergence.shuffling_lower_line("rr", n=3, T=5, G=2.0, lam=0.7)
    assert line == pytest.approx(4 / 0.7 * (1 / 15**2 + 1 / (3 * 5**3)), rel=1e-14)
    for ordering, inside in (("rr", np.sqrt(3) * 5), ("so", 15)):
        step = convergence.shuffling_step_published(ordering, n=3, T=5, lam=0.7)
        assert step == pytest.approx(np.log(inside) / (0.7 * 15), rel=1e-14)


def test_the_step_of_the_nonconvex_theorem_is_as_printed():
    """The third of the caps, which noise makes the smallest: the cube root of 4 F m^2 over the noise."""
    given = {key: value for key, value in SETTING.items() if key != "mu"}
    noise = 42 * (2 * 3.5 * 2) ** 2 * 16 * 10**6 + 18 * (2 * 4 * 3) ** 2 * 16**3
    alpha = convergence.cd_grab_nonconvex_step_published(**given, T=10**6)
    assert alpha**3 == pytest.approx(4 * 16 / noise, rel=1e-12)


@pytest.mark.parametrize("sigma", [3.0, 3e4])
def test_the_condition_of_the_pl_theorem_is_as_printed(sigma):
    """T >= 10 + 32 (L / mu) (2 + A / (m n)) W, of the words with which it is refused."""
    T, C = 8, (1 + sigma**2 / 2) * 0.1**2 / (224 * (2 * (sigma + 0.5) * 2) ** 2)
    W = float(lambertw((T * 4 * 16) ** 2 * C).real)
    least = f"expected T >= {10 + 32 * 20 * (2 + 2 / 64) * W:.4g} "
    with pytest.raises(ValueError, match=re.escape(least)):
        convergence.cd_grab_pl_step_published(**SETTING | {"sigma": sigma}, T=T)


def test_the_condition_on_epochs_implies_the_caps_of_the_proof():
    given = SETTING | {"balance": 3.0}
    for L, m, n in ((0.1, 1, 1), (1.0, 2, 4), (5.0, 16, 8)):
        given |= {"L": L, "m": m, "n": n}
        for T in (2**k for k in range(40)):  # the smallest power of two that is accepted
            with contextlib.suppress(ValueError):
                alpha = convergence.cd_grab_pl_step_published(**given, T=T)
                break
        assert alpha <= 2 / (9 * n * 0.1)
        assert alpha <= 1 / (16 * L * (2 * n + 3.0 / m))


def test_the_lemma_of_pair_balancing_first_fails_at_512():
    """Its claim against sqrt(d), which no signs of Hadamard pairs avoid; values computed by hand (H9)."""
    claims = {
        d: herding.pair_balancing_published(1.0, 0.0, 1.0, balancing.cd_grab_balance_published(d, d, 0.01))
        for d in (256, 512, 1024, 4096)
    }
    assert [round(claim, 1) for claim in claims.values()] == [16.8, 17.8, 18.8, 20.7]
    assert [claim < d**0.5 for d, claim in claims.items()] == [False, True, True, True]


@pytest.mark.parametrize("d", [2, 4, 8])
def test_no_signs_of_hadamard_pairs_are_below_the_root_of_d(d):
    h = herding.hadamard_pairs(d)
    assert np.abs(h).max() == 1.0
    assert not h.sum(axis=0).any()
    assert np.abs(np.cumsum(h, axis=0)).max() == 1.0
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=d)))
    assert np.abs(signs @ h[::2]).max(axis=1).min() >= d**0.5


@pytest.mark.parametrize("d", [1, 2, 3, 4, 6, 9, 16])
def test_no_order_of_harvey_and_samadis_list_is_below_the_line(d):
    """The best of all orders: they differ in how many unit vectors come before each copy, and in no more."""
    n, best = d * d, np.full((d + 1, d * d + 1), np.inf)
    norms = [[k * (1 - t / n) ** 2 + (d - k) * (t / n) ** 2 for t in range(n + 1)] for k in range(d + 1)]
    best[0, 0] = 0.0
    for k, t in itertools.product(range(d + 1), range(n + 1)):
        before = [best[k - 1, t]] * (k > 0) + [best[k, t - 1]] * (t > 0) + [0.0] * (k == t == 0)
        best[k, t] = max(min(before), norms[k][t])
    line = herding.harvey_samadi_bound(d)
    assert best[d, n] ** 0.5 >= line - 1e-12
    if d % 2 == 0:
        assert best[d, n] ** 0.5 == pytest.approx(line, rel=1e-12)
    assert line >= herding.harvey_samadi_bound(d, published=True)


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
        (lambda: convergence.rr_any_step_published(1, 2, 1, 1, 0.1, 4, 5), "alpha <= 0.1667 / L"),
        (lambda: convergence.rr_any_step_published(1, 2, 3, 1, 0.01, 4, 5), "L_mean <= L"),
        (lambda: convergence.cd_grab_drift_published(1, 1, 1, 1, 1, 0.2, 1, 5), "alpha n L < 1"),
        (lambda: convergence.cd_grab_pl_published(1, 1, 0.1, 1, 0, 1, 2, 4, 5), "T >= "),
        (lambda: fixed_delay.delayed_gap_published(1, 1, 0.1, 0.02, 3, 50), "alpha <= 1/.20 L .tau"),
        (lambda: fixed_delay.delayed_gap_published(1, 1, 0.1, 0.01, 3, 5), "steps >= 8.318"),
        (lambda: herding.hadamard_pairs(12), "power of two"),
        (lambda: convergence.cd_grab_pl_published(1, 1, 0.1, 0, 0, 1, 2, 4, 5), "varsigma . sigma > 0"),
        (lambda: convergence.cd_grab_nonconvex_published(1, 1, 1, 1, 1, 2, 4, 0), "T >= 1; got 0"),
    ],
)
def test_bad_parameters_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
