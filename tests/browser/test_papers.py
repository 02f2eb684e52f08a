"""The papers in the browser: a page for each, claims beside their curves, values under the pointer."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.hands import until

pytestmark = pytest.mark.slow


def test_a_paper_is_read_claim_by_claim_with_its_curves(visit: Any) -> None:
    page = visit("/?view=papers")
    assert page.locator(".paper-card").count() == 4
    page.click(".paper-card a:has-text('L-Game')")
    until(page, "document.querySelectorAll('.paper-figure').length > 5")
    assert "paper=lgame" in page.url
    section = "#figure-fig4"
    page.click(".contents a:has-text('Games recalled a step')")
    page.wait_for_selector(f"{section} svg.chart")
    assert "very large N slows learning" in page.inner_text(section)
    assert page.inner_text(f"{section} .claim >> nth=3").startswith("does not hold")
    assert page.locator(f"{section} svg.chart .band").count() == 7
    page.hover(f"{section} svg.chart", position={"x": 200, "y": 100})
    told = page.inner_text(f"{section} .chart-told")
    assert "games" in told
    assert "N = 10: " in told
    page.click(f"{section} .chart-entry:has-text('N = 200')")
    assert page.locator(f"{section} svg.chart .band").count() == 6
    page.go_back()
    until(page, "document.querySelectorAll('.paper-card').length === 4")


def test_a_verdict_that_nobody_has_heard_of_and_curves_that_do_not_come(visit: Any) -> None:
    page = visit("/?view=papers")
    claim = {"claim": "it is so", "verdict": "cannot be judged", "found": "a; b; c; d; e"}
    claim |= {"networks": "3 of 10", "remark": "only 5 seeds; 10 are wanted"}
    figure = {"id": "fig1", "title": "One", "verdict": "cannot be judged", "claims": [claim], "table": [], "device": ""}
    paper = {"game": "lgame", "title": "A paper", "about": [], "verdicts": {"cannot be judged": 1}}
    broken = [True]

    def curves(route: Any) -> None:
        said = '{"error": "this was not done in 30 s."}'
        route.fulfill(status=422, content_type="application/json", body=said) if broken[0] else route.continue_()

    page.route("**/api/paper", lambda route: route.fulfill(json=paper | {"figures": [figure | {"picture": None}]}))
    page.route("**/api/figure", curves)
    page.click(".paper-card a:has-text('L-Game')")
    until(page, "document.querySelector('.paper-figure .tag')?.textContent === 'cannot be judged'")
    until(page, "document.querySelector('.paper-figure .why').textContent.includes('this was not done in 30 s.')")
    for words in ("it is so", "Networks alive: 3 of 10", "only 5 seeds; 10 are wanted"):
        assert words in page.inner_text(".paper-figure")
    assert page.is_visible(".paper-figure button:text-is('Try again')")
