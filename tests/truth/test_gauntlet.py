"""The ladder: who stands on it, what is counted, and that better players climb higher."""

from __future__ import annotations

import pytest

from ludus.agents.find import find_player
from ludus.games import make_game
from ludus.play.player import RandomPlayer
from ludus.truth import truth_of
from ludus.truth.gauntlet import GAMES, TIMES, Gauntlet, GauntletGrade
from ludus.truth.protocol import Effort
from ludus.truth.sampled import Unsolved

NAMES = ["random", "centre at one ply", "hand at one ply"]


def test_games_with_an_evaluation_have_a_ladder() -> None:
    assert isinstance(truth_of(make_game("abalone")), Gauntlet)
    assert not isinstance(truth_of(make_game("solitaire-chess")), Gauntlet)
    assert not isinstance(truth_of(make_game("solitaire-chess")), Unsolved)


def scores(grade: GauntletGrade) -> dict[str, float]:
    return {row["against"]: row["score"] for row in grade.to_json()["ladder"]}


@pytest.mark.campaign
def test_better_players_climb_higher() -> None:
    game = make_game("abalone", cap=60)
    low, high = (
        truth_of(game).grade(agent, Effort.QUICK) for agent in (RandomPlayer(), find_player("minimax:1", game))
    )
    assert isinstance(low, GauntletGrade)
    assert isinstance(high, GauntletGrade)
    assert list(scores(low)) == list(scores(high)) == NAMES
    assert all(row["games"] == GAMES * TIMES[Effort.QUICK] for row in high.to_json()["ladder"])
    assert all(scores(high)[name] > scores(low)[name] for name in NAMES)
    assert scores(low)["random"] > scores(low)["hand at one ply"]
    assert high.to_json()["score"] == scores(high)["hand at one ply"]
    assert high.summary().startswith("scores ")
    assert len(high.lines()) == len(NAMES)
