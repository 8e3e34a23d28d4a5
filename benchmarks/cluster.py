"""What a cluster costs and brings: workers against the cores of one machine, memory as data grow, bytes on the wire.

    python benchmarks/cluster.py speed | memory | traffic | kills | start | peers

Each prints the figures that it has measured, in a process of its own. Workers are processes of this machine with one
thread each; the cores are those of the same machine, all of them.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import threading
import time
import warnings
from contextlib import contextmanager, suppress
from pathlib import Path

import dask.array as da
import distributed
import numpy as np

import gramian as gm

RANK, WIDTH, ROWS = 300, 6, 65_536
KILLS = 10  # times that workers of one cluster are killed
KERNEL = gm.Gaussian(2.0)


def block(start: int, stop: int) -> np.ndarray:
    return np.random.default_rng(start).normal(size=(stop - start, WIDTH))


def objects(n: int) -> da.Array:
    """Return rows that workers draw themselves, so that nothing of their size is ever here."""
    starts = range(0, n, ROWS)
    parts = [
        da.from_delayed(
            dask_delayed(block, start, min(start + ROWS, n)), (min(ROWS, n - start), WIDTH), dtype=np.float64
        )
        for start in starts
    ]
    return da.concatenate(parts)


def dask_delayed(function, *arguments):
    import dask

    return dask.delayed(function, pure=True)(*arguments)


def targets(X: da.Array) -> da.Array:
    return X[:, 0] + da.sin(3 * X[:, 1])


@contextmanager
def workers(count: int, memory: str = "2GB"):
    with (
        distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=":0", memory_limit=memory, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def timed(action, times: int = 2) -> float:
    best = np.inf
    for _ in range(times):
        begun = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - begun)
    return best


def held(X: da.Array, y: da.Array, client):
    """Keep a collection in the memory of the workers, as a program that goes on working with it does."""
    X, y = client.persist([X, y])
    distributed.wait([X, y])
    return X, y


def speed(n: int = 2_000_000, times: int = 1) -> None:
    """Low-rank ridge: two workers on two cores against the cores place on the same two, and against one worker."""
    n, times = int(n), int(times)
    learner = gm.KernelRidge(KERNEL, 1.0, rank=RANK)
    X = np.concatenate([block(start, min(start + ROWS, n)) for start in range(0, n, ROWS)])
    y = X[:, 0] + np.sin(3 * X[:, 1])
    batches = gm.Batches(X, target=y, rows=ROWS)
    learner.fit(X[:1000], y[:1000])
    alone = timed(lambda batches=batches: learner.fit(batches), times)
    bits = learner.dual_coef_.copy()
    print(f"cores: {alone:.2f} s", flush=True)
    del X, y, batches
    for count in (2, 1):
        with workers(count) as client:
            learner.fit(objects(1000), targets(objects(1000)))  # what is loaded once is loaded
            X, y = held(*(lambda X: (X, targets(X)))(objects(n)), client)
            took = timed(lambda X=X, y=y: learner.fit(X, y), times)
            same = np.array_equal(learner.dual_coef_, bits)
            print(f"{count} worker(s): {took:.2f} s, {took / alone:.2f} x cores; same bits: {same}", flush=True)


def memory(*sizes: str) -> None:
    """Peak memory of workers and client as the file grows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for n in map(int, sizes or ("1000000", "2000000", "4000000", "8000000")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.parquet"
            names = [f"x{i}" for i in range(WIDTH)] + ["y"]
            with pq.ParquetWriter(path, pa.schema([(name, pa.float64()) for name in names])) as writer:
                for start in range(0, n, ROWS):
                    X = block(start, min(start + ROWS, n))
                    columns = [*X.T, X[:, 0] + np.sin(3 * X[:, 1])]
                    writer.write_table(pa.table(dict(zip(names, columns, strict=True))))
            with workers(2) as client:
                begun = time.perf_counter()
                gm.KernelRidge(KERNEL, 1.0, rank=RANK).fit(gm.Batches(path, target="y", rows=ROWS))
                took = time.perf_counter() - begun
                peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
                mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                most = ", ".join(f"{peak:.0f}" for peak in peaks.values())
                print(f"n = {n:,}: {took:.1f} s; peak MB of workers {most}, of the client {mine:.0f}", flush=True)


def traffic(n: int = 500_000) -> None:
    """Bytes that workers sent each other in a low-rank fit, against what its tree has to send."""
    n = int(n)
    with workers(2) as client:
        X, y = held(*(lambda X: (X, targets(X)))(objects(n)), client)
        before = sent(client)
        gm.KernelRidge(KERNEL, 1.0, rank=RANK).fit(X, y)
        parts = len(X.chunks[0])
        width = RANK + 1
        most = (parts - 1) * (8 * width * (width + 1) + 10_000 * 8 * (WIDTH + 2))
        print(
            f"n = {n:,}, {parts} partitions: {(sent(client) - before) / 1e6:.2f} MB between workers; "
            f"at most {most / 1e6:.2f} MB if every pair of sums met from two of them"
        )


def sent(client) -> float:
    """Return the bytes that workers have sent, by their own counters."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def kills(times: int = 50, n: int = 200_000) -> None:
    """Kill workers at random moments of fits, and count the answers that have the same bits."""
    luck, same = np.random.default_rng(0), 0
    X = objects(int(n)).rechunk((8192, WIDTH))
    y = targets(X)
    few = X[:16_384].rechunk((2048, WIDTH))
    told = targets(few)
    learners = [
        (lambda: gm.KernelRidge(KERNEL, 1.0, rank=100), X, y),
        (lambda: gm.KernelClassifier(KERNEL, 1.0, rank=100), X, y > 0),
        (lambda: gm.FisherDiscriminant(KERNEL, 1.0, rank=100), X, y > 0),
        (lambda: gm.ParzenClassifier(KERNEL, rank=100), X, y > 0),
        (lambda: gm.KernelPCA(3, KERNEL, rank=100), X, None),
        (lambda: gm.NoveltyDetector(KERNEL, rank=100, random_state=0), X, None),
        (lambda: gm.KernelKMeans(4, KERNEL, rank=100, random_state=0, max_iter=3), X, None),
        (lambda: gm.GramSchmidt(KERNEL, rank=50, random_state=0), X, None),
        (lambda: gm.KernelRidge(KERNEL, 1.0), few, told),
        (lambda: gm.ParzenClassifier(KERNEL), few, told > 0),
    ]

    def fitted(which: int) -> list[np.ndarray]:
        make, objects, beside = learners[which]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return of(make().fit(objects, beside))

    with workers(2) as client:
        expected, lengths = [], []
        for which in range(len(learners)):
            begun = time.perf_counter()
            expected.append(fitted(which))
            lengths.append(time.perf_counter() - begun)
    for first in range(0, int(times), KILLS):
        with workers(2) as client:
            for k in range(first, min(first + KILLS, int(times))):
                which = k % len(learners)
                victims = [pid for pid in client.run(os.getpid, on_error="ignore").values() if isinstance(pid, int)]
                chosen = luck.choice(
                    victims, min(1 + k % 2, len(victims)), replace=False
                )  # one of them, or both one after the other
                clocks = [threading.Timer(luck.uniform(0, lengths[which]), killed, (int(victim),)) for victim in chosen]
                for clock in clocks:
                    clock.start()
                begun = time.perf_counter()
                found = fitted(which)
                took = time.perf_counter() - begun
                for clock in clocks:
                    clock.join()
                right = all(np.array_equal(a, b) for a, b in zip(found, expected[which], strict=True))
                same += right
                what = type(learners[which][0]()).__name__
                print(
                    f"{k + 1}: {what}, {len(chosen)} killed, {took:.1f} s ({lengths[which]:.1f}), same bits: {right}",
                    flush=True,
                )
                client.wait_for_workers(2)
    print(f"{times} times: {same} same answers")


def killed(pid: int) -> None:
    """Kill a process that may have ended already."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def of(model) -> list[np.ndarray]:
    """Return what was learnt."""
    names = (
        "dual_coef_", "offset_", "intercept_", "threshold_", "distances_", "eigenvalues_", "inertia_", "pivots_",
        "relative_error_", "largest_residual_",
    )  # fmt: skip
    return [np.asarray(getattr(model, name)) for name in names if hasattr(model, name)]


def start() -> None:
    """Time on a cluster that runs already: to connect, to the first answer of new workers, and to a later one."""
    X, y = da.ones((100, 2)) * np.arange(100)[:, None], np.arange(100.0)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as one:
        took = [time.perf_counter()]
        with distributed.Client(one) as client:
            client.scheduler_info()
            took.append(time.perf_counter())
            for _ in range(2):
                gm.KernelRidge(KERNEL, 1.0, rank=10).fit(X, y)
                took.append(time.perf_counter())
        connect, first, later = np.diff(took)
        print(
            f"start: {connect:.2f} s to connect, {first:.2f} s to the first answer of new workers, {later:.2f} s later"
        )


def peers(n: int = 200_000) -> None:
    """The same job by scikit-learn under joblib's backend of Dask: Nystroem features, and a ridge on them."""
    import joblib
    from sklearn.ensemble import BaggingRegressor
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    n = int(n)
    with workers(2) as client:
        X, y = held(*(lambda X: (X, targets(X)))(objects(n)), client)
        ours = gm.KernelRidge(KERNEL, 1.0, rank=RANK)
        print(f"gramian: {timed(lambda: ours.fit(X, y)):.2f} s")
        here, told = X.compute(), y.compute()
        theirs = make_pipeline(Nystroem(gamma=1 / 8, n_components=RANK, random_state=0), Ridge(1.0))
        bagged = BaggingRegressor(theirs, n_estimators=2, max_samples=0.5, bootstrap=False, n_jobs=2, random_state=0)
        with joblib.parallel_backend("dask"):
            took = timed(lambda: bagged.fit(here, told), 1)
        new = block(10**9, 10**9 + 5000)
        truth = new[:, 0] + np.sin(3 * new[:, 1])
        errors = [np.sqrt(np.mean((model.predict(new) - truth) ** 2)) for model in (ours, bagged)]
        print(f"scikit-learn, halves under joblib on Dask: {took:.2f} s; errors {errors[0]:.2e} and {errors[1]:.2e}")


if __name__ == "__main__":
    what, *more = sys.argv[1:] or ["speed"]
    {f.__name__: f for f in (speed, memory, traffic, kills, start, peers)}[what](*more)
