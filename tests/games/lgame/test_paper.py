"""The L-Game paper's figures: intervals on known numbers, verdicts on curves made up, and what is run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ludus.games.lgame.paper import STUDY
from ludus.games.lgame.paper.figures import OTHER_SEEDS, scales
from ludus.study import statistics
from ludus.study.data import Data, Runs
from ludus.study.statistics import Estimate
from ludus.study.study import Scale


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
    assert statistics.verdict(statistics.difference([0.5, 0.7], [0.6, 0.6])) == "undecided"
    assert statistics.verdict(statistics.difference([0.9], [0.1])) == "undecided"
    with pytest.raises(ValueError, match="zip"):
        statistics.difference([0.5, 0.7], [0.6])


# --- verdicts of the figures, their curves made up ------------------------------------------------------------


def judged(figure: str, rates: dict[str, float], perfect: float = 0.5, quick: bool = True) -> Any:
    """A figure's finding, where each label that begins so has this rate, give or take a little by seed."""
    curves = []
    for curve in STUDY.figures[figure].drawn(quick):
        rate = next(r for label, r in rates.items() if curve.label.startswith(label))
        wobble = 0.0001 * np.arange(3)[:, None] * len(curve.label) + np.zeros(2)
        measured = {"vs_random": rate + wobble, "vs_perfect": perfect + 0 * wobble}
        curves.append(Runs(curve.panel, curve.label, (0, 1, 2), np.array([240, 480]), measured))
    return STUDY.figures[figure].judge(Data(curves))


N = {"N = 10": 0.9, "N = 1": 0.6, "N = 20": 0.9, "N = 0": 0.5}
VERDICTS = [
    ("fig4", N, ["holds", "holds", "does not hold"]),
    ("fig4", N | {"N = 10": 0.4, "N = 20": 0.4}, ["does not hold", "holds", "does not hold"]),
    ("fig4", N | {"N = 20": 0.95}, ["holds", "does not hold", "does not hold"]),  # more helps more
    ("fig4", N | {"N = 20": 0.8}, ["holds", "holds", "holds"]),
    ("fig5", {"nesterov": 0.9, "rmsprop": 0.5, "adadelta": 0.6}, ["holds", "holds"]),
    ("fig5", {"nesterov": 0.55, "rmsprop": 0.5, "adadelta": 0.6}, ["holds", "does not hold"]),
    ("fig6", {"1 whole": 0.9, "10 whole": 0.9, "32": 0.5}, ["holds", "holds"]),
    ("fig6", {"1 whole": 0.4, "10 whole": 0.9, "32": 0.5}, ["does not hold", "holds"]),
    ("gamma", {"gamma = 0.9": 0.9, "gamma = 0.7": 0.5, "gamma = 1": 0.4}, ["holds", "undecided"]),
    ("gamma", {"gamma = 0.9": 0.6, "gamma = 0.7": 0.9, "gamma = 1": 0.8}, ["does not hold", "does not hold"]),
    ("headline", {"128": 0.985, "624": 0.1}, ["holds", "does not hold", "does not hold", "does not hold"]),
]


@pytest.mark.parametrize(("figure", "rates", "verdicts"), VERDICTS)
def test_verdicts(figure: str, rates: dict[str, float], verdicts: list[str]) -> None:
    found = judged(figure, rates)
    assert [claim.verdict for claim in found.claims] == verdicts
    assert all(claim.claim and claim.found for claim in found.claims)
    assert all(isinstance(value, str) for value in found.values.values())


def test_the_headline_wants_both() -> None:
    good = judged("headline", {"128": 0.985, "624": 0.99}, perfect=0.99)
    assert good.verdict == "holds"
    assert judged("headline", {"128": 0.985, "624": 0.99}, perfect=0.9).verdict == "does not hold"


def test_a_rise_is_against_the_first_tenth() -> None:
    rising = np.linspace(0.5, 0.9, 20) + 0.001 * np.arange(3)[:, None]
    for values, verdict in ((rising, "holds"), (rising[:, ::-1], "does not hold")):
        runs = [Runs("", label, (0, 1, 2), np.arange(20), {"vs_random": values}) for label in ("128 outputs", "624")]
        assert STUDY.figures["fig7"].judge(Data(runs)).verdict == verdict


def test_our_own_trials_are_judged_too() -> None:
    assert judged("rates", {"rate 0.03": 0.9, "rate": 0.8}).claims[0].found == "rate 0.03"
    assert judged("own-turn", {"": 0.9}).claims[0].verdict == "does not hold"  # they are alike


def test_the_scale() -> None:
    assert scales("", False, None) == Scale(5, 25, 1000)
    assert scales("whole", False, None) == Scale(5, 100, 1000)
    assert scales("", True, None).seeds == 2
    assert scales("", True, 7).seeds == scales("whole", False, 7).seeds == 7
    assert scales("trial", False, None).first_seed == scales("trial", True, None).first_seed == OTHER_SEEDS
    shown = {seed for length in ("", "whole") for seed in scales(length, False, None).all_seeds}
    assert not shown & set(scales("trial", False, None).all_seeds)


def test_every_figure_can_be_drawn() -> None:
    for figure in STUDY.figures.values():
        assert set(figure.measures) <= set(STUDY.words)
        assert len({curve.label for curve in figure.curves}) == len(figure.curves)
        assert set(figure.outline or ()) <= {curve.label for curve in figure.curves}
