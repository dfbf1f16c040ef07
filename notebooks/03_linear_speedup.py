# %% [markdown]
# # 3. Linear speedup in workers
#
# m workers take a step together: $x \leftarrow x - \alpha \frac1m \sum_i g_i$. More workers see more examples per epoch. What
# does the order make of it? The same claim in five forms, each a slope with an interval over seeds beside the slope
# that theory predicts:
#
# | form | random reshuffling | workers by themselves | CD-GraB |
# |---|---|---|---|
# | herding error, not divided by m | $m^{1/2}$ | $m^{1/2}$ | $m^0$ |
# | herding error of the *mean* gradient, divided by m | $m^{-1/2}$ | $m^{-1/2}$ | $m^{-1}$ |
# | floor of the loss at a fixed step size | $m^{-1}$ | $m^{-1}$ | $m^{-2}$ |
# | error after T epochs, step size tuned | $m^{-1}$ | $m^{-1}$ | $m^{-2}$ |
# | epochs to a given accuracy, step size tuned | $m^{-1/2}$ | $m^{-1/2}$ | $m^{-1}$ |
#
# The last line is why the claim is called *linear speedup*: with CD-GraB twice the workers need half the epochs.

# %%
import os
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import cdgrab_sim as cg
from cdgrab_sim import analysis
from theory import slopes

plt.ion()  # figures appear under their cells
QUICK = bool(os.environ.get("CDGRAB_QUICK"))
names = ("rr", "d-grab-pair", "cd-grab")
seeds = range(6)

# %% [markdown]
# ## Herding form
#
# Vectors that do not move, in 8 dimensions: the plateau of the error after some rounds.

# %%
n, rounds, workers = (64, 10, [1, 2, 4, 8]) if QUICK else (128, 14, [1, 2, 4, 8, 16])


def plateau(name, m, seed):
    z = cg.problems.skewed(m=m, n=n, d=8, seed=seed).data.terms
    errors = cg.herding.curve(z, name, rounds, seed=seed)
    return errors[1:].mean() if name == "rr" else errors[-5:].mean()


herding = {name: np.array([[plateau(name, m, seed) for m in workers] for seed in seeds]) for name in names}


def judged(quantity, x, values, margins):
    """Print a slope per ordering, with its interval and its prediction, and return the verdicts."""
    print(f"{quantity}, exponent in m")
    verdicts = {}
    for name, table in values.items():
        found = slopes.predicted(quantity, name, "m")
        answer = analysis.verdict(analysis.rate(x, table).slopes, found.value, margins)
        verdicts[name] = answer
        interval = f"[{answer.ci_low:+.2f}, {answer.ci_high:+.2f}]"
        print(f"{name:12} {answer.measured:+.2f}  {interval}  predicted {found.value:+g}: {answer.verdict}")
    return verdicts


herding_verdicts = judged("herding error", workers, herding, 0.15)
assert all(answer.verdict == "agrees" for answer in herding_verdicts.values())

with cg.plots.style():
    fig, ax = plt.subplots(figsize=(5.5, 4.6), dpi=80)
    cg.plots.rate_plot(
        workers,
        herding,
        xlabel="workers m",
        ylabel="parallel herding error (not divided by m)",
        slopes=[0.5],
        ax=ax,
    )
# %% [markdown]
# CD-GraB's error does not see how many workers there are: one running sum serves them all. Divided by m, as the step
# divides the gradients, it falls like 1/m, that of the others like $1/\sqrt m$.
#
# ## Floor form
#
# Now let SGD run at a fixed step size until the loss falls no further. The floor goes with the square of the error above.

# %%
floor_workers, epochs = ([1, 2, 4], 3000) if QUICK else ([1, 2, 4, 8, 16], 8000)
record = cg.Record(grad_norm=False, distance=False)


