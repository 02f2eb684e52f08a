"""The text protocol, command by command, and the clock."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from helpers import referee

from ludus import __version__
from ludus.core.line import Line
from ludus.errors import BadInput
from ludus.play.gtp_server import Session, TimeControl


class First:
    """The first of the legal moves; boards of 2 to 4 alone."""

    name = "first"

    def __init__(self) -> None:
        self.allowed: list[float] = []
        self.gives_up = False

    def check(self, options: dict[str, Any]) -> None:
        if options["size"] > 4:
            raise BadInput(f"first plays boards of 2 to 4, not {options['size']}.")

    def move(self, line: Line, seconds: float) -> int:
        self.allowed.append(seconds)
        return -1 if self.gives_up else line.legal()[0]


def session(size: int = 3, swap: bool = False, player: First | None = None) -> Session:
    return Session("hex", {"size": size, "swap": swap}, player or First())


def say(spoken: Session, *commands: str) -> list[str]:
    """What is answered to each, without the empty line at its end."""
    answers = []
    for command in commands:
        answer = spoken.answer(command)
        assert answer is not None, command
        assert answer.endswith("\n\n")
        assert "\n\n" not in answer[:-2]
        answers.append(answer[:-2])
    return answers


def test_an_answer_has_the_number_of_its_command() -> None:
    said = say(session(), "name", "7 name", "0 version\n", "12 nosuch", "3", " 4\tprotocol_version \r\n")
    assert said == [
        *("= Ludus first", "=7 Ludus first", f"=0 {__version__}"),
        *("?12 unknown command", "?3 unknown command", "=4 2"),
    ]


def test_comments_and_empty_lines_ask_nothing() -> None:
    spoken = session()
    assert [spoken.answer(line) for line in ("", "\n", "  \t\r\n", "# name\n", "\x07\n")] == [None] * 5
    assert say(spoken, "5 name # and who are you", "na\x07me") == ["=5 Ludus first", "= Ludus first"]


def test_it_knows_its_commands() -> None:
    spoken = session()
    commands = say(spoken, "list_commands")[0].removeprefix("= ").split("\n")
    wanted = "boardsize clear_board final_score genmove known_command name play quit showboard time_left undo version"
    assert set(wanted.split()) <= set(commands)
    assert say(spoken, *(f"known_command {name}" for name in commands)) == ["= true"] * len(commands)
    assert say(spoken, "known_command nosuch", "known_command", "genmove") == [
        "= false",
        "? syntax error: known_command takes 1 words after it, not 0",
        "? syntax error: genmove takes 1 words after it, not 0",
    ]
    assert say(spoken, "hexgui-analyze_commands") == ["="]


def test_quit_is_answered_and_ends_it() -> None:
    spoken = session()
    assert not spoken.over
    assert say(spoken, "9 quit") == ["=9"]
    assert spoken.over


def test_moves_are_played_and_shown() -> None:
    spoken = session()
    assert say(spoken, "play black A1", "play W b2", "play Black c3") == ["=", "=", "="]
    assert spoken.line.moves() == ["a1", "b2", "c3"]
    shown = say(spoken, "showboard")[0].split("\n")
    assert shown[0] == "="
    assert [row.split() for row in shown[2:5]] == [["1", *"B..", "1"], ["2", *".W.", "2"], ["3", *"..B", "3"]]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("play white a1", "? illegal move: hex move 'a1': a stone stands on a1 already"),
        ("play white d1", "? illegal move: hex move 'd1': the 3 x 3 board goes from a1 to c3"),
        ("play white nonsense", "? illegal move: hex move 'nonsense': a move is a column letter and a row number"),
        ("play white swap-pieces", "? illegal move: hex move 'swap': white may swap only as its first move"),
        ("play black b2", "? illegal move: it is white's turn, not black's"),
        ("genmove black", "? it is white's turn, not black's"),
        ("reg_genmove b", "? it is white's turn, not black's"),
        ("play red b2", "? syntax error: a colour is black or white, not 'red'"),
        ("genmove 1", "? syntax error: a colour"),
        ("play white", "? syntax error: play takes 2 words"),
        ("play white b2 c2", "? syntax error: play takes 2 words"),
        ("boardsize x", "? syntax error: boardsize takes a whole number"),
        ("boardsize -3", "? syntax error"),
        ("boardsize 3 4", "? unacceptable size"),
        ("boardsize 1", "? unacceptable size: hex: size goes from 2 to 19, so it cannot be 1"),
        ("boardsize 20", "? unacceptable size"),
        ("boardsize 5", "? unacceptable size: first plays boards of 2 to 4, not 5"),
        ("time_settings 1 2", "? syntax error"),
        ("time_settings a b c", "? syntax error: 'a' is not a time"),
        ("time_left black -1 0", "? syntax error: '-1' is not a time"),
        ("time_left red 1 0", "? syntax error: a colour"),
        ("final_score", "? cannot score"),
    ],
)
def test_what_is_refused_changes_nothing(command: str, answer: str) -> None:
    spoken = session()
    say(spoken, "play black a1")
    assert say(spoken, command)[0].startswith(answer)
    assert spoken.line.moves() == ["a1"]
    assert spoken.line.game.options() == {"size": 3, "swap": False}


def test_a_size_clears_the_board_and_a_board_keeps_its_size() -> None:
    spoken = session()
    assert say(spoken, "play black a1", "boardsize 4", "play black d4", "clear_board", "play b d4") == ["="] * 5
    assert spoken.line.moves() == ["d4"]
    assert say(spoken, "boardsize 2 2", "play black a1") == ["=", "="]
    assert spoken.line.game.options() == {"size": 2, "swap": False}


def test_a_move_is_generated_and_played_or_only_said() -> None:
    spoken = session()
    assert say(spoken, "reg_genmove b", "genmove black", "genmove w", "genmove b") == ["= a1", "= a1", "= b1", "= c1"]
    assert spoken.line.moves() == ["a1", "b1", "c1"]


def test_moves_are_taken_back_to_the_start_and_no_further() -> None:
    spoken = session()
    say(spoken, "genmove b", "play w c3")
    assert say(spoken, "undo", "undo", "undo") == ["=", "=", "? cannot undo: no move has been made"]
    assert say(spoken, "genmove b") == ["= a1"]


def test_a_game_that_is_over_has_a_score_and_no_more_moves() -> None:
    spoken = session(size=2)
    assert say(spoken, "play b a1", "play w b1", "play b a2", "final_score") == ["=", "=", "=", "= B+"]
    assert say(spoken, "play w b2", "genmove w", "reg_genmove w", "genmove b", "genmove red") == [
        "? illegal move: the game is over: black wins",
        *["= resign"] * 3,  # as MoHex answers whoever is asked
        "? syntax error: a colour is black or white, not 'red'",
    ]
    assert say(spoken, "play w resign", "play b resign", "final_score", "all_legal_moves") == ["=", "=", "= B+", "="]
    assert say(spoken, "undo", "final_score", "play b b2", "play w a2", "final_score") == [
        *("=", "? cannot score: the game is not over", "=", "=", "= W+"),
    ]


def test_who_gives_up_has_lost_until_it_is_taken_back() -> None:
    player = First()
    spoken = session(player=player)
    resigned = ["=", "=", "= B+", "= resign", "=", "= B+"]
    assert (
        say(spoken, "play b a1", "play white RESIGN", "final_score", "genmove w", "play b resign", "final_score")
        == resigned
    )
    assert say(spoken, "undo", "final_score") == ["=", "? cannot score: the game is not over"]
    player.gives_up = True
    assert say(spoken, "reg_genmove w", "genmove w", "final_score") == ["= resign", "= resign", "= B+"]
    assert spoken.line.moves() == ["a1"]


def test_either_side_makes_the_first_move() -> None:
    spoken = session()
    assert say(spoken, "play w b2", "genmove black", "play w c3", "showboard")[:3] == ["=", "= a1", "="]
    assert spoken.line.game.format(spoken.line.state) == "B../.W./..W b"
    assert say(spoken, "play w a3")[0] == "? illegal move: it is black's turn, not white's: sides take turns"
    assert say(spoken, "undo", "undo", "undo", "undo") == ["=", "=", "=", "? cannot undo: no move has been made"]
    assert say(spoken, "play b b1", "genmove w", "genmove b") == ["=", "= a1", "= c1"]
    assert say(spoken, "clear_board", "reg_genmove w", "genmove white", "undo", "genmove b", "genmove w") == [
        *("=", "= a1", "= a1", "=", "= a1", "= b1"),
    ]


def test_a_first_move_that_is_refused_or_only_said_leaves_who_begins_open() -> None:
    spoken = session()
    assert say(spoken, "play w d9", "reg_genmove w")[1] == "= a1"
    assert spoken.line.player() == 0


def test_who_was_white_first_may_win() -> None:
    spoken = session(size=2)
    assert say(spoken, *("play w a1", "play b a2", "play w b1"), "final_score", "genmove b") == [
        *("=", "=", "=", "= W+", "= resign"),
    ]


def test_legal_moves_are_listed() -> None:
    spoken = session(size=2, swap=True)
    assert say(spoken, "all_legal_moves", "play b a2", "all_legal_moves", "play w a1", "all_legal_moves") == [
        *("= a1 b1 a2 b2", "=", "= a1 b1 b2 swap-pieces", "=", "= b1 b2"),
    ]


def test_the_time_that_is_left_is_told_to_those_who_ask() -> None:
    spoken = session()
    assert say(spoken, "time_left", "time_left w") == ["= Black: unlimited, White: unlimited", "= unlimited"]
    say(spoken, "time_settings 60 0 0", "time_left white 12.5 0")
    assert say(spoken, "time_left", "time_left b", "time_left red")[:2] == ["= Black: 60.0, White: 12.5", "= 60.0"]


class Chance(First):
    """A legal move by chance; now and then it gives up."""

    def __init__(self) -> None:
        super().__init__()
        self.chance = random.Random(5)

    def move(self, line: Line, seconds: float) -> int:
        return -1 if self.chance.random() < 0.05 else self.chance.choice(line.legal())


def test_a_referee_that_waits_for_somebody_to_resign_plays_twenty_games() -> None:
    sides = [session(player=player) for player in (First(), Chance())]
    asked = [lambda command, spoken=spoken: spoken.answer(command) or "" for spoken in sides]
    lengths, winners = set(), []
    for number in range(20):
        score, moves = referee.play(*asked[:: (-1) ** number], size=3)
        whole = [spoken.line.moves() for spoken in sides]
        assert whole[0] == whole[1] == moves[:-1]
        assert score == ("W+" if len(moves) % 2 else "B+")  # who has not resigned
        lengths.add(len(moves))
        winners.append(score)
    assert len(lengths) > 3
    assert set(winners) == {"B+", "W+"}


def test_the_swap_rule() -> None:
    spoken = session(swap=True)
    assert say(spoken, "play b c1", "play w swap-pieces", "play b a1") == ["=", "=", "="]
    assert spoken.line.game.format(spoken.line.state) == "B../.../W.. w"
    assert say(spoken, "undo", "undo", "play w swap")[-1] == "="


def test_time_is_told_to_the_player() -> None:
    player = First()
    spoken = session(player=player)
    say(spoken, "genmove b", "time_settings 100 0 0", "genmove w", "time_left b 10 5", "genmove b")
    assert player.allowed[0] == math.inf
    assert player.allowed[1] == pytest.approx(4.5)
    assert player.allowed[2] == pytest.approx(1.8)
    say(spoken, "time_settings 0 1 0", "genmove w")
    assert player.allowed[3] == math.inf


def test_a_clock_runs_through_its_periods() -> None:
    clock = TimeControl()
    assert clock.allows(0) == math.inf
    clock.spent(0, 5.0)
    assert clock.allows(0) == math.inf
    clock.set(20.0, 10.0, 2)
    assert clock.allows(0) == pytest.approx(0.9 * (1 + 5))
    clock.spent(0, 21.0)  # the main time is over: two moves in ten seconds
    assert (clock.allows(0), clock.allows(1)) == (pytest.approx(4.5), pytest.approx(5.4))
    clock.spent(0, 2.0)
    assert clock.allows(0) == pytest.approx(0.9 * 8)
    clock.spent(0, 7.0)
    assert clock.allows(0) == pytest.approx(4.5)
    clock.tell(0, 0.0, 1)
    assert clock.allows(0) > 0
    clock.restart()
    assert clock.allows(0) == clock.allows(1)
