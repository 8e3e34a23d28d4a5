"""Progress: one line, sensible times, nothing where nobody watches, and nothing left behind."""

import io
import re
import threading
from itertools import pairwise

import numpy as np
import pytest

import gramian as gm
from gramian.runtime import progress as module
from gramian.runtime import threads
from gramian.runtime.progress import spell, steps_left, task


class Terminal(io.StringIO):
    def isatty(self):
        return True

    def states(self):
        """Every state of the line, as somebody in front of the terminal sees it."""
        return [state.rstrip() for state in self.getvalue().split("\r") if state.strip()]

    def visible(self):
        """What stands on the terminal at the end, trailing blanks included where they overwrite something."""
        cells = []
        for state in self.getvalue().split("\r"):
            cells[: len(state)] = state
        return "".join(cells).rstrip()


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(module, "clock", found)
    return found


def count_slowly(clock, steps=80, seconds=0.125, what="counting"):
    with task(what, steps) as t:
        for _ in range(steps):
            clock.now += seconds
            t.step()


def seconds_left(state):
    minutes, seconds = re.search(r"(\d+):(\d\d) left$", state).groups()
    return 60 * int(minutes) + int(seconds)


def test_a_line_names_the_work_the_share_done_and_the_time_left(clock):
    out = Terminal()
    with gm.progress(out):
        count_slowly(clock)
    assert "counting   50 %   0:05 left" in out.states()


def test_work_without_watchers_keeps_nothing_and_writes_nothing(clock, capsys):
    assert task("one") is task("another", total=3)
    count_slowly(clock)
    assert capsys.readouterr() == ("", "")


def test_standard_error_is_where_the_line_goes_unless_told_otherwise(clock, capsys):
    with gm.progress():
        count_slowly(clock, 200)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "counting" in captured.err


def test_short_work_passes_without_a_word(clock):
    out = Terminal()
    with gm.progress(out):
        for _ in range(10):
            count_slowly(clock, 15)
    assert out.getvalue() == ""


def test_nothing_is_left_on_the_terminal(clock):
    out = Terminal()
    with gm.progress(out):
        count_slowly(clock)
        assert out.states()
        assert out.visible() == ""
        assert out.getvalue().endswith("\r")


def test_a_shorter_state_leaves_no_end_of_a_longer_one(clock):
    out = Terminal()
    with gm.progress(out), task("work") as t:
        clock.now = 3.0
        t.advance(1, 10, "a very long note that will be gone")
        clock.now = 4.0
        t.advance(2, 10, "short")
        assert out.visible() == "work, short   20 %   0:08 left"


def test_the_line_is_redrawn_at_most_five_times_a_second(clock):
    out = Terminal()
    with gm.progress(out):
        count_slowly(clock, 100_000, 1e-4)
    assert 30 <= len(out.states()) <= 42


def test_a_file_gets_a_plain_line_now_and_then(clock):
    out = io.StringIO()
    with gm.progress(out):
        count_slowly(clock, 240)
    lines = out.getvalue().splitlines()
    assert "\r" not in out.getvalue()
    assert len(lines) == 3
    assert all(re.fullmatch(r"counting   \d+ %   0:\d\d left", line) for line in lines)


def test_the_time_left_falls_steadily_and_is_right(clock):
    out = Terminal()
    with gm.progress(out):
        count_slowly(clock, 1000, 0.1)
    left = [seconds_left(state) for state in out.states()]
    assert left == sorted(left, reverse=True)
    assert left[0] == pytest.approx(98, abs=1)
    assert left[-1] <= 1


def test_the_share_of_an_outer_task_moves_with_the_task_inside_its_step(clock):
    out = Terminal()
    with gm.progress(out), task("outer", 4) as outer:
        for k in range(4):
            outer.advance(k)
            count_slowly(clock, 100, 0.1, "inner")
    shares = [int(re.search(r"(\d+) %", state).group(1)) for state in out.states()]
    assert shares == sorted(shares)
    assert len(set(shares)) > 60
    assert seconds_left(out.states()[0]) == pytest.approx(38, abs=1)
    assert out.states()[0].startswith("outer  inner   ")


def test_a_stride_lets_the_task_inside_stand_for_several_steps(clock):
    out = Terminal()
    with gm.progress(out), task("outer", 10) as outer:
        outer.advance(0, stride=5)
        count_slowly(clock, 100, 0.1, "inner")
        assert "49 %" in out.states()[-1]


def test_two_tasks_inside_one_step_do_not_take_the_share_back(clock):
    out = Terminal()
    with gm.progress(out), task("outer", 2):
        count_slowly(clock, 50)
        count_slowly(clock, 50)
    shares = [int(re.search(r"(\d+) %", state).group(1)) for state in out.states()]
    assert shares == sorted(shares)


def test_a_name_without_steps_of_its_own_lets_those_inside_count(clock):
    out = Terminal()
    with gm.progress(out), task("KernelRidge.fit"):
        count_slowly(clock)
    assert "KernelRidge.fit  counting   50 %   0:05 left" in out.states()


