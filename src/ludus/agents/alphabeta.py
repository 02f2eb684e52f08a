"""Alpha-beta players by their names: `minimax:D` visits every line and plays any of the best moves; `alphabeta` prunes,
and searches to a depth or for some seconds a move.
"""

from __future__ import annotations

import jax
import numpy as np

from ludus.agents.network import load_network
from ludus.agents.spec import AgentSpec, folder_of, is_trained, refuse_no_evaluation
from ludus.core.game import Game
from ludus.search.alphabeta.evaluation import Evaluation, Oracle, evaluation, evaluations, minimax_evaluation
from ludus.search.alphabeta.player import AlphaBetaPlayer
from ludus.search.alphabeta.search import Limits

ORACLE_UNIT = 1000  # the integer score that stands for a network's value of 1


def evaluation_of(game: Game, name: str | None = None) -> Evaluation | Oracle:
    """An evaluation by its name: one of the game's, or a trained agent's; without a name, the game's first."""
    if name is None or name in evaluations(game):
        return evaluation(game, name)
    if not is_trained(name):
        refuse_no_evaluation(name, game.name)
        return evaluation(game, name)  # its error lists the names that exist
    player = load_network(folder_of(name), game, name)
    compiled = player.recipe.learner.compiled_evaluation
    found = None if compiled is None else compiled(player.recipe.config, game, player.weights)
    if found is not None:  # some networks have no compiled evaluation
        return found
    values = jax.jit(player.ratings(game))
    return Oracle(name, lambda state: np.asarray(values(player.weights, state)), ORACLE_UNIT)


def alphabeta_player(spec: AgentSpec, game: Game) -> AlphaBetaPlayer:
    plain = spec.kind == "minimax"
    limits = Limits(depth=spec.plies or Limits().depth, seconds=spec.seconds or Limits().seconds)
    inside = minimax_evaluation(game) if plain else None
    return AlphaBetaPlayer(spec.name, game, inside or evaluation_of(game, spec.inside), limits, plain)
