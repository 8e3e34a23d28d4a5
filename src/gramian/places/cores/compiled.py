"""Compiled passes: the source of an expression becomes a module in the user's cache, which Numba compiles once.

A pass is compiled on its first use and kept on the disk, so that the next process loads it in milliseconds. The module
is written whole or not at all, and only run where it says exactly what was to be written; where no folder can be
written to, it lives as long as the process.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

_loading = threading.Lock()


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
    lanes = Path(__file__).with_name("lanes.py").read_bytes()
    parts = [version("numba"), version("numpy"), ".".join(map(str, sys.version_info[:2]))]
    return hashlib.sha256(lanes + " ".join(parts).encode()).hexdigest()[:12]


@lru_cache(maxsize=256)
def load(text: str) -> ModuleType:
    """Return the module with this source."""
    with _loading:
        name = f"gramian_pass_{hashlib.sha256(text.encode()).hexdigest()[:20]}"
        spec = spec_from_file_location(name, _written(name, text))
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[name] = module  # where what was compiled earlier looks for it
        spec.loader.exec_module(module)
        return module


def _written(name: str, text: str) -> Path:
    """Return the file that holds the source, written if it was not there."""
    for base in (folder, _passing):
        try:
            place = base()
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = place / f"{name}.py"
            if not (file.is_file() and not file.is_symlink() and file.read_text(encoding="utf-8") == text):
                handle, draft = tempfile.mkstemp(dir=place, suffix=".tmp")
                with os.fdopen(handle, "w", encoding="utf-8") as out:
                    out.write(text)
                os.replace(draft, file)
            return file
        except OSError:
            continue
    raise OSError("no folder can be written to, not even a temporary one: set GRAMIAN_CACHE to one that can")


@dataclass
class _Passing:
    """A folder for the time of this process."""

    kept: Any = None

    def __call__(self) -> Path:
        if self.kept is None:
            self.kept = tempfile.TemporaryDirectory(prefix="gramian-")
        return Path(self.kept.name)


_passing = _Passing()
