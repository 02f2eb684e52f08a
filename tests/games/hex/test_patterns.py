"""All neighbourhoods of a Hex cell: the graphs find the same dead and captured cells. And H-search's edge templates."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from ludus.games.hex.solver import connections as hex_connections
from ludus.games.hex.solver import inferior as hex_inferior
from ludus.games.hex.solver.connection_lists import FULL, joins, smallest
from ludus.games.hex.solver.dfpn import prove
from ludus.games.hex.solver.grid import grid, joined, transpose
from ludus.games.hex.solver.transposition_table import LOSS
from ludus.games.hex.solver.workspace import SolverOptions, Workspace, workspace

pytestmark = pytest.mark.slow  # Numba compiles before the first of them

SIZE = 7
AROUND = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))  # one after the other round a cell


@functools.cache
def dead(ring: str) -> bool:
    """Whether the middle of six neighbours, each B, W or '.', never matters: however the empty ones are filled, black's
    are joined to each other without it, and so are white's.
    """
    for colours in itertools.product("BW", repeat=ring.count(".")):
        left = iter(colours)
        filled = [next(left) if one == "." else one for one in ring]
        if sum(one != two for one, two in zip(filled, filled[1:] + filled[:1], strict=True)) > 2:
            return False
    return True


def ring_of(cell: tuple[int, int], stones: dict[tuple[int, int], str]) -> str:
    """What is round a cell: beyond the board the side whose edge it is."""
    ring = ""
    for step in AROUND:
        row, column = cell[0] + step[0], cell[1] + step[1]
        ring += "B" if row not in range(SIZE) else "W" if column not in range(SIZE) else stones.get((row, column), ".")
    return ring


def neighbours(cell: tuple[int, int]) -> list[tuple[int, int]]:
    found = [(cell[0] + row, cell[1] + column) for row, column in AROUND]
    return [one for one in found if one[0] in range(SIZE) and one[1] in range(SIZE)]


def sides(stones: dict[tuple[int, int], str]) -> list[np.uint64]:
    return [
        np.uint64(sum(1 << row * SIZE + column for (row, column), one in stones.items() if one == colour))
        for colour in "BW"
    ]


PLACES = [(3, 3), (0, 3), (3, 0), (6, 3), (3, 6), (0, 0), (6, 6), (0, 6), (6, 0)]


@pytest.mark.parametrize("cell", PLACES)
def test_a_cell_is_dead_by_the_graphs_where_its_neighbours_say_so_and_nowhere_else(cell: tuple[int, int]) -> None:
    space, near, number = hex_inferior.inferior_cells(SIZE), neighbours(cell), cell[0] * SIZE + cell[1]
    found = 0
    for colours in itertools.product("BW.", repeat=len(near)):
        stones = dict(zip(near, colours, strict=True))
        black, white = sides(stones)
        empty = np.uint64((1 << SIZE**2) - 1) & ~(black | white)
        for side, own in enumerate((black, white)):
            hex_inferior.draw_graph(space, side, own, empty)
        by_graph = {bool(hex_inferior.dead(space, side, number)) for side in (0, 1)}
        assert (True in by_graph) == dead(ring_of(cell, stones)), colours
        found += True in by_graph
    assert found > 1


@pytest.mark.parametrize("step", AROUND[:3])
@pytest.mark.parametrize("cell", [(3, 3), (0, 3), (5, 3), (3, 6), (3, 0), (5, 1)])
def test_two_cells_are_captured_where_their_neighbours_say_so(cell: tuple[int, int], step: tuple[int, int]) -> None:
    """A side's stone on either of two cells kills the other: filled in, as that side's or as dead."""
    other = (cell[0] + step[0], cell[1] + step[1])
    if other not in neighbours(cell):
        pytest.skip("not on the board")
    space, found = hex_inferior.inferior_cells(SIZE), 0
    near = sorted({*neighbours(cell), *neighbours(other)} - {cell, other})
    for colours in itertools.product("BW.", repeat=len(near)):
        stones = dict(zip(near, colours, strict=True))
        captured = [
            all(dead(ring_of(one, stones | {two: colour})) for one, two in ((cell, other), (other, cell)))
            for colour in "BW"
        ]
        if any(captured):
            filled = int(sum(hex_inferior.fill_in(space, *sides(stones))))
            assert all(filled >> row * SIZE + column & 1 for row, column in (cell, other)), colours
            found += 1
    assert found > 50


def template(size: int, row: int, column: int) -> int:
    """The cells by which H-search joins a stone so far from the lower edge to it; 0 if it does not see how.

    The stone hangs from the upper edge by a straight line.
    """
    own = sum(1 << above * size + column for above in range(size - row + 1))
    vcs = hex_connections.connections(size)
    hex_connections.connect(vcs, np.uint64(own), np.uint64(0))
    if not joins(vcs.lists, FULL):
        return 0
    return int(smallest(vcs.lists, FULL))


@functools.cache
def without_connections(size: int) -> Workspace:
    space = workspace(size, 14, SolverOptions(connections=False, library=False))
    space.nodes[1] = 1 << 40
    return space


def holds(size: int, row: int, column: int, carrier: int) -> bool:
    """Whether the stone is joined though white moves first and has everything else, by a search without connections."""
    own = sum(1 << above * size + column for above in range(size - row + 1))
    rest = ((1 << size**2) - 1) & ~(own | carrier)
    if joined(grid(size), np.uint64(transpose(grid(size), np.uint64(rest)))):
        return False
    return prove(without_connections(size), np.uint64(own), np.uint64(rest), 1)[0] == LOSS


def rows(size: int, carrier: int) -> Sequence[int]:
    """How many of the cells are in each row, from the edge up."""
    found = [(carrier >> row * size & (1 << size) - 1).bit_count() for row in reversed(range(size))]
    return found[: max(at for at, number in enumerate(found) if number) + 1]


@pytest.mark.parametrize(("row", "shape"), [(2, [2]), (3, [4, 3, 1])])
def test_templates_of_the_second_and_third_row(row: int, shape: list[int]) -> None:
    """They hold, and with any of their cells the other's they would not."""
    carrier = template(7, row, 3)
    assert rows(7, carrier) == shape
    assert holds(7, row, 3, carrier)
    for cell in range(49):
        if carrier >> cell & 1:
            assert not holds(7, row, 3, carrier & ~(1 << cell))


def test_a_template_of_the_fourth_row() -> None:
    carrier = template(8, 4, 4)
    assert carrier
    assert len(rows(8, carrier)) <= 5
    assert holds(8, 4, 4, carrier)
