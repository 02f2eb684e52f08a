"""The Hex study's judges, each on results made up so that its claim holds, does not, or cannot be told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ludus.games.hex.paper import verdicts
from ludus.games.hex.paper.figures import OBJECTIVES, STUDY
from ludus.games.hex.paper.verdicts import Row
from ludus.study.data import Data, Runs
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, Estimate, together

WOBBLE = np.array([-0.01, 0.0, 0.01])  # by seed
MEASURES = tuple(STUDY.words)
UNSURE = np.array([-0.5, 0.0, 0.5])


def test_a_mean_reaches_a_level_with_its_whole_interval() -> None:
    assert Estimate(0.95, 0.9, 1.0, 3).reaches(0.9) == HOLDS
    assert Estimate(0.85, 0.8, 0.89, 3).reaches(0.9) == FAILS
    assert Estimate(0.9, 0.85, 0.95, 3).reaches(0.9) == UNDECIDED
    assert Estimate(0.99, math.nan, math.nan, 1).reaches(0.9) == UNDECIDED


def test_a_claim_of_parts_is_as_its_worst() -> None:
    assert together([HOLDS, HOLDS]) == HOLDS
    assert together([HOLDS, UNDECIDED]) == UNDECIDED
    assert together([UNDECIDED, FAILS, HOLDS]) == FAILS


def result(label: str, level: float, held: float = 0.5, panel: str = "", unsure: bool = False, **others: float) -> Runs:
    """Three seeds and two points; the first point is half the last."""
    spread = UNSURE if unsure else WOBBLE
    measured = {"value": level, "held": held, **others}
    rows = {name: (x + spread * (1 + len(label) % 3))[:, None] * np.array([0.5, 1.0]) for name, x in measured.items()}
    assert set(rows) <= set(MEASURES)
    return Runs(panel, label, (0, 1, 2), np.array([50, 100]), rows)


def judged(judge: Any, results: list[Runs]) -> str:
    found = judge(Data(results))
    assert found.claim
    assert found.values
    assert all(isinstance(text, str) for text in found.values.values())
    assert all(claim.found for claim in found.claims)
    assert len({len(row) for row in found.table}) <= 1
    return found.verdict


@pytest.mark.parametrize(
    ("levels", "verdict"),
    [
        ([("a", 0.1), ("a", 0.98), ("b", 0.97)], HOLDS),
        ([("a", 0.98), ("b", 0.5), ("b", 0.6)], FAILS),
        ([("a", 0.98), ("b", 0.9)], UNDECIDED),
    ],
)
def test_in_every_panel_some_values_approach_one(levels: list[tuple[str, float]], verdict: str) -> None:
    results = [result(f"curve {i}", level, panel=panel) for i, (panel, level) in enumerate(levels)]
    assert judged(verdicts.approaches("claim"), results) == verdict
    assert judged(verdicts.approaches("claim", all_as="all"), results) == HOLDS  # together one is enough


def test_the_best_is_named_by_values_and_by_truth() -> None:
    results = [result("bold", 0.98, held=0.4, panel="p"), result("wise", 0.5, held=0.8, panel="p")]
    values = verdicts.approaches("claim")(Data(results)).values
    assert "p: highest value, bold" in values
    assert "p: most positions held, wise" in values
    assert "won positions held 80.00%" in values["p: most positions held, wise"]
    assert "TDC: highest value, p, bold" in verdicts.approaches("claim", all_as="TDC")(Data(results)).values


@pytest.mark.parametrize(
    ("taught", "unsure", "verdict"),
    [(0.51, False, HOLDS), (0.8, False, FAILS), (0.2, False, FAILS), (0.52, True, UNDECIDED)],
)
def test_pretraining_makes_no_visible_difference(taught: float, unsure: bool, verdict: str) -> None:
    results = [result("pre-t", taught, panel="TDC", unsure=unsure), result("alone", 0.5, panel="TDC")]
    same = [result("x", 0.5, panel="Q"), result("x", 0.5, panel="Q")]
    assert judged(verdicts.no_visible_difference, results + same) == verdict


def four(mse: float, pbe: float, measure: str, unsure: bool = False) -> list[Runs]:
    return [
        result(name, **{"level": 0.5, measure: pbe if "PBE" in name else mse}, unsure=unsure and name == "CNN-PBE")  # pyright: ignore[reportArgumentType]
        for name in OBJECTIVES
    ]


CASES = [(0.4, 0.9, HOLDS), (0.9, 0.4, FAILS)]


@pytest.mark.parametrize(("mse", "pbe", "verdict"), CASES)
def test_the_projected_error_is_faster_or_slower(mse: float, pbe: float, verdict: str) -> None:
    assert judged(verdicts.faster_objective, four(mse, pbe, "level")) == verdict
    assert judged(verdicts.faster_objective, four(mse, pbe, "level", unsure=True)) != HOLDS


@pytest.mark.parametrize(("pbe", "mse", "verdict"), CASES)
def test_the_error_is_smaller_or_larger(mse: float, pbe: float, verdict: str) -> None:
    assert judged(verdicts.smaller_error, four(mse, pbe, "loss")) == verdict
    assert judged(verdicts.smaller_error, four(0.5, 0.5, "loss", unsure=True)) == UNDECIDED


@pytest.mark.parametrize(("cnn", "rnn", "verdict"), [*CASES, (0.5, 0.5, UNDECIDED)])
def test_the_projection_is_better_with_one_or_the_other(cnn: float, rnn: float, verdict: str) -> None:
    results = [result("CNN", 0.5, projection=cnn), result("RNN-PBE", 0.5, projection=rnn, unsure=verdict == UNDECIDED)]
    assert judged(verdicts.smaller_projection, results) == verdict


@pytest.mark.parametrize(
    ("levels", "unsure", "verdict"),
    [
        ({"GTD2": 0.9, "TDC": 0.9, "SARSA": 0.3, "Q-learning": 0.3}, "", HOLDS),
        ({"GTD2": 0.9, "TDC": 0.9, "SARSA": 0.3, "Q-learning": 0.95}, "", FAILS),
        ({"GTD2": 0.9, "TDC": 0.5, "SARSA": 0.3, "Q-learning": 0.3}, "TDC", UNDECIDED),
    ],
)
def test_two_algorithms_are_faster_than_two(levels: dict[str, float], unsure: str, verdict: str) -> None:
    results = [result(name, level, unsure=name == unsure) for name, level in levels.items()]
    assert judged(verdicts.faster_algorithms, [*results, result("Greedy GQ", 0.1)]) == verdict


@pytest.mark.parametrize(("added", "negated", "verdict"), [(0.4, 0.9, HOLDS), (0.9, 0.4, FAILS), (0.5, 0.5, UNDECIDED)])
def test_the_backup_that_negates_is_stronger(added: float, negated: float, verdict: str) -> None:
    names = ("SARSA", "TDC!")
    results = [result(name, 0.9, held=added) for name in names]
    results += [result(name + "?", 0.1, held=negated, unsure=verdict == UNDECIDED) for name in names]
    assert judged(verdicts.negated_is_stronger, results) == verdict


@pytest.mark.parametrize(
    ("ratings", "verdict"),
    [
        ({"CNN-PBE": 300, "CNN-MSE": 100, "RNN-MSE": -100, "RNN-PBE": -300}, HOLDS),
        ({"CNN-PBE": 100, "CNN-MSE": 300, "RNN-MSE": -100, "RNN-PBE": -300}, FAILS),
        ({"CNN-PBE": 300, "CNN-MSE": 100, "RNN-MSE": 80, "RNN-PBE": -300}, UNDECIDED),
    ],
)
def test_the_order_of_agents(monkeypatch: pytest.MonkeyPatch, ratings: dict[str, float], verdict: str) -> None:
    rows = [Row(name, r, (r - 50, r + 50), (3, 4), (1, 2), 15) for name, r in ratings.items()]
    monkeypatch.setattr(verdicts, "standings", lambda results: rows)
    assert judged(verdicts.order_of_agents, []) == verdict
    assert str(rows[0]).startswith("3/1, 4/2 of 15/15 a season; 10 wins, rating +")
