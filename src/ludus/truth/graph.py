"""The explicit graph of a game: every reachable position, from the mover's side, and every move between them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, UInt64

from ludus.core.arrays import below
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play.selfplay import Policy, fingerprint

PARENTS, CHILDREN = 4096, 1 << 16  # positions expanded, and moves played, in one compiled call
LEAST = 32  # rows of a call, at least


@dataclass(frozen=True, eq=False)
class Graph:
    """N positions and E moves. The moves of position i are `first[i]` to `first[i + 1]`, in the order of actions.

    Positions are canonical: the mover has the first seat, if the rules treat both seats alike. Values are the mover's,
    so the value of a move is `sign` times the value of its child.
    """

    game: Game
    states: Any  # every leaf [N, ...]
    first: Int[np.ndarray, "_"]  # N + 1
    child: Int[np.ndarray, "E"]
    action: Int[np.ndarray, "E"]
    result: Float[np.ndarray, "N"]  # the mover's if the game is over, else 0
    keys: UInt64[np.ndarray, "N"]  # fingerprints, sorted
    order: Int[np.ndarray, "N"]  # the position of each sorted key

    @property
    def num_positions(self) -> int:
        return len(self.result)

    @property
    def sign(self) -> int:
        return 1 if self.game.num_players == 1 else -1

    @functools.cached_property
    def over(self) -> Bool[np.ndarray, "N"]:
        return self.first[1:] == self.first[:-1]

    @functools.cached_property
    def parent(self) -> Int[np.ndarray, "E"]:
        return np.repeat(np.arange(self.num_positions), np.diff(self.first))

    def find(self, states: Any) -> Int[np.ndarray, "B"]:
        """The numbers of these positions (every leaf [B, ...]); -1 for a position that is not in the graph."""
        keys = _keys(self.game, jax.tree.map(np.asarray, states))
        place = np.minimum(np.searchsorted(self.keys, keys), self.num_positions - 1)
        return np.where(self.keys[place] == keys, self.order[place], -1)

    def number(self, state: Any) -> int:
        """The number of one position."""
        index = int(self.find(jax.tree.map(lambda leaf: np.asarray(leaf)[None], state))[0])
        if index < 0:
            raise BadInput(f"{self.game.name} position '{self.game.format(state)}' cannot arise in a game.")
        return index

    def state(self, index: int) -> Any:
        return jax.tree.map(lambda leaf: leaf[index], self.states)

    def reduce(self, operation: np.ufunc, per_move: np.ndarray, empty: float) -> np.ndarray:
        """`operation` over the moves of each position; `empty` for a position without moves."""
        result = np.full((self.num_positions, *per_move.shape[1:]), empty, per_move.dtype)
        live = ~self.over
        result[live] = operation.reduceat(per_move, self.first[:-1][live], axis=0)
        return result

    def among(self, allowed: np.ndarray) -> Float[np.ndarray, "E"]:
        """The policy that plays each allowed move with equal probability."""
        weight = allowed.astype(float)
        return weight / self.reduce(np.add, weight, 1)[self.parent]


@functools.lru_cache(maxsize=4)
def build(game: Game) -> Graph:
    """Build the graph of a game, breadth-first from its start; refuses a game with too many positions."""
    if not game.small:
        raise BadInput(f"{game.describe()} has too many positions to write down, so this cannot be done exactly.")
    start = jax.tree.map(lambda leaf: np.asarray(leaf)[None], jax.jit(game.canonical)(game.init()))
    known: dict[int, int] = {int(_keys(game, start)[0]): 0}
    levels, moves, level = [start], [], start
    offset = 0
    while len(jax.tree.leaves(level)[0]):
        parents, actions, children, keys = _expand(game, level)
        unique, first_seen, inverse = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.array([known.get(int(key), -1) for key in unique], np.int64)
        fresh = np.flatnonzero(numbers < 0)
        fresh = fresh[np.argsort(first_seen[fresh])]  # number new positions in the order they were found
        numbers[fresh] = len(known) + np.arange(len(fresh))
        known.update(zip(unique[fresh].tolist(), numbers[fresh].tolist(), strict=True))
        moves.append((parents + offset, actions, numbers[inverse]))
        offset += len(jax.tree.leaves(level)[0])
        level = jax.tree.map(lambda leaf, rows=first_seen[fresh]: leaf[rows], children)
        levels.append(level)
    states = jax.tree.map(lambda *leaves: np.concatenate(leaves), *levels)
    parent, action, child = (np.concatenate(parts) for parts in zip(*moves, strict=True))
    num_positions = len(known)
    first = np.searchsorted(parent, np.arange(num_positions + 1))
    keys = _keys(game, states)
    order = np.argsort(keys)
    if np.any(keys[order][1:] == keys[order][:-1]):
        raise AssertionError("two positions share a fingerprint")
    over = first[1:] == first[:-1]
    result = np.where(over, in_chunks(PARENTS, _mover_returns(game), states), 0)
    return Graph(game, states, first, child.astype(np.int32), action.astype(np.int32), result, keys[order], order)


def _expand(game: Game, states: Any) -> tuple[np.ndarray, np.ndarray, Any, np.ndarray]:
    """All moves from these positions: the parents, the actions, the children, and the children's fingerprints."""
    legal = in_chunks(PARENTS, _live_moves(game), states, step=16)
    parents, actions = np.nonzero(legal)
    before = jax.tree.map(lambda leaf: leaf[parents], states)
    after = in_chunks(CHILDREN, _play(game), before, actions.astype(np.int32), step=16)
    return parents, actions, after, _keys(game, after)


