"""A lesson in numbers: what a few orderings make of the same vectors in the plane, epoch by epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cdgrab_sim import _checks, herding, orderings, problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.demo._names import title
from cdgrab_sim.synchronous._simulate import simulate

ORDERINGS = ("rr", "d-grab", "cd-grab")
# Steps so long that the losses come apart within the epochs shown, and a start at which all still look alike.
_KAPPA, _ALPHA_N_L, _START, _RUNS = 2.0, 2.0, 3.0, 8
_MOST = {"m": 8, "n": 48, "epochs": 20}  # beyond them colours and steps can no longer be told apart


@dataclass(frozen=True, eq=False)
class Strand:
    """What one ordering did.

    Attributes
    ----------
    name : str
        Of the ordering.
    orders : int array (T + 1, m, n)
    walks : array (T + 1, n + 1, 2)
        Prefix sums over all workers, from the origin on.
    errors : array (T + 1,)
        Herding errors in the inf-norm, not divided by m.
    losses : array (T + 1,)
        Of SGD in these orders at the start of each epoch, the mean of eight runs.
    """

    name: str
    orders: IntArray
    walks: FloatArray
    errors: FloatArray
    losses: FloatArray


@dataclass(frozen=True, eq=False)
class Lesson:
    """The vectors z (m, n, 2), the seed they came from, and a strand for each ordering."""

    z: FloatArray
    seed: int
    strands: tuple[Strand, ...]

    def sentence(self, t: int) -> str:
        """Say in words what epoch t looks like.

        Examples
        --------
        >>> lesson(m=2, n=8, epochs=1).sentence(0).split(";")[0]
        'Epoch 0 of 1. All start from the same random order'
        """
        T = len(self.strands[0].errors) - 1
        errors = {strand.name: float(strand.errors[t]) for strand in self.strands}
        if t == 0:
            start = next(iter(errors.values()))
            return f"Epoch 0 of {T}. All start from the same random order; its herding error is {start:.2f}."
        m = len(self.z)
        listed = ", ".join(f"{title(name, m)} {error:.2f}" for name, error in errors.items())
        return f"Epoch {t} of {T}. Herding error: {listed}. {comparison(errors['rr'], errors['cd-grab'])}"


def comparison(random: float, coordinated: float) -> str:
    """Compare the herding errors of random reshuffling and CD-GraB in a sentence.

    Examples
    --------
    >>> comparison(6.0, 1.5)
    'CD-GraB stays 4.0 times as close to zero as random reshuffling.'
    >>> comparison(1.0, 1.5)
    'Here random reshuffling happens to stay as close to zero as CD-GraB, or closer.'
    """
    if coordinated < random:
        return f"CD-GraB stays {random / coordinated:.1f} times as close to zero as random reshuffling."
    return "Here random reshuffling happens to stay as close to zero as CD-GraB, or closer."


def lesson(*, m: int = 4, n: int = 24, epochs: int = 12, seed: int = 0) -> Lesson:
    """Run random reshuffling, D-GraB and CD-GraB over the same vectors in the plane.

    The vectors are the linear terms of :func:`cdgrab_sim.problems.skewed`, centred in each worker: what
    gradients look like near the minimiser. On them D-GraB knows the exact mean. The losses are those of SGD
    on that problem.

    Parameters
    ----------
    m, n : int
        Workers and examples per worker; 1..8 and 2..48.
    epochs : int
        T, 1..20: orders are shown for epochs 0 to T.
    seed : int

    Returns
    -------
    Lesson

    Raises
    ------
    ValueError
        For sizes that would not fit a screen.

    Examples
    --------
    >>> shown = lesson(m=2, n=8, epochs=3)
    >>> [strand.name for strand in shown.strands], shown.strands[0].walks.shape
    (['rr', 'd-grab', 'cd-grab'], (4, 9, 2))
    """
    m = _checks.integer("m", m, low=1, high=_MOST["m"])
    n = _checks.integer("n", n, low=2, high=_MOST["n"])
    epochs = _checks.integer("epochs", epochs, low=1, high=_MOST["epochs"])
    problem = problems.skewed(m=m, n=n, d=2, kappa=_KAPPA, seed=seed)
    z = problem.data.terms
    return Lesson(z, seed, tuple(_strand(problem, z, name, epochs, seed) for name in ORDERINGS))


def _strand(problem: Problem, z: FloatArray, name: str, epochs: int, seed: int) -> Strand:
    ordering = orderings.make(name)
    step_size = _ALPHA_N_L / (problem.n * problem.constants["L"])
    how: dict[str, Any] = {"epochs": epochs, "step_size": step_size, "seed": seed, "replicates": _RUNS}
    how |= {"x0": [_START, _START], "record": Record(grad_norm=False, distance=False)}
    losses = np.asarray(simulate(problem, ordering, **how).loss).mean(axis=0)
    orders = np.array([herding.order(z, ordering, rounds=t, seed=seed) for t in range(epochs + 1)])
    walks = np.array([herding.prefix_sums(z, pi) for pi in orders])
    return Strand(name, orders, walks, herding.curve(z, ordering, epochs, seed=seed), losses)
