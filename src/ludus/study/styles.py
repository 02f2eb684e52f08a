"""The styles of curves: a label has the same colour and the same kind of line in all panels.

Labels that differ only in a number, like `alpha 0.01` and `alpha 0.1`, are a series, coloured from dark to light in
order. A second number, as in `alpha 0.1, ratio 10`, sets the kind of line, a third its width.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)")
SERIES = 3  # the fewest numbers that make a series
MANY = 16  # with more labels than this, the legend has each number once
#: The colours of Okabe and Ito, safe for the colour-blind, without yellow, which is too pale on white.
NAMED = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BESIDE_SERIES = ("#000000", "#D55E00", "#CC79A7", "#E69F00", "#56B4E9", "#0072B2", "#009E73")  # unlike its map first
LINES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.3, 1.3)), (0, (6, 1.5, 1.3, 1.5)), (0, (2.6, 1.3)), (0, (10, 2)))
WIDTHS = (1.0, 1.8, 0.5, 2.6)
#: Colour maps of matplotlib, from where to where; the rest is too pale on white.
ALONE = (("viridis", 0.0, 0.84),)
SEVERAL = (("Blues", 1.0, 0.45), ("Oranges", 1.0, 0.4), ("Purples", 1.0, 0.5), ("Greys", 1.0, 0.45))
GREY = "#666666"


class Style(NamedTuple):
    color: str
    line: Any = "-"
    width: float = 1.0  # a factor


class Number(NamedTuple):
    """A number in a label."""

    words: str  # the text around the number; the first number also has all parts without one
    value: float
    text: str


def numbers(label: str) -> list[Number]:
    """`nesterov, rate 0.1` has one, and so has `N = 10`; `GTD2` has none."""
    parts = label.split(", ")
    named = [part for part in parts if len(NUMBER.findall(part)) != 1]
    found = []
    for part in (part for part in parts if part not in named):
        text = part if found else ", ".join([*named, part])
        found.append(Number(NUMBER.sub("#", text), float(NUMBER.findall(part)[0]), text))
    return found


def styles(labels: Sequence[str]) -> tuple[dict[str, Style], dict[str, Style]]:
    """The style of each label, and the entries of the legend: the labels or, if they are many, each number once."""
    known = {label: numbers(label) for label in labels}
    tried: dict[str, list[float]] = {}  # all values of each number, in order
    for number in sorted((number for found in known.values() for number in found), key=lambda number: number.value):
        if number.value not in tried.setdefault(number.words, []):
            tried[number.words].append(number.value)
    series = list(dict.fromkeys(found[0].words for found in known.values() if found))
    series = [words for words in series if len(tried[words]) >= SERIES]
    maps, names = ALONE if len(series) == 1 else SEVERAL, BESIDE_SERIES if series else NAMED
    made: dict[str, Style] = {}
    entries: dict[str, tuple[Any, Style]] = {}  # with their sort keys
    singles = 0
    bare = {found[0].words for found in known.values() if len(found) == 1}  # without a second number: solid lines
    for label, found in known.items():
        if not found or found[0].words not in series:
            made[label] = Style(names[singles % len(names)], LINES[singles // len(names) % len(LINES)])
            entries[label] = (3, singles), made[label]
            singles += 1
            continue
        again, which = divmod(series.index(found[0].words), len(maps))
        places = [tried[number.words].index(number.value) for number in found]
        color = _color(*maps[which], places[0] / (len(tried[found[0].words]) - 1))
        line = LINES[(places[1] + (found[0].words in bare) if len(found) > 1 else again) % len(LINES)]
        width = WIDTHS[places[2] % len(WIDTHS)] if len(found) > 2 else 1.0
        made[label] = Style(color, line, width)
        ways = (Style(color), Style(GREY, line), Style(GREY, width=width))
        for place, (number, way) in enumerate(zip(found, ways, strict=False)):
            entries[number.text] = (place, number.words, number.value), way
    if len(made) <= MANY:
        return made, made
    return made, {text: way for text, (_, way) in sorted(entries.items(), key=lambda entry: entry[1][0])}


def _color(name: str, begin: float, end: float, place: float) -> str:
    from matplotlib import colormaps

    red, green, blue, _ = colormaps[name](begin + (end - begin) * place, bytes=True)
    return f"#{red:02x}{green:02x}{blue:02x}"
