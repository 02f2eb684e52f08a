"""A figure as a picture: a column a panel, a row a measure, the mean over seeds with its interval."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from ludus.study.data import Data
from ludus.study.statistics import estimate
from ludus.study.study import Axis
from ludus.training.files import write_file


def draw(data: Data, path: Path, title: str, unit: str, measures: Sequence[str], words: Mapping[str, Axis]) -> None:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    panels = data.panels()
    figure = Figure(figsize=(3.2 * len(panels) + 2.5, 3 * len(measures) + 0.5), layout="constrained")
    axes = figure.subplots(len(measures), len(panels), squeeze=False, sharex=True, sharey="row")
    for column, (panel, curves) in enumerate(panels.items()):
        for row, measure in enumerate(measures):
            at, axis = axes[row, column], words[measure]
            for number, runs in enumerate(curves):
                if measure not in runs.measured:
                    continue
                style = {"color": f"C{number % 10}", "linestyle": ("-", "--", ":")[number // 10 % 3]}
                points = [
                    estimate((axis.factor * values).tolist(), *axis.bounds) for values in runs.measured[measure].T
                ]
                at.plot(runs.steps, [e.mean for e in points], label=runs.label, linewidth=1, **style)
                low, high = [e.low for e in points], [e.high for e in points]
                at.fill_between(runs.steps, low, high, color=style["color"], alpha=0.15, linewidth=0)
            at.grid(alpha=0.3)
            if column == 0:
                at.set_ylabel(axis.label)
        axes[0, column].set_title(panel, fontsize=10)
        axes[-1, column].set_xlabel(f"{unit} of self-play")
        axes[-1, column].legend(fontsize=6)
    figure.suptitle(title, fontsize=11)
    made = io.BytesIO()
    with rc_context({"svg.hashsalt": title}):  # the same picture, the same bytes
        figure.savefig(made, format="svg", metadata={"Date": None})
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, made.getvalue())
