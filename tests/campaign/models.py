"""Model files from strangers: damaged ones, and forged ones whose checksum is right. Loaded, or one `ModelFileError`.

What is loaded is asked for answers. Those of a forged model may be nonsense, but asking it may raise nothing other than a
ValueError or a TypeError, and may not crash, hang, or take more memory than there is.
"""

from __future__ import annotations

import json
import os
import struct
import warnings
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

import gramian as gm
from gramian.models import ModelFileError, container, load, save

from .attack import Attack, Case, chance, one_of, require
from .inputs import METHODS, _folder

ENVELOPE = struct.Struct("<12sI16sQQ32s")
WORDS = ["abba", "cab", "bac", "aabb", "cc", "abc"]
LABELS = ["x", "y"] * 3
ODD: tuple[Any, ...] = (None, True, 0, -1, 1, 7, 2**31, 2**63, 10**30, 0.5, -0.0, 1e300, "", "a", "<f8", "Linear")
ODD += ([], {}, [0], [[]], {"ref": 0}, {"ref": 1}, {"array": 0}, {"float": "nan"}, {"float": "inf"}, {"tuple": []})
ODD += ({"dict": []}, {"dict": [["a", 1]]}, {"tuple": [1, 2]}, {"scalar": ["<f8", "00" * 8]}, [1, 2, 3])
HOSTILE_NUMBERS = (-1, 2**31, 2**62, 7, -(2**63), 0, 1)
HOSTILE_FLOATS = (np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0, 5e-324)


@cache
def sound() -> tuple[tuple[str, bytes, Any], ...]:
    """Return model files of every learner and of kernels on every kind of object, with objects to ask about."""
    X = np.random.default_rng(0).normal(size=(6, 2))
    y = X[:, 0]
    frame = [{"a": float(x[0]), "w": w} for x, w in zip(X, WORDS, strict=True)]
    graph = gm.Graph.from_edges([("a", "b"), ("b", "c", 2.0), ("c", "d")])
    made = {
        "parzen, strings": (gm.ParzenClassifier(gm.Subsequences(2, 0.5)).fit(WORDS, LABELS), WORDS),
        "fisher, spectrum": (gm.FisherDiscriminant(gm.Spectrum(2), 0.1).fit(WORDS, LABELS), WORDS),
        "ridge, gaussian": (gm.KernelRidge(gm.Gaussian("median")).fit(X, y), X),
        "ridge, low rank": (gm.KernelRidge(gm.Gaussian(1.0), rank=3).fit(X, y), X),
        "ridge, records": (gm.KernelRidge(gm.Linear().on("a") + gm.Spectrum(2).on("w"), 0.1).fit(frame, y), frame),
        "novelty": (gm.NoveltyDetector(gm.Gaussian(1.0), calibration="conformal", alpha=0.5).fit(X), X),
        "pca": (gm.KernelPCA(2, gm.Polynomial(2).center(X)).fit(X), X),
        "gram-schmidt, sparse": (gm.GramSchmidt(gm.Linear(), rank=2).fit(scipy.sparse.csr_array(X)), X),
        "k-means, nodes": (gm.KernelKMeans(2, gm.ExponentialDiffusion(graph, 0.3), 2, 9, 0).fit(list("abcd")), ["a"]),
        "parzen, documents": (gm.ParzenClassifier(gm.BagOfWords("tf-idf")).fit(WORDS, LABELS), WORDS),
        "search": (gm.KernelSearch(gm.KernelRidge(gm.Linear() + 1), {"ridge": [0.1, 1.0]}).fit(X, y), X),
        "full spectrum": (gm.ParzenClassifier(gm.FullSpectrum().normalize()).fit(WORDS, LABELS), WORDS),
        "fourier": (gm.ParzenClassifier(gm.RandomFourier(gm.Gaussian(1.0), 6)).fit(X, LABELS), X),
        "nystrom": (gm.ParzenClassifier(gm.Nystrom(gm.Laplacian(1.0), 3)).fit(X, LABELS), X),
        "precomputed": (gm.KernelPCA(2, gm.Precomputed(X @ X.T)).fit(range(6)), range(3)),
        "a kernel": ({"k": (gm.Matern(1.0, 0.8) * gm.Anova(2)) ** 2, "of": ("a", None, True)}, X),
    }
    found = []
    for name, (model, objects) in made.items():
        path = Path(_folder(), f"sound-{os.getpid()}.gramian")
        save(model, path, overwrite=True)
        found.append((name, path.read_bytes(), objects))
    return tuple(found)


def sealed(head: bytes, data: bytes) -> bytes:
    """Return a file with a right checksum, whatever is in it."""
    place = ENVELOPE.size + len(head)
    rest = head + (bytes(container.aligned(place) - place) + data if data else b"")
    before = ENVELOPE.pack(container.MAGIC, 1, b"0.1.0", ENVELOPE.size + len(rest), len(head), bytes(32))[:-32]
    return before + sha256(before + rest).digest() + rest


def opened(contents: bytes) -> tuple[Any, bytes]:
    """Return the head and the arrays of a file."""
    length = ENVELOPE.unpack_from(contents)[4]
    start = ENVELOPE.size
    return json.loads(contents[start : start + length]), contents[container.aligned(start + length) :]


