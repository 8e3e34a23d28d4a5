"""Whatever a file holds, it is loaded or refused: no other exception, no crash, no code run, no memory taken."""

from __future__ import annotations

import contextlib
import json
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.models import ModelFileError, container, load, save
from gramian.models.registry import ENTRIES

ENVELOPE = struct.Struct("<12sI16sQQ32s")
WORDS = ["abba", "cab", "bac", "aabb", "cc"]


def sealed(head: bytes, data: bytes = b"", version: int = 1) -> bytes:
    """Return a file with a right checksum, whatever is in it."""
    place = ENVELOPE.size + len(head)
    rest = head + (bytes(container.aligned(place) - place) + data if data else b"")
    before = struct.pack("<12sI16sQQ", container.MAGIC, version, b"0.1.0", ENVELOPE.size + len(rest), len(head))
    return before + sha256(before + rest).digest() + rest


def resealed(data: bytes) -> bytes:
    """Return a file that was tampered with, with the checksum put right."""
    start = ENVELOPE.size
    return data[: start - 32] + sha256(data[: start - 32] + data[start:]).digest() + data[start:]


def forged(root: Any, parts: Any = (), arrays: Any = (), data: bytes = b"") -> bytes:
    return sealed(json.dumps({"root": root, "parts": list(parts), "arrays": list(arrays)}).encode(), data)


def part(name: str, **attributes: Any) -> dict[str, Any]:
    return {"class": name, "set": attributes}


def attempt(contents: bytes, path: Path) -> Any:
    """Write a file and return what comes of loading it."""
    path.write_bytes(contents)
    return outcome(path)


def outcome(path: Path) -> Any:
    """Load, and return what came out of it, or the error; any exception but ModelFileError is a failure."""
    try:
        return load(path)
    except ModelFileError as error:
        return error


