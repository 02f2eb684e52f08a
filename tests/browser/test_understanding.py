"""What is thought and what is true, on the board and beside it; reviews, and the tree of a game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import Served
from helpers.hands import arrived, plies, ready, tab, until
from helpers.plugins import install_noughts
from helpers.trained import write_run

from ludus.learners.recipe import Recipe

pytestmark = pytest.mark.slow

BEST = "ol.bestmoves li"


def analyse(page: Any) -> None:
    ready(page)
    page.click(".acts button:has-text('Analyse')")


def test_the_best_moves_are_on_the_board_and_in_a_list(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3")
    analyse(page)
    until(page, "document.querySelector('.verdicthead').textContent.includes('proved')")
    assert page.inner_text(".verdicthead .big") == "Black wins in 5 moves"
    assert page.locator(BEST).count() == 3
    assert page.inner_text(f"{BEST}:first-child .worth").startswith("win in")
    assert "move 1 of the best" in (page.get_attribute("[data-cell=b2]", "aria-label") or "")
    assert page.locator("svg.board .said-text").count() == 3  # nothing in cells that do not matter
    assert page.get_attribute(".chance", "aria-label") == "black wins, proved"
    page.click("summary:has-text('Every move')")
    until(page, "document.querySelectorAll('table tbody tr').length === 9")
    page.click(f"{BEST}:first-child button")
    arrived(page, 1)


def test_each_part_is_shown_as_it_arrives_and_can_be_asked_again(visit: Any) -> None:
    """The truth is held back, and the agent fails once: the other part stands meanwhile. There were ten blank rows."""
    page = visit("/?view=play&game=hex&o.size=5")
    ready(page)
    held, failed = [], []

    def opinion(route: Any) -> None:
        if failed:
            return route.continue_()
        failed.append(True)
        return route.fulfill(status=422, body=json.dumps({"error": "this was not done in 60 s; ask for less."}))

    page.route("**/api/truth", lambda route: held.append(route))
    page.route("**/api/opinion", opinion)
    analyse(page)
    until(page, "document.querySelector('.parts')?.textContent.includes('ask for less')")
    assert page.locator(BEST).count() == 0
    assert "Exact solution is on its way" in page.inner_text(".parts")
    page.click("button:text-is('Try again')")
    until(page, "document.querySelectorAll('ol.bestmoves li').length === 3")
    assert "%" in page.inner_text(f"{BEST}:first-child .worth")
    assert "proved" not in page.inner_text(".verdicthead")
    held[0].continue_()
    until(page, "document.querySelector('.verdicthead').textContent.includes('proved')")
    assert page.inner_text(f"{BEST}:first-child .worth") == "win"


def test_two_opinions_and_the_truth_stand_side_by_side(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3")
    analyse(page)
    page.click("summary:text-is('Who analyses')")
    page.select_option("label:has-text('and beside it') select", "perfect")
    page.click("summary:has-text('Every move')")
    until(page, "document.querySelectorAll('table thead th').length === 4")
    heads = [page.inner_text(f"table thead th:nth-child({k})") for k in (1, 2, 3, 4)]
    assert heads == ["Move", "hex/best-3", "perfect", "Truth"]
    second, truth = (page.inner_text(f"table tbody tr:nth-child(1) td:nth-child({k})") for k in (3, 4))
    assert (second, truth.split()[0]) == ("100%", "win")


def test_the_line_that_beats_an_agent_is_played_out(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&p1=hex/best-3")
    ready(page)
    tab(page, "Analysis")
    page.click("summary:text-is('Who analyses')")
    page.click("button:text-is('Shortest line that beats hex/best-3')")
    until(page, "document.querySelector('main').textContent.includes('hex/best-3 is beaten as white in')")
    until(page, "document.querySelector('.status').textContent === 'black wins.'")
    assert plies(page) >= 5  # three stones to join two edges of three cells
    assert "anyone" in page.evaluate("document.querySelector('main').textContent")


def reviewed(page: Any) -> str:
    """The review's sentence when it is done."""
    ready(page)
    tab(page, "Analysis")
    page.click("button:text-is('Review the game')")
    until(page, "document.body.textContent.includes(' positions: ')")
    return page.inner_text("section:has(> h2:text-is('Review'))")


