"""`ludus train`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.shared.options import (
    MAX_SEED,
    NO_OPTIONS,
    GameOptions,
    Json,
    Quiet,
    Whole,
    is_puzzle,
    whole,
)
from ludus.cli.shared.output import print_json, print_parts, print_shown, print_table
from ludus.cli.shared.runs import resume_command
from ludus.cli.train.display import TrainingDisplay
from ludus.core.whole_files import check_folder
from ludus.errors import BadInput
from ludus.runs.lock import refuse_held
from ludus.runs.run_info import read_config, refuse_taken, require_run
from ludus.workbench.run_lists import new_folder

if TYPE_CHECKING:
    from ludus.learners.recipe import Recipe
    from ludus.training.train import Outcome


def train(
    game: Annotated[str | None, Parameter(help="A game's name; 'ludus games' lists them.")] = None,
    /,
    *,
    recipe: Annotated[
        str | None, Parameter(help="How to train: best, paper, ... ('ludus games' lists them). [default: best]")
    ] = None,
    seed: Annotated[
        int | None, whole(0, MAX_SEED, "Random seed; the same seed gives the same run. [default: 0]")
    ] = None,
    games: Annotated[
        Whole | None,
        Parameter(help="Games of self-play; without it, the recipe's. With --resume: train on, to this many in all."),
    ] = None,
    settings: Annotated[
        tuple[str, ...],
        Parameter(
            name="--with",
            negative="",
            show_default=False,
            help="A setting of the recipe, as NAME=VALUE; may be repeated. --with help lists them.",
        ),
    ] = (),
    out: Annotated[Path | None, Parameter(help="The run's folder. [default: a new one in runs/]")] = None,
    resume: Annotated[Path | None, Parameter(help="Go on with the run in this folder.")] = None,
    start: Annotated[
        str | None,
        Parameter(name="--from", help="Begin with the weights of this agent, perhaps of another board size."),
    ] = None,
    minutes: Annotated[
        float | None,
        Parameter(help="Stop after so many minutes, at the next report where little must be saved; --resume goes on."),
    ] = None,
    tensorboard: Annotated[Path | None, Parameter(help="Also write the metrics here, for TensorBoard, live.")] = None,
    options: GameOptions = NO_OPTIONS,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Train an agent by self-play, and watch its exact strength grow.

    For example:

        ludus train lgame
        ludus train lgame --recipe paper --seed 1 --out runs/mine
        ludus train lgame --with learning_rate=0.01 --with hidden=64,64
        ludus train --resume runs/mine
        ludus train --resume runs/mine --games 200000
        ludus train hex --size 9 --from hex/best-7 --minutes 60

    A run can be stopped at any moment, even by a power cut. Resumed, it ends with
    the same result, byte for byte. Its folder is an agent, as strong as it is so far:
    ludus play lgame --against runs/mine. "ludus runs" lists runs and shows curves.

    Training goes in rounds: a batch of games is played side by side, some moves of
    each (or one whole game), and the weights learn from them. A run ends with the
    round that reaches --games, so it plays a few more; for few games the batch is
    smaller. With the recipe's own number it ends with a report (several rounds).

    With --resume and --games a run goes on to a larger number, finished or not.
    Learning rates that decay then decay towards the new number, so the result
    differs from a run that had this number from its start.
    """
    from ludus.learners.settings import check_games, seconds_of

    if games is not None:
        check_games(games)
    seconds = seconds_of(minutes)
    if tensorboard is not None:
        check_folder("--tensorboard", tensorboard)
    with TrainingDisplay(quiet, as_json) as display:
        if resume is not None:
            given = (game, recipe, seed, out, start, *settings)
            if any(value is not None for value in given) or options != NO_OPTIONS:
                raise BadInput(
                    "--resume takes everything but --games from the run's folder; leave out the game and its options."
                )
            require_run(resume)
            refuse_held(resume)
            from ludus.training import train as training

            _make_folder(tensorboard)
            outcome = training.resume(resume, display.at(resume), games, tensorboard, seconds)
        else:
            if game is None:
                raise BadInput("train needs the name of a game; 'ludus games' lists them.")
            from ludus.learners.recipes import DEFAULT, recipe_named

            name = DEFAULT if recipe is None else recipe
            chosen = recipe_named(game, options.given(registry.entry(game)), name)
            if "help" in settings:
                return _list_settings(game, chosen, as_json)
            folder = out or new_folder(f"{game}-{name}-{seed or 0}")
            check_folder("--out", folder.parent)
            refuse_taken(folder)
            chosen = chosen.lasting(games).with_texts(settings)
            made, _ = options.setup(game)
            from ludus.agents.find import trained_player
            from ludus.training import train as training

            agent = None if start is None else trained_player(start, made)

            _make_folder(tensorboard)
            command = f"ludus {shlex.join(sys.argv[1:])}"
            outcome = training.train(
                made, chosen, seed or 0, folder, command, display.at(folder), tensorboard, agent, seconds
            )
    _report(outcome, as_json)


def _make_folder(tensorboard: Path | None) -> None:
    """If this folder cannot be made, training does not begin."""
    if tensorboard is not None:
        try:
            tensorboard.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"--tensorboard: '{tensorboard}' cannot be made: {error.strerror}.") from error


def _list_settings(game: str, recipe: Recipe, as_json: bool) -> None:
    from ludus.learners import find_config
    from ludus.learners.settings import settings_of

    known, values = settings_of(find_config(recipe.learner_name)), recipe.to_json()
    entries = [
        {"name": name, "value": values[name], "takes": setting.takes, "help": setting.help}
        for name, setting in known.items()
        if name != "games"  # they have an option of their own
    ]
    if as_json:
        return print_json({"game": game, "recipe": recipe.name, "learner": recipe.learner_name, "settings": entries})
    print(f"What --with can set in the recipe '{recipe.name}' of {game} (learner '{recipe.learner_name}'):")
    rows = []
    for entry in entries:
        value = entry["value"]
        text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        rows.append((entry["name"], text, "; ".join(filter(None, (entry["help"], entry["takes"])))))
    print_table(("setting", "value", "meaning"), rows)


def _report(outcome: Outcome, as_json: bool) -> None:
    if as_json:
        return print_json(outcome.to_json())
    print_parts(outcome.parts())
    if not outcome.finished:
        print_shown(f"Stopped after --minutes. Go on with: {resume_command(outcome.run)}")
    game = read_config(outcome.run)["game"]
    if is_puzzle(game):
        print_shown(f"Solve with it: {shlex.join(['ludus', 'solve', game, '--order', str(outcome.run)])}")
    else:
        print_shown(f"Play against it: {shlex.join(['ludus', 'play', game, '--against', str(outcome.run)])}")
