"""Numbers, dates and times come back from every notation they are written in; what only looks like them stays."""

import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gramian.intake.dates import numbers_in
from gramian.intake.errors import DataError
from gramian.intake.meanings import NUMBER_MARKS, WORD_MARKS, settle
from gramian.intake.notations import COMMAS_FIRST, Notation, number_notation
from gramian.intake.table import Table, numbers_of, texts_of

quick = settings(max_examples=40, deadline=None)
EPOCH = datetime.date(1970, 1, 1)


def settled(values, format="csv", **more):
    """Return a column as it is settled beside nothing else, and what is said of it."""
    table = settle(Table("X", format, {"c": texts_of(values)}, **more), {})
    return table.columns["c"], (*table.notes, *table.readings("c"))


def amount(cents, decimal, group, minus):
    """Return an amount of cents in a notation, digit by digit."""
    whole, part = divmod(abs(cents), 100)
    digits = f"{whole:,}".replace(",", group) + f"{decimal}{part:02d}"
    if cents >= 0:
        return digits
    return f"({digits})" if minus == "()" else f"{minus}{digits}"


MARKS = [(".", ""), (".", ","), (",", "."), (",", ""), (",", "\u202f"), (",", " "), (".", "'"), (".", "\u00a0")]
AFFIXES = [
    ("", ""),
    ("$", ""),
    ("€ ", ""),
    ("CHF ", ""),
    ("", "%"),
    ("", " kg"),
    ("", " €"),
    ("R$", ""),
    ("", " furlongs"),
]
cents = st.lists(st.integers(-(10**11), 10**11), min_size=2, max_size=8).filter(lambda all: max(all) >= 0)


@quick
@given(cents, st.sampled_from(MARKS), st.sampled_from(AFFIXES), st.sampled_from(["-", "\u2212", "()"]))
def test_amounts_come_back_from_every_notation(amounts, marks, affixes, minus):
    before, after = affixes
    texts = [f"{before}{amount(each, *marks, minus)}{after}" for each in amounts]
    found, _ = settled(texts)
    np.testing.assert_array_equal(found, np.array(amounts) / 100)


@quick
@given(cents, st.sampled_from(MARKS), st.sampled_from(AFFIXES), st.data())
def test_marks_among_numbers_are_missing_at_exactly_their_rows(amounts, marks, affixes, data):
    texts = [f"{affixes[0]}{amount(each, *marks, '-')}{affixes[1]}" for each in amounts]
    gaps = data.draw(st.lists(st.sampled_from(sorted(NUMBER_MARKS)), min_size=1, max_size=6))
    spellings = [data.draw(st.sampled_from([mark, mark.upper(), mark.title(), f" {mark} "])) for mark in gaps]
    mixed = data.draw(st.permutations([*zip(texts, amounts, strict=True), *((mark, None) for mark in spellings)]))
    found, notes = settled([text for text, _ in mixed])
    expected = [np.nan if number is None else number / 100 for _, number in mixed]
    np.testing.assert_array_equal(found, expected)
    assert any("taken as missing" in note for note in notes)


@quick
@given(cents, st.sampled_from(MARKS), st.sampled_from(AFFIXES), st.integers(0, 8))
def test_one_entry_in_no_notation_leaves_all_as_they_are_written(amounts, marks, affixes, place):
    texts = [f"{affixes[0]}{amount(each, *marks, '-')}{affixes[1]}" for each in amounts]
    texts.insert(place, "about 5")
    found, _ = settled(texts)
    assert found.tolist() == texts


@quick
@given(cents, st.sampled_from(MARKS), st.sampled_from(AFFIXES))
def test_a_notation_reads_single_entries_of_new_data_as_those_of_the_column(amounts, marks, affixes):
    texts = [f"{affixes[0]}{amount(each, *marks, '-')}{affixes[1]}" for each in amounts]
    found = number_notation(texts)
    if found is None:  # usual numbers
        assert numbers_of(texts) is not None
        return
    notation, numbers = found
    assert [notation.numbers([text]).item() for text in texts] == numbers.tolist()
    assert Notation.from_plain(notation.plain()) == notation


letters = st.text("abcdefghijklmnopqrstuvwxyzABCXYZäß -+.?/()_", min_size=1, max_size=9).map(str.strip).filter(bool)


