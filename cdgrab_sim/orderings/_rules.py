"""Sign rules that decide online: one vector after the other, from the running sum and a uniform number.

With the running sum s, p = <s, v> and u uniform on [0, 1), every rule but the fair coin is one comparison
with a threshold a >= 0:

    epsilon = +1 if p <= a (1 - 2u) else -1,    P(epsilon = +1) = (1 - p/a) / 2  for |p| <= a

greedy            a = 0
self-balancing    a = c B^2, with B a bound on the norms of the vectors
hilbert           a = max(|v| sigma sqrt(G), |v|^2), with sigma the sub-Gaussian scale of s up to now
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined
from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim._rng import beside
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._balance import add, balance, inner_and_square

COIN, THRESHOLD, HILBERT = range(3)  # how `give_sign` decides; greedy is a threshold of 0
_CODES = {"greedy": THRESHOLD, "random": COIN, "self-balancing": THRESHOLD, "hilbert": HILBERT}
RULES = tuple(_CODES)
FAILURES = ("clip", "coin", "raise")


@dataclass(frozen=True)
class SignRule:
    r"""An online sign rule and its settings.

    ``"greedy"``: +1 if <s, v> <= 0 else -1. ``"random"``: fair coins. ``"self-balancing"``, the walk of
    Alweiss, Liu and Sawhney:

    .. math:: P(\epsilon = +1) = \tfrac12 - \frac{\langle s, v \rangle}{2a}, \qquad a = c B^2,

    ``"hilbert"``, the self-balancing Hilbert walk with the thresholds of kernel halving: the same with

    .. math:: a_k = \max\big( |v_k| \sigma_{k-1} \sqrt{2 \log(2N/\delta)}, |v_k|^2 \big), \qquad
        \sigma_k^2 = \sigma_{k-1}^2 + |v_k|^2
        \Big( 1 + \frac{\sigma_{k-1}^2}{a_k^2} (|v_k|^2 - 2 a_k) \Big)_+ .

    or, for E epochs, with :math:`2 \log\big( \frac4\delta (1 + \log E) (1 + \log N) \, t k \big)` at the k-th
    vector of epoch t instead of :math:`2 \log(2N/\delta)`, which spends delta on
    all epochs, and most of it early.

    A step with \|<s, v>\| > a is a clip. N is the number of vectors that one sum balances in an epoch.

    Parameters
    ----------
    name : {"greedy", "random", "self-balancing", "hilbert"}
    bound : float, optional
        B of ``"self-balancing"``. By default the largest norm that the same sum balanced in the epoch before;
        the first epoch is greedy. Only a B that was given in advance carries a guarantee.
    c : float, optional
        Of ``"self-balancing"``: 1/2 + log(4N / delta) by default, with which all N sums of vectors no longer
        than B, fixed in advance, are below B c sqrt(log(4Nd/delta) / log(4N/delta)) in the inf-norm and
        nothing clips, with probability 1 - delta.
    delta : float
        Failure probability over the N vectors of an epoch, or of all epochs.
    epochs : int, optional
        E of ``"hilbert"``: the schedule of KH-SGD, for a run of so many epochs.
    failure : {"clip", "coin", "raise"}
        What ``"self-balancing"`` does at a clip: take the sign against the sum, which is the formula's
        probability clipped to [0, 1]; toss a fair coin; or stop with a RuntimeError. ``"hilbert"`` takes the
        sign against the sum, and its walk goes s - (<s, v> / a) v: from then on it is not a signed sum.

    References
    ----------
    Alweiss, Liu, Sawhney, arXiv 2006.14009; Dwivedi, Mackey, arXiv 2105.05842, 2110.01593 (the walk, the
    thresholds); Carrell, Gong, Shetty, Dwivedi, Mackey, arXiv 2502.12063 (the schedule).

    Examples
    --------
    >>> SignRule("self-balancing", bound=2.0, c=8.0).squared_bound
    4.0
    """

    name: str = "greedy"
    bound: float | None = None
    c: float | None = None
    delta: float = 0.01
    failure: str = "clip"
    epochs: int | None = None

    def __post_init__(self) -> None:
        _checks.choice("rule", self.name, RULES)
        _checks.choice("failure", self.failure, FAILURES)
        for field in ("bound", "c"):
            value = getattr(self, field)
            if value is None:
                continue
            if self.name != "self-balancing":
                raise ValueError(
                    f"{field}: expected none for rule {self.name!r}; got {_checks.brief(value)}; "
                    "use 'self-balancing', whose threshold is c B^2"
                )
            object.__setattr__(self, field, _checks.real(field, value, above=0.0))
        object.__setattr__(self, "delta", _checks.chance("delta", self.delta))
        if self.epochs is not None:
            if self.name != "hilbert":
                raise ValueError(
                    f"epochs: expected none for rule {self.name!r}; got {_checks.brief(self.epochs)}; "
                    "use 'hilbert'"
                )
            object.__setattr__(self, "epochs", _checks.integer("epochs", self.epochs, low=1))

    @property
    def code(self) -> int:
        """How `give_sign` decides."""
        return _CODES[self.name]

    @property
    def tosses(self) -> bool:
        """Whether the rule needs uniform numbers."""
        return self.name != "greedy"

    @property
    def squared_bound(self) -> float:
        """B^2, 0 where none was given: then a threshold rule is greedy."""
        # Far beyond any vector, B acts as the limit does; its square must stay a number.
        return 0.0 if self.bound is None else min(max(self.bound, 2.0**-500), 2.0**500) ** 2

    def factor(self, N: int) -> float:
        """Return c, or of ``"hilbert"`` G (at t = k = 1 where it grows), for N vectors in an epoch."""
        if self.epochs is not None:
            return 2.0 * math.log(4.0 / self.delta * (1.0 + math.log(self.epochs)) * (1.0 + math.log(N)))
        if self.code == HILBERT:
            return 2.0 * math.log(2.0 * N / self.delta)
        return self.safe_c(N) if self.c is None else self.c

    def safe_c(self, N: int) -> float:
        """Return the c with which the prefix bound of the self-balancing walk holds."""
        return 0.5 + math.log(4.0 * N / self.delta)


def make_rule(rule: SignRule | str) -> SignRule:
    """Return a rule from a record or a name.

    Examples
    --------
    >>> make_rule("hilbert").tosses
    True
    """
    return rule if isinstance(rule, SignRule) else SignRule(rule)


class Signer(NamedTuple):
    """What a rule remembers of each running sum, and the uniforms of the epoch."""

    s: FloatArray  # (sums, d) running sums, or the walk of "hilbert"
    variance: FloatArray  # (sums,) sigma^2 of "hilbert"
    clips: IntArray  # (sums,) clips since the beginning of the run
    bound: FloatArray  # (sums,) B^2 in use, 0 for none
    largest: FloatArray  # (sums,) largest squared norm balanced in this epoch
    pace: (
        FloatArray  # (sums, 2) t k of the next vector, the k-th of epoch t, and t; 0 where delta is constant
    )
    uniforms: FloatArray  # (m, draws), which greedy does not read

    @classmethod
    def new(cls, rule: SignRule, sums: int, d: int, uniforms: FloatArray) -> Signer:
        """Return the memory of `sums` running sums at zero."""
        bound, clips = np.full(sums, rule.squared_bound), np.zeros(sums, dtype=np.int64)
        pace = np.full((sums, 2), 0.0 if rule.epochs is None else 1.0)
        return cls(aligned((sums, d)), np.zeros(sums), clips, bound, np.zeros(sums), pace, uniforms)

    def draw(self, rule: SignRule, rng: Generator) -> None:
        """Draw the uniforms of an epoch, worker by worker: row i does not depend on m.

        They come from beside the draws of orders, so that first orders do not move them either.
        """
        if rule.tosses:
            beside(rng).random(out=self.uniforms)

    def begin(self, rule: SignRule, rng: Generator) -> None:
        """Begin the next epoch: sums at zero, and B the largest norm of the last one unless it was given."""
        self.s[:] = 0.0
        if rule.tosses:
            if rule.name == "self-balancing" and rule.bound is None:
                self.bound[:] = self.largest
            self.variance[:] = self.largest[:] = 0.0
            if rule.epochs is not None:
                self.pace[:] = self.pace[:, 1:] + 1.0
            self.draw(rule, rng)

    def known(self, rule: SignRule, N: int) -> tuple[Any, ...]:
        """Return what `give_sign` must know, for N vectors of each sum in an epoch."""
        return (*self[1:], rule.code, rule.factor(N), rule.failure == "coin")

    def stop_at_clips(self, rule: SignRule) -> None:
        """Raise where the rule is to stop at a clip."""
        if rule.failure == "raise" and rule.name == "self-balancing" and self.clips.any():
            raise RuntimeError(
                "self-balancing: expected |<s, v>| <= c B^2 for every vector; "
                f"got {int(self.clips.sum())} above it; give a larger bound or c, or failure='clip'"
            )


@inlined
def hilbert_step(b2: float, variance: float, G: float) -> tuple[float, float]:
    """Return the threshold of the Hilbert walk at a vector with square `b2`, and sigma^2 after it."""
    root = math.sqrt(variance) * math.sqrt(b2 * G)  # their product may overflow
    threshold = root if root > b2 else b2
    growth = 1.0 + (b2 / threshold - 2.0) * (variance / threshold) if threshold > 0.0 else 0.0
    return threshold, variance + b2 * growth if growth > 0.0 else variance


@inlined
def give_greedy_sign(s, row, a, ia, b, ib, which, rule):  # type: ignore[no-untyped-def]
    """As `give_sign`, for the greedy rule, which needs nothing of `rule`."""
    return balance(s, row, a, ia, b, ib)


@inlined
def give_sign(s, row, a, ia, b, ib, which, rule):  # type: ignore[no-untyped-def]
    """Give v = ``a[ia] - b[ib]`` a sign, +1.0 or -1.0, and add it to the running sum ``s[row]``.

    `rule` is what `Signer.known` returns; ``uniforms[which]`` is the uniform number. The code is the
    same for a whole epoch, so that the processor predicts the branches.
    """
    variance, clips, bound, largest, pace, uniforms, code, factor, fair = rule
    if code == COIN:
        eps = 1.0 if uniforms[which] < 0.5 else -1.0
        step = eps
    else:
        p, b2 = inner_and_square(s, row, a, ia, b, ib)
        if b2 > largest[row]:
            largest[row] = b2
        threshold = factor * bound[row]
        if code == HILBERT:
            G = factor
            if pace[row, 0] > 0.0:
                G += 2.0 * math.log(pace[row, 0])
                pace[row, 0] += pace[row, 1]
            threshold, variance[row] = hilbert_step(b2, variance[row], G)
        eps = 1.0 if p <= threshold * (1.0 - 2.0 * uniforms[which]) else -1.0
        step = eps
        if threshold > 0.0 and abs(p) > threshold:
            clips[row] += 1
            if code == HILBERT:
                step = -(p / threshold)
            elif fair:
                eps = 1.0 if uniforms[which] < 0.5 else -1.0
                step = eps
    add(s, row, step, a, ia, b, ib)
    return eps
