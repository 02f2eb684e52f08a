"""Ludus from Python, in four functions: `ludus.game`, `ludus.agent`, `ludus.solve` and `ludus.train`.

Positions and moves are texts, as on the command line; a position may also be a state of the game. What cannot be used
is a `BadInput`, whose message is one sentence. What is not here is in a module: `ludus.play.selfplay`,
`ludus.learners.recipes`, and so on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludus.agents.players import find_agent, game_of
from ludus.agents.spec import PERFECT, bound_of, refuse_strangers, setup_of
from ludus.core.game import Game, legal_actions
from ludus.errors import BadInput, shorten
from ludus.games import make_game
from ludus.learners.recipes import DEFAULT, Recipe, find_recipe
from ludus.play.hosted import RESIGN, Thinking
from ludus.training.progress import OnProgress, nobody
from ludus.training.train import Outcome
from ludus.training.train import train as train_run
from ludus.truth import truth_of
from ludus.truth.answers import Values
from ludus.truth.protocol import Agent, Answer

#: A text in the game's notation, a state of the game, or None for its start.
Position = Any


def game(name: str, **options: int | str | bool) -> Game:
    """A game by its name, with its options: `ludus.game("lgame", cap=50)`. `ludus games` lists both."""
    return make_game(name, **options)


def agent(name: str | Path, game: Game | str | None = None) -> Player:
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
    return Player(find_agent(str(name), found), found)


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
    agent's: a `Searched`, with `.move`, `.score`, `.mate` and `.line`.
    """
    made = _game(game)
    if depth is None and seconds is None:
        return truth_of(made).solve(_state(made, position), limit)
    from ludus.agents.engine import evaluation_of
    from ludus.search.alphabeta.engine import Limits
    from ludus.truth.searched import Analyst

    limits = Limits(depth=depth or Limits().depth, seconds=min(limit, seconds or limit))
    return Analyst(made, evaluation_of(made, evaluation)).answer(_state(made, position), limits)


def train(
    game: Game | str,
    recipe: str | Recipe = DEFAULT,
    *,
    out: str | Path,
    seed: int = 0,
    games: int | None = None,
    on_progress: OnProgress = nobody,
) -> Outcome:
    """Train an agent by self-play, in a new folder: `.run` is that folder, and an agent; `.final` is its strength.

    The recipe is one of the game's by name, or one of your own. `games` is how many to play, else the recipe says.
    """
    made = _game(game)
    chosen = recipe if isinstance(recipe, Recipe) else find_recipe(made, recipe)
    return train_run(made, chosen.lasting(games), seed, Path(out), on_progress=on_progress)


class Player:
    """An agent at its game."""

    agent: Agent
    game: Game

    def __init__(self, agent: Agent, game: Game) -> None:
        self.agent, self.game = agent, game

    @property
    def name(self) -> str:
        return self.agent.name

    def __repr__(self) -> str:
        return f"<{self.name} at {self.game.describe()}>"

    def move(self, position: Position = None, seed: int = 0) -> str:
        """The move it makes there; one that moves by chance makes the same for the same seed. A program of others may
        give up, which is "resign".
        """
        state, _ = self._live(position)
        thinker = self.agent.thinker(self.game) if isinstance(self.agent, Thinking) else None
        if thinker is not None:
            action = thinker.choose([state], [()], [seed])[0]
            return "resign" if action == RESIGN else self.game.format_move(state, action)
        return self.game.format_move(state, int(self._choose(self.agent.weights, jax.random.key(seed), state)))

    def values(self, position: Position = None) -> dict[str, float]:
        """What it thinks of each legal move there, the best first: 1 is a sure win, -1 a sure loss.

        A perfect player knows; a move that its search did not decide is left out.
        """
        state, actions = self._live(position)
        if self._rate is not None:
            rated = np.asarray(self._rate(self.agent.weights, state))
            found = {self.game.format_move(state, action): float(rated[action]) for action in actions}
            return dict(sorted(found.items(), key=lambda pair: -pair[1]))
        if self.name not in PERFECT:
            raise BadInput(f"'{self.name}' thinks nothing of moves; ask another agent.")
        answer = truth_of(self.game).solve(state)
        moves = answer.moves if isinstance(answer, Values) else ()
        return {move.move: float(move.value) for move in moves if move.value is not None}

    def _live(self, position: Position) -> tuple[Any, list[int]]:
        """The state of a position that has moves, and those."""
        state = _state(self.game, position)
        actions = legal_actions(self.game, state)
        if not actions:
            raise BadInput(f"the game is over at '{self.game.format(state)}': there is no move to make.")
        return state, actions

    @functools.cached_property
    def _choose(self) -> Callable[[Any, Any, Any], Any]:
        policy_of = self.agent.policy_of(self.game)

        def move(weights: Any, key: Any, state: Any) -> Any:
            return policy_of(weights)(key, jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], state))[0]

        return jax.jit(move)

    @functools.cached_property
    def _rate(self) -> Callable[[Any, Any], Any] | None:
        values = self.agent.move_values(self.game)
        return None if values is None else jax.jit(values)


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
