"""assert_exact_law: an ordering and an update against the whole law of their iterates on a quadratic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks, orderings, updates
from cdgrab_sim._records import Ordering, Problem, Record, Seen, Update
from cdgrab_sim._rng import Role, Stream, stream
from cdgrab_sim._run import Run
from cdgrab_sim._types import FloatArray
from cdgrab_sim.orderings._states import states, weight_of
from cdgrab_sim.synchronous._schedule import StepSize, schedule
from cdgrab_sim.synchronous._simulate import simulate
from cdgrab_sim.testing._exact_moments import Claim, close, same_frequencies
from cdgrab_sim.testing._kernel_maps import KernelMaps
from cdgrab_sim.testing._order_laws import LAWS, Follow, OrderLaw, following
from theory import affine

Maps = Callable[..., ArrayLike]

MAPS: dict[str, Maps] = {
    "sgd": affine.momentum_maps,
    "heavy-ball": affine.momentum_maps,
    "nesterov": lambda alpha, A, c, **settings: affine.momentum_maps(
        alpha, A, c, kind="nesterov", **settings
    ),
}
"""What updates of these names are: their maps on (x, X, S, 1), one worker's example on each axis."""


def assert_exact_law(
    problem: Problem,
    ordering: Ordering | str,
    update: Update | str = "sgd",
    *,
    law: str | Follow | None = None,
    maps: Maps | None = None,
    step_size: StepSize | None = None,
    epochs: int = 2,
    batch: int = 1,
    cells: int = 0,
    replicates: int = 200,
    seed: int = 0,
) -> None:
    r"""Assert that a run on a quadratic has the law that its ordering and its update say it has (M1, M2).

    On quadratics a step of a linear update is an affine map of all its vectors. The maps are read off the
    update's own functions, a column for each basis vector, and held against:

    - the recurrence, where it is known: ``maps``, or by the name of the update;
    - `simulate`, along every path that it took, to rounding: examples, step sizes, batches, draws;
    - the ordering, along every path: the next orders must be possible ones by its ``law``;
    - its frequencies: E x and E x x' after the last epoch, exactly where all paths were met, and else in the
      mean over the replicates within 3 standard errors (a right ordering fails once in 370 seeds).

    Parameters
    ----------
    problem : Problem
        Of quadratic examples; small: n = 3 and m = 2 have 1,296 paths of two epochs of reshuffling.
    ordering : Ordering or str
    update : Update or str
        Any whose steps are affine in x, X and S, given examples, draws, ``c`` and ``p``.
    law : str or callable, optional
        A registered ordering that has the same law, by default the one of this name; or, where random first
        orders decide all others, ``law(pi, G, memory) -> (next pi, memory)`` from the gradients G (n, m, d)
        of an epoch in the orders pi (m, n), with the memory None at first; or "any": orders as they come.
    maps : callable, optional
        ``maps(alpha, A, c, **settings) -> (n, ..., n, D + 1, D + 1)`` from the mean Hessians (n, ..., n, d,
        d) and linear terms (n, ..., n, d) of a step's examples.
    step_size : optional
        As in `simulate`; half of 1/L by default.
    epochs, batch : int
    cells : int
        The maps of an update with draws depend on the cell of [0, 1), of so many equal ones, that each draw
        falls into. 0: not known; frequencies are then left alone, and so they are where draws decide orders.
    replicates, seed : int
        At least two replicates.

    Raises
    ------
    AssertionError
        With what was expected and what came.
    ValueError
        For a law that is not known, or with more than 5,040 paths.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=1, n=3, d=2)
    >>> assert_exact_law(problem, "rr", "heavy-ball")
    >>> assert_exact_law(problem, "so", law="rr")
    Traceback (most recent call last):
    ...
    AssertionError: ordering 'so': expected mean and square of x of the law 'rr' within 3 standard errors; ...
    """
    ordering, update = orderings.make(ordering), updates.make(update)
    _checks.instance("problem", problem, Problem, "a Problem of quadratic examples, such as quadratic(...)")
    replicates = _checks.integer("replicates", replicates, low=2)
    epochs, cells = _checks.size("epochs", epochs), _checks.integer("cells", cells, low=0)
    batch, seed = _checks.integer("batch", batch, low=1, high=problem.n), _checks.integer("seed", seed, low=0)
    if maps is not None:
        _checks.function("maps", maps)
    A, c = _quadratic(problem)
    x0 = stream(seed, Role.START).standard_normal(problem.d)
    alpha = 0.5 / float(np.abs(np.linalg.eigvalsh(A)).max()) if step_size is None else step_size
    sizes = [-(-problem.n // batch)] * epochs
    rule = Claim(*_law(ordering, law), KernelMaps(problem, update, x0, batch), schedule(alpha, sizes), epochs)
    _same_recurrence(rule, A, c, maps)
    run = simulate(
        problem, ordering, epochs=epochs, step_size=alpha, seed=seed, replicates=replicates, x0=x0,
        update=update, batch=batch, threads=1,
        record=Record(loss=False, grad_norm=False, distance=False, trajectory=True, orders=True),
    )  # fmt: skip
    ends = _same_paths(rule, run, ordering, seed)
    if rule.name != "any" and (rule.maps.draws == 0 or (cells > 0 and not rule.law.looks)):
        same_frequencies(rule, ends, run.x, cells, ordering)


def _quadratic(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """Return Hessians (m, n, d, d) and linear terms (m, n, d) from gradients at the origin and around it."""
    at = [problem.gradients(x) for x in (np.zeros(problem.d), *np.eye(problem.d))]
    A = np.stack([g - at[0] for g in at[1:]], axis=-1)
    x = np.linspace(1.0, 2.0, problem.d)
    if not np.allclose(problem.gradients(x), A @ x + at[0], rtol=1e-9, atol=1e-9 * np.abs(at).max()):
        raise ValueError(f"problem: expected quadratic examples; got {problem.name!r}, whose gradients bend")
    return A, -at[0]


def _law(ordering: Ordering, law: str | Follow | None) -> tuple[str, OrderLaw]:
    if callable(law):
        return getattr(law, "__name__", "law"), following(law)
    name = ordering.name if law is None else _checks.text("law", law)
    if name not in LAWS:
        raise ValueError(f"law: expected a function or one of {', '.join(LAWS)}; got {name!r}; give law=")
    return name, LAWS[name]


def _same_recurrence(rule: Claim, A: FloatArray, c: FloatArray, maps: Maps | None) -> None:
    """Compare the maps of single steps with those of the update's recurrence."""
    update, problem = rule.maps.update, rule.maps.problem
    maps = maps or MAPS.get(update.name)
    if maps is None or rule.maps.batch > 1:
        return
    every = np.stack(np.meshgrid(*[np.arange(problem.n)] * problem.m, indexing="ij"), axis=-1)
    who, alpha = np.arange(problem.m), float(rule.alphas(0)[0])
    means = (A[who, every].mean(axis=-3), c[who, every].mean(axis=-2))
    expected = np.asarray(maps(alpha, *means, **update.settings))
    for w in np.ndindex(*every.shape[:-1]):
        P, _, _ = rule.maps.move(
            rule.maps.start, np.array([w]), alpha, np.zeros((1, problem.m, rule.maps.draws))
        )
        if P.shape != expected[w].shape or not close(P, expected[w]):
            raise AssertionError(
                f"update {update.name!r}: expected the map {expected[w].tolist()} at the examples {w}; "
                f"got {P.tolist()}"
            )


def _same_paths(rule: Claim, run: Run, ordering: Ordering, seed: int) -> dict[bytes, FloatArray]:
    """Compare every path of a run, each once; return the ends x by what led there."""
    problem, update = rule.maps.problem, rule.maps.update
    shape, ends = (problem.m, problem.n, rule.maps.draws), {}
    first: dict[bytes, Any] = {pi.tobytes(): None for pi in rule.law.first(problem)}
    assert run.orders is not None
    assert run.trajectory is not None
    for r, (orders, path) in enumerate(zip(run.orders, run.trajectory, strict=True)):
        taken = orders.tobytes() + (b"" if rule.maps.draws == 0 else bytes(str(r), "ascii"))
        if taken in ends:
            continue
        uniforms, at, possible = Stream(seed, Role.UPDATE, r), rule.maps.start, first
        coming = states(ordering, problem, seed, r)
        for t, pi in enumerate(orders):
            state = next(coming)
            if rule.name != "any" and pi.tobytes() not in possible:
                raise AssertionError(
                    f"ordering {ordering.name!r}: expected orders of the law {rule.name!r} in epoch {t}, "
                    f"{len(possible)} possible; got {pi.tolist()} after {orders[max(t - 1, 0)].tolist()}"
                )
            U = uniforms.at(t).random(shape).swapaxes(0, 1)
            weight = weight_of(ordering, state, problem)
            steps = list(rule.epoch(at, pi, t, np.ascontiguousarray(U), weight))
            at = steps[-1][1]
            if not close(path[t + 1], at.y[: problem.d]):
                raise AssertionError(
                    f"expected x = {at.y[: problem.d]} after epoch {t}, by the maps of update "
                    f"{update.name!r} in the orders of {ordering.name!r}; got {path[t + 1]} from simulate"
                )
            G = np.concatenate([g for _, _, g in steps])
            if ordering.observe is not None:
                ordering.observe(state, Seen.along(pi, 0, G))
            after = rule.law.after(pi, G, possible.get(pi.tobytes()))
            possible = (
                first if after is None else {np.array(new, order="C").tobytes(): kept for new, kept in after}
            )
        ends[taken] = path[-1]
    return ends
