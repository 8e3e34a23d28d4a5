"""Compiled passes: the source of an expression becomes a module in the user's cache, which Numba compiles once.

A pass is compiled on its first use and kept on the disk, so that the next process loads it in milliseconds. The module
is written whole or not at all, and only run where it says exactly what was to be written; where no folder can be
written to, it lives as long as the process. What Numba keeps there is code: the folder must be the user's own.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from gramian.runtime.threads import aside
from gramian.writing import replacing

_loading = threading.Lock()
_loaded: dict[str, ModuleType] = {}


def folder() -> Path:
    """Return the folder of compiled expressions: GRAMIAN_CACHE, or one in the user's cache.

    A name says the versions of everything that a compiled pass depends on.
    """
    chosen = os.environ.get("GRAMIAN_CACHE")
    if chosen:
        base = Path(chosen)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "gramian"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches" / "gramian"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gramian"
    return base / f"passes-{_known_as()}"


@lru_cache
def _known_as() -> str:
    within = b"".join(Path(__file__).with_name(name).read_bytes() for name in ("lanes.py", "registers.py"))
    parts = [version("numba"), version("numpy"), ".".join(map(str, sys.version_info[:2]))]
    return hashlib.sha256(within + " ".join(parts).encode()).hexdigest()[:12]


def call(text: str, name: str, *arguments: Any) -> None:
    """Call a pass of the module with this source.

    It is Numba that keeps what was compiled, and it raises whatever reading a damaged file raises, or writing to a full
    disk: then what was kept is thrown away and the pass compiled for this process. No error comes from a pass itself.
    """
    module = load(text)
    try:
        getattr(module, name)(*arguments)
    except Exception:
        getattr(_anew(text, module), name)(*arguments)


def load(text: str) -> ModuleType:
    """Return the module with this source.

    It is made in a thread of its own: a Ctrl-C that falls into the import of Numba would leave half of it behind.
    """
    with _loading:
        if text not in _loaded:
            _loaded[text] = aside(lambda: _module(text, folder, _passing))
        return _loaded[text]


def _anew(text: str, broken: ModuleType) -> ModuleType:
    """Return the module with this source in place of one that cannot be compiled where it is."""
    with _loading:
        if _loaded[text] is broken:
            for kept in Path(broken.product.stats.cache_path).glob(f"{broken.__name__}.*"):
                with suppress(OSError):
                    kept.unlink()
            _loaded[text] = _module(text, _passing)
        return _loaded[text]


def _module(text: str, *places: Callable[[], Path]) -> ModuleType:
    """Return a new module with this source, in the first of some folders that can be written to."""
    name = f"gramian_pass_{hashlib.sha256(text.encode()).hexdigest()[:20]}"
    problem: Exception | None = None
    for place in places:
        try:
            return _executed(name, _written(place() / f"{name}.py", text.encode()))
        except (OSError, RuntimeError) as error:  # RuntimeError: there is no home, or Numba finds no folder of its own
            problem = error
    raise OSError(
        "no folder can be written to, not even a temporary one: set GRAMIAN_CACHE to one that can"
    ) from problem


def _executed(name: str, file: Path) -> ModuleType:
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # where what was compiled earlier looks for it
    spec.loader.exec_module(module)
    return module


def _written(file: Path, text: bytes) -> Path:
    """Return the file after writing the text to it, if it does not say just that already."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not (file.is_file() and not file.is_symlink() and file.read_bytes() == text):
        with replacing(file) as out:
            out.write(text)
    return file


def _passing() -> Path:
    """Return a folder for the time of this process."""
    return Path(_temporary().name)


@lru_cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="gramian-")


def _after_fork() -> None:
    """Give a forked child a lock of its own: a thread that held this one is not there to let it go."""
    global _loading
    _loading = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
