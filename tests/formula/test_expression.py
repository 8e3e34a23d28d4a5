"""Expressions: what stands where, what is shared, and how they are told."""

import pytest

from gramian.formula.expression import CityBlock, Dot, Number, OfColumn, OfRow, SquaredDistance
from gramian.places import CORES


def test_under_moves_every_leaf_and_keeps_what_is_shared():
    t = (SquaredDistance(bandwidth=2.0) * 3).sqrt()
    moved = ((-t).exp() * (t + 1) + OfRow(part=(1,))).under(2)
    paths = [f.part for f in moved.walk() if isinstance(f, SquaredDistance | OfRow)]
    assert paths == [(2, 0), (2, 1)]  # the distance once, though it occurs twice


def test_an_expression_is_written_as_one_would():
    gaussian = SquaredDistance(bandwidth=2.0, factor=-0.5).exp()
    assert repr(gaussian * 3 + Dot(part=(1,))) == "exp(-0.5 ‖x − z‖²/2.0²) * 3 + xᵀz of (1,)"
    assert repr((CityBlock(bandwidth=1.0) + 1) * Dot()) == "(‖x − z‖₁/1.0 + 1) * xᵀz"


@pytest.mark.parametrize(
    ("formula", "of_pairs"),
    [(Dot(), True), (OfRow() + OfColumn(), False), (OfRow() * Dot(), True), (Number(1.0) + 2, False)],
)
def test_what_belongs_to_rows_and_columns_is_known(formula, of_pairs):
    assert formula.of_pairs == of_pairs


def test_scratch_memory_follows_from_the_expression():
    dot = Dot()
    assert CORES.prepare(dot.exp()).scratch == 1
    assert CORES.prepare(Dot() + Dot()).scratch == 1  # the second beside the answer
    assert CORES.prepare(Dot() + (Dot() + Dot())).scratch == 2
    assert CORES.prepare(dot.exp() * (dot + 1)).scratch == 2  # what is shared, and the second factor


def test_deep_expressions_need_no_recursion():
    f = Dot()
    for _ in range(5000):
        f = (f + 1).at_most(10.0)
    assert sum(1 for _ in f.walk()) == 1 + 3 * 5000  # a number and two operations at each level
    assert f.under(1).of_pairs
    assert CORES.prepare(f).scratch >= 1
