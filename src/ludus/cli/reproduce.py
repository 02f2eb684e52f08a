"""`ludus reproduce`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ludus.cli.shared.interrupt import on_stop
from ludus.cli.shared.options import Flag, Json, Quiet, whole
from ludus.cli.shared.output import print_result
from ludus.cli.shared.progress import ProgressLine
from ludus.errors import BadInput


def reproduce(
    paper: Annotated[
        str | None,
        Parameter(help="The game whose paper it is: lgame, hex, abalone, solitaire-chess. Not with --index."),
    ] = None,
    /,
    *figures: Annotated[str, Parameter(help="Which of its figures and tables; without any, all.")],
    seeds: Annotated[
        int | None, whole(2, 1000, "Runs of each setting. [default: see the paper's page; fewer with --quick]")
    ] = None,
    quick: Annotated[Flag, Parameter(help="A rough version, in minutes instead of hours.")] = False,
    judge: Annotated[Flag, Parameter(help="Do not train: judge and draw again from the CSVs in --out.")] = False,
    page: Annotated[
        Path | None, Parameter(help="Also fill in the tables of this Markdown page, between its marks.")
    ] = None,
    index: Annotated[
        Flag, Parameter(help="Do not train: fill in the --page of all papers' claims, from the folders in --out.")
    ] = False,
    out: Annotated[Path, Parameter(help="Where CSV and pictures go, in a folder named after the paper.")] = Path("out"),
    fresh: Annotated[Flag, Parameter(help="Run everything again, also runs that are finished.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Reproduce a paper's figures: a CSV, a picture and a verdict for each claim.

    For example:

        ludus reproduce lgame fig4 --quick
        ludus reproduce hex --out figures
        ludus reproduce hex --judge --out docs/papers --page docs/papers/hex.md
        ludus reproduce abalone --quick
        ludus reproduce --index --out docs/papers --page docs/papers/index.md

    Every point of a curve is the strength of the agent at that moment: exact where
    the game is solved, else by games. Intervals are over seeds. Without --quick,
    some papers want an accelerator. Finished runs are kept in OUT/PAPER/.runs: after
    a stop, the same command goes on from there.
    """
    from ludus.workbench.reproductions import ReproductionRun, check_page, papers

    check_page(page)
    if index:
        if paper or judge or quick or fresh or seeds is not None or page is None:
            raise BadInput("--index is of all papers, and wants a --page: leave out the rest but --out.")
        from ludus.study.index import fill as fill_index

        fill_index(page, out, papers())
        return
    if paper is None:
        raise BadInput(f"say which paper: {', '.join(papers())}; or --index for the page of all.")
    run = ReproductionRun(paper, figures, out, quick, seeds, judge, page, fresh)

    def stopped() -> None:
        print("Stopped. Finished runs are kept; the same command goes on from there.", file=sys.stderr)

    if judge:
        found = run.run()
    else:
        with ProgressLine(f"reproducing {paper}", quiet) as progress, on_stop(stopped):
            found = run.run(lambda line: progress(line, True))
    if not as_json:
        print_result(found, as_json)
    run.fill_page()
    if as_json:
        print_result(found, as_json)
