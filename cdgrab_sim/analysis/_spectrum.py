"""The power of an order, frequency by frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis._rates import rate
from cdgrab_sim.herding._vectors import as_table


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Where the power of an order lies.

    Attributes
    ----------
    frequency : array (K,)
        Cycles per step, from 0 to 1/2.
    power : array (K, d)
        Of both signs of the frequency together; sums to the mean square of the stream over the steps.
    steps : int
        N, the steps of a window: K = N // 2 + 1.
    """

    frequency: FloatArray
    power: FloatArray
    steps: int

    def __repr__(self) -> str:
        d = self.power.shape[1]
        return f"<Spectrum: {len(self.frequency)} frequencies in windows of {self.steps} steps, d = {d}>"

    @property
    def density(self) -> FloatArray:
        """Power times N, for one sign of the frequency: the variance of white noise, at every frequency."""
        return np.asarray(self.steps * self.power / _signs(self.steps))

    def slope(self, low: float, high: float) -> float:
        """Return the log-log slope of the density, summed over coordinates, from `low` to `high`."""
        low, high = _checks.ends(low, high)
        inside = (self.frequency >= low) & (self.frequency <= high) & (self.frequency > 0.0)
        if inside.sum() < 2:
            raise ValueError(
                f"low, high: expected two frequencies above 0 between them; got {int(inside.sum())}"
            )
        return rate(self.frequency[inside], self.density.sum(axis=1)[None, inside]).slope

    def floor(self, transfer: ArrayLike) -> FloatArray:
        """Return the mean square that is left of each coordinate behind a filter.

        Parameters
        ----------
        transfer : complex array (K, d)
            The transfer function at `frequency`, such as ``theory.spectra.transfer(2 pi frequency, ...)``.

        Returns
        -------
        array (d,)
        """
        given = _checks.array("transfer", transfer)
        if given.dtype.kind not in "iufc" or given.shape != self.power.shape:
            raise ValueError(
                f"transfer: expected numbers of shape (K, d) = {self.power.shape}; "
                f"got {given.dtype} {given.shape}"
            )
        gain = np.abs(given) ** 2
        return np.asarray((gain * self.power).sum(axis=0))


def spectrum(z: ArrayLike, pi: ArrayLike, window: int = 1) -> Spectrum:
    r"""Return the power of an order of vectors: of their mean over the workers, step by step.

    .. math:: P_j = \frac1{N^2} \Bigl| \sum_{k=1}^N u_k e^{-2 \pi i jk/N} \Bigr|^2, \qquad
              u_k = \frac1m \sum_{i=1}^m z_{i, \pi_i(k)} - \bar z

    On quadratics with one Hessian and gradients z at the minimiser, the floor of any linear update is this
    power behind the update's transfer function (:mod:`theory.spectra`). Draws are white; orders that keep
    their prefix sums small have little power at low frequencies, which alone a small step lets through.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
        Gradients at the minimiser, say.
    pi : int array (n,), (m, n) or (T, m, n)
        One order for all workers, one for each, or those of several epochs, such as ``run.orders[0]``.
    window : int
        Epochs to a window, which divides their number; powers are means over windows.

    Returns
    -------
    Spectrum

    Raises
    ------
    ValueError
        For orders of other examples, or a window that does not divide the epochs.

    Examples
    --------
    >>> spectrum([[1.0], [1.0], [-1.0], [-1.0]], [0, 2, 1, 3]).power.ravel()
    array([0., 0., 1.])
    """
    table = as_table(z)
    m, n, d = table.shape
    _checks.below("z", table)
    orders = np.asarray(_checks.array("pi", pi))
    if orders.ndim == 0:
        raise ValueError(f"pi: expected orders (n,), (m, n) or (T, m, n); got {_checks.brief(pi)}")
    orders = np.broadcast_to(orders, (m, n)) if orders.ndim == 1 and orders.shape == (n,) else orders
    epochs = orders[None] if orders.ndim == 2 else orders
    for epoch in epochs:
        _checks.in_range("pi", epoch, (m, n))
    window = _checks.size("window", window)
    if len(epochs) % window:
        raise ValueError(f"window: expected a divisor of {len(epochs)} epochs; got {window}; leave some out")
    centred = table - table.mean(axis=(0, 1))
    stream = np.take_along_axis(centred[None], epochs[..., None], axis=2).mean(axis=1)
    stream = stream.reshape(-1, window * n, d)
    N = window * n
    power = _signs(N) * (np.abs(np.fft.rfft(stream, axis=1)) ** 2).mean(axis=0) / N**2
    return Spectrum(np.arange(N // 2 + 1) / N, power, N)


def _signs(N: int) -> FloatArray:
    """Return how many signs each frequency of a window has: 0 and 1/2 have one."""
    return np.where(2 * np.arange(N // 2 + 1) % N == 0, 1.0, 2.0)[:, None]
