"""A quadratic mode under a fixed delay: x_{k+1} = x_k - c x_{k-tau} (A1, A2, A2b, A4)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from theory._checks import integer_at_least, nonnegative, positive, vector


def stability_limit(delay: int) -> float:
    r"""Return the step below which SGD with a fixed delay converges on a quadratic (A1).

    .. math:: x_{k+1} = x_k - c\,x_{k-\tau} \to 0 \iff 0 < c < 2 \sin\frac{\pi}{2(2\tau+1)}

    Assumes one quadratic mode, the same delay at every step, no noise.

    Provenance: proved here, note ``A1-stability-under-a-fixed-delay``. Arjevani, Shamir, Srebro (2018),
    arXiv:1806.10188, studies the same recursion.

    Examples
    --------
    >>> stability_limit(0)
    2.0
    >>> round(stability_limit(1), 12)
    1.0
    """
    delay = integer_at_least("delay", delay, 0)
    if delay == 0:
        return 2.0
    return 2.0 * math.sin(math.pi / (2 * (2 * delay + 1)))


def fastest_step(delay: int) -> float:
    r"""Return the step with the fastest decay, the largest one without oscillation (A2b).

    .. math:: c^* = \frac{\tau^\tau}{(\tau+1)^{\tau+1}}, \qquad \rho(c^*) = \frac{\tau}{\tau+1}

    From a constant history the iterates keep their sign if and only if ``c <= c*``.

    Assumes what :func:`stability_limit` assumes.

    Provenance: proved here, note ``A2b-fastest-step-under-a-fixed-delay``.

    Examples
    --------
    >>> fastest_step(1)
    0.25
    """
    delay = integer_at_least("delay", delay, 0)
    return (delay / (delay + 1)) ** delay / (delay + 1)


def contraction_factor(c: float, delay: int) -> float:
    r"""Return the decay per step, the largest modulus of a root of ``l**(tau+1) - l**tau + c`` (A1).

    .. math::
        c \le c^*: &\quad \rho^\tau (1 - \rho) = c, \quad \tfrac{\tau}{\tau+1} \le \rho < 1 \\
        c > c^*: &\quad \rho = \frac{\sin \tau\theta}{\sin (\tau+1)\theta}, \quad
        c = \rho^\tau \frac{\sin\theta}{\sin(\tau+1)\theta}, \quad 0 < \theta < \tfrac{\pi}{\tau+1}

    Assumes what :func:`stability_limit` assumes; any ``c > 0``, also unstable ones (then it exceeds 1).

    Provenance: proved here, notes ``A1-stability-under-a-fixed-delay`` and
    ``A2b-fastest-step-under-a-fixed-delay``.

    Examples
    --------
    >>> contraction_factor(0.5, 0)
    0.5
    >>> round(contraction_factor(1.0, 1), 12)
    1.0
    """
    c, delay = positive("c", c), integer_at_least("delay", delay, 0)
    if delay == 0:
        return abs(1.0 - c)
    if c <= fastest_step(delay):
        low = delay / (delay + 1)
        if low**delay * (1.0 - low) <= c:
            return low
        return float(brentq(lambda rho: rho**delay * (1.0 - rho) - c, low, 1.0, xtol=1e-15))

    def log_step(theta: float) -> float:
        wide = math.sin((delay + 1) * theta)
        return delay * math.log(math.sin(delay * theta) / wide) + math.log(math.sin(theta) / wide)

    end = math.pi / (delay + 1)
    theta = float(brentq(lambda t: log_step(t) - math.log(c), 1e-9 * end, (1 - 1e-12) * end, xtol=1e-16))
    return math.sin(delay * theta) / math.sin((delay + 1) * theta)


def _half_angles(c: float, delay: int) -> tuple[float, float]:
    """Return theta = 2 arcsin(c / 2) and phi = (pi/2 - (tau + 1/2) theta) / 2 of a stable step."""
    c = positive("c", c)
    limit = stability_limit(delay)
    if c >= limit:
        raise ValueError(
            f"expected c < {limit:.6g}, the stability limit at delay {delay}; got {c}; "
            "take a smaller step, nothing is stationary beyond the limit"
        )
    theta = 2.0 * math.asin(c / 2.0)
    return theta, (math.pi / 2 - (delay + 0.5) * theta) / 2


def variance(c: float, delay: int, noise: float = 1.0) -> float:
    r"""Return the stationary variance of SGD with a fixed delay on a quadratic mode (A2).

    .. math::
        x_{k+1} = x_k - c\,x_{k-\tau} + \text{noise}\cdot\xi_k, \qquad
        \operatorname{Var} x = \text{noise}^2\, \frac{1 + \sin X}{2 \sin\theta \cos X}, \quad
        \theta = 2 \arcsin\tfrac{c}{2}, \; X = (\tau + \tfrac12)\theta

    For small c it is ``noise**2 / (2 c) * (1 + c (tau + 1/2))``.

    Assumes xi white with mean 0 and variance 1, ``c`` below :func:`stability_limit`.

    Provenance: proved here, note ``A2-stationary-covariance-under-a-fixed-delay``.

    Examples
    --------
    With no delay, ``1 / (c (2 - c))``:

    >>> round(variance(0.5, 0), 12) == round(1 / (0.5 * 1.5), 12)
    True
    """
    delay, noise = integer_at_least("delay", delay, 0), nonnegative("noise", noise)
    theta, phi = _half_angles(c, delay)
    return noise**2 / (2.0 * math.sin(theta) * math.tan(phi))


def autocovariance(c: float, delay: int, lags: int, noise: float = 1.0) -> NDArray[np.float64]:
    r"""Return the stationary autocovariances of SGD with a fixed delay (A2).

    .. math::
        \gamma_j = \operatorname{Var} x \cdot \frac{\cos(j\theta + \psi/2)}{\cos(\psi/2)}
        \; (0 \le j \le \tau + 1), \quad \psi = \tfrac{\pi}{2} - (\tau + \tfrac12)\theta, \qquad
        \gamma_j = \gamma_{j-1} - c\,\gamma_{j-1-\tau} \; (j > \tau)

    Assumes what :func:`variance` assumes.

    Provenance: proved here, note ``A2-stationary-covariance-under-a-fixed-delay``.

    Returns
    -------
    ndarray, shape (lags + 1,)
        ``gamma_0 .. gamma_lags``.

    Examples
    --------
    >>> autocovariance(0.5, 0, 2).round(6).tolist()
    [1.333333, 0.666667, 0.333333]
    """
    delay, lags = integer_at_least("delay", delay, 0), integer_at_least("lags", lags, 0)
    theta, phi = _half_angles(c, delay)
    gamma = np.empty(lags + 1)
    head = min(lags, delay + 1) + 1
    gamma[:head] = np.cos(np.arange(head) * theta + phi) * (variance(c, delay, noise) / math.cos(phi))
    for j in range(head, lags + 1):
        gamma[j] = gamma[j - 1] - c * gamma[j - 1 - delay]
    return gamma


def iterates(
    gains: NDArray[np.float64], targets: NDArray[np.float64], x0: float, m: int
) -> NDArray[np.float64]:
    r"""Return the iterates of m equal, deterministic workers: SGD with the fixed delay m - 1 (A4).

    .. math:: x_{k+1} = x_k - a_k\,(x_{k-(m-1)} - b_k), \qquad x_j = x_0 \text{ for } j < 0

    Assumes all jobs take the same time, simultaneous arrivals are applied in the order of issue; job k has
    the gain ``a_k`` (step size times curvature) and the minimiser ``b_k``.

    Provenance: proved here, note ``A4-equal-workers-are-a-fixed-delay``. The arithmetic is the displayed one,
    so the equality holds bit for bit.

    Parameters
    ----------
    gains, targets : ndarray, shape (steps,)
        ``a_k`` and ``b_k`` in the order of issue.

    Returns
    -------
    ndarray, shape (steps + 1,)
        ``x_0 .. x_steps``.

    Examples
    --------
    >>> import numpy as np
    >>> iterates(np.full(3, 0.5), np.zeros(3), 1.0, 2).tolist()
    [1.0, 0.5, 0.0, -0.25]
    """
    gains, targets, m = vector("gains", gains), vector("targets", targets), integer_at_least("m", m, 1)
    if gains.shape != targets.shape:
        raise ValueError(f"expected targets of shape {gains.shape}; got {targets.shape}; one for each gain")
    x = np.empty(len(gains) + 1)
    x[0] = vector("x0", [x0])[0]
    for k in range(len(gains)):
        x[k + 1] = x[k] - gains[k] * (x[max(k - m + 1, 0)] - targets[k])
    return x


def delayed_gap_published(r0: float, L: float, mu: float, alpha: float, delay: int, steps: int) -> float:
    r"""Bound the gap of gradient descent with a fixed delay, strongly convex quadratics (A1).

    .. math:: f(x_k) - f_* \le 5 L (1 - \alpha \mu)^{2(k+1)} \|x_0 - x_*\|^2

    Assumes a quadratic with eigenvalues in [mu, L], no noise, a constant history;
    alpha <= 1/(20 L (tau + 1)), k >= (tau + 1) log(2 (tau + 1)).

    Provenance: published, read (arXiv:1806.10188, ALT 2020, Theorem 2), note
    ``A1-stability-under-a-fixed-delay``.

    Examples
    --------
    >>> delayed_gap_published(r0=2.0, L=1.0, mu=1.0, alpha=0.05, delay=0, steps=1) == 10 * 0.95**4
    True
    """
    alpha, L = _delayed_step(alpha, L, delay)
    least = (delay + 1) * math.log(2 * (delay + 1))
    if integer_at_least("steps", steps, 1) < least:
        raise ValueError(f"expected steps >= {least:.4g}; got {steps}; the bound begins there")
    mu = positive("mu", mu)
    return 5 * L * (1 - alpha * mu) ** (2 * (steps + 1)) * nonnegative("r0", r0)


def delayed_convex_gap_published(r0: float, L: float, alpha: float, delay: int, steps: int) -> float:
    r"""Bound the gap of gradient descent with a fixed delay, convex quadratics (A1).

    .. math:: f(x_k) - f_* \le \frac{9 \, \|x_0 - x_*\|^2}{4 e \alpha (k + 1)}

    Assumes what :func:`delayed_gap_published` assumes, with eigenvalues in [0, L].

    Provenance: published, read (arXiv:1806.10188, ALT 2020, Theorem 3), note
    ``A1-stability-under-a-fixed-delay``.

    Examples
    --------
    >>> round(delayed_convex_gap_published(4.0, L=1.0, alpha=0.05, delay=0, steps=1) * math.e, 9)
    90.0
    """
    alpha, _ = _delayed_step(alpha, L, delay)
    return 9 * nonnegative("r0", r0) / (4 * math.e * alpha * (integer_at_least("steps", steps, 1) + 1))


def _delayed_step(alpha: float, L: float, delay: int) -> tuple[float, float]:
    alpha, L, delay = positive("alpha", alpha), positive("L", L), integer_at_least("delay", delay, 0)
    cap = 1 / (20 * L * (delay + 1))
    if alpha > cap * (1 + 1e-12):
        raise ValueError(f"expected alpha <= 1/(20 L (tau + 1)) = {cap:.4g}; got {alpha}; reduce alpha")
    return alpha, L
