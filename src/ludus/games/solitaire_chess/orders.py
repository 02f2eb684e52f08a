"""The order in which the paper's baseline tries captures: pieces from the bottom row up, within a row from the right,
and the captures of a piece from the end of its list.

The paper does not define that list. In the order `baseline` it is in order of WAYS. The boards of the paper's figure 5
contradict that: they agree with `clockwise`, a list that goes round once, from straight up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float32, Int16, Int64

from ludus.games.solitaire_chess.geometry import WAYS
from ludus.games.solitaire_chess.twin import ChessBoard
from ludus.search.compiled import jit
from ludus.search.puzzle.order import Order


@jit
def rate(
    board: ChessBoard, actions: Int16[np.ndarray, "M"], count: int, out: Float32[np.ndarray, "M"], _: object
) -> None:
    size = board.tables.size
    for i in range(count):
        way, square = actions[i] // (size * size), actions[i] % (size * size)
        before = square // size * size + size - 1 - square % size  # pieces that would come first
        out[i] = np.float32(way - len(WAYS) * before)


@jit
def rate_listed(
    board: ChessBoard,
    actions: Int16[np.ndarray, "M"],
    count: int,
    out: Float32[np.ndarray, "M"],
    places: Int64[np.ndarray, "16"],
) -> None:
    """The same with the captures of a piece listed in another order: the place of each way in the list."""
    size = board.tables.size
    for i in range(count):
        way, square = actions[i] // (size * size), actions[i] % (size * size)
        before = square // size * size + size - 1 - square % size
        out[i] = np.float32(places[way] - len(WAYS) * before)


def listed(name: str, list_of_ways: Sequence[tuple[int, int]]) -> Order:
    """The baseline's order with this list of ways, the last of which is tried first."""
    return Order(name, rate_listed, np.array([list_of_ways.index(way) for way in WAYS]))


def clockwise(way: tuple[int, int]) -> float:
    """The angle from straight up, clockwise."""
    return math.atan2(*way) % math.tau


BASELINE = Order("baseline", rate)
CLOCKWISE = listed("clockwise", sorted(WAYS, key=clockwise))
ORDERS = {order.name: order for order in (BASELINE, CLOCKWISE)}
