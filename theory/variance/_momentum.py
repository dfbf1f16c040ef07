"""Momentum, and Adam, in reshuffled orders on a diagonal quadratic (W5)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, nonnegative, positive
from theory._spectral import Array
from theory.variance._batches import batch_noise


def momentum_noise(alpha: float, eigenvalue: float, variance: float, n: int, momentum: float) -> float:
    r"""Return the stationary E (x - x_star)^2 at ends of reshuffled epochs under momentum (W5).

    .. math::
        s + \frac{n v}{n - 1} \sum_{k<n} \Bigl( \gamma^2 (w_k - \bar w)^2
            - 2 \alpha \gamma (\rho^k - \bar\rho)(w_k - \bar w) \Bigr), \qquad
        w_k = (1 - \beta) \beta^k, \quad \gamma = \frac{\alpha \beta}{1 - \beta}

    for x <- x - alpha u with u <- beta u + (1 - beta) g, and s that of plain SGD, :func:`batch_noise`: what
    is pending at the end of an epoch does not sum to zero.

    Assumes a shared Hessian, random reshuffling, and small alpha lambda / (1 - beta), to first order.

    Provenance: proved here, note ``W5-momentum-and-adam``.

    Parameters
    ----------
    eigenvalue : float
        lambda > 0.
    variance : float
        v, of the gradients of the examples, over the number of workers.
    n : int
        Examples per worker.
    momentum : float
        beta.

    Examples
    --------
    >>> momentum_noise(0.1, 1.0, 1.0, 8, 0.0) == batch_noise(0.1, 1.0, 1.0, n=8)
    True
    """
    a, beta, n = positive("alpha", alpha), nonnegative("momentum", momentum), integer_at_least("n", n, 2)
    if beta >= 1.0:
        raise ValueError(f"expected momentum below 1; got {beta}")
    plain = batch_noise(a, eigenvalue, variance, n=n)
    w, gamma = _centred((1.0 - beta) * beta ** np.arange(n)), a * beta / (1.0 - beta)
    rho = _centred((1.0 - a * eigenvalue) ** np.arange(n))
    pending = float((gamma**2 * w**2 - 2.0 * a * gamma * rho * w).sum())
    return plain + n / (n - 1) * variance * pending


def adam_noise(alpha: float, eigenvalue: float, variance: float, n: int, beta1: float = 0.9) -> float:
    r"""Return the stationary E (x - x_star)^2 of Adam at ends of reshuffled epochs (W5).

    .. math:: \text{momentum with the step } \frac{\alpha}{\sqrt v}

    as the second moment of the gradient is its variance where x rests. More workers make v smaller and the
    step longer.

    Assumes a diagonal Hessian, second moments over many epochs, 1 / (1 - beta_2) >> n, and v far above eps.

    Provenance: proved here, note ``W5-momentum-and-adam``.

    Examples
    --------
    >>> adam_noise(0.1, 1.0, 4.0, 8) == momentum_noise(0.05, 1.0, 4.0, 8, 0.9)
    True
    """
    v = positive("variance", variance)
    return momentum_noise(positive("alpha", alpha) / math.sqrt(v), eigenvalue, v, n, beta1)


def _centred(a: ArrayLike) -> Array:
    b = np.asarray(a, dtype=np.float64)
    return np.asarray(b - b.mean())
