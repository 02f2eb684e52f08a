"""The pictures of docs/page, made anew: `.venv/bin/python tests/record_screenshots.py`, with a Chromium. Look at them.

The start, each game and each screen at three widths, light and dark, or those that are named; few colours, so that the
files are small.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helpers.browser import MISSING, Served, chromium
from helpers.hands import arrived, ready, tab, until
from PIL import Image

FOLDER = Path(__file__).parent.parent / "docs" / "page"
WIDTHS = {360: 740, 768: 900, 1440: 900}
COLORS = 96
Hand = Callable[[Any], None]


def lgame(page: Any) -> None:
    for corner in ("c3", "c1", "a1", "d3", "c4", "a2", "d1"):
        page.hover(f"[data-cell={corner}]")
        for turned in range(8):
            if page.locator(".lays.fits").count():
                return
            page.mouse.wheel(0, 10)
            if turned == 3:  # all round: now the other face
                page.evaluate("document.querySelector('.tools button:nth-child(2)').click()")
            page.wait_for_timeout(60)


def abalone(page: Any) -> None:
    page.click("[data-cell=d4]")
    page.click("[data-cell=d5]")


def arrow(page: Any) -> None:
    page.hover(".arrow >> nth=1")


def nothing(page: Any) -> None:
    """The page as it comes."""


def analysis(page: Any) -> None:
    page.click(".acts button:has-text('Analyse')")
    until(page, "document.querySelector('.verdicthead')?.textContent.includes('proved')")
    until(page, "!document.querySelector('.parts').textContent.includes('further')")


def review(page: Any) -> None:
    tab(page, "Analysis")
    page.click("button:text-is('Review the game')")
    until(page, "document.body.textContent.includes(' positions: ')")


def start(page: Any) -> None:
    page.wait_for_selector(".gamecard:nth-child(4) svg.board")


def wrong(page: Any) -> None:
    """A move that loses, with its refutation."""
    page.click("[data-cell=d3]")
    until(page, "document.querySelectorAll('ol.moves li').length === 2")


def rush(page: Any) -> None:
    until(page, "/^[0-2]:[0-9][0-9]$/.test(document.querySelector('[role=timer]').textContent)")


def watch(page: Any) -> None:
    page.wait_for_selector("svg.chart >> nth=1")
    page.focus("#age")
    for _ in range(9):
        page.keyboard.press("ArrowLeft")
    until(page, "/^Move [4-9]: /.test(document.querySelector('.status')?.textContent || '')")


def overlay(page: Any) -> None:
    page.wait_for_selector("svg.chart .band >> nth=0", state="attached")


def paper(page: Any) -> None:
    page.click(".contents a:has-text('No loss against perfect')")
    page.wait_for_selector("#figure-headline svg.chart")


def chart(page: Any) -> None:
    page.hover("#figure-headline svg.chart", position={"x": 180, "y": 60})


#: By name: the address, and what is done there.
SHOTS = {
    "start": ("/", start),
    "lgame": ("/?view=play&game=lgame&p1=lgame/best&c1=0.2&moves=b4c4d3d4%2Ba4c2.a3b1b2b3", lgame),
    "hex": ("/?view=play&game=hex&o.size=11&p1=hex/best-11@100&moves=f6.g5.e7.h4.d9.c9.i2.f8", nothing),
    "abalone": ("/?view=play&game=abalone&p1=abalone/best&c1=0.2&moves=a1b2.i9h8.a2b3.i8h7", abalone),
    "analysis": ("/?view=play&game=lgame&moves=b4c4d3d4%2Ba4c2", analysis),
    "review": ("/?view=play&game=hex&o.size=5&moves=a1.c3.d3.d2.b4.a4.c2.e1.b3&at=4&b=2:e2.b2", review),
    "solitaire-chess": ("/?view=puzzles&game=solitaire-chess&puzzle=advanced-5", nothing),
    "puzzle": ("/?view=puzzles&game=hex&puzzle=advanced-3", wrong),
    "rush": ("/?view=puzzles&rush=1&game=hex", rush),
    "watch": ("/?view=learn&run=run:first", watch),
    "overlay": ("/?view=learn&over=run:first&over=run:second&over=run:third", overlay),
    "papers": ("/?view=papers", nothing),
    "paper": ("/?view=papers&paper=lgame", paper),
}
#: What is under the pointer, which stays where it was when the page changes its width.
POINTED: dict[str, Hand] = {"lgame": lgame, "abalone": arrow, "paper": chart}
#: Runs that these pictures show: the seed of each.
RUNS = {"first": 1, "second": 2, "third": 3}
LEARNED = ("watch", "overlay")


def main(names: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    path = chromium()
    if path is None:
        sys.exit(MISSING)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        if not names or set(names) & set(LEARNED):
            train(Path(folder) / "runs")
        served = Served(Path(folder))
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            for name, (address, hand) in SHOTS.items():
                if not names or name in names:
                    record(browser.new_page(), served.url + address, name, hand)
        finally:
            browser.close()
            served.stop()


def record(page: Any, address: str, name: str, hand: Hand) -> None:
    """All pictures of one page: it is opened once, and then changes its width and its light."""
    page.set_default_timeout(240_000)
    page.set_viewport_size({"width": max(WIDTHS), "height": WIDTHS[max(WIDTHS)]})
    page.goto(address)
    if "game=" in address:
        ready(page)
    if "moves=" in address:
        arrived(page, address.partition("moves=")[2].partition("&")[0].count(".") + 1)
    hand(page)
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        if name in POINTED:
            POINTED[name](page)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(600)  # pieces come to rest
            keep(page.screenshot(), FOLDER / f"{name}-{width}-{scheme}.png")
    page.close()


def train(runs: Path) -> None:
    for name, seed in RUNS.items():
        command = [sys.executable, "-m", "ludus", "train", "lgame", "--quiet", "--seed", str(seed)]
        subprocess.run([*command, "--out", str(runs / name)], check=True)


def keep(data: bytes, path: Path) -> None:
    picture = Image.open(io.BytesIO(data)).convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)
    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1:])
