"""Proof-number search in Hex: right with any options, and its carriers are enough to win."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import hex_depth_first

from ludus.games.hex.solver import inferior as hex_inferior
from ludus.games.hex.solver import tablebase as hex_tablebase
from ludus.games.hex.solver.dfpn import prove
from ludus.games.hex.solver.grid import grid, joined, transpose
from ludus.games.hex.solver.transposition_table import UNKNOWN, probe, rotate
from ludus.games.hex.solver.workspace import SolverOptions, workspace

pytestmark = pytest.mark.slow  # Numba compiles for half a minute before the first of them

BLACK, WHITE = 0, 1


def across(size: int, cells: int) -> int:
    return int(transpose(grid(size), np.uint64(cells)))


def table_positions(size: int, number: int, seed: int) -> list[tuple[int, int, int]]:
    """Unfinished positions of the table, and the mover's value."""
    table = hex_tablebase.tablebase(size)
    live = np.flatnonzero(table.plies)
    rows = np.random.default_rng(seed).choice(live, min(number, len(live)), replace=False)
    found = zip(table.own[rows], table.other[rows], table.wins[rows], strict=True)
    return [(int(own), int(other), 1 if wins else -1) for own, other, wins in found]


def random_stones(size: int, number: int, seed: int, low: int, high: int) -> list[tuple[int, int]]:
    """Positions that nobody has won with between so many stones, in the mover's view."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < number:
        cells = rng.permutation(size**2)[: int(rng.integers(low, high))]
        own, other = (sum(1 << int(cell) for cell in half) for half in (cells[1::2], cells[::2]))
        if len(cells) % 2 == 0:
            own, other = other, own
        if not joined(grid(size), np.uint64(own)) and not joined(grid(size), np.uint64(across(size, other))):
            found.append((own, other))
    return found


class Reference:
    """The value of any position to the mover, who joins top and bottom, by the depth-first search."""

    def __init__(self, size: int) -> None:
        self.size, self.space = size, hex_depth_first.workspace(size, log_places=16)
        self.space.nodes[1] = 1 << 40

    def __call__(self, own: int, other: int) -> int:
        if joined(grid(self.size), np.uint64(own)):
            return 1
        if joined(grid(self.size), np.uint64(across(self.size, other))):
            return -1
        return int(hex_depth_first.prove(self.space, np.uint64(own), np.uint64(other))[0])


@pytest.mark.parametrize(
    ("rules", "number"),
    [
        (SolverOptions(), 3000),
        (SolverOptions(connections=False), 1000),
        (SolverOptions(inferior=False), 500),
        (SolverOptions(incremental=False), 500),
        (SolverOptions(decomposition=False), 500),
        (SolverOptions(proof_numbers=False), 500),
        (SolverOptions(inferior=False, connections=False), 100),
        (SolverOptions(connections=False, library=False), 1000),  # where nothing but parts is seen from afar
    ],
)
def test_values_are_those_of_the_table_and_carriers_are_enough(rules: SolverOptions, number: int) -> None:
    """As black and, transposed, as white. Whoever has a proof wins though the other had all outside the carrier."""
    size, everything, reference = 4, (1 << 16) - 1, Reference(4)
    search = workspace(size, 12, rules)  # so few places that many are replaced
    search.nodes[1] = 1 << 40
    for own, other, value in table_positions(size, number, seed=1):
        for mover in (BLACK, WHITE):
            black, white = (own, other) if mover == BLACK else (across(size, other), across(size, own))
            found, cells = prove(search, np.uint64(black), np.uint64(white), mover)
            carrier = int(cells)
            assert found == value, (own, other, mover)
            assert not carrier & (black | white)
            outside = everything & ~(black | white | carrier)
            if (found == 1) == (mover == BLACK):
                white |= outside
            else:
                black |= outside
            sides = (black, white) if mover == BLACK else (across(size, white), across(size, black))
            assert reference(*sides) == value, (own, other, mover, carrier)


def test_carriers_are_enough_on_5_x_5() -> None:
    """Where lists of connections are longer, more than two of them make a full one, and proofs of other positions are
    used all the time. By the depth-first search, which has neither of the prover's inferior cells and library.
    """
    size, everything, reference = 5, (1 << 25) - 1, Reference(5)
    search, wins = workspace(size, 16), {1: 0, -1: 0}
    search.nodes[1] = 1 << 40
    for own, other in random_stones(size, 400, seed=3, low=4, high=16):
        for mover in (BLACK, WHITE):
            black, white = (own, other) if mover == BLACK else (across(size, other), across(size, own))
            value, cells = prove(search, np.uint64(black), np.uint64(white), mover)
            assert value == reference(own, other), (own, other, mover)
            assert not int(cells) & (black | white)
            outside = everything & ~(black | white | int(cells))
            if (value == 1) == (mover == BLACK):
                white |= outside
            else:
                black |= outside
            sides = (black, white) if mover == BLACK else (across(size, white), across(size, black))
            assert reference(*sides) == value, (own, other, mover, int(cells))
            wins[int(value)] += 1
    assert min(wins.values()) > 200


@pytest.mark.parametrize(("size", "number", "low", "high"), [(5, 1500, 0, 14), (6, 150, 9, 22)])
def test_values_are_those_of_the_depth_first_search(size: int, number: int, low: int, high: int) -> None:
    reference = Reference(size)
    search, without = workspace(size, 16), workspace(size, 16, SolverOptions(connections=False))
    for some in (search, without):
        some.nodes[1] = 1 << 40
    for own, other in random_stones(size, number, size, low, high):
        value = reference(own, other)
        assert prove(search, np.uint64(own), np.uint64(other), BLACK)[0] == value, (own, other)
        if (own | other).bit_count() > size**2 // 3:
            assert prove(without, np.uint64(own), np.uint64(other), BLACK)[0] == value, (own, other)


@pytest.mark.parametrize("size", [4, 5])
def test_filling_in_changes_no_value(size: int) -> None:
    """Nor which of the moves that are left win; and who wins has only moves that are worth playing to try."""
    space, reference, filled, pruned = hex_inferior.inferior_cells(size), Reference(size), 0, 0
    for own, other in random_stones(size, 600, seed=7, low=size, high=size**2 - 4):
        black, white = (int(side) for side in hex_inferior.fill_in(space, np.uint64(own), np.uint64(other)))
        assert (own & ~black, other & ~white, black & white) == (0, 0, 0)
        value = reference(own, other)
        assert reference(black, white) == value, (own, other)
        filled += (black | white) != (own | other)
        if joined(grid(size), np.uint64(black)) or joined(grid(size), np.uint64(across(size, white))):
            continue
        empty = ((1 << size**2) - 1) & ~(black | white)
        stay, _ = hex_inferior.prune_moves(space, BLACK, np.uint64(empty))
        pruned += int(stay) != empty
        wins = [wins_with(reference, size, black, white, cell) for cell in cells_of(int(stay))]
        assert any(wins) == (value == 1), (own, other)
        for cell in cells_of(empty):
            there = wins_with(reference, size, black, white, cell)
            assert wins_with(reference, size, own, other, cell) == there, (own, other, cell)
    assert filled > 300
    assert pruned > 200


def cells_of(cells: int) -> list[int]:
    return [cell for cell in range(64) if cells >> cell & 1]


def wins_with(reference: Reference, size: int, own: int, other: int, cell: int) -> bool:
    return reference(across(size, other), across(size, own | 1 << cell)) == -1


def test_a_position_is_found_again_turned() -> None:
    search = workspace(4, 12)
    search.nodes[1] = 1 << 40
    for own, other, value in table_positions(4, 200, seed=5):
        black, white = np.uint64(own), np.uint64(other)
        assert prove(search, black, white, BLACK)[0] == value
        found, carrier = probe(search.table, black, white, BLACK)
        again, rotated = probe(search.table, np.uint64(rotate(16, black)), np.uint64(rotate(16, white)), BLACK)
        assert (found, again, int(rotated)) == (value, value, int(rotate(16, np.uint64(carrier))))


def test_a_search_goes_on_where_it_stopped() -> None:
    stone = np.uint64(1 << 16)  # e3 of 6 x 6
    search, whole = workspace(6, 16), workspace(6, 16)
    whole.nodes[1] = 1 << 40
    value, rounds = UNKNOWN, 0
    while value == UNKNOWN:
        search.nodes[1] = search.nodes[0] + 20
        value, _ = prove(search, stone, np.uint64(0), WHITE)
        rounds += 1
    assert rounds > 4
    assert value == prove(whole, stone, np.uint64(0), WHITE)[0]
    assert search.nodes[0] < 2 * whole.nodes[0], "what was found is kept"
