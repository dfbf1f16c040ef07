# %% [markdown]
# # 7. Your own ordering, update and problem
#
# Write an ordering in plain NumPy, check it, compile it, give it a problem of your own, and send both through a sweep
# into a speedup plot. Nothing is registered anywhere.

# %%
import os
from typing import NamedTuple

import matplotlib.pyplot as plt
import numba
import numpy as np

import cdgrab_sim as cg
from cdgrab_sim import analysis

plt.ion()  # figures appear under their cells
QUICK = bool(os.environ.get("CDGRAB_QUICK"))

# %% [markdown]
# ## An ordering is three functions
#
# - `init(problem, rng) -> state`, with the first orders in `state.pi`, int64 (m, n);
# - `observe(state, seen)` is shown the epoch piece by piece: `seen.G[r, c]` is the raw gradient of example `seen.at[r, c]` of
#   worker `seen.who[c]` at step `seen.k0 + r`. These are buffers: copy what must outlive the call;
# - `advance(state, rng) -> state` returns the state of the next epoch.
#
# The idea to try: *opposites*. Remember one number per example, its gradient along a direction that all workers share,
# and visit the largest, the smallest, the second largest, ... in turn. It herds one coordinate out of d.


# %%
class State(NamedTuple):
    pi: np.ndarray  # (m, n)
    along: np.ndarray  # (m, n), by example


direction = np.array([1.0, 0.0, 0.0])


def init(problem, rng):
    pi = np.array([rng.permutation(problem.n) for _ in range(problem.m)])
    return State(pi, np.zeros((problem.m, problem.n)))


def observe(state, seen):
    state.along[seen.who, seen.at] = seen.G @ direction


def advance(state, rng):
    falling = np.argsort(-state.along, axis=1, kind="stable")
    pi = np.empty_like(falling)
    half = (falling.shape[1] + 1) // 2
    pi[:, 0::2] = falling[:, :half]
    pi[:, 1::2] = falling[:, half:][:, ::-1]
    return State(pi, state.along)


opposites = cg.Ordering("opposites", init, observe, advance)
problem = cg.problems.skewed(m=4, n=64, d=3, kappa=5.0, seed=0)
record = cg.Record(orders=True, herding=("inf",), grad_norm=False)
arguments = {"epochs": 200, "step_size": 0.4 / (64 * 5.0), "x0": np.ones(3), "record": record}
compared = {"rr": "rr", "opposites": opposites, "cd-grab": "cd-grab"}
runs = {name: cg.simulate(problem, ordering, **arguments) for name, ordering in compared.items()}

orders = {name: run.orders[0, -1] for name, run in runs.items()}
with cg.plots.style():
    fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), dpi=80)
    cg.plots.loss_curves(runs, ax=left)
    cg.plots.herding_profile(problem.data.terms, orders, ax=right)

# %% [markdown]
# ## Is it right?
#
# What every ordering must do, checked on gradients that we make up: its orders are permutations, do not depend on the
# chunks in which the gradients arrive, and keep nothing of the buffer. Then on gradients of a run: we walk the orders of
# a simulated run again, write every gradient down, and `cg.replay`, which is given these gradients and the seed, must
# come to the same orders.


# %%
def stream(problem, run, alpha):
    """Walk the orders of a run again: all its gradients (T, n, m, d), in the order of their visits."""
    x, who, T = np.ones(problem.d), np.arange(problem.m), len(run.orders[0])
    G = np.empty((T, problem.n, problem.m, problem.d))
    for pi, epoch in zip(run.orders[0], G, strict=True):
        for k, g in enumerate(epoch):
            problem.grads(g, x, who, pi[:, k], problem.data)
            x = x - alpha * g.mean(axis=0)
    np.testing.assert_allclose(x, run.x[0])
    return G


