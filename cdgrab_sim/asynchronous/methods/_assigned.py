"""AsGrad: who gets the next job is a choice of its own."""

from __future__ import annotations

from functools import partial

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._hash import assignment_key, uniform
from cdgrab_sim.asynchronous._records import ADVANCE, PAUSE, STAY, WAIT, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state

RULE, BATCH, COUNT, ISSUED, DRAWN, KEY, FIRST = range(7)  # of c
# From FIRST on c holds the jobs in the hands of each worker, who came in this batch, and a permutation.
RULES = ("pure", "random", "shuffled")
PURE, RANDOM, SHUFFLED = range(len(RULES))


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Collect b gradients, step along their mean, and give out b jobs; S[0] is the sum of the batch."""
    m, d, batch = restart.shape[0], x.shape[0], c[BATCH]
    jobs, came = c[FIRST : FIRST + m], c[FIRST + m : FIRST + 2 * m]
    jobs[worker] -= 1
    came[c[COUNT]] = worker
    c[COUNT] += 1
    for r in range(d):
        S[0, r] += G[0, r]
    if c[COUNT] < batch:
        return (STAY if jobs[worker] > 0 else WAIT), 1.0
    for r in range(d):
        x[r] -= p[0] * (S[0, r] / batch)
        S[0, r] = 0.0
    c[COUNT] = 0
    for b in range(batch):
        chosen = came[b] if c[RULE] == PURE else _next(c, m)
        restart[chosen] = restart[chosen] or jobs[chosen] == 0
        jobs[chosen] += 1
    return (ADVANCE if jobs[worker] > 0 else PAUSE), 1.0


@kernel(small=True, allocates=False)
def _next(c, m):  # type: ignore[no-untyped-def]
    """Return a worker: any, or the next of a permutation that is drawn anew after m jobs."""
    if c[RULE] == RANDOM:
        return _below(c, m)
    permutation = c[FIRST + 2 * m :]
    at = c[ISSUED] % m
    c[ISSUED] += 1
    if at == 0:
        for i in range(m - 1, 0, -1):
            j = _below(c, i + 1)
            permutation[i], permutation[j] = permutation[j], permutation[i]
    return permutation[at]


@kernel(small=True, allocates=False)
def _below(c, bound):  # type: ignore[no-untyped-def]
    """Draw a whole number below `bound`."""
    c[DRAWN] += 1
    return min(int(uniform(np.uint64(c[KEY]), c[DRAWN]) * bound), bound - 1)


def _init(rule: int, batch: int, seed: int, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    if batch > workers:
        raise ValueError(f"batch: expected at most as many as workers, {workers}; got {batch}; lower it")
    numbers = [rule, batch, 0, 0, 0, assignment_key(seed)] + [1] * workers + [0] * workers
    return state(x0, [step_size], server=1, numbers=numbers + list(range(workers)))


def assigned(rule: str, batch: int = 1, *, seed: int = 0) -> Method:
    r"""Return AsGrad: after every b arrivals the server steps and gives b new jobs to workers of its choice.

    .. math:: x \leftarrow x - \alpha \, \frac1b \sum_{l=1}^b g_l, \qquad k \leftarrow k + 1

    * pure: to the workers that have come; with b = 1 plain asynchronous SGD, with b = m mini-batch SGD;
    * random: to b workers drawn uniformly, with replacement;
    * shuffled: to the next b of a permutation of the workers, drawn anew when it is used up.

    A worker with several jobs does them one after the other, each at the point that it finds when it begins;
    one without a job waits. Workers then count alike, however fast. This is an order of workers, not of the
    examples of one. With one worker: SGD.

    Parameters
    ----------
    rule : {"pure", "random", "shuffled"}
    batch : int
        b, at most the number of workers: the "waiting" variants.
    seed : int
        Of the draws of workers.

    References
    ----------
    Islamov, Safaryan, Alistarh (2023), arXiv 2310.20452; that jobs read when they begin is our choice.

    Examples
    --------
    A slow worker gets its share of the jobs:

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=1, n=8, d=2)
    >>> options = {"workers": 3, "job_times": [1, 2, 30], "updates": 900, "step_size": 0.01}
    >>> for rule in ("pure", "shuffled"):
    ...     run = cg.simulate_async(problem, assigned(rule), **options)
    ...     print(rule, [int(round(share, -1)) for share in run.by_worker.tolist()])
    pure [590, 290, 20]
    shuffled [300, 300, 300]
    """
    number = RULES.index(_checks.choice("rule", rule, RULES))
    init = partial(_init, number, _checks.size("batch", batch), _checks.integer("seed", seed, low=0))
    summary = {
        "pure": "b arrivals make a step, and the workers that came go on",
        "random": "the next job goes to a worker drawn at random",
        "shuffled": "the next job goes to the next worker of a permutation",
    }
    name = f"asgrad-{rule}" if batch == 1 else f"asgrad-{rule}-waiting"
    return Method(
        name, init, arrive, restarts=True, provenance="arXiv 2310.20452, assignment read, waiting recalled",
        summary=summary[rule],
    )  # fmt: skip


METHODS["asgrad-random"] = lambda m: assigned("random")
METHODS["asgrad-shuffled"] = lambda m: assigned("shuffled")
METHODS["asgrad-pure-waiting"] = lambda m: assigned("pure", max(2, m // 2) if m > 1 else 1)
