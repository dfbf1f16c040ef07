"""Records of somebody else: a file's are known while a command runs, wherever its tasks run."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, TypeAlias

from cdgrab_sim._registry import Registry, said
from cdgrab_sim.asynchronous.methods import METHODS
from cdgrab_sim.orderings import ORDERINGS
from cdgrab_sim.problems import PROBLEMS
from cdgrab_sim.updates import UPDATES

Factories: TypeAlias = Mapping[str, Mapping[str, Callable[..., Any]]]  # kind -> name -> factory

REGISTRIES: dict[str, Registry[Any]] = {one.kind: one for one in (ORDERINGS, PROBLEMS, UPDATES, METHODS)}


class File(NamedTuple):
    """A file that was loaded, and what is known by it."""

    path: Path
    factories: Factories


@contextmanager
def knowing(paths: Sequence[Path]) -> Iterator[list[File]]:
    """Know the records of files inside, in this thread; tasks take them along to other processes.

    Of a file count: what it registers; its records; and its functions whose annotation says that they return
    one. Names that begin with "_" do not count.

    Raises
    ------
    ValueError, TypeError, OSError
        In one line that names the file: it is not there, it raises, it holds no record or one that does not
        work, or a name is taken.
    """
    with ExitStack() as stack:
        files = []
        for path in paths:
            factories = _found(path)
            for kind, made in factories.items():
                for name in made:
                    _free(path, kind, name)
            stack.enter_context(also(factories))
            files.append(File(path, factories))
        yield files


def own() -> Factories:
    """Return what is known here besides the registered records."""
    return {kind: dict(registry.own) for kind, registry in REGISTRIES.items() if registry.own}


@contextmanager
def also(factories: Factories) -> Iterator[None]:
    """Know factories inside, by kind and name; those that are known already stay."""
    with ExitStack() as stack:
        for kind, made in factories.items():
            registry = REGISTRIES[kind]
            fresh = {name: factory for name, factory in made.items() if name not in registry.own}
            stack.enter_context(registry.also(fresh))
        yield


def _free(path: Path, kind: str, name: str) -> None:
    if name in REGISTRIES[kind]:
        raise ValueError(
            f"{path}: {kind} {name!r}: expected a name of its own; it is taken; choose another, "
            f"or begin the variable with '_' if it is not to be known"
        )


def _found(path: Path) -> Factories:
    """Run a file, and return what it registers, its records, and its functions that return one."""
    module, found = _run(path)
    for variable, value in vars(module).items():
        if variable.startswith("_") or any(value in made.values() for made in found.values()):
            continue
        for kind, registry in REGISTRIES.items():
            if isinstance(value, registry.record):
                name = value.name
            elif _returns(value, module) == registry.record.__name__:
                name = variable.replace("_", "-")
            else:
                continue
            if name in found[kind]:
                raise ValueError(f"{path}: {kind} {name!r}: expected each name once; it is there twice")
            found[kind][name] = value
    kinds = [registry.record.__name__ for registry in REGISTRIES.values()]
    if not any(found.values()):
        raise ValueError(
            f"{path}: expected records ({', '.join(kinds)}), or functions annotated to return one; found none"
        )
    return {
        kind: {name: REGISTRIES[kind].checked(one, f"{path}: {kind} {name!r}") for name, one in made.items()}
        for kind, made in found.items()
    }


def _run(path: Path) -> tuple[ModuleType, dict[str, dict[str, Any]]]:
    """Run a file as a module of its own; return it, and what it registered, which is taken back."""
    module = ModuleType(f"<{path.name}>")
    module.__file__ = str(path)
    before = {kind: {*registry} for kind, registry in REGISTRIES.items()}
    sys.modules[module.__name__] = module  # dataclasses look their module up; afterwards all travels by value
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    except OSError as error:
        if error.filename == str(path):
            raise
        raise ValueError(_blamed(path, error)) from None
    except (Exception, SystemExit) as error:  # whatever it raises
        raise ValueError(_blamed(path, error)) from None
    finally:
        del sys.modules[module.__name__]
        registered: dict[str, dict[str, Any]] = {
            kind: {name: registry.pop(name) for name in [*registry] if name not in before[kind]}
            for kind, registry in REGISTRIES.items()
        }
    return module, registered


def _blamed(path: Path, error: BaseException) -> str:
    """Say in one line what a file raised, and at which of its lines."""
    lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == str(path)]
    where = f", line {lines[-1]}" if lines else ""
    return f"{path}{where}: {said(error)}"


def _returns(value: Any, module: ModuleType) -> str:
    """Return the last word of what a function of this module says that it returns."""
    if not isinstance(value, FunctionType) or value.__module__ != module.__name__:
        return ""
    said_so = value.__annotations__.get("return", "")  # text where annotations are
    return str(getattr(said_so, "__name__", said_so)).strip("'\"").rpartition(".")[2]
