"""The share of won positions that players hold which see nothing: the line that a network must pass before its strength
means anything.

One such player moves at random. Another has an order of all moves, fixed beforehand, and makes the first that is legal:
so does a network that says the same of every position.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int

MAX_MOVES = 12  # 4,096 sets of moves, each with a count of its orders


class Blind(NamedTuple):
    """What players hold that see nothing."""

    positions: int  # that are won
    uniform: float  # the share that a uniformly random move holds, in the mean
    orders: Int[np.ndarray, "N"]  # how many orders hold exactly 0, 1, 2, ... positions
    best: tuple[int, ...]  # an order that holds the most

    @property
    def mean(self) -> float:
        """The mean share over all orders."""
        held = np.arange(len(self.orders)) / self.positions
        return float((held * (self.orders / self.orders.sum())).sum())

    @property
    def highest(self) -> float:
        """The share that the best order holds."""
        return int(np.flatnonzero(self.orders)[-1]) / self.positions

    def quantile(self, share: float) -> float:
        """The least share held that this share of all orders does not pass."""
        below = np.cumsum(self.orders) / self.orders.sum()
        return int(np.searchsorted(below, share)) / self.positions


def blind(legal: Bool[np.ndarray, "P A"], winning: Bool[np.ndarray, "P A"]) -> Blind:
    """From the legal and the winning moves of all won positions, exactly, over all orders of the moves.

    An order meets a position with its first legal move. So what the next move adds depends only on the set of moves
    before it: it decides the positions where none of these is legal, and the orders need not be listed.
    """
    positions, moves = legal.shape
    if moves > MAX_MOVES:
        raise ValueError(f"{moves} moves have too many orders; {MAX_MOVES} is the most")
    whole, bits = (1 << moves) - 1, 1 << np.arange(moves)
    words = legal @ bits
    counts = np.zeros((whole + 1, positions + 1), np.int64)  # of the ways to order the rest, by what these hold
    counts[whole, 0] = 1
    follow = np.zeros((whole + 1,), np.int64)  # the best move after each set
    most = np.zeros((whole + 1,), np.int64)
    for before in range(whole - 1, -1, -1):
        gains = winning[words & before == 0].sum(axis=0)
        free = [move for move in range(moves) if not before >> move & 1]
        for move in free:
            gain = int(gains[move])
            counts[before, gain:] += counts[before | 1 << move, : positions + 1 - gain]
        follow[before] = max(free, key=lambda move: gains[move] + most[before | 1 << move])
        most[before] = gains[follow[before]] + most[before | 1 << follow[before]]
    best, before = [], 0
    while before != whole:
        best.append(int(follow[before]))
        before |= 1 << follow[before]
    uniform = float(((legal & winning).sum(axis=1) / legal.sum(axis=1)).mean())
    return Blind(positions, uniform, counts[0], tuple(best))
