"""What a terminal shows of a game: boards that say whose turn it is, or how it ended; and the page of rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.cases import options_of
from helpers.positions import random_positions, unstack

from ludus import games
from ludus.core.game import Game, compiled
from ludus.core.text import plain
from ludus.games import entry, guide, make_game, names

each_game = pytest.mark.parametrize("name", names())


COUNT = 60


def positions(game: Game) -> list[Any]:
    states = random_positions(game, COUNT)
    return [unstack(states, k) for k in range(COUNT)]


@pytest.mark.parametrize("name", [name for name in names() if len(entry(name).seats) == 2])
def test_the_last_line_says_who_is_to_move_or_who_has_won(name: str) -> None:
    game = make_game(name, **options_of(name)[0])
    seen = set()
    for state in positions(game):
        last = game.draw(state).splitlines()[-1]
        over = bool(compiled(game).done(state))
        seen.add(over)
        assert ("to move" in last) != over, last
        mover = game.seats[int(compiled(game).player(state))]
        returns = compiled(game).returns(state)
        if not over:
            assert last.startswith(f"{mover} ")
        elif returns[0] == returns[1]:
            assert "a tie" in last
        else:
            assert re.search(rf"\b{game.seats[int(returns.argmax())]} . has (won|joined)", last)
    assert seen == {True, False}


def test_a_puzzle_has_nobody_to_move() -> None:
    game = make_game("solitaire-chess")
    assert game.draw(game.parse("K3/4/4/4")).splitlines()[-1] == "1 piece"
    assert game.draw(game.parse("N3/1B2/P3/4")).splitlines()[-1] == "3 pieces"


@each_game
def test_every_glyph_has_a_letter_of_its_own(name: str) -> None:
    """So that a terminal without glyphs shows the same board."""
    game = make_game(name, **options_of(name)[0])
    for state in positions(game):
        drawn = game.draw(state)
        letters = plain(drawn)
        assert "?" not in letters
        assert len(letters) == len(drawn)
        glyphs = {glyph: letter for glyph, letter in zip(drawn, letters, strict=True) if glyph != letter}
        assert len(set(glyphs.values())) == len(glyphs)


@each_game
def test_a_page_of_rules_fits_a_terminal(name: str) -> None:
    text = guide(name)
    assert text.isascii()
    assert max(map(len, text.splitlines())) < 80
    assert 15 < len(text.splitlines()) < 45
    for seat in entry(name).seats[1:]:
        assert seat in text.splitlines()[0]
    for option in entry(name).options:
        assert option.name in text, option.name


@pytest.mark.usefixtures("without_guide")
def test_a_game_without_a_page_says_what_it_is() -> None:
    first, second = guide("nim").splitlines()
    assert first == "nim: Take one or three from a heap; who takes the last wins."
    assert second.startswith("It brings no page of rules;")


@pytest.fixture
def without_guide(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(games.ROOMS, "nim", "helpers.odd_nim:ENTRY")
    games.rooms.cache_clear()
    games.entry.cache_clear()
    yield
    monkeypatch.undo()
    games.rooms.cache_clear()
    games.entry.cache_clear()
