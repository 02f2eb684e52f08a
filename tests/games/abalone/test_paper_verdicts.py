"""The verdicts on the Abalearn paper's claims, on data made up: on both sides of every boundary, and between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from ludus.games.abalone.paper import STUDY
from ludus.games.abalone.paper.settings import NETS, ONE, READINGS, TRAILS
from ludus.games.abalone.paper.standings import OTHERS
from ludus.study.data import Data, Runs, Series
from ludus.study.life import judged as judged_by_life
from ludus.study.study import Finding

SEEDS = 10
#: Added to every curve: seeds differ by far more than settings do, so that only pairs can be compared.
LUCK = np.linspace(-0.05, 0.05, SEEDS)
#: Not all seeds agree: their mean is 0, and both signs are there.
TORN = np.tile([-1.0, 1.0, 0.0, -0.5, 0.5], 2)
YES, NO, MAYBE, NEVER = "holds", "does not hold", "undecided", "cannot be tested"
STEPS = np.arange(0, 1001, 250)
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
    measured: dict[str, Any] = dict.fromkeys(("on", "minimax_ahead", "minimax"), score)
    usual = {"on_won": 1.0, "on_lost": 1.0, "repeated": 0.5, "random_ahead": 0.9, "spread": 0.5, "level": 0.5}
    for name, value in (usual | {"plies": 150.0, "moves": 80.0} | others).items():
        measured[name] = np.concatenate([start, rows(value)], axis=1)
    return Runs(*place, tuple(range(SEEDS)), STEPS, measured)


def data(figure: str, levels: Mapping[Place, Any], series: Sequence[Series] = (), quick: bool = False) -> Data:
    """A figure's data, all its curves as usual but for these; a level may be a dict of several measures."""
    made = []
    for each in STUDY.figures[figure].drawn(quick):
        place = each.panel, each.label
        given = levels.get(place, USUAL)
        made.append(curve(place, **given) if isinstance(given, dict) else curve(place, given))
    assert set(levels) <= {(runs.panel, runs.label) for runs in made}
    return Data(made, series=series)


def judged(figure: str, levels: Mapping[Place, Any], series: Sequence[Series] = (), quick: bool = False) -> Finding:
    return STUDY.figures[figure].judge(data(figure, levels, series, quick))


def over(*labels: str, panel: str = "", **given: Any) -> dict[Place, Any]:
    return {(panel, label): given for label in labels}


RISING = {("", f"lambda {value:g}"): 0.4 + 0.1 * value for value in (0.0, 0.3, 0.7, 0.9, 0.99)}
TORN_BY_A_POINT = USUAL + 0.01 * TORN
TEXT = "kappa -1, the text's sign"
FALLS = np.broadcast_to([0.6, 0.6, 0.5, 0.45], (SEEDS, 4))
RESTLESS = np.broadcast_to(USUAL + 0.05 * (-1.0) ** np.arange(4), (SEEDS, 4))
STARTED = 0.2  # where every curve begins

