"""Hex in text: good positions come back as they were, and each mistake has its own sentence."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import pytest
from helpers.batched import same
from helpers.text import one_line, read_or_refuse, refusal, rough_texts
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.text import plain
from ludus.games import guide
from ludus.games.hex.rules import Hex

GAME = Hex(size=3)
FRAME = "it should be the rows of the board, a space and the side to move, 'b' or 'w'"


@st.composite
def positions(draw: st.DrawFn) -> tuple[int, str]:
    """A size and a position of it, whose mover has as many stones as the other side or one fewer."""
    size, mover = draw(st.sampled_from((2, 3, 7))), draw(st.sampled_from("bw"))
    other = draw(st.integers(0, size * size // 2))
    own = max(0, other - draw(st.integers(0, 1)))
    black, white = (own, other) if mover == "b" else (other, own)
    cells = draw(st.permutations("B" * black + "W" * white + "." * (size * size - black - white)))
    rows = ("".join(cells[k : k + size]) for k in range(0, size * size, size))
    return size, f"{'/'.join(rows)} {mover}"


@given(positions())
def test_positions_come_back_as_they_were(sized: tuple[int, str]) -> None:
    size, text = sized
    assert Hex(size=size).format(Hex(size=size).parse(text)) == text


@given(rough_texts("BW./ bw", [".../.../... b", "B../.W./... b", "BWB/WBW/BWB w"]))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    state = read_or_refuse(GAME.parse, text)
    if state is not None:
        assert same(GAME.parse(GAME.format(state)), state)


@given(rough_texts("abcd1234swap", ["b2", "c3", "swap"]).filter(one_line))
def test_any_move_is_read_or_refused_in_a_sentence(text: str) -> None:
    state = GAME.parse("B../.W./... b")
    action = read_or_refuse(lambda move: GAME.parse_move(state, move), text)
    if action is not None:
        assert GAME.format_move(state, action) == text.strip().lower()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", FRAME),
        (".../.../...", FRAME),
        (".../.../... x", FRAME),
        (".../.../... B", FRAME),
        (".../.../... b b", FRAME),
        ("../.. b", "it should have 3 rows of 3 cells (or give another size)"),
        (".../.../.... b", "it should have 3 rows of 3 cells (or give another size)"),
        (".../.../.../... b", "it should have 3 rows of 3 cells (or give another size)"),
        (".../.b./... w", "only B W . may stand on the board, not 'b'"),
        (
            "BBB/.../... w",
            "the side to move has 0 stones and the other 3; it should have as many, or one fewer",
        ),
        (
            "B../.../... b",
            "the side to move has 1 stones and the other 0; it should have as many, or one fewer",
        ),
    ],
)
def test_a_bad_position_is_refused(text: str, why: str) -> None:
    assert refusal(GAME.parse, text) == f"hex position '{text}': {why}."


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("a1", "a stone stands on a1 already"),
        ("b2", "a stone stands on b2 already"),
        ("d1", "the 3 x 3 board goes from a1 to c3"),
        ("a4", "the 3 x 3 board goes from a1 to c3"),
        ("a0", "the 3 x 3 board goes from a1 to c3"),
        ("a99", "the 3 x 3 board goes from a1 to c3"),
        ("swap", "white may swap only as its first move, and only where the game has the swap rule"),
        ("", "a move is a column letter and a row number, like b2"),
        ("2b", "a move is a column letter and a row number, like b2"),
        ("b2c2", "a move is a column letter and a row number, like b2"),
    ],
)
def test_a_bad_move_is_refused(move: str, why: str) -> None:
    assert refusal(GAME.parse_move, GAME.parse("B../.W./... b"), move) == f"hex move '{move}': {why}."


def test_no_move_is_played_after_the_end() -> None:
    assert refusal(GAME.parse_move, GAME.parse("BW./BW./B.. w"), "c1") == "hex move 'c1': the game is over."


def test_a_row_with_a_zero_before_it_is_refused_for_what_it_is() -> None:
    assert "the game is over" not in refusal(GAME.parse_move, GAME.parse("B../.W./... b"), "b03")


@pytest.mark.parametrize(("move", "action"), [("b1", 1), ("B1", 1), (" c3 ", 8)])
def test_a_good_move_is_played_however_it_is_typed(move: str, action: int) -> None:
    assert GAME.parse_move(GAME.parse("B../.W./... b"), move) == action


def test_white_may_swap_once_where_the_rule_is_on() -> None:
    game = Hex(size=3, swap=True)
    assert game.parse_move(game.parse("B../.../... w"), "swap") == 9
    assert game.parse_move(game.parse("B../.../... w"), "SWAP") == 9
    for late in (".../.../... b", "W../.../... b", "BW./.../... b", "BW./.../... w", "BW./B../... w"):
        assert "white may swap only as its first move" in refusal(game.parse_move, game.parse(late), "swap")


@pytest.mark.parametrize("size", [20, 1, 0, -3])
def test_a_board_too_small_or_too_large_is_refused(size: int) -> None:
    assert refusal(Hex, size=size) == f"hex: size goes from 2 to 19, so it cannot be {size}."


def with_option(name: str, value: Any) -> None:
    """Hex with any value for an option, past the tests' own check of types."""
    game = Hex(size=5)
    object.__setattr__(game, name, value)
    game.__post_init__()


@pytest.mark.parametrize("size", [3.0, True, "3", None])
def test_a_size_is_a_whole_number(size: Any) -> None:
    assert refusal(with_option, "size", size) == f"hex: size is a whole number, not {size!r}."


@pytest.mark.parametrize("swap", ["no", 0, 1, None])
def test_the_swap_rule_is_on_or_off(swap: Any) -> None:
    assert refusal(with_option, "swap", swap) == f"hex: swap is true or false, not {swap!r}."


# --- the page of rules --------------------------------------------------------------------------------------


def test_what_the_page_of_rules_says_is_so() -> None:
    text = guide("hex")
    state = GAME.parse(".B./.BW/W.. b")
    assert "    .B./.BW/W.. b\n" in f"{text}\n"
    for row in GAME.draw(state).splitlines()[:4]:
        assert plain(row).rstrip(" 123").strip() in text
    assert "black wins with\n    b3\n" in text
    after = GAME.step(state, jnp.int32(GAME.parse_move(state, "b3")))
    assert GAME.draw(after).splitlines()[-1] == "black ● has joined top and bottom"
    for neighbour in ("b1", "c1", "a2", "c2", "a3", "b3"):  # a chain of two, from edge to edge, goes through each
        assert neighbour in text
