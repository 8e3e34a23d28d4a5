"""Model files forged with a right checksum: sound files of every learner, with something in them changed.

A forger knows the format. So a file is taken apart into its tree and its arrays, one to three places are changed (a
value, a reference, a class, an attribute, a shape, a type, numbers of an array), and it is sealed again. `trial` loads
what comes out and asks it everything. What may happen: a `ModelFileError`, or answers, or one clear ValueError or
TypeError that gramian (or scikit-learn's check of the input) raises of its own will. Anything else is a fault.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import pickle
import random
import struct
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone

import gramian as gm
from gramian.cli.main import main
from gramian.models import ModelFileError, container, load, save
from gramian.models.arrays import read_shape, read_type
from gramian.models.registry import ENTRIES

Question: TypeAlias = tuple[str, Callable[[], Any]]

ENVELOPE = struct.Struct("<12sI16sQQ32s")
N = 12
METHODS = (
    *("predict", "decision_function", "predict_proba", "predict_interval", "score_samples", "p_values", "transform"),
    "reconstruction_error",
)
AT_THE_SAMPLE = ("hat_matrix", "get_feature_names_out")
LEARNT = (
    *("loo_decision_", "loo_error_", "loo_residuals_", "effective_dof_", "shrinkage_", "quotient_", "trace_error_"),
    *("residuals_", "classes_", "n_features_in_", "feature_names_in_", "variance_error_", "noise_"),
)
TYPES = ["<f8", "<f4", "<i8", "<i4", "|b1", "|u1", "<U4", "<c16", "|S3", "<M8[s]", [["a", "<f8", []]]]
LEAVES = [None, True, False, 0, 1, -1, 2, 7, 10**6, 2**63, -(2**70), 10**300, 0.0, -1.5, 1e300, 5e-324, "", "x", "loo"]
NODES = [
    [],
    ["a", 1],
    {"tuple": []},
    {"dict": []},
    {"float": "nan"},
    {"float": "inf"},
    {"float": "-inf"},
    {"bytes": "00"},
]
NUMBERS = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, -1e300, 5e-324, 3.0, 1e9, 2.0**62]


# Sound models


@cache
def objects(kind: str) -> Any:
    """Return N objects of a kind."""
    rng = np.random.default_rng(0)
    if kind in ("vectors", "frame"):
        return rng.normal(size=(N, 2)) + np.arange(N)[:, None] % 2
    if kind == "words":
        return ["".join(rng.choice(list("abc"), 3 + i % 4)) for i in range(N)]
    if kind == "documents":
        return [" ".join(rng.choice(["the", "cat", "sat", "on", "mat"], 4)) for _ in range(N)]
    if kind == "records":
        return [{"age": float(a), "name": w} for (a, _), w in zip(objects("vectors"), objects("words"), strict=True)]
    return list(range(N))  # nodes, and places in a matrix


def kernels() -> dict[str, tuple[str, gm.Kernel]]:
    """Return kernels of every kind by name, with the kind of their objects."""
    ring = gm.Graph([(k, (k + 1) % N) for k in range(N)], nodes=range(N))
    X = objects("vectors")
    gaussian = gm.Gaussian(1.5)
    return {
        "gaussian": ("vectors", gm.Gaussian("median")),
        "linear": ("vectors", gm.Linear()),
        "composed": ("vectors", (0.5 * gaussian + gm.Polynomial(2).normalize()) * (gm.Laplacian(2.0) + 1.0) ** 2),
        "centred": ("vectors", gaussian.center(X)),
        "standardized": ("vectors", gm.Matern(1.0, nu=1.5).pullback(gm.Standardize())),
        "periodic": ("vectors", gm.Periodic(3.0, "median") + gm.Periodic(0.5)),
        "subsets": ("vectors", gm.AllSubsets((0.5, 1.0)).exp() + gm.Anova(2).polynomial((1.0, 2.0))),
        "bilinear": ("vectors", gm.Bilinear(np.array([[2.0, 0.5], [0.5, 1.0]]))),
        "nystrom": ("vectors", gm.Nystrom(gaussian, rank=4)),
        "fourier": ("vectors", gm.RandomFourier(gaussian, rank=6)),
        "spectrum": ("words", gm.Spectrum(2)),
        "mismatch": ("words", gm.Mismatch(2, 1, alphabet="abc") + gm.Composition()),
        "subsequences": ("words", gm.Subsequences(2, 0.5)),
        "long subsequences": ("words", gm.Subsequences(4, 0.5) + gm.AllSubsequences().normalize()),
        "compositions": ("words", gm.Composition(length=3)),
        "substrings": ("words", gm.FullSpectrum()),
        "substrings and none": ("words", gm.FullSpectrum(min_length=0, max_length=3, decay=0.5)),
        "documents": ("documents", gm.BagOfWords("tf-idf", analyzer="word")),
        "records": ("records", gaussian.on("age") + gm.Spectrum(1).on("name") * gm.Equality().on("name")),
        "nodes": ("nodes", gm.ExponentialDiffusion(ring, beta=0.5)),
        "walks": ("nodes", gm.PowerDiffusion(ring, length=2)),
        "precomputed": ("nodes", gm.Precomputed(gaussian(X))),
    }


def learners() -> dict[str, tuple[Any, Any]]:
    """Return learners by name, as functions of the kernel, with the target they need."""
    two, three = np.array(["a", "b"])[np.arange(N) % 2], np.arange(N) % 3
    y, alike = np.sin(np.arange(N)), np.zeros(N, dtype=int)
    return {
        "novelty": (lambda k: gm.NoveltyDetector(k, calibration="bound"), None),
        "novelty-low": (lambda k: gm.NoveltyDetector(k, calibration="bound", rank=4), None),
        "conformal": (lambda k: gm.NoveltyDetector(k, calibration="conformal", alpha=0.4, random_state=0), None),
        "parzen": (lambda k: gm.ParzenClassifier(k), two),
        "parzen-low": (lambda k: gm.ParzenClassifier(k, rank=4), three),
        "fisher": (lambda k: gm.FisherDiscriminant(k), three),
        "fisher-low": (lambda k: gm.FisherDiscriminant(k, rank=4), two),
        "fisher-plain": (lambda k: gm.FisherDiscriminant(k, ridge=0), two),
        "classifier": (lambda k: gm.KernelClassifier(k), two),
        "classifier-three": (lambda k: gm.KernelClassifier(k, ridge=0.5, fit_intercept=False), three),
        "classifier-plain": (lambda k: gm.KernelClassifier(k, ridge=0), three),
        "classifier-low": (lambda k: gm.KernelClassifier(k, rank=4), three),
        "rows": (lambda k: gm.GramRows(k), None),
        "ridge-plain": (lambda k: gm.KernelRidge(k, ridge=0, fit_intercept=True), y),
        "ridge": (lambda k: gm.KernelRidge(k, fit_intercept=True), y),
        "ridge-two": (lambda k: gm.KernelRidge(k, ridge=0.5, fit_intercept=True), np.stack([y, y**2], axis=1)),
        "ridge-low": (lambda k: gm.KernelRidge(k, rank=4), y),
        "projection": (lambda k: gm.KernelRidge(k, ridge=0.1, smoother="projection"), y),
        "pca": (lambda k: gm.KernelPCA(2, k), None),
        "pca-low": (lambda k: gm.KernelPCA(2, k, rank=4), None),
        "gram-schmidt": (lambda k: gm.GramSchmidt(k, rank=3), None),
        "gram-schmidt-residual": (lambda k: gm.GramSchmidt(k, residual=0.2), None),
        "kmeans": (lambda k: gm.KernelKMeans(2, k, n_init=1, random_state=0), None),
        "search": (lambda k: gm.KernelSearch(gm.KernelRidge(k), {"ridge": [0.1, 1.0]}), y),
        "mercer": (lambda k: gm.MercerMap(k), None),
        "cholesky": (lambda k: gm.CholeskyMap(k, rank=3), None),
        "novelty-taught": (lambda k: Taught(gm.NoveltyDetector(k, calibration="bound")), None),
        "novelty-low-taught": (lambda k: Taught(gm.NoveltyDetector(k, calibration="bound", rank=3)), None),
        "parzen-taught": (lambda k: Taught(gm.ParzenClassifier(k)), three),
        "parzen-begun": (lambda k: Taught(gm.ParzenClassifier(k, rank=3)), alike),
        "parzen-begun-exactly": (lambda k: Taught(gm.ParzenClassifier(k)), alike),
        "fisher-taught": (lambda k: Taught(gm.FisherDiscriminant(k, rank=3)), two),
        "fisher-begun": (lambda k: Taught(gm.FisherDiscriminant(k, rank=3)), alike),
        "classifier-taught": (lambda k: Taught(gm.KernelClassifier(k, rank=3)), three),
        "ridge-taught": (lambda k: Taught(gm.KernelRidge(k, rank=3)), np.stack([y, y**2], axis=1)),
        "pca-taught": (lambda k: Taught(gm.KernelPCA(2, k, rank=3)), None),
    }


class Taught:
    """A learner that is fitted by being taught batch by batch."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, y: Any = None) -> Any:
        for some in (slice(N // 2), slice(N // 2, N)):
            self.model.partial_fit(X[some], None if y is None else y[some])
        return self.model


class Forge:
    """Sound files, taken apart once, and forged ones made of them."""

    def __init__(self, folder: Path, per_learner: int = 4, seed: int = 0) -> None:
        self.path = folder / "forged.gramian"
        self.sound: list[tuple[str, str, dict[str, Any], list[bytes]]] = []
        every, draw = kernels(), random.Random(seed)
        for name, (make, target) in learners().items():
            for chosen in draw.sample(sorted(every), min(per_learner, len(every))):
                kind, kernel = every[chosen]
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        model = make(kernel)
                        model = model.fit(objects(kind)) if target is None else model.fit(objects(kind), target)
                        if draw.random() < 0.5:
                            asked(model, kind)  # what was worked out is stored too
                    except (TypeError, ValueError):  # a kernel that this learner does not go with
                        continue
                save(model, self.path, overwrite=True)
                self.sound.append((f"{name} on {chosen}", kind, *taken_apart(self.path.read_bytes())))

    @classmethod
    def of_commands(cls, folder: Path) -> Forge:
        """Return a forge of files that `gramian fit` has written."""
        forge = cls(folder, per_learner=0)
        tables = {
            "numbers": ("a,b,c,y\n", "{0}.5,{1},{1}{2},{0}\n"),
            "classes": ("a,w,t,y\n", "{0}.5,ab{2}a{1},the {2} {1} cat,{2}\n"),
        }
        for name, (head, row) in tables.items():
            data = folder / f"{name}.csv"
            data.write_text(head + "".join(row.format(k, "xyz"[k % 3], "pq"[k % 2]) for k in range(2 * N)))
            for target in (["--target", "y"], []):
                model = folder / "model.gramian"
                if main(["fit", str(data), *target, "-o", str(model), "--force", "-q"]) == 0:
                    forge.sound.append((f"fit {name} {target}", str(data), *taken_apart(model.read_bytes())))
        return forge

    def command_trial(self, seed: int) -> str | None:
        """Forge a file, and give it to a command; return what went wrong: an exit code that there should not be."""
        draw = random.Random(seed)
        name, data, contents = self.forged(draw)
        self.path.write_bytes(contents)
        command = draw.choice(["predict", "novelty"])
        out, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            code = main([command, str(self.path), data])
        clear = code in (0, 3, 5) and "Traceback" not in said.getvalue()
        return None if clear else f"seed {seed}, {command} {name}: exit {code}, {said.getvalue()[-300:]}"

    def forged(self, draw: random.Random) -> tuple[str, str, bytes]:
        """Return what was forged, the kind of its objects, and a file."""
        name, kind, tree, arrays = draw.choice(self.sound)
        tree, arrays = copy.deepcopy(tree), list(arrays)
        words = [changed(tree, arrays, draw) for _ in range(draw.choice((1, 1, 1, 2, 3)))]
        return f"{name}: {'; '.join(words)}", kind, put_together(tree, arrays)

    def trial(self, seed: int) -> str | None:
        """Forge a file, load it, ask it; return what went wrong, None where nothing did."""
        name, kind, contents = self.forged(random.Random(seed))
        self.path.write_bytes(contents)
        target = learners().get(name.split(" on ")[0], (None, None))[1]
        fault = tried(self.path, kind, target)
        return None if fault is None else f"seed {seed}, {name}: {fault}"


# Taking a file apart, and putting it together


def taken_apart(contents: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Return the tree of a file, and the bytes of its arrays."""
    length = ENVELOPE.unpack_from(contents)[4]
    tree = json.loads(contents[ENVELOPE.size : ENVELOPE.size + length])
    place, arrays = container.aligned(ENVELOPE.size + length), []
    for one in tree["arrays"]:
        size = int(np.prod(read_shape(one["shape"]), dtype=object)) * read_type(one["type"]).itemsize
        arrays.append(contents[container.aligned(place) : container.aligned(place) + size])
        place = container.aligned(place) + size
    return tree, arrays


def put_together(tree: dict[str, Any], arrays: list[bytes]) -> bytes:
    """Return a file with a right checksum, whatever is in it."""
    head = json.dumps(tree).encode()
    rest = bytearray(head)
    for one in arrays:
        place = ENVELOPE.size + len(rest)
        rest += bytes(container.aligned(place) - place) + one
    before = struct.pack("<12sI16sQQ", container.MAGIC, 1, b"0.1.0", ENVELOPE.size + len(rest), len(head))
    return before + sha256(before + bytes(rest)).digest() + bytes(rest)


# What a forger changes


def nodes(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in a tree: what holds it, and where there."""
    stack = [tree]
    while stack:
        one = stack.pop()
        pairs = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for where, held in pairs:
            yield one, where
            if isinstance(held, dict | list):
                stack.append(held)


def attributes(tree: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    return [
        (part["set"], name)
        for part in tree["parts"]
        if isinstance(part, dict) and "set" in part
        for name in part["set"]
    ]


def random_node(tree: dict[str, Any], draw: random.Random) -> Any:
    kind = draw.randrange(5)
    if kind == 0:
        return draw.choice(LEAVES)
    if kind == 1:
        return copy.deepcopy(draw.choice(NODES))
    if kind == 2:
        return {"array": draw.randrange(len(tree["arrays"]) or 1)}
    if kind == 3:
        return {"ref": draw.randrange(len(tree["parts"]) or 1)}
    return copy.deepcopy(draw.choice([holder[where] for holder, where in nodes(tree)]))


def any_node(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    holder, where = draw.choice(list(nodes(tree)))
    holder[where] = random_node(tree, draw)
    return f"{where} set to {holder[where]!r:.60}"


def an_attribute(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    holder, name = draw.choice(attributes(tree))
    holder[name] = random_node(tree, draw)
    return f"{name} set to {holder[name]!r:.60}"


def a_missing_attribute(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    holder, name = draw.choice(attributes(tree))
    del holder[name]
    return f"{name} left out"


def another_attribute(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    parts = [part for part in tree["parts"] if part.get("class") in ENTRIES]
    part = draw.choice(parts)
    name = draw.choice(sorted(ENTRIES[part["class"]].attributes) or ["x"])
    part["set"][name] = random_node(tree, draw)
    return f"{part['class']}.{name} set to {part['set'][name]!r:.60}"


def attributes_exchanged(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    (one, a), (other, b) = draw.choice(attributes(tree)), draw.choice(attributes(tree))
    one[a], other[b] = other[b], one[a]
    return f"{a} and {b} exchanged"


def another_reference(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    found = [(holder, where) for holder, where in nodes(tree) if where in ("ref", "array")]
    holder, where = draw.choice(found)
    holder[where] = draw.randrange(len(tree["parts" if where == "ref" else "arrays"]) or 1)
    return f"{where} {holder[where]} instead"


def another_class(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    part = draw.choice([part for part in tree["parts"] if "class" in part])
    before, part["class"] = part["class"], draw.choice(sorted(ENTRIES))
    return f"{before} called {part['class']}"


def another_shape(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    one = draw.choice(tree["arrays"])
    size, shape = int(np.prod(one["shape"], dtype=object)), one["shape"]
    options = [[size], [1, size], [size, 1], shape[::-1], [*shape, 1], [], [0], [0, *shape], shape[1:], [size, 0]]
    one["shape"] = draw.choice(options)
    return _fill(tree, arrays, tree["arrays"].index(one), draw)


def another_type(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    place = draw.randrange(len(tree["arrays"]))
    tree["arrays"][place]["type"] = copy.deepcopy(draw.choice(TYPES))
    return _fill(tree, arrays, place, draw)


def shorter_or_longer(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    place = draw.randrange(len(tree["arrays"]))
    one = tree["arrays"][place]
    if one["shape"]:
        axis = draw.randrange(len(one["shape"]))
        one["shape"][axis] = max(0, one["shape"][axis] + draw.choice((-2, -1, 1, 3)))
    return _fill(tree, arrays, place, draw)


def _fill(tree: dict[str, Any], arrays: list[bytes], place: int, draw: random.Random) -> str:
    """Give an array as many bytes as its type and shape ask for."""
    one = tree["arrays"][place]
    one.pop("axes", None)
    size = int(np.prod(one["shape"], dtype=object)) * read_type(one["type"]).itemsize
    before = arrays[place] or b"\0"
    arrays[place] = (before * (size // len(before) + 1))[:size]
    return f"array {place} now {one['type']} of shape {one['shape']}"


def other_numbers(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    place = draw.randrange(len(tree["arrays"]))
    dtype = read_type(tree["arrays"][place]["type"])
    if not arrays[place] or dtype.kind not in "fiub":
        return "nothing"
    numbers = np.frombuffer(arrays[place], dtype).copy()
    for _ in range(draw.choice((1, 1, 3))):
        numbers[draw.randrange(len(numbers))] = np.array(draw.choice(NUMBERS)).astype(dtype)
    if draw.random() < 0.2:
        numbers[:] = np.array(draw.choice(NUMBERS)).astype(dtype)
    arrays[place] = numbers.tobytes()
    return f"other numbers in array {place}"


def no_order(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    draw.shuffle(tree["parts"] if draw.random() < 0.3 else tree["arrays"])
    return "tables shuffled"


def a_fitting_attribute(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    """Put another value of a type that the attribute may have: what gets past the registry most often."""
    places = [place for place, part in enumerate(tree["parts"]) if part.get("class") in ENTRIES]
    place = draw.choice(places)
    part, entry = tree["parts"][place], ENTRIES[tree["parts"][place]["class"]]
    name = draw.choice(sorted(entry.attributes) or ["x"])
    types = entry.attributes.get(name, ())
    earlier = [{"ref": k} for k in range(place) if _class(tree["parts"][k]) in _names(types)]
    plain = [leaf for leaf in LEAVES if isinstance(leaf, types)] + [0.5, 3] * (float in types)
    same = [{"array": k} for k in range(len(tree["arrays"]))] * (np.ndarray in types)
    options = [group for group in (earlier, plain, same) if group]
    if not options:
        return "nothing"
    part["set"][name] = draw.choice(draw.choice(options))
    return f"{part['class']}.{name} set to {part['set'][name]!r:.60}"


def _class(part: dict[str, Any]) -> str:
    return str(part.get("class") or part.get("sparse"))


def _names(types: Any) -> set[str]:
    names = {one.__name__ for one in types}
    return names | {name for name, entry in ENTRIES.items() if any(issubclass(entry.cls, one) for one in types)}


def arrays_exchanged(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    """Exchange two arrays of one type and number of axes, wherever they stand."""
    kinds: dict[Any, list[int]] = {}
    for place, one in enumerate(tree["arrays"]):
        kinds.setdefault((str(one["type"]), len(one["shape"])), []).append(place)
    alike = [places for places in kinds.values() if len(places) > 1]
    if not alike:
        return "nothing"
    a, b = draw.sample(draw.choice(alike), 2)
    tree["arrays"][a], tree["arrays"][b] = tree["arrays"][b], tree["arrays"][a]
    arrays[a], arrays[b] = arrays[b], arrays[a]
    return f"arrays {a} and {b} exchanged"


def a_shorter_sample(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    """Cut or stretch one length wherever it occurs, so that much of the rest still fits."""
    lengths = sorted({side for one in tree["arrays"] for side in one["shape"] if side > 0})
    if not lengths:
        return "nothing"
    old = draw.choice(lengths)
    new = max(0, old + draw.choice((-1, -2, 1, 2)))
    for place, one in enumerate(tree["arrays"]):
        if old in one["shape"] and draw.random() < 0.9:
            one["shape"] = [new if side == old else side for side in one["shape"]]
            _fill(tree, arrays, place, draw)
    return f"length {old} now {new}"


def moved_numbers(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    """Put other finite numbers of an ordinary size."""
    place = draw.randrange(len(tree["arrays"]))
    dtype = read_type(tree["arrays"][place]["type"])
    if not arrays[place] or dtype.kind not in "fi":
        return "nothing"
    numbers = np.frombuffer(arrays[place], dtype).copy()
    way = draw.randrange(4)
    if way == 0:
        numbers[:] = numbers[::-1].copy()
    elif way == 1:
        numbers[draw.randrange(len(numbers)) :] = 0
    elif way == 2 and dtype.kind == "f":
        numbers *= draw.choice((-1.0, 1e-200, 1e30, 1e150))
    else:
        numbers[draw.randrange(len(numbers))] = draw.choice((0, 1, 2, 3, -1))
    arrays[place] = numbers.tobytes()
    return f"numbers of array {place} moved"


CHANGES = [
    *(a_fitting_attribute, a_fitting_attribute, a_fitting_attribute, a_fitting_attribute, arrays_exchanged),
    *(a_shorter_sample, a_shorter_sample, moved_numbers, moved_numbers, moved_numbers, arrays_exchanged),
    *(any_node, an_attribute, an_attribute, a_missing_attribute, another_attribute, another_attribute),
    *(attributes_exchanged, another_reference, another_reference, another_class, another_shape, another_type),
    *(shorter_or_longer, shorter_or_longer, other_numbers, other_numbers, no_order),
]


def changed(tree: dict[str, Any], arrays: list[bytes], draw: random.Random) -> str:
    """Change something; a tree that was changed before may be none that the next change understands."""
    try:
        with np.errstate(all="ignore"):
            return draw.choice(CHANGES)(tree, arrays, draw)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        return "nothing more"


# What becomes of it


def tried(path: Path, kind: str, target: Any = None) -> str | None:
    """Load a file, ask what is in it, and teach it; return what went wrong, None where nothing did."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = load(path)
        except ModelFileError:
            return None
        except Exception as error:
            return f"load raised {described(error)}"
        return asked(model, kind) or taught(model, kind, target, path.with_suffix(".again"))


def asked(model: Any, kind: str) -> str | None:
    """Ask a model everything that it can be asked; return what went wrong, None where nothing did."""
    X = objects(kind)[:5]
    questions: list[Question] = [
        ("repr", lambda: repr(model)),
        ("again", lambda: str(model.get_params()) if hasattr(model, "get_params") else ""),
    ]
    questions += [(name, lambda name=name: getattr(model, name)(X)) for name in METHODS if _offers(model, name)]
    questions += [(name, lambda name=name: getattr(model, name, None)) for name in LEARNT if hasattr(type(model), name)]
    questions += [(name, getattr(model, name)) for name in AT_THE_SAMPLE if _offers(model, name)]
    if _offers(model, "explain"):
        questions.append(("explain", lambda: model.explain(X)))
    if _offers(model, "feature_weights"):
        questions.append(("feature_weights", lambda: repr(model.feature_weights())))
    if hasattr(model, "inverse_transform"):
        questions.append(("inverse_transform", lambda: model.inverse_transform(model.transform(X))))
    if not hasattr(model, "get_params") and not hasattr(model, "transform"):
        return None
    return answered(questions)


def taught(model: Any, kind: str, target: Any, path: Path) -> str | None:
    """Have a model judged, copied, saved, and taught more; return what went wrong, None where nothing did."""

    def saved() -> None:
        save(model, path, overwrite=True)
        load(path)

    if not isinstance(model, BaseEstimator):
        return None
    X, halves = objects(kind), (slice(N // 2), slice(N // 2, N))
    parts = [(X[some], None if target is None else target[some]) for some in halves]
    questions: list[Question] = [("pickle", lambda: pickle.loads(pickle.dumps(model))), ("clone", lambda: clone(model))]
    questions.append(("saving", saved))
    if _offers(model, "score"):
        questions.append(("score", lambda: model.score(*parts[0])))
    if hasattr(type(model), "partial_fit") and _offers(model, "partial_fit"):
        questions += [("partial_fit", lambda part=part: model.partial_fit(*part)) for part in parts]
        questions += [(name, lambda name=name: getattr(model, name)(X[:4])) for name in METHODS if _offers(model, name)]
    questions.append(("fit", lambda: model.fit(X, target)))
    return answered(questions)


def answered(questions: list[Question]) -> str | None:
    """Ask everything; return what went wrong, None where nothing did."""
    for name, question in questions:
        try:
            question()
        except Exception as error:
            if not of_its_own_will(error):
                return f"{name} raised {described(error)}"
    return None


def _offers(model: Any, name: str) -> bool:
    return callable(getattr(model, name, None))


def of_its_own_will(error: Exception) -> bool:
    """Tell whether an error is a ValueError or TypeError that gramian, or a check of scikit-learn, has raised."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    raised = "raise" in (last.line or "") or "validat" in last.filename or "_array_api" in last.filename
    here = "gramian" in last.filename or "sklearn" in last.filename
    if isinstance(error, TypeError) and "sklearn" in last.filename:  # it compares labels of any types, to score them
        return True
    low = isinstance(error, AttributeError) and "in low rank" in str(error)  # what scikit-learn's hasattr expects
    return low or (
        isinstance(error, ValueError | TypeError) and raised and here and not isinstance(error, np.linalg.LinAlgError)
    )


def described(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {str(error)[:150]} (at {Path(last.filename).name}:{last.lineno}, {last.line})"


def forge_and_try(folder: Path, seeds: range, per_learner: int = 4) -> list[str]:
    """Try many forged files; return all faults."""
    forge = Forge(folder, per_learner)
    return [fault for seed in seeds if (fault := forge.trial(seed)) is not None]
