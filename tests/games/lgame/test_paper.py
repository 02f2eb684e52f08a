"""The L-Game paper's figures: intervals and verdicts on known numbers, the grid, and what is shared between figures."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.games.hex.rules import Hex
from ludus.games.lgame.paper import figures as lgame
from ludus.learners import dqn
from ludus.study import grid as study
from ludus.study import statistics
from ludus.study.grid import Point, Setting
from ludus.study.statistics import Estimate

TINY = dqn.Config(hidden=(8,), inputs="planes", head="full", memory=16, lanes=4, recall=1, games=16)


def point(label: str, seed: int, games: int, rate: float, perfect: float = 0.5) -> Point:
    return Point(label, seed, games, 0.1, rate, rate, perfect, perfect, math.nan, math.nan, 7)


def test_an_estimate_is_students() -> None:
    # Mean 2, deviation 1, three values: the 97.5% point of t with two degrees of freedom is 4.302653.
    found = statistics.estimate([1.0, 2.0, 3.0])
    assert (found.mean, found.count) == (2, 3)
    assert found.high - found.mean == found.mean - found.low == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)
    one = statistics.estimate([0.25])
    assert (one.mean, one.count) == (0.25, 1)
    assert math.isnan(one.low)
    assert str(Estimate(0.5, 0.25, 0.75, 3)) == "50.00% [25.00, 75.00]"


def test_a_difference_is_seed_by_seed() -> None:
    found = statistics.difference([0.5, 0.7, 0.9], [0.4, 0.6, 0.8])  # far apart, but each a tenth better
    assert found.mean == pytest.approx(0.1)
    assert found.low == pytest.approx(0.1)
    assert statistics.verdict(found) == "holds"
    assert statistics.verdict(statistics.difference([0.4, 0.6, 0.8], [0.5, 0.7, 0.9])) == "does not hold"
    assert statistics.verdict(statistics.difference([0.5, 0.7], [0.6, 0.6])) == "cannot be told"
    assert statistics.verdict(statistics.difference([0.9], [0.1])) == "cannot be told"
    with pytest.raises(ValueError, match="zip"):
        statistics.difference([0.5, 0.7], [0.6])


def test_curves_are_read_at_their_end_and_as_a_whole() -> None:
    points = [point("a", s, g, 0.1 * (s + 1) + g / 1000) for s in (0, 1) for g in (100, 200)] + [point("b", 0, 300, 1)]
    assert study.at_end(points, "a") == pytest.approx([0.3, 0.4])
    assert study.over_time(points, "a") == pytest.approx([0.25, 0.35])
    assert study.at_end(points, "a", "vs_perfect") == [0.5, 0.5]


# --- verdicts of the figures, their runs made up ------------------------------------------------------------

SIZE = lgame.Scale(seeds=3, early=480, whole=480, every=240, sampled=0)


def judged(monkeypatch: pytest.MonkeyPatch, figure: str, rates: dict[str, float], perfect: float = 0.5) -> Any:
    """A figure's finding, where each label that begins so has this rate, give or take a little by seed."""

    def made_up(game: Any, settings: Any, seeds: int, games: int, every: int, log: Any, sampled: int) -> list[Point]:
        found = []
        for setting in settings:
            rate = next(r for label, r in rates.items() if setting.label.startswith(label))
            for seed in range(seeds):
                for step in (1, 2):
                    wobble = 0.0001 * seed * len(setting.label)
                    found.append(point(setting.label, seed, step * every, rate + wobble, perfect))
        return found

    monkeypatch.setattr(lgame, "run_settings", made_up)
    return lgame.FIGURES[figure](SIZE, lambda line: None)


