"""Gumbel AlphaZero's search on the host: one position at a time, with any time limit, in a tree that is reused.

`gumbel` searches a batch of positions with a fixed number of simulations. For a person who waits for a move, this
search can stop at any time, and it reuses its tree for the next move. So it has no sequential halving: the root selects
moves as inner nodes do, by the largest gap between a move's probability in the improved policy and its share of the
visits (Danihelka and others 2022, section 5). Leaves are evaluated in small batches, which is faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from ludus.core.game import Rules
from ludus.search.network import gumbel

LEAF_BATCH = 8  # leaves that the network evaluates in one call
FIRST_VISITS = 50  # visits added to the most visited move's when values are scaled (c_visit in the paper and mctx)


class Expansion(NamedTuple):
    """B expanded positions: the results of the rules and the network."""

    state: Any
    legal: Bool[Array, "B A"]
    logits: Float[Array, "B A"]
    value: Float[Array, "B"]  # for the player to move there
    reward: Float[Array, "B"]  # of the player who moved, if the move ended the game
    sign: Float[Array, "B"]  # of that value for the player who moved; 0 if the game is over


#: The rules and the network as one program, of positions and a move in each; -1 expands the position itself.
Expand = Callable[[Any, Int[Any, "B"]], Expansion]


def expander(game: Rules, judge: gumbel.Judge) -> Expand:
    def looked(states: Any, actions: Int[Array, "B"]) -> Expansion:
        stays = actions < 0
        reached, reward, sign = jax.vmap(lambda s, a: gumbel.follow(game, s, a))(states, jnp.maximum(actions, 0))
        state = jax.tree.map(
            lambda old, new: jnp.where(stays.reshape(-1, *[1] * (new.ndim - 1)), old, new), states, reached
        )
        logits, value = judge(state)
        return Expansion(state, jax.vmap(game.legal)(state), logits, value, jnp.where(stays, 0, reward), sign)

    return looked


class Node:
    """An expanded position with the statistics of its moves, for its mover."""

    __slots__ = ("actions", "children", "logits", "pending", "state", "total", "value", "visits")

    def __init__(self, leaf: Expansion) -> None:
        self.state, self.value = leaf.state, float(leaf.value)
        self.actions = np.flatnonzero(np.asarray(leaf.legal))
        logits = np.asarray(leaf.logits, np.float64)[self.actions]
        self.logits = logits - logits.max(initial=0.0)
        self.visits = np.zeros(len(self.actions), np.int64)
        self.pending = np.zeros(len(self.actions), np.int64)  # leaves that wait for the network
        self.total = np.zeros(len(self.actions))
        self.children: list[Edge | None] = [None] * len(self.actions)

    def improved(self) -> Float[np.ndarray, "L"]:
        """The logits of the improved policy: the network's logits plus the scaled values of the moves."""
        return self.logits + scaled(self.logits, self.visits, self.total, self.value)

    def select(self) -> int:
        """The place of the move whose share of the visits is furthest below its probability in the improved policy."""
        visits = self.visits + self.pending
        return int(np.argmax(softmax(self.improved()) - visits / (1 + visits.sum())))

    def best(self) -> int:
        """The place of the move to play: of the most visited, the one with the highest improved logit."""
        improved = self.improved()
        return int(np.argmax(np.where(self.visits == self.visits.max(), improved, -np.inf)))


class Edge(NamedTuple):
    node: Node
    reward: float
    sign: float


def softmax(logits: Float[np.ndarray, "L"]) -> Float[np.ndarray, "L"]:
    odds = np.exp(logits - logits.max())
    return odds / odds.sum()


def completed(
    logits: Float[np.ndarray, "L"], visits: Int[np.ndarray, "L"], total: Float[np.ndarray, "L"], value: float
) -> Float[np.ndarray, "L"]:
    """The value of each move. A move without visits gets a mixture of the network's value of the position and the mean
    value of the visited moves, weighted by the policy.
    """
    tried, prior = visits > 0, softmax(logits)
    values = np.where(tried, total / np.maximum(visits, 1), 0.0)
    weight = prior[tried].sum()
    mean = (prior[tried] * values[tried]).sum() / weight if weight > 0 else 0.0
    mixed = (value + visits.sum() * mean) / (1 + visits.sum())
    return np.where(tried, values, mixed)


