"""The papers that statements, docstrings and figures refer to, from ``citations.toml``, and their BibTeX."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from theory._checks import one_of


@dataclass(frozen=True)
class Citation:
    """One paper.

    Attributes
    ----------
    key : str
        BibTeX key.
    authors : tuple of str
        "Given Family" each, in the order of the paper.
    title : str
    year : int
        Year of the venue, or of the preprint where there is no venue.
    venue : str
        Conference or journal; empty for a preprint.
    arxiv : str
        Identifier without prefix; empty where unknown.
    doi : str
        Empty where unknown.
    journal : bool
        Whether the venue is a journal.
    """

    key: str
    authors: tuple[str, ...]
    title: str
    year: int
    venue: str = ""
    arxiv: str = ""
    doi: str = ""
    journal: bool = False


_DATA = Path(__file__).with_suffix(".toml")

CITATIONS = {
    key: Citation(key, tuple(fields.pop("authors")), **fields)
    for key, fields in tomllib.loads(_DATA.read_text(encoding="utf-8")).items()
}


def bibtex(key: str) -> str:
    """Return the BibTeX entry of one paper; fields that are unknown are left out.

    Examples
    --------
    >>> print(bibtex("harvey2014near"))
    @inproceedings{harvey2014near,
      author = {Nick Harvey and Samira Samadi},
      title = {{Near-Optimal Herding}},
      booktitle = {COLT (PMLR 35:1165-1182)},
      year = {2014},
    }
    """
    c = CITATIONS[one_of("citation", key, CITATIONS)]
    kind = "misc" if not c.venue else "article" if c.journal else "inproceedings"
    fields = {
        "author": " and ".join(c.authors),
        "title": f"{{{c.title}}}",
        "journal" if c.journal else "booktitle": c.venue,
        "year": str(c.year),
        "eprint": c.arxiv,
        "archiveprefix": "arXiv" if c.arxiv else "",
        "doi": c.doi,
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def cite(*keys: str) -> str:
    """Return the BibTeX entries of several papers, each once, in the order asked for; without keys of all.

    Examples
    --------
    >>> cite("lu2022grab", "cooper2023cdgrab", "lu2022grab").count("@")
    2
    """
    return "\n\n".join(bibtex(key) for key in dict.fromkeys(keys or CITATIONS))
