"""Solitaire Chess in text: good positions come back as they were, and each mistake has its own sentence."""

from __future__ import annotations

import re
from dataclasses import replace

import jax.numpy as jnp
import pytest
from helpers.batched import same
from helpers.text import one_line, read_or_refuse, refusal, rough_texts
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.text import plain
from ludus.games import guide
from ludus.games.solitaire_chess.geometry import WAYS
from ludus.games.solitaire_chess.rules import SolitaireChess

PAPER, SOLO = SolitaireChess(), SolitaireChess(rules="solo")
MIDGAME = "N3/1B2/P3/K3"
SQUARES = "it should have 4 rows of 4 squares (or give another size)"
FORM = "a move is the square of a piece and the square it captures on, like a2b3"


@st.composite
def positions(draw: st.DrawFn) -> tuple[SolitaireChess, str]:
    """All squares from the top in one string, the captures used behind it."""
    size, solo = draw(st.integers(3, 8)), draw(st.booleans())
    game = SolitaireChess(size=size, rules="solo" if solo else "paper", pieces=2)
    pieces = draw(st.lists(st.sampled_from("QRBNP"), min_size=1, max_size=size * size))
    pieces[:1] = draw(st.sampled_from(("K", "Q")))
    cells = draw(st.permutations("".join(pieces).ljust(size * size, ".")))
    text = "".join(cells)
    if solo:
        taken = {k: draw(st.integers(0, 2)) for k, cell in enumerate(cells) if cell != "."}
        used = [f"{'abcdefgh'[k % size]}{size - k // size}={count}" for k, count in taken.items() if count]
        text += f" {','.join(used)}"
    return game, text


@pytest.mark.slow
@given(positions())
def test_positions_come_back_as_they_were(given_text: tuple[SolitaireChess, str]) -> None:
    game, text = given_text
    state = game.parse(text)
    written = game.format(state)
    assert same(game.parse(written), state)
    assert same(game.parse(written.split()[0].lower() + written[len(written.split()[0]) :]), state)
    bare, _, used = text.partition(" ")
    letters = [letter for row in written.split()[0].split("/") for letter in _spelled_out(row)]
    assert "".join(letters) == bare
    assert sorted(written.split()[1].split(",") if " " in written else []) == sorted(filter(None, used.split(",")))


def _spelled_out(row: str) -> str:
    return "".join("." * int(letter) if letter.isdigit() else letter for letter in row)


@given(rough_texts("KQRBNPkqrbnp12345./ =,a", [MIDGAME, "pb......br..p..p", "N3/1B2/P3/4 a2=1,b3=2"]))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    for game in (PAPER, SOLO, replace(PAPER, size=3, pieces=2)):
        state = read_or_refuse(game.parse, text)
        if state is not None:
            assert same(game.parse(game.format(state)), state)


@pytest.mark.slow
@given(rough_texts("abcd1234xX-KQRBNP", ["a2b3", "Pa2xb3", "b3a4"]).filter(one_line))
def test_any_move_is_read_or_refused_in_a_sentence(text: str) -> None:
    state = PAPER.parse(MIDGAME)
    action = read_or_refuse(lambda move: PAPER.parse_move(state, move), text)
    if action is not None:
        assert PAPER.parse_move(state, PAPER.format_move(state, action)) == action


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", SQUARES),
        ("4/4/4", SQUARES),
        ("5/4/4/4", SQUARES),
        ("P/P/P/P", SQUARES),
        ("P" * 15, SQUARES),
        ("P" * 17, SQUARES),
        ("4/4/4/4", "there is no piece on the board"),
        ("." * 16, "there is no piece on the board"),
        ("K3/4/4/3K", "it has 2 kings, and as none is ever captured one is the most"),
        ("K3/4/2k1/3K", "it has 3 kings, and as none is ever captured one is the most"),
        ("X3/4/4/4", "'X' is none of K Q R B N P"),
        ("PPPP/4/4/4 w", "after the board there may be nothing, not 'w'"),
        ("N3/1B2/P3/4 a2=1", "after the board there may be nothing, not 'a2=1'"),
    ],
)
def test_a_bad_position_is_refused(text: str, why: str) -> None:
    assert refusal(PAPER.parse, text) == f"solitaire-chess position '{text}': {why}."


@pytest.mark.parametrize("entry", ["a2=3", "a2=0", "a1=1", "a2", "a2=1,a2=1", "e5=1", "a2=1,"])
def test_captures_that_no_piece_can_have_made_are_refused(entry: str) -> None:
    assert "is not a piece's captures, 1 or 2, like a1=1." in refusal(SOLO.parse, f"N3/1B2/P3/4 {entry}")


