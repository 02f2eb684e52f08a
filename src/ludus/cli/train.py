"""`ludus train`."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.common import NO_OPTIONS, GameOptions, Json, Whole, check_folder, check_range, print_json
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.training.train import Outcome, Progress

MAX_SEED = 2**31 - 1


def train(
    game: Annotated[str | None, Parameter(help="A game's name; 'ludus games' lists them.")] = None,
    /,
    *,
    recipe: Annotated[
        str | None, Parameter(help="How to train: best, paper, ... ('ludus games' lists them). [default: best]")
    ] = None,
    seed: Annotated[Whole | None, Parameter(help="Random seed; the same seed gives the same run. [default: 0]")] = None,
    games: Annotated[Whole | None, Parameter(help="Games of self-play; without it, the recipe's.")] = None,
    out: Annotated[Path | None, Parameter(help="The run's folder. [default: a new one in runs/]")] = None,
    resume: Annotated[Path | None, Parameter(help="Go on with the run in this folder.")] = None,
    tensorboard: Annotated[Path | None, Parameter(help="Also write the metrics here, for TensorBoard.")] = None,
    options: GameOptions = NO_OPTIONS,
    as_json: Json = False,
) -> None:
    """Train an agent by self-play, and watch its exact strength grow.

    For example:

        ludus train lgame
        ludus train lgame --recipe paper --seed 1 --out runs/mine
        ludus train --resume runs/mine

    A run can be stopped at any moment, even by a power cut, and resumed to the
    same end, byte for byte. Its folder is an agent: ludus play lgame --against
    runs/mine.
    """
    if tensorboard is not None:
        check_folder("--tensorboard", tensorboard)
    screen = Screen(quiet=as_json or not sys.stderr.isatty())
    if resume is not None:
        if any(given is not None for given in (game, recipe, seed, games, out)) or options != NO_OPTIONS:
            raise BadInput("--resume takes everything from the run's folder; leave out the game and its options.")
        from ludus.training.train import resume as resume_run

        folder = resume
        outcome = _watched(folder, lambda: resume_run(folder, screen.show), screen)
    else:
        if game is None:
            raise BadInput("train needs the name of a game; 'ludus games' lists them.")
        from ludus.training.recipes import find_recipe
        from ludus.training.train import train as train_run

        made, _ = options.setup(game)
        recipe, seed = recipe or "best", seed or 0
        check_range("--seed", seed, 0, MAX_SEED)
        chosen = find_recipe(made, recipe).lasting(games)
        folder = out or new_folder(f"{made.name}-{recipe}-{seed}")
        command = f"ludus {shlex.join(sys.argv[1:])}"
        outcome = _watched(folder, lambda: train_run(made, chosen, seed, folder, command, screen.show), screen)
    if tensorboard is not None:
        from ludus.training.tensorboard import write_events

        write_events(outcome.run / "metrics.jsonl", tensorboard, "games")
    _report(outcome, as_json)


def new_folder(name: str) -> Path:
    """runs/NAME, or with a number after it if that is taken."""
    folder = Path("runs") / name
    number = 2
    while folder.exists():
        folder, number = Path("runs") / f"{name}-{number}", number + 1
    return folder


def _watched(folder: Path, work: Any, screen: Screen) -> Outcome:
    try:
        with screen:
            return work()
    except KeyboardInterrupt:
        if (folder / "config.json").exists():
            print(f"\nStopped. Go on with: ludus train --resume {folder}", file=sys.stderr)
        raise


class Screen:
    """The course of training on stderr: a bar that moves on a terminal, else a line now and then."""

    def __init__(self, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self.quiet, self.said, self.begin = quiet, 0.0, time.perf_counter()
        self.bar = Progress(
            TextColumn("{task.completed:,.0f} games"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%  {task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[strength]}"),
            console=Console(stderr=True),
            disable=quiet,
        )
        self.task = self.bar.add_task("", total=None, rate="", strength="compiling ...")

    def __enter__(self) -> Screen:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def show(self, progress: Progress) -> None:
        strength = strength_of(progress)
        rate = f"{progress.rate:,.0f} games/s"
        self.bar.update(
            self.task, completed=min(progress.games, progress.total), total=progress.total, rate=rate, strength=strength
        )
        seconds = time.perf_counter() - self.begin
        if self.quiet and (seconds - self.said > 5 or progress.games >= progress.total):
            self.said = seconds
            left = f", {progress.eta:.0f} s to go" if progress.rate else ""
            line = f"{progress.games:,} of {progress.total:,} games, {rate}{left}: {strength}"
            print(line, file=sys.stderr, flush=True)


def strength_of(progress: Progress) -> str:
    """What is known of the agent so far, in a few words."""
    if not progress.metrics:
        return "to be measured"
    if progress.grade is None:
        return f"loss {progress.metrics.get('loss', float('nan')):.4f}"
    return progress.grade.summary()


def _report(outcome: Outcome, as_json: bool) -> None:
    final = outcome.final.to_json() if outcome.final else None
    if as_json:
        return print_json({"run": str(outcome.run), "games": outcome.games, "seconds": outcome.seconds, "final": final})
    print(f"{outcome.games:,} games of self-play in {outcome.seconds:.0f} s: {outcome.run}")
    if outcome.final:
        from ludus.cli.eval import print_grade

        print_grade(outcome.final)
    print(f"Play against it: ludus play {_game_of(outcome.run)} --against {outcome.run}")


def _game_of(run: Path) -> str:
    from ludus.training.agents import game_of

    game = game_of(str(run))
    return game.name if game else ""