VERDICTS = [
    ("fig4", {"N = 10": 0.9, "N = 1": 0.6, "N = 20": 0.9, "N = 0": 0.5}, "holds"),
    ("fig4", {"N = 10": 0.4, "N = 1": 0.6, "N = 20": 0.4, "N = 0": 0.5}, "does not hold"),
    ("fig4", {"N = 10": 0.8, "N = 1": 0.6, "N = 20": 0.95, "N = 0": 0.5}, "does not hold"),  # more helps more
    ("fig5", {"nesterov": 0.9, "rmsprop": 0.5, "adadelta": 0.6}, "holds"),
    ("fig5", {"nesterov": 0.55, "rmsprop": 0.5, "adadelta": 0.6}, "does not hold"),
    ("fig6", {"1 whole": 0.9, "10 whole": 0.9, "32": 0.5}, "holds"),
    ("fig6", {"1 whole": 0.4, "10 whole": 0.9, "32": 0.5}, "does not hold"),
    ("gamma", {"gamma = 0.9": 0.9, "gamma = 0.7": 0.5, "gamma = 1": 0.4}, "holds"),
    ("gamma", {"gamma = 0.9": 0.6, "gamma = 0.7": 0.9, "gamma = 1": 0.4}, "does not hold"),
]


@pytest.mark.parametrize(("figure", "rates", "verdict"), VERDICTS)
def test_verdicts(monkeypatch: pytest.MonkeyPatch, figure: str, rates: dict[str, float], verdict: str) -> None:
    found = judged(monkeypatch, figure, rates)
    assert (found.id, found.verdict) == (figure, verdict)
    assert found.claim
    assert all(isinstance(value, str) for value in found.values.values())


@pytest.mark.parametrize(
    ("rate", "perfect", "verdict"),
    [(0.985, 0.99, "holds"), (0.985, 0.9, "does not hold"), (0.5, 0.99, "does not hold")],
)
def test_the_headline_wants_both(monkeypatch: pytest.MonkeyPatch, rate: float, perfect: float, verdict: str) -> None:
    found = judged(monkeypatch, "headline", {"128": rate, "624": 0.1}, perfect)
    assert found.verdict == found.values["128 outputs: verdict"] == verdict
    assert found.values["624 outputs: verdict"] == "does not hold"


def test_the_scale() -> None:
    assert lgame.scale(False, None) == lgame.Scale(5, 25_000, 100_000, 1000, 1000)
    assert lgame.scale(True, None).seeds == 2
    assert lgame.scale(True, 7).seeds == lgame.scale(False, 7).seeds == 7


# --- runs ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_grid_of_runs_is_measured_exactly_and_not_run_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(study, "_DONE", {})
    game = Hex(size=2)
    settings = [Setting("a", TINY), Setting("b", replace(TINY, gamma=0.5))]
    lines: list[str] = []
    points = study.run_settings(game, settings, 2, 8, 4, lines.append, sampled=0)
    assert [(p.label, p.seed, p.games) for p in points] == [
        (label, seed, games) for label in "ab" for games in (4, 8) for seed in (0, 1)
    ]
    assert len(lines) == 2  # the two settings are one program
    for p in points:
        assert all(0 <= rate <= 1 for rate in (p.random_first, p.random_second, p.perfect_first, p.perfect_second))
        assert np.isfinite(p.loss)
        assert math.isnan(p.random_sampled)
    again = study.run_settings(game, [Setting("c", TINY)], 2, 8, 4, lines.append, sampled=0)
    assert len(lines) == 2
    assert [replace(p, label="c", random_sampled=0, perfect_sampled=0) for p in points if p.label == "a"] == [
        replace(p, random_sampled=0, perfect_sampled=0) for p in again
    ]
    study.write_csv(points, tmp_path / "points.csv")
    rows = list(csv.DictReader((tmp_path / "points.csv").read_text().splitlines()))
    assert [row["label"] for row in rows] == [p.label for p in points]
    assert [float(row["random_first"]) for row in rows] == pytest.approx([p.random_first for p in points], rel=1e-5)
    study.plot(points, tmp_path / "points.svg", "Title", "vs_random", "wins, %")
    assert "<svg" in (tmp_path / "points.svg").read_text()
