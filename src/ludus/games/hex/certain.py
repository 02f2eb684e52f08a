"""What a player of Hex knows for certain within its time: a winning move, or the moves that do not lose at once.

H-search finds most of it. Where it does not and few moves matter, each is tried and H-search runs again, while time is
left. A win that was found is remembered with its carrier. After the opponent's reply only the carrier is searched, as
if the opponent had all other cells, so that a win is never lost again. On boards of up to 11; larger ones are not
searched.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from jaxtyping import Int8

from ludus.games.hex.rules import Hex, State, geometry
from ludus.games.hex.solver.large_connections import (
    EMPTY,
    LOSS,
    MAX_SIZE,
    OTHER,
    OWN,
    UNKNOWN,
    WIN,
    edge_connection,
    large_connections,
)

MAX_TRIED = 16  # with more moves than this none is tried: little would be found in time
RECALL_SECONDS = 10.0  # to find a remembered win again
MAX_KNOWN_WINS = 1 << 14

Stones = Int8[np.ndarray, "N"]  # in the mover's view: it joins top and bottom

_lock = threading.Lock()  # the buffers of H-search serve one call at a time
_known_wins: OrderedDict[bytes, int] = OrderedDict()  # carriers, by the position after the winner's move


def certain(game: Hex, state: State, seconds: float) -> tuple[int | None, tuple[int, ...] | None]:
    """A winning move if one is found in time; else the moves to choose from, if all others are known to lose: none, if
    every move does.
    """
    if game.size > MAX_SIZE or game.swap:
        return None, None
    size, mover, stones = game.size, int(state.mover), _stones(game.size, state)
    with _lock:
        found = _recall_win(size, stones) or _WinSearch(size, time.perf_counter() + seconds).root(stones)
        if found.winning is not None:
            _remember_win(stones, found)
            return _action(size, mover, found.winning), None
    if found.open is None:
        return None, None
    return None, tuple(_action(size, mover, cell) for cell in found.open)


class Certainty(NamedTuple):
    winning: int | None = None
    carrier: int | None = None  # of that win, where it is known
    open: list[int] | None = None  # all other cells lose, every cell if it is empty; None: no cell is known to lose


def _stones(size: int, state: State) -> Stones:
    stones = np.zeros(size**2, np.int8)
    number = {int(bit): cell for cell, bit in enumerate(geometry(size).cells)}
    for side, mark in ((state.own, OWN), (state.other, OTHER)):
        stones[[number[bit] for bit in side.stones.cells()]] = mark
    return stones.reshape(size, size).T.ravel() if int(state.mover) else stones


def _action(size: int, mover: int, cell: int) -> int:
    """The action of a cell in the mover's view."""
    return cell % size * size + cell // size if mover else cell


# --- remembered wins ----------------------------------------------------------------------------------------------


def _remember_win(stones: Stones, found: Certainty) -> None:
    if found.carrier is None or found.winning is None:
        return
    after = stones.copy()
    after[found.winning] = OWN
    _known_wins[after.tobytes()] = found.carrier & ~(1 << found.winning)
    while len(_known_wins) > MAX_KNOWN_WINS:
        _known_wins.popitem(last=False)


def _recall_win(size: int, stones: Stones) -> Certainty | None:
    """The move that keeps a win remembered from before the opponent's last move."""
    for reply in np.flatnonzero(stones == OTHER).tolist():
        before = stones.copy()
        before[reply] = EMPTY
        carrier = _known_wins.get(before.tobytes())
        if carrier is not None:
            outside = [cell for cell in np.flatnonzero(stones == EMPTY).tolist() if not carrier >> cell & 1]
            given = stones.copy()
            given[outside] = OTHER
            found = _WinSearch(size, time.perf_counter() + RECALL_SECONDS).root(given)
            return found if found.winning is not None else None
    return None


# --- the search for wins ------------------------------------------------------------------------------------------


class _HSearchResult(NamedTuple):
    value: int
    cell: int = -1  # the move to play; -1: any
    carrier: int = 0  # of a win
    must: tuple[int, ...] = ()  # the must-play region, where the value is unknown


class _WinSearch:
    """A depth-first search of one position, with H-search at every node, until the time is up."""

    def __init__(self, size: int, until: float) -> None:
        self._size, self._until, self._vcs = size, until, large_connections(size)
        self._known: dict[bytes, int] = {}

    def root(self, stones: Stones) -> Certainty:
        seen = self._h_search(stones)
        empty = np.flatnonzero(stones == EMPTY).tolist()
        if seen.value == WIN:
            return Certainty(seen.cell if seen.cell >= 0 else empty[0], seen.carrier)
        left = []
        for cell in seen.must:
            late = len(seen.must) > MAX_TRIED or time.perf_counter() > self._until
            reply = UNKNOWN if late else self._value(self._after(stones, cell))
            if reply == LOSS:
                return Certainty(cell)
            if reply == UNKNOWN:
                left.append(cell)
        return Certainty(open=left if len(left) < len(empty) else None)

    def _value(self, stones: Stones) -> int:
        """The mover's value of a position; `UNKNOWN` if there is no time to find it."""
        key = stones.tobytes()
        if key in self._known:
            return self._known[key]
        seen = self._h_search(stones)
        value = seen.value
        if value == UNKNOWN:
            replies = []
            for cell in seen.must:
                if time.perf_counter() > self._until:
                    return UNKNOWN
                replies.append(self._value(self._after(stones, cell)))
                if replies[-1] == LOSS:
                    value = WIN
                    break
            else:
                value = LOSS if all(reply == WIN for reply in replies) else UNKNOWN
        if value != UNKNOWN:
            self._known[key] = value
        return value

    def _h_search(self, stones: Stones) -> _HSearchResult:
        """The result of H-search."""
        self._vcs.stones[:] = stones
        how, cell, low, high = edge_connection(self._vcs, True)
        if how:
            return _HSearchResult(WIN, cell, int(low) | int(high) << 64)
        self._vcs.stones[:] = self._other_view(stones)
        how, _, low, high = edge_connection(self._vcs, False)
        if how:
            return _HSearchResult(LOSS)
        shared, size = int(low) | int(high) << 64, self._size
        empty = np.flatnonzero(stones == EMPTY).tolist()
        must = tuple(cell for cell in empty if shared >> (cell % size * size + cell // size) & 1)
        return _HSearchResult(UNKNOWN if must else LOSS, must=must)

    def _after(self, stones: Stones, cell: int) -> Stones:
        """The position after a move, in the next mover's view."""
        moved = stones.copy()
        moved[cell] = OWN
        return self._other_view(moved)

    def _other_view(self, stones: Stones) -> Stones:
        """The position in the opponent's view: board transposed, colours exchanged."""
        turned = stones.reshape(self._size, self._size).T.ravel()
        return np.where(turned == EMPTY, EMPTY, OWN + OTHER - turned).astype(np.int8)
