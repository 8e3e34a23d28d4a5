"""Compiled passes are kept on the disk, and whatever has become of it, the numbers are the same to the last bit."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import gramian as gm
from gramian.places.cores import compiled

X = np.random.default_rng(0).normal(size=(50, 2))


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """Nothing was compiled yet, and small Grams are."""
    monkeypatch.setattr("gramian.places.cores.entries.WORTH", 0)
    monkeypatch.setenv("GRAMIAN_CACHE", str(tmp_path / "ein Ordner ñ漢"))
    forget(monkeypatch)


def forget(monkeypatch):
    """Forget what is in memory, as another process would."""
    monkeypatch.setattr(compiled, "_loaded", {})


def product():
    return gm.Gaussian(1.0).gram(X).apply(np.ones((50, 1)))


def empty(folder):
    for file in folder.rglob("*.nbi"):
        file.write_bytes(b"")


def junk(folder):
    for file in folder.rglob("*.nbc"):
        file.write_bytes(b"junk")


def cut(folder):
    for file in folder.rglob("*.nbc"):
        file.write_bytes(file.read_bytes()[:1000])


def no_text(folder):
    for file in folder.rglob("*.py"):
        file.write_bytes(b"\xff\xfe")


def foreign(folder):
    for file in folder.rglob("*.py"):
        file.write_text("raise SystemExit('this is not to be run')")


def link(folder):
    for file in folder.rglob("*.py"):
        elsewhere = folder / "elsewhere"
        elsewhere.write_text("raise SystemExit('this is not to be run')")
        file.unlink()
        file.symlink_to(elsewhere)


@pytest.mark.parametrize("damage", [empty, junk, cut, no_text, foreign, link])
def test_what_was_damaged_on_the_disk_is_compiled_again(monkeypatch, damage):
    expected = product()
    damage(compiled.folder())
    for _ in range(2):
        forget(monkeypatch)
        assert np.array_equal(product(), expected)


def test_a_full_disk_costs_no_more_than_time(monkeypatch):
    from numba.core.caching import IndexDataCacheFile

    expected = product()
    forget(monkeypatch)
    monkeypatch.setenv("GRAMIAN_CACHE", str(compiled.folder().parent / "full"))
    save, folder = IndexDataCacheFile._save_data, str(compiled.folder())

    def full(self, name, data):
        if self._cache_path.startswith(folder):
            raise OSError(28, "No space left on device")
        save(self, name, data)

    monkeypatch.setattr(IndexDataCacheFile, "_save_data", full)
    assert np.array_equal(product(), expected)


def test_a_file_in_place_of_the_folder_and_no_home_are_got_around(monkeypatch, tmp_path):
    expected = product()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRAMIAN_CACHE", str(tmp_path / "file"))
    forget(monkeypatch)
    assert np.array_equal(product(), expected)

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    for name in ("GRAMIAN_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(Path, "home", homeless)
    forget(monkeypatch)
    assert np.array_equal(product(), expected)


def test_threads_that_ask_for_the_same_pass_at_once_share_one(monkeypatch):
    made, executed = [], compiled._executed
    monkeypatch.setattr(compiled, "_executed", lambda *a: made.append(a) or executed(*a))
    with ThreadPoolExecutor(8) as pool:
        products = [job.result() for job in [pool.submit(product) for _ in range(8)]]
    assert all(np.array_equal(p, products[0]) for p in products)
    assert len(made) == 1


def test_nothing_but_modules_and_what_numba_makes_of_them_is_left_in_the_folder():
    product()
    assert {file.suffix for file in compiled.folder().rglob("*") if file.is_file()} <= {".py", ".pyc", ".nbi", ".nbc"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_child_does_not_wait_for_a_thread_that_is_not_there():
    expected = product()
    held, done = threading.Event(), threading.Event()

    def hold():
        with compiled._loading:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        alarm = threading.Timer(20, os._exit, [1])
        alarm.start()
        os._exit(0 if np.array_equal(product(), expected) else 2)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
