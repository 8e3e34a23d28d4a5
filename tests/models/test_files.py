"""Files are written whole or not at all, are the same for the same model, and say what is wrong with them."""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gramian as gm
from gramian import writing
from gramian.models import ModelFileError, container, describe, load, save

from ..learn import conftest as learn  # noqa: TID252

X, LABELS = learn.vectors(), learn.labels()


def fitted() -> gm.FisherDiscriminant:
    return gm.FisherDiscriminant(gm.Gaussian("median")).fit(X, LABELS)


def written(model: Any, path: Path) -> bytes:
    save(model, path, overwrite=True)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.gramian"


def files_in(directory: Path) -> list[str]:
    return sorted(os.listdir(directory))


# The same model, the same bytes


@pytest.mark.parametrize(
    "make",
    [
        fitted,
        lambda: gm.KernelRidge(rank=5).fit(X, learn.numbers()),
        lambda: gm.ParzenClassifier(gm.Subsequences(2, 0.5)).fit(learn.words(), LABELS),
        lambda: {"b": gm.Gaussian(), "a": [np.arange(3), "x"]},
    ],
)
def test_the_same_model_gives_the_same_bytes(make: Any, path: Path) -> None:
    once = written(make(), path)
    assert written(make(), path) == once
    assert written(load(path), path) == once


def test_another_process_gets_the_same_answers_to_the_last_bit(path: Path) -> None:
    model = fitted()
    save(model, path)
    program = (
        "import sys, hashlib, numpy as np, gramian.models as m; model = m.load(sys.argv[1]); "
        "X = np.frombuffer(bytes.fromhex(sys.argv[2])).reshape(-1, 3); "
        "print(hashlib.sha256(model.decision_function(X).tobytes()).hexdigest())"
    )
    new = learn.more_vectors()
    found = subprocess.run(
        [sys.executable, "-c", program, str(path), new.tobytes().hex()], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == hashlib.sha256(model.decision_function(new).tobytes()).hexdigest()


def test_a_file_tells_what_it_holds_without_being_loaded(path: Path) -> None:
    model = gm.KernelRidge(gm.Spectrum(2)).fit(learn.words(), learn.numbers())
    save({"model": model, "recipe": {"a": 1}, "n": 3, "X": np.arange(4), "none": None, 5: np.float64(1)}, path)
    about = describe(path)
    assert about["class"] == "dict"
    assert about["contents"] == {
        "model": "KernelRidge",
        "recipe": "dict",
        "n": "int",
        "X": "array",
        "none": "NoneType",
        "5": "number",
    }
    assert {"KernelRidge", "Spectrum", "Bags"} <= set(about["classes"])
    assert about["format"] == 1
    assert about["gramian"] == gm.__version__
    assert about["bytes"] == path.stat().st_size
    assert 0 < about["array_bytes"] < about["bytes"]
    assert about["arrays"] > 5


def test_a_description_does_not_read_the_arrays(path: Path) -> None:
    save(np.arange(1000.0), path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert describe(path)["class"] == "array"
    with pytest.raises(ModelFileError, match="damaged"):
        load(path)


# Writing


def test_an_existing_file_is_not_replaced_unless_that_is_asked_for(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(FileExistsError, match=r"model\.gramian exists already: pass overwrite=True to replace it"):
        save(gm.Linear(), path)
    assert path.read_text() == "precious"
    save(gm.Linear(), path, overwrite=True)
    assert load(path) == gm.Linear()
    assert files_in(path.parent) == ["model.gramian"]


def test_a_directory_or_a_place_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a directory; the name of a file in it expected"):
        save(gm.Linear(), tmp_path, overwrite=True)
    with pytest.raises(FileNotFoundError, match="there is no directory .*nowhere"):
        save(gm.Linear(), tmp_path / "nowhere" / "model.gramian")
    with pytest.raises(TypeError, match="path is 3; the name of a file expected"):
        save(gm.Linear(), 3)  # type: ignore[arg-type]


@pytest.mark.skipif(os.name == "nt", reason="pipes have names on Unix only")
def test_a_pipe_is_neither_replaced_nor_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileExistsError, match="a device or a pipe"):
        save(gm.Linear(), tmp_path / "pipe", overwrite=True)
    with pytest.raises(FileExistsError, match="a device or a pipe"):
        save(gm.Linear(), os.devnull, overwrite=True)
    for name in (tmp_path / "pipe", os.devnull):
        with pytest.raises(ModelFileError, match="it is a device or a pipe, and no file"):
            load(name)


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    save(gm.Linear(), tmp_path / "real" / "model.gramian")
    (tmp_path / "link.gramian").symlink_to(tmp_path / "real" / "model.gramian")
    save(gm.Gaussian(), tmp_path / "link.gramian", overwrite=True)
    assert (tmp_path / "link.gramian").is_symlink()
    assert load(tmp_path / "real" / "model.gramian") == gm.Gaussian()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_permissions_are_those_of_any_file_or_of_the_one_replaced(path: Path) -> None:
    save(gm.Linear(), path)
    (path.parent / "other").write_text("")
    assert path.stat().st_mode == (path.parent / "other").stat().st_mode
    path.chmod(0o640)
    save(gm.Linear(), path, overwrite=True)
    assert path.stat().st_mode & 0o777 == 0o640


class Failing:
    """A file that fails at the n-th write."""

    def __init__(self, file: Any, count: int, error: BaseException) -> None:
        self._file, self._left, self._error = file, count, error

    def write(self, data: Any) -> Any:
        if self._left == 0:
            raise self._error
        self._left -= 1
        return self._file.write(data)

    def __enter__(self) -> Failing:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


ERRORS = [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()]


@pytest.mark.parametrize("error", ERRORS, ids=["full", "Ctrl-C"])
@pytest.mark.parametrize("count", range(8))
def test_a_full_disk_or_ctrl_c_leaves_the_old_file_and_nothing_else(
    count: int, error: BaseException, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save("old", path)
    real = open
    monkeypatch.setattr(writing, "open", lambda *given: Failing(real(*given), count, error), raising=False)
    with pytest.raises(type(error)):
        save(fitted(), path, overwrite=True)
    monkeypatch.undo()
    assert files_in(path.parent) == ["model.gramian"]
    assert load(path) == "old"


@pytest.mark.parametrize("error", ERRORS, ids=["full", "Ctrl-C"])
@pytest.mark.parametrize("name", ["fsync", "replace", "chmod"])
def test_an_error_at_the_last_moment_leaves_the_old_file_and_nothing_else(
    name: str, error: BaseException, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save("old", path)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, name, fail)
    with pytest.raises(type(error)):
        save("new", path, overwrite=True)
    monkeypatch.undo()
    assert files_in(path.parent) == ["model.gramian"]
    assert load(path) == "old"


def test_nothing_is_written_where_something_cannot_be_stored(path: Path) -> None:
    with pytest.raises(TypeError, match="function"):
        save({"model": fitted(), "f": len}, path)
    assert files_in(path.parent) == []


# Reading what is not a model file


def test_a_file_that_is_missing_is_an_os_error(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(path)
    with pytest.raises(IsADirectoryError):
        load(path.parent)


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        (b"", "it is empty"),
        (b"x,y\n1,2\n", "it is not a model file, as `gramian fit` and gramian.save write them"),
        (pickle.dumps([1, 2, 3]), "it is not a model file"),
        (b"gramian\n" + bytes(200), "it is not a model file"),
        (container.MAGIC, "it is truncated: it ends at byte 12, before its length is even said"),
    ],
)
def test_other_files_are_refused_with_the_reason(contents: bytes, reason: str, path: Path) -> None:
    path.write_bytes(contents)
    for read in (load, describe):
        with pytest.raises(ModelFileError, match=reason) as caught:
            read(path)
        assert caught.value.path == str(path)
        assert str(path) in str(caught.value)
        assert isinstance(caught.value, ValueError)


def test_a_truncated_file_says_how_many_bytes_are_missing(path: Path) -> None:
    data = written(fitted(), path)
    path.write_bytes(data[:-1000])
    for read in (load, describe):
        with pytest.raises(ModelFileError, match=f"truncated: 1,000 of its {len(data):,} bytes are missing"):
            read(path)


def test_a_file_with_more_behind_it_is_damaged(path: Path) -> None:
    path.write_bytes(written(gm.Linear(), path) + b"more")
    with pytest.raises(ModelFileError, match="damaged: 4 bytes follow where it should end"):
        load(path)


def test_a_newer_format_says_which_gramian_reads_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "FORMAT", 7)
    monkeypatch.setattr(container, "__version__", "3.1.4")
    save(gm.Linear(), path)
    monkeypatch.undo()
    expected = f"it has format 7, written by gramian 3.1.4, and this is gramian {gm.__version__}, which reads formats "
    for read in (load, describe):
        with pytest.raises(ModelFileError, match=f"{expected}up to 1: install gramian 3.1.4 or newer"):
            read(path)


def test_a_class_of_a_later_version_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(gm.Gaussian(), path)
    monkeypatch.delitem(load.__globals__["decode"].__globals__["ENTRIES"], "Gaussian")
    with pytest.raises(ModelFileError, match=f"it holds a 'Gaussian', which gramian {gm.__version__} does not know"):
        load(path)


def test_the_error_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(ModelFileError("a", "b")))
    assert (str(error), error.path, error.reason) == ("a cannot be loaded: b", "a", "b")


