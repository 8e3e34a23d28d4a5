"""Products with K while workers are killed, checkpoints, interruptions, and who computes what."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import gramian as gm
from gramian.formula.encoded import Encoded
from gramian.places.dask import pairs
from gramian.places.dask.matrices import Parted
from gramian.places.dask.work import Work
from gramian.runtime.fingerprint import fingerprint
from gramian.runtime.journal import keeping

from .clusters import collection

RNG = np.random.default_rng(5)
X = RNG.normal(size=(1200, 4))
V = RNG.normal(size=1200)
KERNEL = gm.Gaussian(bandwidth=1.0)


@pytest.fixture(autouse=True)
def small_bands(monkeypatch):
    monkeypatch.setattr("gramian.places.dask.pairs.BAND", 100)


def test_a_worker_killed_in_the_middle_of_a_product_changes_no_bit(client):
    gram = KERNEL.gram(collection(X, 300))
    expected = gram @ V
    for after in (0.02, 0.2):
        pid = next(iter(client.run(os.getpid).values()))
        killer = threading.Timer(after, lambda pid=pid: os.kill(pid, signal.SIGKILL))
        killer.start()
        found = gram @ V
        killer.join()
        assert np.array_equal(found, expected)
    client.wait_for_workers(2)


def test_all_workers_killed_in_the_middle_of_a_product_change_no_bit(client):
    gram = KERNEL.gram(collection(X, 300))
    expected = gram @ V
    pids = client.run(os.getpid).values()
    killer = threading.Timer(0.1, lambda: [os.kill(pid, signal.SIGKILL) for pid in pids])
    killer.start()
    found = gram @ V
    killer.join()
    assert np.array_equal(found, expected)
    client.wait_for_workers(2)


def test_bits_do_not_depend_on_partitions_or_on_who_computes(client, monkeypatch):
    expected = KERNEL.gram(collection(X, 300)) @ V
    assert np.array_equal(KERNEL.gram(collection(X, 170)) @ V, expected)
    everybody = Work.workers
    monkeypatch.setattr(Work, "workers", lambda self: dict(list(everybody(self).items())[:1]))
    assert np.array_equal(KERNEL.gram(collection(X, 300)) @ V, expected)


def test_what_checkpoints_have_is_not_computed_again(client, tmp_path, monkeypatch):
    monkeypatch.setattr("gramian.runtime.journal.PATIENCE", -1e9)
    with keeping(tmp_path):
        expected = KERNEL.gram(collection(X, 300)) @ V
        monkeypatch.setattr(Work, "workers", None)  # no product is made without
        assert np.array_equal(KERNEL.gram(collection(X, 170)) @ V, expected)
        with pytest.raises(TypeError):
            KERNEL.gram(collection(X, 300)) @ (V + 1)


def test_sums_are_taken_up_where_a_killed_run_has_left_them(client, tmp_path, monkeypatch):
    monkeypatch.setattr("gramian.runtime.journal.INTERVAL", -1e9)
    expected = KERNEL.gram(collection(X, 300)) @ V
    gram = KERNEL.gram(collection(X, 300))
    steps, done = gram._entries._steps, []

    def fail_later(V, sums, start, stop):
        done.append((start, stop))
        if start >= 3:
            raise KeyboardInterrupt
        return steps(V, sums, start, stop)

    with keeping(tmp_path):
        gram._entries._steps = fail_later
        with pytest.raises(KeyboardInterrupt):
            gram @ V
        again = KERNEL.gram(collection(X, 300))
        steps, begun = again._entries._steps, []
        again._entries._steps = lambda V, sums, start, stop: begun.append(start) or steps(V, sums, start, stop)
        assert np.array_equal(again @ V, expected)
    assert begun[0] == done[-1][0] > 0


def test_an_interruption_cancels_what_is_left(client, monkeypatch):
    gram = KERNEL.gram(collection(X, 300))
    made, each = [], Work.each

    def noted(self, function, *columns, workers=None):
        found = each(self, function, *columns, workers=workers)
        made.extend(found)
        return found

    def interrupted(self, *_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Work, "each", noted)
    monkeypatch.setattr(Work, "_listen", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gram @ V
    sums = made[-4:]
    until = time.monotonic() + 20
    while not all(future.cancelled() for future in sums) and time.monotonic() < until:
        time.sleep(0.05)
    assert all(future.cancelled() for future in sums)


def test_an_exact_model_is_saved_and_pickled_with_its_sample(client, tmp_path):
    there, here = (gm.KernelRidge(KERNEL, ridge=0.1) for _ in range(2))
    there.fit(collection(X[:300], 100), V[:300])
    expected = here.fit(X[:300], V[:300]).predict(X[300:310])
    gm.save(there, tmp_path / "model")
    for model in (there, gm.load(tmp_path / "model"), pickle.loads(pickle.dumps(there))):
        assert np.abs(model.predict(X[300:310]) - expected).max() <= 1e-8


def test_a_preconditioner_stays_on_the_workers(client, monkeypatch):
    for module in ("solve", "eigen"):
        monkeypatch.setattr(f"gramian.factor.{module}.DENSE", 100)
    gathered, host = [], Parted.host
    monkeypatch.setattr(Parted, "host", lambda self: gathered.append(self.shape) or host(self))
    y = np.sin(X[:, 0])
    found = gm.KernelRidge(KERNEL, ridge=1.0, fit_intercept=True).fit(KERNEL.gram(collection(X, 300)), y)
    expected = gm.KernelRidge(KERNEL, ridge=1.0, fit_intercept=True).fit(KERNEL.gram(X), y)
    assert np.abs(found.dual_coef_ - expected.dual_coef_).max() <= 1e-4 * np.abs(expected.dual_coef_).max()
    assert not [shape for shape in gathered if min(shape) > 1]


def test_a_fingerprint_is_that_of_the_rows_however_they_are_cut(client):
    first, second = (KERNEL.gram(collection(X, size)).rows for size in (300, 170))
    assert fingerprint(first) == fingerprint(second)
    assert fingerprint(first) != fingerprint(KERNEL.gram(collection(X[::-1].copy(), 300)).rows)
    assert isinstance(first, Encoded)


def test_entries_that_no_machine_is_meant_to_hold_are_refused(client, monkeypatch):
    monkeypatch.setattr("gramian.places.dask.entries.LARGEST", 10**6)
    with pytest.raises(ValueError, match="multiply by the Gram"):
        KERNEL.gram(collection(X, 300)).dense()


def test_a_partition_with_other_columns_is_named(client):
    import dask
    import dask.array as da

    parts = [da.from_delayed(dask.delayed(X[:100, :k]), (100, 4), float) for k in (4, 3)]
    kernel = gm.Gaussian(bandwidth=1.0)
    with pytest.raises(ValueError, match="partition 1 and partition 0 do not fit together"):
        kernel.encoded(da.concatenate(parts))


def test_numbers_that_are_none_are_refused_with_their_partition(client):
    bad = X[:600].copy()
    bad[450, 1] = np.nan
    with pytest.raises(ValueError, match="partition 1: X holds nan"):
        KERNEL.gram(collection(bad, 300))


@pytest.mark.parametrize("n", [1, 99, 6144, 50_000, 10**6])
@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_each_pair_of_bands_is_somebodys_once_and_the_work_is_even(n, workers, monkeypatch):
    monkeypatch.setattr("gramian.places.dask.pairs.BAND", 6144)
    sizes = pairs.lengths(pairs.cuts(n))
    assert sum(sizes) == n
    found = pairs.of_symmetric(len(sizes))
    met = sorted((pair.row, pair.column) for pair in found)
    assert met == [(i, j) for i in range(len(sizes)) for j in range(i, len(sizes))]
    assert [pair.step for pair in found] == sorted(pair.step for pair in found)
    owners = pairs.owners(found, (sizes, sizes), {str(k): 1 for k in range(workers)}, True)
    load = dict.fromkeys(owners, 0.0)
    for pair, owner in zip(found, owners, strict=True):
        load[owner] += sizes[pair.row] * sizes[pair.column] * (0.5 if pair.row == pair.column else 1.0)
    if len(sizes) >= 8 * workers:
        assert min(load.values()) >= 0.9 * max(load.values())
