"""A game at hand: moves as texts, taken back and made again, what is refused, and how it is shown."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from helpers.text import refusal

import ludus
from ludus.core.game import Game
from ludus.core.table import Table

HEX = ludus.game("hex", size=3)


def test_moves_are_made_and_taken_back() -> None:
    table = HEX.start()
    assert (table.turn, table.moves, table.result(), table.over, table.ending) == ("black", [], None, False, None)
    assert table.push("b2", "A1 ") is table  # a typed move is tidied
    assert (table.moves, table.position, table.turn) == (["b2", "a1"], "W../.B./... b", "black")
    assert table.legal() == ["b1", "c1", "a2", "c2", "a3", "b3", "c3"]
    assert (table.undo(), table.undo(), table.redo()) == ("a1", "b2", "b2")
    assert (table.moves, table.turn) == (["b2"], "white")
    table.push("c3")  # what was taken back is forgotten
    assert refusal(table.redo) == "there is no move to make again."
    assert HEX.start("W../.B./... b").push("c3").position == "W../.B./..B w"
    assert HEX.format(table.state) == table.position


def test_a_move_that_cannot_be_played_changes_nothing() -> None:
    table = HEX.start().push("b2", "a1")
    table.undo()
    before = table.position
    assert refusal(table.push, "b1", "b2") == "hex move 'b2': a stone stands on b2 already."
    assert "there is no cell" in refusal(table.push, "z9") or table.position == before
    assert refusal(table.push, 4) == "a move of hex is a text, not 4."
    assert (table.position, table.moves, table.redo()) == (before, ["b2"], "a1")
    assert refusal(HEX.start().undo) == "there is no move to take back."


def test_how_a_game_ends() -> None:
    table = HEX.start().push("b1", "a1", "b2", "a2", "b3")
    assert (table.result(), table.over, table.legal()) == ("black", True, [])
    assert table.ending == ("black", "black wins.", (1.0, -1.0))
    assert refusal(table.push, "c3") == "hex move 'c3': the game is over: black wins."
    assert refusal(table.resign) == "nobody can resign now: black wins."
    assert str(table).endswith("\nblack wins.")
    table.undo()
    assert (table.result(), table.resign().result()) == (None, "white")
    assert table.undo() == "a2"
    assert not table.over


def test_a_game_that_the_cap_stops_is_over_although_there_are_moves() -> None:
    table = ludus.game("lgame", cap=1).start()
    move = table.legal()[0]
    table.push(move)
    assert (table.result(), table.legal()) == ("tie", [])
    assert "the game is over: the game stops after 1 moves. It is a tie." in refusal(table.push, move)


def test_a_copy_is_another_game() -> None:
    table = HEX.start().push("b2")
    other = table.copy()
    other.push("a1")
    assert (table.moves, other.moves) == (["b2"], ["b2", "a1"])
    given_up = table.copy().resign()
    assert (given_up.copy().result(), table.result()) == ("black", None)  # white was to move


def test_it_is_shown_as_text_and_as_a_picture() -> None:
    table = HEX.start().push("b2")
    assert repr(table) == str(table) == HEX.draw(table.state)
    assert table._repr_svg_() == HEX.svg(table.state)
    assert ET.fromstring(table._repr_svg_()).tag.endswith("svg")


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ("hex position 'x'", {"position": "x"}),
        ("a position of hex to start from is a text, not 7.", {"position": 7}),
        ("the seed of a start is a whole number", {"seed": -1}),
        ("the seed of a start is a whole number", {"seed": 1.5}),
    ],
)
def test_a_start_that_cannot_be_is_refused(words: str, start: dict[str, object]) -> None:
    game: Game = HEX
    assert words in refusal(Table, game, **start)


def test_a_puzzle_is_the_one_of_its_seed() -> None:
    puzzle = ludus.game("solitaire-chess", size=3)
    one, again = puzzle.start(seed=1), puzzle.start(seed=1)
    assert one.position == again.position
    assert {puzzle.start(seed=seed).position for seed in range(4)} != {one.position}
