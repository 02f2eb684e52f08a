"""Hands on the page: the same move by mouse, by finger and by keyboard alone, for each kind of board."""

from __future__ import annotations

import time
from typing import Any

ARROWS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")


def until(page: Any, script: str, given: Any = None, seconds: float = 240.0) -> None:
    """Until a script is true there. (Playwright's own waiting evaluates texts inside the page, which forbids that.)"""
    end = time.monotonic() + seconds
    while not page.evaluate(script, given):
        assert time.monotonic() < end, f"not in {seconds:g} s: {script} ({given}); the page says: {status(page)}"
        page.wait_for_timeout(30)


def status(page: Any) -> str:
    return page.text_content(".status")


def ready(page: Any) -> None:
    """Until a position is on the board."""
    until(page, "Boolean(document.querySelector('.status')?.textContent)")


def tab(page: Any, title: str) -> None:
    """Opens a tab beside the board."""
    page.click(f"[role=tab]:has-text('{title}')")


def settings(page: Any) -> None:
    """Opens what is folded away: the game, its options, who sits where."""
    tab(page, "Game")
    if not page.locator("details.settings[open]").count():
        page.click("details.settings summary")


def plies(page: Any) -> int:
    return page.locator("ol.moves li").count()


def arrived(page: Any, count: int) -> None:
    """Until so many moves have been made."""
    until(page, "(count) => document.querySelectorAll('ol.moves li').length >= count", count)


class Mouse:
    """Points and clicks."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def cell(self, name: str) -> None:
        self.page.click(f"[data-cell={name}]")

    def press(self, text: str) -> None:
        self.page.click(f"button:text-is('{text}')")

    def arrow(self, label: str) -> None:
        self.page.click(f".arrow[aria-label='{label}']")


class Finger(Mouse):
    """Taps."""

    def cell(self, name: str) -> None:
        self.page.tap(f"[data-cell={name}]")

    def press(self, text: str) -> None:
        self.page.tap(f"button:text-is('{text}')")

    def arrow(self, label: str) -> None:
        self.page.tap(f".arrow[aria-label='{label}']")


class Keys(Mouse):
    """Tabs to the board, walks over it with the arrow keys, chooses with Enter: no pointer at all."""

    def _on_board(self) -> str | None:
        return self.page.evaluate("document.activeElement?.dataset?.cell ?? null")

    def _tab_until(self, found: str, most: int = 80) -> None:
        for _ in range(most):
            if self.page.evaluate(found):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not lead to {found}")

    def walk(self, name: str) -> None:
        if self._on_board() is None:
            self._tab_until("document.activeElement?.dataset?.cell !== undefined")
        for _ in range(60):
            here = self._on_board()
            if here == name:
                return
            self.page.keyboard.press(self._towards(here, name))
        raise AssertionError(f"the arrow keys do not lead to {name}")

    def _towards(self, here: str | None, name: str) -> str:
        """Whichever arrow leads nearer, as eyes would tell; sideways where up and down do not."""
        where = """name => { const box = document.querySelector(`[data-cell=${name}]`).getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }"""
        (x, y), (to_x, to_y) = self.page.evaluate(where, here), self.page.evaluate(where, name)
        if abs(to_y - y) > 4:
            return "ArrowDown" if to_y > y else "ArrowUp"
        return "ArrowRight" if to_x > x else "ArrowLeft"

    def cell(self, name: str) -> None:
        self.walk(name)
        self.page.keyboard.press("Enter")

    def press(self, text: str) -> None:
        self._tab_until(f"document.activeElement?.textContent === {text!r}")
        self.page.keyboard.press("Enter")

    def arrow(self, label: str) -> None:
        self._tab_until(f"document.activeElement?.getAttribute('aria-label') === {label!r}")
        self.page.keyboard.press("Enter")


HANDS = {"mouse": Mouse, "keyboard": Keys, "touch": Finger}


def make(hand: Mouse, kind: str, way: dict[str, Any]) -> None:
    """One move by its way."""
    if kind == "stones":
        hand.cell(way["put"][0])
    elif kind == "pieces":
        hand.cell(way["take"][0])
        hand.cell(way["put"][0])
    elif kind == "marbles":
        take = way["take"]
        for name in {take[0], take[-1]} if len(take) > 1 else take[:1]:
            hand.cell(name)
        hand.arrow(way["words"])
    else:
        _lay(hand, way)


def _lay(hand: Mouse, way: dict[str, Any]) -> None:
    """The L by its corner, turned and flipped until it lies on its squares."""
    page, wanted = hand.page, set(way["put"])
    columns = {name: ("abcd".index(name[0]), int(name[1])) for name in wanted}
    beside = {
        name: [
            other
            for other in wanted
            if sum(abs(a - b) for a, b in zip(columns[name], columns[other], strict=True)) == 1
        ]
        for name in wanted
    }
    corner = next(
        name
        for name in wanted
        if len(beside[name]) == 2 and len({columns[name][0], *(columns[other][0] for other in beside[name])}) == 2
    )
    if isinstance(hand, Keys):
        hand.walk(corner)
    elif isinstance(hand, Finger):
        page.tap(f"[data-cell={corner}]")
    else:
        page.hover(f"[data-cell={corner}]")
    for flipped in range(2):
        for _ in range(4):
            if _preview(page) == wanted:
                break
            _press(hand, "Turn (R)", "r")
        if _preview(page) == wanted:
            break
        if not flipped:
            _press(hand, "Flip (F)", "f")
    assert _preview(page) == wanted
    if isinstance(hand, Keys):
        page.keyboard.press("Enter")
    else:
        hand.press("Lay it") if isinstance(hand, Finger) else hand.cell(corner)
    if way["then"]:
        for name in way["then"]:
            hand.cell(name)
    else:
        hand.press("Leave the neutral pieces")


def _press(hand: Mouse, text: str, key: str) -> None:
    if isinstance(hand, Finger):
        hand.press(text)
    else:  # a mouse has a wheel, and hands that type
        hand.page.keyboard.press(key) if isinstance(hand, Keys) else _turn(hand, text)


def _turn(hand: Mouse, text: str) -> None:
    if text.startswith("Turn"):
        hand.page.mouse.wheel(0, 10)
        hand.page.wait_for_timeout(50)
    else:
        anchor = hand.page.evaluate("document.querySelector('.lays') !== null")
        assert anchor
        hand.page.evaluate("document.querySelector('.tools button:nth-child(2)').click()")


def _preview(page: Any) -> set[str]:
    """The squares over which the preview lies."""
    found = """() => { const cells = [...document.querySelectorAll('[data-cell]')];
        const middle = (e) => { const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; };
        return [...document.querySelectorAll('.lays')].map((shape) => { const [x, y] = middle(shape);
            return cells.find((cell) => { const [u, v] = middle(cell.querySelector('.cell'));
                return Math.hypot(x - u, y - v) < 4; })?.dataset.cell; }); }"""
    return set(page.evaluate(found))
