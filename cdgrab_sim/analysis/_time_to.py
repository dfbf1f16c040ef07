"""Time to accuracy: when an error has fallen far enough, and what a horizon that came too early leaves."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cdgrab_sim import _checks


def time_to(errors: ArrayLike, accuracy: float, *, window: int = 1) -> float:
    r"""Return the first time at which the mean of the last `window` errors is at most `accuracy`.

    .. math:: \min \{ t : \bar e_t \le \epsilon \}, \qquad
              \bar e_t = \frac1w \sum_{s=t-w+1}^{t} e_s

    Between the last time above and the first below, log e is taken for linear. A window keeps one lucky
    moment of a noisy error from counting.

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
    e = np.asarray(errors, dtype=np.float64)
    if e.ndim != 1 or e.size == 0:
        raise ValueError(f"errors: expected one error per time; got shape {e.shape}")
    if (e < 0.0).any():
        raise ValueError(f"errors[{int(np.argmax(e < 0.0))}]: expected errors >= 0; got {e[e < 0.0][0]}")
    accuracy = _checks.real("accuracy", accuracy, above=0.0)
    window = _checks.integer("window", window, low=1, high=len(e))
    means = np.convolve(np.where(np.isfinite(e), e, np.inf), np.ones(window), mode="valid") / window
    below = np.flatnonzero(means <= accuracy)
    if len(below) == 0:
        return math.inf
    first = int(below[0])
    at = float(first + window - 1)
    if first == 0 or means[first] == 0.0 or not np.isfinite(means[first - 1]):
        return at
    before, after = means[first - 1], means[first]
    return at - 1.0 + math.log(before / accuracy) / math.log(before / after)


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
    t = np.asarray(times, dtype=np.float64)
    if t.ndim != 2:
        raise ValueError(f"times: expected shape (seeds, sizes); got {t.shape}")
    return np.asarray(np.isfinite(t).all(axis=0))
