"""A sample of mutants: places of the source drawn at random, and one change at each, as cosmic-ray's operators make it.

Folders are drawn from in proportion to their lines. A place is drawn before what is put there, so that a plus sign,
which can become six other signs, counts no more than a number. Arithmetic stays arithmetic (a shift of floats fails
at once and says nothing of the tests), and what never runs is left alone: annotations, and imports for type checkers.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

FOLDERS = ("formula", "places", "kernels", "factor", "space", "learn")
ARITHMETIC = {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"}
ORDER = {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"}

Place = tuple[int, int]
Span = tuple[Place, Place]


@dataclass(frozen=True)
class Mutant:
    """One change of one module."""

    module: str  # path below the package, as in "kernels/radial.py"
    operator: str
    line: int
    column: int
    before: str  # the line that is changed
    after: str
    text: str  # of the whole module, changed

    @property
    def name(self) -> str:
        return f"{self.module}:{self.line}:{self.column} {self.operator}"


def sampled(package: Path, size: int, seed: int) -> list[Mutant]:
    """Return about so many mutants of a package, the same ones for the same source and seed."""
    lines = {folder: sum(len(path.read_text().splitlines()) for path in modules(package, folder)) for folder in FOLDERS}
    return [
        mutant
        for folder in FOLDERS
        for mutant in _of_folder(package, folder, round(size * lines[folder] / sum(lines.values())), seed)
    ]


def modules(package: Path, folder: str) -> list[Path]:
    return sorted((package / folder).rglob("*.py"))


def _of_folder(package: Path, folder: str, size: int, seed: int) -> list[Mutant]:
    draw = random.Random(f"{seed} {folder}")
    places = [
        (path, span, changes) for path in modules(package, folder) for span, changes in sorted(_places(path).items())
    ]
    draw.shuffle(places)
    found: list[Mutant] = []
    for path, span, changes in places:
        if len(found) == size:
            break
        operator, occurrence = draw.choice(changes)
        mutant = _made(path, package, span[0], operator, occurrence)
        if mutant is not None:
            found.append(mutant)
    return found


def _places(path: Path) -> dict[Span, list[tuple[str, int]]]:
    """Return where a module can be changed, and by what: names of operators, and which of its occurrences it is."""
    source = path.read_text()
    silent = list(_silent(ast.parse(source)))
    nodes = list(ast_nodes(get_ast(source)))
    places = defaultdict(list)
    for name in operators():
        operator = get_operator(name)()
        spans = [span for node in nodes for span in operator.mutation_positions(node)]
        for occurrence, span in enumerate(spans):
            if not any(start <= span[0] and span[1] <= stop for start, stop in silent):
                places[span].append((name, occurrence))
    return places


def operators() -> list[str]:
    """Return the names of the operators of cosmic-ray that are used."""
    return [name for name in sorted(operator_names()) if "Variable" not in name and not _idle(name)]


def _idle(name: str) -> bool:
    _, *ends = name.removeprefix("core/").split("_")
    if "ReplaceBinaryOperator" in name:
        return (ends[0] in ARITHMETIC) != (ends[1] in ARITHMETIC)
    if "ReplaceComparisonOperator" in name:
        return (ends[0] in ORDER) != (ends[1] in ORDER)
    return "ReplaceUnaryOperator" in name and "Delete" not in name and "UAdd" not in name


def _silent(tree: ast.Module) -> Iterator[Span]:
    """Yield the spans of what is never run."""
    for node in ast.walk(tree):
        parts = (getattr(node, "annotation", None), getattr(node, "returns", None))
        of_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for part in (*parts, node if of_types else None):
            if part is not None:
                yield (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)


def _made(path: Path, package: Path, place: Place, operator: str, occurrence: int) -> Mutant | None:
    """Return the mutant, or None where the change is none or does not compile."""
    source = path.read_text()
    text = mutate_code(source, get_operator(operator)(), occurrence)
    try:
        changed = text is not None and ast.dump(ast.parse(text)) != ast.dump(ast.parse(source))
    except SyntaxError:
        return None
    if not changed:
        return None
    pairs = zip(source.splitlines(), text.splitlines(), strict=False)
    before, after = next((old.strip(), new.strip()) for old, new in pairs if old != new)
    module = path.relative_to(package).as_posix()
    return Mutant(module, operator.removeprefix("core/"), *place, before, after, text)
