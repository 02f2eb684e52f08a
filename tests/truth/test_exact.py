"""Grades: what is reported of an agent is what the exact evaluation found, and its refutation can be played."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.cases import reference_of
from helpers.nim_game import Nim

from ludus.agents.perfect import PerfectPlayer
from ludus.core.game import Game
from ludus.games import make_game
from ludus.play.player import RandomPlayer
from ludus.truth import evaluate
from ludus.truth.exact import ExactGrade, GraphTruth, grade_policy
from ludus.truth.protocol import EPSILON, Effort
from ludus.truth.solve import SolvedGraph, solve

LGAME, HEX2, HEX3 = make_game("lgame"), make_game("hex", size=2), make_game("hex", size=3)


def replayed(game: Game, found: ExactGrade) -> tuple[float, ...] | None:
    """How the line that beats an agent ends, by the slow rules, every move of it legal."""
    slow, text = reference_of(game), game.format(game.init())
    for move in found.beaten_by:
        assert move in slow.moves(text), f"{move} in {text}"
        text = slow.play(text, move)
    return slow.result(text)


@pytest.mark.slow
def test_the_perfect_player_has_the_perfect_grade() -> None:
    found = GraphTruth(LGAME).grade(PerfectPlayer(hardest=True))
    assert found.perfect
    assert found.unbeatable
    assert (found.positions, found.held) == (18_248, 18_248)
    assert (found.beaten_by, found.beaten_in_seat) == ((), None)
    assert found.vs_random is not None
    assert found.vs_perfect is not None
    limits = (0.99985, 0.99991)
    assert all(limit - 2e-4 < seat.win < limit for seat, limit in zip(found.vs_random, limits, strict=True))
    assert [seat.no_loss for seat in found.vs_perfect] == [1, 1]
    report = json.loads(json.dumps(found.to_json()))
    assert report == {
        "value_preserving": 18_248,
        "positions": 18_248,
        "perfect": True,
        "unbeatable": True,
        "held_start": True,
        "won_positions": 8_048,
        "held": 1.0,
        "first_player_win": False,
        "vs_random": {"first": found.vs_random[0].win, "second": found.vs_random[1].win},
        "vs_perfect": {"first": 1.0, "second": 1.0},
        "epsilon": {"vs_random": 0.01, "vs_perfect": 0.0},
    }


def test_the_random_player_is_beaten_by_a_line_that_can_be_played() -> None:
    found = GraphTruth(LGAME).grade(RandomPlayer(), Effort.QUICK)
    assert not found.perfect
    assert not found.unbeatable
    assert found.vs_random is None
    assert found.vs_perfect is None
    assert found.beaten_in_seat is not None
    result = replayed(LGAME, found)
    assert result is not None
    assert result[found.beaten_in_seat] == -1
    report = found.to_json()
    assert report["beaten_by"] == list(found.beaten_by)
    assert report["beaten_in_seat"] == found.beaten_in_seat
    assert "vs_random" not in report


def test_a_line_of_hex_can_be_played() -> None:
    solution = solve(HEX3)
    for seed in range(5):
        policy = evaluate.greedy(solution.graph, np.random.default_rng(seed).random(len(solution.graph.child)))
        found = grade_policy(solution, policy, matches=False)
        assert found.beaten_in_seat is not None
        result = replayed(HEX3, found)
        assert result is not None
        assert result[found.beaten_in_seat] == -1


def test_being_beaten_in_the_seat_that_loses_is_no_fault() -> None:
    """Hex is won by the first player: whoever plays it perfectly is beaten as second all the same."""
    found = GraphTruth(HEX3).grade(PerfectPlayer(), Effort.QUICK)
    assert (found.perfect, found.first_player_win, found.held_start, found.lost_seat) == (True, True, True, 1)
    assert (found.unbeatable, found.beaten_in_seat) == (False, 1)
    assert replayed(HEX3, found) == (1, -1)
    assert found.lines()[-2:] == [
        "moving first, it wins against every defence: all were followed",
        "as second player it is beaten, as anyone is: the first player wins",
    ]
    # A player that holds the start but not everything is not called beatable, and one that does not is.
    solution = solve(HEX3)
    graph = solution.graph
    reached = played_first(solution)
    lazy = graph.among(solution.hardest | ~reached[graph.parent])
    found = grade_policy(solution, lazy, matches=False)
    assert (found.perfect, found.held_start) == (False, True)
    assert found.summary().endswith("positions, unbeatable as first player")
    found = GraphTruth(HEX3).grade(RandomPlayer(), Effort.QUICK)
    assert (found.held_start, found.beaten_in_seat) == (False, 0)  # the seat that it should have held
    assert found.summary().endswith("positions, beatable")
    assert found.lines()[-2] == f"beaten as first player by: {' '.join(found.beaten_by)}"
    assert replayed(HEX3, found) == (-1, 1)


def played_first(solution: SolvedGraph) -> np.ndarray:
    """The positions that the hardest player meets, moving first."""
    graph = solution.graph
    met = np.zeros((2, graph.num_positions), bool)  # by who is to move: 0 the player
    met[0, 0] = True
    for _ in range(9):
        for mover in (0, 1):
            moves = met[mover][graph.parent] & (solution.hardest if mover == 0 else True)
            met[1 - mover][graph.child[moves]] = True
    return met[0]


class SmallNim(Nim):
    """That can be written down."""

    small = True  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]


def test_a_start_that_the_second_player_wins_is_held_by_the_second() -> None:
    """Take one or two of three: whoever leaves the last to the other loses, and the first must."""
    solution = solve(SmallNim(stones=3))
    assert solution.value[0] == -1
    perfect = grade_policy(solution, solution.graph.among(solution.holding), matches=False)
    assert (perfect.perfect, perfect.held_start, perfect.first_player_win, perfect.lost_seat) == (True, True, False, 0)
    assert (perfect.unbeatable, perfect.beaten_in_seat) == (False, 0)
    assert perfect.lines()[-1] == "as first player it is beaten, as anyone is: the second player wins"
    found = grade_policy(solution, evaluate.uniform(solution.graph), matches=False)
    assert (found.held_start, found.beaten_in_seat, len(found.beaten_by)) == (False, 1, 3)
    assert found.lines()[-2] == f"beaten as second player by: {' '.join(found.beaten_by)}"


@pytest.mark.parametrize("epsilon", [EPSILON, 0.0, 0.5])
def test_matches_are_played_to_the_game_s_cap_with_noise_only_against_random(epsilon: float) -> None:
    solution = solve(HEX2)
    graph = solution.graph
    policy = evaluate.greedy(graph, np.random.default_rng(3).random(len(graph.child)))
    found = grade_policy(solution, policy, epsilon)
    random, perfect = evaluate.uniform(graph), graph.among(solution.holding)
    mixed = (1 - epsilon) * policy + epsilon * random
    assert found.epsilon == epsilon
    assert found.vs_random is not None
    assert found.vs_perfect is not None
    for seats, wanted in (
        (found.vs_random, evaluate.chances(graph, mixed, random, 4)),
        (found.vs_perfect, evaluate.chances(graph, policy, perfect, 4)),
    ):
        for seat, exact in zip(seats, wanted, strict=True):
            assert (seat.win, seat.loss) == pytest.approx((exact.win, exact.loss))
            assert seat.win + seat.loss == pytest.approx(1)  # a full board has a winner
    assert found.positions == (~graph.over).sum()
    assert found.held == evaluate.held(solution, policy).sum()
