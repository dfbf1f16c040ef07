"""One style for every figure, used through a context so that nobody's settings change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from cdgrab_sim import _checks, orderings
from cdgrab_sim._files import written_whole

# Okabe and Ito's colours, told apart by readers with any colour vision, but for their yellow, which no white
# page shows; markers and dashes say the same.
_RC: Any = {
    "figure.figsize": (4.8, 4.2),
    "figure.dpi": 150,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.markersize": 5,
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,
    "svg.hashsalt": "cdgrab_sim",  # the same ids in every run
}

# What is no ordering; orderings carry theirs on their records.
_LOOKS: dict[str, tuple[str, str, Any]] = {
    # sign rules
    "greedy": ("#D55E00", "*", "solid"),
    "greedy, independent": ("#0072B2", "^", (0, (5, 1, 1, 1))),
    "self-balancing": ("#009E73", "s", (0, (3, 1, 1, 1))),
    "hilbert": ("#CC79A7", "x", (0, (5, 1))),
    "random": ("#E69F00", "o", (0, (4, 2))),
    # ways to thin points, and sketches
    "halving": ("#CC79A7", "x", (0, (5, 1))),
    "thinning": ("#D55E00", "*", "solid"),
    "compress": ("#0072B2", "^", (0, (5, 1, 1, 1))),
    "columns": ("#E69F00", "o", (0, (4, 2))),
    "runs": ("#56B4E9", "D", (0, (6, 1, 1, 1))),
    "leverage": ("#009E73", "s", (0, (3, 1, 1, 1))),
    "count": ("#0072B2", "^", (0, (5, 1, 1, 1))),
    # who shares what, in regimes
    "rr, own shards": ("#E69F00", "o", (0, (4, 2))),
    "rr, copies of one shard": ("#E69F00", "s", "solid"),
    "rr, one order for all, own shards": ("#0072B2", "^", (0, (5, 1, 1, 1))),
    "rr, one order for all, copies of one shard": ("#000000", "D", (0, (1, 1))),
    # what servers do with late gradients
    "vanilla": ("#000000", "o", "solid"),
    "drop-by-age": ("#E69F00", "x", (0, (1, 1))),
    "rennala": ("#009E73", "s", (0, (4, 2))),
    "storm": ("#CC79A7", "+", (0, (5, 1))),
    "ordered-momentum-anytime": ("#0072B2", "^", (0, (5, 1, 1, 1))),
    "ordered-momentum-heavy-ball": ("#D55E00", "*", (0, (2, 1))),
    "ordered-momentum-mu-squared": ("#56B4E9", "D", (0, (6, 1, 1, 1))),
    # what is sent instead of gradients
    "plain": ("#000000", "+", "solid"),
    "Q": ("#E69F00", "o", (0, (4, 2))),
    "DIANA per worker": ("#0072B2", "^", (0, (5, 1, 1, 1))),
    "DIANA": ("#009E73", "s", (0, (3, 1, 1, 1))),
    # graphs
    "ring": ("#0072B2", "^", (0, (5, 1, 1, 1))),
    "torus": ("#E69F00", "o", (0, (4, 2))),
    "exponential": ("#009E73", "s", (0, (3, 1, 1, 1))),
    # problems
    "skewed": ("#009E73", "s", (0, (3, 1, 1, 1))),
    "quadratic, many examples": ("#0072B2", "^", (0, (5, 1, 1, 1))),
    "quadratic, few examples": ("#CC79A7", "X", (0, (5, 1))),
}
_INKS = ("#000000", "#333333")
_COLUMNS = 2  # of a figure with several panels
_OTHERS = ("#332288", "#882255", "#44AA99", "#117733")


@contextmanager
def style() -> Iterator[None]:
    """Use the shipped style for the figures made inside.

    Examples
    --------
    >>> with style():
    ...     mpl.rcParams["svg.fonttype"]
    'none'
    """
    with mpl.rc_context():
        mpl.rcdefaults()  # whatever the user's matplotlibrc asks for
        mpl.rcParams.update(_RC)
        yield


def literal(name: str) -> str:
    r"""Return a name of the user's as text that matplotlib draws as it is.

    Examples
    --------
    >>> literal("price_$a_$b.csv")
    'price_\\$a_\\$b.csv'
    """
    text = _checks.text("name", name)
    shown = "".join(letter if letter.isprintable() else "?" for letter in text).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown  # legends leave out what begins with _


def look(name: str) -> dict[str, Any]:
    """Return colour, marker and dashes of an ordering; the same for a name in every figure.

    Registered orderings say themselves how they look; names that nobody knows get a look from their letters.

    Examples
    --------
    >>> look("cd-grab")
    {'color': '#D55E00', 'marker': '*', 'linestyle': 'solid'}
    """
    name = _checks.text("name", name)
    own = orderings.make(name).look if name in orderings.ORDERINGS else None
    number = sum(map(ord, name))
    other = (_OTHERS[number % len(_OTHERS)], "Hhpd"[number % 4], (0, (2, 2)))
    color, marker, dashes = own or _LOOKS.get(name, other)
    return {"color": color, "marker": marker, "linestyle": dashes}


def line(name: str) -> dict[str, Any]:
    """Return how a thin line of an ordering looks: as in `look`, without markers."""
    looks = look(name)
    return {"color": looks["color"], "linestyle": looks["linestyle"], "linewidth": 1.2}


def together(panels: Sequence[Callable[[Axes], Axes]]) -> Figure:
    """Return one figure in the shipped style with a panel for each function, two to a row.

    Examples
    --------
    >>> len(together([lambda ax: ax] * 3).axes)
    3
    """
    panels = _checks.listed("panels", panels)
    for panel in panels:
        _checks.function("one of panels", panel)
    with style():
        width, height = mpl.rcParams["figure.figsize"]
        columns = min(_COLUMNS, len(panels))
        rows = -(-len(panels) // columns)
        figure = Figure(figsize=(width * columns, height * rows))
        for k, panel in enumerate(panels):
            panel(figure.add_subplot(rows, columns, k + 1))
    return figure


def save(figure: Figure, folder: Path | str, name: str = "figure") -> list[Path]:
    """Write a figure as SVG, PDF and PNG; the same bytes from the same figure."""
    figure = _checks.instance("figure", figure, Figure, "a Figure of matplotlib")
    folder, name = _checks.path("folder", folder), _checks.text("name", name)
    paths: list[Path] = []
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
    with style():
        for kind, fields in metadata.items():
            paths.append(folder / f"{name}.{kind}")
            with written_whole(paths[-1]) as file:
                figure.savefig(file, format=kind, metadata=fields)
    return paths


def inline_svg(figure: Figure) -> str:
    """Return a figure as an SVG element without paper, in the ink of the page that it is put into.

    Black and near-black lines and all text become ``currentColor``, so that the same picture serves light
    and dark pages; other colours stay.

    Parameters
    ----------
    figure : Figure
        Its backgrounds are made transparent.

    Examples
    --------
    >>> figure = Figure()
    >>> _ = figure.add_subplot().set_title("seen")
    >>> text = inline_svg(figure)
    >>> text.startswith("<svg"), "currentColor" in text, "#ffffff" in text
    (True, True, False)
    """
    figure = _checks.instance("figure", figure, Figure, "a Figure of matplotlib")
    for patch in (figure.patch, *(ax.patch for ax in figure.axes)):
        patch.set_visible(False)
    file = BytesIO()
    canvas: Any = FigureCanvasSVG(figure)
    with style():
        canvas.print_svg(file, metadata={"Date": None})  # savefig would draw twice
    text = "<svg" + file.getvalue().decode().partition("<svg")[2]
    for ink in _INKS:
        text = text.replace(ink, "currentColor")
    return text.replace("<svg", '<svg fill="currentColor"', 1)
