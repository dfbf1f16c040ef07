"""One look of the live demo: orderings beside random reshuffling, in pictures, numbers and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cdgrab_sim import _checks, problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._run import Run
from cdgrab_sim._types import IntArray
from cdgrab_sim.demo._names import NAMES, title
from cdgrab_sim.plots import inline_svg, overview
from cdgrab_sim.synchronous._simulate import simulate

EPOCHS = 120
_KAPPA, _ALPHA_N_L, _LAST = 5.0, 0.5, 30  # the floor is the mean of the last epochs
# Not sgd: what is drawn with replacement is no order, and its walk does not come back to zero.
CHOICES = tuple(name for name in NAMES if name != "rr")


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

    @property
    def titles(self) -> dict[str, str]:
        """What the orderings are called, here, by their names."""
        return {name: title(name, self.problem.m) for name in self.runs}

    def sentence(self) -> str:
        """State what is seen, ordering by ordering."""
        (m, n), titles = (self.problem.m, self.problem.n), self.titles
        errors, floors = self.errors, self.floors
        start = (
            f"{m} worker{'s' * (m > 1)} with {n} examples each, epoch {self.epoch}: the walk of random "
            f"reshuffling gets {errors['rr']:.2f} from zero, and its loss ends at {floors['rr']:.1e}."
        )
        others = (
            f"{titles[name]}: {errors[name]:.2f}, where random reshuffling gets "
            f"{_times(errors['rr'], errors[name], 'far')}; loss {floors[name]:.1e}, where that of random "
            f"reshuffling is {_times(floors['rr'], floors[name], 'large')}."
            for name in self.runs
            if name != "rr"
        )
        return " ".join([start, *others])

    def orders(self) -> dict[str, IntArray]:
        """Return the orders (m, n) used in the epoch."""
        return {name: run.orders[0, self.epoch] for name, run in self.runs.items() if run.orders is not None}

    def pictures(self) -> tuple[str, ...]:
        """Draw walk (first two coordinates), herding profile, loss curves and spectra, as SVG elements."""
        figures = overview(self.problem.data.terms, self.orders(), self.runs)
        for figure in figures:
            legend = figure.axes[0].get_legend()
            for text in () if legend is None else legend.get_texts():
                name, _, rest = text.get_text().partition("  (")
                text.set_text(self.titles.get(name, name) + (f"  ({rest}" if rest else ""))
        return tuple(map(inline_svg, figures))


def live(
    *,
    m: int = 4,
    n: int = 32,
    d: int = 2,
    others: Sequence[str] = ("d-grab", "cd-grab"),
    heterogeneity: float = 0.0,
    seed: int = 0,
    epoch: int = 10,
) -> Look:
    """Run random reshuffling and other orderings on the skewed quadratic.

    Parameters
    ----------
    m, n, d : int
        Workers, examples per worker, dimension >= 2.
    others : sequence of str
        From `CHOICES`.
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
    (['rr', 'd-grab', 'cd-grab'], '2 workers with 8 examples each, epoch 10')
    """
    others = [_checks.choice("ordering", name, CHOICES) for name in _checks.listed("others", others)]
    d = _checks.integer("d", d, low=2)
    epoch = _checks.integer("epoch", epoch, low=0, high=EPOCHS - 1)
    problem = problems.skewed(m=m, n=n, d=d, kappa=_KAPPA, heterogeneity=heterogeneity, seed=seed)
    step_size = _ALPHA_N_L / (problem.n * problem.constants["L"])
    record = Record(grad_norm=False, distance=False, herding=("inf",), orders=True)
    runs = {
        name: simulate(
            problem, name, epochs=EPOCHS, step_size=step_size, seed=seed, x0=np.ones(d), record=record
        )
        for name in dict.fromkeys(["rr", *others])
    }
    return Look(problem, runs, epoch)


def _times(of: float, than: float, what: str) -> str:
    if than == 0.0:
        return f"infinitely as {what}"
    return f"{of / than:.1f} times as {what}"
