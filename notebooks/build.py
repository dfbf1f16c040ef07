"""Build the notebooks: run every NN_name.py and write NN_name.ipynb with outputs beside it.

    python notebooks/build.py [--check] [NAME ...]

Sources are Python scripts whose cells start with ``# %%`` or ``# %% [markdown]``. The same source gives the
same bytes: ids are numbers of cells, and no timings are kept. ``--check`` writes nothing and exits with 1
where a notebook differs from what its source gives.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

HERE = Path(__file__).parent
CELL = re.compile(r"^# %%(?P<markdown> \[markdown\])?\n", re.MULTILINE)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


def cells(source: str) -> list[tuple[str, str]]:
    """Return (kind, text) of every cell of a source; comment marks of markdown are taken off."""
    starts = [*CELL.finditer(source)]
    ends = [match.start() for match in starts[1:]] + [len(source)]
    found = []
    for match, end in zip(starts, ends, strict=True):
        text = source[match.end() : end].strip("\n")
        if match["markdown"]:
            found.append(("markdown", re.sub(r"^# ?", "", text, flags=re.MULTILINE)))
        else:
            found.append(("code", text))
    return found


def executed(path: Path) -> str:
    """Run a source and return the notebook as text."""
    book = nbformat.v4.new_notebook(metadata=METADATA)
    make = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    for k, (kind, text) in enumerate(cells(path.read_text(encoding="utf-8"))):
        book.cells.append(make[kind](text, id=f"cell-{k:02d}"))
    NotebookClient(
        book,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # otherwise time decides how prints are split
        config=Config({"KernelManager": {"transport": "ipc"}}),  # no open port
        extra_arguments=["--InteractiveShell.ast_node_interactivity=none"],  # reprs hold addresses
        resources={"metadata": {"path": HERE.parent}},
    ).execute()
    book.metadata = nbformat.from_dict(METADATA)  # without the version of Python that ran it
    for cell in book.cells:
        cell.metadata = nbformat.from_dict({})
    return nbformat.writes(book) + "\n"


def main(words: list[str]) -> int:
    """Build or check the notebooks whose names start with one of the words, or all."""
    names = tuple(word for word in words if word != "--check")
    os.environ.pop("CDGRAB_QUICK", None)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    stale = 0
    for path in sorted(HERE.glob("[0-9][0-9]_*.py")):
        if names and not path.name.startswith(names):
            continue
        text, target = executed(path), path.with_suffix(".ipynb")
        if "--check" not in words:
            target.write_text(text, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != text:
            sys.stderr.write(f"{target.name} is not what {path.name} gives: make notebooks\n")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
