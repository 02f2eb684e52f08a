"""Agents that a command line names: which game they play together, and who plays where nobody is named."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ludus import games as registry
from ludus.cli.shared.options import GameOptions
from ludus.core.text import shown
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.agents.spec import Setup
    from ludus.core.game import Game
    from ludus.play.player import Player

HUMAN, RANDOM = "human", "random"
SECONDS = 1.0  # a move, for the opponent that alpha-beta search gives where nobody is named
SIMULATIONS = 100  # a move, for one that searches with its own network


def game_for(agents: Sequence[str], game: str | None, options: GameOptions) -> Game:
    """The game that these agents play, or the one named. What can be refused is refused before anything is loaded."""
    name, chosen, _ = setup_for(agents, game, options)
    return registry.make_game(name, **chosen)


def setup_for(agents: Sequence[str], game: str | None, options: GameOptions) -> Setup:
    """The same without making the game. The options given and what each agent was trained for must agree. An option
    that agents are not bound to is as given, or as the first agent was trained.
    """
    from ludus.agents.spec import PERFECT, Setup, is_built_in, refuse_strangers, setup_of

    note_namesakes(filter(is_built_in, agents))
    refuse_strangers(agents, game if game in registry.names() else None)
    trained = [(name, setup) for name in agents if (setup := setup_of(name)) is not None]
    for name, setup in trained:
        if game is not None and game != setup.game:
            raise BadInput(f"the agent '{name}' plays {setup.game}, not {game}.")
        wanted = Setup(setup.game, setup.options | options.given(registry.entry(setup.game)))
        if not setup.meets(wanted):
            raise BadInput(f"the agent '{name}' plays {setup.bound.describe()}, not {wanted.bound.describe()}.")
        first, its_setup = trained[0]
        if not setup.meets(its_setup):
            raise BadInput(
                f"the agents '{first}' and '{name}' cannot meet: one plays {its_setup.bound.describe()}, the other "
                f"{setup.bound.describe()}."
            )
    if not trained and game is None:
        raise BadInput(f"'{agents[0]}' plays any game; name one with --game.")
    name = trained[0][1].game if trained else game or ""
    refuse_strangers(agents, name)  # again, now that the game is known: not every built-in player plays it
    chosen = (trained[0][1].options if trained else {}) | options.given(registry.entry(name))
    if PERFECT.keys() & set(agents):
        registry.refuse_unsolved(name, chosen)
    return Setup(name, chosen)


def refuse_repeated(names: Sequence[str]) -> None:
    """Refuse an agent that is named more than once."""
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"the agent '{name}' is named {names.count(name)} times; name each once.")


def note_namesakes(built_in: Iterable[str]) -> None:
    """Say on stderr if the folder of a run has the name of a built-in player that was named."""
    for name in dict.fromkeys(built_in):
        if os.path.exists(os.path.join(name, "config.json")) and sys.stderr is not None:
            said = f"ludus: '{name}' is the built-in player; the folder of that name is {shlex.quote(f'./{name}')}."
            print(shown(said), file=sys.stderr)


def best_agent(game: Game) -> str:
    """The best opponent that a game has as it is set up: a shipped agent, with a search where it has one to use."""
    from ludus.agents.spec import ALPHABETA, can_be_searched, shipped_best

    fit = shipped_best(game)
    names = [name for name, _ in fit]
    if fit and fit[0][1].scales:  # a network with a policy and a value
        return f"{names[0]}@{SIMULATIONS}"
    if game.entry.evaluation is None or not can_be_searched(game.name):
        return names[0] if names else RANDOM
    return ":".join([ALPHABETA, f"{SECONDS:g}s", *names[:1]])


def load_player(name: str | None, game: Game) -> Player | None:
    """The player of this name; None where people have all the seats."""
    if name in (None, HUMAN):
        return None
    if name == RANDOM:  # without what other players need loaded
        from ludus.play.player import RandomPlayer

        return RandomPlayer()
    from ludus.agents.find import find_player

    return find_player(name, game)
