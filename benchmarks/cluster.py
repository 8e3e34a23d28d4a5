"""What a cluster costs and brings: workers against the cores of one machine, memory as data grow, bytes on the wire.

    python benchmarks/cluster.py speed | memory | traffic | kills | start | peers

Each prints the figures that it has measured, in a process of its own, and keeps them in `cluster.json`. Workers are
processes of this machine with one thread each; the cores are those of the same machine, all of them.
"""

from __future__ import annotations

import json
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

import dask
import dask.array as da
import distributed
import numpy as np

import gramian as gm
from gramian.places.dask import pairs

KEPT = Path(__file__).with_name("cluster.json")
RANK, WIDTH, ROWS = 300, 6, 65_536
KERNEL = gm.Gaussian(2.0)


def keep(name: str, found: object) -> None:
    """Keep what was measured beside what was measured before."""
    known = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    KEPT.write_text(json.dumps(known | {name: found}, indent=1, sort_keys=True) + "\n")


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
    found = {"n": n, "cores": alone}
    del X, y, batches
    for count in (2, 1):
        with workers(count) as client:
            learner.fit(objects(1000), targets(objects(1000)))  # what is loaded once is loaded
            X, y = held(*(lambda X: (X, targets(X)))(objects(n)), client)
            took = timed(lambda X=X, y=y: learner.fit(X, y), times)
            same = np.array_equal(learner.dual_coef_, bits)
            print(f"{count} worker(s): {took:.2f} s, {took / alone:.2f} x cores; same bits: {same}", flush=True)
            found |= {f"{count} workers": took, f"same bits with {count}": same}
    keep("ridge", found)