def test_models_that_were_saved_without_later_parameters_are_loaded_with_their_defaults(tmp_path):
    words = ["abba", "cab", "bac", "aabb"]
    kernel = gm.Composition()
    del kernel.__dict__["length"]
    detector = gm.GramSchmidt(rank=2).fit(np.arange(12.0).reshape(6, 2))
    del detector.__dict__["residual"]
    ridge = gm.KernelRidge(gm.Laplacian(), ridge="loo").fit(np.arange(6.0)[:, None], [0.0, 1.0, 0.0, 2.0, 1.0, 3.0])
    del ridge._known.__dict__["slope"]
    expected = ridge.loo_residuals_
    save([kernel, detector, ridge], tmp_path / "old.gramian")
    kernel, detector, ridge = load(tmp_path / "old.gramian")
    assert kernel.length == 1
    np.testing.assert_array_equal(kernel(words), gm.Composition()(words))
    assert detector.get_params()["residual"] == 0.0
    np.testing.assert_array_equal(ridge.loo_residuals_, expected)


@pytest.mark.parametrize("length", [0, -3, 65, 10**9])
def test_words_of_an_impossible_length_are_refused(tmp_path, length):
    kernel = gm.Composition()
    kernel.__dict__["length"] = length
    with pytest.raises((TypeError, ValueError), match="length"):
        save(kernel, tmp_path / "m.gramian")
