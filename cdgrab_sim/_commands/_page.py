"""One page over several results: every table, verdict and figure, for a browser and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from cdgrab_sim._files import written_whole
from cdgrab_sim.experiments import EXPERIMENTS
from cdgrab_sim.experiments._experiment import Result

_HEAD = (
    '<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>cdgrab all</title>\n'
    "<style>body{font-family:sans-serif;margin:2em}pre{overflow-x:auto}img{max-width:100%}</style>\n"
)


def folder_of(result: Result) -> str:
    """Return the name of the folder of one result beside the page."""
    return result.experiment.replace(" ", "-")


def write(folder: Path, summary: Result, parts: Sequence[Result]) -> None:
    """Write index.html and summary.md; tables and figures are in the folders of the parts already."""
    html, text = [_HEAD, f"<h1>cdgrab all</h1>\n<pre>{escape(summary.table())}</pre>\n"], []
    text += ["# cdgrab all\n", f"```\n{summary.table()}\n```\n"]
    for part in parts:
        name, where = part.experiment, folder_of(part)
        question = EXPERIMENTS.get(name, "")
        files = [path.name for path in sorted((folder / where).iterdir()) if path.is_file()]
        html.append(f'<h2 id="{where}">cdgrab {escape(name)}</h2>\n<p>{escape(question)}</p>\n')
        html.append(f"<pre>{escape(part.table())}</pre>\n")
        text += [f"## cdgrab {name}\n", f"{question}\n", f"```\n{part.table()}\n```\n"]
        if "figure.svg" in files:
            html.append(f'<img src="{where}/figure.svg" alt="figure of cdgrab {escape(name)}">\n')
            text.append(f"![figure of cdgrab {name}]({where}/figure.svg)\n")
        html.append("<p>" + ", ".join(f'<a href="{where}/{file}">{file}</a>' for file in files) + "</p>\n")
        text.append(", ".join(f"[{file}]({where}/{file})" for file in files) + "\n")
    for name, page in (("index.html", "".join(html)), ("summary.md", "\n".join(text))):
        with written_whole(folder / name) as file:
            file.write(page.encode())
