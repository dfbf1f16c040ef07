"""The command of every experiment: where its files go, who may write there, and in which order."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cdgrab_sim import _checks, experiments
from cdgrab_sim._commands import _page
from cdgrab_sim._files import writable_folder, written_whole
from cdgrab_sim._sweep._lock import locked
from cdgrab_sim._version import __version__
from cdgrab_sim.experiments._experiment import Options, Result

# Arguments that do not decide the result.
_WHERE = {
    "jobs",
    "out",
    "resume",
    "force",
    "scheduler",
    "json",
    "quiet",
    "command",
    "name",
    "own",
    "standard",
}
_STORE = ("cells.sqlite", "cells.sqlite-wal", "cells.sqlite-shm", "cells.sqlite-journal", "started.json")
_PACKAGES = ("numpy", "scipy", "numba")


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the arguments of every experiment, and its own."""
    add = parser.add_argument
    add("--seed", type=int, default=0, help="the only source of randomness (default: 0)")
    add("--quick", action="store_true", help="smaller sizes, for a look in seconds")
    add("--jobs", type=int, default=os.cpu_count(), help="processes (default: the cores)")
    where = f"where files go (default: {_named(name)}, and the settings that are not the default ones)"
    add("--out", type=Path, metavar="FOLDER", help=where)
    add("--resume", action="store_true", help="keep the finished cells of an interrupted run")
    add("--force", action="store_true", help="overwrite the results of other settings")
    add("--scheduler", metavar="tcp://HOST:PORT", help="run the cells on this dask scheduler")
    add("--json", action="store_true", help="print one JSON object instead of the table")
    add("-q", "--quiet", action="store_true", help="no progress")
    own = getattr(experiments.load(name), "add_arguments", None)
    known = {action.dest for action in parser._actions}
    if own is not None:
        own(parser)
    names = [action.dest for action in parser._actions if action.dest not in known]
    standard = {action.dest: action.default for action in parser._actions if action.dest != "help"}
    parser.set_defaults(command=run, name=name, own=names, standard=standard)


def run(args: argparse.Namespace) -> int:
    """Run an experiment, keep and print what it found, and draw it last; return the exit code."""
    options = Options(
        seed=_checks.integer("--seed", args.seed, low=0),
        quick=args.quick,
        jobs=_checks.size("--jobs", args.jobs),
        progress=not args.quiet,
        scheduler=args.scheduler,
    )
    settings = {"arguments": _arguments(args), "versions": _versions()}
    folder: Path = args.out or _folder(args)
    writable_folder(folder)
    with locked(folder / "table.csv"):
        return _run(args, options, folder, settings)


def _run(args: argparse.Namespace, options: Options, folder: Path, settings: dict[str, Any]) -> int:
    if not args.force:
        _refuse_others(folder, settings)
    if not args.resume:
        _forget(folder)
    _begin(folder, settings)
    own: dict[str, Any] = {name: getattr(args, name) for name in args.own}
    options = replace(options, store=folder / _STORE[0])
    result = experiments.load(args.name).run(options, **own)
    result.save(folder, settings)
    _forget(folder)
    print(result.to_json() if args.json else result.table(), flush=True)
    _draw(result, folder)
    _report(result, folder)
    for part in result.parts:
        own_folder = folder / _page.folder_of(part)
        own_folder.mkdir(exist_ok=True)
        part.save(own_folder, settings)
        _draw(part, own_folder)
    if result.parts:
        _page.write(folder, result, result.parts)
    if not args.quiet:
        print(f"files: {folder}", file=sys.stderr)
    return int(_failed(result, options.quick))


def _failed(result: Result, quick: bool) -> bool:
    """Tell whether a row is no pass; at quick sizes rows may stay open, but for those of the check."""
    if result.parts:
        return any(_failed(part, quick) for part in result.parts)
    may_be_open = quick and result.experiment != "check"
    words = experiments.CONTRADICTED if may_be_open else experiments.FAILED
    return any(row.verdict in words for row in result.rows)


