# %% [markdown]
# # 10. One rule, two worlds
#
# Give a pair of things the signs + and −, so that a running sum of signed differences stays small, and let the sum decide
# the next pair. CD-GraB does this to *gradients*: the + one goes to the front of the next order, the − one to the back.
# Kernel thinning, where the rule comes from, does it to *points*: the + one stays, the − one goes. This page runs both.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np

import cdgrab_sim as cg
from cdgrab_sim import thinning

plt.ion()  # figures appear under their cells
QUICK = bool(os.environ.get("CDGRAB_QUICK"))
n, kept = (256, 16) if QUICK else (4096, 64)
halvings = (n // kept).bit_length() - 1

# %% [markdown]
# ## Points: a few that stand for many
#
# A mixture of four normal distributions in the plane. Random points clump and leave holes; thinned ones do not. How far a
# choice $S$ is from all points is measured by the maximum mean discrepancy: the largest difference between the mean over $S$ and
# the mean over all points of any function in the kernel's space with norm 1.

# %%
rng = np.random.default_rng(0)
centres = np.array([[-3.0, 0.0], [3.0, 0.0], [0.0, 3.0], [0.0, -3.0]])
points = centres[rng.integers(4, size=n)] + rng.standard_normal((n, 2))
kernel = thinning.gaussian(1.5)

chosen = {
    "random": rng.choice(n, kept, replace=False),
    "thinned": thinning.thin(points, halvings, kernel, seed=0).indices,
}
distance = {name: thinning.mmd(points, rows, kernel) for name, rows in chosen.items()}

with cg.plots.style():
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), dpi=80, sharex=True, sharey=True)
    for ax, (name, rows) in zip(axes, chosen.items(), strict=True):
        ax.plot(*points.T, ".", color="0.85", markersize=2, zorder=0)
        ax.plot(*points[rows].T, "o", color="#D55E00", markersize=5, markeredgecolor="white")
        ax.set_title(f"{name}: MMD {distance[name]:.4f}")
        ax.set_aspect("equal")
    figure.suptitle(f"{kept} of {n} points")

# %% [markdown]
# ## The rule
#
# `thinning.halve` takes the points in pairs, with $f_i = k(x_{2i-1}, \cdot) - k(x_{2i}, \cdot)$ and the running sum $\psi$. The sign is
# a coin, biased against the sum: + with probability $\tfrac12 (1 - \langle \psi, f_i \rangle / a_i)$. For the linear kernel $k(x, y) =
# \langle x, y \rangle$ the sum is a vector, $\psi = \sum \pm (x_{2i-1} - x_{2i})$: exactly what pair balancing keeps of gradients.

# %%
halves = thinning.halve(points, "linear", seed=0)
psi = points[halves.first].sum(axis=0) - points[halves.second].sum(axis=0)
print("the signed sum of differences:", psi.round(2))
print(
    "so the means of the halves are",
    np.abs(psi / (n / 2)).max().round(4),
    "apart; the spread of points is",
    points.std().round(2),
)

# The same fact, seen as a distance between the half and the whole: MMD = |psi| / n.
assert np.isclose(thinning.mmd(points, halves.first, "linear"), np.linalg.norm(psi) / n, atol=1e-7)

# %% [markdown]
# ## Gradients: an order for the next epoch
#
# Put the half with + first and the half with − behind it, backwards, and the prefix sums of the order are half as large as before,
# up to the signed sums (notebook 2). Round by round the order gets better, until the signed sums are all that is left. The
# greedy sign of CD-GraB has no coin; `kernel-halving` tosses the coins of the walk above, with which its sums are provably
# of logarithmic size.

# %%
m, examples, d, rounds = 8, (64 if QUICK else 512), 4, 10
z = rng.standard_normal((m, examples, d))
z -= z.mean(axis=1, keepdims=True)
curves = {name: cg.herding.curve(z, name, rounds) for name in ("rr", "kernel-halving", "cd-grab")}

with cg.plots.style():
    _, ax = plt.subplots(figsize=(5.5, 3.8), dpi=80)
    for name, curve in curves.items():
        ax.semilogy(curve, label=name, **cg.plots.look(name))
    ax.set(xlabel="round", ylabel="herding error", title=f"m = {m}, n = {examples}, d = {d}")
    ax.legend()

# %% [markdown]
# ## What a coin costs, and what it buys
#
# Coins add noise: the herding error of `kernel-halving` ends above that of the greedy sign on vectors like these. They buy a proof.
# There are vectors on which every deterministic sign loses: an adversary who knows the sum shows a vector orthogonal to it,
# and the sum grows like $\sqrt{k}$. Coins that nobody saw keep it at $O(\log k)$.

# %%
end = {name: float(curve[-3:].mean()) for name, curve in curves.items()}
print({name: round(value, 2) for name, value in end.items()})

# %% [markdown]
# ## Few numbers of many
#
# Balancing needs inner products only, and those survive a sketch. Gradients of a model with thousands of coordinates often lie near
# few directions; then a handful of coordinates of each says enough.

# %%
wide = 512 if QUICK else 4096
directions = np.linalg.qr(rng.standard_normal((wide, 32)))[0].T
features = (rng.standard_normal((4 * 128, 32)) * np.arange(1.0, 33.0) ** -2.0) @ directions
gradients = features.reshape(4, 128, wide)
gradients -= gradients.mean(axis=1, keepdims=True)
whole = cg.orderings.cd_grab()
errors = {k: cg.herding.curve(gradients, cg.orderings.sketched(whole, k), 8)[-1] for k in (4, 16, 64)}
full, drawn = cg.herding.curve(gradients, whole, 8)[-1], cg.herding.curve(gradients, "rr", 8).mean()
print(
    f"random order {drawn:.3f}, balanced {full:.3f}; from k of {wide} coordinates:",
    {k: round(float(e), 3) for k, e in errors.items()},
)

# %% [markdown]
# ## What this page found

# %%
assert distance["thinned"] < distance["random"] / 2  # few points, chosen by signs, stand for many
assert (
    end["cd-grab"] < end["kernel-halving"] < end["rr"]
)  # the coin costs something, and far less than no balancing
assert errors[16] < 2.0 * full < drawn  # sixteen numbers of each gradient are nearly as good as all