#: figure, which of its claims, the curves that are not as usual, the verdict
CASES = [
    ("table1", 0, over("random play", moves=75), YES),
    ("table1", 0, over("random play", moves=65), NO),
    ("table1", 0, over("random play", moves=95), NO),
    ("table1", 0, over("random play", moves=70 + TORN), MAYBE),
    ("fig4", 0, over("20 hidden units", level=0.51), YES),
    ("fig4", 0, over("5 hidden units", level=0.51), NO),
    ("fig4", 1, over("60 hidden units", level=TORN_BY_A_POINT), MAYBE),
    ("fig6", 0, RISING, YES),
    ("fig6", 0, {place: 1 - level for place, level in RISING.items()}, NO),
    ("fig6", 0, over("lambda 0", level=TORN_BY_A_POINT), MAYBE),
    ("fig6", 1, RISING, YES),
    ("fig6", 0, RISING | {("", "lambda 0.99"): 0.485}, YES),  # on the whole it rises
    ("fig6", 1, RISING | {("", "lambda 0.99"): 0.485}, NO),  # but not at the last step
    ("fig6", 1, RISING | {("", "lambda 0.99"): 0.49 + 0.001 * TORN}, MAYBE),  # as 0.9 is just as good
    ("fig8", 0, over("against minimax", level=0.51), YES),
    ("fig8", 0, over("against minimax", level=0.49), NO),
    ("fig8", 0, over("against minimax", level=TORN_BY_A_POINT), MAYBE),
    ("fig8", 1, over("against itself", level=0.51), YES),
    ("fig8", 1, over("against itself", level=0.49), NO),
    ("fig8", 2, over("random first, then itself", level=0.51), YES),
    ("fig8", 2, over("against random", level=0.51), NO),
    ("fig9", 0, over("1.2, kappa -1", panel=TRAILS, on_won=1.2), YES),
    ("fig9", 0, over("1.2, kappa -1", panel=TRAILS, on_won=0.8), NO),
    ("fig9", 0, over("1.2, kappa -1", panel=TRAILS, on_won=1 + TORN), MAYBE),
    ("fig9", 0, over("1.2, kappa -1", panel=ONE, on_won=0.8), MAYBE),  # the other reading
    ("fig9", 2, over("1.2, kappa -1", panel=ONE, on_won=0.8), NO),
    ("fig9", 1, over("1.2, kappa -1", panel=TRAILS, level=0.51), YES),
    ("fig9", 1, over("1.2, kappa -1", panel=TRAILS, level=0.49), NO),
    ("fig9", 3, over("1.1", panel=ONE, level=FALLS), YES),  # the end counts
    ("fig10", 0, {}, YES),  # from 0.2 to 0.5
    ("fig10", 0, over("epsilon from 0.9", panel=TRAILS, level=0.1), NO),
    ("fig10", 0, over("epsilon from 0.9", panel=TRAILS, level=STARTED + TORN / 100), MAYBE),
    ("fig10", 1, over("epsilon from 0.9", panel=TRAILS, on_lost=0.5), YES),
    ("fig10", 4, over("epsilon from 0.9", panel=ONE, on_lost=1.5), NO),
    ("fig10", 1, over("epsilon 0.01", panel=TRAILS, on_lost=0.1), MAYBE),
    ("fig10", 2, over("epsilon 0.01", panel=TRAILS, level=0.49), YES),
    ("fig10", 5, over("epsilon 0.01", panel=ONE, level=0.51), NO),
    ("fig11", 0, over("kappa -0.8", "kappa 0", panel=TRAILS, level=0.49), YES),
    ("fig11", 0, over("kappa -0.8", panel=TRAILS, level=0.51) | over("kappa 0", panel=TRAILS, level=0.1), NO),
    ("fig11", 8, over("kappa 0", panel=ONE, level=0.1), MAYBE),
    ("fig11", 1, over("kappa -0.8", panel=TRAILS, level=FALLS), YES),
    ("fig11", 1, over("kappa -1", panel=TRAILS, level=FALLS), NO),
    ("fig11", 1, {}, MAYBE),
    ("fig11", 2, over("kappa -0.8", panel=TRAILS, level=FALLS), YES),
    ("fig11", 2, over("kappa -0.8", panel=TRAILS, level=1 - FALLS), NO),
    ("fig11", 2, over("kappa -1", panel=TRAILS, level=FALLS), MAYBE),
    ("fig11", 3, over("kappa -0.8", panel=TRAILS, level=RESTLESS), YES),
    ("fig11", 3, over("kappa -1", panel=TRAILS, level=RESTLESS), NO),
    ("fig11", 3, {}, MAYBE),
    # An arm that has not moved is no steady learner, however little it changes.
    (
        "fig11",
        3,
        over("kappa -0.8", panel=TRAILS, level=RESTLESS) | over("kappa -1", panel=TRAILS, level=STARTED),
        MAYBE,
    ),
    ("fig11", 4, over("kappa 0", panel=TRAILS, on_won=0.4), YES),
    ("fig11", 4, over("kappa 0", panel=TRAILS, on_won=0.6), NO),
    ("fig11", 4, over("kappa 0", panel=TRAILS, on_won=0.5 + 0.1 * TORN), MAYBE),
    ("fig11", 5, over("kappa 0", panel=TRAILS, level=0.04 - LUCK), YES),
    ("fig11", 5, over("kappa 0", panel=TRAILS, level=0.06 - LUCK), NO),
    ("fig11", 13, over("kappa 0", panel=ONE, level=0.05 - LUCK + 0.01 * TORN), MAYBE),
    ("fig11", 6, {}, YES),
    ("fig11", 6, over("kappa 0", panel=TRAILS, level=0.1), NO),
    ("fig11", 7, over(TEXT, panel=TRAILS, level=0.49), YES),
    ("fig11", 7, over(TEXT, panel=TRAILS, level=0.51), NO),
    ("fig11", 15, over(TEXT, panel=ONE, level=TORN_BY_A_POINT), MAYBE),
    ("v11v12", 0, over("1.2", panel=TRAILS, level=0.51), YES),
    ("v11v12", 2, over("1.2", panel=ONE, level=0.49), NO),
    ("v11v12", 2, over("1.2", panel=TRAILS, level=0.49), MAYBE),
    ("v11v12", 1, over("1.1, kappa -1", panel=TRAILS, level=0.49), YES),
    ("v11v12", 3, over("1.1, kappa -1", panel=ONE, level=0.51), NO),
    ("long", 0, {}, YES),
    ("long", 0, over("kappa -1", level=FALLS), NO),
    ("long", 0, over("kappa -1", level=STARTED), MAYBE),  # nothing was learned that could stay
    ("long", 0, over("kappa -1", level=np.array([0.5, 0.5, 0.5, 0.55]) + np.outer(TORN, [0, 0, 0, 0.01])), MAYBE),
    ("outputs", 0, over("scaled", panel="kappa 0", level=0.51), YES),
    ("outputs", 0, over("scaled", panel="kappa 0", level=0.49), NO),
    ("outputs", 1, over("sigmoid", panel="kappa -1", level=0.51), NO),
    ("outputs", 1, over("scaled", panel="kappa -1", level=TORN_BY_A_POINT), MAYBE),
    ("readings", 0, over("one view", level=0.51), YES),
    ("readings", 1, over("two trails, playing on", level=0.51), NO),
    ("readings", 2, over("two trails, playing on", level=0.51), MAYBE),
    ("rewards", 0, over("1.2, kappa 0", panel=ONE, level=0.51), YES),
    ("rewards", 0, over("1.2, kappa 0", panel=TRAILS, level=0.51), NO),
    ("rewards", 1, over("1.1, kappa 0", panel=ONE, level=TORN_BY_A_POINT), MAYBE),
    ("rewards", 2, over("1.2, kappa 0", panel=ONE, on_won=1.2), YES),
    ("rewards", 2, over("1.2, kappa 0", panel=TRAILS, on_won=1.2), MAYBE),
    ("rewards", 3, over("1.2, kappa 0", panel=ONE, level=0.51 - LUCK), YES),
    ("rewards", 3, over("1.2, kappa 0", panel=ONE, level=0.49 - LUCK), NO),
    ("rewards", 4, over("1.2, kappa -1", panel=TRAILS, level=0.51), YES),
    ("rewards", 5, over("1.2, kappa -0.8", panel=ONE, level=0.51), NO),
    ("rates", 0, {}, YES),
    ("rates", 0, over("alpha 0.3", panel="1.1, two trails", level=0.59), YES),
    ("rates", 0, over("alpha 0.3", panel="1.1, two trails", level=0.61), NO),
    ("rates", 1, over("alpha 0.3", panel="1.1, two trails", level=0.61), YES),
    ("rates", 0, over("alpha 0.003", panel="1.1, two trails", level=0.6 + 0.01 * TORN), MAYBE),
]


