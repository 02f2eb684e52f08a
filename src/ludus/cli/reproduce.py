"""`ludus reproduce`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ludus.cli.common import (
    Flag,
    Json,
    Quiet,
    Whole,
    check_folder,
    check_range,
    print_json,
)
from ludus.cli.interrupt import leaving_at_once
from ludus.cli.watching import Watching
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.study.reproduce import Report


def reproduce(
    paper: Annotated[str, Parameter(help="The game whose paper it is: lgame, hex, abalone.")],
    /,
    *figures: Annotated[str, Parameter(help="Which of its figures and tables; without any, all.")],
    seeds: Annotated[
        Whole | None, Parameter(help="Runs of each setting. [default: the paper's page says; fewer with --quick]")
    ] = None,
    quick: Annotated[Flag, Parameter(help="Only the outline, in minutes instead of hours.")] = False,
    judge: Annotated[Flag, Parameter(help="Train nothing: judge and draw again from the CSVs in --out.")] = False,
    page: Annotated[
        Path | None, Parameter(help="Also fill in the tables of this Markdown page, where it has marks for them.")
    ] = None,
    out: Annotated[Path, Parameter(help="Where CSV and pictures go, in a folder named after the paper.")] = Path("out"),
    fresh: Annotated[Flag, Parameter(help="Run everything again, also what was finished before.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Reproduce a paper's figures: a CSV, a picture and a verdict for each claim.

    For example:

        ludus reproduce lgame fig4 --quick
        ludus reproduce hex --out figures
        ludus reproduce hex --judge --out docs/papers --page docs/papers/hex.md
        ludus reproduce abalone --quick

    Every point of a curve is the strength of the agent at that moment: exact, where
    the game is solved, else by games. Intervals are over seeds. Whole, the L-Game's
    and Abalone's want an accelerator. Runs that are finished are kept in
    OUT/PAPER/.runs: stopped, the same command goes on there.
    """
    from ludus import games as registry

    papers = [name for name in registry.names() if registry.entry(name).study]
    if paper not in papers:
        raise BadInput(f"there is no paper '{paper}'; there are {', '.join(papers)}.")
    if seeds is not None:
        check_range("--seeds", seeds, 2, 1000)
    check_folder("--out", out / paper)
    study = registry.part(paper, "study")
    for figure in figures:
        study.figure(figure)
    if judge and (quick or fresh or seeds is not None):
        raise BadInput("--judge trains nothing; leave out --quick, --fresh and --seeds.")
    if page is not None and not page.is_file():
        raise BadInput(f"--page '{page}' is not a file.")
    if page is not None and not (os.access(page, os.W_OK) and os.access(page.parent, os.W_OK)):
        raise BadInput(f"--page '{page}' cannot be written to.")
    from ludus.study.page import fill
    from ludus.study.reproduce import judge_again
    from ludus.study.reproduce import reproduce as run

    def show(report: Report) -> None:
        if not as_json:
            _print(report)

    def stopped() -> None:
        print("Stopped. What is finished is kept; the same command goes on from there.", file=sys.stderr)

    wanted = figures or tuple(study.figures)
    if judge:
        reports = judge_again(study, wanted, out / paper)
        for report in reports:
            show(report)
    else:
        with Watching(f"reproducing {paper}", quiet) as watch, leaving_at_once(stopped):
            reports = run(study, wanted, out / paper, quick, seeds, lambda line: watch(line, True), show, fresh)
    if page is not None:
        fill(page, out / paper)
    if as_json:
        print_json({"figures": [report.to_json() for report in reports]})


def _print(report: Report) -> None:
    for claim in report.finding.claims:
        print(f"{report.figure}: {claim.claim}: {claim.verdict.upper()}")
    for name, value in report.finding.values.items():
        print(f"    {name}: {value}")
    print(f"    {report.csv}, {report.svg}", flush=True)
