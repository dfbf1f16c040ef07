# %% [markdown]
# # 9. Bits, graphs and absent workers
#
# [Notebook 8](08_scarce_communication.ipynb) let workers take local steps. There are three more ways to talk less: send
# fewer *bits*, talk to *neighbours* only, let some workers stay *away*. CD-GraB's paper has none of them. What is left of
# a good order? Again we measure floors, the loss at which a fixed step size stalls.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np

import cdgrab_sim as cg
from theory import compression, local_steps

plt.ion()  # figures appear under their cells
QUICK = bool(os.environ.get("CDGRAB_QUICK"))
KAPPA, N = 5.0, 64
STEP = 0.05 / (N * KAPPA)
ORDERINGS = ["rr", "cd-grab"]


def floor(problem, name, epochs, every=1, seed=0, step=STEP, **how):
    record = cg.Record(every=every, grad_norm=False, distance=False)
    run = cg.simulate(
        problem, name, epochs=epochs, step_size=step, seed=seed, x0=problem.x_star, record=record, **how
    )
    return (run.loss[:, len(run.epochs) // 2 :] - problem.f_star).mean()


# %% [markdown]
# ## Bits
#
# Every worker sends two of four coordinates, times two (Rand-k). Sent so, gradients have noise that vanishes nowhere:
#
# $$E (x - x^*)^2 \to \frac{\alpha \, \omega}{2 \lambda m} \cdot \text{mean square of the gradients at } x^*,$$
#
# on one Hessian $\lambda$, whatever the order. DIANA sends the difference from what it remembers of each *example*. These differences vanish, and
# with them the noise.

# %%
HALF = {"name": "rand-k", "k": 2}
WAYS = {
    "plain": cg.updates.sgd(),
    "Q": cg.updates.compressed(compressor=HALF),
    "DIANA": cg.updates.diana(compressor=HALF, shifts="example"),
}
WORKERS = [1, 4, 16]
epochs = 400 if QUICK else 2000
bits = {
    (name, way): [
        floor(cg.problems.skewed(m=m, n=N, d=4, kappa=KAPPA), name, epochs, update=update) for m in WORKERS
    ]
    for name in ORDERINGS
    for way, update in WAYS.items()
}
with cg.plots.style():
    fig, panels = plt.subplots(1, 3, figsize=(11, 3.8), dpi=80, sharey=True)
    for ax, way in zip(panels, WAYS, strict=True):
        for name in ORDERINGS:
            ax.loglog(WORKERS, bits[name, way], **cg.plots.look(name), label=name)
        ax.set(title=way, xlabel="workers m")
        ax.set_xticks(WORKERS, WORKERS)
        ax.minorticks_off()
    panels[0].set_ylabel("f − f*, fixed step size")
    panels[0].legend(loc="lower left")
exponents = {key: np.polyfit(np.log(WORKERS), np.log(floors), 1)[0] for key, floors in bits.items()}
print("exponents in m:", {f"{name}, {way}": round(float(e), 2) for (name, way), e in exponents.items()})

# %% [markdown]
# Compressed, both orders are one line of slope −1: the noise of the messages is all that is left. With a memory for each
# example the order is back, and so is CD-GraB's $m^{-2}$. On one Hessian the level can be computed:

# %%
one = cg.problems.quadratic(m=4, n=N, d=2, eigenvalues=[1.0, 2.0])
lam, b = one.data.eigenvalues, one.data.b
square = ((lam * (b - one.x_star)) ** 2).mean(axis=(0, 1))
sent = cg.updates.compressed(compressor={"name": "rand-k", "k": 1})
law = sum(
    0.5 * a * compression.compression_floor(0.2 / (2 * N), a, 1.0, s, 4)
    for a, s in zip(lam, square, strict=True)
)
levels = {
    name: floor(one, name, 1000 if QUICK else 8000, step=0.2 / (2 * N), update=sent) / law
    for name in ORDERINGS
}
print("floor / predicted:", {name: round(float(x), 3) for name, x in levels.items()})

# %% [markdown]
# ## Graphs
#
# Without a server, workers average with their neighbours after every step. The mean iterate is that of a server if all
# share a Hessian. Else it matters where gradients are taken: worker i is off by the parallel prefix *and* by what the
# graph has not yet averaged away of its own steps. The slower the graph, the more of its own prefix a worker keeps.

# %%
GRAPHS = ["ring", "torus", "exponential", "complete"]
M = 16
gaps = [cg.graphs.make(name, M).gap for name in GRAPHS]
NAMES = ["rr", "d-grab-pair", "cd-grab"]
problem = cg.problems.skewed(m=M, n=N, d=3, kappa=KAPPA)
epochs = 400 if QUICK else 1500
talk = {
    name: [floor(problem, name, epochs, update=cg.updates.gossip(graph=graph)) for graph in GRAPHS]
    for name in NAMES
}
with cg.plots.style():
    fig, ax = plt.subplots(figsize=(5.5, 3.8), dpi=80)
    for name in NAMES:
        ax.semilogy(range(4), talk[name], **cg.plots.look(name), label=name)
    ax.set(xlabel="graph and its spectral gap", ylabel=f"f − f* at the mean, m = {M}")
    ax.set_xticks(range(4), [f"{name}\n{gap:.2f}" for name, gap in zip(GRAPHS, gaps, strict=True)])
    ax.minorticks_off()
    ax.legend()
print(
    "cd-grab over rr:",
    {g: round(float(a / b), 3) for g, a, b in zip(GRAPHS, talk["cd-grab"], talk["rr"], strict=True)},
)

# %% [markdown]
# A worker's own prefix is what CD-GraB leaves alone. On the ring its gain over random orders, two hundredfold with a server, is
# less than threefold, and independent balancing is ahead of it. `cdgrab gossip` predicts these floors from the prefixes that the
# graph leaves, and tries CD-GraB with a running sum that is gossiped as well.

# %% [markdown]
# ## Absence
#
# In each round C of 16 workers, who differ, make a pass over their own examples (H = n); then they average. Which C?
# *Uniform* cohorts are drawn anew for every round. *Regularised* ones follow a random order of the workers, so that
# everybody comes once in a meta-epoch: random reshuffling, of workers. And an order of workers can be balanced like one
# of examples: CD-GraB's server then sees the mean gradients of the rounds.

# %%
COHORTS = [1, 2, 4, 8]
clients = cg.problems.quadratic(m=16, n=16, d=2, eigenvalues=[1.0, 2.0], heterogeneity=1.0)
z = clients.data.eigenvalues * (clients.data.b - clients.x_star)
within, between = z.var(axis=1).mean(axis=0), (z.mean(axis=1) ** 2).mean(axis=0)
step = 0.2 / (16 * 2.0)


def chosen(way, C):
    if way == "uniform":
        return cg.participation.uniform(cohort=C)
    return cg.participation.ordered(cohort=C, ordering=way)


def predicted(way, C):
    parts = zip(clients.data.eigenvalues, within, between, strict=True)
    how = {"m": 16, "C": C, "regularised": way == "rr"}
    return sum(0.5 * a * local_steps.cohort_floor(step, a, 16, w, v, **how) for a, w, v in parts)


absent = {
    way: [
        floor(
            clients,
            "rr",
            (16 // C) * (100 if QUICK else 800),
            every=16 // C,
            step=step,
            update=cg.updates.local(steps=16),
            participation=chosen(way, C),
        )
        for C in COHORTS
    ]
    for way in ("uniform", "rr", "cd-grab")
}
labels = {"uniform": "uniform cohorts", "rr": "regularised (rr of workers)", "cd-grab": "balanced workers"}
with cg.plots.style():
    fig, ax = plt.subplots(figsize=(5.5, 3.8), dpi=80)
    for way, floors in absent.items():
        ax.loglog(COHORTS, floors, **cg.plots.look(way), label=labels[way])
    for way in ("uniform", "rr"):
        ax.loglog(COHORTS, [predicted(way, C) for C in COHORTS], color="0.4", linestyle="dotted")
    ax.set(xlabel="workers C in a round, of 16", ylabel="f − f* after a meta-epoch")
    ax.set_xticks(COHORTS, COHORTS)
    ax.minorticks_off()
    ax.legend()
shares = {
    way: np.array([f / predicted(way, C) for f, C in zip(absent[way], COHORTS, strict=True)])
    for way in ("uniform", "rr")
}
print({labels[way]: share.round(2).tolist() for way, share in shares.items()})

# %% [markdown]
# Dotted lines are predicted (note L7). Uniform cohorts leave a floor of order $\alpha$, near $1/C$, that no order of the *examples* touches;
# regularised ones cancel its first order; balanced workers are several times below those. Absence is one more thing that
# an order can be put to, and the server of CD-GraB sees all that it needs for it.
#
# When absence depends on the data, no order helps: those who come more often count more. Two workers with minima 0 and 4;
# the second one is there in every other round. It weighs $\frac12 \cdot \frac12$.

# %%
two = cg.problems.from_hessians([[[[1.0]]], [[[1.0]]]], [[[0.0]], [[4.0]]])
biased = cg.simulate(
    two,
    "ig",
    epochs=400,
    step_size=0.02,
    replicates=24,
    record=cg.Record(loss=False),
    participation=cg.participation.available(chances=[1.0, 0.5]),
).x.mean()
print(f"x = {biased:.2f} in the mean; the minimiser is 2, the weighted one 1")

# %% [markdown]
# ## Headline
#
# Noise of messages drowns every order, and a memory for each example brings it back. A graph, like local steps, gives workers
# prefixes of their own. Absence is a sampling of workers, and orders of workers do for it what orders of examples do for SGD.

# %%
assert all(abs(exponents[name, "Q"] + 1.0) < (0.5 if QUICK else 0.25) for name in ORDERINGS)
assert exponents["cd-grab", "DIANA"] < -1.5 < -1.3 < exponents["rr", "DIANA"] < -0.7
assert all(0.7 < level < 1.4 for level in levels.values())
gain = [a / b for a, b in zip(talk["cd-grab"], talk["rr"], strict=True)]
assert gain == sorted(gain, reverse=True)
assert gain[-1] < 0.02 < 0.25 < gain[0]
assert talk["d-grab-pair"][0] < talk["cd-grab"][0]
assert all(0.5 < share < 2.0 for ways in shares.values() for share in ways)
assert all(a > b > 2 * c for a, b, c in zip(*absent.values(), strict=True))
assert abs(biased - 1.0) < 0.3
