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
    """The same without making the game."""
    from ludus.agents.spec import is_built_in
    from ludus.workbench import setups

    note_namesakes(filter(is_built_in, agents))
    return setups.setup_for(agents, game, options.given, "name one with --game")


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
