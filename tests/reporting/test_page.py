"""A page shows all that the report says, lets nothing out of its place, and needs nothing but itself."""

import html
import itertools
import json
import re
import runpy
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gramian.reporting import page
from gramian.reporting.figures import draw, palette
from gramian.reporting.figures.drawing import color_of, shape_of
from gramian.reporting.figures.heatmap import png
from gramian.reporting.figures.scale import (
    Scale,
    linear_labels,
    linear_ticks,
    log_label,
    log_ticks,
    shared_exponent,
    span,
)
from gramian.reporting.markup import aligned, cut, ems, escape, fitted, number

demo = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("demo.py"))))
VOID = {"meta", "link", "br", "img", "input", "hr"}
OPTIONAL = {"td", "th", "tr", "thead", "tbody"}

numbers = st.floats(-1e12, 1e12, allow_nan=False)
anything = st.text(st.characters(), max_size=60)


class Tree(HTMLParser):
    """The tags of a page, checked to be closed in the order in which they were opened."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag, **attributes):
        return [found for name, found in self.tags if name == tag and attributes.items() <= found.items()]


@pytest.fixture(scope="module")
def report():
    return demo.demo_report()


@pytest.fixture(scope="module")
def tree(report):
    return Tree(page.render(report))


def text_of(tree):
    return " ".join("".join(tree.texts).split())


def points(n=3, **changes):
    base = {
        "x": list(range(n)),
        "y": list(range(n)),
        "x_label": "x",
        "y_label": "y",
        "hover": [f"o{k}" for k in range(n)],
    }
    return base | {"group": None, "groups": None, "value": None, "value_label": None, "marked": []} | changes


def test_every_word_of_the_report_is_on_the_page(report, tree):
    shown = text_of(tree)
    for section in report["sections"]:
        assert section["title"] in shown
        assert section["lead"] in shown
        for block in section["blocks"]:
            for key in ("text", "caption", "title", "reading"):
                if key in block:
                    assert " ".join(block[key].split("\n\n")[0].split()) in shown
            for item in block.get("items", ()):
                assert item["value"] in shown
    for formula in report["formulas"]:
        assert formula["formula"] in shown
        assert formula["source"] in shown


def test_the_demo_has_every_block_and_every_figure(report):
    blocks = [block for section in report["sections"] for block in section["blocks"]]
    assert {block["type"] for block in blocks} == {"text", "note", "facts", "table", "figure"}
    assert {block["kind"] for block in blocks if block["type"] == "figure"} == {
        "scatter", "bars", "lines", "histogram", "heatmap"}  # fmt: skip


def test_ids_are_unique_and_every_link_leads_to_one(tree):
    ids = [attrs["id"] for _, attrs in tree.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs["href"] for tag, attrs in tree.tags if tag in ("a", "use")]
    assert len(links) > 300
    assert {link[1:] for link in links} <= set(ids)


def test_each_formula_link_has_a_way_back(report, tree):
    there = {attrs["href"]: attrs["id"] for attrs in tree.all("a", **{"class": "to-formula"})}
    back = {attrs["href"][1:] for attrs in tree.all("a")}
    assert len(there) == len(report["formulas"])
    assert set(there.values()) <= back


def test_headings_go_down_one_level_at_a_time(tree):
    levels = [int(tag[1]) for tag, _ in tree.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


def test_every_figure_has_a_caption_a_picture_with_a_name_and_a_table(report):
    text = page.render(report)
    figures = re.findall(r"<figure.*?</figure>", text, re.DOTALL)
    assert len(figures) == 9
    for figure in figures:
        assert "<figcaption><h3" in figure
        assert re.search(r'role="img" aria-label="[^"]{10,}"', figure)
        assert re.search(r'<details class="data">.*<table>', figure, re.DOTALL)


def test_the_page_names_no_other_place(report):
    text = page.render(report)
    assert not re.search(r"""(src|href|action)=["']?(?!#|data:)\w*:?//""", text)
    assert "http" not in re.sub(r"http-equiv|http://www\.w3\.org/2000/svg", "", text)
    assert "@import" not in text
    assert "url(" not in text


