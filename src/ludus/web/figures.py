"""The curves of a paper's figure, from its CSV: for the page to draw, beside the picture that the study made."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from ludus import games as registry
from ludus.errors import BadInput, shorten
from ludus.study.data import Data, Runs
from ludus.study.pictures import CROWD, FLOOR
from ludus.study.study import Axis, Study
from ludus.web.bands import band
from ludus.web.papers import folder_of, known_figures

NO_CURVES = "the curves of this figure do not come with this copy of Ludus"


@functools.lru_cache(maxsize=128)
def figure(paper: str, name: str) -> dict[str, Any]:
    """A figure's charts, panel by panel and measure by measure. `charts` is empty where the picture says it better: in
    a trial of many settings, and in a drawing of another kind.
    """
    from ludus.study.reproduce import read

    folder = folder_of(paper)
    if folder is None or name not in known_figures(paper):
        raise BadInput(f"the papers have no figure '{shorten(f'{paper}/{name}')}'.")
    study: Study = registry.part(paper, "paper")
    drawn = study.figures.get(name)
    if drawn is None or drawn.criteria or drawn.picture is not None:
        return {"unit": study.unit, "charts": [], "why": ""}
    try:
        data = read(study, name, Path(folder))
    except BadInput:
        return {"unit": study.unit, "charts": [], "why": f"{NO_CURVES}."}
    return {"unit": study.unit, "charts": _charts(study, name, data), "why": ""}


def _charts(study: Study, name: str, data: Data) -> list[dict[str, Any]]:
    drawn, found = study.figures[name], []
    for word in drawn.measures:
        axis, measure = study.words[word], study.words[word].of or word
        levels = [*axis.lines(data), *drawn.references.get(word, ())]
        for panel, curves in data.panels().items():
            mine = [runs for runs in curves if measure in runs.measured]
            if mine:
                chart = {
                    "panel": panel,
                    "title": axis.label,
                    "logarithmic": axis.log_below is not None,
                    "levels": [[level, said] for level, said in levels],
                    "curves": [_curve(runs, measure, axis, len(mine) > CROWD) for runs in mine],
                }
                found.append(chart)
    return found


def _curve(runs: Runs, measure: str, axis: Axis, crowded: bool) -> dict[str, Any]:
    values = runs.measured[measure]
    values = axis.factor * (values if axis.log_below is None else axis.log_below - values)
    if axis.log_below is not None:  # as the picture does: what is smaller lies on the floor of its scale
        values = np.maximum(values, FLOOR * axis.factor)
    return band(runs.label, runs.steps.tolist(), values, seeds=not crowded)
