"""Advice where the exact value is unknown: an alpha-beta search, with the player's evaluation or the game's default."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from ludus.agents.spec import can_be_searched
from ludus.core.game import Game
from ludus.play.player import Player

if TYPE_CHECKING:
    from ludus.search.alphabeta.player import AlphaBetaPlayer


def adviser(game: Game, player: Player | None = None) -> AlphaBetaPlayer | None:
    """The player whose search gives advice; None for a game that has no evaluation or cannot be searched."""
    if game.entry.evaluation is None or not can_be_searched(game.name):
        return None
    from ludus.search.alphabeta.player import AlphaBetaPlayer

    return player if isinstance(player, AlphaBetaPlayer) else _by_evaluation(game)


@functools.lru_cache(maxsize=8)
def _by_evaluation(game: Game) -> AlphaBetaPlayer:
    from ludus.agents.alphabeta import evaluation_of
    from ludus.search.alphabeta.player import AlphaBetaPlayer
    from ludus.search.alphabeta.search import Limits

    return AlphaBetaPlayer("a search", game, evaluation_of(game), Limits())
