"""Rows that stand beside published figures."""

import numpy as np
import pytest

from cdgrab_sim.experiments._readings import Reading, claim, ratio, same


@pytest.mark.parametrize(
    ("mean", "word"), [(2.05, "agrees"), (1.95, "agrees"), (2.2, "disagrees"), (1.8, "disagrees")]
)
def test_the_error_of_a_reading_has_two_sides(mean, word):
    row = same("rr", "error", [mean - 1.0, mean + 1.0], Reading(2.0, 0.1))
    assert (row.measured, row.verdict) == (pytest.approx(mean), word)


def test_a_ratio_is_one_of_means_with_an_interval_of_log_ratios():
    a, b = np.array([1.0, 8.0]), np.array([2.0, 4.0])
    row = ratio("cd-grab", "loss / rr", a, b)
    half = 12.706204736 * np.log(2.0)  # Student's t for one degree of freedom; log ratios are -log 2, log 2
    assert row.measured == 1.5  # not the mean of the ratios, 1.25
    assert np.log([row.ci_low, row.ci_high]) == pytest.approx([-half, half])
    assert row.verdict == "no prediction"
    assert ratio("cd-grab", "loss / rr", a, b, Reading(9.0, 0.1)).verdict == "other data"  # never judged


def test_a_claim_is_as_good_as_its_worst_case():
    assert claim("x", "q", [0.5, 1.2], below=1.0).measured == 1.2
    assert claim("x", "q", [0.5, 1.2], below=1.0).verdict == "fails"
    assert claim("x", "q", [0.5, 1.2], above=0.4).measured == 0.5
    assert claim("x", "q", [0.5, 1.2], above=0.4).verdict == "holds"
    assert claim("x", "q", 1.0, below=1.0).verdict == "fails"  # the limit itself is outside