@pytest.mark.parametrize(("figure", "claim", "levels", "verdict"), CASES)
def test_verdicts_on_curves(figure: str, claim: int, levels: Mapping[Place, Any], verdict: str) -> None:
    found = judged(figure, levels)
    assert found.claims[claim].verdict == verdict, found.claims[claim]
    assert "not run" not in "".join(claim.found for claim in found.claims)


def test_what_rests_on_dead_networks_cannot_be_judged() -> None:
    """Three of ten say the same of every position: of all claims only those over another arm, or about death, stand."""
    dead = {"spread": np.where(np.arange(SEEDS) < 3, 0.0, 0.5), "size": 0.5}
    seen = data("fig11", over("kappa -1", panel=TRAILS, **dead))
    found = judged_by_life(STUDY.figures["fig11"].judge(seen), seen)
    unjudged = [claim.verdict == "cannot be judged" for claim in found.claims]
    assert unjudged == [True, True, False, True, False, False, False, True] + [False] * 8
    assert found.values[f"{TRAILS}, kappa -1: networks"] == "7 of 10 networks alive (3 flat)"


def test_an_outline_is_judged_too() -> None:
    claims = judged("rates", {}, quick=True).claims
    assert [claim.verdict for claim in claims] == [YES] * 3
    assert "alpha 0.3 " not in claims[0].found


# --- games between agents -----------------------------------------------------------------------------------------


def games(first: str, second: str, **given: Any) -> list[Series]:
    """Ten games of each seed: half of them won, unless it is said otherwise, for all or by seed."""
    usual = {"won": 5, "tied": 0, "ahead": 5, "behind": 5, "gained": 15, "lost": 15, "plies": 900}
    rows = {name: np.broadcast_to(np.asarray(value, int), SEEDS).tolist() for name, value in (usual | given).items()}
    return [
        Series(seed, first, second, 10, **{name: values[seed] for name, values in rows.items()})
        for seed in range(SEEDS)
    ]


TORN_GAMES = [4, 6, 5, 4, 6] * 2


