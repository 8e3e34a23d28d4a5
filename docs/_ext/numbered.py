"""The numbered statements of the theory pages: what they are called, and which public names compute them.

A statement is a target, a heading, and a line of names:

    (seed000-proposition-5.2)=
    ### Proposition 5.2: the centre of mass is nearest to all points

    Code: {gm}`Vectors.mean`, {gm}`Vectors.distances`.
"""

import re
from pathlib import Path
from typing import NamedTuple

STATEMENT = re.compile(r"^\((seed\d{3}-[\w.-]+)\)=\n#+ (.+)\n\n(?:Code: ((?:.+\n)+))?", re.MULTILINE)
NAME = re.compile(r"\{gm\}`(?:[^`<]*<)?([\w.]+)>?`")


class Statement(NamedTuple):
    """One numbered statement: its label, its heading, and the public names on its line of code."""

    label: str
    title: str
    names: tuple[str, ...]


def statements(folder: Path, names: str = "*.md") -> list[Statement]:
    """Return the numbered statements of the pages in a folder."""
    pages = [page.read_text(encoding="utf-8") for page in sorted(folder.glob(names))]
    found = [match.groups() for text in pages for match in STATEMENT.finditer(text)]
    return [Statement(label, title, tuple(NAME.findall(code or ""))) for label, title, code in found]


def by_name(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Return the labels and titles of the statements that each public name computes."""
    found: dict[str, list[tuple[str, str]]] = {}
    for label, title, names in statements(folder):
        for name in names:
            found.setdefault(name, []).append((label, f"seed {label[4:7]}, {title}"))
    return found
