"""Puzzles in the browser: the last wish counts, help survives a reload, wrong moves are refuted; the rush."""

from __future__ import annotations

import json
import math
import urllib.request
from typing import Any

import pytest
from helpers.browser import Served
from helpers.hands import arrived, plies, ready, status, tab, until

pytestmark = pytest.mark.slow


def asked(served: Served, name: str, **said: Any) -> Any:
    """What the server answers."""
    request = urllib.request.Request(
        f"{served.url}/api/{name}", json.dumps(said).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=240) as answer:
        return json.loads(answer.read())


def a_problem(served: Served, seed: int = 1, level: str = "beginner") -> tuple[Any, str]:
    """A puzzle of Hex, and its address."""
    return (
        asked(served, "puzzle", game="hex", level=level, seed=seed),
        f"/?view=puzzles&game=hex&puzzle={level}-{seed}",
    )


def said(page: Any) -> str:
    return page.inner_text(".said")


def has(page: Any, where: str, words: str) -> None:
    script = "([where, words]) => (document.querySelector(where)?.textContent || '').includes(words)"
    until(page, script, [where, words])


def test_of_two_wishes_the_later_is_shown_however_late_the_earlier_is_answered(visit: Any) -> None:
    page = visit("/?view=puzzles&game=hex&puzzle=beginner-1")
    ready(page)
    waiting = []

    def late(route: Any) -> None:
        """The answer about the first level is kept back."""
        if "advanced" in (route.request.post_data or ""):
            waiting.append(route)
        else:
            route.continue_()

    page.route("**/api/puzzle", late)
    page.select_option("label:has-text('Level') select", "advanced")
    page.wait_for_timeout(100)
    page.select_option("label:has-text('Level') select", "expert")
    has(page, ".goal", "Expert")
    assert "puzzle=expert-" in page.url
    (route,) = waiting
    route.continue_()
    page.wait_for_timeout(800)
    assert "Expert" in page.inner_text(".goal")
    assert "puzzle=expert-" in page.url


def test_another_level_brings_another_puzzle(visit: Any) -> None:
    page = visit("/?view=puzzles&game=solitaire-chess&puzzle=beginner-7")
    ready(page)
    before = page.inner_text(".goal")
    page.select_option("label:has-text('Level') select", "intermediate")
    has(page, ".goal", "Intermediate")
    assert page.inner_text(".goal") != before
    page.go_back()
    has(page, ".goal", before.split(" Beginner")[0].split("\n")[0])


def test_goal_hints_score_and_streak_survive_hints_and_reloads(visit: Any) -> None:
    page = visit("/?view=puzzles&day=1")
    ready(page)
    goal = page.inner_text(".goal")
    assert "until one piece is left" in goal
    assert "the puzzle of" in goal
    hints = 0
    while "solved" not in status(page).lower():
        tab(page, "Puzzle")
        page.click("button:has-text('Hint')")
        has(page, ".said", "keeps it solvable")
        move, hints = said(page).split()[0], hints + 1
        if hints == 1:
            assert page.inner_text(".goal") == goal
            page.reload()
            ready(page)
            assert page.inner_text(".goal") == goal
            has(page, ".said", "1 hint")
        before = plies(page)
        tab(page, "Moves")
        page.fill("#typed", move)
        page.keyboard.press("Enter")
        arrived(page, before + 1)
    moves = plies(page)
    score = max(0, 10 * moves - 10 * hints)
    tab(page, "Puzzle")
    has(page, ".said", f"Solved. Score {score}: {moves} captures, 0 taken back, {hints} hint")
    has(page, ".days", "Days in a row: 1. Days solved: 1.")
    page.reload()
    ready(page)
    has(page, ".said", f"Solved. Score {score}")
    has(page, ".days", "Days in a row: 1. Days solved: 1.")


def test_a_wrong_move_is_refuted_on_the_board_and_counts_once(visit: Any, served: Served) -> None:
    made, address = a_problem(served)
    (answer,) = made["answers"]
    wrong, reply = sorted(made["replies"].items())[0]
    page = visit(address)
    ready(page)
    assert page.inner_text(".rating") == "1000"
    page.click(f"[data-cell={wrong}]")
    has(page, ".said", f"{wrong} loses")
    arrived(page, 2)
    assert f"answers {reply}" in said(page)
    assert "last move" in page.get_attribute(f"[data-cell={reply}]", "aria-label")
    lost = page.inner_text(".rating")
    assert lost != "1000"
    page.click("button:text-is('Try again')")
    until(page, "document.querySelectorAll('ol.moves li').length === 0")
    page.click(f"[data-cell={answer}]")
    has(page, ".said", f"Right: {answer}")
    assert page.inner_text(".rating").split("(")[0] == lost.split("(")[0], "the first answer alone counts"
    page.reload()
    ready(page)
    has(page, ".said", f"Right: {answer}")
    assert "p" in page.get_attribute("a:text-is('Play it out against perfect play')", "href")