def check(ordering, m=3, n=9, d=3, epochs=4):
    G = np.random.default_rng(0).standard_normal((epochs, n, m, d))
    shape = cg.Problem("shape", m=m, n=n, d=d, data=(), grads=None, value=None)

    def decided(chunk):
        rng = np.random.default_rng(1)
        state, found, buffer = ordering.init(shape, rng), [], np.empty((chunk, m, d))
        for epoch in G:
            found.append(state.pi.copy())
            for k0 in range(0, n, chunk):
                part = epoch[k0 : k0 + chunk]
                buffer[: len(part)] = part
                ordering.observe(state, cg.Seen.along(state.pi, k0, buffer[: len(part)]))
                buffer[:] = np.nan  # nothing of it may be needed again
            state = ordering.advance(state, rng)
        return np.array([*found, state.pi])

    whole = decided(n)
    assert whole.dtype == np.int64
    assert (np.sort(whole, axis=2) == np.arange(n)).all(), "an order is no permutation"
    for chunk in (1, 2, 7):
        assert (decided(chunk) == whole).all(), f"orders depend on the chunk {chunk}"

    small, alpha = cg.problems.skewed(m=m, n=n, d=d, seed=0), 1e-3
    arguments = {"epochs": epochs, "step_size": alpha, "x0": np.ones(d), "record": cg.Record(orders=True)}
    run = cg.simulate(small, ordering, seed=5, **arguments)
    replayed = cg.replay(stream(small, run, alpha), ordering, seed=5)
    assert (replayed.orders == run.orders[0]).all(), "a replay over the gradients of a run gives other orders"


check(opposites)
check(cg.orderings.cd_grab())  # the built-in ones pass as well
print("opposites keeps the rules")

# %% [markdown]
# ## Compiled
#
# The loop over steps and workers is Python. Move it into a function of arrays and compile that; the record stays.


# %%
@numba.njit
def remember(along, at, G, direction):
    for k in range(G.shape[0]):
        for i in range(G.shape[1]):
            total = 0.0
            for p in range(G.shape[2]):
                total += G[k, i, p] * direction[p]
            along[i, at[k, i]] = total


def observe_fast(state, seen):
    remember(state.along, seen.at, seen.G, direction)


compiled = cg.Ordering("opposites", init, observe_fast, advance)
check(compiled)
fast = cg.simulate(problem, compiled, **arguments)
print("same orders as in NumPy:", bool((fast.orders == runs["opposites"].orders).all()))

# %% [markdown]
# ## An update is one function
#
# `step(it, g, alpha, u)` moves the iterates along the mean gradient `g` of all workers; `it.x` is the server's iterate, `it.S` holds what else is
# remembered in vectors, `it.p` numbers. Orderings see the raw gradients as before. Here: steps along the signs of a running mean.


# %%
def init_update(x0, problem):
    return cg.updates.iterates(x0, [0.9], vectors=1)


@numba.njit
def step(it, g, alpha, u):
    for q in range(g.shape[0]):
        it.S[0, q] = it.p[0] * it.S[0, q] + (1.0 - it.p[0]) * g[q]
        it.x[q] -= alpha * np.sign(it.S[0, q])


signs = cg.Update("signs of momentum", init_update, step)
falling = arguments | {"step_size": lambda t: 0.02 / (1 + t)}
for name in ("rr", "cd-grab"):
    run = cg.simulate(problem, name, update=signs, **falling)
    print(f"{name:8} loss {run.loss[0, 0]:.3f} -> {run.loss[0, -1]:.1e}")
    assert run.loss[0, -1] < 1e-3 * run.loss[0, 0]

# %% [markdown]
# ## A problem is two functions
#
# `grads(out, x, who, idx, data)` writes row by row the gradient of example `idx[r]` of worker `who[r]`; `value(x, data)` is
# the mean loss. Here: smoothed absolute values, $f_{ij}(x) = \sum_p \sqrt{1 + (x_p - b_{ijp})^2}$. Compiled with numba it runs
# at the speed of the built-in ones; without the decorator it runs all the same.


