"""The kernels of the package, found through the list of public names."""

from __future__ import annotations

from importlib import import_module
from inspect import isclass

from gramian import _HOME  # type: ignore[attr-defined]
from gramian.kernels.algebra import Kernel

FAMILIES = ("kernels.",)  # where public kernels are
INSIDE = ("kernels.deflated",)  # where there are others, which methods make


def kernels() -> tuple[type[Kernel], ...]:
    """Return all classes of kernels, in the order of their modules, and in these as they are written."""
    homes = sorted({home for home in _HOME.values() if home.startswith(FAMILIES)}.union(INSIDE))
    modules = [import_module(f"gramian.{home}") for home in homes]
    return tuple(
        one
        for module in modules
        for one in vars(module).values()
        if isclass(one) and issubclass(one, Kernel) and one.__module__ == module.__name__
    )
