"""`ludus runs` and `ludus runs show`. Neither needs JAX."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ludus.cli.shared.options import Json
from ludus.cli.shared.output import print_json, print_parts, print_result, print_shown
from ludus.core.text import shown

WIDEST = 100  # characters of a curve on a terminal
Runs = Annotated[Path, Parameter(name="--runs", help="The folder that holds the runs.")]
WHERE = Path("runs")

runs = App(name="runs", help_format="plaintext", version_flags=())


@runs.default
def listing(*, where: Runs = WHERE, as_json: Json = False) -> None:
    """List training runs; "ludus runs show RUN" shows how one went.

    For example:

        ludus runs
        ludus runs --runs elsewhere --json
        ludus runs show lgame-best-0
        ludus runs show --compare runs/one runs/two

    A run is running, stopped ("ludus train --resume" goes on with it), finished or
    damaged. Its strength is that of its last report.
    """
    from ludus.workbench.run_lists import runs_in

    print_result(runs_in(where), as_json)


@runs.command
def show(
    run: Annotated[str | None, Parameter(help="The run's folder, or its name in --runs.")] = None,
    /,
    *,
    compare: Annotated[
        tuple[str, ...],
        Parameter(
            help="Also draw these runs, in the same picture.", negative="", consume_multiple=True, show_default=False
        ),
    ] = (),
    svg: Annotated[
        Path | None,
        Parameter(help="Where the picture goes. [default: curves.svg in the run, or here with --compare]"),
    ] = None,
    where: Runs = WHERE,
    as_json: Json = False,
) -> None:
    """Draw a run's strength and loss so far, in the terminal and as a picture.

    For example:

        ludus runs show lgame-best-0
        ludus runs show runs/one --compare runs/two runs/three --svg both.svg
    """
    from ludus.runs import curves
    from ludus.workbench.run_lists import drawn

    found = drawn([*([] if run is None else [run]), *compare], svg, where)
    if as_json:
        return print_json(found.to_json())
    print_parts(found.parts())
    marks = curves.marks_of(found.panels)
    if len(found.runs) > 1:
        print("\n".join(("", *(f"{mark} {shown(name)}" for name, mark in marks.items()))))
    width = min(WIDEST, shutil.get_terminal_size((80, 24)).columns)
    for panel in found.panels:
        print("\n".join(("", *curves.text(panel, width, marks))))
    print_shown(f"\nThe picture: {found.svg}")
