"""Learning curves of runs: strength and loss over games, from their metrics, as text and as a picture."""

from __future__ import annotations

import bisect
import io
import itertools
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus.core.text import shown
from ludus.errors import BadInput
from ludus.runs.run_info import read_metrics

MARKS = "*o+x#@%&"
HEIGHT = 12  # rows of a panel on a terminal
STEEP = 100.0  # a panel whose values span a larger factor has a logarithmic axis


@dataclass
class Panel:
    """One measure over games, for some runs."""

    title: str
    curves: dict[str, list[tuple[int, float]]] = field(default_factory=dict)  # by run: games and value

    @property
    def values(self) -> list[float]:
        return [value for points in self.curves.values() for _, value in points]

    @property
    def steep(self) -> bool:
        return min(self.values) > 0 and max(self.values) / min(self.values) > STEEP

    def to_json(self) -> dict[str, Any]:
        return {"measure": self.title, "curves": {run: [list(point) for point in c] for run, c in self.curves.items()}}


def strength(row: Mapping[str, Any]) -> tuple[str, Any]:
    """A report's measure of strength and its value, mostly in per cent: exact where possible, else by games."""
    if "value_preserving" in row and row.get("positions"):
        return "positions held, %", _percent(row["value_preserving"], row["positions"])
    if "explored_to_floor" in row:
        return "explored / floor", row["explored_to_floor"]
    if "held" in row:
        return "won positions held, %", _percent(row["held"])
    return ("score against random, %" if "against" in row else "puzzles solved, %"), _percent(row.get("score"))


def _percent(value: Any, whole: Any = 1) -> float | None:
    return 100 * value / whole if _is_number(value) and _is_number(whole) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def panels_of(runs: Sequence[Path]) -> list[Panel]:
    """The panels of these runs: one for each measure of strength, and one for the loss. Empty ones are left out."""
    found: dict[str, Panel] = {}
    loss = Panel("loss")
    for run in runs:
        for row in read_metrics(run):
            games = row.get("games")
            if type(games) is not int:
                raise BadInput(f"the metrics of '{run}' are damaged: a line has no number of games.")
            title, value = strength(row)
            number: Any
            for panel, number in ((found.setdefault(title, Panel(title)), value), (loss, row.get("loss"))):
                if _is_number(number):
                    panel.curves.setdefault(str(run), []).append((games, float(number)))
    return [panel for panel in (*found.values(), loss) if panel.curves]


# --- as text ----------------------------------------------------------------------------------------------------


def marks_of(panels: Sequence[Panel]) -> dict[str, str]:
    """The character for each run."""
    runs = dict.fromkeys(run for panel in panels for run in panel.curves)
    return dict(zip(runs, itertools.cycle(MARKS), strict=False))


def text(panel: Panel, width: int, marks: Mapping[str, str], height: int = HEIGHT) -> list[str]:
    """A panel in plain characters, at most `width` wide."""
    scale = math.log10 if panel.steep else float
    bottom, top = min(panel.values), max(panel.values)
    low, high = scale(bottom), scale(top)
    if high - low < 1e-9:  # a constant curve is drawn in the middle
        low, high = low - 0.5, high + 0.5
    games = [at for points in panel.curves.values() for at, _ in points]
    left, right = (min(games), max(games)) if len(set(games)) > 1 else (0, max(*games, 1))
    unscale = (lambda y: 10**y) if panel.steep else float
    labels = {row: f"{unscale(high - (high - low) * row / (height - 1)):.4g}" for row in (0, height // 2, height - 1)}
    margin = max(map(len, labels.values()))
    columns = max(width - margin - 3, 10)
    canvas = [[" "] * columns for _ in range(height)]
    for run, points in panel.curves.items():
        before = None
        for column in range(columns):
            value = _at(points, left + (right - left) * column / (columns - 1), (right - left) / (columns - 1) / 2)
            row = None
            if value is not None:
                value = min(max(value, bottom), top)  # interpolation may round beyond the range
                row = round((high - scale(value)) / (high - low) * (height - 1))
                start = row if before is None else before + (row > before) - (row < before)
                for filled in range(min(start, row), max(start, row) + 1):
                    canvas[filled][column] = marks[run]
            before = row
    ends = f"{left:,}", f"{right:,} games"
    gap = columns - len("".join(ends))
    axis = (ends[0] + " " * gap if gap > 0 else "") + ends[1]
    return [
        panel.title + (" (logarithmic)" if panel.steep else ""),
        *(f"{labels.get(row, ''):>{margin}} |{''.join(line).rstrip()}" for row, line in enumerate(canvas)),
        " " * (margin + 1) + "+" + "-" * columns,
        " " * (margin + 2) + axis,
    ]


def _at(points: list[tuple[int, float]], x: float, reach: float) -> float | None:
    """The curve at `x`, by linear interpolation; None beyond its ends."""
    place = bisect.bisect_left(points, x, key=lambda point: point[0])
    if place == len(points) or (place == 0 and points[0][0] > x + reach):
        return points[-1][1] if place and points[-1][0] >= x - reach else None
    if place == 0:
        return points[0][1]
    (x0, y0), (x1, y1) = points[place - 1 : place + 1]
    return y1 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)


# --- as a picture -----------------------------------------------------------------------------------------------


def svg(panels: Sequence[Panel], title: str) -> bytes:
    """The panels one above the other. The same curves give the same bytes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import StrMethodFormatter

    runs = list(dict.fromkeys(run for panel in panels for run in panel.curves))
    figure = Figure(figsize=(7, 2.6 * len(panels) + 0.6), layout="constrained")
    axes = figure.subplots(len(panels), 1, squeeze=False, sharex=True)[:, 0]
    for at, panel in zip(axes, panels, strict=True):
        for run, points in panel.curves.items():
            x, y = zip(*points, strict=True)
            marker = "." if len(points) < 30 else None
            at.plot(x, y, label=_label(run), color=f"C{runs.index(run) % 10}", linewidth=1.2, marker=marker)
        at.set_ylabel(panel.title)
        at.grid(alpha=0.3)
        at.set_xlim(left=0)
        if panel.steep:
            at.set_yscale("log")
    axes[-1].set_xlabel("games of self-play")
    axes[-1].xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if len(runs) > 1:
        axes[0].legend(fontsize=8)
    figure.suptitle(_label(title), fontsize=11)
    into = io.BytesIO()
    # A folder may have any name: dollar signs are not formulas, and letters that the font lacks give no warning.
    with rc_context({"svg.hashsalt": "ludus", "text.parse_math": False}), warnings.catch_warnings(action="ignore"):
        figure.savefig(into, format="svg", metadata={"Date": None})
    return into.getvalue()


def _label(text: str) -> str:
    """A folder's name as XML can write it. A leading underscore is removed: it would hide the entry from the legend."""
    return shown(text).removeprefix("_")
