"""The cores of this machine, on NumPy's arrays and sparse ones: the place of data that is nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gramian.checks import Array
from gramian.formula.encoded import Encoded
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
    answers = False
    apart = False
    memory = DEFAULT_MEMORY
    hold = HOLD
    speed = 1.0
    full = (MemoryError,)

    def release(self) -> None:
        pass

    @property
    def lanes(self) -> int:
        return cores()

    def encoded(self, kernel: Any, X: Any) -> Encoded:
        found: Encoded = kernel.encode(X)
        return found

    def settled(self, kernel: Any, X: Any) -> Any:
        return kernel.fit(X)

    def numbers(self, of: Callable[[Encoded], Array], a: Encoded) -> Array:
        return of(a)

    def features(self, phi: Callable[[Encoded], Any], a: Encoded, in_place: bool) -> Any:
        return phi(a)

    def prepare(self, formula: Formula) -> Prepared:
        return Plan(formula)

    def entries(self, asked: Asked) -> Entries:
        return Tiled(asked)


CORES: Place = Cores()
