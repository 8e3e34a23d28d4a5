"""A report as one page: HTML with its style, its figures and its script inside, that opens from disk without a network.

    report  ──▶  sections  ──▶  blocks: text, note, facts, table, figure
                 formulas  ──▶  the appendix, which every formula link leads to and back from

Everything that can be seen is in the HTML itself: without a script and in print the page is whole. The script adds what
needs a hand: sections that fold to their first sentence, objects beside the pointer, groups switched on and off, zoom,
the keyboard, the colours of the night. A content security policy with the hashes of the page's own style and script
forbids everything else, so that no text of the data could do anything even if it were not escaped.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from gramian.reporting.figures import draw, palette
from gramian.reporting.figures.drawing import WIDTH, Drawing, Entry, Ramp
from gramian.reporting.figures.scatter import LONGEST
from gramian.reporting.markup import MISSING, aligned, anchor, cell, cut, escape, number

ROWS = 12  # rows of a table that are seen before it is unfolded
FRAME = 760  # height of a page within a notebook, in pixels
_WIDE_CELL = 40  # characters of a cell from which on its column is kept from being squeezed
_LONGEST_NAME = 200  # characters of a group in a legend
_MANY_GROUPS = 40  # from which on a legend scrolls within itself
_LONG_VALUE = 14  # characters above which a key figure is set in smaller letters
_MARKERS = {
    "m0": "M0-4A4 4 0 1 1 0 4 4 4 0 1 1 0-4Z",
    "m1": "M-3.6-3.6H3.6V3.6H-3.6Z",
    "m2": "M0-4.8 4.6 3.4H-4.6Z",
    "m3": "M0-5 5 0 0 5-5 0Z",
    "m4": "M-1.6-4.8H1.6V-1.6H4.8V1.6H1.6V4.8H-1.6V1.6H-4.8V-1.6H-1.6Z",
    "m5": "M0 4.8-4.6-3.4H4.6Z",
    "m6": "M0-5.4 1.5-1.9 5.2-1.7 2.4.7 3.3 4.4 0 2.4-3.3 4.4-2.4.7-5.2-1.7-1.5-1.9Z",
    "m7": "M-4.9-2.6-2.6-4.9 0-2.3 2.6-4.9 4.9-2.6 2.3 0 4.9 2.6 2.6 4.9 0 2.3-2.6 4.9-4.9 2.6-2.3 0Z",
    "mn": "M0-3.4A3.4 3.4 0 1 1 0 3.4 3.4 3.4 0 1 1 0-3.4Z",
    "ring": "M0-7.5A7.5 7.5 0 1 1 0 7.5 7.5 7.5 0 1 1 0-7.5Z",
}


def render(report: dict[str, Any]) -> str:
    """Return a report as the text of one HTML file that needs nothing else.

    Parameters
    ----------
    report : dict
        `title`, `subtitle`, `version`, `seconds`; `sections`, each with `id`, `title`, `lead` and `blocks`, and perhaps
        `folded`, where only title and lead are seen at first; `formulas`,
        each with `id`, `name`, `formula`, `text`, `source` and `code`. All values are those of JSON. A block has the
        `type` text, note, facts, table or figure; blocks and facts may name a formula by its id.

    Raises
    ------
    ValueError
        If a block or figure is of an unknown kind, or names a formula that the report does not have.

    Examples
    --------
    >>> section = {"id": "data", "title": "Data", "lead": "", "blocks": [{"type": "text", "text": "1 < 2"}]}
    >>> html = render({"title": "Iris", "subtitle": "", "version": "0.1.0", "seconds": 1.5, "sections": [section],
    ...                "formulas": []})
    >>> html[:15], "1 &lt; 2" in html
    ('<!doctype html>', True)
    """
    links = Links({str(formula["id"]): formula for formula in report["formulas"]})
    titles = [(anchor("", section["id"], links.taken), section) for section in report["sections"]]
    sections = "".join(_section(name, section, links) for name, section in titles)
    entries = [(name, str(section["title"])) for name, section in titles]
    if report["formulas"]:
        sections += _appendix(links)
        entries.append(("formulas", "Formulas"))
    made = f"Made by gramian {escape(report['version'])} in {_duration(report['seconds'])}."
    subtitle = _paragraph("subtitle", escape(report["subtitle"]))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{_policy()}'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f"<title>{escape(cut(report['title'], 200))}</title><style>{_style()}</style></head><body>"
        f'<a class="skip" href="#main">Skip to the report</a>{_symbols()}<div class="sheet">'
        '<header class="head"><div class="brand"><span><b>gramian</b> report</span>'
        '<span class="switches"><button class="unfold" type="button" hidden></button>'
        '<button class="theme" type="button" hidden></button></span></div>'
        f'<h1 dir="auto">{escape(report["title"])}</h1>{subtitle}</header>'
        f'<div class="body">{_contents(entries)}<main id="main" tabindex="-1">{sections}</main></div>'
        f'<footer class="end">{made} The page is whole: it asks nothing of any network.</footer></div>'
        f"<script>{_asset('page.js')}</script></body></html>"
    )


def fragment(report: dict[str, Any]) -> str:
    """Return the page inside a frame, to be shown in a notebook beside other things without touching them.

    Examples
    --------
    >>> fragment({"title": "x", "subtitle": "", "version": "0", "seconds": 1, "sections": [], "formulas": []})[:7]
    '<iframe'
    """
    return (
        f'<iframe title="{escape(cut(report["title"], 200))}" width="100%" height="{FRAME}" '
        'sandbox="allow-scripts allow-popups" style="border:1px solid #8886;border-radius:6px" '
        f'srcdoc="{escape(render(report))}"></iframe>'
    )


@dataclass
class Links:
    """Formulas by id, and the places of the page that speak of each, gathered while the page is written."""

    formulas: dict[str, dict[str, Any]]
    taken: set[str] = field(default_factory=lambda: {"main", "formulas", *_MARKERS})
    anchors: dict[str, str] = field(default_factory=dict)
    places: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for name in self.formulas:
            self.anchors[name] = anchor("formula", name, self.taken)

    def to(self, formula: str | None, place: str) -> str:
        """Return the link from a place of the page to a formula; nothing where there is none."""
        if formula is None:
            return ""
        if formula not in self.formulas:
            known = ", ".join(map(repr, self.formulas)) or "none"
            raise ValueError(f"{place!r} shows the formula {formula!r}, which the report does not have; it has {known}")
        here = anchor("from", f"{formula}-{len(self.places[formula]) + 1}", self.taken)
        self.places[formula].append((here, place))
        name = escape(self.formulas[formula]["name"])
        return f'<a class="to-formula" id="{here}" href="#{self.anchors[formula]}">{name}</a>'


def _section(name: str, section: dict[str, Any], links: Links) -> str:
    blocks = "".join(_block(block, links) for block in section["blocks"])
    title = f'<h2 id="{name}-title">{escape(section["title"])}</h2>'
    lead = _paragraph("lead", escape(section["lead"]))
    return _folding(name, f"{title}{lead}", blocks, bool(section.get("folded")))


def _folding(name: str, head: str, inside: str, folded: bool) -> str:
    """Return a section whose head is always seen, and whose inside the script may fold away."""
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"{" data-folded" * folded}>{head}'
        f'<div class="inside" id="{name}-inside">{inside}</div></section>'
    )


def _paragraph(style: str, content: str) -> str:
    return f'<p class="{style}" dir="auto">{content}</p>' if content else ""


def _block(block: dict[str, Any], links: Links) -> str:
    kinds = {"text": _text, "note": _note, "facts": _facts, "table": _table, "figure": _figure}
    if block["type"] not in kinds:
        raise ValueError(f"no block of type {block['type']!r}; there are {', '.join(kinds)}")
    return kinds[block["type"]](block, links)


def _text(block: dict[str, Any], links: Links) -> str:
    parts = re.split(r"\n\s*\n", str(block["text"]))
    words = "".join(_paragraph("text", escape(part)) for part in parts if part.strip())
    if not block.get("expression"):
        return words
    return words + _behind("The kernel as an expression", str(block["expression"]))


def _behind(words: str, expression: str) -> str:
    """Return words that open to the expression behind them."""
    code = f'<code dir="ltr">{escape(expression)}</code>'
    return f'<details class="behind"><summary>{escape(words)}</summary>{code}</details>'


def _note(block: dict[str, Any], links: Links) -> str:
    level, title = ("warning", "⚠ Take care") if block["level"] == "warning" else ("info", "Note")
    return f'<div class="note {level}" role="note"><b>{title}</b><p>{escape(block["text"])}</p></div>'


def _facts(block: dict[str, Any], links: Links) -> str:
    items = "".join(_fact(item, links) for item in block["items"])
    return f'<dl class="facts{_columns(len(block["items"]))}">{items}</dl>'


def _columns(n: int) -> str:
    """Return the number of columns, three or four, that leaves fewer places of the last line empty."""
    return " of4" if -n % 4 < -n % 3 else ""


def _fact(item: dict[str, Any], links: Links) -> str:
    value = MISSING if item["value"] is None else str(item["value"])
    long = " long" if len(value) > _LONG_VALUE else ""
    meaning = f'<dd class="note-of">{escape(item["note"])}</dd>' if item.get("note") else ""
    foot = _badge(item.get("estimate")) + links.to(item.get("formula"), str(item["name"]))
    foot = f'<dd class="foot">{foot}</dd>' if foot else ""
    wide = ' class="wide"' if len(value) > 2 * _LONG_VALUE else ""
    return (
        f'<div{wide}><dt>{escape(item["name"])}</dt><dd class="value{long}">{escape(value)}</dd>{meaning}{foot}</div>'
    )


def _badge(estimate: str | None) -> str:
    return f'<span class="badge">{escape(estimate)}</span>' if estimate else ""


def _table(block: dict[str, Any], links: Links) -> str:
    columns, rows = block["columns"], block["rows"]
    name = anchor("table", block["caption"], links.taken)
    heads = "".join(f'<th scope="col"{_style_of(column)}>{escape(column["name"])}</th>' for column in columns)
    cells = [_cells([row[k] for row in rows], column) for k, column in enumerate(columns)]
    lines = [_row(line, k == block.get("best")) for k, line in enumerate(zip(*cells, strict=True))]
    rest = f'<tbody class="more" data-all="{len(rows):,}">{"".join(lines[ROWS:])}</tbody>' if lines[ROWS:] else ""
    foot = _badge(block.get("estimate")) + links.to(block.get("formula"), str(block["caption"]))
    return (
        f'<div class="block captioned"><h3 id="{name}">{escape(block["caption"])}</h3><div class="box" tabindex="0" '
        f'role="group" aria-labelledby="{name}"><table aria-labelledby="{name}"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(lines[:ROWS])}</tbody>{rest}</table></div>"
        f"{_paragraph('foot', foot)}</div>"
    )


def _style_of(column: dict[str, Any]) -> str:
    return {"number": ' class="n"', "bar": ' class="barred"', "drawn": ' class="barred"'}.get(column["kind"], "")


def _cells(values: list[Any], column: dict[str, Any]) -> list[str]:
    """Return one column as cells: its numbers with as many decimals each, its bars on one scale."""
    if column["kind"] == "text":
        wide = ' class="wide"' if any(len(_words(value)) > _WIDE_CELL for value in values) else ""
        return [f"<td{wide}>{_entry_of(value)}" for value in values]
    found = [value for value in values if _is_number(value)]
    texts, largest = iter(aligned(found)), max(0, *found, 0) or 1
    bars = column["kind"] == "bar"
    return [
        f"<td{_style_of(column)}>"
        + (_bar(max(value, 0) / largest if _is_number(value) else 0.0) if bars else "")
        + (next(texts) if _is_number(value) else cell(value))
        for value in values
    ]


def _words(value: Any) -> str:
    return str(value["words"] if isinstance(value, dict) else value)


def _entry_of(value: Any) -> str:
    return _behind(value["words"], value["expression"]) if isinstance(value, dict) else cell(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bar(share: float) -> str:
    return f'<svg aria-hidden="true"><rect width="{100 * share:.1f}%" height="100%"/></svg>'


def _row(cells: tuple[str, ...], best: bool) -> str:
    if not best:
        return f"<tr>{'</td>'.join(cells)}</td></tr>"
    first, *others = cells
    return f'<tr class="best">{first}<span class="badge">best</span></td>{"</td>".join(others)}</td></tr>'


def _figure(block: dict[str, Any], links: Links) -> str:
    drawing = draw(block["kind"], block["data"])
    name, title = anchor("figure", block["id"], links.taken), escape(block["title"])
    foot = _badge(block.get("estimate")) + links.to(block.get("formula"), str(block["title"]))
    foot += f"<span>{escape(drawing.remark)}</span>" if drawing.remark else ""
    tools = _legend(drawing.legend, title) + (_ramp(drawing.ramp) if drawing.ramp else "")
    return (
        f'<figure id="{name}" aria-labelledby="{name}-title" class="{block["kind"]}"><figcaption>'
        f'<h3 id="{name}-title">{title}</h3>{_paragraph("reading", escape(block["reading"]))}</figcaption>'
        f'<div class="tools">{tools}</div>{_plot(drawing, block)}{_paragraph("foot", foot)}'
        f"{_data(drawing, title)}</figure>"
    )


def _plot(drawing: Drawing, block: dict[str, Any]) -> str:
    arrow = "↓" if "grid" in drawing.attributes else "↑"
    above = _paragraph("ylabel", f"{arrow} {escape(drawing.y_label)}" if drawing.y_label else "")
    below = _paragraph("xlabel", f"{escape(drawing.x_label)} →" if drawing.x_label else "")
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in drawing.attributes.items())
    return (
        f'<div class="topline">{above}</div>'
        f'<div class="plot" data-shown="{" ".join(map(str, drawing.shown))}"{attributes}>'
        f'<svg viewBox="0 0 {WIDTH:g} {drawing.height:.0f}" role="img" aria-label="{escape(block["title"])}. '
        f'{escape(block["reading"])}">{drawing.body}</svg></div>{below}'
    )


def _legend(entries: Sequence[Entry], title: str) -> str:
    items = "".join(_entry(k, entry) for k, entry in enumerate(entries))
    long = " long" * (len(entries) > _MANY_GROUPS)
    return f'<ul class="legend{long}" aria-label="Groups of {title}">{items}</ul>' if items else ""


def _entry(k: int, entry: Entry) -> str:
    count = "" if entry.count is None else f" <small>{entry.count:,}</small>"
    return (
        f'<li><button type="button" aria-pressed="true" data-g="{k}"><svg class="swatch" viewBox="-8 -8 16 16" '
        f'aria-hidden="true"><use class="{entry.color}" href="#{entry.shape}"/></svg>'
        f"<bdi>{escape(cut(entry.name, _LONGEST_NAME))}</bdi>{count}</button></li>"
    )


def _ramp(ramp: Ramp) -> str:
    steps = "".join(f'<rect class="v{k}" x="{k}" width="1.05" height="1"/>' for k in range(palette.LEVELS))
    return (
        f'<div class="ramp"><span>{escape(ramp.label)}</span><span>{number(ramp.low, 3)}</span><svg class="swatch" '
        f'aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 {palette.LEVELS} 1">{steps}</svg>'
        f"<span>{number(ramp.high, 3)}</span></div>"
    )


def _data(drawing: Drawing, title: str) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}' for name in drawing.columns)
    rows = "".join("<tr><td>" + "<td>".join(cell(value, LONGEST) for value in row) for row in drawing.rows)
    return (
        f'<details class="data"><summary>The data as a table</summary><div class="box tall" tabindex="0" role="group" '
        f'aria-label="Data of {title}"><table><thead><tr>{heads}</thead><tbody>{rows}</tbody></table></div></details>'
    )


def _contents(entries: list[tuple[str, str]]) -> str:
    items = "".join(f'<li><a href="#{name}">{escape(cut(title, 80))}</a></li>' for name, title in entries)
    return (
        '<nav class="toc" aria-label="Contents"><details open><summary>Contents</summary>'
        f"<ol>{items}</ol></details></nav>"
    )


def _appendix(links: Links) -> str:
    entries = "".join(_formula(name, formula, links) for name, formula in links.formulas.items())
    head = (
        '<h2 id="formulas-title">Formulas</h2>'
        '<p class="lead">What the figures show, as it is computed, and where it comes from.</p>'
    )
    return _folding("formulas", head, f'<div class="block">{entries}</div>', folded=True)


def _formula(name: str, formula: dict[str, Any], links: Links) -> str:
    back = " · ".join(f'<a href="#{here}">{escape(cut(place, 60))}</a>' for here, place in links.places[name])
    parts = [escape(formula["source"]), f"<code>{escape(formula['code'])}</code>" if formula["code"] else ""]
    parts.append(f"<span>↩ shown in {back}</span>" if back else "")
    return (
        f'<article class="formula" id="{links.anchors[name]}"><h3>{escape(formula["name"])}</h3>'
        f'<p class="line">{escape(formula["formula"])}</p><p>{escape(formula["text"])}</p>'
        f'<p class="foot">{"".join(f"<span>{part}</span>" for part in parts if part)}</p></article>'
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{number(float(seconds), 2)} seconds"
    return f"{int(seconds // 60)} minutes {int(seconds % 60)} seconds"


def _symbols() -> str:
    shapes = "".join(f'<path id="{name}" d="{path}"/>' for name, path in _MARKERS.items())
    return f'<svg class="unseen" width="0" height="0" aria-hidden="true"><defs>{shapes}</defs></svg>'


@cache
def _asset(name: str) -> str:
    return (files("gramian.reporting") / "assets" / name).read_text(encoding="utf-8")


@cache
def _style() -> str:
    return palette.style() + _asset("style.css")


@cache
def _policy() -> str:
    style, script = _hash(_style()), _hash(_asset("page.js"))
    rules = f"default-src 'none'; style-src {style}; script-src {script}; img-src data:; base-uri 'none'"
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
