"""The order in which the paper's baseline tries captures: pieces from the bottom row up, within a row from the right,
and the captures of a piece from the end of its list. The paper does not define that list; here it is in order of WAYS.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float32, Int16

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


BASELINE = Order("baseline", rate)
ORDERS = {BASELINE.name: BASELINE}
