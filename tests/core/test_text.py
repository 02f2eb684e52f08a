"""Glyphs on streams that cannot show them: letters instead, in one place for every command."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.text import PLAIN, drawn_with, plain
from ludus.games import make_game


def shown(text: str, encoding: str) -> str:
    """The output of a terminal with this encoding."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=PLAIN)
    stream.write(text)
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("name", "position", "letters"),
    [
        ("hex", "B../.W./... b", "B W ."),
        ("abalone", None, "b w ."),
        ("lgame", None, "A B n ."),
        ("solitaire-chess", "N3/1B2/P3/4", "N B P ."),
    ],
)
def test_a_board_is_drawn_with_the_letters_of_its_notation(name: str, position: str | None, letters: str) -> None:
    game = make_game(name, **({"size": 3} if name == "hex" else {}))
    drawn = game.draw(game.init() if position is None else game.parse(position))
    assert shown(drawn, "utf-8") == drawn
    board = shown(drawn, "ascii")
    assert "?" not in board
    assert set(letters.split()) <= set(board.split())
    assert [len(line) for line in board.splitlines()] == [len(line) for line in drawn.splitlines()]


def test_the_board_drawn_last_says_what_a_glyph_means() -> None:
    for letter in "xy":
        drawn_with({letter: "◊"})
        assert shown("◊", "ascii") == letter


def test_lines_and_bars_have_a_likeness() -> None:
    assert plain("┌──┬╴ │ ╷ ══ ╪ ╭") == "+--+- | | -- + +"
    assert plain("██▒░ ▃ ⣿⠀…") == "###. # * ..."
    assert plain("Zoë ﬁt ☃") == "Zoe fit ?"


def test_what_a_stream_can_show_it_shows() -> None:
    drawn_with({".": "·"})
    assert shown("é · …", "latin-1") == "é · ..."


@given(st.text())
def test_no_text_ends_a_game(text: str) -> None:
    assert shown(text, "ascii").isascii()


def test_what_cannot_be_read_is_another_matter() -> None:
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("utf-8", PLAIN)
