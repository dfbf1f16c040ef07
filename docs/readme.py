"""Write the tables and pictures of README.md: every number there is printed by a command in this file.

make readme
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import sys
import tempfile
from pathlib import Path

from cdgrab_sim import cli

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
FIGURES = ROOT / "docs" / "figures"

# name of the block -> words of the command; its table goes into README.md, its figure into docs/figures.
BLOCKS: dict[str, list[str]] = {
    "speedup": ["speedup"],
    "herding": ["herding"],
    "real-data": ["speedup", "--data", "cdgrab_sim/data/breast_cancer.csv", "--target", "target"],
}


def build(name: str, words: list[str]) -> str:
    """Run one command; return what it prints, and keep its figure."""
    text = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(text):
            code = cli.main([*words, "--out", folder])
        if code != 0:
            raise SystemExit(f"cdgrab {' '.join(words)}: exit code {code}\n{text.getvalue()}")
        shutil.copy(Path(folder) / "figure.svg", FIGURES / f"{name}.svg")
    return text.getvalue().rstrip()


def replace(readme: str, name: str, words: list[str], table: str) -> str:
    """Put a table between the markers of its block."""
    block = f"<!-- {name} -->\n```\n$ cdgrab {' '.join(words)}\n{table}\n```\n<!-- end -->"
    found, count = re.subn(rf"<!-- {name} -->.*?<!-- end -->", lambda _: block, readme, flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"README.md: expected one block {name!r}; got {count}")
    return found


def main() -> None:
    """Build the blocks that are named on the command line, or all."""
    FIGURES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or BLOCKS:
        table = build(name, BLOCKS[name])
        README.write_text(replace(README.read_text(), name, BLOCKS[name], table))


if __name__ == "__main__":
    main()