# %%
@numba.njit
def grads(out, x, who, idx, data):
    b = data[0]
    for r in range(out.shape[0]):
        for p in range(out.shape[1]):
            u = x[p] - b[who[r], idx[r], p]
            out[r, p] = u / np.sqrt(1.0 + u * u)


def value(x, data):
    return float(np.sqrt(1.0 + (x - data[0]) ** 2).sum(axis=2).mean())


def smooth_absolute(*, m=4, n=64, d=3, seed=0):
    b = np.random.default_rng(seed).standard_normal((32, n, d))[:m]  # worker i's data do not depend on m
    return cg.Problem(
        "smooth-absolute", m=m, n=n, d=d, data=(b,), grads=grads, value=value, constants={"L": 1.0}
    )


mine = smooth_absolute()
rng = np.random.default_rng(0)
x, h = rng.standard_normal(3), 1e-6
who, idx = np.repeat(np.arange(mine.m), mine.n), np.tile(np.arange(mine.n), mine.m)
out = np.empty((mine.m * mine.n, 3))
mine.grads(out, x, who, idx, mine.data)
slopes = [(mine.value(x + h * e, mine.data) - mine.value(x - h * e, mine.data)) / (2 * h) for e in np.eye(3)]
print(f"gradient against finite differences: {np.abs(out.mean(axis=0) - slopes).max():.0e}")

# %% [markdown]
# ## A sweep, and a speedup plot
#
# Both go by name into a grid of runs; with `store="runs.sqlite"` it would survive interruption, with `jobs=None` use all
# cores.

# %%
workers, seeds = ([1, 2, 4], [0, 1, 2]) if QUICK else ([1, 2, 4, 8], list(range(6)))
epochs = 600 if QUICK else 1500
study = cg.sweep(
    fixed={"problem": "smooth-absolute", "epochs": epochs, "step_size": 0.3 / 64, "x0": [0.0, 0.0, 0.0]},
    grid={"ordering": ["rr", "opposites", "cd-grab"], "m": workers, "seed": seeds},
    problems={"smooth-absolute": smooth_absolute},
    orderings={"opposites": compiled},
)
print(study)


def gradient_floor(name, m):
    """Mean squared gradient in the second half, one value per seed: the minimum of this f has no formula."""
    norms = study.curves("grad_norm", ordering=name, m=m)[:, epochs // 2 :]
    return (norms**2).mean(axis=1)


names = ("rr", "opposites", "cd-grab")
floors = {name: np.array([gradient_floor(name, m) for m in workers]).T for name in names}
with cg.plots.style():
    fig, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.6), dpi=80)
    cg.plots.rate_plot(workers, floors, xlabel="workers m", ylabel="floor of the squared gradient", ax=left)
    cg.plots.speedup_plot(workers, floors, ylabel="floor at m = 1 / floor at m", ax=right)
found = {name: analysis.rate(workers, table).slope for name, table in floors.items()}
print({name: round(slope, 2) for name, slope in found.items()})

# %% [markdown]
# ## Headline
#
# A plain NumPy ordering is a full citizen: it passes the checks, gives the same orders compiled, and runs in a sweep on
# a problem of your own. As an idea it is poor: it herds one coordinate only, and once it has found its order it stands
# still, so that its floor is a bias, above even that of random reshuffling. (CD-GraB gains more than m² here: near its
# minimum this f is almost a quadratic.)

# %%
assert (fast.orders == runs["opposites"].orders).all()
np.testing.assert_allclose(out.mean(axis=0), slopes, atol=1e-8)
assert study.status()["completed"] == len(names) * len(workers) * len(seeds)
assert floors["opposites"].mean() > floors["rr"].mean()
assert floors["cd-grab"].mean() < 0.5 * floors["rr"].mean()
assert found["cd-grab"] < found["rr"] - 0.3
