"""Retrograde analysis: the value of every position under perfect play, and the plies to the end."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from ludus.core.game import Game
from ludus.truth.graph import Graph, build

UNKNOWN = 2


@dataclass(frozen=True, eq=False)
class SolvedGraph:
    """For each position, the mover's value (1 win, 0 draw, -1 loss) and the plies to the end of perfect play.

    The winner plays for the fastest win, the loser for the slowest loss; an endless draw has -1 plies.
    """

    graph: Graph
    value: Int[np.ndarray, "N"]
    plies: Int[np.ndarray, "N"]

    @functools.cached_property
    def move_value(self) -> Int[np.ndarray, "E"]:
        """The value of each move for its mover."""
        return self.graph.sign * self.value[self.graph.child]

    @functools.cached_property
    def holding(self) -> Bool[np.ndarray, "E"]:
        """Which moves hold the value of their position."""
        return self.move_value == self.value[self.graph.parent]

    @functools.cached_property
    def hardest(self) -> Bool[np.ndarray, "E"]:
        """The moves that hold the value and win fastest or resist longest."""
        graph, holds = self.graph, self.holding
        plies = self.plies[graph.child].astype(np.int64)
        # Minimise: the winner's plies, and the loser's plies with a minus sign; in a draw all moves are equal.
        cost = np.where(self.value[graph.parent] > 0, plies, np.where(self.value[graph.parent] < 0, -plies, 0))
        cost = np.where(holds, cost, np.iinfo(np.int64).max)
        return holds & (cost == graph.reduce(np.minimum, cost, 0)[graph.parent])


@functools.lru_cache(maxsize=4)
def solve(game: Game) -> SolvedGraph:
    """Solve a small game by its graph."""
    return solve_graph(build(game))


def solve_graph(graph: Graph) -> SolvedGraph:
    """Backwards from the ends: a position is won if one move leads to a lost one, lost if all lead to won ones."""
    value = np.where(graph.over, np.sign(graph.result), UNKNOWN).astype(np.int8)
    plies = np.where(graph.over, 0, -1).astype(np.int32)
    distance = 0
    while True:
        distance += 1
        moves = np.where(value[graph.child] == UNKNOWN, UNKNOWN, graph.sign * value[graph.child])
        # A position is settled at this distance if one move wins, or if all its moves are known.
        best_known = graph.reduce(np.maximum, np.where(moves == UNKNOWN, -UNKNOWN, moves), -UNKNOWN)
        all_known = graph.reduce(np.minimum, (moves != UNKNOWN).astype(np.int8), 0) == 1
        settled = (value == UNKNOWN) & ((best_known == 1) | all_known)
        if not settled.any():
            break
        value[settled], plies[settled] = best_known[settled], distance
    value[value == UNKNOWN] = 0
    plies[value == 0] = np.where(graph.over[value == 0], 0, plies[value == 0])
    return SolvedGraph(graph, value, plies)
