"""Policies on graphs of small games."""

from __future__ import annotations

import functools
import itertools

import numpy as np

from ludus.core.game import Game
from ludus.truth.graph import Graph
from ludus.truth.solve import solve


def graph_of(game: Game) -> Graph:
    return solve(game).graph


def random_policy(graph: Graph, seed: int, played: float = 1.0) -> np.ndarray:
    """Any probabilities, with only a share of the moves played at all."""
    rng = np.random.default_rng(seed)
    weight = rng.random(len(graph.child)) * (rng.random(len(graph.child)) < played)
    weight[graph.first[:-1][~graph.over]] += 0.01  # at least one move
    return weight / np.bincount(graph.parent, weight)[graph.parent]


def perfect(game: Game) -> np.ndarray:
    return graph_of(game).among(solve(game).holding)


@functools.cache
def children(graph: Graph) -> list[list[tuple[int, int]]]:
    """The moves of each position and where they lead, as plain lists."""
    first, child = graph.first.tolist(), graph.child.tolist()
    return [[(move, child[move]) for move in range(*ends)] for ends in itertools.pairwise(first)]
