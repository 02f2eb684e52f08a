"""Nodes searched a second by alpha-beta on one core, in positions of the middle of the game.

The peer is plain minimax: the same search of the same positions, depth and evaluation, with all its devices off.
"""

from __future__ import annotations

from typing import NamedTuple

import jax

from ludus.bench.timing import fastest, middle_game
from ludus.core.game import Game
from ludus.play.host_batch import state_at
from ludus.search.alphabeta.evaluation import evaluation
from ludus.search.alphabeta.search import PLAIN, AlphaBeta, Limits, Switches

POSITIONS = 8
DEPTH = 3  # plies, which minimax can look ahead too


class SearchSpeed(NamedTuple):
    nodes: float  # a second
    searches: float  # a second, to the depth


def measure_search(game: Game, seconds: float, switches: Switches | None = None) -> SearchSpeed:
    """Search middle-game positions to a fixed depth, by the game's own evaluation."""
    states = jax.device_get(middle_game(game, POSITIONS))
    engine, limits = AlphaBeta(game, evaluation(game), switches=switches), Limits(depth=DEPTH)
    engine.search(state_at(states, 0), Limits(depth=1))  # compiles it
    nodes = 0

    def again() -> None:
        nonlocal nodes
        nodes = sum(engine.search(state_at(states, n), limits).nodes for n in range(POSITIONS))

    searches = POSITIONS / fastest(again, seconds)
    return SearchSpeed(searches * nodes / POSITIONS, searches)


def measure_minimax(game: Game, seconds: float) -> SearchSpeed:
    """The same by plain minimax: without pruning and all that goes with it."""
    return measure_search(game, seconds, PLAIN)
