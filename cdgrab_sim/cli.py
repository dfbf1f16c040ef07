"""The command line: one sub-command per experiment, and no logic.

Results go to stdout, progress and errors to stderr. Exit codes: 0 done; 1 done, and a row disagrees with its
prediction, or a cell failed; 2 wrong input, before any work; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from cdgrab_sim import experiments
from cdgrab_sim._version import __version__

# Commands that are no experiments: module with add_arguments(parser) and run(args) -> text, and a line.
_TOOLS: dict[str, tuple[str, str]] = {
    "run": ("cdgrab_sim._commands._run", "Run one ordering on one problem and print it."),
    "list": ("cdgrab_sim._commands._list", "List orderings, problems and experiments."),
    "demo": ("cdgrab_sim._commands._demo", "See why order matters: a live app, or a page to hand out."),
    "sweep": (
        "cdgrab_sim._sweep._command",
        "Run a grid of configurations into one file; run it again to resume.",
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    args = _parser(words).parse_args(words)
    try:
        return int(args.command(args))
    except KeyboardInterrupt:
        print(f"\ninterrupted{_how_to_resume(words, args)}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of stdout went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        print(f"cdgrab: error: {error}", file=sys.stderr)
        return 2
    except RuntimeError as error:  # some cells failed; the others are done
        print(f"cdgrab: failed: {error}", file=sys.stderr)
        return 1


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cdgrab", description="Measure example orderings in SGD against theory.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"cdgrab {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    groups = {"": commands}
    for name, question in experiments.EXPERIMENTS.items():
        group, _, word = name.rpartition(" ")
        if group not in groups:
            line = "Experiments: " + ", ".join(n for n in experiments.EXPERIMENTS if n.startswith(group))
            one = commands.add_parser(group, help=line, description=line, allow_abbrev=False)
            groups[group] = one.add_subparsers(title="commands", metavar="COMMAND", required=True)
        sub = groups[group].add_parser(word, help=question, description=question, allow_abbrev=False)
        if {*name.split()} <= {*words}:  # heavy imports happen for the command that runs only
            _add_experiment(sub, name)
    for name, (module, line) in _TOOLS.items():
        sub = commands.add_parser(name, help=line, description=line, allow_abbrev=False)
        if name in words:
            tool = import_module(module)
            tool.add_arguments(sub)
            sub.set_defaults(command=_tool, run=tool.run)
    return parser


def _how_to_resume(words: Sequence[str], args: argparse.Namespace) -> str:
    if not hasattr(args, "resume"):  # a tool: nothing was kept
        return ""
    return f"; resume with: cdgrab {shlex.join(words if args.resume else [*words, '--resume'])}"


def _tool(args: argparse.Namespace) -> int:
    found = args.run(args)
    if isinstance(found, int):  # it wrote its results itself, and this is the exit code
        return found
    print(found)
    return 0


def _add_experiment(parser: argparse.ArgumentParser, name: str) -> None:
    add = parser.add_argument
    add("--seed", type=int, default=0, help="the only source of randomness (default: 0)")
    add("--quick", action="store_true", help="smaller sizes, for a look in seconds")
    add("--jobs", type=int, default=os.cpu_count(), help="processes (default: the cores)")
    add("--out", type=Path, metavar="FOLDER", help=f"where files go (default: {_folder(name)})")
    add("--resume", action="store_true", help="keep the finished cells of an interrupted run")
    add("--scheduler", metavar="tcp://HOST:PORT", help="run the cells on this dask scheduler")
    add("--json", action="store_true", help="print one JSON object instead of the table")
    add("-q", "--quiet", action="store_true", help="no progress")
    own = getattr(experiments.load(name), "add_arguments", None)
    known = {action.dest for action in parser._actions}
    if own is not None:
        own(parser)
    names = [action.dest for action in parser._actions if action.dest not in known]
    parser.set_defaults(command=_experiment, name=name, own=names)


def _folder(name: str) -> Path:
    return Path("results", *name.split())


def _experiment(args: argparse.Namespace) -> int:
    from cdgrab_sim import _checks, _files
    from cdgrab_sim.experiments._experiment import Options

    folder: Path = args.out or _folder(args.name)
    _files.writable_folder(folder)
    store = folder / "cells.sqlite"
    if not args.resume:
        _forget(store)
    options = Options(
        seed=_checks.integer("--seed", args.seed, low=0),
        quick=args.quick,
        jobs=_checks.size("--jobs", args.jobs),
        progress=not args.quiet,
        store=store,
        scheduler=args.scheduler,
    )
    own: dict[str, Any] = {name: getattr(args, name) for name in args.own}
    result = experiments.load(args.name).run(options, **own)
    result.save(folder)
    if experiments.has_figure(args.name):
        _draw(result, folder)
    _forget(store)
    print(result.to_json() if args.json else result.table())
    if not args.quiet:
        print(f"files: {folder}", file=sys.stderr)
    return int(any(row.verdict in experiments.FAILED for row in result.rows))


def _forget(store: Path) -> None:
    for path in store.parent.glob(f"{store.name}*"):  # with the logs that a kill leaves behind
        path.unlink()


def _draw(result: Any, folder: Path) -> None:
    from cdgrab_sim import plots

    plots.save(experiments.figure(result), folder)