def nets(**ahead: Any) -> list[Series]:
    """Every network against the three of reference, later ones winning but for these, as `_250_100=5`."""
    played = []
    for one in NETS:
        for two in (10, 250, 1000):
            if one != two:
                won = ahead.get(f"_{one}_{two}", 8 if one > two else 2)
                played += games(f"Net {one}", f"Net {two}", ahead=won, behind=10 - np.asarray(won))
    return played


@pytest.mark.parametrize(
    ("played", "wanted"),
    [
        (nets(), [YES, YES, YES]),
        (nets(_100_10=5), [MAYBE, YES, YES]),
        (nets(_1000_10=4), [NO, YES, YES]),
        (nets(_100_250=9), [YES, YES, YES]),  # it has learned less
        (nets(_1000_250=TORN_GAMES), [YES, MAYBE, YES]),
        (nets(_1000_250=4), [YES, NO, YES]),
        (nets(_250_1000=6), [YES, YES, NO]),
        (nets(_10_1000=5), [YES, YES, MAYBE]),
    ],
)
def test_later_networks_win(played: list[Series], wanted: list[str]) -> None:
    found = judged("fig7", {}, played)
    assert [claim.verdict for claim in found.claims] == wanted
    assert [row[0] for row in found.table[1:]] == [f"Net {number}" for number in NETS]
    assert found.table[1][1] == ""  # nobody meets itself
    assert found.claims[0].arms == (("", "Net 100"), ("", "Net 250"), ("", "Net 1000"))
    if played == nets():
        assert found.table[2][1:] == ["80.00% [80.00, 80.00]", "20.00% [20.00, 20.00]", "20.00% [20.00, 20.00]"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"ahead": 10, "behind": 0, "gained": 15}, [YES, YES, YES]),
        ({"ahead": 9, "behind": 0, "gained": 14}, [YES, NO, NO]),
        ({"ahead": [10, 10, 9, 10, 10] * 2, "behind": 0, "gained": [14, 16, 15, 14, 16] * 2}, [YES, MAYBE, MAYBE]),
        ({"ahead": 4, "behind": 6}, [NO, NO, YES]),
        ({"ahead": TORN_GAMES, "behind": 5}, [MAYBE, NO, YES]),
        ({"won": 0, "tied": 10, "ahead": 10, "behind": 0}, [YES, YES, YES]),  # cycles are won by more marbles
    ],
)
def test_version_one_point_one_against_one(given: dict[str, Any], wanted: list[str]) -> None:
    usual, other = (("1.1, " + reading, "1.0, " + reading) for reading in (ONE, TRAILS))
    found = judged("v10v11", {}, [*games(*usual, **given), *games(*other, ahead=10, behind=0)])
    assert [claim.verdict for claim in found.claims] == [YES, YES, YES, *wanted]
    if "tied" in given:
        assert found.values["1.1 against 1.0, one view"].endswith("score of the house 50.00% [50.00, 50.00]")


def test_a_program_that_is_not_to_be_had_is_no_test_whatever_stands_in_for_it() -> None:
    played = []
    for depth in (4, 5, 6):
        for reading in READINGS:
            played += games(f"1.1, {reading}", f"alphabeta:{depth}", lost=depth, gained=0)
    found = judged("table2", {}, played)
    assert [claim.verdict for claim in found.claims] == [NEVER] * 3
    assert found.claims[1].found.endswith("two trails 0.500 [0.500, 0.500]; one view 0.500 [0.500, 0.500]")
    assert [row[:3] for row in found.table[1:3]] == [
        ["1.1, two trails", "alphabeta:4", "100"],
        ["1.1, one view", "alphabeta:4", "100"],
    ]
    assert found.table[5][4] == "0.600 [0.600, 0.600]"
    outline = judged("table2", {}, games("1.1, one view", "alphabeta:1"))
    assert [claim.found.endswith("not run") for claim in outline.claims] == [True] * 3


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
            played += games(f"{version}, two trails", other, won=wins)
            played += games(f"{version}, one view", other, won=8)
    found = judged("tables34", {}, played)
    assert [claim.verdict for claim in found.claims] == [*wanted, MAYBE, MAYBE, YES, YES, YES]
    ratings = [int(row[1]) for row in found.table[1:]]
    assert ratings == sorted(ratings, reverse=True)
    assert len(ratings) == 13
    order = [row[0] for row in found.table]
    assert order.index("alphabeta:4") < order.index("random")
    games_of = {row[0]: (row[3], row[4]) for row in found.table[1:]}
    assert games_of["1.0, two trails"] == (f"{10.0 * won[0]:.1f}%", f"{100 * len(OTHERS)}")
