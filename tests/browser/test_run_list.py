"""Runs in the browser: curves that grow, a training begun from the page, the run played and watched as it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.browser import Served
from helpers.hands import arrived, ready, until
from helpers.web import report, write_run

pytestmark = pytest.mark.slow

HEAD = "[aria-live=polite]:not(#live)"


def test_curves_grow_with_the_run(visit: Any, served: Served) -> None:
    """The run is another process's: here, lines that are added to its folder."""
    folder = write_run(served.folder / "runs" / "growing", 1)
    page = visit("/?view=learn&run=run%3Agrowing")
    page.wait_for_selector("svg.chart")
    assert page.inner_text(HEAD).startswith("100 of 900 games")
    assert "holds 0" in page.inner_text(HEAD)
    report(folder, 1)
    until(page, f"document.querySelector('{HEAD}').textContent.startsWith('200 of 900 games')")
    label = page.get_attribute("svg.chart >> nth=0", "aria-label")
    assert label == "positions held, %: from 10.0 to 11.0 after 200 games"


def test_an_agent_is_trained_from_the_page_watched_and_played(visit: Any, browser: Any, tmp_path: Path) -> None:
    own = Served(tmp_path)
    try:
        page = visit("/?view=learn", at=own)
        page.click("button:text-matches('Train an agent at lgame now')")
        page.wait_for_selector("a:text-is('Play against it as it is now')")
        assert (tmp_path / "runs" / "page-demo" / "config.json").is_file()
        # The game it plays now: the board changes by itself.
        until(page, "/^Move [3-9]: /.test(document.querySelector('.status')?.textContent || '')")
        assert page.locator("svg.board .tile").count() == 2
        page.click("a:text-is('Play against it as it is now')")
        ready(page)
        page.fill("#typed", "b4c4d3d4")
        page.keyboard.press("Enter")
        arrived(page, 2)
        assert "p1=run" in page.url
    finally:
        own.stop()
    assert "Traceback" not in own.said()
