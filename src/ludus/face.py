"""Ludus from Python, in four functions: `ludus.game`, `ludus.agent`, `ludus.solve` and `ludus.train`.

Positions and moves are texts, as on the command line; a position may also be a state of the game. Bad arguments raise
`BadInput`, whose message is one sentence. Everything else is in the modules: `ludus.play.selfplay`,
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
from ludus.play.player import RESIGN, Clock, Player
from ludus.play.thoughts import Thoughts
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

    A trained agent knows its game; for an agent that plays any game, name the game. Free options of a
    trained agent are taken from the game that you give.
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
    """The result of a position (or the start) under perfect play: `.summary()`, `.lines()` and `.to_json()`.

    For a two-player game the answer is a `Values`, with `.value`, `.plies`, `.winner` and `.moves`, the best first. A
    search gives up after `limit` seconds.

    With `depth` or `seconds` alpha-beta searches instead, for a game that has a twin, with an evaluation of the game's
    or a trained agent's. The answer is then an `Analysis`, with `.move`, `.score`, `.mate` and `.line`.
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
    """Train an agent by self-play, in a new folder. Of the outcome, `.run` is that folder, which is also the agent's
    name, and `.final` is its strength.

    The recipe is the name of one of the game's, or your own. `games` is how many to play; by default the recipe says.
    """
    made = _game(game)
    chosen = recipe if isinstance(recipe, Recipe) else find_recipe(made, recipe)
    return train_run(made, chosen.lasting(games), seed, Path(out), on_progress=on_progress)


class Agent:
    """An agent together with the game that it plays."""

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
        """The move that it plays there. The same seed gives the same move. An external program may resign: "resign"."""
        line = self._line(position)
        action = self.player.move(line, Clock.at(line, seed))
        return "resign" if action == RESIGN else self.game.format_move(line.state, action)

    def thoughts(self, position: Position = None, seconds: float = math.inf) -> Thoughts:
        """Its rating of each legal move there, the best first: `.moves`, each with `.move`, `.value` (the expected
        result, from -1 to 1), `.probability` (in its policy) and `.line`.
        """
        line = self._line(position)
        found = self.player.thoughts(line, Clock(seconds=seconds))
        if found is None:
            raise BadInput(f"'{self.name}' does not rate moves; ask another agent.")
        return found

    def values(self, position: Position = None) -> dict[str, float]:
        """The expected result of each legal move there, the best first: 1 is a sure win, -1 a sure loss.

        A perfect player gives exact results. A move without a value is left out: one that a search did not visit or
        decide; with a policy head, all but the likeliest few (`thoughts` has the probability of each).
        """
        thoughts = self.thoughts(position)
        if thoughts.unit:
            raise BadInput(f"'{self.name}' has scores in {thoughts.unit}, no expected results; see `thoughts`.")
        found = {entry.move: entry.value for entry in thoughts.moves if entry.value is not None}
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def _line(self, position: Position) -> Line:
        """A game that begins at this position; refuses a position where the game is over."""
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
