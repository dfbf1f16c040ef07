"""Do the tests notice one changed token, anywhere in the two packages?

    python -m benchmarks.mutants --number 300 --seed 0

A seeded sample of the sites where an operator, a comparison, a number or a truth value could be another one.
Every mutant is one change in a copy of the sources. Only the tests that execute its statement run, the
fastest first, until one fails: with kernels as plain Python, and where that finds nothing and the file holds
compiled code, once more compiled. What is done stays in the folder: the same command goes on where it was
stopped.

Which tests execute which lines is found first, test file by test file, under coverage, and kept too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks._sites import Site, sites, statement_around
from benchmarks.equivalent_mutants import EQUIVALENT, LEFT_OUT, SIZED

ROOT = Path(__file__).parent.parent
PACKAGES = ("cdgrab_sim", "theory")
COPIED = (
    *PACKAGES,
    "tests",
    "docs",
    "benchmarks",
    "notebooks",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
)
SLOWEST, BUDGET = 20.0, 120.0  # seconds: of one test, and of all tests of a mutant, when nothing is changed
COMPILED = ("@kernel", "@inlined", "bound(")  # files with compiled code hold one of them
PYTEST = ["-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]

Seen = dict[str, dict[int, set[str]]]  # file -> line -> tests that execute it


def sampled(number: int, seed: int) -> list[Site]:
    """Draw sites of both packages without replacement, each as likely."""
    files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    names = [file.relative_to(ROOT).as_posix() for file in files]
    kept = [name for name in names if not any(part in name for part in LEFT_OUT)]
    every = [
        site
        for name in kept
        for site in sites(name, (ROOT / name).read_text(encoding="utf-8"), sizes=SIZED not in name)
    ]
    return random.Random(seed).sample(every, min(number, len(every)))


def copy_of_the_sources(where: Path) -> None:
    """Copy what the tests need."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, where / name, ignore=shutil.ignore_patterns("__pycache__", "*.ipynb")
            )
        else:
            shutil.copy(ROOT / name, where / name)


def run(where: Path, words: list[str], limit: float, *, compiled: bool, **more: str) -> int:
    """Run Python in the copy; return its exit code, 1 where it does not end in time."""
    env = os.environ | {"PYTHONPATH": str(where), "PYTHONDONTWRITEBYTECODE": "1"} | more
    env |= {"NUMBA_CACHE_DIR": str(where / ".numba")} if compiled else {"NUMBA_DISABLE_JIT": "1"}
    try:
        return subprocess.run(
            [sys.executable, *words], cwd=where, env=env, capture_output=True, timeout=limit
        ).returncode
    except subprocess.TimeoutExpired:
        return 1


def look(where: Path, folder: Path) -> tuple[Seen, dict[str, float]]:
    """Run every test file once under coverage; return what it executes, and the seconds of each test."""
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob("test_*.py"))
    seen: Seen = defaultdict(lambda: defaultdict(set))
    seconds: dict[str, float] = {}
    for name in [*names, *PACKAGES]:  # the packages for their examples
        kept = folder / (name.replace("/", "-") + ".json")
        if not kept.exists():
            print(f"looking at {name}", file=sys.stderr, flush=True)
            kept.write_text(json.dumps(_looked(where, name)))
        found = json.loads(kept.read_text())
        seconds |= found["seconds"]
        for file, lines in found["lines"].items():
            for line, tests in lines.items():
                seen[file][int(line)].update(found["tests"][k] for k in tests)
    return seen, seconds


def _looked(where: Path, name: str) -> dict[str, Any]:
    import coverage  # of those who ask, not of those who read a report

    rc, data, seconds = (where / part for part in (".rc", ".data", ".seconds"))
    for file in (data, seconds):
        file.unlink(missing_ok=True)
    rc.write_text(f"[run]\nsource = {','.join(PACKAGES)}\ndata_file = {data}\n")
    chosen = ["-p", "benchmarks._contexts", "-m", "not slow and not deep and not compiled", name]
    words = ["-m", "coverage", "run", f"--rcfile={rc}", *PYTEST, *chosen]
    run(where, words, 1800.0, compiled=False, SECONDS_OF_TESTS=str(seconds))
    if not (data.exists() and seconds.exists()):
        return {"seconds": {}, "tests": [], "lines": {}}
    measured = coverage.CoverageData(str(data))
    measured.read()
    tests: dict[str, int] = {}
    lines = {
        Path(file).relative_to(where).as_posix(): {
            line: [tests.setdefault(one, len(tests)) for one in contexts if one]
            for line, contexts in measured.contexts_by_lineno(file).items()
        }
        for file in measured.measured_files()
    }
    return {"seconds": json.loads(seconds.read_text()), "tests": list(tests), "lines": lines}


