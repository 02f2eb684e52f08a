"""`ludus train`."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.common import (
    NO_OPTIONS,
    GameOptions,
    Json,
    Quiet,
    Whole,
    check_folder,
    check_range,
    print_json,
    print_table,
)
from ludus.cli.interrupt import leaving_at_once
from ludus.cli.ordering import is_puzzle
from ludus.cli.screen import Screen, span
from ludus.core.text import shown
from ludus.errors import BadInput
from ludus.runs.lock import refuse_held
from ludus.runs.records import CONFIG, read_config, refuse_taken, require_run

LONG, SHORT = 3600.0, 300.0  # seconds: a run that wants a word before it goes on, and one that does not

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.agents.network import NetworkPlayer
    from ludus.core.game import Game
    from ludus.learners.recipes import Recipe
    from ludus.training.progress import Progress
    from ludus.training.train import Outcome


def train(
    game: Annotated[str | None, Parameter(help="A game's name; 'ludus games' lists them.")] = None,
    /,
    *,
    recipe: Annotated[
        str | None, Parameter(help="How to train: best, paper, ... ('ludus games' lists them). [default: best]")
    ] = None,
    seed: Annotated[Whole | None, Parameter(help="Random seed; the same seed gives the same run. [default: 0]")] = None,
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
        Parameter(name="--from", help="Begin with the weights of this agent, as of another size of board."),
    ] = None,
    minutes: Annotated[
        float | None,
        Parameter(help="Break off after so long, at the next report where little must be kept; --resume goes on."),
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

    A run can be stopped at any moment, even by a power cut, and resumed to the
    same end, byte for byte. Its folder is an agent, as far as it has come: ludus
    play lgame --against runs/mine. "ludus runs" lists them and shows their curves.

    Play goes in rounds: every lane of the recipe plays some moves (or one game),
    then the weights learn from them. A run ends with the round that reaches
    --games, so it plays some more; for few games there are fewer lanes. The
    recipe's own number ends with a report, which is several rounds.

    With --resume and --games a run goes on to a larger number, finished or not.
    Rates that fall in the course of training then fall towards the new number:
    this does not give the bytes of a run that had this number from its start.
    """
    from ludus.learners.settings import MAX_SEED, check_games

    if games is not None:
        check_games(games)
    if seed is not None:
        check_range("--seed", seed, 0, MAX_SEED)
    if minutes is not None and not 0 <= minutes < float("inf"):
        raise BadInput(f"--minutes {minutes}: give a number of minutes, from 0.")
    seconds = float("inf") if minutes is None else 60 * minutes
    if tensorboard is not None:
        check_folder("--tensorboard", tensorboard)
    with Watched(quiet, as_json) as watched:
        if resume is not None:
            if (
                any(given is not None for given in (game, recipe, seed, out, start))
                or options != NO_OPTIONS
                or settings
            ):
                raise BadInput(
                    "--resume takes everything but --games from the run's folder; leave out the game and its options."
                )
            outcome = _go_on(resume, games, tensorboard, seconds, watched)
        else:
            if game is None:
                raise BadInput("train needs the name of a game; 'ludus games' lists them.")
            from ludus import games as registry
            from ludus.learners.recipes import DEFAULT, recipe_named

            name = DEFAULT if recipe is None else recipe
            chosen = recipe_named(game, options.given(registry.entry(game)), name)
            if "help" in settings:
                return _list_settings(game, chosen, as_json)
            folder = out or new_folder(f"{game}-{name}-{seed or 0}")
            check_folder("--out", folder.parent)
            refuse_taken(folder)
            chosen = chosen.lasting(games).with_texts(settings)
            setup = options.setup(game)[0]
            agent = None if start is None else _trained(start, setup)
            outcome = _begin(setup, chosen, seed or 0, folder, tensorboard, agent, seconds, watched)
    _report(outcome, as_json)


def _trained(name: str, game: Game) -> NetworkPlayer:
    """The agent that a run begins from: of the same game, of whatever size."""
    from ludus.agents.network import load_network
    from ludus.agents.spec import folder_of, refuse_strangers

    refuse_strangers([name], game.name)
    return load_network(folder_of(name), game, name)


def _begin(
    game: Game,
    recipe: Recipe,
    seed: int,
    folder: Path,
    tensorboard: Path | None,
    start: NetworkPlayer | None,
    seconds: float,
    watched: Watched,
) -> Outcome:
    from ludus.training.train import train

    _make_folder(tensorboard)
    command = f"ludus {shlex.join(sys.argv[1:])}"
    return train(game, recipe, seed, folder, command, watched.at(folder), tensorboard, start, seconds)


