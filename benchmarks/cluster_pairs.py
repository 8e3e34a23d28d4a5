"""Products with K on a cluster: time beside the cores, by number of workers, and bytes on the wire beside theory.

    python benchmarks/cluster_pairs.py [--n 50000] [--d 10] [--rounds 3]

Everything runs on this machine: the cores place on all cores, then worker processes of one thread each. Bytes are
those that the workers themselves count as sent. From the measured rate of one worker and the counted
bytes the last table says, on paper, what 10, 100 and 1,000 workers would take for n = 10⁷ and 10⁸, and where the
network (10 Gbit/s a worker) becomes the limit.
"""

import argparse
import time

import dask.array
import numpy as np
from cluster import keep
from distributed import Client, LocalCluster

import gramian as gm
from gramian.places.dask import pairs
from gramian.runtime import threads

BANDWIDTH = 1.25e9  # bytes a worker sends or receives in a second
TASK = 1e-3  # seconds of a scheduler for a task


def timed(action):
    """Seconds on the clock, and of processors in this process, which has the scheduler in it."""
    begun = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - begun[0], time.process_time() - begun[1]


def spent(client):
    """Seconds of processors that all workers have taken."""
    return sum(client.run(time.process_time).values())


def least(times):
    return tuple(map(min, zip(*times, strict=True)))


def sent(client):
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def theory(n, d, workers, columns=1, size=8):
    """Bytes that are brought once (objects), and bytes of each product (V and shares of sums).

    A share goes to where sums are made that it belongs to, unless that is where it was made; a band of V from where
    its sums are made to whoever compares it; and the sums to the client.
    """
    cuts = pairs.cuts(n)
    sizes = pairs.lengths(cuts)
    all_pairs = pairs.of_symmetric(len(sizes))
    threads = {str(k): 1 for k in range(workers)}
    owners = pairs.owners(all_pairs, (sizes, sizes), threads, True)
    homes = pairs.homes(all_pairs, owners, len(sizes), True)
    needed = {(band, to) for pair, to in zip(all_pairs, owners, strict=True) for band in (pair.row, pair.column)}
    objects = sum(sizes[band] for band, _ in needed) * d * size * (1 - 1 / workers)
    vectors = sum(sizes[band] for band, to in needed if to != homes[band]) * columns * 8
    shares = 0
    for pair, owner in zip(all_pairs, owners, strict=True):
        both = sizes[pair.row] + (sizes[pair.column] if pair.row != pair.column else 0)
        shares += len({homes[pair.row], homes[pair.column]} - {owner}) * both * columns * 8
    return objects, vectors + shares + n * columns * 8, len(all_pairs)


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("--n", type=int, default=50_000)
    ask.add_argument("--d", type=int, default=10)
    ask.add_argument("--rounds", type=int, default=8)
    given = ask.parse_args()
    rng = np.random.default_rng(0)
    X, v = rng.normal(size=(given.n, given.d)), rng.normal(size=given.n)
    kernel = gm.Gaussian(bandwidth=2.0)
    here = kernel.gram(X)
    expected = here @ v
    took, answers, cores, traffic = {}, {}, {}, {}
    for workers in (1, 2):
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            gram = kernel.gram(dask.array.from_array(X, chunks=(given.n // 8, -1)))
            gram.diag()  # which the client is told once
            before = sent(client)
            answers[workers] = gram @ v  # brings the objects, and compiles
            first = sent(client) - before
            before, cores[workers], took[workers] = sent(client), [], []
            for _ in range(given.rounds):  # in turns, for others may use this machine
                cores[workers].append(timed(lambda: here @ v))
                busy = spent(client)
                clock, own = timed(lambda gram=gram: gram @ v)
                took[workers].append((clock, own + spent(client) - busy))
            each = (sent(client) - before) / given.rounds
            objects, product, _ = theory(given.n, given.d, workers)
            (clock, processors), (mine, of_cores) = map(least, (took[workers], cores[workers]))
            traffic[workers] = {"product": each / 1e6, "theory": product / 1e6}
            print(
                f"{workers} worker(s): {clock:.2f} s, {clock / mine:.2f} times the cores ({mine:.2f} s); seconds of "
                f"processors {processors:.2f}, {processors / of_cores:.2f} times the cores ({of_cores:.2f}); sent: "
                f"{each / 1e6:.2f} MB a product (theory {product / 1e6:.2f}), {(first - each) / 1e6:.2f} MB of objects "
                f"once (theory {objects / 1e6:.2f})"
            )
    alone = one_core(here, v)
    worst = np.abs(answers[2] - expected).max() / np.abs(expected).max()
    print(
        f"two workers are {least(took[1])[0] / least(took[2])[0]:.2f} times as fast as one; same bits: "
        f"{np.array_equal(answers[1], answers[2])}; largest difference from the cores {worst:.1e}"
    )
    print(
        f"one core of this machine takes {alone / least(cores[2])[0]:.2f} times as long as both: so much is to be had"
    )
    keep(
        "pairs",
        {
            "n": given.n,
            "cores": least(cores[2])[0],
            "one core": alone,
            "1 workers": least(took[1])[0],
            "2 workers": least(took[2])[0],
            "traffic": traffic,
            "same bits": bool(np.array_equal(answers[1], answers[2])),
            "difference": float(worst),
        },
    )
    keep("table", table(given.n**2 / 2 / least(took[1])[1], given.d))


def one_core(gram, v):
    """Seconds of the same product by one thread of the cores place."""
    with threads.alone():
        return least([timed(lambda: gram @ v) for _ in range(2)])[0]


def table(rate, d):
    """On paper: a product at the measured rate, and the bytes that theory counts."""
    print(f"on paper, at {rate / 1e6:.0f} million values of K a second and worker, d = {d}, 10 Gbit/s a worker:")
    print(f"{'n':>12} {'workers':>8} {'compute':>12} {'network':>10} {'scheduler':>10} {'objects once':>13}")
    rows = []
    for n in (10**7, 10**8):
        for workers in (10, 100, 1000):
            objects, product, tasks = theory(n, d, workers)
            compute = n**2 / 2 / rate / workers
            wire = product / workers / BANDWIDTH
            once = objects / workers / BANDWIDTH
            print(f"{n:12,} {workers:8,} {compute:10,.0f} s {wire:8.2f} s {tasks * TASK:8.0f} s {once:11.2f} s")
            rows.append([n, workers, compute, wire, tasks * TASK, once])
    return {"rate": rate, "d": d, "rows": rows}


if __name__ == "__main__":
    main()
