"""Abalone in text: good positions come back as they were, and each mistake has its own sentence."""

from __future__ import annotations

import itertools
import re

import jax.numpy as jnp
import pytest
from helpers.batched import same
from helpers.positions import STUCK
from helpers.text import one_line, read_or_refuse, refusal, rough_texts
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.text import plain
from ludus.games import guide
from ludus.games.abalone import LAYOUTS
from ludus.games.abalone.notation import STEPS, name
from ludus.games.abalone.rules import Abalone

GAME = Abalone()
START = LAYOUTS["standard"]
ROWS = (5, 6, 7, 8, 9, 8, 7, 6, 5)

#: Black has a line of four before one, a pair before two, and two that would push one marble against a third.
MIDGAME = "....b/....b./bbwb.../......../bbbbw..../..ww..../.bbww../..bww./wwww. b"


@st.composite
def positions(draw: st.DrawFn) -> str:
    black, white = sorted(draw(st.tuples(st.integers(0, 14), st.integers(9, 14))), reverse=draw(st.booleans()))
    cells = draw(st.permutations("b" * black + "w" * white + "." * (61 - black - white)))
    bounds = [sum(ROWS[:k]) for k in range(10)]
    rows = ("".join(cells[low:high]) for low, high in itertools.pairwise(bounds))
    return f"{'/'.join(rows)} {draw(st.sampled_from('bw'))}"


@given(positions())
def test_positions_come_back_as_they_were(text: str) -> None:
    assert GAME.format(GAME.parse(text)) == text


@given(rough_texts("bw./ ", [START, MIDGAME, STUCK]))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    state = read_or_refuse(GAME.parse, text)
    if state is not None:
        assert same(GAME.parse(GAME.format(state)), state)


@pytest.mark.slow
def test_a_move_of_two_lines_is_refused_in_one() -> None:
    assert "two or three cells" in refusal(GAME.parse_move, GAME.init(), "a1\nb2")


@given(rough_texts("abcdefghi123456789", ["a1b1", "c3c4d3", "b6c7"]).filter(one_line))
def test_any_move_is_read_or_refused_in_a_sentence(text: str) -> None:
    state = GAME.parse(MIDGAME)
    action = read_or_refuse(lambda move: GAME.parse_move(state, move), text)
    if action is not None:
        assert GAME.format_move(state, action) == text.strip().lower()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it should be the rows of the board, a space and the side to move, 'b' or 'w'"),
        (START[:-2], "it should be the rows of the board, a space and the side to move, 'b' or 'w'"),
        (START[:-1] + "x", "it should be the rows of the board, a space and the side to move, 'b' or 'w'"),
        (START + " b", "it should be the rows of the board, a space and the side to move, 'b' or 'w'"),
        (START.replace("bbbbbb", "bbbbb"), "it should have nine rows of 5, 6, 7, 8, 9, 8, 7, 6 and 5 cells"),
        (START.replace("/......../", "/"), "it should have nine rows of 5, 6, 7, 8, 9, 8, 7, 6 and 5 cells"),
        (START.replace("..bbb..", "..bxb.."), "only b w . may stand on the board, not 'x'"),
        (START.replace("..bbb..", "..bbbb."), "it has 15 marbles 'b', and 14 are the most"),
        (START.replace("..www..", ".wwwww."), "it has 16 marbles 'w', and 14 are the most"),
        (
            "/".join("." * row for row in ROWS) + " w",
            "both sides have 8 marbles or fewer, so both would have lost",
        ),
    ],
)
def test_a_bad_position_is_refused(text: str, why: str) -> None:
    assert refusal(GAME.parse, text) == f"abalone position '{text}': {why}."