def scaled(
    logits: Float[np.ndarray, "L"], visits: Int[np.ndarray, "L"], total: Float[np.ndarray, "L"], value: float
) -> Float[np.ndarray, "L"]:
    """The completed values as logits to add to the network's; their scale grows with the visits."""
    return (FIRST_VISITS + visits.max()) * gumbel.SCALE * completed(logits, visits, total, value)


def expand(look: Expand, states: Sequence[Any], actions: Sequence[int]) -> Expansion:
    """Expand at most `LEAF_BATCH` positions; the batch is padded to that size, for one compiled program."""
    rest = LEAF_BATCH - len(states)
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *states, *[states[0]] * rest)
    return jax.device_get(look(stacked, np.array([*actions, *[-1] * rest], np.int32)))


class SearchTree:
    """A search tree from one position; its root can advance with the game."""

    def __init__(self, look: Expand, state: Any) -> None:
        self._look = look
        leaf = expand(look, [state], [-1])
        self.root = Node(jax.tree.map(lambda leaf: leaf[0], leaf))

    def advance(self, action: int) -> bool:
        """Make the position after a move the root; False if the tree does not have it."""
        place = np.flatnonzero(self.root.actions == action)
        edge = self.root.children[place[0]] if len(place) else None
        if edge is None:
            return False
        self.root = edge.node
        return True

    def restrict(self, actions: Sequence[int]) -> None:
        """Search only these moves of the root, because the others are known to lose."""
        keep = np.isin(self.root.actions, list(actions))
        if keep.all() or not keep.any():
            return
        root = self.root
        root.children = [child for child, kept in zip(root.children, keep, strict=True) if kept]
        root.actions, root.logits = root.actions[keep], root.logits[keep]
        root.visits, root.pending, root.total = root.visits[keep], root.pending[keep], root.total[keep]

    def grow(self, simulations: int) -> int:
        """Run simulations, at most this many and one batch of leaves; returns how many were made."""
        paths: list[list[tuple[Node, int]]] = []
        done = 0
        while len(paths) < min(LEAF_BATCH, simulations - done):
            path, edge = self._descend()
            if edge is None and path[-1][0].pending[path[-1][1]]:
                break  # the same leaf again: evaluate the batch now
            done += edge is not None
            for node, place in path:
                node.pending[place] += edge is None
            if edge is None:
                paths.append(path)
            else:
                self._back(path, 0.0)
            if done >= simulations:
                break
        if paths:
            ends = [path[-1] for path in paths]
            found = expand(
                self._look, [node.state for node, _ in ends], [int(node.actions[place]) for node, place in ends]
            )
            for number, path in enumerate(paths):
                leaf = jax.tree.map(lambda leaf, number=number: leaf[number], found)
                node, place = path[-1]
                for at, move in path:
                    at.pending[move] -= 1
                node.children[place] = Edge(Node(leaf), float(leaf.reward), float(leaf.sign))
                self._back(path, float(leaf.value))
        return done + len(paths)

    def _descend(self) -> tuple[list[tuple[Node, int]], Edge | None]:
        """The path from the root to an unexpanded move (and None), or to the end of a game (and its edge)."""
        path, node = [], self.root
        while True:
            place = node.select()
            path.append((node, place))
            edge = node.children[place]
            if edge is None or edge.sign == 0:
                return path, edge
            node = edge.node

    def _back(self, path: list[tuple[Node, int]], value: float) -> None:
        """Back up a leaf's value along its path, each time for the mover there."""
        for node, place in reversed(path):
            edge = node.children[place]
            assert edge is not None
            value = edge.reward + edge.sign * value
            node.visits[place] += 1
            node.total[place] += value
