"""Closed forms, bounds and slopes for example orderings in SGD, with their proofs in ``theory/notes``."""

from importlib import import_module
from types import ModuleType

LETTERS = (
    "affine", "asynchrony", "balancing", "compression", "convergence", "herding", "instances", "local_steps",
    "networks", "quadratics", "random_orders", "slopes", "spectra", "variance",
)  # fmt: skip


def __getattr__(name: str) -> ModuleType:
    if name not in LETTERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return [*LETTERS, *(name for name in globals() if name.startswith("__"))]
