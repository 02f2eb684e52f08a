"""One game on the host: moves taken back and made again, how it ends, and its record as a text."""

from __future__ import annotations

import random

import pytest
from helpers.nim_game import Nim
from helpers.text import read_or_refuse, refusal, rough_texts
from hypothesis import example, given
from hypothesis import strategies as st

from ludus.core import game as core
from ludus.core.line import Line, fresh_start, play_randomly
from ludus.games import make_game
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.play import game_file

HEX = Hex(size=3)


def line_of(*moves: str, game: core.Game = HEX, start: str | None = None) -> Line:
    line = Line(game, game.init() if start is None else game.parse(start))
    for move in moves:
        line.push(game.parse_move(line.state, move))
    return line


# --- back and forth -----------------------------------------------------------------------------------------


def test_moves_that_were_taken_back_can_be_made_again() -> None:
    line = line_of("a1", "b1", "a2")
    reached = HEX.format(line.state)
    line.cut(2)
    line.cut(0)
    assert (line.moves(), len(line.states), len(line.undone)) == ([], 1, 3)
    for _ in range(3):
        line.redo()
    assert (line.moves(), HEX.format(line.state), line.undone) == (["a1", "b1", "a2"], reached, [])


def test_another_move_forgets_what_was_taken_back() -> None:
    line = line_of("a1", "b1")
    line.cut(1)
    line.push(HEX.parse_move(line.state, "c3"))
    assert line.undone == []
    assert line.moves() == ["a1", "c3"]


# --- ends ---------------------------------------------------------------------------------------------------


def test_who_resigns_has_lost() -> None:
    line = line_of("a1")
    assert line.ending() is None
    line.resign()
    assert line.ending() == ("black", "white resigns. black wins.", (1.0, -1.0))


def test_a_puzzle_given_up_is_not_solved() -> None:
    line = line_of(game=make_game("solitaire-chess"), start="N3/1B2/P3/4")
    line.resign()
    assert line.ending() == ("unsolved", "Given up.", (0.0,))


def test_nobody_resigns_a_game_that_is_over() -> None:
    line = line_of("a1", "b1", "a2", "b2", "a3")
    line.resign()
    assert line.ending() == ("black", "black wins.", (1.0, -1.0))


def test_while_a_game_goes_on_nothing_is_compiled_that_only_its_end_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    line = line_of("a1")
    asked = []
    rules = core.compiled(HEX)
    monkeypatch.setattr(
        "ludus.core.line.compiled",
        lambda game: rules._replace(returns=lambda state: asked.append(state) or rules.returns(state)),
    )
    assert line.ending() is None
    assert asked == []
    line.resign()
    assert line.ending()
    assert asked == []


def test_a_board_game_has_one_start_and_nothing_is_compiled_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.core.line._sampler", lambda game: pytest.fail("compiled"))
    assert HEX.format(fresh_start(HEX, 7)) == ".../.../... b"


# --- records ------------------------------------------------------------------------------------------------


def test_a_record_is_what_a_person_would_write() -> None:
    assert game_file.write(line_of("b2", "a1"), "Go on.") == (
        "# Go on.\ngame hex size=3 swap=False\nstart .../.../... b\nmoves 2\n1 black b2\n2 white a1\n"
    )


@pytest.mark.parametrize(
    ("name", "options", "start"),
    [
        ("hex", {"size": 4, "swap": True}, None),
        ("lgame", {"cap": 7}, None),
        ("abalone", {"layout": "swiss-daisy", "cap": 9}, None),
        ("solitaire-chess", {"rules": "solo"}, "N3/1B2/P3/4 a4=1"),
        ("hex", {"size": 3}, ".../.B./... w"),
    ],
)
def test_a_record_is_played_through_to_the_same_game(name: str, options: dict, start: str | None) -> None:
    game = make_game(name, **options)
    line = Line(game, fresh_start(game, 1) if start is None else game.parse(start))
    for _ in range(3):
        if line.ending() is None:
            line.push(random.Random(3).choice(line.legal()))
    again = game_file.read(game_file.write(line, "for people"), "it")
    assert (again.game, again.actions) == (game, line.actions)
    assert game_file.write(again) == game_file.write(line)


def test_the_record_of_a_finished_game_is_read() -> None:
    line = line_of()
    ending = play_randomly(line, random.Random(1))
    assert game_file.read(game_file.write(line), "it").ending() == ending


GOOD = game_file.write(line_of("b2", "a1"))


@pytest.mark.parametrize(
    ("then", "now", "why"),
    [
        (GOOD, "", "it does not begin with lines of 'game', 'start' and 'moves'"),
        ("game hex", "game go", "there is no game 'go'"),
        ("game hex", "game ", "there is no game 'size=3'"),
        ("size=3", "size=30", "size goes from 2 to 19"),
        ("size=3", "colour=3", "hex has no option 'colour'"),
        ("size=3", "size='3", "is not a game and its options"),
        ("... b", "...", "hex position '.../.../...'"),
        ("moves 2", "moves 3", "it says that it has '3' moves, and has 2"),
        ("moves 2", "moves", "it says that it has '' moves, and has 2"),
        ("2 white a1\n", "", "it says that it has '2' moves, and has 1"),
        ("1 black b2", "1 white b2", "'1 white b2' should begin with '1 black'"),
        ("2 white a1", "3 white a1", "'3 white a1' should begin with '2 white'"),
        ("white a1", "white b2", "hex move 'b2': a stone stands on b2 already"),
        ("white a1", "white z9", "hex move 'z9': the 3 x 3 board goes from a1 to c3"),
    ],
)
def test_a_damaged_record_is_refused_in_a_sentence(then: str, now: str, why: str) -> None:
    assert then in GOOD
    said = refusal(game_file.read, GOOD.replace(then, now), "my game.txt")
    assert said.startswith("'my game.txt' is not a saved game of Ludus, or a damaged one: ")
    assert why in said


def test_moves_after_the_end_are_refused() -> None:
    over = game_file.write(line_of("a1", "b1", "a2", "b2", "a3")).replace("moves 5", "moves 6") + "6 white c3\n"
    assert "'6 white c3' comes after the end of the game: black wins." in refusal(game_file.read, over, "it")


@given(rough_texts("game hex=3swapFalstrmov./bB12", [GOOD]).map(lambda text: text.replace("\0", "")))
@example(GOOD.replace("\n", "\r\n"))
@example("game\nstart\nmoves")
def test_any_text_is_a_record_or_refused(text: str) -> None:
    read_or_refuse(lambda text: game_file.read(text, "it"), text)


@given(st.lists(st.sampled_from(["undo", "redo", "push"]), max_size=12))
def test_however_one_goes_back_and_forth_a_line_is_a_game(words: list[str]) -> None:
    line, game = Line(Nim(), Nim().init()), Nim()
    for word in words:
        if word == "undo" and line.actions:
            line.cut(len(line.actions) - 1)
        elif word == "redo" and line.undone:
            line.redo()
        elif word == "push" and line.legal():
            line.push(line.legal()[-1])
        again = Line(game, game.init())
        for action in line.actions:
            again.push(action)
        assert game.format(again.state) == game.format(line.state)
        assert len(line.states) == len(line.actions) + 1


def test_the_lgame_ends_where_nobody_can_move() -> None:
    line = line_of("b4c4d3d4", "b1b2b3c3+d1d2", game=LGame())
    ending = line.ending()
    assert ending is not None
    assert (ending.result, ending.returns) == ("B", (-1.0, 1.0))
