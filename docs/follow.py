"""Follow README.md to the letter, as a new user would: in a copy of the repository, without any environment.

    python docs/follow.py [--print]

Every command that stands there as a block runs in one shell, in the order of the page, and every program;
what README.md shows as their output is compared with what they print. The commands of the table of questions
run with ``--quick``. Needs python3.11, make, git, and what pip needs; takes some minutes.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PARTS = re.compile(
    r"""
    ^```python\n(?P<code>.*?)^```\n(?:\n<!--\ prints\ -->\n```\n(?P<prints>.*?)```\n)?
    | ^```\n\$\ (?P<shown>[^\n]+)\n(?P<output>.*?)^```\n
    | ^\ {4}(?P<command>[^\n]+)$
    | ^\|[^|\n]*\|\ (?P<question>`cdgrab\ [^|\n]*)\ \|[^|\n]*\|$
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


class Step(NamedTuple):
    """A line of README.md, what a shell is told there, and what the page says it prints, if it says so."""

    line: int
    command: str
    prints: str | None


def steps(text: str) -> list[Step]:
    """Return what README.md tells its reader to do, from top to bottom."""
    table = re.search(r"^\| question \| command \|[^\n]*\n.*?\n\n", text, re.DOTALL | re.MULTILINE)
    found = []
    for part in PARTS.finditer(text):
        line = text.count("\n", 0, part.start()) + 1
        if part["code"]:
            found.append(Step(line, f"python -c {shlex.quote(part['code'])}", part["prints"] or ""))
        elif part["shown"]:
            found.append(Step(line, part["shown"], part["output"]))
        elif part["command"]:
            found.append(Step(line, part["command"], None))
        elif table and table.start() < part.start() < table.end():
            found += [Step(line, f"{command} --quick", None) for command in _spelled_out(part["question"])]
    return found


def _spelled_out(cell: str) -> list[str]:
    """Return the commands of a cell, in which all but the first may be given by their last word."""
    first, *others = re.findall(r"`([^`]+)`", cell)
    return [first, *(f"{first.rpartition(' ')[0]} {word}" for word in others)]


def script(todo: list[Step], outputs: Path) -> str:
    """Return a shell script that takes the steps in one shell and stops at the first that fails."""
    lines = ["set -e"]
    for k, step in enumerate(todo):
        title = shlex.quote(f"README.md:{step.line}: {step.command.splitlines()[0]}")
        lines += [f"echo {title} >&2", f"{{ {step.command}", f"}} > {shlex.quote(str(outputs / str(k)))}"]
    return "\n".join(lines) + "\n"


def copy_to(folder: Path) -> None:
    """Copy what git tracks, as it stands in the working tree."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in names.decode().split("\0")[:-1]:
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def follow(folder: Path) -> list[str]:
    """Take every step in an empty folder; return what came out otherwise than README.md says."""
    todo = steps((ROOT / "README.md").read_text(encoding="utf-8"))
    copy, outputs = folder / "cdgrab_sim", folder / "outputs"
    outputs.mkdir()
    copy_to(copy)
    inherited = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL", "NUMBA"))
    }
    done = subprocess.run(["bash", "-c", script(todo, outputs)], cwd=copy, env=inherited, check=False)
    if done.returncode != 0:
        return [f"exit code {done.returncode}"]
    wrong = []
    for k, step in enumerate(todo):
        printed = (outputs / str(k)).read_text(encoding="utf-8")
        if step.prints is not None and printed.strip() != step.prints.strip():
            wrong.append(f"README.md:{step.line}: expected\n{step.prints}\ngot\n{printed}")
    return wrong


def main() -> int:
    """Follow, and say what went wrong."""
    if "--print" in sys.argv[1:]:
        todo = steps((ROOT / "README.md").read_text(encoding="utf-8"))
        sys.stdout.write("\n".join(f"{step.line}: {step.command}" for step in todo) + "\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        wrong = follow(Path(folder))
    sys.stderr.write("\n".join(wrong) + "\n" if wrong else "README.md holds\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
