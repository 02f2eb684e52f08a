"""Runs laid over each other: those of one setting are seeds, and are shown as a mean with its band."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ludus.errors import BadInput
from ludus.runs.curves import Panel, panels_of
from ludus.runs.run_info import read_config
from ludus.web.bands import band
from ludus.web.run_list import plain

MOST = 24  # runs at a time


def overlay(runs: dict[str, Path]) -> dict[str, Any]:
    """The curves of these runs, one chart for each measure. A run that cannot be read is left out and named."""
    settings: dict[str, list[str]] = {}
    left_out = {}
    for name, path in runs.items():
        try:
            panels_of([path])
            settings.setdefault(_setting(path), []).append(name)
        except BadInput:  # damaged, or a line that is being written
            left_out[name] = f"{plain(name)} cannot be read just now."
    read = [name for names in settings.values() for name in names]
    panels = panels_of([runs[name] for name in read])
    charts = [
        {"title": panel.title, "curves": [_curve(panel, names, runs) for names in settings.values()]}
        for panel in panels
    ]
    for chart in charts:
        chart["curves"] = [curve for curve in chart["curves"] if curve is not None]
    return {"unit": "games", "charts": charts, "left_out": list(left_out.values())}


def _setting(path: Path) -> str:
    """Game, options and recipe: all but the seed."""
    return json.dumps(read_config(path), sort_keys=True)


def _curve(panel: Panel, names: Sequence[str], runs: dict[str, Path]) -> dict[str, Any] | None:
    """One curve for all runs of a setting, as far as the shortest of them goes."""
    mine = [(name, np.array(points)) for name in names if (points := panel.curves.get(str(runs[name])))]
    if not mine:
        return None
    last = min(points[-1, 0] for _, points in mine)
    first = max(points[0, 0] for _, points in mine)
    steps = sorted({float(step) for _, points in mine for step in points[:, 0] if first <= step <= last})
    if not steps:  # the one ended before the other's first report
        steps = [float(first)]
    values = np.stack([np.interp(steps, points[:, 0], points[:, 1]) for _, points in mine])
    label = plain(mine[0][0]) if len(mine) == 1 else f"{plain(mine[0][0])} and {len(mine) - 1} more of its setting"
    return band(label, steps, values)
