# %% [markdown]
# # 6. Asynchrony: what it really trains on
#
# Workers compute gradients at their own pace; the server applies each one when it arrives, however late. If
# slow gradients come from particular examples, lateness is not noise: it has a direction. This notebook follows
# one question, *which examples does a method train on?*, from a single job to the optimum that is reached.
#
# Everything here is simulated in one process, deterministic for a seed, and beside each measurement stands a
# prediction that was derived, not fitted (`theory/notes/A*.md`).

# %%
import os

import matplotlib.pyplot as plt
import numpy as np

import cdgrab_sim as cg
from cdgrab_sim.asynchronous import AsyncRecord, ball, job_times, methods
from theory.asynchrony import effective_laws, exact_laws, renewal

plt.ion()  # figures appear under their cells
QUICK = bool(os.environ.get("CDGRAB_QUICK"))  # smaller sizes, for the test suite
UPDATES = 20_000 if QUICK else 100_000

# %% [markdown]
# ## Delay is conserved
#
# A job reads the iterate at counter $k_r$ and is applied at counter $k$; its delay is $\tau = k - k_r$. With
# $m$ workers the delays sum to $(m-1)$ per update, whatever the times: making one worker faster only moves delay
# to the others. The spread is another matter.

# %%
problem = cg.problems.quadratic(m=1, n=600, d=1, seed=0)
m = 16
models = {
    "equal": job_times.fixed(),
    "exponential": job_times.exponential(),
    "Pareto, tail 1.5": job_times.pareto(1.5),
    "on and off": job_times.on_off(20.0, 20.0, base=job_times.exponential()),
}
fig, ax = plt.subplots(figsize=(7, 3))
mean_delay = {}
for name, times in models.items():
    run = cg.simulate_async(problem, "vanilla", workers=m, job_times=times, updates=UPDATES, step_size=1e-3)
    mean_delay[name] = run.mean_delay
    ax.plot(run.delays / run.delays.sum(), label=f"{name}: mean {run.mean_delay:.1f}")
ax.set(xlim=(0, 80), yscale="log", ylim=(1e-5, 2), xlabel="delay", ylabel="share of updates")
ax.legend()

# %% [markdown]
# (The heavy tail falls a little short of 15: the delays of jobs that are still in flight belong to the sum.)
#
# ## Slow examples: what arrives, and what is on the way
#
# Now let the time depend on the example: four classes, in ticks of the clock. Every job that is drawn arrives,
# so the *arriving* stream has the law of the data. But at any moment the workers are busy with what takes long:
# the law *in flight* is proportional to time times probability.

# %%
share, ticks = np.array([0.5, 0.2, 0.1, 0.2]), np.array([10, 19, 43, 103])
classes = np.repeat(np.arange(4), (600 * share).astype(int))
slow_times = job_times.by_example(ticks[classes])


def by_class(law):
    """Sum a law over the examples of each class."""
    return np.bincount(classes, weights=law[0])


def train(method, workers=m, times=slow_times, **options):
    """Run a method on the quadratic, for `UPDATES` updates."""
    options = {"updates": UPDATES, "step_size": 1e-5} | options
    return cg.simulate_async(problem, method, workers=workers, job_times=times, **options)


run = train("vanilla")
arriving, flying = by_class(run.law), by_class(run.in_flight_law)
for name, measured, predicted in (
    ("arriving", arriving, share),
    ("in flight", flying, renewal.in_flight_law(share, ticks)),
):
    print(f"{name:10s} measured {measured.round(3)}   predicted {predicted.round(3)}")

# %% [markdown]
# ## Dropping what is late drops the slow
#
# A common rule drops gradients with $\tau > m$; another shrinks their steps by $m/\tau$. The delay of a job on
# example $z$ is about $m\,s_z/\bar s$, so the first rule keeps exactly what is faster than average: here the
# third class, a quarter slower than average, and the fourth fade away as $m$ grows. For finite $m$ the law is
# known exactly (note A9). "Rennala" collects a batch at one point and restarts all workers: what has not arrived is lost.

