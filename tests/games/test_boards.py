"""The board that a room shows is the board that its rules play on: a move made by hand leads where the rules lead."""

from __future__ import annotations

import random
from typing import Any

import pytest

from ludus import games as registry
from ludus.core.board import BoardGeometry, Shown, Way
from ludus.core.game import Game
from ludus.core.line import Line, fresh_start
from ludus.games import make_game

CASES = [
    ("lgame", {}),
    ("hex", {"size": 2}),
    ("hex", {"size": 5}),
    ("hex", {"size": 19}),
    ("hex", {"size": 4, "swap": True}),
    ("abalone", {}),
    ("abalone", {"layout": "belgian-daisy"}),
    ("solitaire-chess", {}),
    ("solitaire-chess", {"size": 8, "pieces": 20}),
    ("solitaire-chess", {"size": 5, "rules": "solo", "pieces": 8}),
]
PLIES = 40


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}:{case[1]}")
def made(request: pytest.FixtureRequest) -> tuple[Game, Any]:
    name, options = request.param
    return make_game(name, **options), registry.part(name, "board")


def some_lines(game: Game) -> list[Line]:
    lines = []
    for seed in range(3):
        line, chance = Line(game, fresh_start(game, seed)), random.Random(seed)
        while len(line.actions) < PLIES and line.ending() is None:
            line.push(chance.choice(line.legal()))
        lines.append(line)
    return lines


def test_cells_have_names_and_places_of_their_own(made: tuple[Game, Any]) -> None:
    game, board = made
    found: BoardGeometry = board.geometry(game)
    assert len({cell.name for cell in found.cells}) == len(found.cells)
    places = [(cell.x, cell.y) for cell in found.cells]
    near = [((x - u) ** 2 + (y - v) ** 2) ** 0.5 for x, y in places for u, v in places if (x, y) != (u, v)]
    assert min(near) == pytest.approx(1)
    for x, y, _ in (*((x, y, "") for x, y in places), *found.notes):
        assert 0 < x < found.width
        assert 0 < y < found.height


def test_a_move_by_hand_leads_where_the_rules_lead(made: tuple[Game, Any]) -> None:
    game, board = made
    cells = {cell.name for cell in board.geometry(game).cells}
    letters = set(board.geometry(game).pieces)
    for line in some_lines(game):
        for ply, state in enumerate(line.states):
            text = game.format(state)
            shown: Shown = board.show(game, text)
            assert set(shown.pieces) <= cells
            assert set(shown.pieces.values()) <= letters
            if ply == len(line.actions):
                continue
            move = game.format_move(state, line.actions[ply])
            way: Way = board.way(game, text, move)
            after: Shown = board.show(game, game.format(line.states[ply + 1]))
            if move != "swap":
                assert by_hand(board.geometry(game), shown, way, line.player(ply)) == after.pieces


def by_hand(geometry: BoardGeometry, shown: Shown, way: Way, seat: int) -> dict[str, str]:
    """What stands where after a move, by its way alone."""
    own = next((letter for letter, side in geometry.sides.items() if side == seat), "")
    pieces = dict(shown.pieces)
    lifted = {start: pieces.pop(start) for start, _ in way.goes}
    for start, end in way.goes:
        if end is not None:
            pieces[end] = lifted[start]
    if geometry.kind == "lay":
        pieces = {cell: letter for cell, letter in pieces.items() if letter != own}
    if not way.goes:
        pieces |= dict.fromkeys(way.put, own)
    if way.then:
        pieces[way.then[1]] = pieces.pop(way.then[0])
    return pieces


def test_no_two_moves_are_made_by_the_same_hand(made: tuple[Game, Any]) -> None:
    game, board = made
    for line in some_lines(game):
        for state in line.states[:-1]:
            text = game.format(state)
            moves = [game.format_move(state, action) for action in Line(game, state).legal()]
            ways = [board.way(game, text, move) for move in moves]
            assert len({(way.take, way.put, way.then, way.at) for way in ways}) == len(ways)
            assert len({way.words for way in ways}) == len(ways)
            assert all(way.words for way in ways)


def test_a_marble_that_leaves_the_board_is_told() -> None:
    game, board = make_game("abalone"), registry.part("abalone", "board")
    text = "...../....../......./......../bbbbbbbbw/......../......./....../bbbbb b"
    way: Way = board.way(game, text, "e6e7")
    assert way.goes == (("e6", "e7"), ("e7", "e8"), ("e8", "e9"), ("e9", None))
    assert way.words == "e6 e7 e8 to e7 e8 e9, pushing e9 off the board"
    assert board.show(game, text).lost == {"b": 1, "w": 13}


def test_the_winning_chain_joins_the_edges() -> None:
    game, board = make_game("hex", size=4), registry.part("hex", "board")
    assert board.show(game, "BW../.BW./WBW./.B.. w").chain == ()
    assert board.show(game, ".BW./.BW./.BW./.B.. w").chain == ("b1", "b2", "b3", "b4")
    assert board.show(game, "B.BB/WWWW/B.../.... b").chain == ("a2", "b2", "c2", "d2")
