"""Decomposition of Hex positions: tested by its definition, on final positions and on values."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import hex_depth_first

from ludus.games.hex.solver.decomposition import MAX_PARTS, decompose
from ludus.games.hex.solver.dfpn import prove
from ludus.games.hex.solver.grid import grid, joined, transpose
from ludus.games.hex.solver.inferior import fill_in, inferior_cells
from ludus.games.hex.solver.workspace import SolverOptions, workspace

pytestmark = pytest.mark.slow  # Numba compiles before the first of them


def cells_of(text: str, letter: str) -> int:
    return sum(1 << at for at, one in enumerate(text.replace("/", "")) if one == letter)


def parts_of(size: int, own: int, other: int) -> list[int]:
    found, empty = np.zeros(MAX_PARTS, np.uint64), ((1 << size**2) - 1) & ~(own | other)
    number = decompose(grid(size), np.uint64(own), np.uint64(empty), found)
    return [int(part) for part in found[:number]]


def joins(size: int, stones: int) -> bool:
    return bool(joined(grid(size), np.uint64(stones)))


def positions(size: int, number: int, seed: int, filled: bool, share: float = 0.0) -> list[tuple[int, int]]:
    """Of any numbers of stones that nobody has won; as they are, or with dead and captured cells filled in. At
    least a share of the stones is the side's that joins top and bottom.
    """
    rng, found, space = np.random.default_rng(seed), [], inferior_cells(size)
    while len(found) < number:
        cells = rng.permutation(size**2)
        most = int(rng.integers(size, size**2 - 2))
        some = int(rng.integers(max(1, int(share * most)), most))
        own, other = (sum(1 << int(cell) for cell in half) for half in (cells[:some], cells[some:most]))
        if filled:
            own, other = (int(side) for side in fill_in(space, np.uint64(own), np.uint64(other)))
        across = int(transpose(grid(size), np.uint64(other)))
        if not joins(size, own) and not joins(size, across):
            found.append((own, other))
    return found


@pytest.mark.parametrize(
    ("board", "parts"),
    [
        ("...../...../BBBBB/...../.....", ["00000/00000/BBBBB/11111/11111"]),  # a wall: over it, and under it
        ("..W../..W../BBBBB/...../.....", ["00W00/00W00/BBBBB/11111/11111"]),  # two ways down to it: what is left
        ("...../...../BBBB./...../.....", []),  # a way round
        ("W.W../WBWWW/.B.../WBWW./WW.WW", []),  # the middle is open on one side
        ("W.WWW/WBWWW/WBWWW/WWB.W/WWW.W", []),  # in one place the chain is one away
        ("W.W/.W./W.W", []),  # it cannot win any more
    ],
)
def test_by_hand(board: str, parts: list[str]) -> None:
    size = board.index("/")
    expected = {cells_of(text, digit) for text in parts for digit in "0123" if digit in text}
    assert {*parts_of(size, cells_of(board, "B"), cells_of(board, "W"))} == expected


@pytest.mark.parametrize(("size", "number"), [(4, 6000), (5, 12000), (6, 6000)])
@pytest.mark.parametrize("filled", [False, True])
def test_whoever_wins_every_part_wins_and_nobody_else(size: int, number: int, filled: bool) -> None:
    """Whatever is in the parts: some of their cells the side's, the rest the other's."""
    rng, seen, ways = np.random.default_rng(size), 0, {True: 0, False: 0}
    for own, other in positions(size, number, seed=size, filled=filled):
        parts, empty = parts_of(size, own, other), ((1 << size**2) - 1) & ~(own | other)
        if not parts:
            continue
        seen += 1
        assert sum(parts) == empty, "each cell is in one"
        for _ in range(30):
            ours = int(rng.integers(1 << size**2)) | (int(rng.integers(1 << size**2)) if rng.random() < 0.5 else 0)
            each = [joins(size, own | empty & ~part | ours & part) for part in parts]
            assert joins(size, own | ours & empty) == all(each), (own, other, ours)
            ways[all(each)] += 1
    assert seen > 20
    assert min(ways.values()) > 200


def test_the_other_wins_by_winning_a_part() -> None:
    """The values of whole positions and of parts, by a search that knows of no parts."""
    size, everything = 5, (1 << 25) - 1
    reference, seen = hex_depth_first.workspace(size, log_places=16), {1: 0, -1: 0}
    reference.nodes[1] = 1 << 40

    def value(own: int, other: int) -> int:
        """To the mover, who joins top and bottom."""
        if joins(size, own) or joins(size, int(transpose(grid(size), np.uint64(other)))):
            return 1 if joins(size, own) else -1
        return int(hex_depth_first.prove(reference, np.uint64(own), np.uint64(other))[0])

    def across(cells: int) -> int:
        return int(transpose(grid(size), np.uint64(cells)))

    search, without = (
        workspace(size, 14, SolverOptions(connections=False)),
        workspace(size, 14, SolverOptions(connections=False, decomposition=False)),
    )
    search.nodes[1] = without.nodes[1] = 1 << 40
    for own, other in positions(size, 20000, seed=1, filled=False, share=0.6):
        parts, empty = parts_of(size, own, other), everything & ~(own | other)
        if parts:
            worth = value(across(other), across(own))
            each = [value(across(other), across(own | empty & ~part)) for part in parts]
            assert worth == max(each), (own, other)
            seen[worth] += 1
            for some in (search, without):
                assert prove(some, np.uint64(own), np.uint64(other), 1)[0] == worth
    assert min(seen.values()) > 20, seen
    assert search.nodes[0] != without.nodes[0]