def test_all_squares_in_one_string_are_the_same_position() -> None:
    assert PAPER.format(PAPER.parse("pb......br..p..p")) == "PB2/4/BR2/P2P"
    assert PAPER.format(PAPER.parse("pb2/4/br2/p2p")) == "PB2/4/BR2/P2P"
    assert PAPER.format(PAPER.parse("1P11/4/4/4")) == "1P2/4/4/4"
    assert SOLO.format(SOLO.parse("2n1/4/4/p3 c4=2,a1=1")) == "2N1/4/4/P3 a1=1,c4=2"


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("a1a2", None),
        ("b3a1", "a king is never captured"),
        ("a1a4", "a K on a1 cannot capture on a4"),
        ("a2a4", "a P on a2 cannot capture on a4"),
        ("a1b1", "there is no piece on b1, and every move captures one"),
        ("b1a1", "there is no piece on b1"),
        ("e1a1", "there is no square e1 on a 4 x 4 board"),
        ("a1a9", "there is no square a9 on a 4 x 4 board"),
        ("", FORM),
        ("a2", FORM),
        ("a2b3c4", FORM),
        ("Za2b3", FORM),
        ("Xa2b3", FORM),
        ("PPa2b3", FORM),
        ("a2--xb3", FORM),
        ("a2x-b3", FORM),
        ("xa2b3", FORM),
        ("a2b3x", FORM),
        ("a2 b3", FORM),
        ("Na2b3", "the piece on a2 is a P"),
        ("Ka2xb3", "the piece on a2 is a P"),
        ("Pc1xb3", "there is no piece on c1"),
        ("Pe1xb3", "there is no square e1 on a 4 x 4 board"),
        ("Pa2a4", "a P on a2 cannot capture on a4"),
    ],
)
def test_a_bad_move_is_refused(move: str, why: str | None) -> None:
    """Or played, where no reason is given."""
    state = PAPER.parse(MIDGAME)
    if why is None:
        assert PAPER.format_move(state, PAPER.parse_move(state, move)) == move
    else:
        assert refusal(PAPER.parse_move, state, move) == f"solitaire-chess move '{move}': {why}."


@pytest.mark.parametrize("way", [(-1, 1), (0, 1), (2, 1), (-1, -2)])
def test_an_action_that_captures_nothing_has_no_text(way: tuple[int, int]) -> None:
    """From a1: off the board, along an empty file, or by a leap whose second leg would reach the queen."""
    game = SolitaireChess(size=5)
    state = game.parse("5/5/4Q/5/K4")
    why = refusal(game.format_move, state, WAYS.index(way) * 25)
    assert why.endswith("captures nothing in '5/5/4Q/5/K4'.")


def test_a_third_capture_is_refused() -> None:
    why = refusal(SOLO.parse_move, SOLO.parse("N3/1B2/P3/4 a2=2"), "a2b3")
    assert why == "solitaire-chess move 'a2b3': the piece on a2 has captured twice already."


@pytest.mark.parametrize("move", ["a2b3", "Pa2xb3", "a2xb3", "a2-b3", "A2B3", "Pa2b3", " a2b3 ", "pa2xb3", "PA2XB3"])
def test_a_good_move_is_played_however_it_is_typed(move: str) -> None:
    state = PAPER.parse(MIDGAME)
    assert PAPER.format_move(state, PAPER.parse_move(state, move)) == "a2b3"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "chess"}, "solitaire-chess has no rules 'chess'; there are paper, solo."),
        ({"size": 9}, "solitaire-chess: size goes from 3 to 8, so it cannot be 9."),
        ({"size": 2}, "solitaire-chess: size goes from 3 to 8, so it cannot be 2."),
        ({"pieces": True}, "solitaire-chess: pieces is a whole number, not True."),
        ({"pieces": 9}, "a 4 x 4 puzzle has 2 to 8 pieces, not 9."),
        ({"pieces": 1}, "a 4 x 4 puzzle has 2 to 8 pieces, not 1."),
    ],
)
def test_bad_options_are_refused(options: dict, message: str) -> None:
    assert refusal(SolitaireChess, **options) == message


def test_every_size_has_puzzles_by_default() -> None:
    assert {SolitaireChess(size=size).size for size in range(3, 9)} == set(range(3, 9))


def test_what_the_page_of_rules_says_is_so() -> None:
    text, game = guide("solitaire-chess"), SolitaireChess()
    state = game.parse("N3/1B2/P3/4")
    assert "    N3/1B2/P3/4\n" in text
    for row in game.draw(state).splitlines()[:4]:
        assert f"    {row[0]}  {plain(row[2:])}\n" in text
    moves = re.findall(r"^    (\w?[a-d][1-4]x?[a-d][1-4])$", text, re.MULTILINE)
    assert moves == ["a2b3", "Pb3xa4"]
    for move in moves:
        state = game.step(state, jnp.int32(game.parse_move(state, move)))
    assert float(game.returns(state)[0]) == 1
    replace(game, rules="solo").parse("2N1/4/4/P3 a1=1,c4=2")
    assert text.endswith("    2N1/4/4/P3 a1=1,c4=2")