def test_mistakes_are_marked_where_they_are_and_lead_there(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&moves=a1.b2.c3")  # a1 gives the win away
    assert "1 blunder (4 positions: all proved)" in reviewed(page)
    assert "gave the win away" in page.inner_text("ol.mistakes li")
    page.click(".point >> nth=0")
    until(page, "document.querySelector('.status').textContent.includes('move 1 of 3')")
    tab(page, "Moves")
    assert page.inner_text("ol.moves li:nth-child(1) button").startswith("a1 ??")
    assert "?" not in page.inner_text("ol.moves li:nth-child(2) button")


def test_a_policy_without_values_marks_nothing(visit: Any, served: Served) -> None:
    """Its largest probability was taken for the value of the side to move: each ply was a mistake by opinion."""
    recipe = Recipe.of("actor-critic", "online", algorithm="tdc", actor="plain")
    folder = served.folder / "runs" / "actor"
    if not folder.exists():
        write_run(folder, "hex", {"size": 5, "swap": True}, recipe)
    page = visit("/?view=play&game=hex&o.size=5&o.swap=true&p1=run:actor&moves=c3.b4.d2.d3.b3.a4&at=5")
    ready(page)
    tab(page, "Analysis")
    page.click("button:text-is('Review the game')")
    until(page, "document.body.textContent.includes('Nobody here can judge this game.')")
    assert "has a policy and no values" in page.inner_text("section:has(> h2:text-is('Review'))")
    assert page.locator("ol.mistakes li").count() == page.locator(".point").count() == 0
    page.click(".acts button:has-text('Analyse')")
    until(page, "document.querySelectorAll('ol.bestmoves li').length === 3")
    assert page.inner_text(f"{BEST}:first-child .worth").startswith("played with ")
    assert page.get_attribute(".chance", "class") == "chance unknown"


def test_mistakes_are_learned_from(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&moves=a1.b2.c3&p1=hex/best-3")
    reviewed(page)
    page.click("button:text-is('Learn from your mistakes')")
    until(page, "document.querySelector('.lesson').textContent.includes('Mistake 1 of 1')")
    page.click("[data-cell=c3]")
    until(page, "document.querySelector('.lesson').textContent.includes('c3 is no better')")
    page.click(".lesson button:text-is('Try again')")
    until(page, "document.querySelector('.lesson').textContent.includes('Find something better')")
    page.click("[data-cell=b2]")
    until(page, "/Right: b2|b2 is good/.test(document.querySelector('.lesson').textContent)")
    page.click(".lesson button:text-is('Done')")
    until(page, "decodeURIComponent(location.search).includes('moves=a1.b2.c3')")
    assert "&b=" not in page.url  # what was only tried is no branch


def test_another_move_from_an_earlier_position_starts_a_branch(visit: Any) -> None:
    """The game that was played there was lost. Now it is saved too, and read again."""
    page = visit("/?view=play&game=hex&o.size=3&moves=a1.b2.c3.a2&at=2")
    ready(page)
    page.click("[data-cell=b3]")
    until(page, "document.querySelectorAll('ol.moves .branch').length === 1")
    assert page.inner_text("ol.moves .branch").split() == ["or", "c3", "a2"]
    page.reload()
    until(page, "document.querySelectorAll('ol.moves .branch').length === 1")
    page.click("ol.moves .branch button:text-is('a2')")
    until(page, "document.querySelector('ol.moves .branch').textContent.includes('b3')")
    assert plies(page) == 4
    tab(page, "Game")
    page.click("summary:text-is('Save and load')")
    page.click("button:text-is('Show as text')")
    until(page, "document.querySelector('textarea').value.includes('branch 2 b3')")
    with page.expect_download() as saved:
        page.click("button:text-is('Save as SGF')")
    text = Path(saved.value.path()).read_text()
    assert text.endswith(";B[a1];W[b2](;B[c3];W[a2])(;B[b3]))\n")
    page.click("button:text-is('New game')")
    until(page, "document.querySelectorAll('ol.moves li').length === 0")
    assert page.locator("ol.moves .branch").count() == 0
    page.fill("textarea", text)
    page.click("button:text-is('Go on with this text')")
    until(page, "document.querySelectorAll('ol.moves .branch').length === 1")
    assert plies(page) == 4


def test_an_agent_that_does_not_move_is_asked_to_search_less(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=5&p1=hex/best-7@400")
    ready(page)
    body = json.dumps({"error": "this was not done in 60 s; ask for less."})
    page.route("**/api/move", lambda route: route.fulfill(status=422, body=body))
    page.click("[data-cell=c3]")
    until(page, "document.querySelector('.status').textContent.includes('ask for less')")
    page.unroute("**/api/move")
    page.click("button:text-is('Let it search less: 100 simulations')")
    arrived(page, 2)
    assert "p1=hex%2Fbest-7%40100" in page.url


def test_an_agent_gets_ready_before_it_moves_and_says_so(visit: Any) -> None:
    held: list[Any] = []
    page = visit("/?view=puzzles")
    page.route("**/api/warm", lambda route: held.append(route))
    page.goto(f"{page.url.partition('/?')[0]}/?view=play&game=hex&o.size=3&p1=hex/best-3")
    ready(page)
    until(page, "document.querySelector('.next').textContent.includes('its first move compiles')")
    held[0].continue_()
    until(page, "!document.querySelector('.next').textContent.includes('compiles')")


def test_a_game_of_another_package_is_shown_as_text_and_played(visit: Any, browser: Any, tmp_path: Path) -> None:
    site, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    install_noughts(site)
    own = Served(work, PYTHONPATH=str(site))
    try:
        page = visit("/?view=play&game=noughts&p1=perfect", at=own)
        ready(page)
        assert page.inner_text("pre.textboard").count(".") == 9
        page.click(".many button >> nth=0")
        arrived(page, 2)
        analyse(page)
        page.click("summary:has-text('Every move')")
        until(page, "document.querySelectorAll('table tbody tr').length === 7")
    finally:
        own.stop()
    assert "Traceback" not in own.said()
