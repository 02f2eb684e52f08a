"""Training and its results: `ludus.train`, `ludus.runs`, `ludus.reproduce`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from ludus.agents.find import trained_player
from ludus.core.game import Game
from ludus.core.results import Result, Sheet
from ludus.core.whole_files import check_folder
from ludus.errors import BadInput, shorten
from ludus.face.agent import as_game
from ludus.face.arguments import as_arguments, check_whole
from ludus.learners.recipe import Recipe
from ludus.learners.recipes import DEFAULT, find_recipe
from ludus.learners.settings import MAX_SEED, seconds_of
from ludus.runs import curves
from ludus.runs.run_info import refuse_taken, require_run
from ludus.training import train as training
from ludus.training.progress import OnProgress, Progress, no_progress
from ludus.training.train import Outcome
from ludus.workbench.reproductions import Reproduction, ReproductionRun
from ludus.workbench.run_lists import FOLDER, RunCurves, RunList, curves_of, new_folder, runs_in

OUT = Path("out")  # where the figures of papers go


@dataclass(frozen=True, repr=False)
class Outcomes(Result):
    """Runs of one recipe with several seeds, in the order of the seeds."""

    runs: tuple[Outcome, ...]

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.runs)

    def __getitem__(self, place: int) -> Outcome:
        return self.runs[place]

    def to_json(self) -> dict[str, Any]:
        return {"runs": [run.to_json() for run in self.runs]}

    def parts(self) -> Iterator[str | Sheet]:
        rows = [(str(run.run), f"{run.games:,}", f"{run.seconds:.0f} s", run.final.summary()) for run in self.runs]
        yield Sheet(("run", "games", "time", "strength"), rows, ("games", "time"))

    def to_svg(self) -> str | None:
        """The curves of all runs together."""
        panels = curves.panels_of([run.run for run in self.runs])
        return curves.svg(panels, f"{len(self)} runs").decode() if panels else None


@overload
def train(
    game: Game | str | None = None,
    recipe: str | Recipe = DEFAULT,
    *,
    out: str | Path | None = None,
    seed: int = 0,
    seeds: None = None,
    games: int | None = None,
    minutes: float | None = None,
    from_: str | Path | None = None,
    resume: str | Path | None = None,
    tensorboard: str | Path | None = None,
    on_progress: OnProgress = no_progress,
    on_report: OnProgress = no_progress,
    **settings: Any,
) -> Outcome: ...


@overload
def train(
    game: Game | str,
    recipe: str | Recipe = DEFAULT,
    *,
    out: str | Path | None = None,
    seeds: int | Sequence[int],
    games: int | None = None,
    minutes: float | None = None,
    from_: str | Path | None = None,
    on_progress: OnProgress = no_progress,
    on_report: OnProgress = no_progress,
    **settings: Any,
) -> Outcomes: ...


@as_arguments()
def train(
    game: Game | str | None = None,
    recipe: str | Recipe = DEFAULT,
    *,
    out: str | Path | None = None,
    seed: int = 0,
    seeds: int | Sequence[int] | None = None,
    games: int | None = None,
    minutes: float | None = None,
    from_: str | Path | None = None,
    resume: str | Path | None = None,
    tensorboard: str | Path | None = None,
    on_progress: OnProgress = no_progress,
    on_report: OnProgress = no_progress,
    **settings: Any,
) -> Outcome | Outcomes:
    """Train an agent by self-play. Of the outcome, `.run` is the run's folder, which is also the agent's name, and
    `.final` is its strength. `ludus train` does the same.

    The recipe is the name of one of the game's, or your own; its settings can be given by name. `games` is how many to
    play; by default the recipe says. `out` is a new folder, by default one in runs/. `minutes` stops a run, and
    `resume` goes on with the one in that folder; `from_` begins with another agent's weights. `on_report` is called
    after each report, with its metrics and its grade; `on_progress` also between reports; what they raise stops the
    run.

    With `seeds` (a number, or each by itself) there is a run for each seed, one after the other, in folders `seed-0`,
    `seed-1`, ... in `out`.

    >>> import ludus
    >>> run = ludus.train(ludus.game("hex", size=2), "negamax", games=20, out="runs/tiny", hidden=(4,))
    >>> run.run.name, run.games >= 20
    ('tiny', True)
    """
    if resume is not None:
        given = (game, out, seeds, from_)
        if any(value is not None for value in given) or recipe is not DEFAULT or seed or settings:
            raise BadInput(
                "resume takes everything but games from the run's folder; leave out the game, its recipe and settings."
            )
        require_run(Path(resume))
        return training.resume(
            Path(resume), _both(on_progress, on_report), games, _path(tensorboard), seconds_of(minutes)
        )
    if game is None:
        raise BadInput("training takes a game, as in ludus.train('lgame'), or resume, the folder of a run.")
    made, seconds = as_game(game), seconds_of(minutes)
    chosen = recipe if isinstance(recipe, Recipe) else find_recipe(made, recipe)
    chosen = chosen.lasting(games).with_values(settings)
    several = None if seeds is None else _seeds(seeds)
    if several is not None and tensorboard is not None:
        raise BadInput("tensorboard is for one run; leave it out, or train one seed after the other.")
    name = f"{made.name}-{chosen.name}"
    if several is None:
        folders = [new_folder(f"{name}-{seed}") if out is None else Path(out)]
    else:
        above = new_folder(f"{name}-seeds") if out is None else Path(out)
        folders = [above / f"seed-{each}" for each in several]
        for folder in folders:  # all of them before the first is trained
            check_folder("--out", folder)
            refuse_taken(folder)
    start = None if from_ is None else trained_player(str(from_), made)
    watch, live = _both(on_progress, on_report), _path(tensorboard)
    found = [
        training.train(made, chosen, each, folder, "", watch, live, start, seconds)
        for each, folder in zip([seed] if several is None else several, folders, strict=True)
    ]
    return found[0] if several is None else Outcomes(tuple(found))


@overload
def runs(*, where: str | Path = FOLDER) -> RunList: ...


@overload
def runs(run: str | Path, /, *more: str | Path, where: str | Path = FOLDER) -> RunCurves: ...


@as_arguments(runs="where")
def runs(*names: str | Path, where: str | Path = FOLDER) -> RunList | RunCurves:
    """The training runs of a folder, as `ludus runs` lists them; or, for runs that are named, how they went: `.panels`,
    which a notebook shows as curves.

    >>> import ludus
    >>> print(ludus.runs())
    There is no run in 'runs' yet; ludus train lgame begins one.
    """
    return curves_of([str(name) for name in names], Path(where)) if names else runs_in(Path(where))


@as_arguments()
def reproduce(
    paper: str,
    *figures: str,
    seeds: int | None = None,
    quick: bool = False,
    judge: bool = False,
    page: str | Path | None = None,
    out: str | Path = OUT,
    fresh: bool = False,
    on_line: Callable[[str], Any] = lambda line: None,
) -> Reproduction:
    """Reproduce a paper's figures: of each report in `.reports` a CSV, a picture and a verdict for each claim. `ludus
    reproduce` does the same.

    With `judge` nothing is trained: pictures and verdicts are made again from the CSVs in `out`.

    >>> import ludus
    >>> ludus.reproduce("checkers")
    Traceback (most recent call last):
    ludus.errors.BadInput: there is no paper 'checkers'; there are ...
    """
    if seeds is not None:
        check_whole("seeds", seeds, 2, 1000)
    run = ReproductionRun(paper, figures, Path(out), quick, seeds, judge, _path(page), fresh)
    found = run.run(on_line)
    run.fill_page()
    return found


def _seeds(seeds: int | Sequence[int]) -> list[int]:
    """The seeds that were given, or so many from 0."""
    if isinstance(seeds, int):
        check_whole("seeds", seeds, 1, 10**4)
        return list(range(seeds))
    found = list(seeds)
    for seed in found:
        check_whole("each of seeds", seed, 0, MAX_SEED)
    if not found or len(set(found)) < len(found):
        raise BadInput(f"seeds are a number, or different numbers, not {shorten(repr(seeds))}.")
    return found


def _both(on_progress: OnProgress, on_report: OnProgress) -> OnProgress:
    def tell(progress: Progress) -> None:
        on_progress(progress)
        if progress.reported:
            on_report(progress)

    return tell


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)
