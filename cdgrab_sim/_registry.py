"""Registries: what a factory makes is known everywhere once its file is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
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
        self._own: ContextVar[Mapping[str, Callable[..., R]]] = ContextVar(
            "own", default=MappingProxyType({})
        )

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
        return self.factory(given)(**arguments)

    def factory(self, given: Any) -> Callable[..., R]:
        """Return the factory of a name, however it is spelled; refuse a name that nobody knows."""
        known = {**self, **self._own.get()}
        name = self._spelled(given) if isinstance(given, str) and given not in known else given
        return known[_checks.choice(self._record.__name__.lower(), name, known)]

    @property
    def own(self) -> Mapping[str, Callable[..., R]]:
        """Factories that are known here besides the registered ones, see `also`."""
        return self._own.get()

    @contextmanager
    def also(self, factories: Mapping[str, Callable[..., R]]) -> Iterator[None]:
        """Know factories inside, besides the registered ones, in this thread only.

        Raises
        ------
        ValueError
            For a name that is registered, under which results would be somebody else's.

        Examples
        --------
        >>> numbers = Registry(float)
        >>> with numbers.also({"one": lambda: 1.0}):
        ...     numbers.make("one")
        1.0
        """
        for name in factories.keys() & self.keys():
            kind = self._record.__name__.lower()
            raise ValueError(f"{kind} {name!r}: expected a name of its own; it is registered; choose another")
        token = self._own.set({**self._own.get(), **factories})
        try:
            yield
        finally:
            self._own.reset(token)

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
