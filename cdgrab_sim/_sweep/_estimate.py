"""How long the rest of a sweep takes."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from cdgrab_sim._sweep._config import Config
from cdgrab_sim._sweep._simulation import Simulation

_PROBES = 5


def seconds_left(task: Simulation, configs: Sequence[Config]) -> float:
    """Return the estimated time on one core, from a few epochs of a few configurations.

    Time grows linearly with the number of epochs, so that one and three of them tell all.
    """
    count = min(_PROBES, len(configs))
    probes = [configs[(2 * k + 1) * len(configs) // (2 * count)] for k in range(count)]
    return len(configs) * sum(_seconds(task, config) for config in probes) / max(count, 1)


def _seconds(task: Simulation, config: Config) -> float:
    _timed(task, config, 1)  # compiles
    one, three = (min(_timed(task, config, epochs) for _ in range(2)) for epochs in (1, 3))
    return one + (int(config["epochs"]) - 1) * max(three - one, 0.0) / 2


def _timed(task: Simulation, config: Config, epochs: int) -> float:
    steps = config["step_size"]
    while isinstance(steps, list):
        steps = steps[0]
    start = perf_counter()
    task(config | {"epochs": epochs, "step_size": steps})
    return perf_counter() - start