def test_a_long_text_is_not_repeated_in_full() -> None:
    assert len(refusal(GAME.parse, "b" * 5000)) < 250


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("e1e2", "4 marbles stand in line there, and at most three may move at once"),
        ("E1E2", "4 marbles stand in line there, and at most three may move at once"),
        ("e1e4f2", "4 marbles stand in that line, and at most three may move at once"),
        ("e4e5", "1 cannot push 1: the side that pushes must be the longer one"),
        ("c2c3", "2 cannot push 2: the side that pushes must be the longer one"),
        ("b3b4", "1 cannot push 2: the side that pushes must be the longer one"),
        ("g3g4", "an own marble stands behind the ones it would push"),
        ("h8i9", "it would push an own marble off the board"),
        ("i9i1", "there is no cell i1 on the board"),
        ("a9b9", "there is no cell a9 on the board"),
        ("e5e6", "no marble of the side to move ('b') stands on e5"),
        ("e9e8", "no marble of the side to move ('b') stands on e9"),
        ("e1e3", "e3 is not next to e1"),
        ("e1e1", "e1 is not next to e1"),
        ("c2c3d4", "d4 is not next to c2"),
        ("c2c3d3", "d3 is not empty"),
        ("c2c3b2", "b3 is not empty"),
        ("e2e4d1", "d3 is not empty"),
        ("e1e2f3", "f3 is not next to e1"),
        ("e1c2e2", "e1 and c2 are not the ends of a line"),
        ("e1e1f2", "e1 and e1 are not the ends of a line"),
        ("e1g3f2", "the line from e1 to g3 has a gap"),
        ("e2e1e3", "that is along the line; in line, write the rear marble's from-to, like e1e2"),
        ("e2e1f2", "it would leave the board"),
        ("e2e1f3", "name the lower end first, like e1e2"),
        ("", "a move is two or three cells, like a1b2 in line or c6c7d6 sideways"),
        ("a1", "a move is two or three cells, like a1b2 in line or c6c7d6 sideways"),
        ("a1b2c3d4", "a move is two or three cells, like a1b2 in line or c6c7d6 sideways"),
        ("e1-e2", "a move is two or three cells, like a1b2 in line or c6c7d6 sideways"),
    ],
)
def test_a_bad_move_is_refused(move: str, why: str) -> None:
    assert refusal(GAME.parse_move, GAME.parse(MIDGAME), move) == f"abalone move '{move}': {why}."


@pytest.mark.parametrize("move", ["h8i9i8"])
def test_a_sideways_move_over_the_top_is_refused(move: str) -> None:
    why = refusal(GAME.parse_move, GAME.parse(MIDGAME), move)
    assert why == f"abalone move '{move}': it would leave the board."


@pytest.mark.parametrize("move", ["a1b1", "b1b2c2"])
def test_no_move_is_played_after_the_end(move: str) -> None:
    over = GAME.parse("...../....../......./wwwwwwww/w......../......../......./bbbb../bbbb. b")
    assert refusal(GAME.parse_move, over, move) == f"abalone move '{move}': the game is over."


@pytest.mark.parametrize("move", ["e2e3", "E2E3", " e2e3 ", "c3b3", "e1e3f2", "E1E3F2", "h8i9h7"])
def test_a_good_move_is_played_however_it_is_typed(move: str) -> None:
    state = GAME.parse(MIDGAME)
    assert GAME.format_move(state, GAME.parse_move(state, move)) == move.strip().lower()


def test_layouts() -> None:
    for layout, text in LAYOUTS.items():
        game = Abalone(layout=layout)
        assert game.format(game.init()) == text
        assert (text.count("b") - 1, text.count("w")) == (14, 14)
    whole = "there are standard, belgian-daisy, german-daisy, dutch-daisy, swiss-daisy"
    assert refusal(Abalone, layout="french-daisy") == f"abalone has no layout 'french-daisy'; {whole}."


def test_what_the_page_of_rules_says_is_so() -> None:
    text, start = guide("abalone"), GAME.init()
    assert f"    {LAYOUTS['standard']}\n" in f"{text}\n"
    for row in GAME.draw(start).splitlines()[:10]:
        assert f"\n    {plain(row)}" in text
    told = {
        "a1b2": "b2 c3 d4",
        "c3c5d3": "d3 d4 d5",
        "c5d5": "d5",
    }
    moves = re.findall(r"^    ((?:[a-i][1-9]){2,3}) ", text, re.MULTILINE)
    assert moves == list(told)
    for move, cells in told.items():
        after = GAME.step(start, jnp.int32(GAME.parse_move(start, move)))
        marbles, _ = GAME.position(after)
        assert {name(cell) for cell, side in marbles.items() if side == "b"} >= set(cells.split())
    # The six around c5, as the little picture has them.
    assert {name((2 + row, 4 + diagonal)) for row, diagonal in STEPS} == {"c4", "c6", "d5", "d6", "b4", "b5"}
    assert all(cell in text for cell in ("d5  d6", "c4 - c5 - c6", "b4  b5"))
    assert f"({GAME.cap})" in text
