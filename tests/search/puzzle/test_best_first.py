"""The likeliest line first, against the definition on the slow rules: of all lines that wait, the one whose product is
the highest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.cases import reference_of
from helpers.text import refusal
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.core.game import compiled
from ludus.games import make_game
from ludus.games.solitaire_chess import twin as solitaire_twin
from ludus.games.solitaire_chess.orders import BASELINE
from ludus.search.compiled import jit
from ludus.search.puzzle import best_first
from ludus.search.puzzle.order import Order, PythonOrder
from ludus.search.puzzle.solver import PuzzleSolver

PUZZLES = ("N3/1B2/P3/4", "4/P3/4/B1NR", "2R1/N2K/2RQ/PB2", "RRQP/4/2N1/2N1", "1N2/2R1/4/RNP1", "2RR/4/4/4")
HOPELESS = ("K2B/4/4/P3", "4/1BB1/1PB1/P2N")
GAME = make_game("solitaire-chess")
twin: Any = solitaire_twin


@jit
def _by_number(board: Any, actions: Any, count: int, out: Any, seed: Any) -> None:
    for i in range(count):
        out[i] = np.float32((int(actions[i]) * int(seed[0]) % 101 - 50) / 8)


def odds(action: int, seed: int) -> float:
    return float(np.float32((action * seed % 101 - 50) / 8))


def by_number(seed: int) -> Order:
    return Order("by number", _by_number, np.array([seed]), likely=True)


def slowly(text: str, said: Callable[[int], float]) -> tuple[int, list[str] | None]:
    """All lines that wait in a list, which is looked through each time."""
    reference, waiting, explored = reference_of(GAME), [(0.0, text, [])], 0
    while waiting:
        best = max(range(len(waiting)), key=lambda place: (waiting[place][0], place))
        score, text, line = waiting.pop(best)
        explored += 1
        moves = reference.moves(text)
        if not moves and reference.result(text) == (1.0,):
            return explored, line
        state = GAME.parse(text)
        actions = {GAME.parse_move(state, move): move for move in moves}
        for action in in_order(state):
            likelihood = best_first.likelihood(said(action))  # the same to the last bit, as many lines are as likely
            waiting.append(
                (score + likelihood + best_first.PLY, reference.play(text, actions[action]), [*line, actions[action]])
            )
    return explored, None


def in_order(state: Any) -> list[int]:
    """Which of two as likely is the later is the twin's to say."""
    out = np.zeros(GAME.max_legal, np.int16)
    return out[: twin.moves(twin.from_state(GAME, state), out)].tolist()


@pytest.fixture(scope="module")
def solver() -> PuzzleSolver:
    return PuzzleSolver(GAME)


@pytest.mark.parametrize("text", [*PUZZLES, *HOPELESS])
@pytest.mark.parametrize("seed", [7, 13])
def test_it_enters_what_the_definition_enters(solver: PuzzleSolver, text: str, seed: int) -> None:
    state = GAME.parse(text)
    explored, line = slowly(text, lambda action: odds(action, seed))
    found = solver.likeliest(state, by_number(seed))
    assert (found.explored, found.solved) == (explored, line is not None)
    texts, at = [], state
    for action in found.actions:
        texts.append(GAME.format_move(at, action))
        at = compiled(GAME).step(at, action)
    assert texts == (line or [])


@pytest.mark.parametrize("text", HOPELESS)
def test_what_cannot_be_solved_is_gone_through_whole(solver: PuzzleSolver, text: str) -> None:
    census = solver.census(GAME.parse(text))
    assert census is not None
    found = solver.likeliest(GAME.parse(text), by_number(7))
    assert (found.solved, found.explored) == (False, census.calls)


def test_who_knows_the_solution_explores_no_more_than_its_moves(solver: PuzzleSolver) -> None:
    """And who says of every move that it is as likely goes on with what it began."""
    state = GAME.parse(PUZZLES[2])
    line = solver.first(state, BASELINE).actions
    knows = _knowing(frozenset(line))
    assert solver.likeliest(state, knows).explored <= 2 * len(line)


def _knowing(actions: frozenset[int]) -> Order:
    table = np.full(GAME.num_actions, -9, np.float32)
    table[list(actions)] = 9
    return Order("knows", _looked_up, table, likely=True)


@jit
def _looked_up(board: Any, actions: Any, count: int, out: Any, table: Any) -> None:
    for i in range(count):
        out[i] = table[actions[i]]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=40))
def test_lines_are_taken_the_best_first_and_the_later_of_those_alike(scores: list[float]) -> None:
    lines = best_first.frontier_of(64)
    best_first.add(lines, -1, -1, 0.0)
    best_first.take(lines)
    for score in scores:
        best_first.add(lines, 0, 0, score)
    taken = [best_first.take(lines) for _ in scores]
    assert taken == sorted(range(1, len(scores) + 1), key=lambda line: (-scores[line - 1], -line))


@pytest.mark.parametrize("value", [-300.0, -2.0, 0.0, 1e-3, 40.0, 1e9])
def test_a_likelihood_is_the_sigmoids_logarithm(value: float) -> None:
    exact = -math.log1p(math.exp(-value)) if value > -30 else value
    assert best_first.likelihood(value) == pytest.approx(exact, abs=1e-12)


def test_an_order_that_does_not_say_how_likely_is_refused(solver: PuzzleSolver) -> None:
    state, sentence = GAME.parse(PUZZLES[0]), "the order {} does not say how likely a move is to be right."
    assert refusal(lambda: solver.likeliest(state, BASELINE)) == sentence.format("baseline")
    asked = PythonOrder("someone", lambda state: np.zeros(GAME.num_actions))
    assert refusal(lambda: solver.likeliest(state, asked)) == sentence.format("someone")


def test_a_search_without_room_gives_up(solver: PuzzleSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    small = PuzzleSolver(GAME)
    monkeypatch.setattr("ludus.search.puzzle.solver.LINES", GAME.max_legal + 2)
    found = small.likeliest(GAME.parse(HOPELESS[1]), by_number(7))
    assert (found.solved, found.actions) == (None, ())
    assert found.explored >= 1
