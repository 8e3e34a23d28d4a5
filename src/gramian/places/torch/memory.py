"""How much a device can hold: a budget, and what to do where it was too optimistic."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import torch

ON_CORES = 256 * 2**20  # bytes for tiles where a tensor lies in the memory of the machine itself
LEFT = 0.1  # share of what is free that is left to others
SMALLEST = 2**12  # entries of a tile that is not halved any more

T = TypeVar("T")


def budget(device: torch.device) -> int:
    """Return how many bytes may be taken: what is free on the device less a tenth."""
    if device.type != "cuda":
        return ON_CORES
    free, _ = torch.cuda.mem_get_info(device)
    kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)  # torch's own, to be used again
    return int((1 - LEFT) * (free + kept))


def with_smaller(work: Callable[[int], T], entries: int, least: int = SMALLEST) -> T:
    """Return what `work` does by pieces of so many entries, by half as many each time that the memory runs out."""
    while True:
        try:
            return work(entries)
        except torch.OutOfMemoryError:
            if entries <= least:
                raise
        release()
        entries //= 2


def release(device: torch.device | None = None) -> None:
    """Give back what torch keeps of a GPU's memory to be used again, which may lie in pieces that are too small."""
    if torch.cuda.is_available() and (device is None or device.type == "cuda"):
        torch.cuda.empty_cache()
