"""The same pairs are merged whether parts come one by one or all are known, and each part once, in its place."""

import pytest

from gramian.runtime.tree import Tree, rows


def depth(text):
    level = most = 0
    for sign in text:
        level += (sign == "(") - (sign == ")")
        most = max(most, level)
    return most


def merged(a, b):
    return f"({a} {b})"


@pytest.mark.parametrize("count", [*range(1, 40), 64, 100, 127, 128, 129])
def test_parts_that_come_one_by_one_are_merged_as_those_that_are_known(count):
    parts = [str(number) for number in range(count)]
    tree = Tree(merged)
    for part in parts:
        tree.push(part)
    top = parts
    for row in rows(parts, merged):
        top = row
    assert tree.total() == top[0]
    assert tree.total().replace("(", "").replace(")", "").split() == parts
    assert depth(tree.total()) == (count - 1).bit_length()


def test_no_more_sums_are_held_than_the_number_of_parts_has_digits():
    tree = Tree(lambda a, b: a + b)
    for count in range(1, 300):
        tree.push(1)
        assert sum(part for _, part in tree._held) == count
        assert len(tree._held) == bin(count).count("1")