# Damage, which the checksum tells


def flipped(rng: np.random.Generator, contents: bytes) -> bytes:
    data = bytearray(contents)
    for place in rng.integers(len(data), size=int(rng.integers(1, 4))):
        data[place] ^= 1 << int(rng.integers(8))
    return bytes(data)


def zeroed(rng: np.random.Generator, contents: bytes) -> bytes:
    start = int(rng.integers(len(contents)))
    size = int(rng.integers(1, 600))
    return contents[:start] + bytes(min(size, len(contents) - start)) + contents[start + size :]


def spliced(rng: np.random.Generator, contents: bytes) -> bytes:
    _, other, _ = one_of(rng, sound())
    place = int(rng.integers(len(contents)))
    return contents[:place] + other[place:]


DAMAGES = {
    "flipped": flipped,
    "cut": lambda rng, contents: contents[: int(rng.integers(len(contents)))],
    "zeroed": zeroed,
    "spliced": spliced,
    "lengthened": lambda rng, contents: contents + rng.bytes(int(rng.integers(1, 99))),
    "noise": lambda rng, contents: contents[: int(rng.integers(80))] + rng.bytes(int(rng.integers(500))),
    "moved": lambda rng, contents: contents[int(rng.integers(1, 99)) :],
}


# Forgery: the checksum is right


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all that is in a tree of lists and dicts."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


def at(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def changed(rng: np.random.Generator, contents: bytes) -> bytes:
    """Change the head here and there: other values, other names, what is missing, what is too much."""
    head, data = opened(contents)
    for _ in range(int(rng.integers(1, 4))):
        path = one_of(rng, places(head)[1:])
        holder, key = at(head, path[:-1]), path[-1]
        how = one_of(rng, ("odd", "odd", "elsewhere", "gone", "doubled", "renamed", "nudged"))
        if how == "odd":
            holder[key] = one_of(rng, ODD)
        elif how == "elsewhere":
            holder[key] = json.loads(json.dumps(at(head, one_of(rng, places(head)[1:]))))
        elif how == "gone":
            del holder[key]
        elif how == "doubled" and isinstance(holder, list):
            holder.insert(key, holder[key])
        elif how == "renamed" and isinstance(holder, dict):
            holder[one_of(rng, ("class", "ref", "kernel", "__class__", "f", "rank"))] = holder.pop(key)
        elif isinstance(holder[key], int | float):
            holder[key] = holder[key] + one_of(rng, (-1, 1, 2, 1000))
    return sealed(json.dumps(head).encode(), data)


def renumbered(rng: np.random.Generator, contents: bytes) -> bytes:
    """Put hostile numbers into the arrays."""
    head, data = opened(contents)
    found = bytearray(data)
    for place in rng.integers(max(1, len(found) // 8), size=int(rng.integers(1, 5))):
        if 8 * place + 8 <= len(found):
            value = one_of(rng, HOSTILE_NUMBERS)
            new = struct.pack("<q", value) if chance(rng, 0.5) else struct.pack("<d", one_of(rng, HOSTILE_FLOATS))
            found[8 * place : 8 * place + 8] = new
    return sealed(json.dumps(head).encode(), bytes(found))


def rebyted(rng: np.random.Generator, contents: bytes) -> bytes:
    """Flip bits anywhere after the envelope, and put the checksum right."""
    data = bytearray(contents)
    for place in rng.integers(ENVELOPE.size, len(data), size=int(rng.integers(1, 4))):
        data[place] ^= 1 << int(rng.integers(8))
    before = bytes(data[: ENVELOPE.size - 32])
    return before + sha256(before + bytes(data[ENVELOPE.size :])).digest() + bytes(data[ENVELOPE.size :])


FORGERIES = {"changed": changed, "renumbered": renumbered, "rebyted": rebyted}


def make(rng: np.random.Generator) -> Case:
    """Return a case: a file that is damaged or forged, loaded and asked."""
    name, contents, objects = one_of(rng, sound())
    forged = chance(rng, 0.7)
    how = one_of(rng, FORGERIES if forged else DAMAGES)
    new = (FORGERIES if forged else DAMAGES)[how](rng, contents)

    def action() -> None:
        path = Path(_folder(), f"forged-{os.getpid()}.gramian")
        path.write_bytes(new)
        found = load(path)
        require(forged or new == contents, "a damaged file was loaded")
        ask(found, objects)

    return Case(f"{name}, {how}", action)


def ask(model: Any, objects: Any) -> None:
    """Ask a model that may be nonsense everything; it may refuse."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if isinstance(model, dict):
            model = model.get("k")
        questions = [getattr(model, name) for name in METHODS if _has(model, name)]
        if isinstance(model, gm.Kernel):
            questions += [model, repr, hash]
        for question in questions:
            try:
                question(objects if question not in (repr, hash) else model)
            except (ValueError, TypeError):
                continue


def _has(model: Any, name: str) -> bool:
    try:
        return hasattr(model, name)
    except (ValueError, TypeError):
        return False


ATTACK = Attack("models", 10_000, make, refusals=(ModelFileError,), seconds=20.0)
