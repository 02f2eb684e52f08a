"""The runs of a folder, and how some of them went: in words, as tables and as JSON. It needs no JAX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus import games as registry
from ludus.core.results import Result, Sheet
from ludus.core.whole_files import check_picture, save_picture
from ludus.errors import BadInput
from ludus.runs import curves
from ludus.runs.curves import Panel
from ludus.runs.run_info import CONFIG, RunInfo, find_runs, read_run_info

FOLDER = Path("runs")


@dataclass(frozen=True, repr=False)
class RunList(Result):
    """The runs of a folder, by name, in `.runs`."""

    folder: Path
    runs: tuple[RunInfo, ...]

    def to_json(self) -> dict[str, Any]:
        return {"runs": [info.to_json() for info in self.runs]}

    def parts(self) -> Iterator[str | Sheet]:
        if not self.runs:
            yield f"There is no run in '{self.folder}' yet; ludus train lgame begins one."
            return
        columns = ("run", "game", "recipe", "seed", "games", "state", "strength", "size")
        rows = [
            (
                str(info.path),
                game_of(info),
                info.recipe,
                "" if info.seed is None else str(info.seed),
                _games(info),
                info.state,
                info.strength or info.why or "not measured yet",
                f"{info.bytes / 1e6:,.1f}MB",
            )
            for info in self.runs
        ]
        yield Sheet(columns, rows, right=("seed", "games", "size"))


@dataclass(frozen=True, repr=False)
class RunCurves(Result):
    """How some runs went: what is known of each in `.runs`, their curves in `.panels`."""

    runs: tuple[RunInfo, ...]
    panels: tuple[Panel, ...]
    svg: Path | None = None  # where the picture is

    def to_json(self) -> dict[str, Any]:
        document = {
            "runs": [info.to_json() for info in self.runs],
            "panels": [panel.to_json() for panel in self.panels],
        }
        return document | ({} if self.svg is None else {"svg": str(self.svg)})

    def parts(self) -> Iterator[str | Sheet]:
        for info in self.runs:
            yield f"{info.path}: {game_of(info)}, {info.recipe}, seed {info.seed}, {_games(info)} games, {info.state}"
            if info.strength:
                yield f"  {info.strength}"

    def to_svg(self) -> str:
        title = ", ".join(dict.fromkeys(map(game_of, self.runs)))
        alone = len(self.runs) == 1
        return curves.svg(self.panels, f"{self.runs[0].path} ({title})" if alone else title).decode()


def runs_in(folder: Path = FOLDER) -> RunList:
    """The runs of a folder. The usual folder need not be there."""
    if folder != FOLDER and not folder.is_dir():
        raise BadInput(f"--runs: there is no folder '{folder}'.")
    found = [read_run_info(path) for path in find_runs(folder)] if folder.is_dir() else []
    return RunList(folder, tuple(found))


def curves_of(names: Sequence[str], folder: Path = FOLDER) -> RunCurves:
    """How runs went, each a folder or a name in `folder`."""
    if not names:
        raise BadInput("runs show needs the folder of a run; 'ludus runs' lists them.")
    found = [read_run_info(_find(name, folder)) for name in dict.fromkeys(names)]
    for info in found:
        if info.why:
            raise BadInput(info.why)
    panels = curves.panels_of([info.path for info in found])
    if not panels:
        raise BadInput(f"the run '{found[0].path}' has no report yet, so there is nothing to draw.")
    return RunCurves(tuple(found), tuple(panels))


def drawn(names: Sequence[str], svg: Path | None, where: Path = FOLDER) -> RunCurves:
    """The same with a picture: in the run, here for several, or where `svg` says."""
    if names and svg is not None:
        check_picture(svg)
    found = curves_of(names, where)
    folder = Path() if len(found.runs) > 1 else next(iter(found.runs)).path
    into = svg or folder / "curves.svg"
    save_picture(into, found.to_svg(), "name another file with --svg")
    return RunCurves(found.runs, found.panels, into)


def _find(name: str, where: Path) -> Path:
    for path in (Path(name), where / name):
        if (path / CONFIG).is_file():
            return path
    raise BadInput(f"there is no run '{name}', nor one of that name in '{where}'; 'ludus runs' lists them.")


def game_of(info: RunInfo) -> str:
    """The game of a run, with the options that are not at their defaults."""
    try:
        defaults = registry.entry(info.game).defaults
    except BadInput:  # of a package that is not here
        defaults = {}
    more = (f"{name}={value}" for name, value in info.options if defaults.get(name) != value)
    return " ".join((info.game, *more))


def _games(info: RunInfo) -> str:
    return f"{info.games:,}/{info.total:,}" if info.total else ""


def new_folder(name: str) -> Path:
    """runs/NAME, or with a number after it if that is taken."""
    folder, number = FOLDER / name, 2
    while folder.exists():
        folder, number = FOLDER / f"{name}-{number}", number + 1
    return folder
