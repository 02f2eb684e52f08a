"""Move ordering for puzzle search by a dense network, in compiled code: by the value of each move, or of the position
after it. It needs a twin that can `observe`, and a network whose inputs are the planes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float32, Int16

from ludus.core.game import Rules
from ludus.games import part
from ludus.networks import MLP
from ludus.networks.dense import Dense, ask, dense
from ludus.search.compiled import jit
from ludus.search.puzzle.order import Order

SOLVED, STUCK = np.float32(1e9), np.float32(-1e9)  # beyond any output of a network


def twin_of(game: Rules) -> Any:
    """The game's twin if it can make a network's inputs, else None."""
    twin = part(game, "twin")
    return twin if game.num_players == 1 and hasattr(twin, "observe") else None


def by_moves(game: Rules, network: MLP, name: str, sees_moves: bool) -> Order | None:
    """For a network with an output for every move; its inputs may include the legal moves."""
    twin = twin_of(game)
    return None if twin is None else Order(name, _rate_moves(twin, sees_moves), dense(network, game.max_legal))


def by_positions(game: Rules, network: MLP, name: str, sees_moves: bool, likely: bool = False) -> Order | None:
    """The same for a network that rates positions. A finished position is rated by its result."""
    twin = twin_of(game)
    if twin is None:
        return None
    return Order(name, _rate_positions(twin, sees_moves), dense(network, game.max_legal), likely)


@functools.cache
def _rate_moves(twin: Any, sees_moves: bool) -> Callable:
    look = looker(twin, sees_moves)

    @jit
    def rate(
        board: Any, actions: Int16[np.ndarray, "M"], count: int, out: Float32[np.ndarray, "M"], network: Dense
    ) -> None:
        look(board, actions, count, network.inputs)
        ask(network)
        for i in range(count):
            out[i] = network.layers[len(network.layers) - 1][actions[i]]

    return rate


@functools.cache
def _rate_positions(twin: Any, sees_moves: bool) -> Callable:
    moves, make, unmake, score, look = twin.moves, twin.make, twin.unmake, twin.score, looker(twin, sees_moves)

    @jit
    def rate(
        board: Any, actions: Int16[np.ndarray, "M"], count: int, out: Float32[np.ndarray, "M"], network: Dense
    ) -> None:
        for i in range(count):
            undo = make(board, np.int64(actions[i]))
            left = moves(board, network.moves)
            if left == 0:
                out[i] = SOLVED if score(board) > 0 else STUCK
            else:
                look(board, network.moves, left, network.inputs)
                ask(network)
                out[i] = network.layers[len(network.layers) - 1][0]
            unmake(board, undo)

    return rate


@functools.cache
def looker(twin: Any, sees_moves: bool) -> Callable:
    """A function that writes a network's inputs: the planes, and after them the legal moves if it sees those."""
    observe = twin.observe

    @jit
    def look(board: Any, actions: Int16[np.ndarray, "M"], count: int, out: Float32[np.ndarray, "In"]) -> None:
        out[:] = 0
        planes = len(out)
        if sees_moves:
            planes = twin_planes(board)
            for i in range(count):
                out[planes + actions[i]] = 1
        observe(board, out[:planes])

    twin_planes = twin.planes
    return look
