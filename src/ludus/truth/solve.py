"""Retrograde analysis: the value of every position under perfect play, and how many plies it takes."""

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

    The winner hurries and the loser delays; a draw without end has -1 plies.
    """

    graph: Graph
    value: Int[np.ndarray, "N"]
    plies: Int[np.ndarray, "N"]

    @functools.cached_property
    def move_value(self) -> Int[np.ndarray, "E"]:
        """The value of each move to the one who makes it."""
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
        # To be made small: a winner's plies, a loser's plies with the sign changed; in a draw all are alike.
        cost = np.where(self.value[graph.parent] > 0, plies, np.where(self.value[graph.parent] < 0, -plies, 0))
        cost = np.where(holds, cost, np.iinfo(np.int64).max)
        return holds & (cost == graph.reduce(np.minimum, cost, 0)[graph.parent])


@functools.lru_cache(maxsize=4)
def solve(game: Game) -> SolvedGraph:
    """Solve a game that can be written down."""
    return solve_graph(build(game))


def solve_graph(graph: Graph) -> SolvedGraph:
    """From the ends backwards: a position is won if a move leads to a lost one, lost if all lead to won ones."""
    value = np.where(graph.over, np.sign(graph.result), UNKNOWN).astype(np.int8)
    plies = np.where(graph.over, 0, -1).astype(np.int32)
    distance = 0
    while True:
        distance += 1
        moves = np.where(value[graph.child] == UNKNOWN, UNKNOWN, graph.sign * value[graph.child])
        # An end that came to be known at this distance is known by all its moves or by its best one.
        best_known = graph.reduce(np.maximum, np.where(moves == UNKNOWN, -UNKNOWN, moves), -UNKNOWN)
        all_known = graph.reduce(np.minimum, (moves != UNKNOWN).astype(np.int8), 0) == 1
        settled = (value == UNKNOWN) & ((best_known == 1) | all_known)
        if not settled.any():
            break
        value[settled], plies[settled] = best_known[settled], distance
    value[value == UNKNOWN] = 0
    plies[value == 0] = np.where(graph.over[value == 0], 0, plies[value == 0])
    return SolvedGraph(graph, value, plies)