@quick
@given(st.lists(letters, min_size=1, max_size=9), st.sampled_from(["csv", "jsonl"]))
def test_words_never_change(words, format):
    words = ["two words", *words]
    found, _ = settled(words, format)
    assert found.tolist() == [None if word in WORD_MARKS else word for word in words]


anything = st.text("0123456789.,:/-+()$%e kgN'\u2212", min_size=1, max_size=10).map(str.strip).filter(bool)


@settings(max_examples=300, deadline=None)
@given(st.lists(anything, min_size=1, max_size=5), st.sampled_from(["csv", "jsonl"]))
def test_a_column_is_settled_whole_or_not_at_all(texts, format):
    found, notes = settled(texts, format)
    if found.dtype.kind == "O":
        assert found.tolist() in (texts, [None] * len(texts))
    else:
        marks = [text.casefold() in NUMBER_MARKS for text in texts]
        assert np.isnan(found).tolist() == marks
        assert notes


@pytest.mark.parametrize(
    "texts",
    [
        ["1.2.3", "1.10.2", "2.0.0"],
        ["1.2.20", "2.3.21"],
        ["192.168.100.200", "192.168.101.111"],
        ["10.0.0.1", "192.168.100.200"],
        ["612 345 678", "698 765 432"],
        ["+34 612 345 678", "+34 698 765 432"],
        ["555-1234", "555-9876"],
        ["(555) 123-4567", "(212) 987-6543"],
        ["(555)", "(212)"],
        ["12345-6789", "10001-0001"],
        ["007 kg", "012 kg"],
        ["12A", "13A", "15A"],
        ["A1", "A2"],
        ["1080p", "720p"],
        ["#1", "#2"],
        ["1st", "2nd"],
        ["5-10", "10-15"],
        ["<5", "7"],
        ["1/2", "3/4"],
        ["1_000", "2_000"],
        ["5 kg", "6 lb"],
        ["5 m", "6 ms"],
        ["$5", "€5"],
        ["5%", "7"],
        ["1,234.5", "1.234,5"],
        ["1,23,456", "2,34,567"],
        ["13/02/2020", "13.02.2020"],
        ["13/02/2020", "02/13/2020"],
        ["30/02/2020", "01/02/2020"],
        ["0000-01-01", "0000-01-02"],
        ["25:00", "12:00"],
        ["2:1", "0:3"],
        ["13 pm", "1 pm"],
        ["0 pm", "1 pm"],
        ["yes", "no"],
        ["Y", "N"],
        ["0x1F", "0x2A"],
        ["007", "012", "unknown"],
        ["00:1A:2B", "00:1A:2C"],
    ],
)
@pytest.mark.parametrize("format", ["csv", "frame"])
def test_lookalikes_stay_words(texts, format):
    found, _ = settled(texts * 3, format)
    assert found.tolist() == texts * 3


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["3,750"], [3750]),
        (["3,750", "1,5"], [3.75, 1.5]),
        (["0,750", "1,250"], [0.75, 1.25]),
        (["1,234,567", "5"], [1234567, 5]),
        (["1.234", "1.234.567"], [1234, 1234567]),
        (["1.234,5", "1.234"], [1234.5, 1234]),
        (["$1.234", "$2.5"], [1.234, 2.5]),
        (["1.234 kg", "2 kg"], [1.234, 2]),
        (["1 234", "5"], [1234, 5]),
        (["(123)", "5"], [-123, 5]),
        (["(12 kg)", "5 kg", "(3) kg"], [-12, 5, -3]),
        (["($1,000)", "$(5)", "-$3", "$-2"], [-1000, -5, -3, -2]),
        (["1 year", "2 years", "10 years"], [1, 2, 10]),
        (["5kg", "6 kg"], [5, 6]),
        (["20°C", "-5.5°C"], [20, -5.5]),
        (["51.5°N", "48.25°N"], [51.5, 48.25]),
        (["1e3 Hz", "2.5E-2 Hz"], [1000, 0.025]),
        (["+5", "-3", "none"], [5, -3, np.nan]),
        (["\u22125", "3"], [-5, 3]),
        (["13:45", "1:30:30"], [13.75, 1 + 30.5 / 60]),
        (["1:45 pm", "12 am", "12 pm"], [13.75, 0, 12]),
    ],
)
def test_numbers_are_what_the_column_says(texts, numbers):
    found, notes = settled(texts)
    np.testing.assert_array_equal(found, numbers)
    assert notes


