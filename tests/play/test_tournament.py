"""A tournament is the matches of all its pairs."""

from __future__ import annotations

import json
from dataclasses import asdict

import jax
import numpy as np
import pytest
from helpers.players import FIRST, LAST, OTHER, RANDOM

from ludus.errors import BadInput
from ludus.games.hex.rules import Hex
from ludus.play import arena
from ludus.play.ratings import bradley_terry
from ludus.play.tournament import Pairing, tournament

HEX = Hex(size=3)
KEY = jax.random.key(11)


@pytest.mark.slow
def test_wins_are_counted_by_seat_and_season() -> None:
    """Players without chance play two games over and over, and a slow match of each pair says who wins them."""
    found = tournament(HEX, [FIRST, LAST], 6, KEY, seasons=3, openings=0)
    rows = {row.agent: row for row in found.rows}
    first, second = (tally.wins > 0 for tally in arena.match(HEX, FIRST, LAST, 2, KEY, openings=0).by_seat)
    assert (rows["first"].first, rows["first"].second) == ((3 * first,) * 3, (3 * second,) * 3)
    assert (rows["last"].first, rows["last"].second) == ((3 * (not second),) * 3, (3 * (not first),) * 3)
    # In the ratings they count once: two games say little.
    score = (first + second) / 2
    assert found.pairings == [Pairing("first", "last", 18, score, 0, 2)]
    two = bradley_terry(["first", "last"], np.array([[0, 2 * score], [2 - 2 * score, 0]]))
    assert rows["first"].ci95 == pytest.approx(two[0].ci95)
    # With chance the seasons differ, and each seat has half of a season's games.
    rows, pairings = tournament(HEX, [FIRST, RANDOM, OTHER], 200, KEY, seasons=2)
    assert all(pairing.distinct > 100 for pairing in pairings)
    assert any(row.first[0] != row.first[1] for row in rows)
    for season in range(2):
        assert sum(row.first[season] + row.second[season] for row in rows) == 3 * 200  # nothing is drawn in Hex
        assert all(max(row.first[season], row.second[season]) <= 200 for row in rows)


@pytest.mark.slow
def test_a_tournament_makes_a_table() -> None:
    told: list[tuple[int, int]] = []
    rows, pairings = tournament(
        HEX, [FIRST, RANDOM, LAST], 600, KEY, seasons=2, batch=500, on_batch=lambda *progress: told.append(progress)
    )
    assert [(pair.a, pair.b, pair.games, pair.openings) for pair in pairings] == [
        ("first", "random", 1200, 0),
        ("first", "last", 1200, 3),
        ("random", "last", 1200, 0),
    ]
    # 9 x 8 x 7 openings, of which the 600 pairs meet most in both seasons together.
    assert 504 < pairings[1].distinct <= 2 * 504
    assert {row.agent for row in rows} == {"first", "random", "last"}
    assert [row.rating for row in rows] == sorted((row.rating for row in rows), reverse=True)
    for row in rows:
        assert row.games == row.wins + row.draws + row.losses == 2 * 600 * 2
        assert row.ci95[0] < row.rating < row.ci95[1]
        assert len(row.first) == len(row.second) == 2
        assert sum(row.first + row.second) == row.wins
    assert sum(row.wins for row in rows) == sum(row.losses for row in rows)
    assert told[-1] == (3600, 3600)
    assert told == sorted(told)
    assert (rows, pairings) == tournament(HEX, [FIRST, RANDOM, LAST], 600, KEY, seasons=2, batch=500)
    assert json.loads(json.dumps([asdict(row) for row in rows]))[0]["agent"] == rows[0].agent
    scores = [(row.wins + row.draws / 2) / row.games for row in rows]
    assert scores == sorted(scores, reverse=True)  # all have met all as often, so the order is that of the scores


def test_what_is_no_tournament_is_refused() -> None:
    with pytest.raises(BadInput, match="random, random"):
        tournament(HEX, [RANDOM, RANDOM], 2, KEY)
    with pytest.raises(BadInput, match="not random"):
        tournament(HEX, [RANDOM], 2, KEY)
    with pytest.raises(BadInput, match="at least one season"):
        tournament(HEX, [RANDOM, FIRST], 2, KEY, seasons=0)
