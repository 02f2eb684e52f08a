"""The pictures of docs/page, made anew: `.venv/bin/python tests/record_screenshots.py`, with a Chromium. Look at them.

The start and each game at three widths, light and dark, or those that are named; few colours, so that files are small.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from helpers.browser import MISSING, Served, chromium
from helpers.hands import arrived, ready
from PIL import Image

FOLDER = Path(__file__).parent.parent / "docs" / "page"
WIDTHS = {360: 740, 768: 900, 1440: 900}
COLORS = 96


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
    page.click("[data-cell=b2]")
    page.click("[data-cell=b4]")
    page.hover(".arrow >> nth=1")


def chess(page: Any) -> None:
    page.click("[data-cell=c1]")


def nothing(page: Any) -> None:
    """The page as it comes."""


def start(page: Any) -> None:
    page.wait_for_selector(".gamecard:nth-child(4) svg.board")


#: By name: the address, and what is done there.
SHOTS = {
    "start": ("/", start),
    "lgame": ("/?view=play&game=lgame&p1=lgame/best&c1=0.2&moves=b4c4d3d4%2Ba4c2.a3b1b2b3", lgame),
    "hex": ("/?view=play&game=hex&o.size=11&p1=hex/best-11@100&moves=f6.g5.e7.h4.d9.c9.i2.f8", nothing),
    "abalone": ("/?view=play&game=abalone&p1=abalone/best&c1=0.2&moves=a1b2.i9h8.a2b3.i8h7", abalone),
    "solitaire-chess": ("/?view=puzzles&game=solitaire-chess&start=B2P%2F2QQ%2F4%2FP1R1", chess),
}


def main(names: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    path = chromium()
    if path is None:
        sys.exit(MISSING)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        served = Served(Path(folder))
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            for name, (address, hand) in SHOTS.items():
                if names and name not in names:
                    continue
                for width, height in WIDTHS.items():
                    for scheme in ("light", "dark"):
                        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                        page.set_default_timeout(240_000)
                        page.goto(served.url + address)
                        if "game=" in address:
                            ready(page)
                        if "moves=" in address:
                            arrived(page, address.partition("moves=")[2].count(".") + 1)
                        hand(page)
                        page.wait_for_timeout(600)  # pieces come to rest
                        keep(page.screenshot(), FOLDER / f"{name}-{width}-{scheme}.png")
                        page.close()
        finally:
            browser.close()
            served.stop()


def keep(data: bytes, path: Path) -> None:
    picture = Image.open(io.BytesIO(data)).convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)
    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1:])
