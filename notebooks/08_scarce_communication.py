# %% [markdown]
# # 8. Order when communication is scarce
#
# CD-GraB averages one gradient per worker in every step. Methods that save communication do not: workers take *H* local
# steps by themselves and then average (FedAvg, local SGD). Does a good order survive this? We measure floors, the loss
# at which a fixed step size stalls, on the instance `skewed`, where only the order of the examples decides them.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np

import cdgrab_sim as cg
from theory import local_steps

plt.ion()  # figures appear under their cells
QUICK = bool(os.environ.get("CDGRAB_QUICK"))
KAPPA, N = 20.0, 64
STEP = 0.05 / (N * KAPPA)
WORKERS = [1, 4, 16]
ROUNDS = [1, 4, 64]
NAMES = ["rr", "d-grab-pair", "cd-grab", "cd-grab-local"]
SEEDS = range(1 if QUICK else 2)


def skewed(m, seed, heterogeneity=0.0):
    return cg.problems.skewed(m=m, n=N, d=3, kappa=KAPPA, heterogeneity=heterogeneity, seed=seed)


def floor(name, m, H, seed):
    epochs = 800 if QUICK else 3000
    run = cg.simulate(
        skewed(m, seed), name, epochs=epochs, step_size=STEP, seed=seed, update=cg.updates.local(steps=H)
    )
    return run.loss[0, epochs // 2 :].mean()


floors = {
    (name, H): np.array([[floor(name, m, H, seed) for m in WORKERS] for seed in SEEDS])
    for name in NAMES
    for H in ROUNDS
}

# %% [markdown]
# ## Linear speedup ends, and coordination loses most
#
# With H = 1, which is plain averaged SGD bit for bit, the floor falls like 1/m for random and independently balanced
# orders and like 1/m² for CD-GraB. A few local steps take that away. With one round per epoch (H = n, FedRR) random
# orders gain nothing from more workers, and CD-GraB, the best of all before, is as bad as they are: independent
# balancing is ten times better.

# %%
with cg.plots.style():
    fig, panels = plt.subplots(1, 3, figsize=(11, 3.8), dpi=80, sharey=True)
    for ax, H in zip(panels, ROUNDS, strict=True):
        for name in NAMES[:3]:
            ax.loglog(WORKERS, floors[name, H].mean(axis=0), **cg.plots.look(name), label=name)
        ax.set(title=f"H = {H}", xlabel="workers m")
        ax.set_xticks(WORKERS, WORKERS)
        ax.minorticks_off()
    panels[0].set_ylabel("f − f*, fixed step size")
    panels[0].legend(loc="lower left")
for name in NAMES[:3]:
    slopes = [np.polyfit(np.log(WORKERS), np.log(floors[name, H].mean(axis=0)), 1)[0] for H in ROUNDS]
    print(f"{name:12} exponents in m at H = 1, 4, 64: ", np.round(slopes, 2))

# %% [markdown]
# ## Where gradients are taken
#
# Let $S_i(k)$ be the prefix sums of worker i's centred gradients, $P$ their mean over the workers, and $a$ the step at
# which the round of step $k$ began. To first order, worker i computes its k-th gradient at $x_t - \alpha b_{i,k}$ with
#
# $$b_{i,k} = \underbrace{P(k)}_{\text{parallel part}} + \underbrace{D_i(k) - D_i(a)}_{\text{drift}}, \qquad D_i = S_i - P.$$
#
# The parallel part is what all orders work on, and what workers average: $m^{-1}$, or $m^{-2}$ with coordination. The
# drift is a worker's own, and no number of workers averages it away. Independent balancing bounds every $S_i$, so it bounds
# the drift. CD-GraB bounds $P$ alone: with many workers each of its signs answers the others, and a worker's own
# prefixes are as long as random ones.


# %%
def paths(name, m, H, seed, epochs=30):
    """Parallel part and drift of orders that an ordering makes of gradients that stand still."""
    problem = skewed(m, seed)
    update, record = cg.updates.local(steps=H), cg.Record(loss=False, orders=True)
    run = cg.simulate(problem, name, epochs=epochs, step_size=1e-12, seed=seed, update=update, record=record)
    orders = run.orders[0, epochs // 2 :]
    shown = np.take_along_axis(problem.data.terms[None], orders[..., None], axis=2)
    S = np.cumsum(shown, axis=2) - shown
    P = S.mean(axis=1, keepdims=True)
    D, k = S - P, np.arange(N)
    return P, D - D[:, :, k - k % H]


squares = {
    name: [
        [(part**2).sum(axis=-1).mean() for part in paths(name, 16, H, 0)] for H in (1, 2, 4, 8, 16, 32, 64)
    ]
    for name in NAMES
}
with cg.plots.style():
    fig, ax = plt.subplots(figsize=(5.5, 3.8), dpi=80)
    for name in NAMES:
        ax.loglog((2, 4, 8, 16, 32, 64), np.array(squares[name])[1:, 1], **cg.plots.look(name), label=name)
        ax.axhline(squares[name][0][0], color=cg.plots.look(name)["color"], linewidth=0.8)
    ax.set(xlabel="local steps H", ylabel="mean square of b, m = 16", ylim=(5e-3, 1e2))
    ax.set_xticks((2, 4, 8, 16, 32, 64), (2, 4, 8, 16, 32, 64))
    ax.minorticks_off()
    ax.legend(loc="lower right")
print("parallel part at H = 1:", {name: round(float(rows[0][0]), 3) for name, rows in squares.items()})

# %% [markdown]
# Curves are drifts, thin lines the parallel parts at H = 1 (those of `cd-grab` and `cd-grab-local` are one). Speedup ends
# where the curve crosses its line: for random orders near $H = 1 + n / (3(m - 1))$, for balanced ones before the second
# local step.
#
# ## Floors from prefixes, with nothing fitted
#
# The server rests where the mean slope at these points vanishes, at $\alpha c$ per coordinate with
#
# $$c = (\kappa - 1) \, E (b - c)_+ .$$
#
# For random orders the variance of b is known in closed form; for balanced ones we take b from the orders above.


# %%
def predicted(name, m, H, seed):
    if name == "rr":
        variances = skewed(m, seed).data.terms.var(axis=1).mean(axis=0)
        laws = [np.sqrt(local_steps.reshuffled_rounds(N, m, H, v).sum(axis=0)) for v in variances]
        return sum(local_steps.local_floor(STEP, KAPPA, 1.0, deviations) for deviations in laws)
    P, drift = paths(name, m, H, seed)
    b = np.moveaxis(P + drift, -1, 0)
    return sum(local_steps.local_floor(STEP, KAPPA, 1.0, np.zeros_like(own), own) for own in b)


ratios = {
    (name, H): floors[name, H] / [[predicted(name, m, H, seed) for m in WORKERS] for seed in SEEDS]
    for name in NAMES
    for H in ROUNDS
}
for name in NAMES:
    print(
        f"{name:14} measured / predicted, H = 1, 4, 64: ",
        [round(float(ratios[name, H].mean()), 2) for H in ROUNDS],
    )

# %% [markdown]
# ## An order server that knows the update
#
# Both parts can be herded at once. `cd-grab-local` gives each pair the sign that descends the sum of both squares: the
# server's running sum over m², and every worker's own, since its round began, over m. With H = 1 it is CD-GraB.

# %%
with cg.plots.style():
    fig, ax = plt.subplots(figsize=(5.5, 3.8), dpi=80)
    for name in NAMES:
        ax.loglog(
            ROUNDS, [floors[name, H].mean(axis=0)[-1] for H in ROUNDS], **cg.plots.look(name), label=name
        )
    ax.set(xlabel="local steps H", ylabel=f"f − f*, m = {WORKERS[-1]}")
    ax.set_xticks(ROUNDS, ROUNDS)
    ax.minorticks_off()
    ax.legend(loc="lower right")

# %% [markdown]
# ## Workers that differ
#
# If the workers' own minimisers differ, a worker's mean gradient drifts as well, j times itself after j steps: more
# workers then hurt, and no order of the examples helps. Control variates do. Full gradients on two quadratics, five
# steps to a round: local gradient descent ends at a fixed point of its own, SCAFFOLD and Scaffnew at the minimiser.

# %%
hessians, minima = np.array([[[[1.0]]], [[[2.0]]]]), np.array([[0.0], [3.0]])
two = cg.problems.from_hessians(hessians, hessians[:, 0] @ minima[..., None])
ways = {
    "local": cg.updates.local(steps=5),
    "scaffold": cg.updates.scaffold(steps=5),
    "scaffnew": cg.updates.scaffnew(probability=0.2),
}
ends = {
    name: cg.simulate(two, "ig", epochs=3000, step_size=0.1, update=way).x[0, 0] for name, way in ways.items()
}
fixed = local_steps.local_fixed_point(0.1, hessians[:, 0], minima, 5)[0]
print({name: round(float(x), 9) for name, x in ends.items()}, " predicted for local:", round(float(fixed), 9))

# %% [markdown]
# ## Headline
#
# Local steps trade the parallel prefix for every worker's own. Which order is best depends on H; one that balances both sums is
# near the best for every H.

# %%
exponent = {
    (name, H): np.polyfit(np.log(WORKERS), np.log(floors[name, H].mean(axis=0)), 1)[0]
    for name in NAMES
    for H in ROUNDS
}
assert exponent["cd-grab", 1] < -1.7 < -1.3 < exponent["rr", 1] < -0.7
assert abs(exponent["rr", 64]) < 0.15
assert exponent["cd-grab", 64] > 0.5
assert floors["d-grab-pair", 64][:, -1].mean() < floors["cd-grab", 64][:, -1].mean() / 6
assert all(0.75 < ratio.mean() < 1.3 for ratio in ratios.values())
best = {H: np.min([floors[name, H].mean(axis=0) for name in NAMES[:3]], axis=0) for H in ROUNDS}
assert all((floors["cd-grab-local", H].mean(axis=0) < 1.5 * best[H]).all() for H in ROUNDS)
assert abs(ends["local"] - fixed) < 1e-9 < 0.05 < abs(ends["local"] - 2.0)
assert max(abs(ends["scaffold"] - 2.0), abs(ends["scaffnew"] - 2.0)) < 1e-9
