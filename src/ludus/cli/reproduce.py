"""`ludus reproduce`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ludus.cli.common import Flag, Json, Whole, check_folder, check_range, print_json
from ludus.errors import BadInput

PAPERS = ("lgame", "hex")


def reproduce(
    paper: Annotated[str, Parameter(help="lgame or hex.")],
    /,
    *figures: Annotated[str, Parameter(help="Which of its figures and tables; without any, all.")],
    seeds: Annotated[
        Whole | None, Parameter(help="Runs of each setting. [default: the paper's page says; fewer with --quick]")
    ] = None,
    quick: Annotated[Flag, Parameter(help="Only the outline, in minutes instead of hours.")] = False,
    out: Annotated[Path, Parameter(help="Where CSV and pictures go.")] = Path("out"),
    as_json: Json = False,
) -> None:
    """Reproduce a paper's figures: a CSV, a picture and a verdict for each claim.

    For example:

        ludus reproduce lgame fig4 --quick
        ludus reproduce hex --out figures

    Every point of a curve is the exact strength of the agent at that moment;
    intervals are over seeds. Whole, the L-Game's wants an accelerator.
    """
    if paper not in PAPERS:
        raise BadInput(f"there is no paper '{paper}'; there are {', '.join(PAPERS)}.")
    if seeds is not None:
        check_range("--seeds", seeds, 2, 1000)
    check_folder("--out", out / paper)
    study = importlib.import_module(f"ludus.papers.{paper}")
    for figure in figures:
        if figure not in study.FIGURES:
            raise BadInput(f"the paper {paper} has no figure '{figure}'; there are {', '.join(study.FIGURES)}.")
    found, wanted = [], figures or tuple(study.FIGURES)
    if hasattr(study, "prepare"):
        study.prepare(wanted, quick, seeds, _log)
    for figure in wanted:
        found.append(study.reproduce(figure, quick, seeds, out / paper, _log))
        if not as_json:
            entry = found[-1]
            print(f"{entry['id']}: {entry['claim']}: {entry['verdict'].upper()}")
            for name, value in entry["values"].items():
                print(f"    {name}: {value}")
            print(f"    {entry['csv']}, {entry['svg']}", flush=True)
    if as_json:
        print_json({"figures": found})


def _log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