def _arguments(args: argparse.Namespace) -> dict[str, Any]:
    """Return what decides the result, as plain JSON; of a file also what is in it."""
    named = _deciding(args)
    paths = {name: value.resolve() for name, value in named.items() if isinstance(value, Path)}
    inside = {f"contents of --{name}": _digest(path) for name, path in paths.items() if path.is_file()}
    loaded = {str(path.resolve()): _digest(path) for path in named.pop("load", [])}
    named |= {"load": loaded} if loaded else {}
    return named | {name: str(path) for name, path in paths.items()} | inside


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:16]


def _deciding(args: argparse.Namespace) -> dict[str, Any]:
    return {name: value for name, value in vars(args).items() if name in args.standard and name not in _WHERE}


def _versions() -> dict[str, str]:
    packages = {name: metadata.version(name) for name in _PACKAGES}
    return {"cdgrab_sim": __version__, "python": platform.python_version(), **packages}


def _named(name: str) -> Path:
    return Path("results", *name.split())


def _folder(args: argparse.Namespace) -> Path:
    """Name a folder after the settings that are not the default ones."""
    words = [_named(args.name).name]
    for name, value in _deciding(args).items():
        if value == args.standard[name]:
            continue
        option = name if value or not isinstance(value, bool) else f"no-{name}"
        values = [] if isinstance(value, bool) else value if isinstance(value, list) else [value]
        words += [option, *(one.stem if isinstance(one, Path) else str(one) for one in values)]
    longest = 120  # names of files end at 255 bytes
    return _named(args.name).with_name("-".join(re.sub(r"[^\w.=+]+", "-", word) for word in words)[:longest])


def _refuse_others(folder: Path, settings: Mapping[str, Any]) -> None:
    """Refuse a folder with the results of other settings."""
    config = folder / "config.json"
    if config.exists():
        found = _read(config).get("arguments")
        if found is None:
            raise ValueError(f"{folder}: holds results of unknown settings; choose another --out, or --force")
        if found != settings["arguments"]:
            what = _difference(found, settings["arguments"])
            raise ValueError(
                f"{folder}: holds results of other settings ({what}); choose another --out, or --force"
            )


def _begin(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write down what an interrupted run was started with; refuse to go on with anything else."""
    started = folder / _STORE[-1]
    if started.exists():
        found = _read(started)
        if found != settings:
            versions = {f"version of {name}": text for name, text in settings["versions"].items()}
            before = {f"version of {name}": text for name, text in found.get("versions", {}).items()}
            what = _difference(found.get("arguments", {}) | before, settings["arguments"] | versions)
            raise ValueError(
                f"{folder}: an interrupted run of other settings ({what}); leave out --resume to begin again"
            )
    with written_whole(started) as file:
        file.write(json.dumps(settings).encode())


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = [name for name in {**now, **before} if before.get(name) != now.get(name)]
    return ", ".join(f"{name}: {before.get(name)}, now {now.get(name)}" for name in names)


def _forget(folder: Path) -> None:
    for name in _STORE:  # with the logs that a kill leaves behind
        (folder / name).unlink(missing_ok=True)


def _report(result: Result, folder: Path) -> None:
    """Write the page of an experiment that has one of its own."""
    name = f"{experiments.load(result.experiment).__name__}.report"
    if find_spec(name) is not None:
        with written_whole(folder / "report.html") as file:
            file.write(import_module(name).page(result).encode())


def _draw(result: Result, folder: Path) -> None:
    """Draw what can be drawn; numbers are safe by now."""
    if not result.data or not experiments.has_figure(result.experiment):
        return
    try:
        from cdgrab_sim import plots

        plots.save(experiments.figure(result), folder)
    except Exception as error:  # fonts, styles, backends: matplotlib raises whatever it likes
        for kind in ("svg", "pdf", "png"):  # none of another result beside these numbers
            (folder / f"figure.{kind}").unlink(missing_ok=True)
        reason = " ".join(str(error).split())
        print(f"figure: not drawn ({reason}); the numbers are in {folder}", file=sys.stderr)
