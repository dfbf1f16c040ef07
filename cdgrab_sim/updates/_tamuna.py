"""TAMUNA: local steps, compressed uploads and partial participation at once."""

from __future__ import annotations

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES


@kernel(small=True)
def rank(place: IntArray, u: FloatArray) -> None:
    """Write the places of the workers in the order of their second uniform numbers: a random permutation."""
    for i in range(place.shape[0]):
        place[i] = 0
        for k in range(place.shape[0]):
            if u[k, 1] < u[i, 1] or (u[k, 1] == u[i, 1] and k < i):
                place[i] += 1


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move the workers of the cohort, those in the first c[1] places; with probability p[0] they communicate.

    Then coordinate q is sent by the c[2] workers in the places q c[2], q c[2] + 1, ... round the cohort. S
    holds the control variates; c[0] is 1 within a round, and places follow from c[3] on.
    """
    m, d = g.shape
    cohort, s, place, h, X = it.c[1], it.c[2], it.c[3:], it.S, it.X
    if it.c[0] == 0:
        rank(place, u)
        it.c[0] = 1
    for i in range(m):
        if place[i] < cohort:
            for q in range(d):
                X[i, q] -= alpha * (g[i, q] - h[i, q])
    if u[0, 0] < it.p[0]:
        for q in range(d):
            total = 0.0
            for i in range(m):
                if place[i] < cohort and (place[i] - q * s) % cohort < s:
                    total += X[i, q]
            it.x[q] = total / s
            for i in range(m):
                if place[i] < cohort and (place[i] - q * s) % cohort < s:
                    h[i, q] += it.p[1] / alpha * (it.x[q] - X[i, q])
            for i in range(m):
                X[i, q] = it.x[q]
        it.c[0] = 0


def masked_update(
    name: str,
    probability: float,
    s: int,
    cohort: int | None,
    settings: dict[str, int | float | None],
    provenance: str,
) -> Update:
    """Return the update whose uploads are shared out among s workers for each coordinate."""
    p, s = _checks.share("probability", probability, "(0, 1]"), _checks.integer("s", s, low=2)

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        m = problem.m
        if m == 1:  # nobody to share a coordinate with
            return iterates(x0, (p, p), points=1, vectors=1, counters=(0, 1, 1, 0))
        active = _checks.integer("cohort", m if cohort is None else cohort, low=2, high=m)
        _checks.integer("s", s, low=2, high=active)
        eta = p * m * (s - 1.0) / (s * (m - 1.0))
        counters = (0, active, s, *([0] * m))
        return iterates(x0, (p, eta), points=m, vectors=m, counters=counters)

    return Update(name, init, step, each=True, draws=2, settings=settings, provenance=provenance)


@UPDATES.register
def tamuna(*, probability: float = 0.5, s: int = 2, cohort: int | None = None) -> Update:
    r"""TAMUNA: Scaffnew among c of m workers, each coordinate sent by s of them.

    .. math::

        x_i &\leftarrow x_i - \alpha (g_i - h_i) \qquad (i \text{ in the cohort}) \\
        \text{with probability } p: \quad
        \bar x &= \frac1s \sum_i C_i x_i, \qquad
        h_i \leftarrow h_i + \frac{p \chi}{\alpha} C_i (\bar x - x_i), \qquad
        x_i \leftarrow \bar x \\
        \chi &= \frac{m (s - 1)}{s (m - 1)}

    The masks C_i give every coordinate to exactly s workers of the cohort, in a random arrangement, and a new
    cohort is drawn after every communication. Idle workers keep their h_i; the sum of the h_i stays zero.
    With full gradients x converges to x_star. c = m is `compressed_scaffnew`, and s = c = m is `scaffnew`.
    What is recorded is x as the last communication left it.

    Parameters
    ----------
    probability : float
        p in (0, 1]: a round has 1 / p steps in the mean.
    s : int
        Workers that send a coordinate, 2..c.
    cohort : int, optional
        c, 2..m; all m by default. All workers show their gradients to the ordering.

    Raises
    ------
    ValueError
        For a cohort larger than m, or an s larger than the cohort (when the run starts).

    References
    ----------
    Condat, Agarsky, Malinovsky, Richtarik, "TAMUNA: Doubly Accelerated Distributed Optimization with Local
    Training, Compression, and Partial Participation", arXiv 2302.09832, Algorithm 1 (recalled).

    Examples
    --------
    Minima 0 and 3, curvatures 1 and 2: f is least at 2.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]], [[[2.0]]]], [[[0.0]], [[6.0]]])
    >>> cg.simulate(problem, "ig", epochs=800, step_size=0.25, update=tamuna()).x.round(6).tolist()
    [[2.0]]
    """
    settings = {"probability": probability, "s": s, "cohort": cohort}
    return masked_update(
        "tamuna", probability, s, cohort, settings, "arXiv 2302.09832, Algorithm 1, recalled"
    )
