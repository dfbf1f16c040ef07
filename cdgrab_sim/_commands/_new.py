"""``cdgrab new``: a file with a record of one's own and its test, ready to be changed."""

from __future__ import annotations

import argparse
import keyword
from importlib.resources import files
from pathlib import Path

from cdgrab_sim import _plugins
from cdgrab_sim._files import writable_file, written_whole

KINDS = ("ordering", "problem", "update")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what is new, and its name."""
    parser.add_argument("kind", choices=KINDS, help="what it is")
    parser.add_argument("name", metavar="NAME", help="letters, digits, - and _; the file is NAME.py")


def run(args: argparse.Namespace) -> str:
    """Write the file and say what can be done with it."""
    python = args.name.replace("-", "_").lower()
    if not python.isidentifier() or keyword.iskeyword(python) or python.startswith("_"):
        raise ValueError(f"NAME: expected a letter, then letters, digits, - and _; got {args.name!r}")
    name, path = python.replace("_", "-"), Path(f"{python}.py")
    if name in _plugins.REGISTRIES[args.kind]:
        raise ValueError(f"NAME: expected a new name; the {args.kind} {name!r} is registered")
    if path.exists():
        raise ValueError(f"{path}: expected no file of this name; it is there; choose another NAME")
    writable_file(path)
    text = files("cdgrab_sim._commands._templates").joinpath(f"{args.kind}.py").read_text(encoding="utf-8")
    text = text.replace(f"my_{args.kind}", python).replace(f"my-{args.kind}", name)
    with written_whole(path) as file:
        file.write(text.encode())
    then = f"cdgrab run --load {path} --{args.kind} {name}"
    then += f"; cdgrab score {path}" if args.kind == "ordering" else ""
    return f"{path}: {args.kind} {name!r} with its test; try: pytest {path}; {then}"
