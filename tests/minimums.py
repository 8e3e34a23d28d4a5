"""Print the oldest versions that pyproject.toml admits, as constraints for pip; `make oldest` installs just these."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
EXTRAS = ("plot", "dev")


def requirements() -> list[str]:
    """Return what is declared: what the package needs, and what its tests do."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = [each for name in EXTRAS for each in project["optional-dependencies"][name]]
    return [each for each in (*project["dependencies"], *extras) if not each.startswith(f"{project['name']}[")]


def constraint(requirement: str) -> str:
    """Turn "name[extra]>=version" into "name==version", its oldest."""
    found = re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*[>=]=\s*(\d+(?:\.\d+)*)", requirement)
    if found is None:
        raise ValueError(f"{requirement!r} does not say which version is the oldest; 'name>=version' expected")
    return "==".join(found.groups())


if __name__ == "__main__":
    print("\n".join(map(constraint, requirements())))