def test_the_policy_allows_this_style_and_this_script_alone(report):
    text = page.render(report)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1])
    style, script = (re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1] for tag in ("style", "script"))
    assert policy.startswith("default-src 'none'; ")
    assert f"style-src {page._hash(style)};" in policy
    assert f"script-src {page._hash(script)};" in policy
    assert "unsafe" not in policy
    assert " style=" not in text  # which the policy would not apply


def test_style_and_script_are_small(report):
    text = page.render(report)
    assert sum(len(re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]) for tag in ("style", "script")) < 60_000


@pytest.mark.parametrize("length", [60, 10_000])
@pytest.mark.parametrize("letter", ["<", "日"])
def test_five_thousand_points_take_less_than_one_and_a_half_megabytes(length, letter):
    data = demo.many_points() | {"hover": [letter * length] * 5000}
    assert len(page.render(demo.report_of(demo.figure_of("scatter", data))).encode()) < 1_500_000


HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)' x=\"",
    "<!-- ]]> --><style>*{display:none}</style>",
    "\x00\x07\x1b[31m\x7f\x9f\ud800\ufffe",
    "שלום \u202eabc\u202c مرحبا",
    "🌸👩‍🔬🏳️‍🌈",
    "a" * 10_000,
    "& &amp; &#60;",
    json.dumps({"</script>": "<script>"}),
]


def everywhere(text):
    fact = {"name": text, "value": text, "note": text, "formula": "f", "estimate": text}
    table = {
        "type": "table", "caption": text, "best": 0, "formula": "f",
        "columns": [{"name": text, "kind": kind} for kind in ("text", "number", "bar")], "rows": [[text] * 3] * 20,
    }  # fmt: skip
    figures = [
        ("scatter", points(x_label=text, y_label=text, hover=[text] * 3, group=[0, 1, None], groups=[text, text])),
        ("scatter", points(value=[1.0, 2.0, None], value_label=text)),
        ("bars", {"labels": [text, "b"], "values": [1.0, -2.0], "x_label": text}),
        ("lines", {"x_label": text, "y_label": text, "series": [{"name": text, "x": [1, 2], "y": [1, 2]}] * 2,
                   "marks": [{"x": 1.5, "label": text}]}),
        ("histogram", {"edges": [0, 1, 2], "series": [{"name": text, "counts": [1, 2]}] * 2, "x_label": text,
                       "marks": [{"x": 1.0, "label": text}]}),
        ("heatmap", {"rows": [text, "b"], "columns": [text, "d"], "values": [[1, 2], [3, None]], "value_label": text,
                     "text": True, "x_label": text, "y_label": text}),
    ]  # fmt: skip
    blocks = [
        {"type": "text", "text": text},
        {"type": "note", "level": "warning", "text": text},
        {"type": "facts", "items": [fact]},
        table,
        *(demo.figure_of(kind, data, text) | {"id": text, "reading": text, "estimate": text} for kind, data in figures),
    ]
    formula = {"id": "f", "name": text, "formula": text, "text": text, "source": text, "code": text}
    report = demo.report_of(*blocks, title=text, formulas=[formula])
    report["sections"][0] |= {"id": text, "title": text, "lead": text}
    return report | {"subtitle": text, "version": text}


@pytest.fixture(scope="module")
def harmless():
    return [Tree(page.render(everywhere("o" * length))).tags for length in (4, 100)]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_of_the_data_makes_or_breaks_a_tag(text, harmless):
    written = page.render(everywhere(text))
    found = Tree(written).tags
    assert [tag for tag, _ in found] == [tag for tag, _ in harmless[0]] == [tag for tag, _ in harmless[1]]
    assert {name for _, attrs in found for name in attrs} <= {
        n for tags in harmless for _, attrs in tags for n in attrs
    }
    written.encode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", written)


@settings(deadline=None)
@given(anything)
def test_what_is_escaped_can_be_read_back(text):
    back = html.unescape(escape(text))
    assert not set("<>\"'") & set(escape(text))
    assert len(back) == len(text.replace("\r\n", "\n"))
    assert all(a == b for a, b in zip(back, text.replace("\r\n", "\n"), strict=True) if b.isprintable())


