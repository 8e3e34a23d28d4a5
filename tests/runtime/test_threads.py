"""Threads: errors and Ctrl-C stop every lane, and BLAS gets its threads back."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import gramian as gm
from gramian.places.cores import tiles
from gramian.runtime import threads


def gramian_threads():
    return [t.name for t in threading.enumerate() if t.name.startswith("gramian")]


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.fixture
def two_cores(monkeypatch):
    """Two lanes, and two threads for BLAS, whatever the machine has."""
    monkeypatch.setattr(tiles, "cores", lambda: 2)
    before = blas_threads()
    limit_blas(2)
    yield
    limit_blas(before[0])


def limit_blas(number):
    # In a thread of its own: threadpoolctl lets only one thread at a time change the limits, until that thread ends.
    setter = threading.Thread(target=threadpool_limits, kwargs={"limits": number, "user_api": "blas"})
    setter.start()
    setter.join()


@pytest.fixture
def K(two_cores):
    return gm.Gaussian().gram(np.random.default_rng(0).standard_normal((1000, 3)))


def spy_on_blocks(monkeypatch, before):
    block = gm.Gaussian.block
    monkeypatch.setattr(gm.Gaussian, "block", lambda self, a, b, out: (before(), block(self, a, b, out))[1])


@pytest.mark.parametrize("lanes", [1, 2, 3, 50])
def test_every_job_is_done_once_whatever_the_number_of_lanes(lanes):
    done = []
    threads.run(lambda lane, job: done.append((lane, job)), list(range(20)), lanes)
    assert sorted(job for _, job in done) == list(range(20))
    assert {lane for lane, _ in done} == set(range(min(lanes, 20)))


def test_no_jobs_is_no_work():
    threads.run(lambda lane, job: pytest.fail("called"), [], 4)


def test_each_lane_keeps_its_own_share_in_a_fixed_order():
    orders = {0: [], 1: [], 2: []}
    threads.run(lambda lane, job: orders[lane].append(job), list(range(10)), 3)
    assert orders == {0: [0, 3, 6, 9], 1: [1, 4, 7], 2: [2, 5, 8]}


def test_lanes_are_different_threads():
    names = set()
    gate = threading.Barrier(2, timeout=60)  # opens only if both lanes are at work at the same time

    def work(lane, job):
        gate.wait()
        names.add(threading.current_thread().name)

    threads.run(work, [0, 1], 2)
    assert len(names) == 2


@pytest.mark.parametrize("lanes", [1, 3])
def test_an_error_in_a_lane_stops_the_others_and_reaches_the_caller(lanes):
    done = []

    def work(lane, job):
        if job == 4:
            raise ZeroDivisionError("in job 4")
        time.sleep(0.002)
        done.append(job)

    with pytest.raises(ZeroDivisionError, match="in job 4"):
        threads.run(work, list(range(1000)), lanes)
    assert len(done) < 500
    assert gramian_threads() == []


def test_an_error_of_the_kernel_reaches_the_caller_and_leaves_no_thread(monkeypatch, K):
    calls = []

    def fail_at_the_third():
        calls.append(1)
        if len(calls) == 3:
            raise FloatingPointError("from the kernel")

    spy_on_blocks(monkeypatch, fail_at_the_third)
    for operation in (lambda: K @ np.ones(1000), K.dense, K.row_means, lambda: K.columns(range(700))):
        calls.clear()
        with pytest.raises(FloatingPointError, match="from the kernel"):
            operation()
        assert gramian_threads() == []
        assert set(blas_threads()) == {2}


def test_a_gram_works_again_after_an_error(monkeypatch, K):
    expected = K @ np.ones(1000)
    with monkeypatch.context() as patch:
        patch.setattr(gm.Gaussian, "block", lambda self, a, b, out: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            K @ np.ones(1000)
        with pytest.raises(ZeroDivisionError):
            K.row_means()
    assert np.array_equal(K @ np.ones(1000), expected)
    np.testing.assert_allclose(K.row_means(), expected / 1000, rtol=1e-12)


def test_blas_has_one_thread_inside_and_its_own_number_after(monkeypatch, K):
    inside = []
    spy_on_blocks(monkeypatch, lambda: inside.extend(blas_threads()))
    assert set(blas_threads()) == {2}
    K @ np.ones(1000)
    assert set(inside) == {1}
    assert set(blas_threads()) == {2}


def test_two_users_at_once_get_the_answers_they_get_alone(K):
    v = np.random.default_rng(1).standard_normal(1000)
    expected = K @ v
    answers = []

    def user(pause):
        time.sleep(pause)
        answers.extend(np.array_equal(K @ v, expected) for _ in range(5))

    users = [threading.Thread(target=user, args=(pause,)) for pause in (0.0, 0.01, 0.02)]
    for u in users:
        u.start()
    for u in users:
        u.join()
    assert answers == [True] * 15
    assert gramian_threads() == []


def test_a_second_user_who_comes_and_goes_leaves_blas_to_the_first(two_cores):
    inside = []

    def fail(lane, job):
        raise RuntimeError

    def come_and_go():
        threads.run(lambda lane, job: None, [0, 1], 2)
        with pytest.raises(RuntimeError):
            threads.run(fail, [0, 1], 2)

    def steady(lane, job):
        if job == 0:
            other = threading.Thread(target=come_and_go)
            other.start()
            other.join()
        inside.extend(blas_threads())

    threads.run(steady, [0, 1, 2, 3], 2)
    assert inside
    assert set(inside) == {1}
    assert set(blas_threads()) == {2}


def test_users_who_overlap_leave_blas_its_threads_whoever_leaves_last(two_cores):
    inside = []

    def user(came, may_leave):
        def work(lane, job):
            came.set()
            assert may_leave.wait(5)
            inside.extend(blas_threads())

        thread = threading.Thread(target=threads.run, args=(work, [0, 1], 2))
        thread.start()
        assert came.wait(5)
        return thread

    for first_to_leave in (0, 1):
        gates = [threading.Event(), threading.Event()]
        users = [user(threading.Event(), gate) for gate in gates]
        gates[first_to_leave].set()
        users[first_to_leave].join()
        assert set(blas_threads()) == {1}
        gates[1 - first_to_leave].set()
        users[1 - first_to_leave].join()
        assert set(blas_threads()) == {2}
    assert set(inside) == {1}


INTERRUPTED = """
    import signal, threading
    import numpy as np
    import scipy.linalg  # has a BLAS of its own, which begins with as many threads as there are cores
    import gramian as gm
    from gramian.places.cores import tiles
    from threadpoolctl import threadpool_info, threadpool_limits

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have left it ignored

    def blas():
        return [i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"]

    threadpool_limits(limits=2, user_api="blas")
    tiles.cores = lambda: {lanes}
    K = gm.Gaussian().gram(np.random.default_rng(0).standard_normal((100_000, 20)))
    print("ready", flush=True)
    try:
        K @ np.ones(100_000)
        print("finished")
    except KeyboardInterrupt:
        alive = [t.name for t in threading.enumerate() if t.name.startswith("gramian")]
        print("stopped", alive, set(blas()))
"""


@pytest.mark.alone
@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process on Windows")
@pytest.mark.parametrize("lanes", [1, 2])
def test_ctrl_c_stops_a_long_product_at_once_and_leaves_no_thread(lanes):
    script = textwrap.dedent(INTERRUPTED).replace("{lanes}", str(lanes))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.7)
        child.send_signal(signal.SIGINT)
        start = time.monotonic()
        rest, _ = child.communicate(timeout=60)
        elapsed = time.monotonic() - start
    assert rest == "stopped [] {2}\n"
    assert child.returncode == 0
    assert elapsed < 2.0


def test_a_blas_that_is_loaded_later_is_limited_too():
    script = """
        import numpy as np
        from gramian.runtime import threads
        from threadpoolctl import threadpool_info

        seen = []
        threads.run(lambda lane, job: None, [0, 1], 2)
        import scipy.linalg
        threads.run(lambda lane, job: seen.extend(i["num_threads"] for i in threadpool_info()), [0, 1], 2)
        print(set(seen))
    """
    answer = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True)
    assert answer.stdout == "{1}\n"


def test_a_report_holds_blas_to_one_thread_throughout_and_gives_the_others_back(two_cores, monkeypatch):
    counted, eigh = [], np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda *args: (counted.append(max(blas_threads())), eigh(*args))[1])
    gm.report(gm.load_iris().data[::3], gm.load_iris().target[::3], quick=True)
    assert len(counted) > 10
    assert set(counted) == {1}
    assert set(blas_threads()) == {2}


def test_an_action_goes_on_beside_its_caller_and_is_waited_for():
    gate, seen = threading.Event(), []

    def act():
        assert gate.wait(60)
        seen.append(threading.current_thread())
        return 7

    answer = threads.beside(act)
    assert not seen  # it waits for what the caller does next
    gate.set()
    assert answer() == 7
    assert seen[0] is not threading.current_thread()


def test_the_error_of_an_action_beside_is_that_of_waiting_for_it():
    def fail():
        raise ValueError("too late")

    answer = threads.beside(fail)
    with pytest.raises(ValueError, match="too late"):
        answer()
