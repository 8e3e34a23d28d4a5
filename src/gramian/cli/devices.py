"""Where a command works: on the cores, or on a GPU where there is one and the work is worth the way there.

Torch alone takes seconds to be loaded, and passes seconds to be compiled; the cores compute some 10⁸ to 10⁹ values of κ
in a second. So `auto` looks for a GPU only where there are more than `WORTH` values to compute, of vectors.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

WORTH = 5e10  # values of κ from which a GPU is looked for
PRODUCTS = 50  # with K that learning takes, roughly
CORES = "cpu"


def place_for(wanted: str, values: float, kernel: Any = None) -> Any:
    """Return the place where so many values of κ are computed, by what was asked for: auto, cpu, or cuda.

    Raises
    ------
    WrongUse
        If a GPU was asked for, and there is none, or no torch to work with it.
    """
    from gramian.cli.commands import WrongUse
    from gramian.places.moving import named_place

    if wanted == "auto":
        if values >= WORTH and (kernel is None or kernel.compares):
            with suppress(ImportError, ValueError):
                return named_place("cuda")
        return named_place(CORES)
    try:
        return named_place(wanted)
    except (ImportError, ValueError) as error:
        raise WrongUse(f"--device {wanted}: {error}; --device auto takes the cores where there is no GPU") from None


def told(place: Any) -> str:
    """Say where work is done, nothing where it is done as always."""
    from gramian.places import CORES as HERE

    return "" if place is HERE else f"Worked out on {place.title}."