def _go_on(folder: Path, games: int | None, tensorboard: Path | None, seconds: float, watched: Watched) -> Outcome:
    require_run(folder)
    refuse_held(folder)
    from ludus.training.train import resume

    _make_folder(tensorboard)
    return resume(folder, watched.at(folder), games, tensorboard, seconds)


def _make_folder(tensorboard: Path | None) -> None:
    """Before anything else is made: where this cannot be, training need not begin."""
    if tensorboard is not None:
        try:
            tensorboard.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"--tensorboard: '{tensorboard}' cannot be made: {error.strerror}.") from error


def new_folder(name: str) -> Path:
    """runs/NAME, or with a number after it if that is taken."""
    folder = Path("runs") / name
    number = 2
    while folder.exists():
        folder, number = Path("runs") / f"{name}-{number}", number + 1
    return folder


class Watched:
    """Training with its course on the screen, and last words when it is stopped."""

    def __init__(self, quiet: bool, as_json: bool) -> None:
        self._quiet, self._live, self._stack = quiet, not as_json, contextlib.ExitStack()
        self._folder: Path | None = None
        self._screen: Screen | None = None
        self._told = False  # how long it will take, or that it need not be

    def at(self, folder: Path) -> Callable[[Progress], None]:
        """A run is about to be trained there; what is returned shows how it gets on."""
        self._folder = folder
        self._screen = self._stack.enter_context(Screen(self._quiet, self._live))
        return self._show

    def _show(self, progress: Progress) -> None:
        assert self._screen is not None
        if progress.expected and not self._told:
            self._told = True
            if progress.eta > LONG:
                self._screen.say(self._long(progress))
        self._screen.show(progress)

    def _long(self, progress: Progress) -> str:
        """That a run will not end soon, how it is stopped, and what would take minutes."""
        assert self._folder is not None
        config = read_config(self._folder)
        return (
            f"This will take about {span(progress.eta)} here: Ctrl-C stops it, {_resuming(self._folder)} goes on, and "
            f"{_shorter(config, progress)} takes minutes."
        )

    def __enter__(self) -> Watched:
        self._stack.enter_context(leaving_at_once(self._last_words))  # before JAX is loaded, which takes a while
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stack.close()
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self._last_words()

    def _last_words(self) -> None:
        if self._screen is not None:
            self._screen.stop()
        if self._folder is not None:
            say_stopped(self._folder)


def say_stopped(folder: Path) -> None:
    """How a run goes on, if it has begun."""
    if (folder / CONFIG).exists():
        print(f"\nStopped. Go on with: {shown(_resuming(folder))}", file=sys.stderr, flush=True)


def _resuming(folder: Path) -> str:
    return shlex.join(["ludus", "train", "--resume", str(folder)])


def _shorter(config: dict[str, Any], progress: Progress) -> str:
    """A command for what can be trained in minutes: the game's small recipe, or as many games of this one."""
    from ludus import games as registry
    from ludus.learners.recipes import SMALL, recipes

    game, options, name = config["game"], config["options"], config["recipe"]["name"]
    defaults = registry.entry(game).defaults
    others = {option: value for option, value in options.items() if value != defaults[option]}
    given = [word for option, value in others.items() for word in ("--set", f"{option}={value}")]
    if name != SMALL and SMALL in recipes(game, options):
        return shlex.join(["ludus", "train", game, *given, "--recipe", SMALL])
    games = max(1, int(float(f"{SHORT * progress.expected:.0e}")))  # one digit, and noughts
    return shlex.join(["ludus", "train", game, *given, "--recipe", name, "--games", str(games)])


def _list_settings(game: str, recipe: Recipe, as_json: bool) -> None:
    from ludus.learners import find_config
    from ludus.learners.settings import settings_of

    known, values = settings_of(find_config(recipe.learner_name)), recipe.to_json()
    entries = [
        {"name": name, "value": values[name], "takes": setting.takes, "help": setting.help}
        for name, setting in known.items()
        if name != "games"  # which has an option of its own
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
    final = outcome.final.to_json()
    if as_json:
        found = {"run": str(outcome.run), "games": outcome.games, "seconds": outcome.seconds, "final": final}
        return print_json(found | ({} if outcome.finished else {"finished": False}))
    print(shown(f"{outcome.games:,} games of self-play in {outcome.seconds:.0f} s: {outcome.run}"))
    from ludus.cli.eval import print_grade

    print_grade(outcome.final)
    if not outcome.finished:
        print(f"Broken off after --minutes. Go on with: {shown(_resuming(outcome.run))}")
    game = read_config(outcome.run)["game"]
    if is_puzzle(game):
        print(shown(f"Solve by it: {shlex.join(['ludus', 'solve', game, '--order', str(outcome.run)])}"))
    else:
        print(shown(f"Play against it: {shlex.join(['ludus', 'play', game, '--against', str(outcome.run)])}"))
