"""Passes as Triton compiles them: a source becomes functions that can be launched, once for each source.

Triton keeps what it has compiled on the disk, under a name that says all it depends on.
"""

from __future__ import annotations

import hashlib
import linecache
import os
from functools import lru_cache
from typing import Any

import torch

MISSING = "Triton is not installed: products with K go through torch's operations, which takes several times as long"

DOUBLES = (3, 4)  # the version of Triton from which matrices in double precision are multiplied


@lru_cache
def triton() -> Any:
    """Return Triton, None where it is not installed."""
    try:
        import triton
    except ImportError:
        return None
    return triton


def interpreted() -> bool:
    """Tell whether Triton's interpreter is to run passes, on the cores: for tests."""
    return os.environ.get("TRITON_INTERPRET") == "1"


def available(device: torch.device) -> bool:
    """Tell whether passes can run on a device."""
    if triton() is None:
        return False
    if device.type == "cuda":
        return torch.version.cuda is not None and torch.cuda.get_device_capability(device) >= (8, 0)
    return device.type == "cpu" and interpreted()


def multiplies_doubles() -> bool:
    """Tell whether Triton multiplies matrices in double precision."""
    found = getattr(triton(), "__version__", "0.0").split(".")
    return tuple(map(int, found[:2])) >= DOUBLES


@lru_cache(maxsize=256)
def load(text: str) -> dict[str, Any]:
    """Return what the module with this source defines.

    Triton reads a function's source again, as a debugger does: it finds it under a name that stands for its content.
    """
    name = f"<gramian pass {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module: dict[str, Any] = {"__name__": "gramian.places.torch.written"}
    exec(compile(text, name, "exec"), module)
    return module