def test_the_rest_of_a_lost_line_is_played_out(visit: Any, served: Served) -> None:
    made, address = a_problem(served, 2)
    wrong = sorted(made["replies"])[0]
    page = visit(address)
    ready(page)
    page.click(f"[data-cell={wrong}]")
    page.click("button:text-is('See how it ends')")
    winner = "White" if made["position"].endswith("b") else "Black"
    until(
        page,
        "(words) => document.querySelector('.status').textContent.toLowerCase() === words",
        f"{winner.lower()} wins.",
    )


def test_hints_narrow_it_down(visit: Any, served: Served) -> None:
    made, address = a_problem(served, 3)
    page = visit(address)
    ready(page)
    page.click("button:has-text('Hint')")
    has(page, ".said", "It is one of")
    assert made["answers"][0] in said(page)
    assert page.locator(".ring.marked").count() == 3
    page.click("button:has-text('Hint')")
    has(page, ".said", f"{made['answers'][0]} wins.")
    assert page.locator(".ring.marked").count() == 1


def test_a_rush_counts_goes_on_after_a_reload_and_ends_with_the_third_wrong_answer(visit: Any, served: Served) -> None:
    page = visit("/?view=puzzles&game=hex&rush=1")
    ready(page)
    until(page, "/^[0-2]:[0-9][0-9]$/.test(document.querySelector('[role=timer]').textContent)")

    def answer(right: bool, number: int) -> None:
        until(page, "(n) => JSON.parse(sessionStorage.getItem('ludus.rush')).list.length === n", number)
        until(page, "document.querySelectorAll('ol.moves li').length === 0")
        level, seed = page.evaluate("new URLSearchParams(location.search).get('puzzle')").rsplit("-", 1)
        made = asked(served, "puzzle", game="hex", level=level, seed=int(seed))
        page.click(f"[data-cell={made['answers'][0] if right else sorted(made['replies'])[0]}]")
        until(page, "(n) => JSON.parse(sessionStorage.getItem('ludus.rush')).list.length === n", number + 1)

    answer(True, 0)
    has(page, ".rush-bar", "1 solved")
    until(page, "document.querySelectorAll('ol.moves li').length === 0")
    page.reload()
    ready(page)
    has(page, ".rush-bar", "1 solved")
    for number in (1, 2, 3):
        answer(False, number)
    until(page, "document.body.textContent.includes('1 solved, 3 wrong.')")
    assert not page.is_visible(".rush-bar")
    assert page.inner_text(".rating") == "1000", "a rush is not rated"
    assert "Best rush: 1." in page.inner_text("main")


def test_the_rating_follows_glicko(visit: Any) -> None:
    """By the formula of Glickman's paper, written again."""
    page = visit("/?view=puzzles&game=hex&puzzle=beginner-1")
    script = """async ([rating, deviation, puzzle, solved]) => {
        const { rated } = await import('/static/puzzle_log.js');
        return rated({ rating, deviation, count: 4 }, puzzle, solved); }"""
    q = math.log(10) / 400
    g = 1 / math.sqrt(1 + 3 * q**2 * 30**2 / math.pi**2)
    for rating, deviation, puzzle, solved in ((1500, 200, 1400, True), (1000, 350, 1700, False), (1900, 50, 900, True)):
        expected = 1 / (1 + 10 ** (-g * (rating - puzzle) / 400))
        spread = 1 / deviation**2 + q**2 * g**2 * expected * (1 - expected)
        found = page.evaluate(script, [rating, deviation, puzzle, solved])
        assert found["rating"] == pytest.approx(rating + q / spread * g * (solved - expected))
        assert found["deviation"] == pytest.approx(max(50, math.sqrt(1 / spread)))
        assert found["count"] == 5


def test_the_rating_can_be_reset(visit: Any, served: Served) -> None:
    made, address = a_problem(served)
    page = visit(address)
    ready(page)
    page.click(f"[data-cell={made['answers'][0]}]")
    has(page, ".rating", "+")
    page.click("button:text-is('Reset the rating')")
    page.click("button:text-is('Reset it: really')")
    until(page, "document.querySelector('.rating').textContent === '1000'")


def test_an_error_stands_beside_the_puzzle_and_can_be_tried_again(visit: Any) -> None:
    page = visit("/?view=puzzles&game=hex&puzzle=beginner-1")
    ready(page)
    broken = [True]

    def answer(route: Any) -> None:
        if broken[0]:
            route.fulfill(status=422, content_type="application/json", body='{"error": "this was not done in 60 s."}')
        else:
            route.continue_()

    page.route("**/api/puzzle", answer)
    page.click("button:text-is('New puzzle')")
    has(page, ".tabbody", "No puzzle came: this was not done in 60 s.")
    assert page.locator("svg.board").count() == 1
    broken[0] = False
    page.click("button:text-is('Try again')")
    until(page, "!new URLSearchParams(location.search).get('puzzle').endsWith('-1')")