# %%
sizes = [4, 8, 16, 32, 64, 128]
rules = {
    "drop-by-age": lambda tau, m: tau <= m,
    "delay-adaptive": lambda tau, m: m / np.maximum(tau, m),
}
slower = ticks > share @ ticks
fig, ax = plt.subplots(figsize=(7, 3))
gaps = []
for color, (name, weight) in zip(("C0", "C1"), rules.items(), strict=True):
    exact = [
        exact_laws.weighted_by_delay(share, ticks, w, lambda tau, w=w, f=weight: f(tau, w)) for w in sizes
    ]
    measured = [by_class(train(name, workers=w).law) for w in sizes]
    gaps += [np.abs(a - b).max() for a, b in zip(exact, measured, strict=True)]
    ax.plot(sizes, [law[slower].sum() for law in exact], color=color)
    ax.plot(sizes, [law[slower].sum() for law in measured], "o", color=color, label=name)
left = by_class(train("drop-by-age", workers=128).law)[slower].sum()
ax.axhline(share[slower].sum(), color="0.7", label="share of the data")
ax.set(xscale="log", xlabel="workers", ylabel="share of all slower than average")
ax.legend()
print(f"slower than average: {share[slower].sum():.0%} of the data, {left:.2%} of what 128 workers train on")
print("limit of many workers:", effective_laws.drop_older_than_m(share, ticks).round(3))

# %% [markdown]
# ## Where training ends
#
# A changed law moves the optimum. In the worst case the slow examples pull in one direction: below, the fifth
# of the examples with the largest gradients along the principal direction at $x^*$ is 15 times slower. All
# methods get the same simulated time. Those that keep every gradient reach $x^*$; the others stop at the optimum
# of the law that they really trained on, and a smaller step does not help.

# %%
regression = cg.problems.least_squares(m=1, n=500, d=4, seed=1)
times = job_times.by_gradient(0.2, 15.0)
until = 1500.0 if QUICK else 10_000.0
smoothness = np.mean(np.sum(regression.data[0] ** 2, axis=-1))


def optimum(weights):
    """Return the minimiser of a weighted sum of the quadratic losses, from gradients alone."""
    points = np.vstack([np.zeros(4), np.eye(4)])
    at = np.array([weights @ job_times.example_gradients(regression, x)[0] for x in points])
    return np.linalg.solve((at[1:] - at[0]).T, -at[0])


def excess(x):
    """Return f(x) - f*."""
    return regression.value(x, regression.data) - regression.f_star


def reach(method, times, scale=1.0, **options):
    """Return the excess loss of the late average, and that of the optimum of the realised law."""
    run = cg.simulate_async(
        regression, method, workers=m, job_times=times, until=until, step_size=0.04 * scale / smoothness,
        record=AsyncRecord(interval=until / 400, trajectory=True, loss=False), **options,
    )  # fmt: skip
    return excess(run.trajectory[200:].mean(axis=0)), excess(optimum(run.law[0]))


contest = {
    "vanilla": ("vanilla", {}),
    "vanilla, queue": ("vanilla", {"order": "rr"}),
    "heavy ball, ordered*": ("ordered-momentum-heavy-ball", {"scale": 0.1}),
    "mini-batch": ("mini-batch", {"scale": 8.0}),
    "delay-adaptive": ("delay-adaptive", {}),
    "drop by age": ("drop-by-age", {}),
    "Ringmaster, R = 8": (methods.ringmaster(8), {}),
    "Rennala, S = 16": (methods.rennala(16), {"scale": 8.0}),
}
ends = {name: reach(method, times, **options) for name, (method, options) in contest.items()}
control = reach("drop-by-age", job_times.shuffled(times, seed=1))
fig, ax = plt.subplots(figsize=(7, 3.2))
for row, (end, own) in enumerate(ends.values()):
    ax.plot(end, row, "o", color="C0")
    ax.plot(own, row, "|", color="black", markersize=14)
