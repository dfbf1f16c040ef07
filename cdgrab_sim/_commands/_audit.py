"""``cdgrab audit``: recorded orders of a data loader against what they are meant to be."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim import _checks, audit
from cdgrab_sim._files import writable_folder
from cdgrab_sim._types import FloatArray
from cdgrab_sim.audit._epochs import checked
from cdgrab_sim.audit._reading import read_columns
from cdgrab_sim.experiments._experiment import Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what was recorded, and what is known of it."""
    add = parser.add_argument
    add(
        "orders",
        type=Path,
        metavar="FILE",
        help="orders: .npy (T, N) or (T, m, n), or CSV; see cg.audit.read",
    )
    add("--examples", type=int, help="how many there are (default: one more than the largest number)")
    add("--local", action="store_true", help="each rank numbers the examples of its own from 0")
    add(
        "--columns",
        type=Path,
        metavar="FILE.csv",
        help="what orders must not follow: a line for each example",
    )
    add(
        "--features",
        type=Path,
        metavar="FILE.npy",
        help="(examples, d), for the herding errors of the figure",
    )
    add(
        "--known", action="append", default=[], metavar="FAULT", help="a fault that is meant; may be repeated"
    )
    add("--error", type=float, default=0.01, help="chance to accuse a loader without faults (default: 0.01)")
    add(
        "--out",
        type=Path,
        default=Path("results/audit"),
        metavar="FOLDER",
        help="where files go (default: %(default)s)",
    )
    add("--json", action="store_true", help="print one JSON object instead of the table")


def run(args: argparse.Namespace) -> int:
    """Audit, print and draw; return 1 where a fault was found."""
    orders = audit.read(args.orders)
    _, count = checked(orders, args.examples, args.local)
    columns = {} if args.columns is None else read_columns(args.columns)
    features = None if args.features is None else _features(args.features, count)
    writable_folder(args.out)
    named: dict[str, Any] = {"examples": args.examples, "local": args.local}
    found = audit.examine(orders, columns=columns, known=args.known, error=args.error, **named)
    config = named | {"orders": str(args.orders), "known": args.known, "error": args.error}
    result = Result("audit", config, found.findings, {})
    result.save(args.out)
    print(result.to_json() if args.json else result.table(), flush=True)
    try:
        from cdgrab_sim import plots
        from cdgrab_sim._commands._audit_figure import panels

        plots.save(plots.together(panels(orders, columns, features, **named)), args.out)
    except Exception as error:  # fonts, styles, backends: matplotlib raises whatever it likes
        print(f"figure: not drawn ({' '.join(str(error).split())})", file=sys.stderr)
    print(f"files: {args.out}", file=sys.stderr)
    return int(bool(found.faults))


def _features(path: Path, examples: int) -> FloatArray:
    try:
        found = np.load(path, allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # damage makes NumPy raise whatever it likes
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: expected a .npy file of numbers; got another ({reason})") from None
    z = _checks.floats("--features", found, 2)
    if len(z) != examples:
        raise ValueError(f"{path}: expected features ({examples}, d), a row for each example; got {z.shape}")
    return z
