"""Do the tests notice one changed token, anywhere in the two packages?

    python -m benchmarks.mutants --number 300 --seed 0

A seeded sample of the sites where an operator, a comparison, a number or a truth value could be another one.
Every mutant is one change in a copy of the sources. The tests that execute its statement run, the fastest
first, until one fails, with kernels as plain Python; then those that need machine code; then others that
execute something of its file. What takes three times its CPU time has noticed a loop that does not end.

What is done stays in the folder: the same command goes on where it was stopped, and `--again` tries what
lived with the tests of now.

Which tests execute which lines is found first, test file by test file, under coverage, and kept too.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import py_compile
import random
import shutil
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks._forks import Forks
from benchmarks._seen import WAYS, environment, look
from benchmarks._sites import Site, sites
from benchmarks.equivalent_mutants import EQUIVALENT, LEFT_OUT, SIZED

ROOT = Path(__file__).parent.parent
PACKAGES = ("cdgrab_sim", "theory")
COPIED = (*PACKAGES, *("tests", "docs", "benchmarks", "notebooks"))
COPIED += ("pyproject.toml", "README.md", "CHANGELOG.md")
IGNORED = shutil.ignore_patterns("__pycache__", "*.ipynb")
# CPU seconds, when nothing is changed: of the tests of the statement, and of the others of its file.
BUDGETS = (40.0, 10.0)
STARTS = {"plain": 20.0, "compiled": 200.0}  # CPU seconds to import, collect and compile


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
    """Copy what the tests need, and compile it so that a change is found by its text, not by its time."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, where / name, dirs_exist_ok=True, ignore=IGNORED)
            checked = py_compile.PycInvalidationMode.CHECKED_HASH
            compileall.compile_dir(where / name, quiet=2, invalidation_mode=checked)
        else:
            shutil.copy2(ROOT / name, where / name)


class Trial:
    """A copy of the sources, what its tests execute, and pytests that wait in it."""

    def __init__(self, folder: Path) -> None:
        self.where = folder / "copy"
        shutil.rmtree(self.where, ignore_errors=True)
        copy_of_the_sources(self.where)
        self.seen = {way: look(self.where, folder / "seen", way, PACKAGES) for way in WAYS}
        self.forks = {way: Forks(self.where, environment(folder / "seen", way)) for way in WAYS}

    def of(self, site: Site) -> dict[str, Any]:
        """Change one token in the copy, run the tests that see it, and put it back."""
        began, file = time.monotonic(), self.where / site.file
        source, times = file.read_text(encoding="utf-8"), file.stat()
        asked = {way: seen.tests(site.file, source, site.line) for way, seen in self.seen.items()}
        turns = [(way, k, budget) for k, budget in enumerate(BUDGETS) for way in WAYS]
        by = ""
        try:
            file.write_text(site.applied(source), encoding="utf-8")
            for way, k, budget in turns:
                by = by or self._killer(way, asked[way][k], budget)
        finally:
            file.write_text(source, encoding="utf-8")
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        tests = sum(len(asked[way][0]) for way in WAYS)
        return {
            "name": str(site),
            "text": site.text(source),
            "status": "killed" if by else "lived" if tests else "unseen",
            "by": by,
            "seconds": round(time.monotonic() - began, 1),
        }

    def _killer(self, way: str, tests: list[str], budget: float) -> str:
        """Run tests in growing groups; return the first that fails, or what else went wrong."""
        seconds, first, size = self.seen[way].seconds, 0, 10
        while first < len(tests) and budget > 0:
            group, first, size = tests[first : first + size], first + size, 4 * size
            expected = sum(seconds[test] for test in group)
            done = self.forks[way].run(group, STARTS[way] + 3.0 * expected)
            if done["code"] != 0:
                return done["failed"] or f"exit code {done['code']}"
            budget -= expected
        return ""

    def close(self) -> None:
        """End what waits."""
        for forks in self.forks.values():
            forks.close()


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
    parser.add_argument("--again", action="store_true", help="try once more what lived")
    parser.add_argument("--report", action="store_true", help="only what is known already")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    log = args.out / "tried.jsonl"
    done = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    known, chosen = {result["name"]: result for result in done}, sampled(args.number, args.seed)
    if not args.report:
        trial = Trial(args.out.resolve())
        with log.open("a") as kept:
            for k, site in enumerate(chosen, 1):
                if not _settled(known.get(str(site)), site, again=args.again):
                    found = known[str(site)] = trial.of(site)
                    print(f"{k}/{len(chosen)} {found['status']}: {site}", file=sys.stderr, flush=True)
                    print(json.dumps(found), file=kept, flush=True)
        trial.close()
    return report([known[str(site)] for site in chosen if str(site) in known])


def _settled(found: dict[str, Any] | None, site: Site, *, again: bool) -> bool:
    """Tell whether a result is known, of the same text."""
    source = (ROOT / site.file).read_text(encoding="utf-8")
    if found is None or found["text"] != site.text(source):
        return False
    return not again or found["status"] == "killed" or found["text"] in EQUIVALENT


if __name__ == "__main__":
    sys.exit(main())
