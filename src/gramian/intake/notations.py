"""Numbers as people write them: which notation a whole column of texts is in, and the numbers that they are.

    1,234.50    3,750    1.234,5    1 234,5    1'234.5    a mark between thousands, another one before decimals
    $1,234.50   € 3.50   12 EUR     -$5                   a currency, the same in all of the column
    5%          12 kg    3 years                          a unit, the same in all of the column
    1.2k  3.4M  2bn                                       a scale, of which there are several, or none, in the column
    (123)       −5       +5   7-                             signs; brackets are what accountants write for a minus

A notation is one for all entries of a column, or there is none. Where marks could be read in two ways the column tells:
1,5 among the entries makes the comma of 3,750 a decimal one, otherwise it is one between thousands; 1.234 stays below
two unless commas or several points show that points stand between thousands. What looks like a number and is a name of
something is left alone: 007 kg, 1.2.3, 192.168.100.200, 612 345 678, 555-1234, 12A.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake import dates
from gramian.intake.errors import DataError

MINUS = "\u2212"
_BLANKS = " \u00a0\u202f\u2009"  # ordinary, no-break, narrow no-break, thin
_SIGN = f"[+{MINUS}-]"
_BLANK = f"[{_BLANKS}]"
_QUOTES = "'\u2019"
_GROUPS = {",": ",", ".": r"\.", " ": _BLANK, "'": f"[{_QUOTES}]"}
STYLES = (".", ".,", ",", ",.", ". ", ", ", ".'", ",'")  # the decimal mark, then that between thousands
COMMAS_FIRST = (".", ",", ",.", *STYLES[4:], ".,")
COMMAS_ONLY = tuple(style for style in STYLES if style[0] == ",")

_SYMBOLS = "$€£¥₹₽₩₺₴₫₪฿₦₱₡₲₵₸₼₾¢"
_CODES = (
    "USD EUR GBP JPY CHF CAD AUD NZD CNY RMB INR RUB BRL MXN SEK NOK DKK PLN CZK HUF RON BGN TRY ZAR KRW SGD HKD TWD "
    "THB IDR MYR PHP VND ILS AED SAR EGP NGN KES ARS CLP COP PEN UAH ISK kr kr. Kr Rs Rs. zł Kč Ft Fr. Lei lei"
)
_UNITS = (
    "% ‰ ° °C °F ºC ºF kg g mg µg μg lb lbs oz km m cm mm µm μm nm in ft yd mi s ms µs μs ns sec min mins h hr hrs d l "
    "ml mL cl dl cc mV kV mA kW MW GW kWh MWh Hz kHz MHz GHz kB KB MB GB TB KiB MiB GiB px pt dpi mph kmh km/h kph m/s "
    "rpm hp bhp PS kcal cal kJ hPa kPa MPa bar mmHg m² m³ km² cm² cm³ m2 m3 km2 ha dB ppm ppb pp bps x ×"
)
_CURRENCY = "|".join([rf"[A-Z]{{0,3}}[{re.escape(_SYMBOLS)}]", *map(re.escape, sorted(_CODES.split(), key=len)[::-1])])
_UNIT = rf"(?![ap]\.?m\b)[^\W\d_][^\s\d,;()+]{{0,14}}[23²³]?|[%‰°º\"'′″{re.escape(_SYMBOLS)}][^\s\d,;()+]{{0,4}}"
_LOGGED = "degC deg %RH W/m2 W/m² mg/l mg/L µg/m³ ug/m3"  # as loggers write them above their columns
UNITS = frozenset([*_UNITS.split(), *_LOGGED.split(), "deg C", "% RH"])
_KNOWN = frozenset([*_UNITS.split(), *_CODES.split(), *_SYMBOLS])
_LOOSE = re.compile(
    rf"{_SIGN}?\(?(?P<before>{_CURRENCY})?{_BLANK}?{_SIGN}?\(?[0-9.,][0-9.,{_QUOTES}{_BLANKS}]*?(?:[eE][+-]?[0-9]+)?\)?"
    rf"(?:(?P<gap>{_BLANK})?(?P<after>{_UNIT}))?\)?-?"
)
_PADDED = re.compile(r"[+-]?0[0-9]")
_LONGEST = 60  # characters of a number with all that is around it


@dataclass(frozen=True)
class Notation:
    """How the entries of a column are written; plain values, so that a recipe can keep it.

    `kind` is "number", "scaled", "date" or "time". The `style` of numbers is their decimal mark and that between
    thousands, if there is one; that of dates and times one of `dates.STYLES`. A currency stands `before`, a currency or
    a unit `after`; a blank ahead of the unit says that one must stand there.

    Examples
    --------
    >>> Notation("number", ".,", before="$").numbers(["$1,234.50", "-$3", "($1,000)"])
    array([ 1234.5,    -3. , -1000. ])
    >>> Notation("number", ",.", after=" kg").numbers(["1.234,5 kg", "oops"]) is None
    True
    """

    kind: str
    style: str
    before: str = ""
    after: str = ""

    def numbers(self, texts: Sequence[str]) -> Array | None:
        """Return the numbers that texts are in this notation, or None where one is not in it."""
        if self.kind == "scaled":
            return _scaled(self, texts)
        if self.kind != "number":
            return dates.numbers_in(self.style, texts)
        if not all(map(_pattern(self).fullmatch, texts)):
            return None
        bare = _bare(self, "\n".join(texts)).split("\n") if texts else []
        return np.array([float(one) if one[-1:] != "-" else -float(one[:-1]) for one in bare], dtype=np.float64)

    @property
    def unit(self) -> str:
        """What the numbers count: a currency or a unit, if one is written with them; times are hours."""
        return "hours" if self.kind == "time" else (self.before + self.after).strip()

    def plain(self) -> dict[str, str]:
        """Return the notation as plain values."""
        return asdict(self)

    @classmethod
    def from_plain(cls, tree: Any) -> Notation:
        """Return the notation of plain values, and refuse what is none."""
        fields = ("kind", "style", "before", "after")
        sound = (
            isinstance(tree, Mapping)
            and set(tree) == set(fields)
            and all(isinstance(value, str) and len(value) <= _LONGEST for value in tree.values())
        )
        if not sound or tree["style"] not in _KINDS.get(tree["kind"], ()):
            raise DataError("a recipe with a notation of numbers that this version does not know; make the model again")
        return cls(**tree)


_KINDS = {
    "number": STYLES,
    "scaled": STYLES,
    "date": tuple(style for style in dates.STYLES if style not in dates.HOURS),
    "time": dates.HOURS,
}
_SCALES = {
    **dict.fromkeys(("k", "tsd"), 1e3),
    **dict.fromkeys(("m", "mn", "mln", "mio"), 1e6),
    **dict.fromkeys(("b", "bn", "mrd", "md"), 1e9),
    **dict.fromkeys(("t", "tn"), 1e12),
}
_SCALED = re.compile(rf"(?P<number>.*[0-9]\)?){_BLANK}?(?P<scale>[A-Za-z]{{1,3}})\.?(?P<rest>\)?)", re.DOTALL)
_CLEAR = frozenset(["k", "bn", "mn", "mln", "mio", "mrd", "tn", "tsd"])  # which are no units


@lru_cache(maxsize=256)
def _pattern(notation: Notation) -> re.Pattern[str]:
    """Return the pattern that every entry of a notation of numbers has."""
    decimal, group = re.escape(notation.style[0]), _GROUPS.get(notation.style[1:], "")
    whole = r"(?:0|[1-9][0-9]*" + (rf"|[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+)" if group else ")")
    number = rf"(?:{whole}(?:{decimal}[0-9]+)?|{decimal}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    before = rf"{re.escape(notation.before)}{_BLANK}?" if notation.before else ""
    after = _unit(notation.after)
    signed = rf"{_SIGN}?{before}{number}|{before}{_SIGN}{number}"
    return re.compile(
        rf"(?:{signed}|{number}-|\({before}{number}\)|{before}\({number}\)){after}|\({before}{number}{after}\)"
    )


def _unit(after: str) -> str:
    """Return the pattern of a unit, which may stand in the plural; a blank ahead of it is asked for, or may be."""
    name = after.strip(" ")
    plural = "s?" if len(name) > 1 and name.isalpha() else ""
    return f"{_BLANK}{'' if after.startswith(' ') else '?'}{re.escape(name)}{plural}" if name else ""


def _bare(notation: Notation, lines: str) -> str:
    """Return lines in a notation as Python writes their numbers."""
    if notation.before:
        lines = lines.replace(notation.before, "")
    if notation.after:
        lines = re.sub(rf"{_unit(notation.after)}(?=\)?$)", "", lines, flags=re.MULTILINE)
    decimal, group = notation.style[0], notation.style[1:]
    drop = _BLANKS + ")" + (_QUOTES if group == "'" else group)
    return lines.translate({**dict.fromkeys(map(ord, drop)), ord("("): "-", ord(MINUS): "-", ord(decimal): "."})


def is_padded(texts: Sequence[str]) -> bool:
    """Tell whether a text has zeros before its digits, as codes have and numbers have not."""
    return any(map(_PADDED.match, texts))


def number_notation(texts: Sequence[str], styles: Sequence[str] = STYLES) -> tuple[Notation, Array] | None:
    """Return the notation in which all of some different texts are numbers, and these numbers; None if there is none.

    `styles` are tried in turn: `COMMAS_FIRST` where a comma is more likely the decimal mark than not, `COMMAS_ONLY`
    where it is known to be.

    Examples
    --------
    >>> notation, numbers = number_notation(["€ 3,50", "€ 1.200,00"])
    >>> notation.style, notation.before, numbers.tolist()
    (',.', '€', [3.5, 1200.0])
    >>> number_notation(["3,750"])[1].item(), number_notation(["3,750", "1,5"])[1].tolist()
    (3750.0, [3.75, 1.5])
    >>> number_notation(["1.2.3"]), number_notation(["12 kg", "12 lb"])
    (None, None)
    """
    if not texts or len(texts[0]) > _LONGEST:
        return None
    return _in_one_unit(texts, styles) or _in_scales(texts, styles)


def _in_scales(texts: Sequence[str], styles: Sequence[str]) -> tuple[Notation, Array] | None:
    """Return the notation of numbers of which some are thousands or millions: 950, 1.2k and 3.4M."""
    plain, scales = _unscaled(texts)
    met = set(scales)
    if met == {""} or not met <= {"", *_SCALES}:
        return None
    inner = _in_one_unit(plain, styles)
    if inner is None or (notation := inner[0]).after:
        return None
    few = len({_SCALES.get(scale, 1.0) for scale in met - {""}}) == 1
    parted = any(notation.style[0] in text for text in plain)  # 1.2k are thousands, 18k may be karats
    if few and not notation.before and not (met & _CLEAR and (parted or "" in met or met & _CLEAR - {"k"})):
        return None
    found = Notation("scaled", notation.style, notation.before)
    numbers = found.numbers(texts)
    return None if numbers is None else (found, numbers)


def _unscaled(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return texts without the scales at their ends, and these in small letters, "" where there is none."""
    plain, scales = list(texts), [""] * len(texts)
    for place, text in enumerate(texts):
        if (match := _SCALED.fullmatch(text)) and match["scale"].casefold() in _SCALES:
            plain[place], scales[place] = match["number"] + match["rest"], match["scale"].casefold()
    return plain, scales


