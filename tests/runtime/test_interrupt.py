"""Ctrl-C in the middle of long work comes out soon, and leaves no thread, no limit and no damage behind."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import gramian as gm
from gramian.places.cores import tiles
from gramian.runtime import threads

pytestmark = [
    pytest.mark.alone,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process on Windows"),
]

SCRIPT = """
    import signal, sys, threading, time
    import numpy as np
    import gramian as gm
    from gramian.places.cores import tiles
    from threadpoolctl import threadpool_info, threadpool_limits

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have left it ignored
    rng = np.random.default_rng(0)

    def vectors(n=30_000):
        return gm.Gaussian(), rng.standard_normal((n, 5))

    def strings(n=1_000, length=300):  # some 150 µs an entry
        return gm.AllSubsequences().normalize(), ["".join(rng.choice(list("ACGT"), length)) for _ in range(n)]

    def long_strings(n=96, length=1_500):  # some 5 ms an entry
        return strings(n, length)

    def blas():
        return {i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"}

    kernel, X = CASE()
    small = kernel.gram(X[:6])
    expected = small.dense() @ np.ones(6)
    K = kernel.gram(X)
    threadpool_limits(limits=2, user_api="blas")
    tiles.cores = lambda: LANES
    print("ready", flush=True)
    try:
        for _ in range(1000):
            WORK
        print("finished")
    except KeyboardInterrupt:
        came = time.monotonic()
        alone = threading.enumerate() == [threading.main_thread()]
        right = np.allclose(kernel.gram(X[:6]) @ np.ones(6), expected)
        print(came, "alone", alone, "blas", blas(), "right", right)
"""


def interrupted(case, work="K @ np.ones(len(X))", lanes=2, pause=0.8):
    script = textwrap.dedent(SCRIPT).replace("CASE", case).replace("WORK", work).replace("LANES", str(lanes))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(pause)
        sent = time.monotonic()  # the same clock in all processes
        child.send_signal(signal.SIGINT)
        rest, _ = child.communicate(timeout=60)
    came, _, told = rest.strip().partition(" ")
    return float(came) - sent, told


@pytest.mark.parametrize(
    ("case", "lanes"), [("vectors", 1), ("vectors", 2), ("strings", 2), ("long_strings", 1), ("long_strings", 2)]
)
def test_ctrl_c_comes_out_of_a_product_soon_and_leaves_nothing(case, lanes):
    seconds, told = interrupted(case, lanes=lanes)
    assert told == "alone True blas {2} right True"
    assert seconds < 10.0  # below one second on a machine of its own; uninterrupted it takes far longer


@pytest.mark.parametrize("work", ["K.dense()", "K.columns(range(500))", "kernel.gram(X).diag()"])
def test_ctrl_c_comes_out_of_other_long_work_soon(work):
    seconds, told = interrupted("strings", work)
    assert told == "alone True blas {2} right True"
    assert seconds < 10.0


def blas_threads():
    return [i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"]


def test_ctrl_c_while_the_limit_of_blas_is_set_leaves_no_limit(monkeypatch):
    before = blas_threads()
    join = threading.Thread.join
    monkeypatch.setattr(threading.Thread, "join", interrupt_once(join))
    with pytest.raises(KeyboardInterrupt), threads.one_blas_thread():
        pytest.fail("inside")
    assert blas_threads() == before
    with threads.one_blas_thread():
        assert set(blas_threads()) == {1}
    assert blas_threads() == before


def interrupt_once(join):
    calls = []

    def joined(self, *given):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        join(self, *given)

    return joined


def test_ctrl_c_while_lanes_are_started_stops_those_that_work_already(monkeypatch):
    submit = threads.ThreadPoolExecutor.submit
    done = []

    def interrupted_submit(self, function, lane):
        if lane == 1:
            raise KeyboardInterrupt
        return submit(self, function, lane)

    monkeypatch.setattr(threads.ThreadPoolExecutor, "submit", interrupted_submit)
    with pytest.raises(KeyboardInterrupt):
        threads.run(lambda lane, job: (time.sleep(0.01), done.append(job)), range(1000), 2)
    assert len(done) < 100


def test_a_long_job_that_breathes_stops_within_itself():
    seen = []

    def work(lane, job):
        if job == 1:
            time.sleep(0.05)
            raise ZeroDivisionError
        for k in range(1000):
            time.sleep(0.005)
            threads.check_interrupt()
            seen.append(k)

    with pytest.raises(ZeroDivisionError):
        threads.run(work, [0, 1], 2)
    assert len(seen) < 500


def test_outside_lanes_there_is_always_breath():
    threads.check_interrupt()


STRINGS = ["".join(np.random.default_rng(k).choice(list("abcdefgh"), 5 + k % 40)) for k in range(300)]


@pytest.mark.parametrize("shape", [(1, 1), (3, 70), (70, 3), (33, 33), (40, 100)])
def test_a_tile_written_in_pieces_is_written_once_and_whole(monkeypatch, shape):
    asked = np.zeros((200, 200), int)
    monkeypatch.setattr(tiles, "EXPENSIVE_PIECE", 1e-4)

    def block(i, j, out):
        time.sleep(1e-5 * (1 + i.start % 3))
        asked[i, j] += 1
        out[...] = np.arange(200)[i, None] * 1000 + np.arange(200)[None, j]

    out = np.full(shape, -1.0)
    i, j = slice(20, 20 + shape[0]), slice(30, 30 + shape[1])
    tiles.in_pieces(block, steady=False)(i, j, out)
    assert (asked[i, j] == 1).all()
    assert asked.sum() == out.size
    assert np.array_equal(out, np.arange(200)[i, None] * 1000.0 + np.arange(200)[None, j])


@pytest.mark.parametrize("kernel", [gm.Subsequences(3, 0.5), gm.AllSubsequences(), gm.FullSpectrum()])
@pytest.mark.parametrize("derive", [lambda K: K, lambda K: K.normalize(), lambda K: K.center()])
def test_the_time_that_pieces_take_does_not_change_a_bit(monkeypatch, kernel, derive):
    K = derive(kernel.gram(STRINGS))
    V = np.random.default_rng(0).standard_normal((len(STRINGS), 2))
    expected, dense = K.apply(V), K.dense()
    monkeypatch.setattr(tiles, "EXPENSIVE_PIECE", 1e-9)  # the smallest pieces
    assert np.array_equal(K.apply(V), expected)
    assert np.array_equal(K.dense(), dense)


def test_vectors_among_the_objects_have_pieces_of_one_size(monkeypatch):
    rows = [[text, k / 7, k / 11] for k, text in enumerate(STRINGS)]
    K = (gm.AllSubsequences().normalize().on(0) + gm.Gaussian().on(1, 2)).gram(rows)
    V = np.random.default_rng(0).standard_normal((len(STRINGS), 2))
    expected = K.apply(V)
    monkeypatch.setattr(tiles, "EXPENSIVE_PIECE", 1e-9)
    assert np.array_equal(K.apply(V), expected)


@pytest.mark.parametrize("n", [10, 500, 20_000])
def test_tiles_of_dear_entries_are_bounded(monkeypatch, n):
    monkeypatch.setattr(tiles, "cores", lambda: 2)
    expensive = tiles.cut((n, n), np.dtype(float), 0, 2**28, True, expensive=True)
    assert expensive.rows <= 192
    assert tiles.cut((n, n), np.dtype(float), 0, 2**28, True).rows <= 768