ax.set_yticks(range(len(ends)), ends)
ax.invert_yaxis()
ax.set(xscale="log", xlabel="f - f* reached (dots), and of the optimum of the realised law (bars)")
print("*", methods.ordered_heavy_ball().provenance)
print(f"drop by age: {ends['drop by age'][0]:.3f}; same times, shuffled among examples: {control[0]:.4f}")

# %% [markdown]
# The last line is the control: the same times, permuted across examples, drop as many gradients and do no such
# harm. It is the dependence that hurts, not the lateness.
#
# ## The end of a run is a choice
#
# The server's iterate is unbiased for every method that keeps all gradients. Let the jobs in flight arrive first
# and it is not: they are length-biased, so the drained iterate sits at $x^* - \alpha (m-1)\,E_{lb}[g]$.

# %%
alpha, noisy = 0.002, cg.problems.quadratic(m=1, n=200, d=1, seed=3)
pulling = job_times.by_gradient(0.2, 10.0)
g = job_times.example_gradients(noisy, noisy.x_star)[0]
uniform = np.full(200, 1 / 200)
offset = -alpha * renewal.mean_in_flight_sum(uniform, pulling.example(noisy)[0], g, m)[0]
servers, virtual = [], []
for seed in range(4 if QUICK else 16):
    record = AsyncRecord(every=m, virtual=True, trajectory=True, loss=False)
    run = cg.simulate_async(
        noisy, "vanilla", workers=m, job_times=pulling, updates=UPDATES, step_size=alpha, seed=seed,
        x0=noisy.x_star, record=record,
    )  # fmt: skip
    late = slice(len(run.virtual) // 5, None)
    servers.append(run.trajectory[late].mean() - noisy.x_star[0])
    virtual.append(run.virtual[late].mean() - noisy.x_star[0])
error = np.std(virtual, ddof=1) / len(virtual) ** 0.5
print(f"drained:  offset {np.mean(virtual):+.4f} ± {error:.4f}, predicted {offset:+.4f}")
print(f"server's: offset {np.mean(servers):+.4f} ± {error:.4f}, predicted 0")

# %% [markdown]
# ## Your own rule
#
# A method is a few lines of plain NumPy. This one shrinks steps with the delay, inside a ball.

# %%


def init(x0, workers, step_size):
    """Remember nothing but the step size."""
    nothing = np.zeros((0, len(x0)))
    return cg.asynchronous.MethodState(nothing, nothing, np.zeros(0, dtype=np.int64), np.array([step_size]))


def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
    """Apply the gradient with the weight 1 / (1 + delay)."""
    weight = 1.0 / (1 + k - k_r)
    x -= p[0] * weight * G[0]
    return cg.asynchronous.Flow.ADVANCE, weight


shrinking = cg.asynchronous.Method("shrinking", init, arrive)
run = train(shrinking, updates=3000, projection=ball(1.0))
print("classes:", by_class(run.law).round(3), " data:", share)

# %% [markdown]
# ## Headline
#
# Rules that drop or shrink late gradients forget slow examples, by exactly the predicted amount, and stop at another
# optimum; methods that keep every gradient do not.

# %%
assert abs(mean_delay["equal"] - (m - 1)) < 0.1, "delay is conserved"
np.testing.assert_allclose(arriving, share, atol=0.015)
np.testing.assert_allclose(flying, renewal.in_flight_law(share, ticks), atol=0.02)
assert max(gaps) < (0.02 if QUICK else 0.01), "exact laws of rules by age"
assert left < 0.02, "everything slower than average vanishes"
worst_keeping = max(ends[name][0] for name in list(ends)[:4])
best_discarding = min(ends[name][0] for name in list(ends)[4:])
assert worst_keeping < 0.5 * best_discarding, "keeping beats discarding"
assert control[0] < 0.2 * ends["drop by age"][0], "without dependence no bias"
assert abs(np.mean(virtual) - offset) < 5 * error < abs(offset), "the drained iterate is off as predicted"
