"""The verdicts on the Abalearn paper's claims, on data made up: on both sides of every boundary, and between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from ludus.games.abalone.paper import STUDY
from ludus.games.abalone.paper.standings import OTHERS
from ludus.study.data import Data, Runs, Series
from ludus.study.study import Finding

SEEDS = 5
#: Added to every curve: seeds differ by far more than settings do, so that only pairs can be compared.
LUCK = np.linspace(-0.05, 0.05, SEEDS)
#: Not all seeds agree: their mean is 0, and both signs are there.
TORN = np.array([-1.0, 1.0, 0.0, -0.5, 0.5])
YES, NO, MAYBE = "holds", "does not hold", "undecided"
STEPS = np.arange(0, 3001, 300)
Place = tuple[str, str]
USUAL = 0.5


def curve(place: Place, level: Any = USUAL, **others: Any) -> Runs:
    """A curve whose score is level (for all, by seed, or by seed and point) once learning begins."""
    points = len(STEPS) - 1

    def rows(value: Any) -> np.ndarray:
        value = np.asarray(value, float)
        return np.broadcast_to(value if value.ndim == 2 else value.reshape(-1, 1), (SEEDS, points))

    start = np.full((SEEDS, 1), 0.2)
    score = np.concatenate([start, rows(level)], axis=1) + LUCK[:, None]
    measured = {"minimax_ahead": score, "minimax": score}
    usual = {"won": 1.0, "lost": 1.0, "repeated": 0.5, "random_ahead": 0.9, "spread": 0.5, "level": 0.5}
    for name, value in (usual | others).items():
        measured[name] = np.concatenate([start, rows(value)], axis=1)
    return Runs(*place, tuple(range(SEEDS)), STEPS, measured)


def judged(figure: str, levels: Mapping[Place, Any], series: Sequence[Series] = (), quick: bool = False) -> Finding:
    """A figure's finding, all its curves as usual but for these; a level may be a dict of several measures."""
    made = []
    for each in STUDY.figures[figure].drawn(quick):
        place = each.panel, each.label
        given = levels.get(place, USUAL)
        made.append(curve(place, **given) if isinstance(given, dict) else curve(place, given))
    assert set(levels) <= {(runs.panel, runs.label) for runs in made}
    return STUDY.figures[figure].judge(Data(made, series=series))


def over(*labels: str, panel: str = "", **given: Any) -> dict[Place, Any]:
    return {(panel, label): given for label in labels}


RISING = {("", f"lambda {value:g}"): 0.4 + 0.1 * value for value in (0.0, 0.3, 0.7, 0.9, 0.99)}
TORN_BY_A_POINT = USUAL + 0.01 * TORN
SIGN, TEXT = "the formula's sign", "the text's sign"
#: The first three points are the first third, and end at 900 games.
FALLS = np.broadcast_to(np.where(np.arange(10) < 3, 0.6, 0.45), (SEEDS, 10))
RESTLESS = np.broadcast_to(USUAL + 0.05 * (-1.0) ** np.arange(10), (SEEDS, 10))

