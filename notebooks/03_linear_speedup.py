# %% [markdown]
# # 3. Linear speedup in workers
#
# m workers take a step together: $x \leftarrow x - \alpha \frac1m \sum_i g_i$. More workers see more examples per epoch. What
# does the order make of it? Three forms of the same claim, each a slope with an interval over seeds beside the slope
# that theory predicts:
#
# | form | random reshuffling | workers by themselves | CD-GraB |
# |---|---|---|---|
# | herding error, not divided by m | $m^{1/2}$ | $m^{1/2}$ | $m^0$ |
# | herding error of the *mean* gradient, divided by m | $m^{-1/2}$ | $m^{-1/2}$ | $m^{-1}$ |
# | floor of the loss at a fixed step size | $m^{-1}$ | $m^{-1}$ | $m^{-2}$ |

# %%
import os

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
    z = cg.problems.skewed(m=m, n=n, d=8, seed=seed).data[0]
    errors = cg.herding.curve(z, name, rounds, seed=seed)
    return errors[1:].mean() if name == "rr" else errors[-5:].mean()


herding = {name: np.array([[plateau(name, m, seed) for m in workers] for seed in seeds]) for name in names}


def judged(quantity, x, values, margins):
    """Print a slope per ordering, with its interval and its prediction, and return the verdicts."""
    verdicts = {}
    for name, table in values.items():
        found = slopes.predicted(quantity, name, "m")
        answer = analysis.verdict(analysis.rate(x, table).slopes, found.value, margins)
        verdicts[name] = answer
        interval = f"[{answer.ci_low:+.2f}, {answer.ci_high:+.2f}]"
        print(f"{name:12} {answer.measured:+.2f}  {interval}  predicted {found.value:+g}: {answer.verdict}")
    return verdicts


herding_verdicts = judged("herding error", workers, herding, 0.15)

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
# Now let SGD run at a fixed step size until the loss falls no further. The floor is a square of the error above.

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
# ## One worker with all the data
#
# Would it be better to bring all examples to one worker? At equal numbers of *updates* the single worker has m times
# as many, smaller steps; its herding error, about that of CD-GraB, is not divided by anything. CD-GraB pays no price
# for the distribution:

# %%
m = workers[-1]
together, apart = [], []
for seed in seeds:
    z = cg.problems.skewed(m=m, n=n, d=8, seed=seed).data[0]
    together.append(cg.herding.curve(z.reshape(m * n, 8), "cd-grab", rounds, seed=seed)[-5:].mean())
    apart.append(cg.herding.curve(z, "cd-grab", rounds, seed=seed)[-5:].mean())
ratio = np.mean(apart) / np.mean(together)
print(
    f"herding error, {m} workers {np.mean(apart):.2f}, one worker with all examples {np.mean(together):.2f}"
)

# %% [markdown]
# ## Headline
#
# Random reshuffling and workers by themselves gain a factor m in the loss, coordinated workers m².

# %%
assert all(answer.verdict == "agrees" for answer in herding_verdicts.values())
assert all(answer.verdict != "disagrees" for answer in floor_verdicts.values())
assert floor_verdicts["cd-grab"].ci_high < floor_verdicts["rr"].ci_low
assert floor_verdicts["cd-grab"].measured < -1.6
assert 0.5 < ratio < 2.0
