"""The cores of this machine, on NumPy's arrays and sparse ones: the place of data that is nowhere else."""

from __future__ import annotations

from gramian.formula.expression import Formula
from gramian.places.cores.arrays import Arrays
from gramian.places.cores.entries import HOLD, Tiled
from gramian.places.cores.interpret import Plan
from gramian.places.cores.tiles import DEFAULT_MEMORY
from gramian.places.protocol import Asked, Entries, Place, Prepared
from gramian.runtime.threads import cores


class Cores(Arrays):
    """All cores, each with tiles of its own."""

    name = "cores"
    title = "the cores of this machine"
    memory = DEFAULT_MEMORY
    hold = HOLD
    speed = 1.0
    full = (MemoryError,)

    def release(self) -> None:
        pass

    @property
    def lanes(self) -> int:
        return cores()

    def prepare(self, formula: Formula) -> Prepared:
        return Plan(formula)

    def entries(self, asked: Asked) -> Entries:
        return Tiled(asked)


CORES: Place = Cores()
