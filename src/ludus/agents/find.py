"""Players by their names.

`random`; `perfect` (any move that holds the value) and `perfect:hardest` (the one that wins fastest or resists
longest), where the truth is known; `minimax:2`, `alphabeta:4` and the like, where the game can be searched;
`htp:COMMAND` for an external program, where the game has a text protocol; `python:MODULE:NAME` for a Python function;
the folder of a run; or `GAME/NAME` for an agent of the package. `NAME@128` is a tree search with the network of NAME.
`spec` parses names.
"""

from __future__ import annotations

from pathlib import Path

from ludus.agents.network import NetworkPlayer, load_network
from ludus.agents.perfect import PerfectPlayer
from ludus.agents.spec import PERFECT, AgentSpec, folder_of, refuse_strangers, setup_of
from ludus.core.game import Game
from ludus.games import make_game
from ludus.play.player import Player, RandomPlayer
from ludus.truth import truth_of


def find_player(name: str, game: Game) -> Player:
    """A player by its name, for this game."""
    spec = AgentSpec.parse(name)
    refuse_strangers([name], game.name)
    if spec.kind == "perfect" and name not in (truth := truth_of(game)).solvers:
        truth.policy(PERFECT[name])  # raises the error that says why not
    return player_of(spec, game)


def player_of(spec: AgentSpec, game: Game, folder: Path | None = None) -> Player:
    """The player that a spec describes; `folder`: where its network is, if not where the name says. Modules that only
    some kinds need are imported for those kinds.
    """
    match spec.kind:
        case "random":
            return RandomPlayer()
        case "perfect":
            return PerfectPlayer(PERFECT[spec.name])
        case "minimax" | "alphabeta":
            from ludus.agents.alphabeta import alphabeta_player

            return alphabeta_player(spec if folder is None else spec._replace(inside=str(folder)), game)
        case "search":
            from ludus.agents.tree_search import TreeSearchPlayer

            assert spec.inside is not None
            return TreeSearchPlayer(spec, load_network(folder or folder_of(spec.inside), game, spec.inside))
        case "program":
            from ludus.agents.program import ProgramPlayer

            return ProgramPlayer(spec, game)
        case "function":
            from ludus.agents.function import load_function

            return load_function(spec)
        case "network":
            return load_network(folder or folder_of(spec.name), game, spec.name)


def trained_player(name: str, game: Game) -> NetworkPlayer:
    """A trained agent of this game, of whatever size: what a run may begin from."""
    refuse_strangers([name], game.name)
    return load_network(folder_of(name), game, name)


def game_of(name: str) -> Game | None:
    """The game that a trained agent (or a search with its network) plays; None for an agent that plays any game."""
    setup = setup_of(name)
    return None if setup is None else make_game(setup.game, **setup.options)