def floor(name, m, seed):
    problem = cg.problems.skewed(m=m, n=64, d=3, kappa=20.0, seed=seed)
    step_size = 0.05 / (problem.n * problem.constants["L"])
    run = cg.simulate(problem, name, epochs=epochs, step_size=step_size, seed=seed, record=record)
    return run.loss[0, epochs // 2 :].mean() - problem.f_star


floors = {name: np.array([[floor(name, m, seed) for m in floor_workers] for seed in seeds]) for name in names}
floor_verdicts = judged("floor", floor_workers, floors, 0.35)

with cg.plots.style():
    fig, ax = plt.subplots(figsize=(5.5, 4.6), dpi=80)
    cg.plots.rate_plot(
        floor_workers, floors, xlabel="workers m", ylabel="f − f*, fixed step size", slopes=[-1, -2], ax=ax
    )
# %% [markdown]
# ## Tuned error and time to accuracy
#
# A fixed step size is unfair to someone. So give every ordering, every m and every seed the step size that suits it best,
# and ask what users ask: how small is the error after T epochs, and how many epochs does it take to get below ε?
#
# The tuned step is about $\log(\cdot) / (\mu n T)$, and the error is proportional to its square. That logarithm bends the
# line, so we divide the error by $(\alpha \mu n T)^2$ before a slope is fitted.

# %%
n, T, horizon, accuracy = 32, 200 if QUICK else 400, 400, 3e-6
tuned_workers, timed_workers = ([1, 2, 4], [2, 4, 8]) if QUICK else ([1, 2, 4, 8], [1, 2, 4, 8])


def losses(problem, name, step_size, seed, epochs):
    """f - f_star at the ends of the epochs, from (1, ..., 1)."""
    arguments = {"epochs": epochs, "step_size": step_size, "x0": np.ones(3), "seed": seed, "record": record}
    return cg.simulate(problem, name, **arguments).loss[0] - problem.f_star


def small(m, seed):
    return cg.problems.skewed(m=m, n=n, d=3, kappa=10.0, seed=seed)


def tuned_error(name, m, seed):
    """The mean error of the last five epochs at the best step size, over (alpha mu n T)^2; mu is 1."""
    problem = small(m, seed)
    best = analysis.tune(
        lambda alpha: losses(problem, name, alpha, seed, T)[-5:].mean(), 2 / (n * T), 64 / (n * T)
    )
    return best.error / (best.step_size * n * T) ** 2


def epochs_needed(name, m, seed):
    """The fewest epochs after which the mean of five errors is below the accuracy, over all step sizes."""
    problem = small(m, seed)
    return analysis.tune(
        lambda alpha: analysis.time_to(losses(problem, name, alpha, seed, horizon), accuracy, window=5),
        0.01 / n,
        1.28 / n,
    ).error


def table(measure, workers):
    return {name: np.array([[measure(name, m, seed) for m in workers] for seed in seeds]) for name in names}


tuned = table(tuned_error, tuned_workers)
times = table(epochs_needed, timed_workers)
tuned_verdicts = judged("tuned error", tuned_workers, tuned, 0.3)
time_verdicts = judged("time to accuracy", timed_workers, times, 0.2)

with cg.plots.style():
    fig, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.6), dpi=80)
    cg.plots.rate_plot(
        tuned_workers,
        tuned,
        xlabel="workers m",
        ylabel=f"tuned error after {T} epochs / (αμnT)²",
        slopes=[-1, -2],
        ax=left,
    )
    cg.plots.speedup_plot(
        timed_workers,
        times,
        gains=[0.5, 1],
        ylabel=f"epochs at m = {timed_workers[0]} / epochs at m",
        ax=right,
    )
    right.set_title(f"epochs to f − f* ≤ {accuracy:g}, step size tuned")
# %% [markdown]
# ## One worker with all the data
#
# Would it be better to bring all N examples to one worker and let GraB order them? An epoch of that worker has N steps,
# one of m workers with N / m examples each only N / m. At a fixed N the error after T epochs does not depend on m, so the
# number of *sequential steps* $K = nT$ to an accuracy falls like 1/m (up to a logarithm: we fit $K / \log K$). CD-GraB pays
# no price for the distribution.

# %%
N, shared_accuracy = (128, 1e-6) if QUICK else (256, 2e-7)
crew = [1, 4, 16]


def steps_needed(name, m, seed):
    """Sequential steps to the accuracy when N examples are dealt to m workers."""
    together = cg.problems.skewed(m=1, n=N, d=3, kappa=10.0, seed=seed)
    examples, *rest = together.data
    dealt = replace(together, m=m, n=N // m, data=(examples.reshape(m, N // m, 3), *rest))

    def epochs(step_size):
        errors = losses(dealt, name, step_size, seed, 200)
        return analysis.time_to(errors, shared_accuracy, window=5)

    return dealt.n * analysis.tune(epochs, 0.01 / dealt.n, 1.28 / dealt.n).error


central = np.array([steps_needed("grab", 1, seed) for seed in seeds])
shared = np.array([[steps_needed("cd-grab", m, seed) for m in crew] for seed in seeds])
steps_verdicts = judged("steps to accuracy (fixed N)", crew, {"cd-grab": shared / np.log(shared)}, 0.2)
gain = central / shared[:, -1]
low, high = np.exp(analysis.t_interval(np.log(gain)))
print(f"{crew[-1]} workers need {gain.mean():.0f} times fewer steps than GraB, 95 % [{low:.0f}, {high:.0f}]")

with cg.plots.style():
    fig, ax = plt.subplots(figsize=(5.5, 4.6), dpi=80)
    cg.plots.rate_plot(
        crew,
        {"cd-grab": shared},
        xlabel=f"workers m, N = {N} examples in all",
        ylabel=f"sequential steps to f − f* ≤ {shared_accuracy:g}",
        slopes=[-1],
        ax=ax,
    )
    ax.axhline(central.mean(), color=cg.plots.look("grab")["color"], linestyle="--", label="grab, one worker")
    ax.legend(title="slope [95 % interval]", title_fontsize=8)
# %% [markdown]
# ## Headline
#
# Random reshuffling and workers by themselves gain a factor m in the loss, coordinated workers m²; half the epochs for
# twice the workers; and m workers take about m times fewer steps than GraB on one worker that has everything.

# %%
for verdicts in (floor_verdicts, tuned_verdicts, time_verdicts, steps_verdicts):
    assert all(answer.verdict != "disagrees" for answer in verdicts.values())
for verdicts in (herding_verdicts, floor_verdicts, tuned_verdicts, time_verdicts):
    assert verdicts["cd-grab"].ci_high < verdicts["rr"].ci_low
assert floor_verdicts["cd-grab"].measured < -1.6
assert tuned_verdicts["cd-grab"].measured < -1.6
assert time_verdicts["cd-grab"].measured < -0.75
assert 0.5 * crew[-1] < gain.mean() < 2.0 * crew[-1]