def test_a_frame_holds_the_same_page(report):
    framed = page.fragment(report)
    (frame,) = Tree(framed).all("iframe")
    assert frame["srcdoc"] == page.render(report)
    assert int(frame["height"]) >= 500
    assert "allow-same-origin" not in frame["sandbox"]


def test_an_unknown_formula_is_named():
    fact = {"name": "norm", "value": "1", "note": "", "formula": "nome", "estimate": None}
    formula = {"id": "norm", "name": "n", "formula": "f", "text": "", "source": "", "code": ""}
    with pytest.raises(ValueError, match="'norm' shows the formula 'nome', which the report does not have"):
        page.render(demo.report_of({"type": "facts", "items": [fact]}, formulas=[formula]))


def test_unknown_blocks_and_figures_are_named():
    with pytest.raises(ValueError, match="no block of type 'poem'; there are text, note, facts, table, figure"):
        page.render(demo.report_of({"type": "poem"}))
    with pytest.raises(ValueError, match="no figure of kind 'pie'; there are scatter, bars, lines, histogram, "):
        page.render(demo.report_of(demo.figure_of("pie", {})))


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        draw("scatter", points(y=[1.0]))


def test_a_report_without_sections_is_still_a_page():
    Tree(page.render({"title": "", "subtitle": "", "version": "", "seconds": 1e4, "sections": [], "formulas": []}))


def test_rows_beyond_twelve_are_apart_and_the_best_is_said_in_words():
    block = {"type": "table", "caption": "c", "columns": [{"name": "a", "kind": "number"}],
             "rows": [[k] for k in range(30)], "best": 2, "formula": None}  # fmt: skip
    text = page.render(demo.report_of(block))
    first, rest = re.search(r"<tbody>(.*?)</tbody><tbody class=\"more\" data-all=\"30\">(.*?)</tbody>", text).groups()
    assert (first.count("<tr"), rest.count("<tr")) == (12, 18)
    assert re.search(r'<tr class="best"><td class="n">2<span class="badge">best</span>', first)


def test_bars_in_cells_are_shares_of_the_largest():
    block = {"type": "table", "caption": "c", "columns": [{"name": "a", "kind": "bar"}],
             "rows": [[-4.0], [1.0], [0.25], [None], ["text"]], "best": None, "formula": None}  # fmt: skip
    text = page.render(demo.report_of(block))
    assert re.findall(r'rect width="([\d.]+)%"', text) == ["0.0", "100.0", "25.0", "0.0", "0.0"]


EMPTY = {
    "scatter": [points(0), points(2, x=[None, None])],
    "bars": [{"labels": [], "values": [], "x_label": ""}, {"labels": ["a"], "values": [None], "x_label": ""}],
    "lines": [
        {"x_label": "", "y_label": "", "series": []},
        {"x_label": "", "y_label": "", "y_log": True, "series": [{"name": "", "x": [1], "y": [0]}]},
    ],
    "histogram": [
        {"edges": [], "series": [], "x_label": ""},
        {"edges": [0, 1], "series": [{"name": "", "counts": [0]}], "x_label": ""},
    ],
    "heatmap": [
        {"rows": [], "columns": [], "values": [], "value_label": ""},
        {"rows": ["a"], "columns": ["b"], "values": [[None]], "value_label": "", "text": True},
    ],
}


@pytest.mark.parametrize(("kind", "data"), [(kind, data) for kind, cases in EMPTY.items() for data in cases])
def test_no_data_is_said_in_words(kind, data):
    assert "There is nothing to draw here." in draw(kind, data).body
    Tree(page.render(demo.report_of(demo.figure_of(kind, data))))


def places(body):
    return [float(v) for v in re.findall(r' (?:x|y|cx|cy)="(-?[\d.]+)"', body)]


