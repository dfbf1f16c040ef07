"""Kernel halving: pair balancing by a walk whose coins are biased no more than they must be."""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from cdgrab_sim._records import Ordering
from cdgrab_sim.orderings._balance import Scope
from cdgrab_sim.orderings._pair import pair
from cdgrab_sim.orderings._registry import ORDERINGS
from cdgrab_sim.orderings._rules import SignRule


@ORDERINGS.register
def kernel_halving(
    *,
    scope: Scope = "coordinated",
    epochs: int = 100,
    delta: float = 0.5,
    first: ArrayLike | None = None,
) -> Ordering:
    r"""KH-SGD: halve the gradients of an epoch with the linear kernel, and put one half ahead of the other.

    Pair balancing (see `pair`) with the signs of the self-balancing Hilbert walk: for the k-th pair of epoch
    t, with its difference v and u uniform on [0, 1),

    .. math::

        a &= \max\big( |v| \sigma \sqrt{2 l}, |v|^2 \big), \qquad
        l = \log\big( \tfrac{4}{\delta} (1 + \log E)(1 + \log N) \, t k \big) \\
        \epsilon &= +1 \text{ if } \langle s, v \rangle \le a (1 - 2u) \text{ else } -1

    and sigma as for `SignRule`. Published for one worker and an even number of examples; here for any, with
    one sum at the server (N pairs of all workers) or one in each worker.

    Parameters
    ----------
    scope : {"coordinated", "independent"}
    epochs : int
        E: for so many epochs the chance of any clip is at most delta / 2; later ones go on in the same way.
    delta : float
    first : int array (n,) or (m, n), optional
        The first orders; random by default.

    References
    ----------
    Carrell, Gong, Shetty, Dwivedi, Mackey, "Low-Rank Thinning", arXiv 2502.12063 (KH-SGD). The recurrence was
    read in the code published with it; the paper's text is recalled.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> cg.simulate(cg.problems.skewed(), "kernel-halving", epochs=3, step_size=1e-3).loss.shape
    (1, 4)
    """
    rule = SignRule("hilbert", delta=delta, epochs=epochs)
    form = pair(scope=scope, rule=rule, first=first, name="kernel-halving")
    source = "arXiv 2502.12063, read in its published code"
    return replace(form, provenance=source, look=("#CC79A7", "h", "dashdot"))
