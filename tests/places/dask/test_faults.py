"""Workers that are killed change nothing; what cannot go on ends with a sentence, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import threading
import time

import dask
import dask.array as da
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest

import gramian as gm
from gramian.intake.collections import Collection
from gramian.places.dask import engine
from gramian.runtime import journal
from gramian.space import moments

RNG = np.random.default_rng(6)
N, ROWS = 600, 25
X = RNG.normal(size=(N, 3))
Y = X[:, 0] + np.sin(3 * X[:, 1])
KERNEL = gm.Gaussian(2.0)


def slowly(block, seconds=0.05):
    time.sleep(seconds)
    return block


def slow(array, function=slowly, **more):
    return da.from_array(array, chunks=(ROWS, *array.shape[1:])).map_blocks(function, dtype=array.dtype, **more)


@pytest.fixture
def mortals():
    """A cluster whose workers may be killed: others take their places."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="1GB", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def kill(client, after, times, luck):
    """Kill workers that do not expect it, one after the other, from a thread of its own."""

    def act():
        for _ in range(times):
            time.sleep(after)
            processes = [nanny.process.pid for nanny in client.cluster.workers.values() if nanny.process is not None]
            alive = [process for process in processes if process]
            if alive:
                os.kill(int(luck.choice(alive)), signal.SIGKILL)

    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize(
    ("seed", "make", "y"),
    [
        (0, lambda: gm.KernelRidge(KERNEL, rank=20), Y),
        (1, lambda: gm.NoveltyDetector(KERNEL, rank=20, random_state=0), None),
        (2, lambda: gm.FisherDiscriminant(KERNEL, rank=20), Y > 0),
        (3, lambda: gm.KernelPCA(2, KERNEL, rank=20), None),
    ],
)
def test_workers_killed_in_the_midst_change_no_bit(seed, make, y, mortals):
    luck = np.random.default_rng(seed)
    expected = make().fit(gm.Batches(X, target=y, rows=ROWS))
    killer = kill(mortals, luck.uniform(0.1, 0.6), 3, luck)
    found = make().fit(slow(X), None if y is None else slow(y))
    killer.join()
    for name in ("dual_coef_", "threshold_", "distances_"):
        if hasattr(expected, name):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_an_error_on_a_worker_names_the_partition_and_leaves_the_learner_as_it_was(mortals):
    def broken(block, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 7:
            raise OSError("the disk is on fire")
        return block

    model = gm.KernelPCA(2, KERNEL, rank=20).fit(da.from_array(X, chunks=(ROWS, 3)))
    before = model.transform(X[:5])
    with pytest.raises(OSError, match="partition 7: the disk is on fire"):
        model.partial_fit(slow(X, broken))
    np.testing.assert_array_equal(model.transform(X[:5]), before)


def test_a_partition_keeps_its_number_where_others_are_empty(mortals):
    lazy = slow(np.where(np.arange(N)[:, None] < 100, -9.0, X), seconds=0)
    rows = lazy[lazy[:, 0] > -9]  # four partitions are empty
    bad = rows.map_blocks(lambda block: np.where(block == X[333, 0], np.nan, block), dtype=float)
    with pytest.raises(ValueError, match=r"partition 13: .* in row 233; finite numbers expected"):
        gm.KernelPCA(2, KERNEL, rank=20).fit(bad)


def test_a_partition_with_other_columns_is_named_in_low_rank_too():
    wide = [dask.delayed(X[start : start + 100, : 3 - (start == 400)]) for start in range(0, N, 100)]
    rows = da.concatenate([da.from_delayed(part, (100, 3), dtype=float) for part in wide])
    frames = [pd.DataFrame(X[start : start + 100], columns=list("abc")) for start in range(0, N, 100)]
    frames[4] = frames[4].rename(columns={"b": "z"})
    table = dd.from_delayed([dask.delayed(frame) for frame in frames], meta=frames[0][:0], verify_meta=False)
    with dask.config.set(scheduler="synchronous"):
        for collection, message in ((rows, "its objects have 2 columns"), (table, "it has the columns")):
            with pytest.raises(ValueError, match=f"partition 4: {message}"):
                gm.KernelPCA(2, KERNEL, rank=20).fit(collection)


def test_without_a_client_the_partition_is_named_too():
    def broken(block, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 7:
            raise OSError("the disk is on fire")
        return block

    with pytest.raises(OSError, match="partition 7: the disk is on fire"), dask.config.set(scheduler="synchronous"):
        gm.KernelPCA(2, KERNEL, rank=20).fit(slow(X, broken))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_number_that_is_none_is_named_with_partition_and_row(value, mortals):
    bad = X.copy()
    bad[333, 1] = value
    with pytest.raises(ValueError, match=r"partition 13: .* in row 333; finite numbers expected"):
        gm.KernelPCA(2, KERNEL, rank=20).fit(da.from_array(bad, chunks=(ROWS, 3)))


def test_workers_that_are_killed_over_one_partition_are_an_error_that_names_it(mortals):
    def deadly(block, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    with pytest.raises(RuntimeError, match=r"partition 3: the workers that took it on were killed, .* memory"):
        gm.KernelPCA(2, KERNEL, rank=20).fit(slow(X, deadly))


def test_memory_that_a_worker_does_not_have_is_an_error_that_names_the_partition(mortals):
    def greedy(block, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 3:
            raise MemoryError("Unable to allocate 80 GiB")
        return block

    with pytest.raises(MemoryError, match=r"partition 3: the worker has no memory left .*: make partitions smaller"):
        gm.KernelPCA(2, KERNEL, rank=20).fit(slow(X, greedy))


def test_a_ctrl_c_cancels_what_the_workers_do(mortals):
    scheduler = mortals.cluster.scheduler

    def interrupt():
        while not any(task.state == "processing" for task in list(scheduler.tasks.values())):
            time.sleep(0.05)
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        gm.KernelPCA(2, KERNEL, rank=20).fit(slow(X, seconds=2.0))
    for _ in range(600):
        if not scheduler.tasks:
            break
        time.sleep(0.1)
    assert not scheduler.tasks


SCHEDULER = """
import sys, time, distributed
if __name__ == "__main__":
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", memory_limit="1GB", silence_logs=50
    )
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


def test_a_scheduler_that_is_lost_is_said_and_not_waited_for(tmp_path):
    begun = tmp_path / "begun"

    def told(block):
        begun.touch()
        time.sleep(0.2)
        return block

    def kill_in_the_midst(process):
        while not begun.exists():
            time.sleep(0.05)
        process.kill()

    with subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        address = process.stdout.readline().strip()
        with dask.config.set({"distributed.comm.timeouts.connect": "3s"}):
            client = distributed.Client(address)
            threading.Thread(target=kill_in_the_midst, args=(process,), daemon=True).start()
            with pytest.raises(ConnectionError, match="the connection to the scheduler .* is lost"):
                gm.KernelPCA(2, KERNEL, rank=20).fit(da.from_array(X, chunks=(ROWS, 3)).map_blocks(told, dtype=float))
            client.close(timeout=1)


def test_workers_of_another_version_are_refused_in_one_sentence(mortals, monkeypatch):
    monkeypatch.setattr(engine, "CHECKED", ("numpy", "no_such_library", "gramian"))
    monkeypatch.setattr(engine, "_checked", {})
    found = mortals.get_versions(packages=["no_such_library"])
    found["client"]["packages"]["numpy"] = "1.0"
    monkeypatch.setattr(type(mortals), "get_versions", lambda self, packages=(): found)
    with pytest.raises(RuntimeError, match=r"the worker tcp://.* has numpy .*, and this program has 1\.0: install"):
        gm.KernelPCA(2, KERNEL, rank=20).fit(da.from_array(X, chunks=(ROWS, 3)))


def test_work_without_workers_does_not_wait_for_ever(monkeypatch):
    monkeypatch.setattr(engine, "LONELY", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as cluster,
        distributed.Client(cluster),
        pytest.raises(TimeoutError, match=r"for 0\.5 s no worker has been there: start workers"),
    ):
        gm.KernelPCA(2, KERNEL, rank=20).fit(da.from_array(X, chunks=(ROWS, 3)))


def test_a_fit_that_was_broken_off_is_resumed_on_another_cluster(tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "PATIENCE", -1.0)  # whatever it took, it is stored
    counted = []
    summed = moments.Summary._moments
    monkeypatch.setattr(moments.Summary, "_moments", lambda *given: counted.append(1) or summed(*given))
    learner = gm.KernelRidge(KERNEL, rank=20, checkpoint=tmp_path / "kept")

    def broken(block, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 20:
            time.sleep(0.3)
            raise OSError("the power is out")
        return block

    def threads():
        return distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0", silence_logs=50
        )

    monkeypatch.setattr("gramian.learn.lowrank.HEAD", 100)
    monkeypatch.setattr(Collection, "drawn", lambda self, n, rng: ((X[::6], Y[::6]), np.arange(N)[::6]))
    with threads() as cluster, distributed.Client(cluster), pytest.raises(OSError, match="partition 20"):
        learner.fit(slow(X, broken), slow(Y, seconds=0))
    done = len(counted)
    assert 5 < done < N // ROWS
    counted.clear()
    with threads() as cluster, distributed.Client(cluster):
        found = learner.fit(slow(X, seconds=0), slow(Y, seconds=0))
    assert len(counted) == N // ROWS - done
    model = gm.KernelRidge(KERNEL, rank=20).fit(slow(X, seconds=0), slow(Y, seconds=0))
    np.testing.assert_array_equal(found.dual_coef_, model.dual_coef_)
