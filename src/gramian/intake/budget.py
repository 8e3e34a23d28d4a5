"""How much memory reading may take: a small file can unpack to more than the machine has.

What a reader is about to hold is claimed first, from sizes that a header declares or piece by piece as the data come,
and a claim that goes beyond the budget is refused with a sentence that says how to raise it. The budget is half of what
is free, unless another one is given.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gramian.checks import as_bytes
from gramian.intake.errors import DataError

OBJECT = 64  # bytes of a small object of Python, such as a short text or a number, and of the place that refers to it
RECORD = 400  # bytes of a small dictionary or another thing of many parts
_UNKNOWN = 4 * 2**30  # taken as free where the system does not say
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")
_GROUP = Path("/sys/fs/cgroup")


class Budget:
    """Bytes that may be held while data are read, and those that are held by now.

    Examples
    --------
    >>> budget = Budget("1 MB")
    >>> budget.claim(600_000, "a.csv")
    >>> budget.claim(600_000, "a.csv")
    Traceback (most recent call last):
        ...
    gramian.intake.errors.DataError: a.csv: reading it takes more than 1.2 MB of memory, and the budget is 1 MB; ...
    """

    def __init__(self, memory: Any = None) -> None:
        self.given = memory is not None
        self.limit = free_memory() // 2 if memory is None else as_bytes(memory)
        self.held = 0

    def claim(self, size: int, where: object, *, exact: bool = False) -> None:
        """Count some more bytes as held, and refuse what goes beyond the budget; `exact` if nothing is to follow."""
        self.held += size
        if self.held > self.limit:
            raise self.exceeded(self.held, where, exact=exact)

    def check(self, size: int, where: object) -> None:
        """Refuse to hold so many more bytes for a moment, if they go beyond the budget."""
        if self.held + size > self.limit:
            raise self.exceeded(self.held + size, where)

    def exceeded(self, needed: int, where: object, *, exact: bool = False) -> DataError:
        """Return the error of data that need so many bytes."""
        share = "" if self.given else ", half of what is free"
        return DataError(
            f"{where}: reading it takes {'' if exact else 'more than '}{sized(needed)} of memory, and the budget is "
            f"{sized(self.limit)}{share}; raise it with --memory {sized(2 * needed).replace(' ', '')} (memory= in "
            "Python) if the machine has so much, or give fewer rows or columns"
        )

    @property
    def longest(self) -> int:
        """The longest piece of text that can be taken apart within the budget, in characters."""
        return max(2**10, self.limit // 32)


def sized(number: int) -> str:
    """Return a number of bytes in the unit that suits it.

    >>> sized(999), sized(1_200_000), sized(8_800_000_000)
    ('999 bytes', '1.2 MB', '8.8 GB')
    """
    value, unit = float(number), 0
    while value >= 999.5 and unit + 1 < len(_UNITS):
        value, unit = value / 1000, unit + 1
    return f"{value:.3g} {_UNITS[unit]}"


def free_memory() -> int:
    """Return the bytes that can be taken without moving others to the disk, as far as the system says."""
    return min(_available(), _allowed())


def _available() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN


def _allowed() -> int:
    """Return what is left of the limit that a container sets, or more than any machine has."""
    try:
        limit, held = ((_GROUP / name).read_text().strip() for name in ("memory.max", "memory.current"))
        return max(int(limit) - int(held), 0)
    except (OSError, ValueError):
        return 2**62
