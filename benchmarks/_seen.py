"""Which tests execute which lines, and how long each takes: what `mutants` chooses by."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._forks import Forks
from benchmarks._sites import statement_around, within_a_function

# Which tests are asked in which way: with kernels as plain Python, and those that need machine code.
WAYS = {"plain": "not slow and not deep and not compiled", "compiled": "compiled and not slow and not deep"}


@dataclass
class Seen:
    """What the tests execute, in one way."""

    lines: dict[str, dict[int, set[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )
    seconds: dict[str, float] = field(default_factory=dict)

    def tests(self, file: str, source: str, line: int) -> tuple[list[str], list[str]]:
        """Return the tests that execute a statement, and others that may tell.

        What runs at import belongs to no test: then the first are all that execute something of its file, and
        the others all that execute something of its folder. What a fixture runs belongs to the first test
        that asks for it: the others hold the rest of its file.
        """
        at, (first, last) = self.lines.get(file, {}), statement_around(source, line)
        near = every = set().union(*at.values())
        own = set().union(*(at.get(k, set()) for k in range(first, last + 1)))
        if not within_a_function(source, line):
            own, folder = every, file.rpartition("/")[0]
            near = set().union(
                *(t for f, seen in self.lines.items() if f.startswith(folder) for t in seen.values())
            )
        files = {test.partition("::")[0] for test in own}
        near = near | {test for test in self.seconds if test.partition("::")[0] in files}
        return self._fastest_first(own), self._fastest_first(near - own)

    def _fastest_first(self, tests: set[str]) -> list[str]:
        known = [test for test in tests if test in self.seconds]
        return sorted(known, key=lambda test: (self.seconds[test], test))


def environment(folder: Path, way: str) -> dict[str, str]:
    """Return what is set for tests that are asked in one way."""
    more = {"plain": {"NUMBA_DISABLE_JIT": "1"}, "compiled": {"NUMBA_CACHE_DIR": str(folder / "numba")}}[way]
    return {"MPLBACKEND": "Agg"} | more


def look(where: Path, folder: Path, way: str, packages: tuple[str, ...]) -> Seen:
    """Run every test file twice, under coverage and by itself; keep what it executes and its seconds.

    What is known of a file stays in the folder until it or the packages change; what does not pass in the
    copy is not asked.
    """
    kept_in = folder / way / digest(*(path for name in packages for path in (where / name).rglob("*.py")))
    kept_in.mkdir(parents=True, exist_ok=True)
    files = [file.relative_to(where).as_posix() for file in sorted((where / "tests").rglob("test_*.py"))]
    seen, forks = Seen(), None
    for name in [*files, *packages]:  # the packages for their examples
        if way == "compiled" and "compiled" not in _text(where / name):
            continue
        kept = kept_in / f"{name.replace('/', '-')}.{digest(where / name)}.json"
        if not kept.exists():
            print(f"looking at {name} ({way})", file=sys.stderr, flush=True)
            forks = forks or Forks(where, environment(folder, way))
            found = _looked(where, folder, way, name)
            seconds = (
                forks.run(sorted(found["tests"]), 1800.0, first=False)["seconds"] if found["tests"] else {}
            )
            kept.write_text(json.dumps(found | {"seconds": seconds}))
        found = json.loads(kept.read_text())
        seen.seconds |= found["seconds"]
        for file, lines in found["lines"].items():
            for line, tests in lines.items():
                seen.lines[file][int(line)].update(found["tests"][k] for k in tests)
    if forks is not None:
        forks.close()
    return seen


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def digest(*paths: Path) -> str:
    """Return a short name of what stands in files."""
    return hashlib.blake2b("".join(map(_text, sorted(paths))).encode(), digest_size=6).hexdigest()


def _looked(where: Path, folder: Path, way: str, name: str) -> dict[str, Any]:
    import coverage  # of those who ask, not of those who read a report

    rc, data = where / ".rc", where / ".data"
    data.unlink(missing_ok=True)
    rc.write_text(f"[run]\nsource = cdgrab_sim,theory\ndata_file = {data}\n")
    pytest = ["-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", "benchmarks._contexts"]
    words = [sys.executable, "-m", "coverage", "run", f"--rcfile={rc}", *pytest, "-m", WAYS[way], name]
    env = os.environ | environment(folder, way) | {"PYTHONPATH": str(where)}
    subprocess.run(words, cwd=where, env=env, capture_output=True, check=False)
    measured, tests = coverage.CoverageData(str(data)), {}
    measured.read()
    lines = {
        Path(file).relative_to(where).as_posix(): {
            line: [tests.setdefault(one, len(tests)) for one in contexts if one]
            for line, contexts in measured.contexts_by_lineno(file).items()
        }
        for file in measured.measured_files()
    }
    return {"tests": list(tests), "lines": lines}
