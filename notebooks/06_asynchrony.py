# %% [markdown]
# # 6. Asynchrony
#
# Without a barrier every worker reads the iterate, computes, and hands its gradient in whenever it is done. A gradient
# that arrives *delay* updates late was computed at an old point. Three questions: which delays come about, what they do
# to the step size, and, less obvious, *which examples* such a method really trains on when some take longer than others.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np

import cdgrab_sim as cg
from theory.asynchrony import effective_laws, fixed_delay

plt.ion()  # figures appear under their cells
QUICK = bool(os.environ.get("CDGRAB_QUICK"))
times = cg.asynchronous.job_times

# %% [markdown]
# ## Delays have a mean that nobody can change
#
# m workers, each with one job at a time. While a job is under way others arrive; count them all, and the delays of
# everything that is applied average m − 1, up to the start, *whatever* the times are: equal, random, or one worker a
# hundred times slower. What the times decide is how the delays spread.

# %%
m, updates = 8, 4000 if QUICK else 20000
problem = cg.problems.quadratic(m=1, n=100, d=2, seed=0)
models = {
    "equal": times.fixed(1.0),
    "exponential": times.exponential(1.0),
    "heavy tails": times.pareto(1.5),
    "one slow worker": times.fixed([1.0] * 7 + [100.3]),
}
delays = {}
with cg.plots.style():
    fig, ax = plt.subplots(figsize=(5.5, 3.6), dpi=80)
    for (name, model), dashes in zip(models.items(), ("-", "--", ":", "-."), strict=True):
        run = cg.simulate_async(
            problem, "vanilla", workers=m, job_times=model, updates=updates, step_size=1e-4, drain=True
        )
        delays[name] = run.mean_delay
        share = np.cumsum(run.delays[::-1])[::-1] / run.delays.sum()
        ax.loglog(np.arange(1, len(share)), share[1:], dashes, label=f"{name}, mean {run.mean_delay:.3f}")
    ax.set(xlabel="delay", ylabel="share of gradients at least as late")
    ax.legend(loc="lower left")

# %% [markdown]
# ## Delay costs step size
#
# With equal workers the delay is always m − 1, and on a quadratic with curvature λ each coordinate follows
#
# $$e_{k+1} = e_k - \alpha \lambda \, e_{k-\tau}, \qquad \text{stable exactly for} \quad \alpha \lambda < 2 \sin \frac{\pi}{2 (2 \tau + 1)}.$$
#
# We look for the limit by experiment: the largest step at which one noiseless coordinate still shrinks.

# %%
still = cg.problems.quadratic(m=1, n=4, d=1, eigenvalues=[1.0], sigma=0.0, seed=0)


def shrinks(alpha, workers):
    run = cg.simulate_async(
        still,
        "vanilla",
        workers=workers,
        updates=400 * workers,
        step_size=alpha,
        x0=still.x_star + 1.0,
        record=cg.asynchronous.AsyncRecord(every=10 * workers),
    )
    loss = run.loss - still.f_star
    return bool(np.isfinite(loss).all() and loss[-10:].max() < loss[:10].max())


def limit_by_bisection(workers):
    low, high = 0.0, 2.5
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if shrinks(middle, workers) else (low, middle)
    return low


crew = [1, 2, 3, 5, 9, 17]
measured = [limit_by_bisection(workers) for workers in crew]
predicted = [fixed_delay.stability_limit(workers - 1) for workers in crew]

with cg.plots.style():
    fig, ax = plt.subplots(figsize=(5.5, 3.6), dpi=80)
    ax.loglog(crew, predicted, color="0.5", label="2 sin(π / (2 (2τ + 1)))")
    ax.loglog(
        crew, measured, color=cg.plots.look("cd-grab")["color"], marker="*", linestyle="", label="simulated"
    )
    ax.set(xlabel="workers, τ = m − 1", ylabel="largest stable αλ")
    ax.legend()
print("measured / predicted:", np.round(np.array(measured) / predicted, 3))

# %% [markdown]
# ## What does it train on?
#
# Let a fifth of the examples take 15 times as long. Vanilla asynchronous SGD applies every gradient, late or not, and
# still weighs all examples alike. A rule that *drops* what is older than m updates drops just these examples; one that
# shrinks the step of late gradients shrinks theirs. They minimise another function:

# %%
n, workers = 100, 64
slow = np.arange(n) < n // 5
uneven = times.two_classes(slow, ratio=15.3)
shares = np.array([0.2, 0.8])
by_class = np.array([15.3, 1.0])
laws = {
    "vanilla": shares[0],
    "delay-adaptive": effective_laws.delay_adaptive(shares, by_class)[0],
    "drop-by-age": effective_laws.drop_older_than_m(shares, by_class)[0],
}
updates = 10000 if QUICK else 40000
trained, controls = {}, {}
for name in laws:
    arguments = {"workers": workers, "updates": updates, "step_size": 1e-4}
    run = cg.simulate_async(problem, name, job_times=uneven, **arguments)
    trained[name] = float(run.law[0, slow].sum())
    shuffled = cg.simulate_async(problem, name, job_times=times.shuffled(uneven), **arguments)
    controls[name] = float(shuffled.law[0, slow].sum())

with cg.plots.style():
    fig, ax = plt.subplots(figsize=(5.5, 3.6), dpi=80)
    places = np.arange(len(laws))
    ax.bar(
        places - 0.2,
        list(trained.values()),
        0.35,
        label="slow examples",
        color=cg.plots.look("cd-grab")["color"],
    )
    ax.bar(places + 0.2, list(controls.values()), 0.35, label="times shuffled over examples", color="0.7")
    ax.plot(places - 0.2, list(laws.values()), "k_", markersize=22, label="predicted")
    ax.set(
        xticks=places,
        xticklabels=list(laws),
        ylabel="share in training of a fifth of the data",
        ylim=(0.0, 0.3),
    )
    ax.legend()
for name, law in laws.items():
    print(f"{name:15} measured {trained[name]:.4f}  predicted {law:.4f}  times shuffled {controls[name]:.4f}")

# %% [markdown]
# The control gives the same times to other examples, job by job: the bias disappears. So it is not lateness that hurts
# but lateness that *depends on the example*.
#
# ## Headline
#
# The mean delay is m − 1 for everyone; the stable step shrinks like 1/m; rules that punish lateness punish examples.

# %%
assert all(abs(mean - (m - 1)) < 0.02 for mean in delays.values())
np.testing.assert_allclose(measured, predicted, rtol=0.02)
assert all(abs(trained[name] - law) < 0.02 for name, law in laws.items())
assert trained["drop-by-age"] < 0.01
assert trained["delay-adaptive"] < 0.1
assert all(abs(share - 0.2) < 0.02 for share in controls.values())
