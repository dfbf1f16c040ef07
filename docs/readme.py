"""Write the tables, prints and pictures of README.md: all come from commands and programs that stand in it.

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
from cdgrab_sim.experiments._times import in_words

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
FIGURES = ROOT / "docs" / "figures"

# name of the block -> words of the command; its table goes into README.md, its figure into docs/figures.
BLOCKS: dict[str, list[str]] = {
    "speedup": ["speedup"],
    "herding": ["herding"],
    "real-data": ["speedup", "--data", "cdgrab_sim/data/breast_cancer.csv", "--target", "target", "-n", "16"],
    "rates": ["rates", "tuned"],
}
QUESTION = re.compile(r"^(\| [^|\n]+ \| (`cdgrab [^|\n]+`)) \|[^|\n]*\|$", re.MULTILINE)
PROGRAM = re.compile(
    r"```python\n(?P<code>.*?)```\n(\n<!-- prints -->\n(```\n(?P<prints>.*?)```\n)?<!-- end -->\n)?",
    re.DOTALL,
)


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


def run(code: str, folder: Path) -> str:
    """Run a program of README.md in a folder; return what it prints."""
    text = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(text):
        exec(compile(code, README.name, "exec"), {"__name__": "__main__"})
    return text.getvalue()


def programs(readme: str) -> str:
    """Run all programs; put what they print behind them, and keep their pictures."""

    def written(match: re.Match[str]) -> str:
        with tempfile.TemporaryDirectory() as folder:
            printed = run(match["code"], Path(folder))
            for picture in Path(folder).glob("*.svg"):
                shutil.copy(picture, FIGURES)
        block = f"\n<!-- prints -->\n```\n{printed}```\n<!-- end -->\n" if printed else ""
        return f"```python\n{match['code']}```\n{block}"

    return PROGRAM.sub(written, readme)


def times(readme: str) -> str:
    """Put run times, as they were measured, beside the commands of the table of questions."""

    def timed(match: re.Match[str]) -> str:
        first, *others = re.findall(r"`([^`]+)`", match[2])
        commands = [first, *(f"{first.rpartition(' ')[0]} {word}" for word in others)]
        names = [command.removeprefix("cdgrab ") for command in commands]
        return f"{match[1]} | {in_words(*names)} |"

    return QUESTION.sub(timed, readme)


def main() -> None:
    """Build the blocks that are named on the command line, or all; `programs` and `times` are two more."""
    FIGURES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or [*BLOCKS, "programs", "times"]:
        readme = README.read_text()
        if name in ("programs", "times"):
            README.write_text({"programs": programs, "times": times}[name](readme))
        else:
            README.write_text(replace(readme, name, BLOCKS[name], build(name, BLOCKS[name])))


if __name__ == "__main__":
    main()
