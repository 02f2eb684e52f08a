"""What is left of a figure whose curves are values by seed and point: a table and a picture."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ludus.games.hex.paper.grid import MEASURES, Result
from ludus.study.statistics import estimate

WORDS = {
    "value": "value of the moves made",
    "held": "won positions kept, %",
    "loss": "training error",
    "projection": "projection error",
}


def write_csv(results: Sequence[Result], path: Path) -> None:
    """One line for each curve, seed and point."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("panel", "label", "seed", "moves", *MEASURES))
        for result in results:
            for seed in range(len(result.measured["value"])):
                for point, moves in enumerate(result.moves):
                    row = [result.measured[m][seed, point] if m in result.measured else np.nan for m in MEASURES]
                    writer.writerow((result.curve.panel, result.curve.label, seed, moves, *(f"{x:.5g}" for x in row)))


def write_plot(results: Sequence[Result], path: Path, title: str, measures: Sequence[str]) -> None:
    """A column a panel, a row a measure: means over seeds, their 95% intervals shaded."""
    from matplotlib.figure import Figure

    panels = list(dict.fromkeys(result.curve.panel for result in results))
    figure = Figure(figsize=(3.2 * len(panels) + 1.5, 3 * len(measures) + 0.5), layout="constrained")
    grid = figure.subplots(len(measures), len(panels), squeeze=False, sharex=True, sharey="row")
    for column, panel in enumerate(panels):
        mine = [result for result in results if result.curve.panel == panel]
        for row, measure in enumerate(measures):
            axes, factor = grid[row, column], 100 if measure == "held" else 1
            for number, result in enumerate(mine):
                curve = [estimate((factor * values).tolist()) for values in result.measured[measure].T]
                style = {"color": f"C{number % 10}", "linestyle": ("-", "--", ":")[number // 10 % 3]}
                axes.plot(result.moves, [e.mean for e in curve], label=result.curve.label, linewidth=1, **style)
                low, high = [e.low for e in curve], [e.high for e in curve]
                axes.fill_between(result.moves, low, high, color=style["color"], alpha=0.15, linewidth=0)
            axes.grid(alpha=0.3)
            if column == 0:
                axes.set_ylabel(WORDS[measure])
        grid[0, column].set_title(panel, fontsize=10)
        grid[-1, column].set_xlabel("moves of self-play")
        grid[-1, column].legend(fontsize=6)
    figure.suptitle(title, fontsize=11)
    figure.savefig(path)
