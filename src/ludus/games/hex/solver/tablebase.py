"""The tablebase of Hex on boards of 2, 3 and 4: who wins every position, how soon, and by which moves."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int, Integer, UInt8, UInt16, UInt32

from ludus.games.hex.reach import TABLE
from ludus.games.hex.solver.grid import Grid, grid, joined, transpose
from ludus.search.compiled import jit
from ludus.search.words import count

MAX_SIZE = TABLE
SHIFT = 16  # bits for the stones of one side
UNKNOWN = 255


class Tablebase(NamedTuple):
    """Every position that can arise, in the mover's view, sorted by key. The first is the empty board."""

    size: int
    keys: UInt32[np.ndarray, "N"]  # the other's stones, shifted, and the mover's
    plies: UInt8[np.ndarray, "N"]  # to the end, if the winner hurries and the loser delays; odd if the mover wins
    winning: UInt16[np.ndarray, "N"]  # the set of winning moves

    @property
    def own(self) -> UInt16[np.ndarray, "N"]:
        return self.keys.astype(np.uint16)

    @property
    def other(self) -> UInt16[np.ndarray, "N"]:
        return (self.keys >> SHIFT).astype(np.uint16)

    @property
    def wins(self) -> Bool[np.ndarray, "N"]:
        """Whether the mover wins."""
        return self.plies % 2 == 1

    def find(self, own: Integer[np.ndarray, "B"], other: Integer[np.ndarray, "B"]) -> Int[np.ndarray, "B"]:
        """The rows of these positions; -1 for one that cannot arise."""
        keys = np.asarray(own, np.uint32) | np.asarray(other, np.uint32) << np.uint32(SHIFT)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, place, -1)


class CellSets(NamedTuple):
    """Facts about every set of cells, indexed by its word."""

    size: UInt8[np.ndarray, "S"]
    ends: UInt8[np.ndarray, "S"]  # 0: left and right not joined; 1: joined, perhaps just now; 2: joined earlier
    joins: Bool[np.ndarray, "S"]  # top and bottom
    ternary: UInt32[np.ndarray, "S"]  # the sum of 3**cell
    transposed: UInt32[np.ndarray, "S"]  # the same sum for the transposed set


@jit
def describe(grid: Grid, sets: CellSets) -> None:
    for cells in range(len(sets.size)):
        word = np.uint64(cells)
        across = transpose(grid, word)
        sets.size[cells] = count(word)
        sets.joins[cells] = joined(grid, word)
        power = np.uint32(1)
        for cell in range(grid.size * grid.size):
            if cells >> cell & 1:
                sets.ternary[cells] += power
            if across >> np.uint64(cell) & np.uint64(1):
                sets.transposed[cells] += power
            power *= np.uint32(3)
        if joined(grid, across):
            sets.ends[cells] = 2
            for cell in range(grid.size * grid.size):
                if cells >> cell & 1 and sets.ends[cells - (1 << cell)] == 0:
                    sets.ends[cells] = 1


@jit
def list_keys(sets: CellSets, keys: UInt32[np.ndarray, "N"]) -> int:
    """Count the positions that can arise, and write as many of them, in order, as fit into `keys`."""
    total, everything = 0, len(sets.size) - 1
    for other in range(everything + 1):
        if sets.ends[other] == 2:  # the game was over before the last stone
            continue
        free = everything & ~other
        own = 0
        while True:
            fewer = np.int64(sets.size[other]) - np.int64(sets.size[own])
            if (fewer == 0 or fewer == 1) and not sets.joins[own]:
                if total < len(keys):
                    keys[total] = other << SHIFT | own
                total += 1
            if own == free:
                break
            own = (own - free) & free  # the next of its subsets
    return total


@jit
def solve(sets: CellSets, num_cells: int, table: Tablebase, plies: UInt8[np.ndarray, "T"]) -> None:
    """Retrograde analysis, from the full board backwards. `plies` is indexed by a position's ternary number."""
    low = (1 << SHIFT) - 1
    for stones in range(num_cells, -1, -1):
        for row in range(len(table.keys)):
            own, other = table.keys[row] & low, table.keys[row] >> SHIFT
            if sets.size[own] + sets.size[other] != stones:
                continue
            fastest, slowest, winning = UNKNOWN, 0, 0
            if not sets.ends[other]:
                # After a move the view is transposed: `other` is the mover's, `own` and one more the opponent's.
                after = sets.transposed[other] + 2 * sets.transposed[own]
                for cell in range(num_cells):
                    if not (own | other) >> cell & 1:
                        then = plies[after + 2 * sets.transposed[1 << cell]] + 1
                        if then & 1:
                            winning |= 1 << cell
                            fastest = min(fastest, then)
                        else:
                            slowest = max(slowest, then)
            best = fastest if winning else slowest
            plies[sets.ternary[own] + 2 * sets.ternary[other]] = best
            table.plies[row], table.winning[row] = best, winning


@functools.lru_cache(maxsize=3)
def tablebase(size: int) -> Tablebase:
    """Size 4 takes a second or two and some 70 MB, and 45 MB more while it is made."""
    if size > MAX_SIZE:
        raise ValueError(f"{size} x {size} has too many positions for a tablebase")
    num_cells = size**2
    kinds = (np.uint8, np.uint8, np.bool_, np.uint32, np.uint32)
    sets = CellSets(*(np.zeros(1 << num_cells, kind) for kind in kinds))
    describe(grid(size), sets)
    keys = np.zeros(list_keys(sets, np.zeros(0, np.uint32)), np.uint32)
    list_keys(sets, keys)
    made = Tablebase(size, keys, np.zeros(len(keys), np.uint8), np.zeros(len(keys), np.uint16))
    solve(sets, num_cells, made, np.full(3**num_cells, UNKNOWN, np.uint8))
    return made
