"""Every numbered statement of the texts has a place in the manual, and names what computes it."""

import sys
from pathlib import Path

import pytest

import gramian as gm

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from numbered import statements  # noqa: E402 - it lies in the folder just named

FOUND = {statement.label: statement for statement in statements(DOCS / "theory")}
CHAPTER = {
    "algorithm": (1, 3, 4, 6, 12, 13, 16),
    "proposition": (2, 5, 11, 17),
    "remark": (7, 9, 18),
    "definition": (8, 10),
    "computation": (14, 15),
}
WANTED = [f"seed000-{kind}-5.{number}" for kind, numbers in CHAPTER.items() for number in numbers]
WANTED += [f"seed003-example-5.{number}" for number in range(1, 16)]
WANTED += [f"seed003-exercise-q{number}" for number in range(1, 6)]
WANTED += ["seed004-example-11.8", "seed004-example-11.16"]


def attribute(name: str) -> object:
    found: object = gm
    for part in name.split("."):
        found = getattr(found, part)
    return found


def has(name: str) -> bool:
    """Whether a dotted name is public: an attribute of a class may be one that instances get when they are fitted."""
    head, _, tail = name.partition(".")
    return head in gm.__all__ and (not tail or hasattr(attribute(head), tail) or tail.endswith("_"))


def test_the_chapter_has_eighteen_numbers():
    assert sorted(number for numbers in CHAPTER.values() for number in numbers) == list(range(1, 19))


@pytest.mark.parametrize("label", WANTED)
def test_every_numbered_statement_has_a_place(label):
    assert label in FOUND


@pytest.mark.parametrize("label", sorted(FOUND))
def test_every_statement_names_what_computes_it(label):
    assert FOUND[label].names
    assert [name for name in FOUND[label].names if not has(name)] == []
