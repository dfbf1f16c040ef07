"""One look of the live demo: an ordering beside random reshuffling, in pictures, numbers and a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdgrab_sim import _checks, problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._run import Run
from cdgrab_sim._types import IntArray
from cdgrab_sim.plots import inline_svg, overview
from cdgrab_sim.synchronous._simulate import simulate

EPOCHS = 120
_KAPPA, _ALPHA_N_L, _LAST = 5.0, 0.5, 30  # the floor is the mean of the last epochs
# Not sgd: what is drawn with replacement is no order, and its walk does not come back to zero.
CHOICES = ("ig", "so", "flipflop", "d-grab", "d-grab-pair", "cd-grab")


@dataclass(frozen=True, eq=False)
class Look:
    """The problem, the runs by ordering, and the epoch whose orders are shown."""

    problem: Problem
    runs: dict[str, Run]
    epoch: int

    @property
    def errors(self) -> dict[str, float]:
        """Herding errors in the inf-norm of the orders of the epoch."""
        return {name: float(run.herding["inf"][0, self.epoch]) for name, run in self.runs.items()}

    @property
    def floors(self) -> dict[str, float]:
        """Losses at the end, averaged over the last epochs."""
        curves = {name: run.loss for name, run in self.runs.items()}
        return {name: float(np.mean(a[0, -_LAST:])) for name, a in curves.items() if a is not None}

    def sentence(self) -> str:
        """State what is seen."""
        name, (m, n) = list(self.runs)[-1], (self.problem.m, self.problem.n)
        errors, floors = self.errors, self.floors
        return (
            f"{m} worker{'s' * (m > 1)} with {n} examples each, epoch {self.epoch}: the walk of {name} gets "
            f"{errors[name]:.2f} from zero, that of random reshuffling {errors['rr']:.2f}, "
            f"{_times(errors['rr'], errors[name], 'far')}. In the end the loss of {name} is "
            f"{floors[name]:.1e}, that of random reshuffling {floors['rr']:.1e}, "
            f"{_times(floors['rr'], floors[name], 'large')}."
        )

    def orders(self) -> dict[str, IntArray]:
        """Return the orders (m, n) used in the epoch."""
        return {name: run.orders[0, self.epoch] for name, run in self.runs.items() if run.orders is not None}

    def pictures(self) -> tuple[str, ...]:
        """Draw walk (first two coordinates), herding profile, loss curves and spectra, as SVG elements."""
        return tuple(map(inline_svg, overview(self.problem.data.terms, self.orders(), self.runs)))


def live(
    *,
    m: int = 4,
    n: int = 32,
    d: int = 2,
    ordering: str = "cd-grab",
    heterogeneity: float = 0.0,
    seed: int = 0,
    epoch: int = 10,
) -> Look:
    """Run an ordering and random reshuffling on the skewed quadratic.

    Parameters
    ----------
    m, n, d : int
        Workers, examples per worker, dimension >= 2.
    ordering : str
        One of `CHOICES`.
    heterogeneity : float
        How much the workers differ; see :func:`cdgrab_sim.problems.skewed`.
    seed : int
    epoch : int
        Whose orders are shown, 0..119.

    Returns
    -------
    Look

    Examples
    --------
    >>> seen = live(m=2, n=8)
    >>> list(seen.runs), seen.sentence().split(":")[0]
    (['rr', 'cd-grab'], '2 workers with 8 examples each, epoch 10')
    """
    _checks.choice("ordering", ordering, CHOICES)
    d = _checks.integer("d", d, low=2)
    epoch = _checks.integer("epoch", epoch, low=0, high=EPOCHS - 1)
    problem = problems.skewed(m=m, n=n, d=d, kappa=_KAPPA, heterogeneity=heterogeneity, seed=seed)
    step_size = _ALPHA_N_L / (problem.n * problem.constants["L"])
    record = Record(grad_norm=False, distance=False, herding=("inf",), orders=True)
    runs = {
        name: simulate(
            problem, name, epochs=EPOCHS, step_size=step_size, seed=seed, x0=np.ones(d), record=record
        )
        for name in ("rr", ordering)
    }
    return Look(problem, runs, epoch)


def _times(of: float, than: float, what: str) -> str:
    if than == 0.0:
        return f"where this one is not {what} at all"
    return f"{of / than:.1f} times as {what}"