def small_model() -> dict[str, Any]:
    """A learner of strings, whose codes go to compiled functions, and of everything else a little."""
    model = gm.ParzenClassifier(gm.Subsequences(2, 0.5)).fit(WORDS, ["x", "y", "x", "y", "x"])
    return {"model": model, "recipe": {"missing": 0.5, "of": ("a", None, True)}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.gramian"


@pytest.fixture
def small(path: Path) -> bytes:
    save(small_model(), path)
    assert path.stat().st_size < 8000
    return path.read_bytes()


class Changeable:
    """A file of which single bytes are changed and put back, faster than writing it anew each time."""

    def __init__(self, path: Path, contents: bytes) -> None:
        path.write_bytes(contents)
        self._path, self.contents, self._file = path, contents, path.open("r+b", buffering=0)

    def flipped(self, place: int, change: int, seal: bool = False) -> Any:
        """Load the file with one byte changed, and with `seal` the checksum that belongs to it."""
        data = bytearray(self.contents)
        data[place] ^= change
        new = resealed(bytes(data)) if seal else bytes(data)
        self._put(new, place)
        found = outcome(self._path)
        self._put(self.contents, place)
        return found

    def _put(self, data: bytes, place: int) -> None:
        for part in (slice(place, place + 1), slice(ENVELOPE.size - 32, ENVELOPE.size)):
            self._file.seek(part.start)
            self._file.write(data[part])

    def cut(self, length: int) -> Any:
        """Load the file cut to a length; later lengths must be smaller."""
        self._file.truncate(length)
        return outcome(self._path)

    def close(self) -> None:
        self._file.close()


@pytest.fixture
def changeable(small: bytes, path: Path) -> Iterator[Changeable]:
    found = Changeable(path, small)
    yield found
    found.close()


# Accidents


@pytest.mark.parametrize("flip", ["byte", "bit"])
def test_one_flip_at_any_position_is_found(flip: str, changeable: Changeable) -> None:
    for place in range(len(changeable.contents)):
        change = 0xFF if flip == "byte" else 1 << (place * 5 + 3) % 8
        assert isinstance(changeable.flipped(place, change), ModelFileError), place


def test_a_file_cut_at_any_length_is_refused(changeable: Changeable) -> None:
    for length in reversed(range(len(changeable.contents))):
        found = changeable.cut(length)
        assert isinstance(found, ModelFileError), length
        assert "truncated" in str(found) or length == 0


def test_garbage_is_refused(path: Path) -> None:
    rng = np.random.default_rng(0)
    for length in range(0, 600, 11):
        noise = rng.bytes(length)
        for contents in (noise, container.MAGIC + noise, sealed(noise), sealed(b"{}", noise), sealed(noise, noise)):
            assert isinstance(attempt(contents, path), ModelFileError)


# Malice: the checksum is right


def asked(found: Any) -> None:
    """Ask a model that may be nonsense; what counts is that it answers, or raises, and does not crash."""
    with contextlib.suppress(Exception):
        found["model"].predict(["abc", "zzz"])


def test_a_flip_under_a_right_checksum_is_refused_or_loaded_but_never_crashes(changeable: Changeable) -> None:
    for place in range(len(container.MAGIC), len(changeable.contents)):
        asked(changeable.flipped(place, (0x01, 0x02, 0x10, 0xFF)[place % 4], seal=True))


def test_numbers_exchanged_under_a_right_checksum_never_crash(small: bytes, path: Path) -> None:
    start = ENVELOPE.size
    length = struct.unpack_from("<Q", small, 40)[0]
    head = json.loads(small[start : start + length])
    rng = np.random.default_rng(1)
    body = small[container.aligned(start + length) :]
    for _ in range(200):
        data = bytearray(body)
        for place in rng.integers(0, len(data) // 8, size=3):
            data[8 * place : 8 * place + 8] = struct.pack("<q", int(rng.choice([-1, 2**31, 2**62, 7, -(2**63)])))
        asked(attempt(sealed(json.dumps(head).encode(), bytes(data)), path))


GAUSSIAN = part("Gaussian", bandwidth=1.0)
F8 = {"type": "<f8", "shape": [2]}
SIXTEEN = bytes(16)

HOSTILE: dict[str, tuple[bytes, str]] = {
    "a class of Python": (
        forged({"ref": 0}, [part("os.system", command="true")]),
        "holds a 'os.system', which gramian",
    ),
    "a builtin": (forged({"ref": 0}, [part("eval", source="1")]), "holds a 'eval'"),
    "a class of the machinery": (forged({"ref": 0}, [part("gramian.models.codec.Decoder")]), "holds a 'gramian.models"),
    "a module of gramian": (forged({"ref": 0}, [part("Kernel")]), "holds a 'Kernel'"),
    "a class that is no text": (forged({"ref": 0}, [part(["Gaussian"])]), "does not know"),  # type: ignore[arg-type]
    "an attribute too many": (
        forged({"ref": 0}, [part("Gaussian", bandwidth=1.0, __class__="x")]),
        "Gaussian has no attribute '__class__'",
    ),
    "a method as attribute": (
        forged({"ref": 0}, [part("KernelRidge", predict=1)]),
        "KernelRidge has no attribute 'predict'",
    ),
    "an attribute too few": (forged({"ref": 0}, [part("Gaussian")]), "Gaussian lacks bandwidth"),
    "a parameter out of range": (forged({"ref": 0}, [part("Gaussian", bandwidth=-1.0)]), "bandwidth is -1.0"),
    "a parameter of another type": (
        forged({"ref": 0}, [part("Gaussian", bandwidth=[1])]),
        "Gaussian.bandwidth is a list",
    ),
    "a kernel that is none": (forged({"ref": 0}, [part("Sum", left=1, right=2)]), "Sum.left is a int"),
    "a function by name": (
        forged({"ref": 1}, [part("Linear"), part("Pullback", base={"ref": 0}, f="os.system")]),
        "Pullback.f is a str",
    ),
    "a tokenizer by name": (
        forged({"ref": 0}, [part("BagOfWords", tokenizer="eval")]),
        "BagOfWords.tokenizer is a str",
    ),
    "a checkpoint": (
        forged({"ref": 1}, [GAUSSIAN, part("ParzenClassifier", kernel={"ref": 0}, rank=None, checkpoint="/tmp/x")]),
        "ParzenClassifier.checkpoint is a str",
    ),
    "a part of itself": (forged({"ref": 0}, [part("Exponential", base={"ref": 0})]), "before it is there"),
    "parts of each other": (
        forged({"ref": 1}, [part("Exponential", base={"ref": 1}), part("Exponential", base={"ref": 0})]),
        "before it is there",
    ),
    "a part that is not there": (forged({"ref": 7}), "there is no ref 7"),
    "a negative part": (forged({"ref": -1}, [GAUSSIAN]), "there is no ref -1"),
    "a part by a truth value": (forged({"ref": True}, [GAUSSIAN, GAUSSIAN]), "there is no ref True"),
    "an array that is not there": (forged({"array": 0}), "there is no array 0"),
    "a huge shape": (
        forged({"array": 0}, [], [{"type": "<f8", "shape": [2**40]}]),
        "has a longer side than there are bytes",
    ),
    "an overflowing shape": (
        forged({"array": 0}, [], [{"type": "<f8", "shape": [2**47, 2**47, 2**47]}], SIXTEEN),
        "has a longer side than there are bytes",
    ),
    "a negative shape": (forged({"array": 0}, [], [{"type": "<f8", "shape": [-1]}], SIXTEEN), "is no shape"),
    "two negative sides": (forged({"array": 0}, [], [{"type": "<f8", "shape": [-1, -2]}], SIXTEEN), "is no shape"),
    "a side that is no integer": (forged({"array": 0}, [], [{"type": "<f8", "shape": [2.0]}], SIXTEEN), "is no shape"),
    "a side that is True": (forged({"array": 0}, [], [{"type": "|b1", "shape": [True]}], b"\0"), "is no shape"),
    "too many axes": (forged({"array": 0}, [], [{"type": "<f8", "shape": [1] * 40}], SIXTEEN), "is no shape"),
    "an array too short": (forged({"array": 0}, [], [F8], bytes(8)), "takes 16 bytes, and 8 are there"),
    "an array too long": (forged({"array": 0}, [], [F8], bytes(24)), "8 bytes belong to no array"),
    "objects, to be unpickled": (
        forged({"array": 0}, [], [{"type": "|O", "shape": [1]}], b"cos\nsystem\n"),
        "'|O' is no type of numbers",
    ),
    "objects by another name": (
        forged({"array": 0}, [], [{"type": "O8", "shape": [2]}], SIXTEEN),
        "is no type of numbers",
    ),
    "a type that is parsed": (
        forged({"array": 0}, [], [{"type": "f8,O", "shape": [1]}], SIXTEEN),
        "is no type of numbers",
    ),
    "a type with a shape": (
        forged({"array": 0}, [], [{"type": "(9,9)f8", "shape": [1]}], SIXTEEN),
        "is no type of numbers",
    ),
    "a void": (forged({"array": 0}, [], [{"type": "|V16", "shape": [1]}], SIXTEEN), "is no type of numbers"),
    "no size": (forged({"array": 0}, [], [{"type": "<U0", "shape": [2**40]}]), "is no type of numbers"),
    "records of objects": (
        forged({"array": 0}, [], [{"type": [["a", "|O", []]], "shape": [2]}], SIXTEEN),
        "is no type of numbers",
    ),
    "a field without a name": (forged(0, [], [{"type": [["", "<f8", []]], "shape": [2]}], SIXTEEN), "has not a name"),
    "a field twice": (
        forged(0, [], [{"type": [["a", "<f8", []], ["a", "<f8", []]], "shape": [1]}], SIXTEEN),
        "it does not hold a model",
    ),
    "no fields": (forged(0, [], [{"type": [], "shape": [2]}], SIXTEEN), "neither a text nor a list of fields"),
    "a huge field": (
        forged(0, [], [{"type": [["a", "<f8", [2**40]]], "shape": [1]}], SIXTEEN),
        "it does not hold a model",
    ),
    "other axes": (
        forged(0, [], [{"type": "<f8", "shape": [1, 2], "axes": [1, 1]}], SIXTEEN),
        "are not the 2 axes of an array",
    ),
    "a truth value of 7": (forged(0, [], [{"type": "|b1", "shape": [2]}], b"\1\7"), "neither 0 nor 1"),
    "a truth value within a record": (
        forged(0, [], [{"type": [["a", "|b1", []]], "shape": [2]}], b"\1\7"),
        "neither 0 nor 1",
    ),
    "a character beyond all": (
        forged(0, [], [{"type": "<U1", "shape": [1]}], b"\xff\xff\xff\xff"),
        "which is no character",
    ),
    "a scalar of the wrong size": (forged({"scalar": ["<f8", "00"]}), "has 1 bytes"),
    "a truth value of 2": (forged({"scalar": ["|b1", "02"]}), "a value that it cannot have"),
    "a number by a name": (forged({"float": "__import__"}), "is no number"),
    "a kind there is not": (forged({"python/object": "os.system"}), "no kind of value 'python/object'"),
    "two kinds": (forged({"tuple": [], "ref": 0}), "of no kind, or of two"),
    "a key that is a list": (forged({"dict": [[[1], 2]]}), "a key of a dict is a list"),
    "a key twice": (forged({"dict": [["a", 1], ["a", 2]]}), "a key stands twice"),
    "a pair of three": (forged({"dict": [["a", 1, 2]]}), "it does not hold a model"),
    "a tuple of letters": (forged({"tuple": "abc"}), "a str stands where a list is expected"),
    "deep nesting": (sealed(b'{"root":' + b"[" * 5000 + b"]" * 5000 + b',"parts":[],"arrays":[]}'), "levels deep"),
    "deep but not too deep": (
        sealed(b'{"root":' + b"[" * 300 + b"]" * 300 + b',"parts":[],"arrays":[]}'),
        "lists stand within lists",
    ),
    "deep parts": (
        forged({"ref": 3000}, [part("Linear"), *(part("Exponential", base={"ref": k}) for k in range(3000))]),
        "levels deep and has 161 parts",
    ),
    "deep types": (
        forged(0, [], [{"type": eval("[['a'," * 50 + "'<f8'" + ",[]]]" * 50), "shape": [2]}], SIXTEEN),
        "it does not hold a model",
    ),
    "an enormous integer": (sealed(b'{"root":' + b"9" * 10000 + b',"parts":[],"arrays":[]}'), "it does not hold"),
    "not a number": (sealed(b'{"root":NaN,"parts":[],"arrays":[]}'), "which JSON does not have"),
    "no JSON": (sealed(b"cos\nsystem\n(S'true'\ntR."), "its head cannot be read"),
    "no ASCII": (sealed('{"root":"é","parts":[],"arrays":[]}'.encode()), "its head cannot be read"),
    "a list for a head": (sealed(b"[]"), "its head is no table"),
    "no parts": (sealed(b'{"root":1,"arrays":[]}'), "no parts"),
    "parts that are none": (forged(0, [1]), "a int stands where a dict is expected"),
    "a sparse array of no kind": (forged(0, [{"sparse": "spmatrix", "shape": [1, 1]}]), "is of no known kind"),
    "an array of objects too many": (
        forged({"ref": 0}, [{"items": [1], "shape": [2**40]}]),
        "an array of 1 objects cannot have",
    ),
    "a format of zero": (sealed(b"{}", version=0), "has format 0, which there never was"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_with_the_reason(name: str, path: Path) -> None:
    contents, reason = HOSTILE[name]
    found = attempt(contents, path)
    assert isinstance(found, ModelFileError)
    assert reason in str(found)


def sparse(indices: list[int], indptr: list[int], shape: list[int]) -> bytes:
    arrays = [np.ones(len(indices)), np.array(indices, np.int32), np.array(indptr, np.int32)]
    data = b""
    for array in arrays:
        data = data + bytes(container.aligned(len(data)) - len(data)) + array.tobytes()
    spelled = [{"type": array.dtype.str, "shape": list(array.shape)} for array in arrays]
    refs = {name: {"array": k} for k, name in enumerate(("data", "indices", "indptr"))}
    return forged({"ref": 0}, [{"sparse": "csr_array", "shape": shape, **refs}], spelled, data)


def test_a_sparse_array_whose_places_are_outside_is_refused(path: Path) -> None:
    assert attempt(sparse([0, 1], [0, 1, 2], [2, 2]), path).toarray().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    for indices, indptr, shape in [
        ([0, 2], [0, 1, 2], [2, 2]),
        ([0, -1], [0, 1, 2], [2, 2]),
        ([0, 1], [0, 5, 2], [2, 2]),
        ([0, 1], [0, 2, 1], [2, 2]),
        ([0, 1], [1, 1, 2], [2, 2]),
        ([0, 1], [0, 1, 9], [2, 2]),
        ([0, 1], [0, 1, -(2**31)], [2, 2]),
        ([0, 1], [0, 2**31 - 1, -(2**31), -1, 2], [4, 2]),
        ([0, 1], [0, 1, 2], [3, 2]),
        ([0, 1], [0, 1, 2], [2**40, 2]),
        ([0, 1], [0, 1, 2], [2]),
    ]:
        assert isinstance(attempt(sparse(indices, indptr, shape), path), ModelFileError), (indices, indptr, shape)


def sequences(codes: list[int], starts: list[int]) -> bytes:
    arrays = [np.array(codes, np.int32), np.array(starts, np.int64)]
    data = arrays[0].tobytes()
    data = data + bytes(container.aligned(len(data)) - len(data)) + arrays[1].tobytes()
    spelled = [{"type": array.dtype.str, "shape": list(array.shape)} for array in arrays]
    made = part("Sequences", codes={"array": 0}, starts={"array": 1}, alphabet={"tuple": ["a", "b"]}, kind="strings")
    return forged({"ref": 0}, [made], spelled, data)


def test_codes_that_compiled_functions_would_follow_out_of_memory_are_refused(path: Path) -> None:
    assert len(attempt(sequences([0, 1, 0], [0, 1, 3]), path)) == 2
    for codes, starts in [
        ([0, 2, 0], [0, 1, 3]),
        ([0, -1, 0], [0, 1, 3]),
        ([0, 1, 0], [0, 1, 9]),
        ([0, 1, 0], [0, 5, 3]),
        ([0, 1, 0], [-1, 1, 3]),
        ([0, 1, 0], [0, 2**63 - 1, -(2**63), -1, 3]),
        ([0, 1, 0], []),
    ]:
        assert isinstance(attempt(sequences(codes, starts), path), ModelFileError), (codes, starts)


def test_a_small_file_takes_little_memory_whatever_it_declares(path: Path) -> None:
    tracemalloc.start()
    try:
        for name in ("a huge shape", "an overflowing shape", "an array of objects too many", "a huge field"):
            attempt(HOSTILE[name][0], path)
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_a_head_longer_than_its_file_is_refused(path: Path) -> None:
    before = struct.pack("<12sI16sQQ", container.MAGIC, 1, b"0.1.0", ENVELOPE.size, 2**62)
    assert "its head is longer than the file" in str(attempt(before + bytes(32), path))


TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([{"array": 0}, {"ref": 0}, {"ref": 1}, {"float": "inf"}, {"scalar": ["<f8", "00" * 8]}])
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.builds(lambda kind, held: {kind: held}, st.sampled_from(["tuple", "dict", "text", "bytes", "type"]), inner)
        | st.lists(st.lists(inner, min_size=2, max_size=2), max_size=3).map(lambda pairs: {"dict": pairs})
    ),
    max_leaves=12,
)


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """A class of the registry with attributes of its own names, and values of any kind."""
    entry = ENTRIES[draw(st.sampled_from(sorted(ENTRIES)))]
    names = [*entry.needed, *draw(st.lists(st.sampled_from(sorted(entry.attributes) or ["x"]), max_size=3))]
    return part(entry.name, **{name: draw(TREES) for name in names})


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(root=TREES, parts=st.lists(objects(), max_size=4))
def test_any_tree_is_loaded_or_refused(root: Any, parts: Any, path: Path) -> None:
    attempt(forged(root, parts, [F8], SIXTEEN), path)


def test_loading_needs_neither_pickle_nor_the_names_of_a_file(tmp_path: Path) -> None:
    """The modules that read files import no unpickler, and the registry is what they look classes up in."""
    source = Path(container.__file__).parent
    for module in source.glob("*.py"):
        text = module.read_text()
        for word in ("import pickle", "import_module", "__import__", "eval(", "exec(", "__reduce", "allow_pickle=True"):
            assert word not in text, (module.name, word)


def test_a_hostile_file_runs_nothing_in_a_process_of_its_own(path: Path) -> None:
    path.write_bytes(HOSTILE["a class of Python"][0])
    program = (
        "import sys\nfrom gramian.models import load, ModelFileError\n"
        "import sklearn, numpy.random\n"
        "seen = []\n"
        "sys.addaudithook(lambda name, given: seen.append(name))\n"
        "try:\n    load(sys.argv[1])\nexcept ModelFileError:\n    pass\n"
        "print(sorted({name for name in seen if name in ('exec', 'import', 'os.system', 'subprocess.Popen')}))\n"
    )
    found = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_learner_with_the_sample_of_another_kernel_fails_with_an_exception(small: bytes, path: Path) -> None:
    start, length = ENVELOPE.size, struct.unpack_from("<Q", small, 40)[0]
    old, new = b'"Subsequences","set":{"decay":0.5,"length":2}', b'"AllSubsequences","set":{}'
    head = small[start : start + length]
    assert old in head
    loaded = attempt(sealed(head.replace(old, new), small[container.aligned(start + length) :]), path)
    with pytest.raises((AttributeError, TypeError, ValueError)):
        loaded["model"].predict(["abc"])


def test_learners_are_small_on_disk(path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(2000, 5))
    save(gm.KernelRidge(gm.Gaussian(1.0), ridge=1.0).fit(X, X[:, 0]), path)
    assert path.stat().st_size < 3 * X.nbytes
