"""Agents of puzzles graded by the truth: explored / floor, the right ends, and moves that keep a puzzle solvable."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from ludus.agents.find import find_player
from ludus.errors import BadInput
from ludus.games import make_game
from ludus.games.solitaire_chess.orders import BASELINE
from ludus.play.player import RandomPlayer
from ludus.search.puzzle.order import PythonOrder, random_order
from ludus.search.puzzle.solver import PuzzleSolver
from ludus.truth import puzzle, truth_of
from ludus.truth.protocol import Effort, Truth
from ludus.truth.puzzle import PuzzleTruth, order_of, unseen_puzzles

GAME = make_game("solitaire-chess")


def truth() -> PuzzleTruth:
    found = truth_of(GAME)
    assert isinstance(found, PuzzleTruth)
    return found


class Ordered(RandomPlayer):
    """An agent with an order of its own."""

    def __init__(self, order: Any) -> None:
        self._order = order

    def order(self, game: Any) -> Any:
        return self._order


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(puzzle, "PUZZLES", {Effort.QUICK: 12})
    monkeypatch.setattr(puzzle, "WALKED", {Effort.QUICK: 4})
    return 12


@pytest.mark.slow
def test_the_baseline_graded_is_the_baseline(few: int) -> None:
    grade = truth().grade(Ordered(BASELINE), Effort.QUICK)
    for level, found in zip(GAME.entry.levels, grade.levels, strict=True):
        puzzles = unseen_puzzles(GAME, level, few)
        assert (found.puzzles, found.right, found.worse) == (few, few, 0)
        assert found.ratio == pytest.approx(np.mean([each.explored / each.pieces for each in puzzles]))
        assert found.ratio == found.baseline
        assert found.explored == np.mean([each.explored for each in puzzles])
    document = grade.to_json()
    assert document["accuracy"] == 1
    assert document["explored_to_floor"] == pytest.approx(np.mean([level.ratio for level in grade.levels]))
    walked = [truth().solver.walk(each.state, BASELINE) for each in unseen_puzzles(GAME, "expert", 4)]
    assert document["kept_positions"] == sum(each.positions for each in walked if each)
    assert document["kept"] == sum(each.kept for each in walked if each) / document["kept_positions"]


@pytest.mark.slow
def test_who_knows_what_can_be_solved_explores_the_floor(few: int) -> None:
    """An order by the census itself keeps every puzzle solvable, and comes to each solution without a detour."""
    solver = truth().solver

    def rate(state: Any) -> np.ndarray:
        rates = np.zeros(GAME.num_actions, np.float32)
        for action, after in (solver.moves(state) or {}).items():
            rates[action] = after
        return rates

    oracle = PythonOrder("oracle", rate)
    other = PuzzleSolver(GAME)  # the oracle's own is at work
    for each in unseen_puzzles(GAME, "expert", 4):
        assert other.first(each.state, oracle).explored == each.pieces
        walked = other.walk(each.state, oracle)
        assert walked is not None
        assert walked.kept == walked.positions


@pytest.mark.slow
def test_an_order_that_says_how_likely_is_graded_by_both_searches(few: int) -> None:
    agent = find_player("solitaire-chess/best", GAME)
    order, grade = order_of(agent, GAME), truth().grade(agent, Effort.QUICK)
    for level, found in zip(GAME.entry.levels, grade.levels, strict=True):
        puzzles = unseen_puzzles(GAME, level, few)
        ratios = [truth().solver.likeliest(each.state, order).explored / each.pieces for each in puzzles]
        assert found.best_first == pytest.approx(np.mean(ratios))
        assert found.best_first is not None
        assert found.best_first_ci95 is not None
        assert found.best_first_ci95[0] <= found.best_first <= found.best_first_ci95[1]
        assert found.best_first < 1.5
    assert "(best first 1.0" in grade.summary()
    assert "likeliest line first 1.0" in grade.lines()[0]
    by_baseline = truth().grade(Ordered(BASELINE), Effort.QUICK)
    assert all(level.best_first is None for level in by_baseline.levels)
    assert "best first" not in by_baseline.summary() + "".join(by_baseline.lines())


def test_agents_have_an_order() -> None:
    assert order_of(RandomPlayer(), GAME).name == random_order().name

    class Thinks(RandomPlayer):
        weights = np.float32(2)

        def ratings(self, game: Any, lookahead: bool = True) -> Any:
            return lambda weights, state: weights * jnp.arange(GAME.num_actions, dtype=jnp.float32)

    order = order_of(Thinks(), GAME)
    assert isinstance(order, PythonOrder)
    assert order.rate(GAME.parse("N3/1B2/P3/4"))[3] == 6


def test_what_it_cannot_say_is_refused() -> None:
    known = truth()
    assert isinstance(known, Truth)
    for ask in (known.count, known.policy, lambda: known.solve(GAME.parse("N3/4/4/4"))):
        with pytest.raises(BadInput, match="solitaire-chess"):
            ask()
