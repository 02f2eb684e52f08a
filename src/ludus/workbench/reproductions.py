"""The figures of a paper, run and judged, in words, as tables and as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus import games as registry
from ludus.core.results import Picture, Result, Sheet, escaped
from ludus.core.whole_files import check_folder
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.study.reproduce import Report
    from ludus.study.study import Log


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """The figures of a paper, each a report in `.reports`: its verdicts, its CSV, its picture."""

    paper: str
    reports: tuple[Report, ...]

    def to_json(self) -> dict[str, Any]:
        return {"figures": [report.to_json() for report in self.reports]}

    def parts(self) -> Iterator[str | Sheet]:
        for report in self.reports:
            for claim in report.finding.claims:
                remark = f" ({claim.remark})" if claim.remark else ""
                yield f"{report.figure}: {claim.claim}: {claim.verdict.upper()}{remark}"
            for name, value in report.finding.values.items():
                yield f"    {name}: {value}"
            yield f"    {report.csv}, {report.svg}"

    def _repr_html_(self) -> str:
        rows = [
            (report.figure, claim.claim, claim.verdict) for report in self.reports for claim in report.finding.claims
        ]
        made = [Sheet(("figure", "claim", "verdict"), rows).to_html()]
        for report in self.reports:
            made += [f"<p>{escaped(report.title)}</p>", Picture(report.svg.read_text()).to_html()]
        return "".join(made)


def papers() -> list[str]:
    """The games that have a paper."""
    return [name for name in registry.names() if registry.entry(name).paper]


def check_page(page: Path | None) -> None:
    if page is not None and not page.is_file():
        raise BadInput(f"--page '{page}' is not a file.")
    if page is not None and not (os.access(page, os.W_OK) and os.access(page.parent, os.W_OK)):
        raise BadInput(f"--page '{page}' cannot be written to.")


class ReproductionRun:
    """Figures of a paper to be run, or judged again; the constructor refuses what cannot be."""

    judge: bool

    def __init__(
        self,
        paper: str,
        figures: Sequence[str],
        out: Path,
        quick: bool = False,
        seeds: int | None = None,
        judge: bool = False,
        page: Path | None = None,
        fresh: bool = False,
    ) -> None:
        check_page(page)
        if paper not in papers():
            raise BadInput(f"there is no paper '{paper}'; there are {', '.join(papers())}.")
        check_folder("--out", out / paper)
        self._paper, self._study, self._page, self._out = paper, registry.part(paper, "paper"), page, out / paper
        for figure in figures:
            self._study.figure(figure)
        if judge and (quick or fresh or seeds is not None):
            raise BadInput("--judge does not train; leave out --quick, --fresh and --seeds.")
        self.judge, self._quick, self._seeds, self._fresh = judge, quick, seeds, fresh
        self._figures = tuple(figures) or tuple(self._study.figures)

    def run(self, log: Log = lambda line: None) -> Reproduction:
        """`log` is told each line of progress."""
        from ludus.study.reproduce import judge_again, reproduce

        if self.judge:
            reports = judge_again(self._study, self._figures, self._out)
        else:
            reports = reproduce(self._study, self._figures, self._out, self._quick, self._seeds, log, self._fresh)
        return Reproduction(self._paper, tuple(reports))

    def fill_page(self) -> None:
        """Fill in the tables of the page that was given, if any."""
        from ludus.study.page import fill

        if self._page is not None:
            fill(self._page, self._out)
