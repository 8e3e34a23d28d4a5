"""Colours, by day and by night, as the variables that the style sheet uses.

Groups have eight colours that stay apart with every kind of colour vision, and shapes besides. Values have a ramp whose
lightness climbs in equal steps of OKLab, from what is near the paper to what is far from it, so that equal differences
look equal; the hue turns on the way, which tells levels of close lightness apart. Letters in a cell are black or white,
whichever stands out more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

LEVELS = 24


@dataclass(frozen=True)
class Theme:
    """One set of colours: paper and ink, the accent, the groups, and the two ends of the ramp (lightness, hue)."""

    paper: str
    raised: str
    ink: str
    muted: str
    rule: str
    axis: str
    accent: str
    wash: str
    bar: str
    groups: tuple[str, ...]
    ends: tuple[tuple[float, float], tuple[float, float]]

    @cached_property
    def ramp(self) -> tuple[str, ...]:
        """The sequential colours, from the lowest value to the highest."""
        (dim, hue), (bright, last) = self.ends
        shares = [k / (LEVELS - 1) for k in range(LEVELS)]
        return tuple(
            oklch(dim + (bright - dim) * t, 0.045 + 0.07 * math.sin(math.pi * (0.15 + 0.7 * t)), hue + (last - hue) * t)
            for t in shares
        )

    def variables(self) -> str:
        """Return the declarations of a style sheet."""
        plain = {name: getattr(self, name) for name in ("paper", "raised", "ink", "muted", "rule", "axis")}
        plain |= {"accent": self.accent, "wash": self.wash, "bar": self.bar, "cn": self.muted}
        plain |= {f"c{k}": color for k, color in enumerate(self.groups)}
        plain |= {f"v{k}": color for k, color in enumerate(self.ramp)}
        plain |= {f"t{k}": letters_on(color) for k, color in enumerate(self.ramp)}
        return "".join(f"--{name}:{color};" for name, color in plain.items())


def style() -> str:
    """Return the rules that choose a theme: the reader's, unless the page was switched; in print the light one."""
    classes = "".join(f".c{k}{{--mark:var(--c{k})}}" for k in (*range(len(LIGHT.groups)), "n"))
    classes += "".join(f".v{k}{{--mark:var(--v{k})}}.t{k}{{--letters:var(--t{k})}}" for k in range(LEVELS))
    day, night = LIGHT.variables(), DARK.variables()
    show = ".by-night{display:none}"
    swap = ".by-day{display:none}.by-night{display:inline}"
    dark = f":root{{color-scheme:dark;{night}}}{swap}"
    return (
        f":root{{color-scheme:light;{day}}}{show}{classes}"
        f"@media screen and (prefers-color-scheme:dark){{{_under(dark, ':root:not([data-theme=light])')}}}"
        f"@media screen{{{_under(dark, ':root[data-theme=dark]')}}}"
    )


def _under(rules: str, root: str) -> str:
    return rules.replace(":root", root).replace(".by-", f"{root} .by-")


def level(value: float, low: float, high: float) -> int:
    """Return the step of the ramp for a value between low and high; the middle where all values are equal.

    Examples
    --------
    >>> level(0.0, 0.0, 1.0), level(1.0, 0.0, 1.0), level(3.0, 3.0, 3.0)
    (0, 23, 12)
    """
    if not high > low:
        return LEVELS // 2
    return min(LEVELS - 1, max(0, int(LEVELS * (value - low) / (high - low))))


def luminance(color: str) -> float:
    """Return the relative luminance of a colour, between 0 and 1."""
    red, green, blue = (_linear(int(color[k : k + 2], 16) / 255) for k in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, between 1 and 21.

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def letters_on(color: str) -> str:
    """Return black or white, whichever is read better on this colour; the contrast is at least 4.5."""
    return max("#000000", "#ffffff", key=lambda letters: contrast(letters, color))


def oklch(lightness: float, chroma: float, hue: float) -> str:
    """Return a colour of OKLab, less vivid where the screen cannot show it.

    Examples
    --------
    >>> oklch(1.0, 0.0, 0.0), oklch(0.0, 0.0, 0.0)
    ('#ffffff', '#000000')
    """
    angle = math.radians(hue)
    a, b = chroma * math.cos(angle), chroma * math.sin(angle)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    if chroma > 1e-3 and not all(-1e-4 <= part <= 1 + 1e-4 for part in linear):
        return oklch(lightness, 0.9 * chroma, hue)
    return "#" + "".join(f"{round(255 * _curved(min(max(part, 0.0), 1.0))):02x}" for part in linear)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _curved(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * float(part ** (1 / 2.4)) - 0.055


LIGHT = Theme(
    paper="#fdfcf9",
    raised="#ffffff",
    ink="#1d1b18",
    muted="#625d55",
    rule="#e6e1d8",
    axis="#8d867b",
    accent="#a83c14",
    wash="#f8efe8",
    bar="#77848f",
    groups=("#0a309c", "#b32e16", "#669984", "#bf7c03", "#9e5fde", "#057094", "#820155", "#50190d"),
    ends=((0.94, 100.0), (0.32, 285.0)),
)
DARK = Theme(
    paper="#171614",
    raised="#201e1b",
    ink="#ece8e1",
    muted="#a9a297",
    rule="#37332e",
    axis="#7d766b",
    accent="#f09a6f",
    wash="#2b211b",
    bar="#8694a1",
    groups=("#1e6bdd", "#c8321e", "#b9eebb", "#cd8400", "#9b8afb", "#5acefe", "#9e5b93", "#dba8ac"),
    ends=((0.27, 285.0), (0.93, 100.0)),
)
