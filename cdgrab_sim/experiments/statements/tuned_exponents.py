"""Exponents of tuned runs (S): the error left after T epochs, and the epochs that an accuracy takes."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.random import Generator

from cdgrab_sim import problems
from cdgrab_sim._records import Record
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments.statements._statement import Measured, slope
from cdgrab_sim.experiments.statements.exponents import exponent
from cdgrab_sim.synchronous._simulate import simulate

KAPPA = 4.0  # the exponents hold for T >= 25 kappa log(m n T), about 900: below, they are smaller
STEPS = np.geomspace(1.5, 40.0, 13)  # times 1 / (mu n T)

CHAINS, EPOCHS = {"sgd": 10}, {"sgd": 100}  # its last iterate varies most, and its regime begins early


def _losses(ordering: str, seed: int, *, m: int, n: int, T: int, alpha: float, every: int) -> FloatArray:
    """Return f(x_t) - f_star on the skewed problem, averaged over chains."""
    problem = problems.skewed(m=m, n=n, d=2, kappa=KAPPA, seed=seed)
    run = simulate(
        problem,
        ordering,
        epochs=T,
        step_size=alpha,
        x0=[1.0, -1.0],
        replicates=CHAINS.get(ordering, 3),
        seed=seed,
        record=Record(every=every, grad_norm=False),
        threads=1,
    )
    assert run.loss is not None
    return np.asarray(run.loss.mean(axis=0) / problem.constants["sigma"] ** 2)


def mean_squared_gradients(ordering: str, seed: int, *, m: int, n: int, T: int) -> FloatArray:
    """Return the means over the first 1, ..., T epochs of ||grad f(x_t)||^2, for every step of a grid."""
    problem = problems.skewed(m=m, n=n, d=2, kappa=KAPPA, seed=seed)
    means = []
    for step in np.geomspace(2e-3, 0.5, 14) / (n * KAPPA):
        run = simulate(
            problem,
            ordering,
            epochs=T,
            step_size=step,
            x0=[5e-4, -5e-4],  # so close that the best alpha n L is small, and the leading term leads
            seed=seed,
            replicates=1 if ordering == "rr" else 4,  # herded orders remember which one they began with
            record=Record(loss=False),
            threads=1,
        )
        assert run.grad_norm is not None
        squares = (run.grad_norm[:, :-1] ** 2).mean(axis=0)
        means.append(np.cumsum(squares) / np.arange(1, T + 1))
    return np.array(means)


def mean_squared_gradient(ordering: str, seed: int, *, m: int, n: int, T: int) -> float:
    """Return the smallest mean over T epochs of ||grad f(x_t)||^2, over a grid of steps."""
    means = mean_squared_gradients(ordering, seed, m=m, n=n, T=T)
    return _inner_minimum(f"mean squared gradient of {ordering}", means[:, -1].tolist())


def _inner_minimum(name: str, values: list[float]) -> float:
    best = int(np.argmin(values))
    if best in (0, len(values) - 1):
        raise RuntimeError(f"{name}: expected the best step inside the grid; got number {best}")
    return values[best]


def tuned_error(ordering: str, seed: int, *, m: int, n: int, T: int) -> float:
    """Return the smallest error after T epochs over a grid of steps, averaged over the last tenth."""
    errors = []
    for step in STEPS / (n * T):
        tail = _losses(ordering, seed, m=m, n=n, T=T, alpha=step, every=max(1, T // 40))[-5:]
        errors.append(float(tail.mean()))
    return _inner_minimum(f"tuned error of {ordering}", errors)


def error_in(variable: str, ordering: str, rng: Generator, number: int) -> Measured:
    # The tuned step is log(m n T) / (mu n T) up to a constant, and the error its square, of sgd its first
    # power: the logarithm is part of the prediction.
    seed, power = int(rng.integers(2**31)), 1 if ordering == "sgd" else 2
    T = EPOCHS.get(ordering, 800)
    grid: dict[str, list[int]] = {"m": [1, 2, 4, 8], "n": [16, 32, 64], "T": [T // 2, T, 2 * T]}
    errors = []
    for value in grid[variable]:
        sizes = {"m": 2, "n": 16, "T": T} | {variable: value}
        error = tuned_error(ordering, seed, **sizes)
        errors.append(error / np.log(sizes["m"] * sizes["n"] * sizes["T"]) ** power)
    return exponent(grid[variable], errors)


for _ordering in ("sgd", "rr", "d-grab-pair", "cd-grab"):
    for _variable in ("m", "n", "T"):
        slope("tuned error", _ordering, _variable, margin=0.4, slow=True)(
            partial(error_in, _variable, _ordering)
        )


# Examples N = m n of all workers. One worker's pairs are neighbours in its order, and repel: its error is a
# constant larger (note S-slopes), so that powers of m begin at two.
FIXED, DEALT = 128, [2, 4, 8, 16]


def error_at_fixed_n(ordering: str, rng: Generator, number: int) -> Measured:
    seed = int(rng.integers(2**31))
    return exponent(DEALT, [tuned_error(ordering, seed, m=m, n=FIXED // m, T=400) for m in DEALT])


for _ordering in ("rr", "cd-grab"):
    slope("tuned error (fixed N)", _ordering, "m", margin=0.3, seeds=8, slow=True)(
        partial(error_at_fixed_n, _ordering)
    )


WINDOW = 5  # records whose mean must be below the accuracy, so that luck at one moment does not count


def time_to_accuracy(
    ordering: str, seed: int, accuracy: float, *, m: int, n: int, T: int, faster: int = 1
) -> float:
    """Return the fewest epochs, over a grid of steps, after which the error stays below `accuracy`.

    The grid is centred for runs that are `faster` than T epochs by this factor.
    """
    every, times = T // 100, []
    for step in STEPS * faster / (n * T):
        losses = _losses(ordering, seed, m=m, n=n, T=T, alpha=step, every=every)
        means = np.convolve(losses, np.full(WINDOW, 1.0 / WINDOW), mode="valid")
        reached = np.flatnonzero(means <= accuracy)
        times.append(every * (float(reached[0]) + WINDOW / 2) if len(reached) else np.inf)
    return min(times)


def time_in_m(ordering: str, rng: Generator, number: int) -> Measured:
    seed, n, T, sizes = int(rng.integers(2**31)), 16, EPOCHS.get(ordering, 600), [1, 2, 4, 8]
    accuracy = tuned_error(ordering, seed, m=1, n=n, T=T // 2)
    times = [time_to_accuracy(ordering, seed, accuracy, m=m, n=n, T=T, faster=m) for m in sizes]
    return exponent(sizes, times)


for _ordering in ("sgd", "rr", "d-grab-pair", "cd-grab"):
    slope("time to accuracy", _ordering, "m", margin=0.35, slow=True)(partial(time_in_m, _ordering))


def steps_at_fixed_n(ordering: str, rng: Generator, number: int) -> Measured:
    seed, T = int(rng.integers(2**31)), 600
    accuracy = tuned_error(ordering, seed, m=DEALT[0], n=FIXED // DEALT[0], T=T // 2)
    epochs = [time_to_accuracy(ordering, seed, accuracy, m=m, n=FIXED // m, T=T) for m in DEALT]
    return exponent(DEALT, [FIXED // m * time for m, time in zip(DEALT, epochs, strict=True)])


for _ordering in ("rr", "cd-grab"):
    slope("steps to accuracy (fixed N)", _ordering, "m", margin=0.3, seeds=8, slow=True)(
        partial(steps_at_fixed_n, _ordering)
    )


def gradient_in(variable: str, ordering: str, rng: Generator, number: int) -> Measured:
    seed = int(rng.integers(2**31))
    grid: dict[str, list[int]] = {"m": [1, 2, 4, 8], "n": [16, 32, 64], "T": [200, 400, 800]}
    base = {"m": 2, "n": 16, "T": 400}
    means = [mean_squared_gradient(ordering, seed, **base | {variable: v}) for v in grid[variable]]
    return exponent(grid[variable], means)


for _ordering in ("rr", "cd-grab"):
    for _variable in ("m", "n", "T"):
        slope("non-convex bound", _ordering, _variable, margin=0.2, slow=True)(
            partial(gradient_in, _variable, _ordering)
        )


def gradient_time_in_m(ordering: str, rng: Generator, number: int) -> Measured:
    """Fit the times until the mean squared gradient is that of one worker after half of T."""
    seed, n, T, sizes = int(rng.integers(2**31)), 16, 800, [1, 2, 4]
    accuracy = mean_squared_gradient(ordering, seed, m=1, n=n, T=T // 2)
    times = []
    for m in sizes:
        reached = mean_squared_gradients(ordering, seed, m=m, n=n, T=T) <= accuracy
        times.append(1 + int(np.argmax(reached.any(axis=0))))
    return exponent(sizes, times)


for _ordering in ("rr", "cd-grab"):
    slope("non-convex time to accuracy", _ordering, "m", margin=0.3, slow=True)(
        partial(gradient_time_in_m, _ordering)
    )
