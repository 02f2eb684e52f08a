"""What is thought and what is true, on the board and beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.browser import Served
from helpers.hands import arrived, plies, ready, until
from helpers.plugins import install_noughts

pytestmark = pytest.mark.slow


def test_what_is_thought_is_shown_on_the_board_and_in_a_list(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3")
    ready(page)
    page.check("text=Show what is thought of each move")
    page.wait_for_selector("table tbody tr")
    assert page.locator("table tbody tr").count() == 9
    assert page.inner_text("table tbody tr:nth-child(1) td.verdict").startswith("win in")
    assert "best move here" in (page.get_attribute("[data-cell=b2]", "aria-label") or "")
    page.click("table tbody tr:nth-child(1) th button")
    arrived(page, 1)


def test_two_opinions_stand_side_by_side(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3")
    ready(page)
    page.check("text=Show what is thought of each move")
    page.wait_for_selector("table tbody tr")
    page.select_option("label:has-text('and beside it') select", "perfect")
    until(page, "document.querySelectorAll('table thead th').length === 4")
    heads = [page.inner_text(f"table thead th:nth-child({k})") for k in (1, 2, 3, 4)]
    assert heads == ["Move", "hex/best-3", "perfect", "Truth"]
    second, truth = (page.inner_text(f"table tbody tr:nth-child(1) td:nth-child({k})") for k in (3, 4))
    assert (second, truth.split()[0]) == ("+1.000", "win")


def test_the_line_that_beats_an_agent_is_played_out(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&p1=hex/best-3")
    ready(page)
    page.click("button:text-is('Shortest line that beats hex/best-3')")
    until(page, "document.querySelector('main').textContent.includes('hex/best-3 is beaten as white in')")
    until(page, "document.querySelector('.status').textContent === 'black wins.'")
    assert plies(page) >= 5  # three stones to join two edges of three cells
    assert "anyone" in page.inner_text("main")


def test_mistakes_are_marked_and_clicked(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&moves=a1.b2.c3")  # a1 gives the win away
    ready(page)
    page.click("button:text-is('Review the game')")
    until(page, "document.querySelector('.graph')?.parentElement.textContent.includes('exact mistake')")
    assert page.get_attribute(".point.exact >> nth=0", "aria-label").endswith("an exact mistake")
    page.click(".point >> nth=1")
    until(page, "document.querySelector('.status').textContent.includes('move 1 of 3')")


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
        page.check("text=Show what is thought of each move")
        page.wait_for_selector("table tbody tr")
        assert page.locator("table tbody tr").count() == 7
    finally:
        own.stop()
    assert "Traceback" not in own.said()
