"""A figure as a picture: a column for each panel, a row for each measure; all seeds, their mean and its interval."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from ludus.runs.files import write_file
from ludus.study.data import Data, Runs
from ludus.study.layout import SMALL, TEXT, Layout
from ludus.study.statistics import LEVEL, intervals
from ludus.study.study import Axis
from ludus.study.styles import GREY, Style, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

References = Mapping[str, Sequence[tuple[float, str]]]

CROWD = 12  # with more curves than this in a panel, only the means are drawn
FLOOR = 1e-4  # the lowest value of a logarithmic scale; smaller ones are drawn here
AIR = 0.04  # a margin, so that no curve lies on the frame

LOOK: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": TEXT,
    "axes.titlesize": TEXT,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "axes.edgecolor": "0.6",
    "xtick.color": "0.6",
    "ytick.color": "0.6",
    "xtick.labelcolor": "0.2",
    "ytick.labelcolor": "0.2",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.92",
    "path.simplify_threshold": 0.2,
    "svg.fonttype": "none",  # text stays text: smaller, and it can be searched
}


def draw(
    data: Data,
    path: Path,
    title: str,
    unit: str,
    measures: Sequence[str],
    words: Mapping[str, Axis],
    references: References | None = None,
) -> None:
    """Write the picture; the same data give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plotted = functools.partial(plot, data, title, unit, measures, words, references or {})
    write_file(path, as_svg(title, plotted).encode())


def as_svg(title: str, make: Callable[[], Figure]) -> str:
    """A figure in the study's look as an SVG document."""
    from matplotlib import style

    made = io.BytesIO()
    with style.context(["default", LOOK | {"svg.hashsalt": title}]):
        make().savefig(made, format="svg", metadata={"Date": None, "Creator": None, "Title": title})
    return _tidied(made.getvalue().decode())


def _tidied(svg: str) -> str:
    """Half the size: fewer digits and spaces, no groups of one. And fallback fonts."""

    def shorter(path: re.Match[str]) -> str:
        rounded = re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), path[0])
        return re.sub(r"\s*([MLCQz]|$)\s*", r"\1", rounded)

    svg = re.sub(r'(?<= d=")[^"]*', shorter, svg)
    svg = re.sub(r"\n\s+", "\n", svg)
    svg = re.sub(r'<g id="\w+">\n(<path [^>]*/>)\n</g>', r"\1", svg)
    return svg.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")


def plot(
    data: Data, title: str, unit: str, measures: Sequence[str], words: Mapping[str, Axis], references: References
) -> Figure:
    from matplotlib.figure import Figure

    panels = data.panels() or {"": []}
    levels = {word: [*words[word].lines(data), *references.get(word, ())] for word in measures}
    look, entries = styles(list(dict.fromkeys(runs.label for runs in data.curves)))
    page = Layout.of(list(panels), len(measures), list(entries), [said for some in levels.values() for _, said in some])
    figure = Figure(page.size)
    last = max([1, *(int(runs.steps[-1]) for runs in data.curves)])
    for row, word in enumerate(measures):
        axis, measure = words[word], words[word].of or word
        drawn = {id(runs): _drawn(runs.measured[measure], axis) for runs in data.curves if measure in runs.measured}
        limits = _limits([*drawn.values(), np.array([level for level, _ in levels[word]])], axis)
        for number, curves in enumerate(panels.values()):
            at = page.axes(figure, number, row)
            _scale(at, axis, limits, last, page)
            mine = [runs for runs in curves if id(runs) in drawn]
            for runs in mine:
                _curve(at, runs, drawn[id(runs)], axis, look[runs.label], crowded=len(mine) > CROWD)
            if not mine:
                at.text(0.5, 0.5, "not measured", transform=at.transAxes, ha="center", va="center", color=GREY)
            for level, _ in levels[word]:
                at.axhline(level, color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=2.5, label="_level")
            if page.is_first(number):
                page.label(at, axis.label)
            if page.is_last(number):
                page.say(at, levels[word])
    page.around(figure, title, _caption(data), f"{unit} of self-play", entries)
    return figure