#: figure, which of its claims, the curves that are not as usual, the verdict
CASES = [
    ("fig6", 0, RISING, YES),
    ("fig6", 0, {place: 1 - level for place, level in RISING.items()}, NO),
    ("fig6", 0, over("lambda 0", level=TORN_BY_A_POINT), MAYBE),
    ("fig6", 1, RISING, YES),
    ("fig6", 0, RISING | {("", "lambda 0.99"): 0.485}, YES),  # on the whole it rises
    ("fig6", 1, RISING | {("", "lambda 0.99"): 0.485}, NO),  # but not at the last step
    ("fig6", 1, RISING | {("", "lambda 0.99"): 0.49}, MAYBE),  # as 0.9 is just as good
    ("fig8", 0, over("against minimax", level=0.51), YES),
    ("fig8", 0, over("against minimax", level=0.49), NO),
    ("fig8", 0, over("against minimax", level=TORN_BY_A_POINT), MAYBE),
    ("fig8", 1, over("against itself", level=0.51), YES),
    ("fig8", 1, over("against itself", level=0.49), NO),
    ("fig8", 2, over("random first, then itself", level=0.51), YES),
    ("fig8", 2, over("against random", level=0.51), NO),
    ("fig9", 0, over("1.2", won=1.2), YES),
    ("fig9", 0, over("1.2", won=0.8), NO),
    ("fig9", 0, over("1.2", won=1 + TORN), MAYBE),
    ("fig9", 0, over("1.1", won=0.1) | over("1.2", won=2), YES),
    ("fig9", 1, over("1.2", level=0.51), YES),
    ("fig9", 1, over("1.2", level=0.49), NO),
    ("fig9", 1, over("1.2", level=FALLS), YES),  # after a thousand games, whatever it comes to
    ("fig9", 1, over("1.1", level=FALLS), YES),  # and of 1.1 the end counts
    ("fig10", 0, {}, YES),  # from 0.2 to 0.5
    ("fig10", 0, over("epsilon from 0.9", level=0.1), NO),
    ("fig10", 0, over("epsilon from 0.9", level=0.2 + TORN / 100), MAYBE),
    ("fig10", 1, over("epsilon from 0.9", lost=0.5), YES),
    ("fig10", 1, over("epsilon from 0.9", lost=1.5), NO),
    ("fig10", 1, over("epsilon 0.01", lost=0.1), MAYBE),
    ("fig10", 2, over("epsilon 0.01", level=0.49), YES),
    ("fig10", 2, over("epsilon 0.01", level=0.51), NO),
    ("fig11", 0, over("kappa -0.8", "kappa 0", panel=SIGN, level=0.49), YES),
    ("fig11", 0, over("kappa -0.8", panel=SIGN, level=0.51) | over("kappa 0", panel=SIGN, level=0.1), NO),
    ("fig11", 0, over("kappa 0", panel=SIGN, level=0.1), MAYBE),
    ("fig11", 0, over("kappa -0.8", "kappa 0", panel=SIGN, level=0.49) | over("kappa -1", panel=TEXT, level=0.9), YES),
    ("fig11", 1, over("kappa -0.8", panel=SIGN, level=FALLS), YES),
    ("fig11", 1, over("kappa -1", panel=SIGN, level=FALLS), NO),
    ("fig11", 1, {}, MAYBE),
    ("fig11", 2, over("kappa -0.8", panel=SIGN, level=FALLS), YES),
    ("fig11", 2, over("kappa -0.8", panel=SIGN, level=1 - FALLS), NO),
    ("fig11", 2, over("kappa -1", panel=SIGN, level=FALLS), MAYBE),
    ("fig11", 3, over("kappa -0.8", panel=SIGN, level=RESTLESS), YES),
    ("fig11", 3, over("kappa -1", panel=SIGN, level=RESTLESS), NO),
    ("fig11", 3, {}, MAYBE),
    ("fig11", 4, over("kappa 0", panel=SIGN, won=0.4), YES),
    ("fig11", 4, over("kappa 0", panel=SIGN, won=0.6), NO),
    ("fig11", 4, over("kappa 0", panel=SIGN, won=0.5 + 0.1 * TORN), MAYBE),
    ("fig11", 5, over("kappa 0", panel=SIGN, level=0.04 - LUCK), YES),
    ("fig11", 5, over("kappa 0", panel=SIGN, level=0.06 - LUCK), NO),
    ("fig11", 5, over("kappa 0", panel=SIGN, level=0.05 - LUCK + 0.01 * TORN), MAYBE),
    ("fig11", 6, over("kappa -1", panel=TEXT, level=0.49), YES),
    ("fig11", 6, over("kappa -1", panel=TEXT, level=0.51), NO),
    ("fig11", 6, over("kappa -1", panel=TEXT, level=TORN_BY_A_POINT), MAYBE),
    ("outputs", 0, over("scaled", panel="1.1", level=0.51), YES),
    ("outputs", 0, over("scaled", panel="1.1", level=0.49), NO),
    ("outputs", 1, over("kappa -1, scaled", panel="1.2", level=0.51), YES),
    ("outputs", 2, over("kappa 0, sigmoid", panel="1.2", level=0.51), NO),
    ("outputs", 2, over("kappa 0, scaled", panel="1.2", level=TORN_BY_A_POINT), MAYBE),
]


@pytest.mark.parametrize(("figure", "claim", "levels", "verdict"), CASES)
def test_verdicts_on_curves(figure: str, claim: int, levels: Mapping[Place, Any], verdict: str) -> None:
    found = judged(figure, levels)
    assert found.claims[claim].verdict == verdict, found.claims[claim]
    assert "not run" not in "".join(claim.found for claim in found.claims)


def test_how_many_networks_are_alive_is_said() -> None:
    found = judged("fig8", over("against random", spread=np.array([0.5, 0.009, 0.011, 0.0, np.nan])))
    assert found.values["against random: networks alive"] == "2 of 5"
    assert found.values["against itself: networks alive"] == "5 of 5"


def test_an_outline_is_judged_too() -> None:
    assert [claim.claim for claim in judged("outputs", {}, quick=True).claims] == [
        "(ours) values as far as returns go are better than values from 0 to 1: 1.1"
    ]


# --- games between agents -----------------------------------------------------------------------------------------


def games(first: str, second: str, **given: Any) -> list[Series]:
    """Ten games of each seed: half of them won, unless it is said otherwise, for all or by seed."""
    usual = {"won": 5, "tied": 0, "ahead": 5, "behind": 5, "gained": 15, "lost": 15, "plies": 900}
    rows = {name: np.broadcast_to(np.asarray(value, int), SEEDS).tolist() for name, value in (usual | given).items()}
    return [
        Series(seed, first, second, 10, **{name: values[seed] for name, values in rows.items()})
        for seed in range(SEEDS)
    ]


TORN_GAMES = [4, 6, 5, 4, 6]
NUMBERS = (10, 100, 250, 500, 1000, 1500, 2000, 2750)