def _scaled(notation: Notation, texts: Sequence[str]) -> Array | None:
    plain, scales = _unscaled(texts)
    numbers = Notation("number", notation.style, notation.before).numbers(plain)
    return None if numbers is None else numbers * np.array([_SCALES.get(scale, 1.0) for scale in scales])


def _in_one_unit(texts: Sequence[str], styles: Sequence[str]) -> tuple[Notation, Array] | None:
    found = _LOOSE.fullmatch(texts[0])
    if found is None:
        return None
    before, after = found["before"] or "", _after(found)
    for style in styles:
        notation = Notation("number", style, before, after)
        numbers = notation.numbers(texts)
        if numbers is not None and (styles is COMMAS_ONLY or _borne_out(notation, texts)):
            return notation, numbers
    return None


def _after(found: re.Match[str]) -> str:
    """Return the unit of an entry in the singular, with a blank ahead where only that tells it from part of a code."""
    unit = found["after"] or ""
    if not unit:
        return ""
    known = unit in _KNOWN or bool(found["before"]) or not unit[0].isalpha()
    singular = unit[:-1] if len(unit) > 2 and unit.endswith("s") and unit.isalpha() else unit
    return singular if known else f" {singular}"


def _borne_out(notation: Notation, texts: Sequence[str]) -> bool:
    """Tell whether more than the look of single entries speaks for a notation: codes look like numbers, too."""
    decimal, group = notation.style[0], notation.style[1:]
    named = bool(notation.before or notation.after)
    if not named and any("(" in text for text in texts) and all("(" in text for text in texts):
        return False
    if not named and any(text.endswith("-") for text in texts) and not any(decimal in text for text in texts):
        return False  # grades and the like, such as 3-
    if not named and all(text.endswith("-") for text in texts):
        return False
    if named or group not in (".", " "):
        return True
    every = "".join(texts)
    if decimal in every or any(blank in every for blank in _BLANKS[1:]):
        return True
    return len({len(re.findall(_GROUPS[group], text)) for text in texts}) > 1


def could_have_decimal_commas(notation: Notation, texts: Sequence[str]) -> bool:
    """Tell whether commas that were taken to stand between thousands could stand before decimals, too."""
    if notation.kind != "number" or notation.style != ".,":
        return False
    other = Notation("number", ",", notation.before, notation.after)
    return any("," in text for text in texts) and other.numbers(texts) is not None
