"""`ludus eval --ladder`."""

from __future__ import annotations

import pytest

from ludus.truth.gauntlet import GAMES, SEARCHED, TIMES
from ludus.truth.protocol import Effort

NAMES = ["random", "centre at one ply", "hand at one ply"]


@pytest.mark.campaign
def test_with_time_there_is_a_search_to_climb_past(ludus) -> None:
    document = ludus("eval", "random", "--game", "abalone", "--cap", "8", "--ladder", "--json").document
    rows = {row["against"]: row for row in document["ladder"]}
    assert list(rows) == [*NAMES, "alphabeta:2"]
    assert rows["alphabeta:2"]["games"] == SEARCHED[Effort.WHOLE]
    assert rows["random"]["games"] == GAMES * TIMES[Effort.WHOLE]
    assert all(row["wins"] + row["draws"] + row["losses"] == row["games"] for row in rows.values())
    assert document["against"] == "alphabeta:2"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("eval lgame/best --ladder", "lgame cap=100 has no fixed list of opponents; give --exact"),
        ("eval random --game solitaire-chess --ladder", "has no fixed list of opponents; give --exact"),
    ],
)
def test_other_games_have_none(ludus, words: str, why: str) -> None:
    assert why in ludus(*words.split()).refusal