def tests_of(site: Site, source: str, seen: Seen, seconds: dict[str, float]) -> list[str]:
    """Return the tests that execute the statement of a site, the fastest first.

    A statement that runs at import belongs to no test: then all that execute something of its file may see
    it.
    """
    at, (first, last) = seen.get(site.file, {}), statement_around(source, site.line)
    tests = set().union(*(at.get(line, set()) for line in range(first, last + 1)))
    kept = [test for test in tests or set().union(*at.values()) if seconds.get(test, SLOWEST) < SLOWEST]
    return sorted(kept, key=lambda test: (seconds[test], test))


def tried(site: Site, where: Path, seen: Seen, seconds: dict[str, float]) -> dict[str, Any]:
    """Change one token in the copy, run the tests that see it, and put it back."""
    began, file = time.monotonic(), where / site.file
    source = file.read_text(encoding="utf-8")
    tests = tests_of(site, source, seen, seconds)
    try:
        file.write_text(site.applied(source), encoding="utf-8")
        status = _status(where, tests, seconds, compiled=False)
        if status == "lived" and any(word in source for word in COMPILED):
            status = _status(where, tests[:40], seconds, compiled=True)
            shutil.rmtree(where / ".numba", ignore_errors=True)
    finally:
        file.write_text(source, encoding="utf-8")
    took = round(time.monotonic() - began, 1)
    return {
        "name": str(site),
        "text": site.text(source),
        "status": status,
        "tests": len(tests),
        "seconds": took,
    }


def _status(where: Path, tests: list[str], seconds: dict[str, float], *, compiled: bool) -> str:
    """Run tests in growing groups until one fails."""
    spent, first, size = 0.0, 0, 10
    while first < len(tests) and spent < BUDGET:
        group, first, size = tests[first : first + size], first + size, 4 * size
        expected = sum(seconds[test] for test in group)
        limit = (300.0 if compiled else 60.0) + 20.0 * expected  # a loop that never ends is noticed, too
        if run(where, [*PYTEST, "-x", "-m", "", *group], limit, compiled=compiled) != 0:
            return "killed"
        spent += expected
    return "lived" if tests else "unseen"


def report(results: list[dict[str, Any]]) -> int:
    """Print the score of each file, what lived and what is equivalent; return 1 below 95 %."""
    judged = [result for result in results if result["text"] not in EQUIVALENT]
    by_file: dict[str, Counter[str]] = defaultdict(Counter)
    for result in judged:
        by_file[result["text"].split(" | ")[0]][result["status"]] += 1
    for file, counts in sorted(by_file.items()):
        print(f"{counts['killed']:4d} of {counts.total():4d}  {file}")
    for result in judged:
        if result["status"] != "killed":
            print(f"{result['status']}: {result['text']}")
    for text in sorted({result["text"] for result in results} & EQUIVALENT.keys()):
        print(f"equivalent: {text}: {EQUIVALENT[text]}")
    for part, reason in LEFT_OUT.items():
        print(f"not sampled: {part}: {reason}")
    died = sum(result["status"] == "killed" for result in judged)
    share, others = died / max(1, len(judged)), len(results) - len(judged)
    print(f"{died} of {len(judged)} mutants died ({share:.1%}); {others} more are equivalent")
    return int(share < 0.95)


def main() -> int:
    """Try what is not known yet, and report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "mutants")
    parser.add_argument("--report", action="store_true", help="only what is known already")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    log = args.out / "tried.jsonl"
    done = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    known, chosen = {result["name"]: result for result in done}, sampled(args.number, args.seed)
    if not args.report:
        with tempfile.TemporaryDirectory() as place, log.open("a") as kept:
            where = Path(place).resolve()
            copy_of_the_sources(where)
            seen, seconds = look(where, args.out / "seen")
            for k, site in enumerate(chosen, 1):
                if known.get(str(site), {}).get("text") != site.text(
                    (where / site.file).read_text(encoding="utf-8")
                ):
                    known[str(site)] = tried(site, where, seen, seconds)
                    print(
                        f"{k}/{len(chosen)} {known[str(site)]['status']}: {site}", file=sys.stderr, flush=True
                    )
                    kept.write(json.dumps(known[str(site)]) + "\n")
                    kept.flush()
    return report([known[str(site)] for site in chosen if str(site) in known])


if __name__ == "__main__":
    sys.exit(main())
