"""The page of all claims: what is committed is up to date, and says of every paper how much of it may be false."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.text import refusal

from ludus.games import entry, names
from ludus.study import index

DOCS = Path(__file__).parents[2] / "docs" / "papers"
PAPERS = [name for name in names() if entry(name).paper]
COVERED = [
    {"shape": shape, "seeds": seeds, "of": of, "interval": who, "covered": held, "above": "0.01", "below": "0.02"}
    for shape, seeds, of, who, held in (
        ("normal", "5", "1", "ours", "0.93"),
        ("bimodal", "5", "1", "ours", "0.75"),
        ("normal", "10", "1", "ours", "0.95"),
        ("bimodal", "10", "1", "ours", "0.9"),
        ("bimodal", "10", "5", "ours", "0.5"),  # one of five comparisons, and another interval: not what is asked for
        ("bimodal", "10", "1", "other", "0.5"),
    )
]


def claim(verdict: str, seeds: int = 10, **more: Any) -> dict[str, Any]:
    return {"claim": "c", "verdict": verdict, "found": "f", "networks": "10 of 10", "seeds": seeds, "remark": ""} | more


def line(claims: list[dict[str, Any]]) -> str:
    """What is said of a paper with these claims."""
    text = index.made("<!-- made: tally --><!-- end -->", {"p": {"figures": {"one": {"claims": claims}}}}, COVERED)
    return text.splitlines()[3]


def test_the_committed_page_is_up_to_date() -> None:
    page = DOCS / "index.md"
    known = {name: json.loads((DOCS / name / "verdicts.json").read_text()) for name in PAPERS}
    text = page.read_text()
    assert index.made(text, known, index.read_coverage(DOCS / "coverage.csv")) == text, (
        "ludus reproduce --index --out docs/papers --page docs/papers/index.md"
    )
    claims = sum(
        c["verdict"] != "chosen" for paper in known.values() for f in paper["figures"].values() for c in f["claims"]
    )
    assert text.count("\n| [") == claims


def test_what_may_be_false_counts_decided_claims_by_their_seeds() -> None:
    """A twentieth of them, or as many as intervals over so many seeds miss, in the worst shape that was measured."""
    assert line([claim("holds")] * 4) == "| p | 4 | 0 | 0 | 0 | 0.2 | 0.4 | 19% |"
    assert line([claim("holds", 5), claim("does not hold", 7)]) == "| p | 1 | 1 | 0 | 0 | 0.1 | 0.5 | 10% |"
    assert line([claim("holds", 20)] * 10) == "| p | 10 | 0 | 0 | 0 | 0.5 | 1.0 | 40% |"
    assert line([claim("holds", 0)] * 20) == "| p | 20 | 0 | 0 | 0 | 1.0 | 1.0 | 64% |"  # not over seeds
    undecided = [claim("undecided"), claim("cannot be judged"), claim("chosen")]  # a trial's choice is no claim
    assert line(undecided) == "| p | 0 | 0 | 1 | 1 | 0.0 | 0.0 | 0% |"


def test_every_claim_has_a_row() -> None:
    papers = {
        "p": {"figures": {"one": {"claims": [claim("holds"), claim("chosen")]}}},
        "q": {"figures": {"two": {"claims": [claim("cannot be judged", 5, remark="only 5 seeds", networks="1 of 5")]}}},
    }
    rows = index.made("<!-- made: claims --><!-- end -->", papers, COVERED).splitlines()[3:-1]
    assert rows == [
        "| [p](p.md) | one | c | **holds** | 10 of 10 |",
        "| [q](q.md) | two | c | **cannot be judged** (only 5 seeds) | 1 of 5 |",
    ]
    table = index.made("<!-- made: coverage --><!-- end -->", papers, COVERED)
    assert "| ours | 1 | 5 | 93.0% (1.0 above, 2.0 below) | 75.0% (1.0 above, 2.0 below) |" in table


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    page = tmp_path / "index.md"
    page.write_text("<!-- made: claims --><!-- end -->")
    said = refusal(lambda: index.fill(page, tmp_path, ["lgame"]))
    assert said == f"'{tmp_path}' has no verdicts of lgame; run ludus reproduce lgame first."
    (tmp_path / "lgame").mkdir()
    (tmp_path / "lgame" / "verdicts.json").write_text('{"figures": {}}')
    assert "bench/interval_coverage.py" in refusal(lambda: index.fill(page, tmp_path, ["lgame"]))
    (tmp_path / "coverage.csv").write_text((DOCS / "coverage.csv").read_text())
    index.fill(page, tmp_path, ["lgame"])
    assert "| paper | figure | claim | verdict | networks alive |" in page.read_text()
    page.write_text("<!-- made: nothing --><!-- end -->")
    with pytest.raises(Exception, match="'nothing'"):
        index.fill(page, tmp_path, ["lgame"])