def _keys(game: Game, states: Any) -> UInt64[np.ndarray, "N"]:
    pair = in_chunks(CHILDREN, _canonical_print(game), states, step=16).astype(np.uint64)
    return pair[:, 0] << np.uint64(32) | pair[:, 1]


@functools.cache
def _live_moves(game: Game) -> Callable[[Any], Bool[Array, "N A"]]:
    return jax.jit(jax.vmap(jax.jit(lambda state: game.legal(state) & ~game.done(state))))


@functools.cache
def _play(game: Game) -> Callable[..., Any]:
    return jax.jit(jax.vmap(jax.jit(lambda state, action: game.canonical(game.step(state, action)))))


@functools.cache
def _canonical_print(game: Game) -> Callable[[Any], Any]:
    return jax.jit(jax.vmap(jax.jit(lambda state: fingerprint(game.canonical(state)))))


@functools.cache
def _mover_returns(game: Game) -> Callable[[Any], Any]:
    return jax.jit(jax.vmap(lambda state: game.returns(state)[game.player(state)]))


def in_chunks(size: int, function: Callable[..., Any], *trees: Any, step: int | None = None) -> Any:
    """Apply a compiled function to the rows of these trees, `size` at a time. The last chunk is padded to `size`, or to
    `size` divided by a power of `step`. A large step compiles for few shapes; a small one computes few padding rows. By
    default it is 2 on a processor, and 16 on an accelerator, where compilation is expensive and rows are cheap.
    """
    step = step or (2 if jax.default_backend() == "cpu" else 16)
    total = len(jax.tree.leaves(trees)[0])
    parts = []
    for begin in range(0, max(total, 1), size):
        count = max(0, min(size, total - begin))
        padded = size
        while padded >= step * max(count, LEAST):
            padded //= step

        def rows(leaf: np.ndarray, begin: int = begin, count: int = count, padded: int = padded) -> np.ndarray:
            chunk = leaf[begin : begin + count]
            fill = np.zeros((padded - count, *leaf.shape[1:]), leaf.dtype)
            return np.concatenate([chunk, fill])

        result = function(*jax.tree.map(rows, trees))
        parts.append(jax.tree.map(lambda leaf, count=count: np.asarray(leaf)[:count], result))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


def observations(graph: Graph, observe: Callable[[Any], Any]) -> Any:
    """A function of one state, applied to every position."""
    # The inner jit is traced only once, for chunks of all sizes.
    return in_chunks(PARENTS, jax.jit(jax.vmap(jax.jit(observe))), graph.states)


def graph_policy(graph: Graph, allowed: Bool[np.ndarray, "E"]) -> Policy:
    """A policy that plays a random allowed move of the graph; it finds a position by its fingerprint."""
    game = graph.game
    # The device has 32 bits per fingerprint: try salts until all positions differ.
    halves = (graph.keys >> np.uint64(32)).astype(np.uint32), graph.keys.astype(np.uint32)
    for salt in range(1, 1 << 16, 2):
        short = halves[0] * np.uint32(salt) ^ halves[1]
        if len(np.unique(short)) == len(short):
            break
    else:
        raise BadInput(f"{game.describe()} has too many positions to look up.")
    order = np.argsort(short)
    keys, numbers = jnp.asarray(short[order]), jnp.asarray(graph.order[order])
    first = jnp.asarray(np.concatenate([[0], np.cumsum(allowed)])[graph.first])
    actions = jnp.asarray(graph.action[allowed])

    def one(state: Any, random_bits: Array) -> Int[Array, ""]:
        low, high = fingerprint(game.canonical(state))
        place = jnp.searchsorted(keys, low * np.uint32(salt) ^ high)
        number = numbers[jnp.minimum(place, len(keys) - 1)]
        nth = below(random_bits[None], (first[number + 1] - first[number])[None])[0]
        return game.canonical_action(state, actions[jnp.minimum(first[number] + nth, len(actions) - 1)])

    def choose(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        size = len(jax.tree.leaves(states)[0])
        return jax.vmap(one)(states, jax.random.bits(key, (size,)))

    return choose
