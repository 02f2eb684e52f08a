"""A whole game of each kind: by mouse, by keyboard alone and by touch."""

from __future__ import annotations

import random
from typing import Any

import pytest
from helpers.hands import HANDS, arrived, make, plies, ready, status, tab, until

from ludus import games as registry
from ludus.games import make_game
from ludus.play.line import Line

pytestmark = pytest.mark.slow

GAMES = {
    "lgame": ("/?view=play&game=lgame&o.cap=5", {"cap": 5}, None),
    "hex": ("/?view=play&game=hex&o.size=3", {"size": 3}, None),
    "abalone": ("/?view=play&game=abalone&o.cap=6", {"cap": 6}, None),
    "solitaire-chess": ("/?view=puzzles&game=solitaire-chess&start=N3%2F1B2%2FP3%2F4", {}, "N3/1B2/P3/4"),
}


def a_line(name: str) -> tuple[str, list[tuple[str, dict[str, Any]]], str]:
    """The board's kind, a game by chance as moves with their ways, and how it ends."""
    _, options, start = GAMES[name]
    game, board = make_game(name, **options), registry.part(name, "board")
    line, chance = Line(game, game.parse(start) if start else game.init()), random.Random(7)
    found = []
    while (ending := line.ending()) is None:
        text, action = game.format(line.state), chance.choice(line.legal())
        move = game.format_move(line.state, action)
        found.append((move, board.way(game, text, move)._asdict()))
        line.push(action)
    return board.geometry(game).kind, found, ending.sentence


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("by", HANDS)
def test_a_whole_game(visit: Any, name: str, by: str) -> None:
    kind, line, sentence = a_line(name)
    page = visit(GAMES[name][0], width=360 if by == "touch" else 1280, touch=by == "touch")
    ready(page)
    hand = HANDS[by](page)
    for count, (move, way) in enumerate(line, start=1):
        make(hand, kind, way)
        arrived(page, count)
        assert page.inner_text(f"ol.moves li:nth-child({count})").split()[-1] == move
    until(page, "(said) => document.querySelector('.status').textContent === said", sentence)
    assert plies(page) == len(line)


def test_typed_moves_are_played_and_refused_in_a_sentence(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3")
    ready(page)
    page.fill("#typed", "B2")
    page.keyboard.press("Enter")
    arrived(page, 1)
    assert page.inner_text("ol.moves").endswith("b2")
    page.fill("#typed", "b2")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.why').textContent.includes('a stone stands on b2 already')")
    assert plies(page) == 1


def test_an_agent_answers_and_a_move_is_taken_back(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&p1=hex/best-3")
    ready(page)
    page.click("[data-cell=a1]")
    arrived(page, 2)
    until(page, "document.querySelector('.status').textContent === 'black to move'")
    page.click("button:has-text('Take back')")
    until(page, "document.querySelectorAll('ol.moves li').length === 0")
    tab(page, "Game")
    page.click("button:text-is('Swap sides')")
    arrived(page, 1)
    assert "p0=hex" in page.url


def test_the_neutral_piece_may_be_thought_better_of(visit: Any) -> None:
    page = visit("/?view=play&game=lgame")
    ready(page)
    page.hover("[data-cell=d4]")
    for _ in range(8):
        if page.locator(".lays.fits").count():
            break
        page.mouse.wheel(0, 10)
        page.wait_for_timeout(50)
    page.click("[data-cell=d4]")
    page.wait_for_selector("button:text-is('Leave the neutral pieces')")
    page.click("button:text-is('Take the L up again')")
    assert not page.is_visible("button:text-is('Leave the neutral pieces')")
    assert plies(page) == 0


def test_two_agents_play_and_pause(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&p0=random&p1=hex/best-3")
    ready(page)
    arrived(page, 2)
    until(page, "document.querySelector('.status').textContent.includes('wins')")
    assert status(page).endswith("wins.")


def test_resigning_saving_and_loading(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&moves=a1.b2")
    ready(page)
    tab(page, "Game")
    page.click("summary:text-is('Save and load')")
    page.click("button:text-is('Show as text')")
    until(page, "document.querySelector('textarea').value.includes('moves 2')")
    kept = page.input_value("textarea")
    page.click("button:text-is('Resign')")
    until(page, "document.querySelector('.status').textContent.startsWith('black resigns')")
    page.fill("textarea", kept)
    page.click("button:text-is('Go on with this text')")
    until(page, "document.querySelector('.status').textContent === 'black to move'")
    assert plies(page) == 2
    page.fill("textarea", "nonsense")
    page.click("button:text-is('Go on with this text')")
    until(page, "[...document.querySelectorAll('.why')].some((why) => why.textContent.includes('not a saved game'))")
