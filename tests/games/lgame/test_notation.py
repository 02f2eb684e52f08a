"""The L-Game in text: good positions come back as they were, and each mistake has its own sentence."""

from __future__ import annotations

import re

import pytest
from helpers.batched import same
from helpers.text import one_line, read_or_refuse, refusal, rough_texts
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.text import plain
from ludus.games import guide
from ludus.games.lgame.notation import placements
from ludus.games.lgame.rules import START, LGame

GAME = LGame()
LAYS = placements()
FRAME = "it should be the rows of the board, a space and the side to move, 'A' or 'B'"
FORM = "a move is the L's four squares, then + and a neutral's from-to if one moves, like a2b2c2c3+a4d1"


@st.composite
def positions(draw: st.DrawFn) -> str:
    first = draw(st.sampled_from(LAYS))
    second = draw(st.sampled_from([other for other in LAYS if not set(other) & set(first)]))
    free = sorted({(c, r) for c in range(4) for r in range(4)} - set(first) - set(second))
    neutrals = draw(st.permutations(free))[:2]
    board = dict.fromkeys(first, "A") | dict.fromkeys(second, "B") | dict.fromkeys(neutrals, "n")
    rows = ("".join(board.get((c, r), ".") for c in range(4)) for r in (3, 2, 1, 0))
    return f"{'/'.join(rows)} {draw(st.sampled_from('AB'))}"


@given(positions())
def test_positions_come_back_as_they_were(text: str) -> None:
    assert GAME.format(GAME.parse(text)) == text


@given(rough_texts("ABn./ ", [START, "B.n./BBBn/AAA./..A. B"]))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    state = read_or_refuse(GAME.parse, text)
    if state is not None:
        assert same(GAME.parse(GAME.format(state)), state)


@pytest.mark.slow
@given(rough_texts("abcd1234+", ["b4c4d3d4+a4c2", "a1a2a3b3"]).filter(one_line))
def test_any_move_is_read_or_refused_in_a_sentence(text: str) -> None:
    state = GAME.init()
    action = read_or_refuse(lambda move: GAME.parse_move(state, move), text)
    if action is not None:
        assert GAME.parse_move(state, GAME.format_move(state, action)) == action


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", FRAME),
        (START[:-2], FRAME),
        (START[:-1] + "C", FRAME),
        (START[:-1] + "a", FRAME),
        ("nAA./.BA./.BA. A", "it should have four rows of four squares"),
        ("nAA./.BA./.BA./.BBn. A", "it should have four rows of four squares"),
        ("nAA./.BA./.BA./.BBx A", "only A B n . may stand on the board, not 'x'"),
        ("nAA./.BA./.BA./BBBn A", "B covers a1 b1 b2 b3 c1, which is not an L of four squares"),
        ("nAA./.BA./.BA./.BnB A", "B covers b1 b2 b3 d1, which is not an L of four squares"),
        ("AA../AA../BBB./Bn.n B", "A covers a3 a4 b3 b4, which is not an L of four squares"),
        ("n.../..../BBB./Bn.. A", "A covers no square, which is not an L of four squares"),
        ("nAAn/.BA./.BA./.BBn A", "it has 3 neutral pieces 'n' instead of two"),
        (".AA./.BA./.BA./.BBn A", "it has 1 neutral pieces 'n' instead of two"),
    ],
)
def test_a_bad_position_is_refused(text: str, why: str) -> None:
    assert refusal(GAME.parse, text) == f"lgame position '{text}': {why}."


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("b4c4c3c2", "the L must change at least one square"),
        ("b4c4c3c2+a4a3", "the L must change at least one square"),
        ("b4c4d4d2", "b4 c4 d2 d4 is not an L"),
        ("a1a2a3a4", "a1 a2 a3 a4 is not an L"),
        ("a1a1a1a1", "a1 a1 a1 a1 is not an L"),
        ("b2b3b4c4", "b2 is taken by B"),
        ("a2a3a4b4", "a4 is taken by n"),
        ("c4d2d3d4+b1b2", "no neutral piece stands on b1"),
        ("c4d2d3d4+a3a2", "no neutral piece stands on a3"),
        ("c4d2d3d4+a4a4", "a4 is not empty once the L lies there"),
        ("c4d2d3d4+a4d2", "d2 is not empty once the L lies there"),
        ("c4d2d3d4+a4b2", "b2 is not empty once the L lies there"),
        ("", FORM),
        ("+", FORM),
        ("a1", FORM),
        ("c4d2d3d4+", FORM),
        ("c4d2d3d4+a4", FORM),
        ("c4d2d3e4", FORM),
        ("c4d2d3d4a4a3", FORM),
    ],
)
def test_a_bad_move_is_refused(move: str, why: str) -> None:
    assert refusal(GAME.parse_move, GAME.init(), move) == f"lgame move '{move}': {why}."


@pytest.mark.parametrize(
    ("move", "same_as"),
    [
        ("d4d3c4b4", "b4c4d3d4"),
        ("B4C4D3D4+A4C2", "b4c4d3d4+a4c2"),
        (" d3b4d4c4+a4c2 ", "b4c4d3d4+a4c2"),
        ("b4c4d3d4+d1c3", "b4c4d3d4+d1c3"),  # the neutral may go where the L was
    ],
)
def test_a_good_move_is_played_however_it_is_typed(move: str, same_as: str) -> None:
    assert GAME.format_move(GAME.init(), GAME.parse_move(GAME.init(), move)) == same_as


def test_no_move_is_played_after_the_end() -> None:
    over = GAME.parse("B.n./BBBn/AAA./..A. B")
    for lay in LAYS:
        move = "".join(f"{'abcd'[c]}{r + 1}" for c, r in lay)
        why = refusal(GAME.parse_move, over, move)
        assert why == f"lgame move '{move}': the game is over."


def test_what_the_page_of_rules_says_is_so() -> None:
    text = guide("lgame")
    assert f"    {START}\n" in f"{text}\n"
    for row in GAME.draw(GAME.init()).splitlines()[:4]:
        assert f"    {row[0]}  {plain(row[2:])}\n" in text
    moves = re.findall(r"^    ((?:[a-d][1-4]){4}\S*)", text, re.MULTILINE)
    assert moves == ["b4c4d3d4", "b4c4d3d4+a4a1"]
    for move in moves:
        GAME.parse_move(GAME.init(), move)
    assert f"({GAME.cap})" in text
