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

from cdgrab_sim import experiments
from cdgrab_sim._commands import _streams
from cdgrab_sim._version import __version__
from cdgrab_sim.experiments._times import in_words

# Commands that are no experiments: module with add_arguments(parser) and run(args) -> text, and a line.
_TOOLS: dict[str, tuple[str, str]] = {
    "run": ("cdgrab_sim._commands._run", "Run one ordering on one problem and print it."),
    "list": ("cdgrab_sim._commands._list", "List orderings, problems and experiments."),
    "new": ("cdgrab_sim._commands._new", "Write a file with an ordering, problem or update of your own."),
    "audit": ("cdgrab_sim._commands._audit", "Find out whether a data loader's order is what it should be."),
    "demo": ("cdgrab_sim._commands._demo", "See why order matters: a live app, or a page to hand out."),
    "sweep": (
        "cdgrab_sim._sweep._command",
        "Run a grid of configurations into one file; run it again to resume.",
    ),
}

_EXPERIMENT = "cdgrab_sim._commands._experiment"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.
    """
    _streams.prepare()
    words = list(sys.argv[1:] if argv is None else argv)
    args = _parser(words).parse_args(words)
    try:
        code = _command(args)
        sys.stdout.flush()  # here, where a reader that went away is no error
        return code
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


def _command(args: argparse.Namespace) -> int:
    from cdgrab_sim import _plugins  # needs numpy, which --help does without

    with _plugins.knowing(args.load) as args.loaded:
        return int(args.command(args))


def _may_load(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    words = "know the orderings, problems, updates and methods of this file; as often as there are files"
    parser.add_argument("--load", type=Path, action="append", default=[], metavar="FILE.py", help=words)
    return parser


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
        sub = _may_load(
            groups[group].add_parser(word, help=question, description=question, allow_abbrev=False)
        )
        if {*name.split()} <= {*words}:  # heavy imports happen for the command that runs only
            taken = in_words(name)
            sub.epilog = f"Takes about {taken} (one core)." if taken else None
            import_module(_EXPERIMENT).add_arguments(sub, name)
    for name, (module, line) in _TOOLS.items():
        sub = _may_load(commands.add_parser(name, help=line, description=line, allow_abbrev=False))
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
