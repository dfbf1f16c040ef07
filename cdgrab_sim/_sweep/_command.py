"""``cdgrab sweep``: the arguments, and what they do."""

from __future__ import annotations

import json
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from cdgrab_sim import _checks
from cdgrab_sim._sweep._api import plan_of, sweep
from cdgrab_sim._sweep._config import Config
from cdgrab_sim._sweep._engines import cores
from cdgrab_sim._sweep._estimate import seconds_left
from cdgrab_sim._sweep._grid import read_toml
from cdgrab_sim._sweep._open import reading
from cdgrab_sim._sweep._results import Sweep
from cdgrab_sim._sweep._simulation import Simulation

_UNITS = (("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0))


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of ``cdgrab sweep``."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml", help="tables [fixed], [grid] and [zip]")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE.sqlite", help="the store; runs resume"
    )
    parser.add_argument(
        "--jobs", type=int, default=cores(), metavar="N", help="processes (default: the cores)"
    )
    parser.add_argument(
        "--scheduler", metavar="tcp://HOST:PORT", help="run on the workers of a dask scheduler"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what is left and how long it should take")
    parser.add_argument("--json", action="store_true", help="the summary as JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress on stderr")


def run(args: Namespace) -> int:
    """Run a sweep; 0 when every run has a result, 1 when some have not, 130 on Ctrl-C."""
    _checks.size("--jobs", args.jobs)
    configs = read_toml(args.config)
    if args.dry_run:
        sys.stdout.write(_forecast(configs, args))
        return 0
    try:
        found = sweep(
            configs, store=args.out, jobs=args.jobs, executor=args.scheduler, progress=not args.quiet
        )
    except KeyboardInterrupt:
        sys.stderr.write(f"\ninterrupted; finished runs are kept; resume with: {_again(args)}\n")
        return 130
    return _report(found, args)


def _report(found: Sweep, args: Namespace) -> int:
    status, messages = found.status(), found.messages()
    if args.json:
        sys.stdout.write(json.dumps({"store": str(args.out), "status": status}) + "\n")
    else:
        counts = ", ".join(f"{count} {name}" for name, count in status.items() if name != "runs")
        sys.stdout.write(f"{args.out}: {status['runs']} runs: {counts}\n")
    for message in messages[:5]:
        sys.stderr.write(f"{message}\n")
    if len(messages) > 5:
        sys.stderr.write(f"... and {len(messages) - 5} more\n")
    return 1 if messages else 0


def _forecast(configs: Sequence[Config], args: Namespace) -> str:
    task = Simulation()
    plan = plan_of(task, configs)
    done: set[str] = set()
    if args.out.exists():
        with reading(args.out) as store:
            done = store.done()
    left = [json.loads(text) for key, text in plan.texts.items() if key not in done]
    stored = len(plan.texts) - len(left)
    seconds = seconds_left(task, left) / args.jobs
    if args.json:
        numbers = {"runs": len(plan.texts), "stored": stored, "left": len(left), "seconds": seconds}
        return json.dumps(numbers | {"jobs": args.jobs}) + "\n"
    return (
        f"{len(plan.texts)} runs: {stored} stored, {len(left)} left, about {_duration(seconds)} "
        f"with --jobs {args.jobs} (timed on a few epochs of a few of them)\n"
    )


def _duration(seconds: float) -> str:
    unit, size = next(((u, s) for u, s in _UNITS if seconds >= 2 * s), _UNITS[-1])
    return f"{seconds / size:.3g} {unit}"


def _again(args: Namespace) -> str:
    words = ["cdgrab", "sweep", str(args.config), "--out", str(args.out), "--jobs", str(args.jobs)]
    if args.scheduler:
        words += ["--scheduler", args.scheduler]
    return shlex.join(words + ["--quiet"] * args.quiet)
