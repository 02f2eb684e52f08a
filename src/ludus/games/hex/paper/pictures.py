"""The pictures of Hex's figures that gather the curves of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ludus.games.hex.paper.blind import WORDS, arms_of, levels
from ludus.games.hex.paper.bounds import counts_by_bound
from ludus.games.hex.paper.figures import STUDY, backups_of
from ludus.games.hex.paper.taught import curves_by_step
from ludus.games.hex.paper.verdicts import lives
from ludus.study.data import Data
from ludus.study.layout import SMALL, TEXT
from ludus.study.pictures import as_svg
from ludus.study.styles import GREY, NAMED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DASHED = (0, (4, 3))


def every_arm(data: Data) -> str:
    """Each arm's mean over its seeds and their range, in order, with the lines of players that see nothing."""
    title = "Hex, blind. Every arm by self-play, and players that see nothing"
    backups = backups_of(STUDY.figures)

    def plot() -> Figure:
        page = _page(title, "an arm's mean over seeds, and their range; grey: fewer than 8 in 10 networks alive", 12)
        page.subplots_adjust(left=0.06, right=0.83, wspace=0.08)
        arms = {words: arms_of(data, backups, backup) for backup, words in WORDS.items()}
        wide = [max(1, len(each)) ** 0.5 for each in arms.values()]
        panels = page.subplots(1, 2, sharey=True, width_ratios=wide)
        for at, (words, mine) in zip(panels, arms.items(), strict=True):
            for place, runs in enumerate(sorted(mine, key=lambda runs: np.mean(runs.end("held")))):
                ends, color = 100 * np.array(runs.end("held")), NAMED[0] if lives(runs) else "0.65"
                at.plot([place, place], [ends.min(), ends.max()], color=color, linewidth=0.8, alpha=0.45)
                at.plot(place, ends.mean(), "o", color=color, markersize=3)
            at.set_title(f"{words}, {len(mine)} arms", pad=5)
            at.set_xticks([])
            for level, _ in levels(data):
                at.axhline(level, color=GREY, linewidth=1, linestyle=DASHED, zorder=2.5)
        for level, said in levels(data):
            panels[-1].annotate(said, (1.02, level), xycoords=("axes fraction", "data"), va="center", color=GREY)
        panels[0].set_ylabel("won positions held, %")
        return page

    return as_svg(title, plot)


def by_step(data: Data) -> str:
    """What pre-trained networks say and hold in the end, by step; and what they held at move 0."""
    title = "Hex, taught-steps. Steps after pre-training"

    def plot() -> Figure:
        page = _page(title, "mean of the trial's seeds in the end; a dot is a seed", 9)
        page.subplots_adjust(left=0.08, right=0.78, wspace=0.3)
        panels = page.subplots(1, 2)
        for color, (name, curves) in zip(NAMED, curves_by_step(data).items(), strict=False):
            steps = [float(runs.label.rpartition(" ")[2]) for runs in curves]
            for at, (measure, factor) in zip(panels, (("value", 1), ("held", 100)), strict=True):
                ends = factor * np.array([runs.end(measure) for runs in curves])
                at.plot(steps, ends.mean(axis=1), color=color, label=name)
                at.plot(steps, ends, ".", color=color, markersize=4)
        for at, said in zip(panels, ("value of the moves made", "won positions held, %"), strict=True):
            at.set_xscale("log")
            at.set_xlabel("alpha")
            at.set_title(said, pad=5)
        begun = [100 * np.mean(runs.at("held", 0)) for curves in curves_by_step(data).values() for runs in curves[:1]]
        for level, said in (*levels(data), *((level, "at move 0") for level in begun[:1])):
            panels[1].axhline(level, color=GREY, linewidth=1, linestyle=DASHED, zorder=2.5)
            panels[1].annotate(said, (1.02, level), xycoords=("axes fraction", "data"), va="center", color=GREY)
        panels[0].legend(frameon=False, loc="lower left")
        return page

    return as_svg(title, plot)


def bounds(data: Data) -> str:
    """How many of GTD2's networks live within a bound on the weights' norm, and without, at the same settings."""
    title = "Hex, bounds. A bound on GTD2's weights"

    def plot() -> Figure:
        page = _page(title, "networks of the trial that live in the end", 6)
        page.subplots_adjust(left=0.12, right=0.97)
        at = page.subplots()
        found = counts_by_bound(data)
        for place, (_, within, without) in enumerate(found):
            for side, (alive, color) in enumerate(((within, NAMED[0]), (without, "0.65"))):
                living = 100 * sum(map(sum, alive)) / sum(map(len, alive))
                label = ("within it", "without, at the same settings")[side]
                at.bar(place + 0.4 * side, living, 0.36, color=color, label=label if place == 0 else None)
        at.set_xticks([place + 0.2 for place in range(len(found))], [f"bound {bound}" for bound, _, _ in found])
        at.set_ylabel("alive, %")
        at.set_ylim(0, 100)
        at.legend(frameon=False)
        return page

    return as_svg(title, plot)


def _page(title: str, caption: str, width: float) -> Figure:
    from matplotlib.figure import Figure

    page = Figure((width, 4.2))
    page.subplots_adjust(bottom=0.13, top=0.8)
    page.text(0.15 / width, 0.97, title, fontsize=TEXT + 2, fontweight="bold", va="top")
    page.text(0.15 / width, 0.895, caption, fontsize=SMALL, color=GREY, va="top")
    return page
