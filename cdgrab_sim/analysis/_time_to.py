"""Time to accuracy: when an error has fallen far enough, and what a horizon that came too early leaves."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cdgrab_sim import _checks


def time_to(errors: ArrayLike, accuracy: float, *, window: int = 1) -> float:
    r"""Return the first time at which the mean of the last `window` errors is at most `accuracy`.

    .. math:: \min \{ t : \bar e_t \le \epsilon \}, \qquad
              \bar e_t = \frac1w \sum_{s=t-w+1}^{t} e_s

    Between the last time above and the first below, log e is taken for linear. A window keeps one lucky
    moment of a noisy error from counting. Means are compared with the accuracy in exact arithmetic.

    Parameters
    ----------
    errors : array (T + 1,)
        Nonnegative, from time 0 on; whatever is not finite counts as not yet accurate.
    accuracy : float
        Epsilon > 0.
    window : int
        At most T + 1.

    Returns
    -------
    float
        Infinity if the accuracy is not reached by time T: the time is censored, all that is known is that it
        exceeds T.

    Raises
    ------
    ValueError, TypeError
        For a negative error, an accuracy that is not positive, or a window longer than the errors.

    Examples
    --------
    >>> time_to([8.0, 4.0, 2.0, 1.0], 2.0), time_to([8.0, 4.0, 2.0, 1.0], 0.5)
    (2.0, inf)
    >>> round(time_to([1.0, 0.01], 0.1), 12)
    0.5
    """
    e = _checks.numbers("errors", errors)
    if e.ndim != 1 or e.size == 0:
        raise ValueError(f"errors: expected one error per time; got shape {e.shape}")
    if (e < 0.0).any():
        raise ValueError(f"errors[{int(np.argmax(e < 0.0))}]: expected errors >= 0; got {e[e < 0.0][0]}")
    accuracy = _checks.real("accuracy", accuracy, above=0.0)
    window = _checks.integer("window", window, low=1, high=len(e))
    e = np.where(np.isfinite(e), e, np.inf)
    scale = 2.0**-16 if (e[np.isfinite(e)] > 2.0**1000).any() else 1.0  # so that sums stay finite
    means = np.convolve(e * scale, np.ones(window), mode="valid") / window
    near = np.flatnonzero(means <= accuracy * scale * (1.0 + 1e-9) + 1e-320)
    first = next((int(k) for k in near if _reached(e[k : k + window], accuracy)), None)
    if first is None:
        return math.inf
    at = float(first + window - 1)
    before, after = float(means[first - 1]), float(means[first])
    if first == 0 or after == 0.0 or not after < before < math.inf:
        return at
    passed = _log_ratio(before, accuracy * scale) / _log_ratio(before, after)
    return at - 1.0 + min(max(passed, 0.0), 1.0)


def _reached(errors: NDArray[np.float64], accuracy: float) -> bool:
    return bool(np.isfinite(errors).all()) and sum(map(Fraction, errors)) <= len(errors) * Fraction(accuracy)


def _log_ratio(a: float, b: float) -> float:
    """Return log(a / b), also where a / b is too large for a float."""
    ratio = a / b
    return math.log(ratio) if ratio < math.inf else math.log(a) - math.log(b)


def uncensored(times: ArrayLike) -> NDArray[np.bool_]:
    """Tell which sizes may enter a fit: those whose time is known for every seed.

    A size is left out as a whole. Keeping only its seeds that came in time would keep the fast ones, and
    the fitted exponent would be too flat.

    Parameters
    ----------
    times : array (R, K)
        Times per seed and size, infinite where censored.

    Returns
    -------
    bool array (K,)

    Examples
    --------
    >>> uncensored([[np.inf, 40.0, 20.0], [90.0, 45.0, 22.0]]).tolist()
    [False, True, True]
    """
    t = _checks.numbers("times", times)
    if t.ndim != 2:
        raise ValueError(f"times: expected shape (seeds, sizes); got {t.shape}")
    return np.asarray(np.isfinite(t).all(axis=0))
