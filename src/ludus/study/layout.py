"""The layout of a picture: blocks of panels side by side, in each block one measure below the other, and one legend.

All sizes are in inches. We place everything ourselves: matplotlib's own layout takes seconds for the panels of a trial.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ludus.study.styles import GREY, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAGE, COLUMNS = 12.0, 6  # the greatest width, and the most panels side by side
LEFT, RIGHT, TOP, BOTTOM = 1.0, 0.2, 0.62, 0.5  # around the panels
BESIDE, BELOW = 0.22, 0.16  # between two
TEXT, SMALL, LINE = 10, 9, 0.2  # two font sizes in points, and the height of a line
WIDE, HIGH, LOW = 5.4, 3.0, 1.3  # of a panel: the greatest width and height, and the least height


def inches(text: str, size: float = TEXT) -> float:
    """The approximate width of a text."""
    return 0.56 * size / 72 * len(text)


def wrapped(text: str, room: float) -> str:
    """The text in as few lines as fit, all about equally long."""
    most = max(8, int(room / inches("n")))
    count = len(textwrap.wrap(text, most, break_long_words=False))
    lines = (textwrap.wrap(text, width, break_long_words=False) for width in range(1, most + 1))
    return "\n".join(next(some for some in lines if len(some) == count))


def remark(text: str) -> str:
    """A text for the right end of a line."""
    return wrapped(text, 1.0)


@dataclass(frozen=True)
class Layout:
    titles: tuple[str, ...]  # of the panels
    measures: int
    columns: int
    width: float  # of a panel
    height: float
    legend_columns: int
    legend_rows: int
    aside: float  # the width of a legend on the right; 0 if it is below
    margin: float  # the width of the texts at the right ends of lines

    @classmethod
    def of(cls, panels: Sequence[str], measures: int, entries: Sequence[str], said: Sequence[str] = ()) -> Layout:
        blocks = math.ceil(len(panels) / COLUMNS)
        columns = math.ceil(len(panels) / blocks)
        entry = 0.6 + max(map(inches, entries), default=0)
        aside = 0.15 + entry if columns <= 2 and len(entries) * LINE < HIGH * measures else 0
        margin = max((inches(line, SMALL) for text in said for line in remark(text).splitlines()), default=0)
        width = min((PAGE - LEFT - RIGHT - margin - aside - (columns - 1) * BESIDE) / columns, WIDE)
        height = min(max(0.62 * width, LOW if blocks > 2 else 1.8), HIGH)
        rows = 1 if aside else math.ceil(len(entries) * entry / (columns * (width + BESIDE)))
        titles = tuple(wrapped(title, width) for title in panels)
        across = math.ceil(len(entries) / max(rows, 1))
        return cls(titles, measures, columns, width, height, across, rows, aside, margin)

    @property
    def head(self) -> float:
        """The height of a block's titles."""
        return 0.1 + LINE * max(title.count("\n") + bool(title) for title in self.titles)

    @property
    def blocks(self) -> int:
        return math.ceil(len(self.titles) / self.columns)

    @property
    def block(self) -> float:
        """The height of a block."""
        return self.head + self.measures * (self.height + BELOW)

    @property
    def panels_width(self) -> float:
        return self.columns * (self.width + BESIDE) - BESIDE

    @property
    def size(self) -> tuple[float, float]:
        height = TOP + self.blocks * self.block + BOTTOM + (0 if self.aside else 0.1 + self.legend_rows * LINE)
        return LEFT + self.panels_width + self.margin + RIGHT + self.aside, height

    def at(self, right: float, down: float) -> tuple[float, float]:
        """A place as fractions of the picture's size."""
        return right / self.size[0], 1 - down / self.size[1]

    def axes(self, figure: Figure, panel: int, row: int) -> Axes:
        block, column = divmod(panel, self.columns)
        down = TOP + block * self.block + self.head + row * (self.height + BELOW)
        left, bottom = self.at(LEFT + column * (self.width + BESIDE), down + self.height)
        made = figure.add_axes((left, bottom, self.width / self.size[0], self.height / self.size[1]))
        if row == 0:
            made.set_title(self.titles[panel], pad=5)
        lowest = row == self.measures - 1 and panel + self.columns >= len(self.titles)
        made.tick_params(labelbottom=lowest, labelleft=self.is_first(panel))
        return made

    def is_first(self, panel: int) -> bool:
        """Whether the panel is the first of its row."""
        return panel % self.columns == 0

    def is_last(self, panel: int) -> bool:
        return self.is_first(panel + 1) or panel == len(self.titles) - 1

    def say(self, at: Axes, levels: Sequence[tuple[float, str]]) -> None:
        """Name the level lines at their right ends, beside the curves; the texts do not overlap."""
        free = -math.inf
        for level, said in sorted(levels):
            text = remark(said)
            high = LINE * (text.count("\n") + 1) / self.height
            middle = max((at.transScale + at.transLimits).transform((0, level))[1], free + high / 2)
            at.text(1.01, middle, text, transform=at.transAxes, va="center", fontsize=SMALL, color=GREY)
            free = middle + high / 2

    def label(self, at: Axes, text: str) -> None:
        at.set_ylabel(wrapped(text, self.height + BELOW), linespacing=1.1, multialignment="center")
        at.yaxis.set_label_coords(-0.64 / self.width, 0.5)

    def around(self, figure: Figure, title: str, caption: str, below: str, entries: Mapping[str, Style]) -> None:
        from matplotlib.lines import Line2D

        figure.text(*self.at(0.15, 0.1), title, fontsize=TEXT + 2, fontweight="bold", va="top")
        figure.text(*self.at(0.15, 0.35), caption, fontsize=SMALL, color=GREY, va="top")
        middle, bottom = LEFT + self.panels_width / 2, TOP + self.blocks * self.block
        figure.text(*self.at(middle, bottom + 0.16), below, ha="center", va="top")
        beside = LEFT + self.panels_width + self.margin + 0.2, TOP + self.head
        figure.legend(
            [Line2D([], [], color=s.color, linestyle=s.line, linewidth=2 * s.width) for s in entries.values()],
            list(entries),
            loc="upper left" if self.aside else "upper center",
            bbox_to_anchor=self.at(*(beside if self.aside else (middle, bottom + BOTTOM))),
            ncols=1 if self.aside else self.legend_columns,
            frameon=False,
            borderaxespad=0,
            borderpad=0,
            handlelength=2.6,
            labelspacing=0.35,
            columnspacing=1.6,
        )