def memory(*sizes: str) -> None:
    """Peak memory of workers and client as the file grows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    found = []
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
                found.append({"n": n, "workers": max(peaks.values()), "client": mine})
    keep("memory", found)


def traffic(n: int = 500_000) -> None:
    """Bytes that workers sent in a low-rank fit, against what its tree has to send.

    The sample goes to the client, and so does the sum of all; each merge takes one of its two parts from elsewhere, for
    neighbours are worked on side by side. A part is the packed scatter, and the objects at which errors are looked at.
    """
    n = int(n)
    with workers(2) as client:
        X, y = held(*(lambda X: (X, targets(X)))(objects(n)), client)
        gm.KernelRidge(KERNEL, 1.0, rank=RANK).fit(X, y)  # brings together what belongs together
        before = sent(client)
        gm.KernelRidge(KERNEL, 1.0, rank=RANK).fit(X, y)
        parts = len(X.chunks[0])
        width = RANK + 1
        part = 8 * width * width + 10_000 * 8 * (WIDTH + 2)
        theory = 20_000 * 8 * (WIDTH + 1) + part + (parts - 1) * part
        found = sent(client) - before
        print(
            f"n = {n:,}, {parts} partitions: {found / 1e6:.2f} MB sent by workers, {theory / 1e6:.2f} by theory: "
            f"{found / theory:.2f} x"
        )
        keep("traffic", {"n": n, "partitions": parts, "megabytes": found / 1e6, "theory": theory / 1e6})


def sent(client) -> float:
    """Return the bytes that workers have sent, by their own counters."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def kills(times: int = 50, n: int = 60_000) -> None:
    """Kill workers at random moments of fits, and count the answers that have the same bits."""
    luck, same, longest = np.random.default_rng(0), 0, 0.0
    X = objects(int(n)).rechunk((2048, WIDTH))
    y = targets(X)
    few = X[: int(n) // 12].rechunk((512, WIDTH))
    pairs.BAND = 500  # so that products have 55 pairs
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
    k = 0
    while k < int(times):
        with workers(2) as client:
            while k < int(times) and all_are_there(client):
                which = k % len(learners)
                victims = [pid for pid in client.run(os.getpid, on_error="ignore").values() if isinstance(pid, int)]
                chosen = luck.choice(victims, min(1 + k % 2, len(victims)), replace=False)
                clocks = [threading.Timer(luck.uniform(0, lengths[which]), killed, (int(victim),)) for victim in chosen]
                for clock in clocks:
                    clock.start()
                begun = time.perf_counter()
                found = fitted(which)
                took = time.perf_counter() - begun
                longest = max(longest, took)
                for clock in clocks:
                    clock.join()
                right = all(np.array_equal(a, b) for a, b in zip(found, expected[which], strict=True))
                same, k = same + right, k + 1
                what = type(learners[which][0]()).__name__
                print(
                    f"{k}: {what}, {len(chosen)} killed, {took:.1f} s ({lengths[which]:.1f}), same bits: {right}",
                    flush=True,
                )
    print(f"{times} times: {same} same answers")
    keep("kills", {"times": int(times), "same": int(same), "longest": longest})


def all_are_there(client) -> bool:
    """Wait for the workers that take the places of others; Dask gives up one that dies while it starts."""
    try:
        client.wait_for_workers(2, timeout=40)
    except TimeoutError:
        return False
    return True


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
    """Time on a cluster that runs already: to connect, to the first answer of new workers, and to a later one.

    The program has loaded what it needs, and the workers nothing.
    """
    learner = gm.KernelRidge(KERNEL, 1.0, rank=10)
    X, y = da.ones((100, 2)) * np.arange(100)[:, None], np.arange(100.0)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as one:
        took = [time.perf_counter()]
        with distributed.Client(one) as client:
            client.scheduler_info()
            took.append(time.perf_counter())
            for _ in range(2):
                learner.fit(X, y)
                took.append(time.perf_counter())
        connect, first, later = map(float, np.diff(took))
        keep("start", {"connect": connect, "first": first, "later": later})
        print(
            f"start: {connect:.2f} s to connect, {first:.2f} s to the first answer of new workers, {later:.2f} s later"
        )


def peers(n: int = 200_000, clustered: int = 20_000) -> None:
    """Comparable jobs on the same two workers and the same data, in their memory.

    scikit-learn under joblib's backend of Dask: Nystroem features and a ridge, one model of each half of the data.
    dask-ml: its wrapper that goes on with a model block by block (SGD on the same features), and spectral clusters
    through as many landmarks; ours are kernel ridge regression, and kernel k-means.
    """
    import joblib
    from sklearn.ensemble import BaggingRegressor
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge, SGDRegressor
    from sklearn.pipeline import make_pipeline

    n, rows = int(n), []
    new = block(10**9, 10**9 + 5000)
    truth = new[:, 0] + np.sin(3 * new[:, 1])

    def row(job: str, who: str, action, error) -> None:
        took = timed(action, 1)
        rows.append({"job": job, "n": n, "who": who, "seconds": took, "error": float(error())})
        print(f"{job}, {who}: {took:.2f} s, error {rows[-1]['error']:.3g}", flush=True)

    def missed(model) -> float:
        return float(np.sqrt(np.mean((np.ravel(model.predict(new)) - truth) ** 2)))

    with workers(2) as client:
        X, y = held(*(lambda X: (X, targets(X)))(objects(n)), client)
        here, told = X.compute(), y.compute()
        gm.KernelRidge(KERNEL, 1.0, rank=10).fit(X[:1000], y[:1000])  # what is loaded once is loaded
        ours = gm.KernelRidge(KERNEL, 1.0, rank=RANK)
        row("regression", "gramian", lambda: ours.fit(X, y), lambda: missed(ours))
        nystroem = Nystroem(gamma=1 / 8, n_components=RANK, random_state=0)
        bagged = BaggingRegressor(
            make_pipeline(nystroem, Ridge(1.0)), n_estimators=2, max_samples=0.5, bootstrap=False, n_jobs=2,
            random_state=0,
        )  # fmt: skip
        with joblib.parallel_backend("dask"):
            row("regression", "scikit-learn on Dask", lambda: bagged.fit(here, told), lambda: missed(bagged))
        try:
            from dask_ml.cluster import SpectralClustering
            from dask_ml.wrappers import Incremental
        except ImportError as error:
            print(f"dask-ml: {error}")
            return
        seen = nystroem.fit(here[:20_000])
        wrapped = Incremental(SGDRegressor(alpha=1e-7, random_state=0), scoring="r2")

        def incremental() -> None:
            phi = X.map_blocks(seen.transform, chunks=(X.chunks[0], (RANK,)), dtype=float)
            wrapped.fit(phi, y)

        row(
            "regression", "dask-ml Incremental", incremental,
            lambda: float(np.sqrt(np.mean((wrapped.predict(seen.transform(new)) - truth) ** 2))),
        )  # fmt: skip
        centres = np.random.default_rng(1).normal(size=(5, WIDTH)) * 4
        truth_of = np.arange(int(clustered)) % 5
        Z = X[: int(clustered)].rechunk((int(clustered) // 8, WIDTH))
        (Z,) = client.persist([Z + da.from_array(centres[truth_of], chunks=Z.chunks)])
        distributed.wait(Z)
        found = {}

        def ours_clusters() -> None:
            model = gm.KernelKMeans(5, gm.Gaussian(4.0), rank=100, random_state=0, n_init=3).fit(Z)
            found["labels"] = model.predict(Z).compute()

        def theirs_clusters() -> None:
            model = SpectralClustering(5, gamma=1 / 32, n_components=100, random_state=0)
            found["labels"] = np.asarray(model.fit(Z).labels_)

        from sklearn.metrics import adjusted_rand_score

        def unlike() -> float:
            return 1 - adjusted_rand_score(truth_of, found["labels"])

        row("clusters", "gramian", ours_clusters, unlike)
        try:
            row("clusters", "dask-ml SpectralClustering", theirs_clusters, unlike)
        except Exception as error:  # as with Dask 2026.8
            failed = f"{type(error).__name__} under Dask {dask.__version__}"
            print(f"dask-ml SpectralClustering: {failed}")
            rows.append({"job": "clusters", "n": n, "who": "dask-ml SpectralClustering", "failed": failed})
        for one in rows[-2:]:
            one["n"] = int(clustered)
        keep("peers", {"n": n, "rows": rows})


if __name__ == "__main__":
    what, *more = sys.argv[1:] or ["speed"]
    {f.__name__: f for f in (speed, memory, traffic, kills, start, peers)}[what](*more)
