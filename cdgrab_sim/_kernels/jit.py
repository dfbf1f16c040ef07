"""Where numba is known; beside this file, only the one that gives `registers` its machine code knows it.

A kernel is written once, as explicit loops. Numba compiles them; where it is absent they run as Python, with
the same bits, because every sum has the one order that `sums` fixes. A NumPy twin is kept only where people
meet uncompiled code and it is many times faster: the walk of a NumPy problem, a dot product. Kernels take
arrays, records of arrays and scalars, outputs first, and never draw random numbers.
"""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, overload

from cdgrab_sim._version import __version__

try:
    import numba
except ImportError:  # the loops run as Python
    numba = None

P = ParamSpec("P")
R = TypeVar("R")

# The packages that kernels live in.
ROOMS = (
    *("_kernels", "compressors", "problems", "orderings", "updates"),
    *("balancing", "herding", "thinning", "asynchronous", "audit", "_online"),
)

# "module.name" -> (compiled or plain loops, what runs without numba): what the tests iterate over.
KERNELS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {}

# "numpy" divides by zero as NumPy does instead of raising, so that divergence stays a status.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


@overload
def kernel(loops: Callable[P, R]) -> Callable[P, R]: ...
@overload
def kernel(*, small: bool = False, allocates: bool = True) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
@overload
def kernel(*, small: bool = False, twin: Callable[P, R]) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def kernel(loops: Any = None, *, small: bool = False, allocates: bool = True, twin: Any = None) -> Any:
    """Compile a loop function where numba is there.

    Machine code is kept on disk, where there is a place for it, until any kernel of this package changes.

    Parameters
    ----------
    loops : callable
    small : bool
        Paste the machine code into the kernels that call it: a call with array arguments costs as much as
        a small gradient. A small kernel must not allocate.
    allocates : bool
        Otherwise arrays are borrowed, see `bound`.
    twin : callable, optional
        NumPy function with the same signature and the same bits, which runs where numba is absent.
    """

    def decorate(loops: Callable[..., Any]) -> Callable[..., Any]:
        plain = twin or loops
        function = plain
        if numba is not None:
            options = _OPTIONS if allocates else _OPTIONS | {"_nrt": False}
            function = _compiled(loops, forceinline=small, **options)
        KERNELS[f"{loops.__module__}.{loops.__qualname__}"] = (function, plain)
        return function

    return decorate if loops is None else decorate(loops)


@lru_cache(maxsize=1)
def _digest() -> str:
    """Return a digest of the sources that kernels are made of."""
    package, found = Path(__file__).parents[1], hashlib.blake2b(__version__.encode(), digest_size=8)
    for room in ROOMS:
        for path in sorted((package / room).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()


@lru_cache(maxsize=1)
def _cache() -> Any:
    """Return numba's cache of one function, under a name that changes with any kernel of this package.

    As it is, it watches the file of a function and none of those that it calls: after a change, old code
    would run. What cannot be read is compiled anew, and what cannot be written is not kept.
    """
    caching = numba.core.caching

    class Kept(caching.FunctionCache):  # type: ignore[misc, name-defined]
        def __init__(self, loops: Callable[..., Any]) -> None:
            super().__init__(loops)
            self._base, stamp = self._impl.filename_base, self._impl.locator.get_source_stamp()
            name = f"{self._base}.{_digest()}"
            self._cache_file = caching.IndexDataCacheFile(self.cache_path, name, stamp)

        def load_overload(self, signature: Any, context: Any) -> Any:
            try:
                return super().load_overload(signature, context)
            except Exception:  # a damaged file makes pickle raise whatever it likes
                return None

        def save_overload(self, signature: Any, compiled: Any) -> None:
            try:
                for old in Path(self.cache_path).glob(f"{glob.escape(self._base)}.*.nb[ci]"):
                    if _digest() not in old.name:
                        old.unlink(missing_ok=True)
                super().save_overload(signature, compiled)
            except Exception:  # a full disk, or a damaged index
                self.disable()

    return Kept


def _compiled(loops: Callable[..., Any], **options: Any) -> Any:
    """Compile a function, and keep its machine code where there is a place that can be written to."""
    function = numba.njit(**options)(loops)
    with suppress(RuntimeError):
        function._cache = _cache()(loops)
    return function


def inlined(loops: Callable[P, R]) -> Callable[P, R]:
    """Paste a loop function into the kernels that call it, so that they are compiled and cached as one."""
    function: Callable[P, R] = loops if numba is None else numba.njit(inline="always", **_OPTIONS)(loops)
    return function


def is_jitted(function: Callable[..., Any]) -> bool:
    """Tell whether numba compiled `function`."""
    return numba is not None and isinstance(function, numba.core.dispatcher.Dispatcher)


@lru_cache(maxsize=256)
def bound(make: Callable[..., Any], *functions: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``make(*functions)``, once: how compiled functions of whatever origin enter a loop.

    They are pasted in, and arrays are borrowed without counting references, which takes more time than a
    small step does. Only code that allocates nothing can be compiled so; other code is compiled again, with
    counting. Functions that close over functions cannot be cached on disk.
    """

    def compiled(**more: Any) -> Callable[..., Any]:
        options = _OPTIONS | more
        pasted = [numba.njit(forceinline=True, **options)(f.py_func) for f in functions]  # type: ignore[attr-defined]
        function: Callable[..., Any] = numba.njit(**options)(make(*pasted))
        return function

    chosen, borrows = compiled(_nrt=False), True

    def call(*arguments: Any) -> Any:
        nonlocal chosen, borrows
        try:
            return chosen(*arguments)
        except numba.core.errors.NumbaError:  # while it was compiled, before anything ran
            if not borrows:
                raise
            chosen, borrows = compiled(), False
            return chosen(*arguments)

    return call


@lru_cache(maxsize=256)
def closed(make: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``make(function)``, once, for loops that will be `bound`: compiled where `function` is."""
    made: Callable[..., Any] = make(function)
    return numba.njit(**_OPTIONS)(made) if is_jitted(function) else made


def compiles() -> bool:
    """Tell whether kernels are machine code, which releases the GIL so that threads can help."""
    return numba is not None and not numba.config.DISABLE_JIT


def version() -> str | None:
    """Return the version of numba, or None where it is absent."""
    return None if numba is None else str(numba.__version__)
