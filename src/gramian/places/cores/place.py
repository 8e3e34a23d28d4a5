"""The cores of this machine, on NumPy's arrays and sparse ones: the place of data that is nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula
from gramian.places.cores.arrays import Arrays
from gramian.places.cores.entries import HOLD, Tiled
from gramian.places.cores.interpret import Plan
from gramian.places.cores.tiles import DEFAULT_MEMORY
from gramian.places.protocol import Asked, Defaults, Entries, Place, Prepared
from gramian.runtime.threads import cores


class Cores(Arrays, Defaults):
    """All cores, each with tiles of its own."""

    name = "cores"
    title = "the cores of this machine"
    answers = False
    memory = DEFAULT_MEMORY
    hold = HOLD
    speed = 1.0
    full = (MemoryError,)

    @property
    def lanes(self) -> int:
        return cores()

    def features(self, phi: Callable[[Encoded], Any], a: Encoded, in_place: bool) -> Any:
        return phi(a)

    def prepare(self, formula: Formula) -> Prepared:
        return Plan(formula)

    def entries(self, asked: Asked) -> Entries:
        return Tiled(asked)


CORES: Place = Cores()
