"""Who wins in Hex on boards of up to 8, and every move that does, for certain."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Int8

from ludus.games.hex.solver.dfpn import prove, survey
from ludus.games.hex.solver.grid import joined
from ludus.games.hex.solver.inferior import BLACK, WHITE
from ludus.games.hex.solver.room import room
from ludus.games.hex.solver.store import LOSS, UNKNOWN, WIN
from ludus.search.words import Word


class Proof(NamedTuple):
    """What is known of a position in the mover's view: 1 for a win, -1 for a loss, 0 for what was given up."""

    value: int
    moves: Int8[np.ndarray, "N"]  # 0 where a stone is, too
    nodes: int
    seconds: float
    gave_up: bool

    @property
    def winning(self) -> int:
        """All moves that win, as a set of cells."""
        return sum(1 << int(cell) for cell in np.flatnonzero(self.moves == WIN))


class Prover:
    """Solves positions on one size of board, and remembers what it has proved: 110 MB for a million positions."""

    def __init__(self, size: int, log_places: int = 20) -> None:
        if size > 2:
            compile_all()
        self.size = size
        self._room = room(size, log_places)
        self._lock = threading.Lock()  # there is room for one search

    def solve(
        self, own: int, other: int, limit: float = float("inf"), report: Callable[[int, float, int], None] | None = None
    ) -> Proof:
        """Prove every move of a position a win or a loss, for so many seconds.

        `report` is told now and then how many positions have been looked at, for how long, and what moves are left.
        """
        with self._lock:
            return self._solve(np.uint64(own), np.uint64(other), limit, report or (lambda *_: None))

    def _solve(self, own: Word, other: Word, limit: float, report: Callable[[int, float, int], None]) -> Proof:
        room, (board, sideways) = self._room, self._room.inferior.grids
        began, room.nodes[0] = time.perf_counter(), 0
        moves = np.zeros(self.size**2, np.int8)

        def seconds() -> float:
            return time.perf_counter() - began

        for value, joins in ((WIN, joined(board, own)), (LOSS, joined(sideways, other))):
            if joins:
                return Proof(value, moves, 0, seconds(), False)
        order = np.zeros(self.size**2, np.uint8)
        length, must = survey(room, own, other, BLACK, order)
        must = int(must)
        for cell in order[:length].tolist():
            stones = own | np.uint64(1 << cell)
            if joined(board, stones):
                moves[cell] = WIN
            elif must >> cell & 1:
                value, carrier, batch = UNKNOWN, 0, 256
                while value == UNKNOWN and seconds() < limit:
                    since = seconds()
                    room.nodes[1] = room.nodes[0] + batch
                    value, carrier = prove(room, stones, other, WHITE)
                    report(int(room.nodes[0]), seconds(), length - int(np.count_nonzero(moves)))
                    if seconds() - since < 0.25:
                        batch *= 2
                moves[cell] = -value
                if value == WIN:  # the refutation of one move refutes all that do not get in its way
                    must &= int(carrier)
        empty = np.sort(order[:length])
        for cell in empty.tolist():
            if not must >> cell & 1:
                assert moves[cell] != WIN, "a proof contradicts another"
                moves[cell] = LOSS
        left = int(np.count_nonzero(moves[empty] == UNKNOWN))
        value = WIN if (moves == WIN).any() else UNKNOWN if left else LOSS
        return Proof(value, moves, int(room.nodes[0]), seconds(), left > 0)


@functools.cache
def compile_all() -> None:
    """Compile what a search takes, lest it be counted as the time of the first."""
    Prover(2, log_places=4).solve(0, 0)


@functools.cache
def prover(size: int) -> Prover:
    """The one that the whole process shares."""
    return Prover(size)
