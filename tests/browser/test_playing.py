"""What a player sees first, and what a game feels like: the start, the line under the board, going back, a phone."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.hands import arrived, plies, ready, status, tab, until

pytestmark = pytest.mark.slow

PUSH = "wwwww/wwwwww/...w.../......../.......ww/....bbb./......./bbbbbb/bbbbb b".replace("/", "%2F")
RATIO = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (color) => {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255)
            .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const ratio = (a, b) => {
        const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
        return (high + 0.05) / (low + 0.05);
    };
    const style = (board, what, kind) => {
        const found = document.querySelector(`svg.board.${board} ${what}`);
        return getComputedStyle(found)[kind];
    };
    const pairs = [];
    const add = (board, what, kind, grounds) => {
        for (const ground of grounds) {
            const [piece, under] = [style(board, what, kind), style(board, ground, "fill")];
            pairs.push([`${board}: ${what} on ${ground}`, Math.round(100 * ratio(piece, under)) / 100]);
        }
    };
    for (const seat of ["seat0", "seat1"]) {
        add("stones", `.stone.${seat}`, "fill", [".cell"]);
        add("stones", `.rim.${seat}`, "stroke", [".slab", ".cell"]);
        add("marbles", `.stone.${seat}`, "fill", [".cell", ".slab"]);
        add("lay", `.tile.${seat}`, "fill", [".cell"]);
    }
    add("lay", ".neutral", "fill", [".cell"]);
    add("pieces", ".man", "fill", [".cell", ".cell.dark"]);
    return pairs;
}"""


def test_the_start_has_a_card_for_each_game(visit: Any) -> None:
    """Proper names, a board, levels; the first is no perfect one, and leads to a game against it."""
    page = visit("/")
    page.wait_for_selector(".gamecard:nth-child(4) svg.board")
    assert page.locator(".gamecard h2").all_inner_texts() == ["The L-Game", "Hex", "Abalone", "Solitaire Chess"]
    firsts = page.locator(".gamecard .chips a.first").all_inner_texts()
    assert firsts == ["Easy", "Easy", "Easy", "Beginner"]
    assert page.get_attribute("[aria-label='Abalone, hard']", "href").endswith("p1=abalone%2Fbest")
    page.click("[aria-label='Abalone, easy']")
    ready(page)
    assert page.inner_text(".stage .player >> nth=0").startswith("Easy")
    assert not page.is_visible("label:has-text('Layout')")  # settings are folded away
    page.go_back()
    page.wait_for_selector(".gamecard")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pieces_and_edges_stand_out_from_their_ground(visit: Any, scheme: str) -> None:
    page = visit("/", scheme=scheme)
    page.wait_for_selector(".gamecard:nth-child(4) svg.board")
    assert [pair for pair in page.evaluate(RATIO) if pair[1] < 3] == []


def test_show_me_how_plays_the_first_moves_with_the_person(visit: Any) -> None:
    page = visit("/")
    page.wait_for_selector(".gamecard")
    page.click("[aria-label='Show me how Hex is played']")
    until(page, "document.querySelector('.next')?.textContent.includes('Begin in the middle, on c3')")
    page.click("[data-cell=a1]")
    until(page, "document.querySelector('.refusal').textContent === 'Not a1 this time.'")
    for count, cell in enumerate(("c3", "b4", "a5", "d2", "e1")):
        arrived(page, 2 * count)
        until(page, "document.querySelectorAll('.marks .choice').length === 1")
        page.click(f"[data-cell={cell}]")
    until(page, "document.querySelector('.result').textContent.includes('Top and bottom are joined')")
    page.click(".result a:text-is('Play a game')")
    until(page, "document.querySelector('.stage .player .who')?.textContent === 'Easy'")
    assert "tour" not in page.url
    assert plies(page) == 0


def test_back_waits_for_the_person(visit: Any) -> None:
    """An agent's answer is no step of its own: Back undoes both moves, and nobody moves then."""
    page = visit("/?view=play&game=hex&o.size=3&p1=hex/best-3")
    ready(page)
    before = page.evaluate("history.length")
    page.click("[data-cell=a1]")
    arrived(page, 2)
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    until(page, "document.querySelectorAll('ol.moves li').length === 0")
    page.wait_for_timeout(900)  # an agent that answers would have
    assert (plies(page), status(page)) == (0, "black to move")
    page.go_forward()
    arrived(page, 2)


