"""Saved games with their branches, in our text and in a game's own format."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.cli.shared.files import load_game
from ludus.core.record import Branch, branches_of, tree_of
from ludus.errors import BadInput
from ludus.games import make_game
from ludus.play import game_file
from ludus.play.line import Line

BRANCHES = (Branch(1, ("c3", "a2")), Branch(1, ("c3", "b1", "a3")), Branch(3, ("a3",)))


def hex3(moves: str = "a1 b2 c1 b3", swap: bool = False) -> Line:
    game = make_game("hex", size=3, swap=swap)
    line = Line(game, game.init())
    for move in moves.split():
        line.push(game.parse_move(line.state, move))
    return line


def test_a_game_and_its_branches_are_a_tree_and_back() -> None:
    moves = ("a1", "b2", "c1", "b3")
    assert branches_of(tree_of(moves, BRANCHES)) == (moves, BRANCHES)
    assert branches_of(tree_of((), ())) == ((), ())
    assert branches_of(tree_of(moves, [Branch(1, ("b2", "c1"))])) == (moves, ())  # it is the game itself


def test_branches_are_saved_and_read_again() -> None:
    text = game_file.write(hex3(), "hello", BRANCHES)
    assert text.endswith("4 white b3\nbranch 1 c3 a2\nbranch 1 c3 b1 a3\nbranch 3 a3\n")
    found = game_file.read_tree(text, "it")
    assert (found.line.moves(), found.branches) == (["a1", "b2", "c1", "b3"], BRANCHES)
    assert game_file.read(text, "it").moves() == found.line.moves()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("branch 9 a2", "a branch after 9 moves does not belong to a game of 4"),
        ("branch 1", "does not belong"),
        ("branch", "does not say after how many moves"),
        ("branch x a2", "does not say after how many moves"),
        ("branch 1 a1", "a stone stands on a1"),
        ("branch 1 z9", "the 3 x 3 board goes from a1 to c3"),
    ],
)
def test_a_branch_that_cannot_be_played_is_refused(line: str, why: str) -> None:
    with pytest.raises(BadInput, match=why) as error:
        game_file.read(f"{game_file.write(hex3())}{line}\n", "it")
    assert str(error.value).startswith("'it' is not a saved game of Ludus, or a damaged one: ")


def test_hex_is_written_as_sgf_and_read_again() -> None:
    text = game_file.write_as(hex3(), "sgf", BRANCHES, ("me", "hex/best-3 [x]"))
    head = "(;FF[4]AP[Ludus]GM[11]SZ[3]PB[me]PW[hex/best-3 [x\\]];B[a1]"
    assert text == f"{head}(;W[b2];B[c1](;W[b3])(;W[a3]))(;W[c3](;B[a2])(;B[b1];W[a3])))\n"
    found = game_file.read_tree(text, "it")
    assert (found.line.moves(), set(found.branches)) == (["a1", "b2", "c1", "b3"], set(BRANCHES))
    assert found.line.game == make_game("hex", size=3)


def test_sgf_keeps_the_start_the_swap_and_who_gave_up() -> None:
    game = make_game("hex", size=3)
    line = Line(game, game.parse("B../.W./B.. w"))
    line.push(game.parse_move(line.state, "c3"))
    text = game_file.write_as(line, "sgf")
    assert text == "(;FF[4]AP[Ludus]GM[11]SZ[3]AB[a1][a3]AW[b2]PL[W];W[c3])\n"
    again = game_file.read(text, "it")
    assert game.format(again.state) == game.format(line.state)
    swapped = game_file.write_as(hex3("a2 swap", swap=True), "sgf")
    assert swapped.endswith(";B[a2];W[swap-pieces])\n")
    assert game_file.read(swapped, "it").moves() == ["a2", "swap"]
    over = hex3()
    over.resigned = 0
    assert "RE[W+R]" in game_file.write_as(over, "sgf")


def test_sgf_of_other_programs_is_read() -> None:
    text = """(;FF[4] EV[some\\] cup] GM[11] SZ[4]
      C[a comment; with (marks)] ; B [C2] ; W[b3] C[hm] ( ;B[a4] ) (;B[d1];W[a4]) )"""
    found = game_file.read_tree(text, "it")
    assert (found.line.moves(), found.branches) == (["c2", "b3", "a4"], (Branch(2, ("d1", "a4")),))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(;GM[11]SZ[3];B[z9])", "the 3 x 3 board"),
        ("(;GM[11]SZ[x])", "SZ\\[x\\] is no size"),
        ("(;GM[11]SZ[99])", "size goes from 2 to 19"),
        ("(;GM[11]SZ[3];B[a1]", "it does not end"),
        ("(;GM[11]SZ[3]AB[?])", "AB\\[\\?\\] is no cell"),
        ("(;GM[11]SZ[3]]", "cannot be read"),
        ("([GM[11]])", "belongs to nothing"),
        ("(;GM[1];B[aa])", "does not begin with lines"),
    ],
)
def test_what_is_no_sgf_of_hex_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        game_file.read(text, "it")


def test_a_game_without_a_format_of_its_own_says_so() -> None:
    game = make_game("lgame")
    with pytest.raises(BadInput, match="lgame is not written as 'sgf'; there is no other than the text of Ludus"):
        game_file.write_as(Line(game, game.init()), "sgf")


def test_the_terminal_reads_sgf_too(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(game_file.write_as(hex3(), "sgf", BRANCHES))
    assert load_game(str(path)).moves() == ["a1", "b2", "c1", "b3"]