values = st.lists(numbers | st.none(), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(values, st.booleans(), st.booleans(), st.randoms())
def test_all_kinds_draw_inside_their_picture_whatever_the_values(ys, x_log, y_log, random):
    xs = [random.choice([None, k, 0, 1e-9 * k, -1e8 + k]) for k in range(len(ys))]
    counts = [None if y is None else abs(y) for y in ys]
    drawn = [
        draw("scatter", points(len(ys), x=xs, y=ys, value=ys[::-1], value_label="v", marked=[0])),
        draw("bars", {"labels": [str(k) for k in range(len(ys))], "values": ys, "x_label": "", "errors": counts}),
        draw("lines", {"x_label": "", "y_label": "", "x_log": x_log, "y_log": y_log,
                       "marks": [{"x": 1.0, "label": "m"}],
                       "series": [{"name": "a", "x": xs, "y": ys}, {"name": "b", "x": xs, "y": ys[::-1]}]}),
        draw("histogram", {"edges": list(range(len(ys) + 1)), "x_label": "",
                           "series": [{"name": "a", "counts": counts}]}),
        draw("heatmap", {"rows": ["r"] * len(ys), "columns": ["c"], "values": [[y] for y in ys], "value_label": "",
                         "text": True}),
    ]  # fmt: skip
    for one in drawn:
        assert "nan" not in one.body
        assert all(-2 <= place <= max(642, one.height + 2) for place in places(one.body))


def test_marks_and_rows_of_the_table_go_together():
    drawn = draw("scatter", points(4, x=[0.0, None, 2.0, 3.0], hover=list("abcd")))
    assert drawn.body.count("<use") == 3
    assert [row[0] for row in drawn.rows] == ["a", "c", "d", "b"]
    assert drawn.remark.startswith("1 of 4 have no place")


def test_zero_on_a_logarithmic_axis_is_in_the_table_and_breaks_the_line():
    series = [{"name": "a", "x": [1, 2, 3, 4], "y": [1.0, 0.0, 10.0, 100.0], "dashed": False}]
    drawn = draw("lines", {"x_label": "x", "y_label": "y", "y_log": True, "series": series})
    path = re.search(r'class="line[^>]* d="([^"]+)"', drawn.body)[1]
    assert (path.count("M"), path.count("L")) == (2, 1)
    assert drawn.rows[-1] == [2, 0.0]
    assert "1 of 4 values cannot be drawn" in drawn.remark


def test_bars_start_at_zero_and_grow_with_their_value():
    drawn = draw("bars", {"labels": ["a", "b", "c"], "values": [1.0, 2.0, -1.0], "x_label": "", "highlight": [1]})
    found = re.findall(r'class="bar( strong)?" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', drawn.body)
    (_, x0, w0), (strong, x1, w1), (_, x2, w2) = [(s, float(x), float(w)) for s, x, w in found]
    assert strong
    assert x0 == x1 == pytest.approx(x2 + w2, abs=0.2)
    assert w1 == pytest.approx(2 * w0, abs=0.2)
    assert w2 == pytest.approx(w0, abs=0.2)


def test_a_large_matrix_is_an_image_and_a_small_one_is_cells():
    big = np.random.default_rng(0).normal(size=(200, 200)).tolist()
    names = [str(k) for k in range(200)]
    drawn = draw("heatmap", {"rows": names, "columns": names, "values": big, "value_label": "v", "text": False})
    assert drawn.body.count("<image") == 2
    assert "<rect" not in drawn.body
    small = draw(
        "heatmap", {"rows": ["a"], "columns": ["b", "c"], "values": [[1, 2]], "value_label": "v", "text": True}
    )
    assert small.body.count("<rect") == 2
    assert re.findall(r">([12])</text>", small.body) == ["1", "2"]


def test_the_image_holds_the_pixels_it_was_given():
    import struct
    import zlib

    written = png([[0, 1, 2], [2, 1, 0]], ["#000000", "#ff0000", "#0000ff"])
    parts, at = {}, 8
    while at < len(written):
        (size,) = struct.unpack(">I", written[at : at + 4])
        parts[written[at + 4 : at + 8]] = written[at + 8 : at + 8 + size]
        at += 12 + size
    assert struct.unpack(">II", parts[b"IHDR"][:8]) == (3, 2)
    assert zlib.decompress(parts[b"IDAT"]) == b"\0\0\1\2\0\2\1\0"
    assert parts[b"PLTE"] == bytes.fromhex("000000ff00000000ff")


@settings(deadline=None)
@given(numbers, st.floats(1e-9, 1e9))
def test_ticks_are_round_few_and_inside(low, width):
    high = low + max(width, 1e-6 * abs(low))
    ticks = linear_ticks(low, high)
    assert 2 <= len(ticks) <= 9
    step = ticks[1] - ticks[0]
    assert low - 1e-6 * step <= ticks[0]
    assert ticks[-1] <= high + 1e-6 * step
    labels = linear_labels(ticks, shared_exponent(ticks))
    assert len(set(labels)) == len(labels)


@settings(deadline=None)
@given(st.floats(-200, 200), st.floats(1e-3, 100))
def test_logarithmic_ticks_are_few_inside_and_told_apart(first, decades):
    low, high = 10.0**first, 10.0 ** (first + decades)
    ticks = log_ticks(low, high)
    assert 1 <= len(ticks) <= 11
    assert all(low * (1 - 1e-6) <= v <= high * (1 + 1e-6) for v in ticks)
    if decades > 1:
        assert len({log_label(v) for v in ticks}) == len(ticks)


@settings(deadline=None)
@given(st.lists(numbers | st.none(), max_size=8), st.booleans())
def test_spans_hold_their_values_and_are_never_empty(found, log):
    low, high = span(found, log=log)
    assert low < high
    scale = Scale(low, high, 0.0, 100.0, log)
    for v in found:
        if v is not None and (v > 1e-290 or not log):
            assert -1e-6 <= scale(v) <= 100 + 1e-6


@settings(deadline=None)
@given(numbers)
def test_numbers_keep_four_digits(value):
    shown = number(value).replace("−", "-").replace(",", "")
    shown = shown.replace("×10", "e").translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    assert float(shown) == pytest.approx(value, rel=1e-3)


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=6))
def test_aligned_numbers_keep_what_matters_of_each(column):
    for value, text in zip(column, aligned(column), strict=True):
        assert text
        if "×" not in text:
            assert float(text.replace("−", "-").replace(",", "")) == pytest.approx(
                value, rel=1e-3, abs=6e-3 * max(map(abs, column))
            )


