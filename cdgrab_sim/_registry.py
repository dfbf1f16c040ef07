"""Registries: what a factory makes is known everywhere once its file is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from cdgrab_sim import _checks

R = TypeVar("R")
Factory = TypeVar("Factory", bound=Callable[..., Any])


class Registry(dict[str, Callable[..., R]], Generic[R]):
    """Factories of one kind of record, by the names under which users ask for them.

    Parameters
    ----------
    record : type
        What the factories return.

    Examples
    --------
    >>> numbers = Registry(float)
    >>> @numbers.register
    ... def one_half():
    ...     return 0.5
    >>> numbers.make("one-half"), numbers.make(0.25)
    (0.5, 0.25)
    """

    def __init__(self, record: type[R]) -> None:
        super().__init__()
        self._record = record

    def register(self, factory: Factory) -> Factory:
        """Register a factory under its own name, with dashes."""
        name = factory.__name__.replace("_", "-")
        if name in self:
            raise ValueError(f"{self._record.__name__.lower()} {name!r}: expected a new name; it is taken")
        self[name] = factory
        return factory

    def make(self, given: R | str, **arguments: Any) -> R:
        """Return a record as it is, or the one that the factory of this name makes, however it is spelled."""
        if isinstance(given, self._record):
            return given
        name = self._spelled(given) if isinstance(given, str) else given
        return self[_checks.choice(self._record.__name__.lower(), name, self)](**arguments)

    def _spelled(self, name: str) -> str:
        """Return a known name that differs in capitals and hyphens only, such as CD-GraB; or `name`."""
        if name in self:
            return name
        near = [known for known in self if _checks.folded(known) == _checks.folded(name)]
        return near[0] if len(near) == 1 else name

    def arrange(self, key: Callable[[str], Any] | None = None) -> None:
        """Sort by name, or by a key of the name; the order in which files were imported means nothing."""
        factories = {name: self[name] for name in sorted(self, key=key)}
        self.clear()
        self.update(factories)

    @property
    def functions(self) -> list[str]:
        """The names of the factories in Python."""
        return sorted(factory.__name__ for factory in self.values())
