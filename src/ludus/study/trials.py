"""Trials: each arm of a comparison gets the settings that suit it best, chosen on seeds that no other figure shows.

A trial is a figure with criteria. Its panels are arms, its curves are settings; each criterion chooses the settings
with the highest score.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.learners.recipe import Recipe
from ludus.runs.files import write_file
from ludus.study.data import Data, Runs
from ludus.study.life import alive
from ludus.study.study import Choices, Claim, Curve, Figure, Finding

SETTINGS = "settings.json"


class Arm(NamedTuple):
    """One side of a comparison: its recipe, and the values that a trial tries for some of its settings."""

    recipe: Recipe
    grid: Mapping[str, Sequence[float]]

    def tries(self, panel: str) -> list[Curve]:
        """A curve for each combination of the values."""
        settings = (tuple(zip(self.grid, values, strict=True)) for values in itertools.product(*self.grid.values()))
        return [Curve(panel, in_words(each), self.recipe.with_settings(**dict(each)), tried=each) for each in settings]


def arm_key(panel: str, criterion: str) -> str:
    """The key of an arm's settings among the choices."""
    return f"{panel}, by {criterion}"


def in_words(tried: Sequence[tuple[str, float]]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in tried)


def highest(measure: str) -> Callable[[Runs], float]:
    """The final value, as a mean over seeds."""
    return lambda runs: float(np.mean(runs.end(measure)))


def highest_living(measure: str) -> Callable[[Runs], float]:
    """The same; of a dead network (`study.life`) it is the untrained one's, if that is lower: so settings under which
    networks die are not chosen for what they reach blindly.
    """

    def score(runs: Runs) -> float:
        pairs = zip(runs.end(measure), runs.at(measure, 0), strict=True)
        return float(np.mean([e if lives else min(e, s) for (e, s), lives in zip(pairs, alive(runs), strict=True)]))

    return score


def highest_curve(measure: str) -> Callable[[Runs], float]:
    """The mean of the curve, as a mean over seeds."""
    return lambda runs: float(np.mean(runs.mean(measure)))


def lowest_curve(measure: str) -> Callable[[Runs], float]:
    return lambda runs: -float(np.mean(runs.mean(measure)))


def trial(
    title: str,
    curves: Sequence[Curve],
    measures: tuple[str, ...],
    criteria: Mapping[str, Callable[[Runs], float]],
    **more: Any,
) -> Figure:
    """A figure that chooses settings."""

    def judge(data: Data) -> Finding:
        best = _best(curves, data, criteria)
        table, values = [["arm", "chosen by", "of", "settings"]], {}
        ran = {(runs.panel, runs.label) for runs in data.curves}  # an outline has not all
        for (panel, criterion), curve in best.items():
            mine = [other for other in curves if other.panel == panel and (panel, other.label) in ran]
            words = in_words(curve.tried) + _at_edges(curve, mine)
            table.append([panel, criterion, f"{len(mine)}", words])
            values[arm_key(panel, criterion)] = words
        edges = sum("edge" in words for words in values.values())
        found = f"{len(best)} choices, {edges} of them at an edge of what was tried"
        claim = Claim("(ours) settings for each arm, on seeds of their own", "chosen", found, arms=())
        return Finding((claim,), values, table)

    return Figure(title, tuple(curves), judge, measures, length="trial", criteria=dict(criteria), **more)


def chosen(figure: Figure, data: Data) -> Choices:
    """The settings of each arm."""
    best = _best(figure.curves, data, figure.criteria)
    return {arm_key(*place): dict(curve.tried) for place, curve in best.items()}


def _best(
    curves: Sequence[Curve], data: Data, criteria: Mapping[str, Callable[[Runs], float]]
) -> dict[tuple[str, str], Curve]:
    known = {(curve.panel, curve.label): curve for curve in curves}

    def number(score: float) -> float:
        return -math.inf if math.isnan(score) else score  # settings that diverged are never chosen

    return {
        (panel, criterion): known[panel, max(runs, key=lambda each: number(score(each))).label]
        for panel, runs in data.panels().items()
        for criterion, score in criteria.items()
    }


def _at_edges(curve: Curve, among: Sequence[Curve]) -> str:
    """Which settings are the lowest or the highest that were tried: values beyond might be better."""
    edges = []
    for name, value in curve.tried:
        tried = sorted({dict(other.tried)[name] for other in among})
        if len(tried) > 1 and value in (tried[0], tried[-1]):
            edges.append(f"{name.replace('_', ' ')}: {'lowest' if value == tried[0] else 'highest'} tried")
    return f" (at an edge: {'; '.join(edges)})" if edges else ""


def read_choices(path: Path) -> Choices:
    return json.loads(path.read_text(encoding="utf-8"))


def write_choices(path: Path, choices: Choices) -> None:
    """Write these choices; arms that were not tried this time keep theirs."""
    choices = {**(read_choices(path) if path.exists() else {}), **choices}
    write_file(path, (json.dumps(choices, indent=1) + "\n").encode())
