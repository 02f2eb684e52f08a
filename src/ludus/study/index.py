"""The page of all claims: every paper's verdicts in one table, how many of them may be false, and how far to trust an
interval. Like a paper's page (`study.page`), with what stands between two marks made from files:

    <!-- made: claims -->      a row for every claim of every paper
    <!-- made: tally -->       of every paper, how many claims have which verdict, and how many may be false
    <!-- made: coverage -->    how often intervals held the true mean (`bench/interval_coverage.py`)
    <!-- end -->
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ludus.errors import BadInput
from ludus.runs.files import read_object, write_file
from ludus.study.page import decided, filled, table
from ludus.study.reproduce import VERDICTS, writing
from ludus.study.statistics import FAILS, HOLDS, LEVEL, UNDECIDED, UNJUDGED, UNTESTED

COVERAGE = "coverage.csv"  # in the folder of all papers
OURS = "ours"  # the interval of `study.statistics`, in that file
Papers = Mapping[str, Mapping[str, Any]]  # the content of each paper's verdicts


def fill(page: Path, out: Path, papers: Sequence[str]) -> None:
    """Fill the page from the verdicts of these papers, each in a folder of its name."""
    missing = [name for name in papers if not (out / name / VERDICTS).is_file()]
    if missing:
        raise BadInput(f"'{out}' has no verdicts of {', '.join(missing)}; run ludus reproduce {missing[0]} first.")
    known = {name: read_object(out / name / VERDICTS) for name in papers}
    with writing(page):
        write_file(page, made(page.read_text(encoding="utf-8"), known, read_coverage(out / COVERAGE)).encode())


def made(text: str, papers: Papers, covered: Sequence[Mapping[str, str]]) -> str:
    """The text of the page, filled."""
    makers = {
        "claims": lambda known, what: _claims(papers),
        "tally": lambda known, what: _tally(papers, covered),
        "coverage": lambda known, what: _coverage(covered),
    }
    return filled(text, {}, makers)


def read_coverage(path: Path) -> list[dict[str, str]]:
    try:
        return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read; make it by python bench/interval_coverage.py.") from error


def _judged(paper: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Figures and claims, without the trials' choices, which are no claims."""
    verdicts = {HOLDS, FAILS, UNDECIDED, UNJUDGED, UNTESTED}
    pairs = [(name, claim) for name, figure in paper["figures"].items() for claim in figure["claims"]]
    return [(name, claim) for name, claim in pairs if claim["verdict"] in verdicts]


def _claims(papers: Papers) -> str:
    rows = [
        [f"[{name}]({name}.md)", figure, claim["claim"], decided(claim), claim.get("networks", "")]
        for name, paper in papers.items()
        for figure, claim in _judged(paper)
    ]
    return table(["paper", "figure", "claim", "verdict", "networks alive"], rows)


def _tally(papers: Papers, covered: Sequence[Mapping[str, str]]) -> str:
    rows = []
    for name, paper in papers.items():
        claims = [claim for _, claim in _judged(paper)]
        many = Counter(claim["verdict"] for claim in claims)
        sure = [claim for claim in claims if claim["verdict"] in (HOLDS, FAILS)]
        nominal = (1 - LEVEL) * len(sure)
        by_coverage = sum(1 - _covered(covered, claim.get("seeds", 0)) for claim in sure)
        one = 1 - LEVEL ** len(sure)
        counts = [f"{many[verdict]}" for verdict in (HOLDS, FAILS, UNDECIDED, UNJUDGED)]
        rows.append([name, *counts, f"{nominal:.1f}", f"{by_coverage:.1f}", f"{100 * one:.0f}%"])
    head = ["paper", HOLDS, FAILS, UNDECIDED, UNJUDGED, "false, at 95%", "false, as measured", "at least one false"]
    return table(head, rows)


def _covered(covered: Sequence[Mapping[str, str]], seeds: int) -> float:
    """How often an interval over so many seeds holds the mean, of seeds of the worst shape; as a rule does if a claim
    is not over seeds.
    """
    ours = [row for row in covered if row["interval"] == OURS and row["of"] == "1"]
    measured = sorted({int(row["seeds"]) for row in ours})
    if not seeds or not measured:
        return LEVEL
    fitting = max((count for count in measured if count <= seeds), default=measured[0])
    return min(float(row["covered"]) for row in ours if int(row["seeds"]) == fitting)


def _coverage(covered: Sequence[Mapping[str, str]]) -> str:
    shapes = list(dict.fromkeys(row["shape"] for row in covered))
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in covered:
        rows.setdefault((row["interval"], row["of"], row["seeds"]), {})[row["shape"]] = _cell(row)
    lines = [[*place, *(cells.get(shape, "") for shape in shapes)] for place, cells in rows.items()]
    return table(["interval", "of", "seeds", *shapes], sorted(lines, key=lambda line: (int(line[1]), line[0])))


def _cell(row: Mapping[str, str]) -> str:
    covered, above, below = (f"{100 * float(row[name]):.1f}" for name in ("covered", "above", "below"))
    return f"{covered}% ({above} above, {below} below)"
