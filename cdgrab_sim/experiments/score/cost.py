"""What an ordering costs: memory, traffic, arithmetic, and time beside rr."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cdgrab_sim import orderings, problems
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._experiment import Options, Row
from cdgrab_sim.experiments._parts import Findings
from cdgrab_sim.experiments.cost import stored, timed
from cdgrab_sim.experiments.cost.model import counts, known


def read(config: Mapping[str, Any], names: Sequence[str], options: Options) -> Findings:
    """Count and time; traffic and arithmetic are known of orderings whose costs are derived."""
    sizes = config["cost"]
    m, n, d = sizes["m"], sizes["n"], sizes["d"]
    problem, found = problems.logistic(m=m, n=n, d=d, seed=options.seed), Findings()
    order = ["rr", *(name for name in names if name != "rr")]
    seconds = timed(problem, {**sizes, "orderings": order}, options)
    for name in names:
        ordering = orderings.make(name)
        held = stored(ordering, problem)
        found.rows += [
            Row(name, f"floats held by the server, d = {d}", held.server),
            Row(name, f"floats held by a worker, d = {d}", held.worker),
            Row(name, f"integers held by a worker, n = {n}", held.integers),
        ]
        if known(ordering):
            each = counts(name, m, n, d)
            found.rows += [
                Row(name, f"floats sent per epoch, m = {m}, n = {n}, d = {d}", each.sent),
                Row(name, "operations of a worker per gradient", each.worker_operations / n),
                Row(name, "operations of the server per step", each.server_operations / n),
            ]
        if name != "rr":
            what = f"time per gradient / rr, logistic, m = {m}, d = {d}"
            found.rows.append(Row.judged(name, what, verdict(seconds[name], None, None, positive=True)))
    return found
