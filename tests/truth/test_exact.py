"""Grades: what is reported of an agent is what the exact evaluation found, and its refutation can be played."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.cases import reference_of

from ludus.core.game import Game
from ludus.games import make_game
from ludus.training.agents import PerfectAgent, RandomAgent
from ludus.truth import evaluate
from ludus.truth.exact import ExactGrade, GraphTruth, grade_policy
from ludus.truth.protocol import EPSILON, Effort
from ludus.truth.solve import solve

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
    found = GraphTruth(LGAME).grade(PerfectAgent(hardest=True))
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
        "won_positions": 8_048,
        "held": 1.0,
        "first_player_win": False,
        "vs_random": {"first": found.vs_random[0].win, "second": found.vs_random[1].win},
        "vs_perfect": {"first": 1.0, "second": 1.0},
        "epsilon": {"vs_random": 0.01, "vs_perfect": 0.0},
    }


def test_the_random_player_is_beaten_by_a_line_that_can_be_played() -> None:
    found = GraphTruth(LGAME).grade(RandomAgent(), Effort.QUICK)
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


@pytest.mark.parametrize("epsilon", [EPSILON, 0.0, 0.5])
def test_matches_are_played_to_the_game_s_cap_with_noise_only_against_random(epsilon: float) -> None:
    solution = solve(HEX2)
    graph = solution.graph
    policy = evaluate.greedy(graph, np.random.default_rng(3).random(len(graph.child)))
    found = grade_policy(solution, policy, epsilon)
    random, perfect = evaluate.uniform(graph), evaluate.among(graph, solution.holding)
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
