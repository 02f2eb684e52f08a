"""Move orders: the order in which a puzzle search tries the moves of a position.

A room's part `orders` is a dict of these by name, its paper's first; `random` exists for any game. A trained agent
has an order too: compiled if its network can be, else in Python (`PythonOrder`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Float32, Int16, UInt64

from ludus import games
from ludus.core.game import Game
from ludus.errors import BadInput, shorten
from ludus.search.compiled import jit
from ludus.search.words import Word

RANDOM = "random"
STRIDE = np.uint64(0x9E3779B97F4A7C15)
MIXERS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class Order:
    """A number for every move of a position, as compiled code for a twin's board. The highest is tried first; of equal
    numbers, the smaller action.
    """

    name: str
    rate: Callable  # (board, actions, count, out, parameters), made by `search.compiled.jit`: writes to `out`
    parameters: Any = ()  # a NamedTuple of NumPy arrays that it reads, or an empty tuple
    #: Whether its numbers are log-odds that a move from a solvable position leads to a solvable one.
    likely: bool = False


@dataclass(frozen=True)
class PythonOrder:
    """An order in Python: of a trained agent whose network cannot be compiled."""

    name: str
    rate: Callable[[Any], Float[np.ndarray, "A"]]  # of one state: a number for every action


@jit
def chance(seed: UInt64[np.ndarray, "1"]) -> Word:
    """The next random word (splitmix64)."""
    seed[0] += STRIDE
    word = seed[0]
    word = (word ^ (word >> np.uint64(30))) * MIXERS[0]
    word = (word ^ (word >> np.uint64(27))) * MIXERS[1]
    return word ^ (word >> np.uint64(31))


@jit
def below(seed: UInt64[np.ndarray, "1"], limit: int) -> int:
    """A random integer from 0 to limit - 1, for a limit far below 2**32."""
    return int(np.int64(((chance(seed) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32)))


@jit
def _by_chance(
    board: Any,
    actions: Int16[np.ndarray, "M"],
    count: int,
    out: Float32[np.ndarray, "M"],
    seed: UInt64[np.ndarray, "1"],
) -> None:
    for i in range(count):
        out[i] = np.float32(below(seed, 1 << 24))


def random_order(seed: int = 0) -> Order:
    """A random order, the same for the same seed."""
    return Order(RANDOM, _by_chance, np.array([seed], np.uint64))


def orders(game: Game) -> dict[str, Order]:
    """The orders of a game's room, the default first."""
    return games.part(game, "orders") or {}


def order(game: Game, name: str, seed: int = 0) -> Order:
    """An order of the game by its name, or the random one."""
    known = orders(game)
    if name == RANDOM:
        return random_order(seed)
    if name not in known:
        raise BadInput(f"{game.name} has no order '{shorten(name)}'; there are {', '.join((*known, RANDOM))}.")
    return known[name]
