"""What holds for the whole page: addresses, a server that is killed, axe, every width and light."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.browser import Served
from helpers.hands import arrived, plies, ready, settings, until

pytestmark = pytest.mark.slow

PAGES = {
    "start": "/",
    "tour": "/?view=play&game=abalone&tour=1",
    "lgame": "/?view=play&game=lgame&p1=lgame/best",
    "hex": "/?view=play&game=hex&o.size=5&moves=c3.b2.c2.b3.c1.b4.c4.b5.c5",
    "abalone": "/?view=play&game=abalone",
    "puzzles": "/?view=puzzles&game=solitaire-chess&start=N3%2F1B2%2FP3%2F4",
    "learn": "/?view=learn",
    "papers": "/?view=papers",
}


def test_back_and_reload_keep_the_position(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=4")
    ready(page)
    for count, cell in enumerate(("a1", "b2", "c3"), start=1):
        page.click(f"[data-cell={cell}]")
        arrived(page, count)
    page.reload()
    arrived(page, 3)
    assert page.get_attribute("[data-cell=c3]", "aria-label") == "c3, black stone, last move"
    page.go_back()
    until(page, "document.querySelectorAll('ol.moves li').length === 2")
    assert page.get_attribute("[data-cell=c3]", "aria-label") == "c3, empty"
    page.go_forward()
    arrived(page, 3)


def test_the_server_is_killed_in_the_middle_of_a_game(visit: Any, served: Served) -> None:
    page = visit("/?view=play&game=hex&o.size=4")
    ready(page)
    page.click("[data-cell=a1]")
    arrived(page, 1)
    served.kill()
    page.click("[data-cell=b2]")
    page.wait_for_selector("#banner:not([hidden])")
    assert "The server does not answer" in page.inner_text("#banner")
    served.start()
    arrived(page, 2)
    page.wait_for_selector("#banner", state="hidden")
    page.reload()
    arrived(page, 2)


def test_an_address_that_cannot_be_shown_says_why(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=4&moves=a1.z9")
    until(page, "document.getElementById('banner').textContent.includes(\"hex move 'z9'\")")
    page.click("text=Begin a new game.")
    ready(page)
    assert plies(page) == 0


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit: Any, name: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = visit(PAGES[name], scheme=scheme)
    settled(page, name)
    if name == "hex":
        settings(page)
    found = axe.Axe().run(page)
    short = [(v["id"], [node["html"][:120] for node in v["nodes"][:3]]) for v in found.response["violations"]]
    assert not short, json.dumps(short, indent=1)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_nothing_is_wider_than_the_screen(visit: Any, name: str, width: int) -> None:
    page = visit(PAGES[name], width=width)
    settled(page, name)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def settled(page: Any, name: str) -> None:
    if name == "start":
        page.wait_for_selector(".gamecard:nth-child(4) svg.board")
    elif name not in ("learn", "papers"):
        ready(page)
    page.wait_for_load_state("networkidle")


def test_the_light_is_chosen_and_kept(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3")
    ready(page)
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    ready(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_swap_is_offered_where_the_rule_is_on(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&o.swap=true&moves=a2")
    ready(page)
    page.click("button:text-is('swap') >> nth=0")
    arrived(page, 2)
    assert page.get_attribute("[data-cell=b1]", "aria-label").startswith("b1, white stone")


def test_an_agent_searches_by_its_own_network_as_far_as_it_is_told(visit: Any) -> None:
    """On a board between those that it has learned: it answers, its effort is chosen, and the address keeps that."""
    page = visit("/?view=play&game=hex&o.size=6&p1=hex/best-7@16")
    ready(page)
    settings(page)
    assert page.eval_on_selector("label:has-text('searches') select", "box => box.value") == "@16"
    page.click("[data-cell=c3]")
    arrived(page, 2)
    page.select_option("label:has-text('searches') select", "")
    until(page, "!decodeURIComponent(location.search).includes('@16')")
    until(page, "decodeURIComponent(location.search).includes('p1=hex/best-7')")
    page.select_option("label:has-text('searches') select", "@32")
    until(page, "decodeURIComponent(location.search).includes('p1=hex/best-7@32')")
