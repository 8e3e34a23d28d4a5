"""A message shows the line that is wrong and points at the character."""

import copy
import pickle

from gramian.expressions import KernelSyntaxError


def lines(text, position):
    return str(KernelSyntaxError(text, position, "wrong")).split("\n")


def test_a_message_has_three_lines_of_which_the_last_points():
    assert lines("linear + gausian", 9) == [
        "kernel expression, character 10: wrong",
        "    linear + gausian",
        "             ^",
    ]


def test_of_several_lines_only_the_one_with_the_error_is_shown():
    assert lines("linear +\ngausian +\nlinear", 9)[1:] == ["    gausian +", "    ^"]


def test_a_long_line_is_cut_around_the_error():
    shown, pointer = lines("a" * 300 + "!" + "b" * 300, 300)[1:]
    assert shown == "    …" + "a" * 60 + "!" + "b" * 39 + "…"
    assert shown[pointer.index("^")] == "!"


def test_the_pointer_stands_under_wide_combined_and_unprintable_characters():
    assert lines("日本 é\u0301 \x00\ud800!", 8)[1:] == ["    日本 é\u0301 ��!", " " * 13 + "^"]


def test_an_error_survives_pickling_and_copying():
    error = KernelSyntaxError("linear + gausian", 9, "wrong")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (other.text, other.position, other.reason, str(other)) == ("linear + gausian", 9, "wrong", str(error))