def _caption(data: Data) -> str:
    """How to read the picture."""
    counts = {len(runs.seeds) for runs in data.curves}
    if counts == {1}:
        return "a single seed"
    of = f"of {counts.pop()} seeds" if len(counts) == 1 else "over seeds"
    said = f"mean {of} with its {100 * LEVEL:g}% interval; a thin line is a seed"
    if any(len(curves) > CROWD for curves in data.panels().values()):
        said += f"; of more than {CROWD} curves in a panel, the means alone"
    return said


# --- a panel ----------------------------------------------------------------------------------------------------------


def _drawn(values: Float[np.ndarray, "S P"], axis: Axis) -> Float[np.ndarray, "S P"]:
    """The values in the axis's units; NaN where they are not finite."""
    values = np.where(np.isfinite(values), values, np.nan)
    return axis.factor * (values if axis.log_below is None else axis.log_below - values)


def _shown(values: Any, axis: Axis) -> Any:
    """Where the values are drawn: on a logarithmic scale, not below its floor."""
    return values if axis.log_below is None else np.maximum(values, FLOOR * axis.factor)


def _curve(at: Axes, runs: Runs, values: Float[np.ndarray, "S P"], axis: Axis, style: Style, crowded: bool) -> None:
    mean = values.mean(axis=0)  # only where every seed has a value
    whole = np.isfinite(mean)
    if not crowded:
        # One line with gaps for all seeds: a line for each would double the file.
        steps = np.tile(np.append(runs.steps, np.nan), len(values))
        seeds = np.pad(_shown(values, axis), ((0, 0), (0, 1)), constant_values=np.nan).ravel()
        at.plot(steps, seeds, color=style.color, alpha=0.35, linewidth=0.6, zorder=2, label=f"_{runs.label}")
    if not crowded and len(values) > 1 and whole.any():
        low, high = np.full_like(mean, np.nan), np.full_like(mean, np.nan)
        low[whole], high[whole] = intervals(values[:, whole])
        low, high = _shown(low, axis), _shown(high, axis)
        at.fill_between(runs.steps, low, high, color=style.color, alpha=0.13, linewidth=0, zorder=1.2)
    at.plot(
        runs.steps,
        _shown(mean, axis),
        label=runs.label,
        color=style.color,
        linestyle=style.line,
        linewidth=(0.9 if crowded else 1.9) * style.width,
        solid_capstyle="round",
        zorder=3,
        marker="o",
        markersize=3,
        markevery=[0] if runs.steps[0] == 0 and not crowded else [],  # before learning
    )


def _limits(values: Sequence[np.ndarray], axis: Axis) -> tuple[float, float]:
    """The range of all that is shown, within the possible values, with a margin."""
    known = np.concatenate([_shown(some, axis).ravel() for some in values])
    known = np.clip(known[np.isfinite(known)], *axis.bounds)
    if axis.log_below is not None:
        low, high = (known.min(), known.max()) if known.size else (FLOOR * axis.factor, axis.factor)
        high = max(high, 10 * low)
        return low / (high / low) ** AIR, high * (high / low) ** AIR
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if high - low < 1e-9:
        around = 0.05 * abs(high) or 0.5
        low, high = max(low - around, axis.bounds[0]), min(high + around, axis.bounds[1])
    return low - AIR * (high - low), high + AIR * (high - low)


def _scale(at: Axes, axis: Axis, limits: tuple[float, float], last: int, page: Layout) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

    at.set_xlim(-0.02 * last, 1.02 * last)
    at.xaxis.set_major_locator(MaxNLocator(3 if page.width < 2.5 else 6, steps=[1, 2, 2.5, 5, 10]))
    at.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / 1000:g}k" if x >= 1000 else f"{x:g}"))
    at.grid(visible=False, axis="x")
    if axis.log_below is None:
        at.set_ylim(*limits)
        at.yaxis.set_major_locator(MaxNLocator(4 if page.height < 2 else 7, steps=[1, 2, 2.5, 5, 10]))
        return
    floor = FLOOR * axis.factor
    at.set_yscale("log")
    at.set_ylim(*limits)
    powers = 10.0 ** np.arange(-12, 13)
    marks = powers if limits[1] / limits[0] > 100 else np.outer(powers, (1, 2, 5)).ravel()
    at.yaxis.set_major_locator(FixedLocator([mark for mark in marks.tolist() if limits[0] <= mark <= limits[1]]))
    at.yaxis.set_minor_locator(NullLocator())
    at.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{'≤' if y < 1.01 * floor else ''}{y:.12g}"))