@settings(deadline=None)
@given(anything, st.floats(2, 30))
def test_fitted_text_is_no_wider_than_its_place(text, width):
    assert ems(fitted(text, width)) <= width or len(fitted(text, width)) <= 1


def test_cut_text_says_that_it_was_cut():
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"


def test_sixty_four_groups_are_told_apart_by_colour_and_shape():
    assert len({(color_of(g), shape_of(g)) for g in range(64)}) == 64


@pytest.mark.parametrize("theme", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_letters_and_marks_stand_out_in_both_themes(theme):
    for paper in (theme.paper, theme.raised, theme.wash):
        assert palette.contrast(theme.ink, paper) >= 7
        assert palette.contrast(theme.muted, paper) >= 4.5
        assert palette.contrast(theme.accent, paper) >= 4.5
    for color in (*theme.groups, theme.bar):
        assert palette.contrast(color, theme.paper) >= 3
    for color in theme.ramp:
        assert palette.contrast(palette.letters_on(color), color) >= 4.5


@pytest.mark.parametrize("theme", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_the_ramp_climbs_in_even_steps_of_lightness(theme):
    steps = np.diff([lab(color)[0] for color in theme.ramp])
    assert (np.sign(steps) == np.sign(steps[0])).all()
    assert steps == pytest.approx(np.full(len(steps), steps.mean()), abs=0.25 * abs(steps.mean()))


# What people with protanopia, deuteranopia and tritanopia see, in linear light (Machado, Oliveira, Fernandes 2009).
VISION = {
    "all cones": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(color, vision=None):
    linear = np.array([palette._linear(int(color[k : k + 2], 16) / 255) for k in (1, 3, 5)])
    seen = np.clip(linear if vision is None else np.asarray(vision) @ linear, 0, 1)
    cones = np.cbrt(
        [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
         [0.0883024619, 0.2817188376, 0.6299787005]] @ seen
    )  # fmt: skip
    return [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660]] @ cones  # fmt: skip


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_groups_have_colours_that_all_eyes_tell_apart(theme, vision):
    seen = [lab(color, VISION[vision]) for color in theme.groups]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 0.1
