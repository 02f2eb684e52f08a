"""Ludus from Python, in four functions: `ludus.game`, `ludus.agent`, `ludus.solve` and `ludus.train`.

Positions and moves are texts, as on the command line; a position may also be a state of the game. What cannot be used
is a `BadInput`, whose message is one sentence. What is not here is in a module: `ludus.play.selfplay`,
`ludus.learners.recipes`, and so on.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ludus.agents.find import find_player, game_of
from ludus.agents.spec import bound_of, refuse_strangers, setup_of
from ludus.core.game import Game, legal_actions
from ludus.errors import BadInput, shorten
from ludus.games import make_game
from ludus.learners.recipe import Recipe
from ludus.learners.recipes import DEFAULT, find_recipe
from ludus.play.line import Line
from ludus.play.player import RESIGN, Clock, Player, Thoughts
from ludus.training.progress import OnProgress, no_progress
from ludus.training.train import Outcome
from ludus.training.train import train as train_run
from ludus.truth import truth_of
from ludus.truth.protocol import Answer

#: A text in the game's notation, a state of the game, or None for its start.
Position = Any


def game(name: str, **options: int | str | bool) -> Game:
    """A game by its name, with its options: `ludus.game("lgame", cap=50)`. `ludus games` lists both."""
    return make_game(name, **options)


def agent(name: str | Path, game: Game | str | None = None) -> Agent:
    """An agent by its name: one that comes with Ludus, the folder of a run, "random" or "perfect".

    An agent that was trained knows its game; one that plays any must be told which. Of options that are
    free, those of the game asked for are taken.
    """
    trained, wanted = game_of(str(name)), None if game is None else _game(game)
    if trained is not None and wanted is not None and not _plays(str(name), wanted):
        raise BadInput(f"the agent '{name}' plays {trained.describe()}, not {wanted.describe()}.")
    found = wanted or trained
    if found is None:
        refuse_strangers([str(name)])
        raise BadInput(f"'{name}' plays any game; say which, as in ludus.agent('{name}', 'lgame').")
    return Agent(find_player(str(name), found), found)


def _plays(name: str, game: Game) -> bool:
    setup = setup_of(name)
    return setup is None or setup.meets(bound_of(game))


def solve(
    game: Game | str,
    position: Position = None,
    limit: float = 600.0,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    evaluation: str | None = None,
) -> Answer:
    """What is known of a position (or the start) under perfect play: `.summary()`, `.lines()` and `.to_json()`.

    Of a two-player game it is a `Values`, with `.value`, `.plies`, `.winner` and `.moves`, the best first. A search
    gives up after so many seconds.

    With `depth` or `seconds` a game that has a twin is searched instead, by an evaluation of its own or a trained
    agent's: an `Analysis`, with `.move`, `.score`, `.mate` and `.line`.
    """
    made = _game(game)
    if depth is None and seconds is None:
        return truth_of(made).solve(_state(made, position), limit)
    from ludus.agents.alphabeta import evaluation_of
    from ludus.search.alphabeta.analysis import analyse
    from ludus.search.alphabeta.search import AlphaBeta, Limits

    limits = Limits(depth=depth or Limits().depth, seconds=min(limit, seconds or limit))
    search = AlphaBeta(made, evaluation_of(made, evaluation)).prepared()
    return analyse(search, _state(made, position), limits)


def train(
    game: Game | str,
    recipe: str | Recipe = DEFAULT,
    *,
    out: str | Path,
    seed: int = 0,
    games: int | None = None,
    on_progress: OnProgress = no_progress,
) -> Outcome:
    """Train an agent by self-play, in a new folder: `.run` is that folder, and an agent; `.final` is its strength.

    The recipe is one of the game's by name, or one of your own. `games` is how many to play, else the recipe says.
    """
    made = _game(game)
    chosen = recipe if isinstance(recipe, Recipe) else find_recipe(made, recipe)
    return train_run(made, chosen.lasting(games), seed, Path(out), on_progress=on_progress)


class Agent:
    """An agent at its game."""

    player: Player
    game: Game

    def __init__(self, player: Player, game: Game) -> None:
        self.player, self.game = player, game

    @property
    def name(self) -> str:
        return self.player.name

    def __repr__(self) -> str:
        return f"<{self.name} at {self.game.describe()}>"

    def move(self, position: Position = None, seed: int = 0) -> str:
        """The move it makes there; one that moves by chance makes the same for the same seed. A program of others may
        give up, which is "resign".
        """
        line = self._line(position)
        action = self.player.move(line, Clock.at(line, seed))
        return "resign" if action == RESIGN else self.game.format_move(line.state, action)

    def thoughts(self, position: Position = None, seconds: float = math.inf) -> Thoughts:
        """What it thinks of each legal move there, the best first, as far as it thinks: `.moves`, each with `.move`,
        `.value` (the result that it expects, from -1 to 1), `.probability` (that it plays the move), `.line`.
        """
        line = self._line(position)
        found = self.player.thoughts(line, Clock(seconds=seconds))
        if found is None:
            raise BadInput(f"'{self.name}' thinks nothing of moves; ask another agent.")
        return found

    def values(self, position: Position = None) -> dict[str, float]:
        """The result that it expects of each legal move there, the best first: 1 is a sure win, -1 a sure loss.

        A perfect player knows. A move of which it expects nothing is left out: one that a search did not decide or did
        not visit, and with a policy head all but the likeliest few (`thoughts` has how likely it plays each).
        """
        thoughts = self.thoughts(position)
        if thoughts.unit:
            raise BadInput(f"'{self.name}' counts {thoughts.unit} and expects no result; `thoughts` has its scores.")
        found = {entry.move: entry.value for entry in thoughts.moves if entry.value is not None}
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def _line(self, position: Position) -> Line:
        """A game that begins at a position, which has moves."""
        state = _state(self.game, position)
        if not legal_actions(self.game, state):
            raise BadInput(f"the game is over at '{self.game.format(state)}': there is no move to make.")
        return Line(self.game, state)


def _game(game: Game | str) -> Game:
    return make_game(game) if isinstance(game, str) else game


def _state(game: Game, position: Position) -> Any:
    if position is None:
        return game.init()
    if isinstance(position, str):
        return game.parse(position)
    if not isinstance(position, type(game.init())):
        raise BadInput(f"a position of {game.name} is a text or a state of it, not {shorten(repr(position))}.")
    return position