def nets(**ahead: Any) -> list[Series]:
    """Every network against the three of reference, later ones winning but for these, as `_100_250=5`."""
    played = []
    for one in NUMBERS:
        for two in (10, 250, 2750):
            if one != two:
                won = ahead.get(f"_{one}_{two}", 8 if one > two else 2)
                played += games(f"Net {one}", f"Net {two}", ahead=won, behind=10 - np.asarray(won))
    return played


@pytest.mark.parametrize(
    ("played", "wanted"),
    [
        (nets(), [YES, YES, YES]),
        (nets(_100_10=5), [MAYBE, YES, YES]),
        (nets(_2750_10=4), [NO, YES, YES]),
        (nets(_100_250=9), [YES, YES, YES]),  # it has learned less
        (nets(_500_250=TORN_GAMES), [YES, MAYBE, YES]),
        (nets(_500_250=4), [YES, NO, YES]),
        (nets(_2000_2750=6), [YES, YES, NO]),
        (nets(_10_2750=5), [YES, YES, MAYBE]),
    ],
)
def test_later_networks_win(played: list[Series], wanted: list[str]) -> None:
    found = judged("fig7", {}, played)
    assert [claim.verdict for claim in found.claims] == wanted
    assert [row[0] for row in found.table[1:]] == [f"Net {number}" for number in NUMBERS]
    assert found.table[1][1] == ""  # nobody meets itself
    if played == nets():
        assert found.table[2][1:] == ["80.00% [80.00, 80.00]", "20.00% [20.00, 20.00]", "20.00% [20.00, 20.00]"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"ahead": 10, "behind": 0, "gained": 15}, [YES, YES, YES]),
        ({"ahead": 9, "behind": 0, "gained": 14}, [YES, NO, NO]),
        ({"ahead": [10, 10, 9, 10, 10], "behind": 0, "gained": [14, 16, 15, 14, 16]}, [YES, MAYBE, MAYBE]),
        ({"ahead": 4, "behind": 6}, [NO, NO, YES]),
        ({"ahead": TORN_GAMES, "behind": 5}, [MAYBE, NO, YES]),
        ({"won": 0, "tied": 10, "ahead": 10, "behind": 0}, [YES, YES, YES]),  # cycles are won by more marbles
    ],
)
def test_version_one_point_one_against_one(given: dict[str, Any], wanted: list[str]) -> None:
    found = judged("v10v11", {}, games("1.1", "1.0", **given))
    assert [claim.verdict for claim in found.claims] == wanted
    if "tied" in given:
        assert found.values["1.1 against 1.0"].endswith("score of the house 50.00% [50.00, 50.00]")


@pytest.mark.parametrize(
    ("lost", "wanted"),
    [
        ((0, 0, 20), [YES, YES, YES]),
        ((5, 6, 26), [YES, NO, NO]),
        (([4, 6, 5, 4, 6], 0, [24, 26, 25, 24, 26]), [MAYBE, YES, MAYBE]),
    ],
)
def test_marbles_lost_to_a_search(lost: tuple[Any, ...], wanted: list[str]) -> None:
    played = []
    for depth, marbles in zip((4, 5, 6), lost, strict=True):
        played += games("1.1", f"alphabeta:{depth}", lost=marbles, gained=0)
        played += games("1.2", f"alphabeta:{depth}", lost=60)
    found = judged("table2", {}, played)
    assert [claim.verdict for claim in found.claims] == wanted
    assert [row[:3] for row in found.table[1:3]] == [["1.1", "alphabeta:4", "50"], ["1.2", "alphabeta:4", "50"]]
    assert found.table[2][4] == "6.000 [6.000, 6.000]"


def test_of_an_outline_s_depths_nothing_is_said() -> None:
    found = judged("table2", {}, games("1.1", "alphabeta:1"))
    assert [(claim.verdict, claim.found) for claim in found.claims] == [(MAYBE, "not run")] * 3


@pytest.mark.parametrize(
    ("won", "wanted"),
    [
        ((3, 4, 5), [YES, YES]),
        ((4, 3, 5), [NO, YES]),
        ((3, TORN_GAMES, 7), [YES, YES]),
        ((5, TORN_GAMES, 3), [MAYBE, NO]),
    ],
)
def test_the_ladder(won: tuple[Any, ...], wanted: list[str]) -> None:
    played = games("alphabeta:4", "random", won=10)
    for version, wins in zip(("1.0", "1.1", "1.2"), won, strict=True):
        for other in OTHERS:
            played += games(version, other, won=wins)
    found = judged("tables34", {}, played)
    assert [claim.verdict for claim in found.claims] == wanted
    ratings = [int(row[1]) for row in found.table[1:]]
    assert ratings == sorted(ratings, reverse=True)
    assert len(ratings) == 10
    order = [row[0] for row in found.table]
    assert order.index("alphabeta:4") < order.index("random")
    games_of = {row[0]: (row[3], row[4]) for row in found.table[1:]}
    assert games_of["1.0"] == (f"{10.0 * won[0]:.1f}%", f"{50 * len(OTHERS)}")
