"""How often a row agrees, given the truth: the power of two one-sided tests at a number of seeds."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import chdtri, ndtr, stdtrit

from cdgrab_sim import _checks

_QUANTILES = 4001  # of the estimated spread, over which the chance is averaged


def chance_to_agree(truth: float, spread: float, seeds: int, low: float, high: float) -> float:
    r"""Return the probability that R normal values agree with "the mean lies in [low, high]".

    With s the estimated standard deviation and h = t s / sqrt R the half width of the 90 % interval, averaged
    over the law of s, and 0 where the 95 % interval is wider than [low, high]:

    .. math:: P = E_s \Big[ \Phi\Big( \frac{high - h - \mu}{\sigma / \sqrt R} \Big)
              - \Phi\Big( \frac{low + h - \mu}{\sigma / \sqrt R} \Big) \Big]_+

    At a truth inside, one less this is the chance of a false alarm; at a truth outside it is the chance that
    a wrong claim passes, at most 5 %.

    Parameters
    ----------
    truth : float
        The mean mu.
    spread : float
        The standard deviation sigma over seeds.
    seeds : int
        R >= 2.
    low, high : float
        What counts as agreement; either may be infinite.

    Examples
    --------
    A truth at the edge passes once in twenty times, one in the middle of a wide margin nearly always:

    >>> round(chance_to_agree(1.0, 0.1, 12, 0.0, 1.0), 3), round(chance_to_agree(0.5, 0.1, 12, 0.0, 1.0), 3)
    (0.05, 1.0)
    """
    seeds = _checks.integer("seeds", seeds, low=2)
    low, high = _checks.ends(low, high)
    truth = _checks.real("truth", truth)
    error = _checks.real("spread", spread, low=0.0) / math.sqrt(seeds)
    if error == 0.0:
        return float(low <= truth <= high)
    tails = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    errors = error * np.sqrt(chdtri(seeds - 1, tails) / (seeds - 1))  # as they are estimated
    half, outer = (float(stdtrit(seeds - 1, q)) * errors for q in (0.95, 0.975))
    upper, lower = (high - half - truth) / error, (low + half - truth) / error
    chances = np.where(2 * outer <= high - low, np.maximum(ndtr(upper) - ndtr(lower), 0.0), 0.0)
    return float(chances.mean())
