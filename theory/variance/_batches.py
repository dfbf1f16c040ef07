"""Growing batches against shrinking steps (W4)."""

from __future__ import annotations

import math

import numpy as np

from theory._checks import integer_at_least, nonnegative, positive


def batch_noise(
    alpha: float, eigenvalue: float, variance: float, batch: int = 1, n: int | None = None
) -> float:
    r"""Return the stationary E (x - x_star)^2 at ends of epochs, in one eigenvector (W4).

    .. math::
        \frac{\alpha v}{\lambda (2 - \alpha \lambda) b} \ \text{(draws)}, \qquad
        \frac{\alpha^2}{1 - \rho^{2K}} \frac{n v}{(n - 1) b} \sum_{k<K} (\rho^k - \bar\rho)^2 \
            \text{(reshuffled)}, \quad \rho = 1 - \alpha \lambda, \ K = n / b

    with rho-bar the mean of the powers. To first order the second is a function of alpha / b.

    Assumes a shared Hessian, and alpha lambda < 2.

    Provenance: proved here, note ``W4-batches-and-steps``.

    Parameters
    ----------
    eigenvalue : float
        lambda > 0.
    variance : float
        v, of the gradients of the examples, over the number of workers.
    batch : int
        b.
    n : int, optional
        Examples, a multiple of b, for random reshuffling; draws by default.

    Examples
    --------
    >>> batch_noise(0.5, 2.0, 4.0, 2), batch_noise(0.5, 2.0, 4.0, 2, n=2)
    (0.5, 0.0)
    """
    a, lam = positive("alpha", alpha), positive("eigenvalue", eigenvalue)
    if a * lam >= 2.0:
        raise ValueError(f"expected alpha eigenvalue below 2; got {a * lam:.6g}; lower alpha")
    v, b = nonnegative("variance", variance), integer_at_least("batch", batch, 1)
    if n is None:
        return a * v / (lam * (2.0 - a * lam) * b)
    n = integer_at_least("n", n, 2)
    if n % b != 0:
        raise ValueError(f"expected n to be a multiple of the batch; got {n} and {b}")
    powers = (1.0 - a * lam) ** np.arange(n // b)
    spread = float(((powers - powers.mean()) ** 2).sum())
    left = -math.expm1(2 * (n // b) * math.log(abs(1.0 - a * lam))) if a * lam != 1.0 else 1.0
    return a**2 * v * n / ((n - 1) * b) * spread / left


def batch_over_step(alpha: float, eigenvalue: float) -> float:
    r"""Return the noise at twice the batch over that at half the step, under draws (W4).

    .. math:: \frac{2 - \alpha \lambda / 2}{2 - \alpha \lambda} = 1 + \frac{\alpha \lambda}4 + O(\alpha^2)

    Equal to first order; so it is for reshuffling, and for any order.

    Assumes a shared Hessian, draws with replacement, and alpha lambda < 2.

    Provenance: proved here, note ``W4-batches-and-steps``.

    Examples
    --------
    >>> batch_over_step(1.0, 1.0)
    1.5
    """
    return batch_noise(alpha, eigenvalue, 1.0, 2) / batch_noise(alpha / 2.0, eigenvalue, 1.0, 1)
