"""`ludus runs` and `ludus runs show`. Neither needs JAX."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from ludus.cli.shared.files import check_picture, save_picture
from ludus.cli.shared.options import Json
from ludus.cli.shared.output import print_json, print_shown, print_table
from ludus.core.text import shown
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.runs.run_info import RunInfo

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
    from ludus.runs.run_info import find_runs, read_run_info

    if where != WHERE and not where.is_dir():
        raise BadInput(f"--runs: there is no folder '{where}'.")
    found = [read_run_info(path) for path in find_runs(where)] if where.is_dir() else []
    if as_json:
        return print_json({"runs": [info.to_json() for info in found]})
    if not found:
        return print_shown(f"There is no run in '{where}' yet; ludus train lgame begins one.")
    rows = [
        (
            str(info.path),
            _game(info),
            info.recipe,
            "" if info.seed is None else str(info.seed),
            _games(info),
            info.state,
            info.strength or info.why or "not measured yet",
            _size(info.bytes),
        )
        for info in found
    ]
    columns = ("run", "game", "recipe", "seed", "games", "state", "strength", "size")
    print_table(columns, rows, right=("seed", "games", "size"))


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
    from ludus.runs.run_info import read_run_info

    names = [*([] if run is None else [run]), *compare]
    if not names:
        raise BadInput("runs show needs the folder of a run; 'ludus runs' lists them.")
    if svg is not None:
        check_picture(svg)
    found = [read_run_info(_find(name, where)) for name in dict.fromkeys(names)]
    for info in found:
        if info.why:
            raise BadInput(info.why)
    panels = curves.panels_of([info.path for info in found])
    if not panels:
        raise BadInput(f"the run '{found[0].path}' has no report yet, so there is nothing to draw.")
    into = svg or (Path("curves.svg") if len(found) > 1 else found[0].path / "curves.svg")
    title = ", ".join(dict.fromkeys(map(_game, found)))
    picture = curves.svg(panels, title if len(found) > 1 else f"{found[0].path} ({title})")
    save_picture(into, picture, "name another file with --svg")
    if as_json:
        entries = [info.to_json() for info in found]
        return print_json({"runs": entries, "panels": [panel.to_json() for panel in panels], "svg": str(into)})
    for info in found:
        what = f"{_game(info)}, {info.recipe}, seed {info.seed}, {_games(info)} games, {info.state}"
        print_shown(f"{info.path}: {what}")
        if info.strength:
            print_shown(f"  {info.strength}")
    marks = curves.marks_of(panels)
    if len(found) > 1:
        print("\n".join(("", *(f"{mark} {shown(name)}" for name, mark in marks.items()))))
    width = min(WIDEST, shutil.get_terminal_size((80, 24)).columns)
    for panel in panels:
        print("\n".join(("", *curves.text(panel, width, marks))))
    print_shown(f"\nThe picture: {into}")


def _find(name: str, where: Path) -> Path:
    from ludus.runs.run_info import CONFIG

    for path in (Path(name), where / name):
        if (path / CONFIG).is_file():
            return path
    raise BadInput(f"there is no run '{name}', nor one of that name in '{where}'; 'ludus runs' lists them.")


def _game(info: RunInfo) -> str:
    """The game, with the options that are not at their defaults."""
    from ludus import games as registry

    try:
        defaults = registry.entry(info.game).defaults
    except BadInput:  # of a package that is not here
        defaults = {}
    more = (f"{name}={value}" for name, value in info.options if defaults.get(name) != value)
    return " ".join((info.game, *more))


def _games(info: RunInfo) -> str:
    return f"{info.games:,}/{info.total:,}" if info.total else ""


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f}MB"
