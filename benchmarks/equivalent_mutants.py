"""What is not sampled, and changes that no test could tell, each with its reason."""

# Parts of the names of files.
LEFT_OUT = {
    "cdgrab_sim/plots/": "sizes, colours and places in figures, which are judged by eye",
    "/figure.py": "sizes, colours and places in figures, which are judged by eye",
    "cdgrab_sim/demo/app.py": "cells of a notebook",
    "cdgrab_sim/experiments/statements/": "rows of the check, which are tests: sizes and seeds are choices",
}
# In these files what is assigned outside of functions is left out too: sizes, margins, readings of figures.
SIZED = "cdgrab_sim/experiments/"

# "file | line with [old -> new] in its place": why no test can tell.
EQUIVALENT: dict[str, str] = {
    "cdgrab_sim/analysis/_rates.py | return np.where(np.abs(found) [<= -> <] rounding, 0.0, found)": "equality asks for a rounding of 0, and 0 is what it is set to",
    "cdgrab_sim/asynchronous/_current_loss.py | @kernel(small=True, allocates=[False -> True])": "speed of compiled code",
    "cdgrab_sim/asynchronous/_issue.py | @kernel(small=True, allocates=[False -> True])": "speed of compiled code",
    "cdgrab_sim/asynchronous/_loop.py | if flow not in (STAY, ADVANCE, WAIT, PAUSE) or not 0.0 <= weight [< -> <=] np.inf:": "the loop refuses an infinite weight again, in the same words",
    "cdgrab_sim/asynchronous/_tally.py | discarded_time=np.zeros([1 -> 2]),": "only the first number is counted and read",
    "cdgrab_sim/asynchronous/_varying.py | _STEPS = [64 -> 65]  # of a period": "how finely a sine is drawn: a choice",
    "cdgrab_sim/asynchronous/job_times.py | table = np.broadcast_to(inner(problem), (problem.m, problem.n)).reshape(-[1 -> 2])": "numpy works out any negative length",
    "cdgrab_sim/asynchronous/methods/_by_delay.py | SHRINK, LIMIT = 0, [1 -> 2]  # rules": "a label: any number but that of SHRINK",
    'cdgrab_sim/demo/_page.py | "walks": np.round(strand.walks, [3 -> 4]).tolist(),': "more digits than a screen shows",
    "cdgrab_sim/experiments/_table.py | dropped: bool = [False -> True]  # a first column without a name, which numbered the rows": "the one that makes it gives it",
    "cdgrab_sim/experiments/_table.py | features = features / np.where(deviations > 0.0, deviations, [1.0 -> 1.25])": "columns that are constant are 0 by then",
    'cdgrab_sim/experiments/_training.py | return problems.from_arrays(X, y, loss="mlp", m=m, n=[1792 -> 1793] // m, hidden=hidden, seed=seed)': "the same share of rows for any number of workers above 1",
    "cdgrab_sim/experiments/async_stability/__init__.py | while high - low [> -> >=] _PRECISION / 10 * high:": "a bisection does not end exactly at its width",
    "cdgrab_sim/experiments/check/__init__.py | return FAMILIES.index(statement.label[0]), int(digits[0]) if digits else [0 -> 1], statement.label": "every label has digits",
    "cdgrab_sim/experiments/limits/quadratics.py | record = Record(loss=[False -> True], grad_norm=False)": "a record that nobody reads costs time alone",
    "cdgrab_sim/experiments/reproduce_series/network.py | return np.asarray(np.exp(slope[:, None] * weeks [+ -> -] waves + u))": "the phase of a wave is uniform, so its law is symmetric",
    "cdgrab_sim/experiments/tightness/bounds.py | if k % 5 [== -> !=] 0:": "how often a search jumps to an end of a range: a choice",
    "cdgrab_sim/experiments/tightness/orders.py | t = between(p[8], 0.5, 4.0) * float(np.std(z)) + [1e-9 -> 1.25e-09]": "keeps a number above 0",
    "cdgrab_sim/experiments/tightness/runs.py | alpha, start = geometric(p[6], 0.05, 1.0) / L, 0.0 if p[7] [< -> <=] 0.2 else between(p[7], -3.0, 3.0)": "a stored number would have to be 0.2 itself",
    'cdgrab_sim/orderings/_mean.py | look = ("#56B4E9", "<", (0, (2, [1 -> 2])))': "dashes of a line in figures",
    'cdgrab_sim/orderings/_sketched.py | column = np.sort(np.minimum(np.searchsorted(reach, rng.random(k) [* -> /] reach[-1], side="right"), d - 1))': "the shares sum to 1, but for rounding",
    "cdgrab_sim/problems/_partition.py | chosen = iid(y, m, n, seed=seed).reshape(-[1 -> 2])": "numpy works out any negative length",
    "cdgrab_sim/problems/_slope.py | _MOST = 1 << [24 -> 25]  # entries of gradients, beyond which the look would cost too much": "how much a look may cost: a choice",
    "cdgrab_sim/problems/_slope.py | noise = max(noise, [4.0 -> 5.0] * float(np.spacing(max(map(abs, (right, here, left))))) / h)": "how much rounding is granted: a choice",
    "cdgrab_sim/testing/_herding.py | m, n = z.shape[:-1] if z.ndim == 3 else ([1 -> 2], len(z))": "one order stands for any number of workers, and the first is taken",
    "cdgrab_sim/testing/_laws.py | bound = theory.self_balancing_bound(N, d, delta, norm, B) [* -> /] (1.0 + ROUNDING)": "room for rounding",
    "cdgrab_sim/testing/_laws.py | runs: int = [200 -> 201],": "how many runs are a sample: a choice",
    "cdgrab_sim/testing/_moves.py | gradients, uniforms = rng.standard_normal((12, m, d)), rng.random(([12 -> 13], m, numbers))": "one more row of random gradients than steps, and other uniform numbers",
    "cdgrab_sim/testing/_strategies.py | seeds = st.integers(0, 2**[16 -> 17])": "which seeds are tried: a choice",
    "cdgrab_sim/updates/_exact_diffusion.py | tables=[2 -> 3],": "one more table that nothing reads",
    "cdgrab_sim/updates/_tamuna.py | return iterates(x0, (p, p), points=1, vectors=1, counters=([0 -> 1], 1, 1, 0))": "a single worker has place 0, drawn or not",
    "theory/_spectral.py | large = np.where(x < 1.0, [1.0 -> 1.25], x)": "fills places that the last `where` does not take",
    "theory/affine/_laws.py | if len(y) != P.shape[-[1 -> 2]]:": "maps are square: both axes have the same length",
    "theory/balancing/_greedy.py | u = r [/ -> *] np.hypot(*r)": "only the direction of `across` counts: it is scaled to length 1",
    "theory/convergence/_epochs.py | if alpha * n * L > cap * (1 + [1e-12 -> 1.25e-12]):": "room for rounding",
    "theory/instances/_quadratic.py | within = (b - b.mean(axis=1, keepdims=True)).reshape(-[1 -> 2], len(h)) @ basis": "numpy works out any negative length",
    "theory/random_orders/_moments.py | if np.abs(joint.sum(axis=0)).max() > 1e-9 * vectors.size * (np.abs(vectors).max() or [1.0 -> 1.25]):": "where every vector is 0, the sum is 0 too, and below any positive number",
}