def test_words_for_no_number_stay_words_in_a_typed_source():
    assert settled(["inf", "Infinity"], "jsonl")[0].tolist() == ["inf", "Infinity"]


def test_where_semicolons_separate_a_comma_is_a_decimal_one():
    assert settled(["3,750 kg", "1,250 kg"])[0].tolist() == [3750, 1250]
    assert settled(["3,750 kg", "1,250 kg"], comma=True)[0].tolist() == [3.75, 1.25]
    assert number_notation(["1,234,567"], COMMAS_FIRST)[1].item() == 1234567


def test_only_a_comma_that_could_be_decimal_is_said_to_be():
    words = "If the comma is a decimal one: --kind c=decimal-comma."
    assert any(words in note for note in settled(["3,750", "12"])[1])
    assert not any(words in note for note in settled(["3,750.5", "12"])[1])
    assert not any(words in note for note in settled(["3,750,000", "12"])[1])


DATES = {
    "iso": "%Y-%m-%d",
    "ymd/": "%Y/%m/%d",
    "dmy/": "%d/%m/%Y",
    "dmy.": "%d.%m.%Y",
    "dmy-": "%d-%m-%Y",
    "mdy/": "%m/%d/%Y",
    "dby": "%d %b %Y",
    "bdy": "%B %d, %Y",
}
stamps = st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(9999, 1, 1)).map(
    lambda t: t.replace(microsecond=0)
)


@quick
@given(st.lists(stamps, min_size=1, max_size=6), st.sampled_from(sorted(DATES)), st.sampled_from(["", " %H:%M:%S"]))
def test_dates_come_back_from_every_style(moments, style, clock):
    texts = [moment.strftime(DATES[style] + clock) for moment in moments]
    expected = [
        (datetime.datetime.strptime(text, DATES[style] + clock) - datetime.datetime(1970, 1, 1)) for text in texts
    ]
    days = [each / datetime.timedelta(days=1) for each in expected]
    scale = np.finfo(float).eps * np.abs(days).max() if days else 0
    np.testing.assert_allclose(numbers_in(style, texts), days, rtol=0, atol=2 * scale)
    first = {"m": "month-first", "d": "day-first"}.get(style[0], "date")
    table = settle(Table("X", "csv", {"c": texts_of(texts)}), {"c": first if style[1:3] in ("my", "dy") else "date"})
    np.testing.assert_allclose(table.columns["c"], days, rtol=0, atol=2 * scale)


@quick
@given(st.lists(st.dates(datetime.date(1, 1, 1)), min_size=2, max_size=6))
def test_one_day_after_the_twelfth_settles_the_order_of_all(days):
    texts = [f"{day.month}/{day.day}/{day.year:04d}" for day in days]
    found, notes = settled(texts)
    numbers = [(day - EPOCH).days for day in days]
    turned = (
        [(datetime.date(day.year, day.day, day.month) - EPOCH).days for day in days]
        if max(day.day for day in days) <= 12
        else numbers
    )
    assert found.tolist() == turned
    assert any("--kind c=month-first" in note for note in notes) == (turned != numbers)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("13 Feb 2020", "2020-02-13"),
        ("13-Feb-20", "2020-02-13"),
        ("13. February 2020", "2020-02-13"),
        ("Thu, 13th Feb 2020", "2020-02-13"),
        ("Sept 3, 2020", "2020-09-03"),
        ("2020.2.13", "2020-02-13"),
        ("13/02/20", "2020-02-13"),
        ("31/12/30", "1930-12-31"),
        ("31/12/29", "2029-12-31"),
        ("2020-02-13T01:00:00+01:00", "2020-02-13"),
        ("29/02/2020", "2020-02-29"),
    ],
)
def test_single_dates_are_read(text, day):
    found, _ = settled([text])
    assert found.tolist() == [(datetime.date.fromisoformat(day) - EPOCH).days]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "code"},
        {"style": "("},
        {"style": "iso"},
        {"before": 3},
        {"after": "x" * 100},
        {"more": "x"},
    ],
)
def test_what_is_no_notation_is_refused(change):
    with pytest.raises(DataError, match="make the model again"):
        Notation.from_plain(Notation("number", ".,").plain() | change)


def test_affixes_are_taken_literally_whatever_they_hold():
    notation = Notation("number", ".", before="(a+)+$", after=".*")
    assert notation.numbers(["(a+)+$5.*"]).tolist() == [5]
    assert notation.numbers(["aaaa$5xx"]) is None
