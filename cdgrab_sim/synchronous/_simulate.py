"""simulate: epochs, chunks, replicates, recording, status."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks, orderings, problems, updates
from cdgrab_sim import participation as participations
from cdgrab_sim._kernels import jit
from cdgrab_sim._records import Ordering, Problem, Record, Update
from cdgrab_sim._rng import Role, Stream
from cdgrab_sim._run import Run, Status
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim._version import __version__
from cdgrab_sim.orderings._states import orders_of, states, weight_of
from cdgrab_sim.participation import Participation
from cdgrab_sim.problems._probe import probe
from cdgrab_sim.problems._slope import warn_of_slope
from cdgrab_sim.synchronous._engine import Engine, observer
from cdgrab_sim.synchronous._recorder import Recorder
from cdgrab_sim.synchronous._rounds import Rounds
from cdgrab_sim.synchronous._schedule import Batch, StepSize, batches, describe, schedule

_THREADS_PAY_FROM = 1 << 18  # gradient entries per epoch; below, handing over costs more than it saves


@dataclass(frozen=True)
class _Plan:
    """Checked arguments."""

    problem: Problem
    ordering: Ordering
    epochs: int
    update: Update
    alphas: Callable[[int], FloatArray]
    batches: list[int]
    seed: int
    participation: Participation | None


def simulate(
    problem: Problem | str,
    ordering: Ordering | str,
    *,
    epochs: int,
    step_size: StepSize,
    seed: int = 0,
    replicates: int = 1,
    x0: ArrayLike | None = None,
    update: Update | str | None = None,
    momentum: float = 0.0,
    weight_decay: float = 0.0,
    batch: Batch = 1,
    participation: Participation | str | Mapping[str, Any] | None = None,
    record: Record | None = None,
    threads: int | None = None,
    progress: bool = False,
    throw: bool = False,
) -> Run:
    r"""Run SGD over m workers, each of which follows its order of its n examples.

    .. math::

        x \leftarrow x - \alpha \, \frac1m \sum_{i=1}^m \nabla f_{i, \pi_i(k)}(x), \qquad k = 1, \dots, n

    in every epoch, or whatever else `update` makes of the gradients; the ordering sees them all and decides
    the orders of the next epoch.

    Parameters
    ----------
    problem : Problem or str
        A record, or a registered name, which means the family's defaults with this `seed`.
    ordering : Ordering or str
    epochs : int
        T >= 1.
    step_size : float, array (T,) or (T, updates per epoch), or function of the epoch
    seed : int
        The only entropy. Equal seeds share first orders across orderings, and draws across sizes: worker i
        sees the same whatever m is.
    replicates : int
        R chains on the same data, with their own random draws.
    x0 : array (d,) or (R, d), optional
        The origin by default.
    update : Update or str, optional
        How iterates move: a record, such as ``cg.updates.adam()``, or a registered name, which means its
        defaults. Orderings see the raw gradients all the same.
    momentum, weight_decay : float
        Short for ``update=cg.updates.heavy_ball(momentum=..., weight_decay=...)``.
    batch : int, int array (T,), or function of the epoch
        Examples of its order that each worker averages per update. A last, short batch is divided by
        `batch` as well, so that at fixed x every epoch moves by alpha (n / batch) grad f.
    participation : Participation, str or mapping, optional
        Who takes part in a round of the update: a record, such as ``cg.participation.uniform(cohort=2)``, a
        registered name, or name and arguments. Everybody by default. Absent workers skip their examples,
        which nobody sees.
    record : Record, optional
        What to write down: loss and gradient norm at every epoch by default.
    threads : int, optional
        Replicates that run at the same time; by default as many as pay. Results do not depend on it.
    progress : bool
        Show a bar on stderr.
    throw : bool
        Raise when a replicate diverges, instead of reporting it in ``Run.status``.

    Returns
    -------
    Run

    Raises
    ------
    ValueError, TypeError
        For wrong arguments, and a problem of your own whose functions do not do what `Problem` says, before
        any work starts; for orders that are not permutations, when they appear.
    FloatingPointError
        When a replicate diverges and `throw` is true.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.skewed(m=4, n=16, d=2, kappa=5.0)
    >>> run = cg.simulate(problem, "cd-grab", epochs=50, step_size=0.01, x0=[1.0, 1.0])
    >>> run.loss.shape, bool(run.loss[0, -1] < 0.01 * run.loss[0, 0])
    ((1, 51), True)
    """
    record = Record() if record is None else record
    if not isinstance(record, Record):
        raise TypeError(f"record: expected a Record, such as Record(every=10); got {_checks.brief(record)}")
    seed = _checks.integer("seed", seed, low=0)
    problem, ordering = problems.make(problem, seed=seed), orderings.make(ordering)
    update = _update(update, momentum, weight_decay)
    if ordering.for_update is not None:
        expected = f"an Ordering from for_update of {ordering.name!r}"
        ordering = _checks.instance("ordering", ordering.for_update(update), Ordering, expected)
    epochs = _checks.size("epochs", epochs)
    progress, throw = _checks.flag("progress", progress), _checks.flag("throw", throw)
    sizes = batches(batch, epochs, problem.n)
    alphas = schedule(step_size, updates=[-(-problem.n // b) for b in sizes])
    x = _start(x0, _checks.size("replicates", replicates), problem.d)
    if problem.walk is None:
        probe(problem, x[0])
        warn_of_slope(problem, x[0], stacklevel=2)
    updates.start(update, x[0], problem)
    who = None if participation is None else participations.make(participation)
    if who is not None:
        Rounds(who, update, problem, seed, 0)
        _refuse_whole_epochs(record)
    plan = _Plan(problem, ordering, epochs, update, alphas, sizes, seed, who)
    recorder = Recorder(record, problem, epochs=epochs, replicates=len(x))
    meta = _meta(plan, record) | {"step_size": describe(step_size), "x0": x.tolist()}
    diverged_at = _chains(plan, x, recorder, _threads(threads, plan, len(x)), progress)
    run = _run(recorder, x, diverged_at, meta | {"replicates": len(x)})
    if throw and (diverged_at >= 0).any():
        r = int(np.argmax(diverged_at >= 0))
        raise FloatingPointError(f"replicate {r} {run.messages()[r]}")
    return run


def _update(update: Update | str | None, momentum: float, weight_decay: float) -> Update:
    momentum = _checks.real("momentum", momentum, low=0.0)
    weight_decay = _checks.real("weight_decay", weight_decay, low=0.0)
    if update is None:
        if momentum == 0.0:
            return updates.sgd(weight_decay=weight_decay)
        return updates.heavy_ball(momentum=momentum, weight_decay=weight_decay)
    if momentum or weight_decay:
        raise ValueError(
            "update: expected no momentum= and weight_decay= beside it; "
            f"got {momentum:g} and {weight_decay:g}; give them to the update itself"
        )
    return updates.make(update)


def _refuse_whole_epochs(record: Record) -> None:
    if record.herding or record.balance:
        raise ValueError(
            "record: expected neither herding nor balance where workers are absent, as no epoch is whole; "
            f"got {record}"
        )


def _start(x0: ArrayLike | None, replicates: int, d: int) -> FloatArray:
    start = np.zeros(d) if x0 is None else _checks.floats("x0", x0, (1, 2))
    if start.shape not in ((d,), (replicates, d)):
        raise ValueError(
            f"x0: expected shape (d,) = ({d},) or (replicates, d) = ({replicates}, {d}); got {start.shape}"
        )
    return np.array(np.broadcast_to(start, (replicates, d)), order="C")


def _meta(plan: _Plan, record: Record) -> dict[str, Any]:
    """Return the arguments of a run as plain JSON."""
    problem = plan.problem
    return {
        "problem": {"name": problem.name, "m": problem.m, "n": problem.n, "d": problem.d}
        | {"constants": dict(problem.constants)},
        "ordering": plan.ordering.name,
        "update": plan.update.describe(),
        "epochs": plan.epochs,
        "seed": plan.seed,
        "participation": None if plan.participation is None else plan.participation.describe(),
        "batch": plan.batches[0] if len(set(plan.batches)) == 1 else plan.batches,
        "record": asdict(record) | {"herding": list(record.herding)},
    }


def _chains(plan: _Plan, x: FloatArray, recorder: Recorder, threads: int, progress: bool) -> IntArray:
    """Run all replicates from the rows of `x`, in place; return their epochs of divergence, or -1."""
    diverged_at = np.full(len(x), -1, dtype=np.int64)
    with _bar(progress, len(x) * plan.epochs, plan.ordering.name) as tick:

        def chain(r: int) -> None:
            with np.errstate(all="ignore"):  # divergence is a status, not a warning
                engine = Engine(plan.problem, plan.update, x[r], whole_epoch=recorder.needs_whole_epochs)
                diverged_at[r] = _chain(plan, r, engine, recorder, tick)
                x[r] = engine.it.x

        if threads == 1:
            list(map(chain, range(len(x))))
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(chain, range(len(x))))
    return diverged_at


def _chain(plan: _Plan, r: int, engine: Engine, recorder: Recorder, tick: Callable[[], Any]) -> int:
    """Run replicate r; return the epoch of divergence, or -1."""
    problem, ordering, x = plan.problem, plan.ordering, engine.it.x
    uniforms, numbers = Stream(plan.seed, Role.UPDATE, r), plan.update.draws_on(problem)
    average = x.copy() if recorder.record.average else None
    rows = {int(t): row for row, t in enumerate(recorder.epochs)}
    coming, who, rounds = states(ordering, problem, plan.seed, r), plan.participation, None
    if who is not None:
        rounds = Rounds(who, plan.update, problem, plan.seed, r)
    for t in range(plan.epochs):
        state = next(coming)
        pi, see = orders_of(ordering, state), observer(ordering, state)
        row = rows.get(t)
        if row is not None:
            if not recorder.iterate(r, row, x, average, engine):
                return max(t - 1, 0)
            recorder.order(r, row, x, pi, engine)
            if recorder.needs_whole_epochs:
                see = partial(recorder.stream, r, row, ordering, state)
        draws = _draws(problem, uniforms, t, numbers) if numbers else None
        weight = weight_of(ordering, state, problem)
        b = plan.batches[t]
        engine.epoch(pi, plan.alphas(t), see, batch=b, weight=weight, draws=draws, rounds=rounds)
        recorder.count_clips(r, state)
        if not np.isfinite(x).all():
            return t
        if average is not None:
            average += (2.0 / (t + 2)) * (x - average)
        tick()
    return -1 if recorder.iterate(r, rows[plan.epochs], x, average, engine) else plan.epochs - 1


def _draws(problem: Problem, uniforms: Stream, t: int, numbers: int) -> FloatArray:
    """Return the uniform numbers (n, m, numbers) of epoch t, drawn worker by worker."""
    drawn = uniforms.at(t).random((problem.m, problem.n, numbers))
    return np.ascontiguousarray(drawn.swapaxes(0, 1))


def _threads(threads: int | None, plan: _Plan, replicates: int) -> int:
    if threads is not None:
        return min(_checks.size("threads", threads), replicates)
    problem = plan.problem
    entries = problem.m * problem.n * problem.d
    parts = [problem.grads, plan.update.step, plan.update.take or plan.update.step]
    compiled = jit.compiles() and all(map(jit.is_jitted, parts))
    return min(replicates, os.cpu_count() or 1) if compiled and entries >= _THREADS_PAY_FROM else 1


@contextmanager
def _bar(progress: bool, total: int, label: str) -> Iterator[Callable[[], Any]]:
    if not progress:
        yield lambda: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=label, unit="epoch", file=sys.stderr) as bar:
        yield bar.update


def _run(recorder: Recorder, x: FloatArray, diverged_at: IntArray, meta: dict[str, Any]) -> Run:
    status = np.where(diverged_at >= 0, str(Status.DIVERGED), str(Status.COMPLETED))
    versions = {"cdgrab_sim": __version__, "numpy": np.__version__, "python": platform.python_version()}
    return Run(
        epochs=recorder.epochs,
        x=x,
        status=status,
        diverged_at=diverged_at,
        meta=meta | {"versions": versions | {"numba": jit.version()}},
        herding=recorder.herding,
        herding_live=recorder.herding_live,
        balance=recorder.balance,
        orders=recorder.orders,
        clips=recorder.clips,
        **recorder.at_points,
    )
