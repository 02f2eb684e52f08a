"""The arrays of an alpha-beta search: allocated once, reused by every search."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int8, Int16, Int32, Int64, Shaped, UInt64
from numba import int64
from numba.np.numpy_support import as_dtype

from ludus.core.game import Game
from ludus.search.alphabeta import transpositions
from ludus.search.compiled import jit
from ludus.search.words import NONE, Word

DEEPEST = 64
PLIES = 128  # the longest line, with quiescence
PLY, BASE, ENTERING, VALUE, NODES = range(5)  # the registers


class SearchSettings(NamedTuple):
    """What is constant during a search."""

    table: bool
    ordering: bool
    reductions: bool
    quiescence: bool
    ties: bool  # a repeated position is a tie
    asks: bool  # with one ply left, the oracle in Python is asked
    seat: int  # the mover at ply 0
    tie: int  # the score of a tie by repetition for that seat
    search: int  # its number, for the table
    hint: int  # the root move to search first


class Workspace(NamedTuple):
    """The search's stack, one row per ply, and its tables."""

    registers: Int64[np.ndarray, "5"]
    alpha: Int64[np.ndarray, "P"]
    beta: Int64[np.ndarray, "P"]
    floor: Int64[np.ndarray, "P"]  # alpha when the node was entered
    depth: Int64[np.ndarray, "P"]  # remaining; below 0 in quiescence search
    best: Int64[np.ndarray, "P"]
    chosen: Int64[np.ndarray, "P"]  # the move that raised alpha, or -1
    number: Int64[np.ndarray, "P"]  # of moves
    at: Int64[np.ndarray, "P"]  # moves made so far
    stage: Int64[np.ndarray, "P"]
    loop: Int64[np.ndarray, "P"]  # the earliest ply that a repetition in the subtree refers to
    keys: UInt64[np.ndarray, "P"]
    undo: Shaped[np.ndarray, "P U"]
    moves: Int16[np.ndarray, "P M"]
    ranks: Int32[np.ndarray, "P M"]
    line: Int16[np.ndarray, "P P"]  # principal variation from this ply
    length: Int64[np.ndarray, "P"]
    killers: Int64[np.ndarray, "P 2"]  # killer moves: the last that caused a cutoff at this ply
    history: Int32[np.ndarray, "2 A"]  # history heuristic: cutoffs by seat and move, weighted by depth
    late: Int8[np.ndarray, "D N"]  # late move reductions, by depth and move number
    scratch: Int16[np.ndarray, "M"]
    seen: UInt64[np.ndarray, "S"]  # hash set of the keys of the game so far; 0 is empty
    table: UInt64[np.ndarray, "W"]


def undo_of(twin: Any, game: Game) -> np.ndarray:
    """Space for the undo information of the twin's `make`, one row per ply."""
    board, out = twin.from_state(game, game.init()), np.empty(game.max_legal, np.int16)
    twin.moves(board, out)
    twin.make(board, int(out[0]))
    # The signature of this call: another thread may have compiled `make` for other types.
    given = next(made.return_type for made in twin.make.nopython_signatures if made.args[-1] == int64)
    return np.zeros((PLIES, len(given)), as_dtype(given.dtype))


def workspace_of(game: Game, undo: np.ndarray, entries: int) -> Workspace:
    by_ply = {name: np.zeros(PLIES + 1, np.int64) for name in Workspace._fields}
    depths, before = np.arange(DEEPEST + 1)[:, None], np.arange(128)[None]
    late = 0.5 + np.log(np.maximum(depths, 1)) * np.log(np.maximum(before, 1)) / 2
    others = {
        "keys": np.zeros(PLIES + 1, np.uint64),
        "undo": undo,
        "moves": np.zeros((PLIES + 1, game.max_legal), np.int16),
        "ranks": np.zeros((PLIES + 1, game.max_legal), np.int32),
        "line": np.zeros((PLIES + 1, PLIES + 1), np.int16),
        "killers": np.zeros((PLIES + 1, 2), np.int64),
        "history": np.zeros((2, game.num_actions), np.int32),
        "late": np.where(before < 3, 0, late).astype(np.int8),
        "scratch": np.zeros(game.max_legal, np.int16),
        "seen": np.zeros(2, np.uint64),
        "table": transpositions.table(entries),
    }
    return Workspace(**(by_ply | others))


def hashed(seen: Iterable[int]) -> UInt64[np.ndarray, "S"]:
    """Hash set of keys for `remembered`, with linear probing."""
    keys = set(seen)
    size = 1 << (4 * len(keys) + 1).bit_length()
    places = np.zeros(size, np.uint64)
    for key in keys:
        place = key & (size - 1)
        while places[place]:
            place = (place + 1) & (size - 1)
        places[place] = key
    return places


@jit
def remembered(seen: UInt64[np.ndarray, "S"], key: Word) -> bool:
    """Whether the game so far has a position with this key."""
    place = np.int64(key & np.uint64(len(seen) - 1))
    while seen[place] != NONE:
        if seen[place] == key:
            return True
        place = (place + 1) & (len(seen) - 1)
    return False
