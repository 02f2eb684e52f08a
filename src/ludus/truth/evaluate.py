"""The strength of a policy without sampling: its exact results against another, and the proof that it is unbeatable.

A policy is a probability for every move of the graph. Games are followed as distributions, ply by ply up to a cap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from jaxtyping import Array, Bool, Float, Int

from ludus.truth.graph import Graph
from ludus.truth.solve import SolvedGraph


@dataclass(frozen=True)
class Chances:
    """The probabilities of a win and of a loss; the rest is draws."""

    win: float
    loss: float

    @property
    def no_loss(self) -> float:
        return 1 - self.loss


def uniform(graph: Graph) -> Float[np.ndarray, "E"]:
    """The uniform policy."""
    return graph.among(np.ones(len(graph.child)))


def greedy(graph: Graph, score: Float[np.ndarray | Array, "E"]) -> Float[np.ndarray, "E"]:
    """The move of the highest score; of equals, the first."""
    score = np.asarray(score)
    best = score == graph.reduce(np.maximum, score, 0)[graph.parent]
    place = np.where(best, np.arange(len(score)), len(score))
    policy = np.zeros(len(score))
    policy[graph.reduce(np.minimum, place, 0)[~graph.over]] = 1
    return policy


def chances(
    graph: Graph, policy: Float[np.ndarray, "E"], other: Float[np.ndarray, "E"], cap: int, epsilon: float = 0.0
) -> tuple[Chances, Chances]:
    """The policy against the other from the start, in the first seat and in the second; a draw after `cap` plies. With
    probability epsilon the policy moves at random.
    """
    ours, theirs = _matrix(graph, policy), _matrix(graph, other)
    at_random = _matrix(graph, uniform(graph)) if epsilon else None
    same = at_random is not None and np.array_equal(at_random.data, theirs.data)
    # Columns: the policy wins, the policy loses; with the policy to move, and with the other to move.
    end_ours = np.stack([graph.over & (graph.result > 0), graph.over & (graph.result < 0)], axis=1).astype(float)
    end_theirs = end_ours[:, ::-1]
    we_move, they_move = end_ours, end_theirs
    for _ in range(cap):
        if same:  # random moves of both sides in one product: reading the matrix takes the time
            both = theirs @ np.hstack([we_move, they_move])
            reply, astray = both[:, :2], both[:, 2:]
        else:
            reply, astray = theirs @ we_move, 0.0 if at_random is None else at_random @ they_move
        we_move, they_move = end_ours + (1 - epsilon) * (ours @ they_move) + epsilon * astray, end_theirs + reply
    first, second = we_move[0], they_move[0]
    return Chances(*map(float, first)), Chances(*map(float, second))


def _matrix(graph: Graph, policy: Float[np.ndarray, "E"]) -> scipy.sparse.csr_array:
    size = graph.num_positions
    played = policy > 0
    rows = np.concatenate([[0], np.cumsum(played)])[graph.first]
    return scipy.sparse.csr_array((policy[played], graph.child[played], rows), shape=(size, size))


@dataclass(frozen=True)
class PolicyProof:
    """Whether a policy is unbeatable; if not, the shortest line that beats it."""

    unbeatable: bool
    seat: int | None = None
    line: tuple[int, ...] = ()  # edges of the graph from the start, of both sides


def prove(graph: Graph, policy: Float[np.ndarray, "E"], seats: tuple[int, ...] = (0, 1)) -> PolicyProof:
    """Follow the policy against every reply, from the start in each of these seats."""
    shortest = PolicyProof(True)
    for seat in seats:
        line = _beating_line(graph, policy, seat)
        if line is not None and (shortest.unbeatable or len(line) < len(shortest.line)):
            shortest = PolicyProof(False, seat, line)
    return shortest


def _beating_line(graph: Graph, policy: Float[np.ndarray, "E"], seat: int) -> tuple[int, ...] | None:
    """Breadth-first search for a position where the policy has lost; the line that leads there, or None."""
    lost_to_move = graph.over & (graph.result < 0), graph.over & (graph.result > 0)
    came_by = [np.full(graph.num_positions, -2, np.int64) for _ in range(2)]  # by the side to move; 0: the policy
    to_move = seat
    came_by[to_move][0] = -1
    level = np.array([0])
    while len(level):
        beaten = level[lost_to_move[to_move][level]]
        if len(beaten):
            return _trace(graph, came_by, int(beaten[0]), to_move)
        inside = np.zeros(graph.num_positions, bool)
        inside[level] = True
        moves = np.flatnonzero(inside[graph.parent] & ((policy > 0) if to_move == 0 else True))
        to_move = 1 - to_move
        found, move = np.unique(graph.child[moves], return_index=True)
        fresh = came_by[to_move][found] == -2
        level = found[fresh]
        came_by[to_move][level] = moves[move[fresh]]
    return None


def _trace(graph: Graph, came_by: list[Int[np.ndarray, "N"]], position: int, to_move: int) -> tuple[int, ...]:
    line = []
    while (move := int(came_by[to_move][position])) >= 0:
        line.append(move)
        position, to_move = int(graph.parent[move]), 1 - to_move
    return tuple(reversed(line))


def held(solution: SolvedGraph, policy: Float[np.ndarray, "E"]) -> Bool[np.ndarray, "N"]:
    """The positions (with a move) that the policy holds: every move it may choose keeps the value."""
    graph = solution.graph
    fault = (policy > 0) & ~solution.holding
    return ~graph.over & ~graph.reduce(np.logical_or, fault, False)


def wins_from_start(graph: Graph, policy: Float[np.ndarray, "E"], seat: int = 0) -> bool:
    """Whether the policy wins in this seat against every play of the other side (a draw is no win)."""
    can_win = [graph.over & (graph.result > 0), graph.over & (graph.result < 0)]  # by the side to move; 0: the policy
    while True:
        after = can_win[1][graph.child], can_win[0][graph.child]
        sure = [
            graph.reduce(np.logical_and, after[0] | (policy == 0), False) & ~graph.over | can_win[0],
            graph.reduce(np.logical_and, after[1], False) & ~graph.over | can_win[1],
        ]
        if sum(map(np.sum, sure)) == sum(map(np.sum, can_win)):
            return bool(can_win[seat][0])
        can_win = sure
