"""Run all benchmarks, or compare them with the committed reference.

    python -m benchmarks.run [--quick] [--only NAME ...] [--out FILE.json]
    python -m benchmarks.run --check | --write [--quick] [--only NAME ...]

With --check, a guarded number that is more than 25 % above reference.json (counted instructions: 10 %) is
measured once more, and fails where it is above both times: a regression stays, a busy machine rarely does.
--write makes a new reference.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from benchmarks._race import HEADER, Row

NAMES = (
    "startup", "instructions", "hand_fused", "updates", "observe", "end_to_end", "growth",
    "interleave", "thinning", "asynchronous", "sweep_overhead", "memory", "jobs",
)  # fmt: skip
REFERENCE = Path(__file__).with_name("reference.json")

Table = dict[str, list[Row]]


def measured(names: Iterable[str], quick: bool) -> Table:
    """Run benchmarks one by one, with their rows on the screen as they come."""
    table: Table = {}
    for name in names:
        module, start = import_module(f"benchmarks.{name}"), time.perf_counter()
        print(f"\n{module.__doc__.splitlines()[0]}\n{HEADER}")
        table[name] = []
        for row in module.measure(quick):
            table[name].append(row)
            print(row.line(), flush=True)
        print(f"[{name}: {time.perf_counter() - start:.0f} s]")
    return table


def guarded(table: Table) -> dict[str, Row]:
    return {row.name: row for rows in table.values() for row in rows if row.guarded and row.best is not None}


def slower(rows: dict[str, Row], reference: dict[str, float]) -> dict[str, float]:
    """Return by how much numbers exceed the reference, where beyond their slack."""
    factors = {name: row.best / reference[name] for name, row in rows.items() if name in reference}
    return {name: factor for name, factor in factors.items() if factor > rows[name].slack}


def check(table: Table, quick: bool) -> int:
    """Compare with the reference; measure again what seems slower."""
    stored = json.loads(REFERENCE.read_text())["ratios"]
    reference = {name: best for module in table for name, best in stored.get(module, {}).items()}
    suspects = slower(guarded(table), reference)
    again = [module for module, rows in table.items() if suspects.keys() & {row.name for row in rows}]
    if again:
        print(f"\nbeyond the reference, measuring once more: {', '.join(suspects)}")
        second = slower(guarded(measured(again, quick)), reference)
        suspects = {name: min(factor, second[name]) for name, factor in suspects.items() if name in second}
    for name in reference.keys() - guarded(table).keys():
        print(f"not measured: {name}")
    for name in guarded(table).keys() - reference.keys():
        print(f"not in the reference, run --write: {name}")
    for name, factor in suspects.items():
        print(f"SLOWER  {name}: {factor:.2f} times the reference")
    print(f"{len(guarded(table)) - len(suspects)} of {len(guarded(table))} ratios hold")
    return 1 if suspects else 0


def machine() -> dict[str, str]:
    import numba
    import numpy as np

    return {
        "machine": platform.machine(), "python": platform.python_version(),
        "numpy": np.__version__, "numba": numba.__version__,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two minutes, noisier numbers")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="all rows")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="fail beyond 25 %% of the reference")
    mode.add_argument("--write", action="store_true", help="replace the reference of what was run")
    args = parser.parse_args()
    table = measured(args.only, args.quick)
    rows = {module: [asdict(row) for row in rows] for module, rows in table.items()}
    if args.out is not None:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")
    missed = [row.name for part in table.values() for row in part if row.missed]
    print("", f"budgets missed: {len(missed)}", *missed, sep="\n")
    if args.write:
        old = json.loads(REFERENCE.read_text())["ratios"] if REFERENCE.exists() else {}
        new = {
            module: {name: row.best for name, row in guarded({module: part}).items()}
            for module, part in table.items()
        }
        REFERENCE.write_text(json.dumps({"machine": machine(), "ratios": old | new}, indent=1) + "\n")
    return check(table, args.quick) if args.check else 0


if __name__ == "__main__":
    sys.exit(main())
