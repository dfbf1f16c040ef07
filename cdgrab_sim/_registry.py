"""Registries: what a factory makes is known everywhere once its file is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from cdgrab_sim import _checks

R = TypeVar("R")
Factory = TypeVar("Factory", bound=Callable[..., Any])


class Registry(MutableMapping[str, Callable[..., R]], Generic[R]):
    """Factories of one kind of record, by the names under which users ask for them.

    As a mapping it holds what is registered, and what `also` adds for a while. Names that installed packages
    bring are found when they are asked for, by `factory` and `make`: nothing of theirs is imported before.

    Parameters
    ----------
    record : type
        What the factories return.
    group : str
        The group of the entry points of installed packages; "": there is none.
    sizes : mapping, optional
        Arguments with which a factory of somebody else is tried.

    Examples
    --------
    >>> numbers = Registry(float)
    >>> @numbers.register
    ... def one_half():
    ...     return 0.5
    >>> numbers.make("one-half"), numbers.make(0.25)
    (0.5, 0.25)
    """

    def __init__(self, record: type[R], group: str = "", sizes: Mapping[str, Any] | None = None) -> None:
        self.record, self.kind, self._group = record, record.__name__.lower(), group
        self._sizes = dict(sizes or {})
        self._registered: dict[str, Callable[..., R]] = {}
        self._loaded: dict[str, Callable[..., R]] = {}  # of installed packages
        self._own: ContextVar[Mapping[str, Callable[..., R]]] = ContextVar(
            "own", default=MappingProxyType({})
        )

    def __getitem__(self, name: str) -> Callable[..., R]:
        """Return the factory of an exact name."""
        own = self._own.get()
        return own[name] if name in own else self._registered[name]

    def __setitem__(self, name: str, factory: Callable[..., R]) -> None:
        """Register a factory under any name."""
        self._registered[name] = factory

    def __delitem__(self, name: str) -> None:
        """Forget a registered factory."""
        del self._registered[name]

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter([*self._registered, *self._own.get()])

    def __len__(self) -> int:
        """Count the names."""
        return len(self._registered) + len(self._own.get())

    def register(self, factory: Factory) -> Factory:
        """Register a factory under its own name, with dashes."""
        name = factory.__name__.replace("_", "-")
        if name in self:
            raise ValueError(f"{self.kind} {name!r}: expected a new name; it is taken")
        self[name] = factory
        return factory

    def make(self, given: R | str, **arguments: Any) -> R:
        """Return a record as it is, or the one that the factory of this name makes, however it is spelled."""
        if isinstance(given, self.record):
            return given
        return self.factory(given)(**arguments)

    def factory(self, given: Any) -> Callable[..., R]:
        """Return the factory of a name, however it is spelled; refuse a name that nobody knows."""
        name = self.named(given)
        return self[name] if name in self else self._installed_factory(name)

    def named(self, given: Any) -> str:
        """Return the known name that is meant; refuse one that nobody knows."""
        name = self._spelled(given) if isinstance(given, str) else given
        if isinstance(name, str) and (name in self or name in self._loaded):
            return name
        return _checks.choice(self.kind, name, [*self, *self.installed()])

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
            For a name that is known, under which results would be somebody else's.

        Examples
        --------
        >>> numbers = Registry(float)
        >>> with numbers.also({"one": lambda: 1.0}):
        ...     numbers.make("one")
        1.0
        """
        for name in factories.keys() & {*self}:
            what = f"{self.kind} {name!r}: expected a name of its own; it is registered; choose another"
            raise ValueError(what)
        token = self._own.set({**self._own.get(), **factories})
        try:
            yield
        finally:
            self._own.reset(token)

    def installed(self) -> dict[str, EntryPoint]:
        """Return what installed packages bring, by name; nothing of it is imported."""
        if not self._group:
            return {}
        return {one.name: one for one in entry_points(group=self._group) if one.name not in self._registered}

    def _installed_factory(self, name: str) -> Callable[..., R]:
        if name not in self._loaded:
            point = self.installed()[name]
            where = f"{self.kind} {name!r} of {origin(point)}"
            try:
                found = point.load()
            except Exception as error:  # whatever their code raises
                raise ImportError(f"{where}: {said(error)}; mend or remove the package") from None
            self._loaded[name] = self.checked(found, where)
        return self._loaded[name]

    def checked(self, found: Any, where: str) -> Callable[..., R]:
        """Return a factory of somebody else, or one for a record, after a try; refuse anything else."""
        if isinstance(found, self.record):
            return _always(found, self._sizes)
        if not callable(found):
            kind = self.record.__name__
            raise TypeError(f"{where}: expected {kind}, or a function that returns one; got {found!r:.80}")
        try:
            made = found(**self._sizes)
        except Exception as error:
            raise ValueError(f"{where}: {said(error)}") from None
        if not isinstance(made, self.record):
            kind, got = self.record.__name__, type(made).__name__
            raise TypeError(f"{where}: expected the function to return a record {kind}; got {got}")
        return found  # type: ignore[no-any-return]

    def example(self, name: str) -> R:
        """Return a record that a factory makes, for its name and provenance."""
        factory = self.factory(name)
        made: R = getattr(factory, "record", None) or factory(**self._sizes)
        return made

    def _spelled(self, name: str) -> str:
        """Return a known name that differs in capitals and hyphens only, such as CD-GraB; or `name`."""
        if name in self:
            return name
        near = [known for known in self if _checks.folded(known) == _checks.folded(name)]
        return near[0] if len(near) == 1 else name

    def arrange(self, key: Callable[[str], Any] | None = None) -> None:
        """Sort by name, or by a key of the name; the order in which files were imported means nothing."""
        self._registered = {name: self[name] for name in sorted(self._registered, key=key)}

    @property
    def functions(self) -> list[str]:
        """The names of the factories in Python."""
        return sorted(factory.__name__ for factory in self._registered.values())


def origin(point: EntryPoint) -> str:
    """Return the package and the module that an entry point stands for."""
    package = f"{point.dist.name} {point.dist.version}" if point.dist else "an installed package"
    return f"{package} ({point.value})"


def said(error: BaseException) -> str:
    """Return what an exception says, in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _always(record: R, sizes: Mapping[str, Any]) -> Callable[..., R]:
    """Return a factory of one record, which refuses sizes that the record does not have."""

    def made(**arguments: Any) -> R:
        """One record, with the sizes that it has."""
        for letter in [letter for letter in arguments if letter not in sizes]:
            raise TypeError(f"{record.name!r} is a record: expected no {letter}")  # type: ignore[attr-defined]
        for letter, size in arguments.items():
            if letter != "seed" and (has := getattr(record, letter, size)) != size:
                name = record.name  # type: ignore[attr-defined]
                raise ValueError(
                    f"{name!r}: expected {letter} = {has}, as its record has; got {size}; "
                    f"give a function of m, n and seed instead"
                )
        return record

    made.record = record  # type: ignore[attr-defined]
    return made
