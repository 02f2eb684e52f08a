"""Runs in the browser: curves that grow, a training begun from the page, the run at every age, runs over each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import Served
from helpers.hands import arrived, ready, tab, until
from helpers.web import report, write_run

pytestmark = pytest.mark.slow

HEAD = ".run-head"
CUT = """() => [...document.querySelectorAll('svg.chart')].flatMap((chart) => {
    const frame = chart.getBoundingClientRect();
    return [...chart.querySelectorAll('text')].filter((text) => {
        const box = text.getBoundingClientRect();
        return box.left < frame.left - 0.5 || box.right > frame.right + 0.5 || box.bottom > frame.bottom + 0.5;
    }).map((text) => text.textContent);
})"""


def test_curves_grow_with_the_run_and_so_does_the_list_above_them(visit: Any, served: Served) -> None:
    """The run is another process's: here, lines that are added to its folder."""
    folder = write_run(served.folder / "runs" / "growing", 1)
    page = visit("/?view=learn&run=run%3Agrowing")
    page.wait_for_selector("svg.chart")
    assert page.inner_text(HEAD).startswith("100 of 900 games")
    assert "holds 0" in page.inner_text(HEAD)
    assert "100 of 900 games" in page.inner_text(".run")
    report(folder, 1)
    until(page, f"document.querySelector('{HEAD}').textContent.startsWith('200 of 900 games')")
    label = page.get_attribute("svg.chart >> nth=0", "aria-label")
    assert label == "positions held, %: from 10.0 to 11.0 after 200 games"
    until(page, "document.querySelector('.run').textContent.includes('200 of 900 games')")


@pytest.mark.parametrize("width", [360, 1440])
def test_no_tick_of_a_chart_is_cut(visit: Any, served: Served, width: int) -> None:
    """Not even long ones: thousands of games, and values of many digits."""
    folder = served.folder / "runs" / f"ticks-{width}"
    write_run(folder, 0)
    rows = [{"games": 1_234_567 * k, "value_preserving": k, "positions": 10**7, "loss": 10.0**-k} for k in range(1, 6)]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = visit(f"/?view=learn&run=run%3Aticks-{width}", width=width)
    page.wait_for_selector("svg.chart >> nth=1")
    assert page.evaluate("document.querySelectorAll('svg.chart .tick').length") > 8
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_runs_are_laid_over_each_other(visit: Any, served: Served) -> None:
    """Two seeds are one curve with a band; its values are told to the pointer and to the keyboard."""
    for seed in (0, 1):
        folder = write_run(served.folder / "runs" / f"seed-{seed}", 0)
        for row in range(3):
            report(folder, row, held=10 + 10 * row + 2 * seed)
    page = visit("/?view=learn")
    page.check("[aria-label='overlay seed-0']")
    page.wait_for_selector("svg.chart")
    assert page.locator("svg.chart .band").count() == 0
    page.check("[aria-label='overlay seed-1']")
    page.wait_for_selector("svg.chart >> nth=0 >> .band", state="attached")
    assert page.locator("svg.chart >> nth=0 >> .seed").count() == 2
    page.focus("svg.chart >> nth=0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "200 games" in page.inner_text(".chart-told >> nth=0")
    assert "21 [20, 22]" in page.inner_text(".chart-told >> nth=0")
    page.reload()
    page.wait_for_selector("svg.chart >> nth=0 >> .band", state="attached")


def test_an_empty_folder_and_a_run_that_is_not_there_say_what_to_do(visit: Any, browser: Any, tmp_path: Path) -> None:
    own = Served(tmp_path)
    try:
        page = visit("/?view=learn&run=run%3Anobody", at=own)
        until(page, "document.querySelector('.run-list').textContent.includes('ludus train')")
        until(page, "document.querySelector('.course .why').textContent.includes('cannot be watched')")
        assert page.is_visible(".course button:text-is('Try again')")
    finally:
        own.stop()


def test_an_agent_is_trained_from_the_page_watched_at_its_ages_and_played(
    visit: Any, browser: Any, tmp_path: Path
) -> None:
    own = Served(tmp_path)
    try:
        page = visit("/?view=learn", at=own)
        page.click("button:text-matches('^Train one at')")
        page.wait_for_selector("a:text-is('Play against it as it is now')")
        assert (tmp_path / "runs" / "page-demo" / "config.json").is_file()
        # The game it plays now: the board changes by itself.
        until(page, "/^Move [3-9]: /.test(document.querySelector('.status')?.textContent || '')")
        assert page.locator("svg.board").count() == 1
        # One of its ages: another agent plays, the curve shows where, and the address says so.
        until(page, "Number(document.querySelector('#age').max) >= 1")
        page.focus("#age")
        page.keyboard.press("Home")
        until(page, "new URLSearchParams(location.search).get('age') !== null")
        age = page.evaluate("new URLSearchParams(location.search).get('age')")
        assert f"after {int(age):,} games" in page.inner_text("output[for=age]")
        assert page.locator("svg.chart >> nth=0 >> .age").count() == 1
        there = page.url
        page.click("a:text-is('Play against it at this age')")
        ready(page)
        tab(page, "Moves")
        page.fill("#typed", "b4c4d3d4")
        page.keyboard.press("Enter")
        arrived(page, 2)
        assert "selves" in page.url
        page.goto(there)
        page.click("a:text-is('What it thinks of each move')")
        ready(page)
        until(
            page,
            "(age) => document.querySelector('#body-analysis')?.textContent.includes(`selves/${age}`)",
            f"{int(age):012d}",
        )
        page.goto(own.url + "/?view=learn")
        stop = page.locator("button:text-is('Stop it')")
        if stop.count():
            stop.click()
            until(page, "!document.querySelector('main').textContent.includes('is being trained')")
    finally:
        own.stop()
    assert "Traceback" not in own.said()