def test_steps_without_a_known_end_tell_the_time_that_has_passed(clock):
    out = Terminal()
    with gm.progress(out), task("searching") as t:
        clock.now = 65.0
        t.advance(7, note="step 7")
    assert out.states() == ["searching, step 7   1:05 so far"]


def test_a_total_that_is_estimated_anew_does_not_upset_the_time_left(clock):
    out = Terminal()
    with gm.progress(out), task("iterating") as t:
        for k in range(1, 41):
            clock.now += 1.0
            t.advance(k, 50 if k % 2 else 60)
    left = [seconds_left(state) for state in out.states() if "left" in state]
    assert all(abs(b - a) <= 11 for a, b in pairwise(left))
    assert left[-1] == pytest.approx(20, abs=1)


def test_of_shares_of_the_time_the_guess_of_now_tells_the_time_left(clock):
    out = Terminal()
    with gm.progress(out), task("report", 1.0, timed=True) as t:
        for second, share in ((10, 0.1), (20, 0.5), (30, 0.3)):  # a hundred seconds in all, forty, a hundred
            clock.now += 10.0
            t.advance(share, 1.0)
            clock.now += 0.3
            t.advance(share, 1.0)
            passed = second * 1.03
            assert seconds_left(out.states()[-1]) == pytest.approx(passed * (1 - share) / share, abs=1)


def test_what_an_earlier_run_has_done_does_not_count_as_speed(clock):
    out = Terminal()
    with gm.progress(out), task("going on", 100, done=90) as t:
        for _ in range(4):
            clock.now += 1.0
            t.step()
    assert out.states()[-1] == "going on   94 %   0:06 left"


def fail_in_the_middle(clock):
    with task("outer", 10) as t:
        clock.now += 3.0
        t.step()
        with task("inner", 3):
            raise ZeroDivisionError


def test_the_line_goes_and_the_next_work_is_shown_after_an_error(clock):
    out = Terminal()
    with gm.progress(out):
        with pytest.raises(ZeroDivisionError):
            fail_in_the_middle(clock)
        assert out.states()
        assert out.visible() == ""
        count_slowly(clock)
    assert "counting   50 %   0:05 left" in out.states()


def test_an_error_that_leaves_the_block_stops_the_watch(clock):
    out = Terminal()
    with pytest.raises(ZeroDivisionError), gm.progress(out):
        raise ZeroDivisionError
    count_slowly(clock)
    assert out.getvalue() == ""


def test_one_watch_inside_another_takes_over_and_gives_back(clock):
    outer, inner = Terminal(), Terminal()
    with gm.progress(outer):
        with gm.progress(inner):
            count_slowly(clock, what="first")
        count_slowly(clock, what="second")
    assert {state.split()[0] for state in inner.states()} == {"first"}
    assert {state.split()[0] for state in outer.states()} == {"second"}


def test_a_closed_stream_does_not_stop_the_work(clock):
    out = Terminal()
    out.close()
    with gm.progress(out):
        count_slowly(clock)


def test_lanes_are_counted_from_their_threads(clock):
    out = Terminal()
    lock = threading.Lock()

    def work(lane, job):
        with lock:
            clock.now += 0.1

    with gm.progress(out):
        threads.run(work, range(100), 3, what="jobs")
    assert out.states()[0].startswith("jobs   2")
    assert "99 %" in out.states()[-1] or "98 %" in out.states()[-1]
    assert out.visible() == ""


def test_what_other_threads_do_is_not_shown(clock):
    out = Terminal()
    with gm.progress(out):
        other = threading.Thread(target=count_slowly, args=(clock,))
        other.start()
        other.join()
    assert out.getvalue() == ""


def test_a_product_tells_of_itself(monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setattr(module, "PAUSE", 0.0)
    K = gm.Gaussian().gram(np.zeros((1000, 1)), memory="400 kB")
    out = Terminal()
    with gm.progress(out):
        K @ np.ones((1000, 60))
        K.columns(range(5))
    assert "product with K, 1,000 × 1,000" in out.getvalue()
    assert "entries of K" in out.getvalue()
    shares = [int(re.search(r"(\d+) %", s).group(1)) for s in out.states() if s.startswith("product")]
    assert shares == sorted(shares)
    assert len(set(shares)) > 20


def test_the_steps_left_follow_the_slope_of_the_residuals():
    halving = [0.5**k for k in range(30)]
    assert steps_left(halving, 0.5**40) == 11
    assert steps_left([1e3, *halving], 0.5**40) == 11  # only the last ones count
    assert steps_left(halving, 0.1) == 0


@pytest.mark.parametrize("residuals", [[], [1.0], [1.0, 0.5], [1.0, 1.0, 1.0], [1.0, 2.0, 4.0], [0.0, 0.0, 0.0]])
def test_residuals_that_do_not_fall_tell_nothing(residuals):
    assert steps_left(residuals, 1e-6) is None


def test_times_are_written_as_on_a_clock():
    assert [spell(s) for s in (0, 59.5, 61, 3599.2, 7325)] == ["0:00", "1:00", "1:01", "1:00:00", "2:02:05"]
