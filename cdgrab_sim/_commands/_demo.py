"""``cdgrab demo``: the live app, or with ``--html`` the hand-out."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from cdgrab_sim._files import writable_file, written_whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add where the hand-out goes, and its sizes."""
    add = parser.add_argument
    add("--html", type=Path, metavar="FILE", help="write a page that works anywhere, instead of the live app")
    sizes = parser.add_argument_group("of the page; the live app has sliders")
    sizes.add_argument("-m", type=int, default=4, help="workers, 1..8 (default: 4)")
    sizes.add_argument("-n", type=int, default=24, help="examples per worker, 2..48 (default: 24)")
    sizes.add_argument("--epochs", type=int, default=12, help="epochs T, 1..20 (default: 12)")
    sizes.add_argument("--seed", type=int, default=0, help="the only source of randomness (default: 0)")


def run(args: argparse.Namespace) -> str | int:
    """Write the page, or serve the app until it is interrupted."""
    from cdgrab_sim import demo

    if args.html is None:
        return _serve()
    writable_file(args.html)
    text = demo.page(demo.lesson(m=args.m, n=args.n, epochs=args.epochs, seed=args.seed))
    with written_whole(args.html) as file:
        file.write(text.encode())
    return f"{args.html}: {len(text.encode()) / 1000:.0f} kB; open it in any browser"


def _serve() -> int:
    if find_spec("marimo") is None:
        raise ImportError(
            "demo: the live app needs marimo; install cdgrab-sim[demo], or write a page with --html FILE"
        )
    app = Path(__file__).parents[1] / "demo" / "app.py"
    command = [sys.executable, "-m", "marimo", "run", str(app)]
    if os.name == "posix":  # no child that could outlive us: whatever ends this process ends the server
        sys.stdout.flush()
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode
