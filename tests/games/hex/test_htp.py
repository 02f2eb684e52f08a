"""A position told move by move is that position, whatever was told before."""

from __future__ import annotations

import random

import pytest

from ludus.core.dialect import Said
from ludus.core.line import Line
from ludus.games.hex.htp import DIALECT, way
from ludus.games.hex.rules import Hex


def played(game: Hex, chance: random.Random, plies: int) -> Line:
    """A game of so many plies, or to the one before its end."""
    line = Line(game, game.init())
    for _ in range(plies):
        line.push(chance.choice(line.legal()))
        if line.ending() is not None:
            line.cut(len(line.actions) - 1)
            break
    return line


def reached(game: Hex, moves: list[Said]) -> str:
    line = Line(game, game.init())
    for seat, word in moves:
        assert line.player() == seat
        line.push(game.parse_move(line.state, DIALECT.hear(word)))
    return game.format(line.state)


@pytest.mark.parametrize("game", [Hex(size=4), Hex(size=4, swap=True)], ids=["plain", "swap"])
def test_the_way_to_a_position_leads_there(game: Hex) -> None:
    chance, told, swapped = random.Random(1), [], 0
    for _ in range(60):
        line = played(game, chance, chance.randint(0, 12))
        if game.swap and chance.random() < 0.5:  # which chance alone would seldom choose
            line = played(game, chance, 1)
            line.push(game.parse_move(line.state, "swap"))
            line.push(chance.choice(line.legal()))
        moves = way(game, line.state, told)
        assert reached(game, moves) == game.format(line.state)
        swapped += any(word == "swap-pieces" for _, word in moves)
        told = moves if chance.random() < 0.5 else []
    assert (swapped > 0) == game.swap


def test_a_game_that_goes_on_is_told_by_its_new_moves_alone() -> None:
    for game in (Hex(size=5), Hex(size=5, swap=True)):
        line, told = Line(game, game.init()), []
        for move in ("e1", "swap", "c3", "b4") if game.swap else ("e1", "c3", "b2", "d4"):
            line.push(game.parse_move(line.state, move))
            moves = way(game, line.state, told)
            assert moves == [*told, (len(told) % 2, DIALECT.say(move))]
            told = moves


def test_stones_that_are_gone_are_told_anew() -> None:
    game = Hex(size=3)
    told = [(0, "a1"), (1, "b2")]
    assert way(game, game.parse("..B/.../... w"), told) == [(0, "c1")]
    assert way(game, game.parse("WB./.../... b"), [(0, "a1")]) == [(0, "b1"), (1, "a1")]


def test_a_position_that_white_began_is_told_so() -> None:
    """Which other programs may take; with the swap rule it is one that comes about."""
    text = "W../.../... b"
    assert way(Hex(size=3), Hex(size=3).parse(text), []) == [(1, "a1")]
    swapping = Hex(size=3, swap=True)
    assert way(swapping, swapping.parse(".../W../... b"), []) == [(0, "b1"), (1, "swap-pieces")]


def test_colours_cells_and_the_swap_are_those_of_other_programs() -> None:
    """Black moves first and joins top and bottom; a letter is a column, a number a row from the top."""
    game = Hex(size=2)
    line = Line(game, game.init())
    for move in ("a1", "b1", "a2"):
        line.push(game.parse_move(line.state, move))
    ending = line.ending()
    assert ending is not None
    assert ending.result == "black"
    assert DIALECT.colours[0][0] == "black"
    assert game.format(line.state) == "BW/B. w"
    swapping = Hex(size=3, swap=True)
    assert reached(swapping, [(0, "c1"), (1, "swap-pieces")]) == ".../.../W.. b"
