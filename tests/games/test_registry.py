"""Games by name and options; a bad name or option is refused in a sentence."""

from __future__ import annotations

import pytest
from helpers.text import one_line, read_or_refuse, refusal
from hypothesis import given
from hypothesis import strategies as st

from ludus.games import GAMES, make_game
from ludus.games.hex.rules import Hex


@pytest.mark.parametrize("name", list(GAMES))
def test_a_game_is_found_by_its_name(name: str) -> None:
    assert isinstance(make_game(name), GAMES[name])
    assert make_game(name).name == name


def test_options_that_are_not_given_are_the_defaults() -> None:
    assert make_game("hex", size=None, swap=True) == Hex(swap=True)
    assert make_game("hex", size=5).describe() == "hex size=5 swap=False"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("chess", {}, "there is no game 'chess'; there are "),
        ("hex", {"layout": "standard"}, "hex has no option 'layout'; its options are size, swap."),
        ("lgame", {"size": 4}, "lgame has no option 'size'; "),
        ("hex", {"size": 20}, "hex is played here on boards from 2 to 19, not 20."),
        ("abalone", {"layout": "x"}, "abalone has no layout 'x'; "),
        ("solitaire-chess", {"rules": "x"}, "solitaire-chess has no rules 'x'; there are paper and solo."),
    ],
)
def test_a_bad_name_or_option_is_refused(name: str, options: dict, message: str) -> None:
    assert refusal(make_game, name, **options).startswith(message)


@given(st.text(max_size=20).filter(one_line))
def test_any_name_is_found_or_refused(name: str) -> None:
    assert read_or_refuse(make_game, name) is None or name in GAMES
    read_or_refuse(lambda layout: make_game("abalone", layout=layout), name)
    read_or_refuse(lambda rules: make_game("solitaire-chess", rules=rules), name)


@given(st.integers())
def test_any_size_is_taken_or_refused(size: int) -> None:
    for name, sizes in (("hex", range(2, 20)), ("solitaire-chess", range(3, 9))):
        game = read_or_refuse(lambda _, name=name: make_game(name, size=size, pieces=_pieces(name)), "")
        assert (game is not None) == (size in sizes)


def _pieces(name: str) -> int | None:
    return 2 if name == "solitaire-chess" else None


@pytest.mark.parametrize(("name", "options"), [("he\nx", {}), ("abalone", {"layout": "a\nb"})])
def test_a_name_of_two_lines_is_refused_in_one(name: str, options: dict) -> None:
    refusal(make_game, name, **options)


@pytest.mark.parametrize("name", ["lgame", "abalone"])
@pytest.mark.parametrize("cap", [0, -1])
def test_a_game_of_no_plies_is_refused(name: str, cap: int) -> None:
    refusal(make_game, name, cap=cap)
