"""Text and numbers as HTML: whatever comes from data passes here before it enters the page.

A page that shows other people's data must survive it: tags, quotes, control characters and halves of surrogate pairs
become visible characters, so that no text can leave the place where it was put, and the page can always be encoded.
"""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

MINUS = "−"
MISSING = "–"

_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {0x7F: 0x2421}
_CONTROLS |= dict.fromkeys((*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), 0xFFFD)
_SLIM = frozenset(" .,:;'|!()[]/ijlftrI")
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def escape(text: Any) -> str:
    """Return text that is safe between tags and inside quoted attributes.

    Examples
    --------
    >>> escape('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(str(text).replace("\r\n", "\n").translate(_CONTROLS), quote=True)


def cut(text: Any, most: int) -> str:
    """Return text of at most so many characters, the last of them an ellipsis where something was left out.

    Examples
    --------
    >>> cut("a long story", 7)
    'a long…'
    """
    whole = str(text)
    return whole if len(whole) <= most else whole[: most - 1].rstrip() + "…"


def number(value: Any, digits: int = 4) -> str:
    """Return a number with so many significant digits, a true minus sign and thousands apart; a dash for none.

    Examples
    --------
    >>> number(1234567), number(-0.000123456), number(2.5e12), number(None)
    ('1,234,567', '−0.0001235', '2.5×10¹²', '–')
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return MISSING
    if isinstance(value, int) and abs(value) < 10**9:
        return f"{value:,}".replace("-", MINUS)
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if not -5 < size < 9:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        if "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        return f"{mantissa.replace('-', MINUS)}×{power(int(exponent))}"
    shown = f"{value:,.{max(0, digits - 1 - size)}f}"
    return (shown.rstrip("0").rstrip(".") if "." in shown else shown).replace("-", MINUS)


def aligned(values: Sequence[float | None], digits: int = 4) -> list[str]:
    """Return the numbers of one column with as many decimals each, so that they can be compared at a glance.

    Numbers of very different size keep their own significant digits.

    Examples
    --------
    >>> aligned([0.967, 0.9, None]), aligned([1200.0, 0.001]), aligned([3, 12])
    (['0.967', '0.900', '–'], ['1,200', '0.001'], ['3', '12'])
    """
    sizes = [abs(v) for v in values if v]
    if not sizes or not 1e-5 < max(sizes) < 1e9 or all(isinstance(v, int) for v in values if v is not None):
        return [number(v, digits) for v in values]
    largest = math.floor(math.log10(max(sizes)))
    decimals = max(0, digits - 1 - max(0, largest)) if largest >= -1 else digits - 1 - largest
    if min(sizes) < 0.5 * 10**-decimals:
        return [number(v, digits) for v in values]
    while decimals and all(abs(v - round(v, decimals - 1)) < 1e-9 * v for v in sizes):
        decimals -= 1
    return [MISSING if v is None else f"{v:,.{decimals}f}".replace("-", MINUS) for v in values]


def power(exponent: int) -> str:
    """Return 10 to this power.

    Examples
    --------
    >>> power(-12)
    '10⁻¹²'
    """
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def cell(value: Any, most: int = 400) -> str:
    """Return what stands in a cell of a table: a number, a dash for None, or text of bounded length."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return number(value)
    return re.sub(r"(?<=\w)_(?=\w)", "_<wbr>", escape(cut(value, most)))  # a line may end there


def ems(text: str) -> float:
    """Return about how wide a line of text is, in units of its font size; letters of East Asia and emoji count double.

    Examples
    --------
    >>> ems("") < ems("iris") < ems("アヤメ属花")
    True
    """
    return sum(map(_em, text))


def _em(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if unicodedata.combining(letter):
        return 0.0
    return 0.34 if letter in _SLIM else 0.7 if letter.isupper() or letter in "mw" else 0.57


def fitted(text: Any, width: float) -> str:
    """Return text cut to a width in ems.

    Examples
    --------
    >>> fitted("a line that is too long", 6.0)
    'a line that…'
    """
    whole, kept = str(text).replace("\n", " "), ""
    if len(whole) < 4 * width and ems(whole) <= width:
        return whole
    for letter in whole:
        if ems(kept) + _em(letter) + 0.57 > width:
            break
        kept += letter
    return kept.rstrip() + "…"


def anchor(prefix: str, name: str, taken: set[str]) -> str:
    """Return an id that can stand in an address, different from those taken, and take it.

    Examples
    --------
    >>> taken = set()
    >>> anchor("figure", "the map", taken), anchor("figure", "the map", taken)
    ('figure-the-map', 'figure-the-map-2')
    """
    base = f"{prefix}-" * bool(prefix) + (re.sub(r"[^A-Za-z0-9_]+", "-", str(name))[:80].strip("-") or "x")
    found, count = base, 1
    while found in taken:
        count += 1
        found = f"{base}-{count}"
    taken.add(found)
    return found