def test_going_back_to_an_agents_turn_waits_too(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&moves=a1")
    ready(page)
    page.evaluate("history.pushState(null, '', '/?view=play&game=hex&o.size=3&moves=a1.b2&p0=hex%2Fbest-3')")
    page.evaluate("history.pushState(null, '', '/?view=play&game=hex&o.size=3&moves=a1.b2.c1')")
    page.go_back()
    page.wait_for_selector("button:text-is('Let it move')")
    assert plies(page) == 2
    page.click("button:text-is('Let it move')")
    arrived(page, 3)


def test_the_next_step_and_refusals_stand_under_the_board(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&moves=b2")
    ready(page)
    assert page.inner_text(".line .next") == "Choose an empty cell."
    page.click("[data-cell=b2]")
    until(page, "document.querySelector('.line .refusal').textContent === 'b2 is taken.'")
    assert page.is_visible(".line .refusal")
    page.click("[data-cell=a1]")
    arrived(page, 2)
    assert not page.is_visible(".line .refusal")
    page = visit("/?view=play&game=lgame")
    ready(page)
    page.click("[data-cell=b2]")  # the other's L lies there
    until(page, "document.querySelector('.line .refusal').textContent === 'No L with its corner on b2 fits.'")
    page.hover("[data-cell=d4]")
    for _ in range(8):
        if page.locator(".lays.fits").count():
            break
        page.mouse.wheel(0, 10)
        page.wait_for_timeout(50)
    page.click("[data-cell=d4]")
    until(page, "document.querySelector('.line .next').textContent.startsWith('Laid. Now choose a neutral piece')")


def test_a_marble_that_was_added_by_itself_may_be_chosen_too(visit: Any) -> None:
    page = visit("/?view=play&game=abalone")
    ready(page)
    for cell in ("a4", "b4", "c4"):
        page.click(f"[data-cell={cell}]")
    assert page.locator(".ring.chosen").count() == 3
    assert page.locator(".arrow").count() == 1


def test_marbles_are_dragged_and_those_pushed_off_are_counted(visit: Any) -> None:
    page = visit(f"/?view=play&game=abalone&start={PUSH}")
    ready(page)

    def drag(start: str, end: str) -> None:
        where = """name => { const box = document.querySelector(`[data-cell=${name}]`).getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }"""
        page.mouse.move(*page.evaluate(where, start))
        page.mouse.down()
        page.mouse.move(*page.evaluate(where, end), steps=12)
        page.mouse.up()

    drag("d5", "d7")  # chooses the line, and does not move it
    assert page.locator(".ring.chosen").count() == 3
    drag("d6", "e6")  # all three, sideways
    arrived(page, 1)
    assert page.inner_text("ol.moves button >> nth=0") == "d5d7e5"
    assert page.locator(".player .taken").count() == 0
    page = visit("/?view=play&game=abalone&tour=1&moves=d4d6e5.h4g4")
    ready(page)
    drag("e5", "e8")
    until(page, "document.querySelector('.stage .player.seat0 .taken')?.textContent.includes('1 white marble taken')")


def test_the_arrow_keys_go_through_the_game(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&moves=a1.b2.c3")
    ready(page)
    page.click("[data-cell=c3]")  # taken: the pointer leaves no focus there
    page.keyboard.press("ArrowLeft")
    until(page, "document.querySelector('.status').textContent.includes('move 2 of 3')")
    page.keyboard.press("Home")
    until(page, "document.querySelector('.status').textContent.includes('move 0 of 3')")
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('.status').textContent.includes('move 1 of 3')")
    page.click("[role=tab]:has-text('Moves')")
    page.keyboard.press("ArrowRight")  # the tabs want it themselves
    until(page, "document.querySelector('#body-analysis:not([hidden])') !== null")
    assert "move 1 of 3" in status(page)


def test_pieces_move_unless_less_motion_is_wanted(visit: Any) -> None:
    count = """() => { const real = Element.prototype.animate; window.moved = 0;
        Element.prototype.animate = function (...how) { window.moved += 1; return real.apply(this, how); }; }"""
    for motion, wanted in (("no-preference", True), ("reduce", False)):
        page = visit("/?view=play&game=hex&o.size=3")
        page.emulate_media(reduced_motion=motion)
        ready(page)
        page.evaluate(count)
        page.click("[data-cell=a1]")
        arrived(page, 1)
        assert bool(page.evaluate("window.moved")) is wanted


def test_the_hint_goes_with_the_move(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3")
    ready(page)
    page.click(".acts button:has-text('Hint')")
    until(page, "document.querySelectorAll('.marks .choice').length >= 1")
    page.click("[data-cell=a1]")
    arrived(page, 1)
    assert page.locator(".marks .choice").count() == 0
    assert page.locator(".ring.pointed, .ring.marked").count() == 0


def test_the_end_has_a_card_and_a_rematch_changes_sides(visit: Any) -> None:
    page = visit("/?view=play&game=hex&o.size=3&p1=hex/best-3&moves=a1.b2")
    ready(page)
    tab(page, "Game")
    page.click("button:text-is('Resign')")
    until(page, "document.querySelector('.result h2')?.textContent === 'You lose'")
    assert "black resigns" in page.inner_text(".result").lower()
    page.click("button:text-is('Rematch')")
    until(page, "document.querySelectorAll('ol.moves li').length === 1")
    assert "p0=hex" in page.url
    until(page, "document.querySelector('.result h2') === null")


def test_whose_turn_it_is_and_how_strong_they_are(visit: Any) -> None:
    page = visit("/?view=play&game=abalone&p1=abalone/best&c1=0.5")
    ready(page)
    assert page.inner_text(".player.turn .who") == "You"
    assert page.locator(".player.turn.seat0 .disc").count() == 1
    assert page.inner_text(".player.seat1 .who") == "Easy"
    tab(page, "Game")
    page.click(".chips button:text-is('Hard')")
    until(page, "document.querySelector('.player.seat1 .who').textContent === 'Hard'")
    assert "c1=" not in page.url


def test_sound_is_muted_and_stays_so(visit: Any) -> None:
    page = visit("/")
    page.wait_for_selector(".gamecard")
    assert page.get_attribute("#sound", "aria-pressed") == "true"
    page.click("#sound")
    page.reload()
    page.wait_for_selector(".gamecard")
    assert page.get_attribute("#sound", "aria-pressed") == "false"


def test_on_a_phone_the_board_and_the_bar_stay_in_sight(visit: Any) -> None:
    page = visit("/?view=play&game=hex&moves=f6.g5", width=360, height=640, touch=True)
    ready(page)
    for _ in range(2):
        for what in ("svg.board", ".line", ".acts button >> nth=0", ".acts button >> nth=4"):
            box = page.locator(what).bounding_box()
            assert box["y"] >= 0, what
            assert box["y"] + box["height"] <= 640, what
            assert box["x"] + box["width"] <= 360, what
        tab(page, "Game")
        page.evaluate("scrollTo(0, document.body.scrollHeight)")


def test_a_finger_aims_where_cells_are_small(visit: Any) -> None:
    page = visit("/?view=play&game=hex", width=360, height=740, touch=True)
    ready(page)
    page.tap("[data-cell=f6]")
    until(page, "document.querySelector('.next').textContent === 'Tap f6 once more to play there.'")
    assert plies(page) == 0
    page.tap("[data-cell=f6]")
    arrived(page, 1)
    touch = page.context.new_cdp_session(page)
    box = page.locator("[data-cell=c9]").bounding_box()
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    until(page, "document.querySelector('.loupe:not([hidden]) .aimed')?.textContent === 'c9'")
    touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point | {"x": point["x"] + 20}]})
    until(page, "document.querySelector('.loupe .aimed').textContent === 'd9'")
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    until(page, "document.querySelector('.next').textContent === 'Tap d9 once more to play there.'")
    assert page.locator(".loupe:not([hidden])").count() == 0
