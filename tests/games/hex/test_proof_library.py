"""The library of Hex proofs: where a proof from another position holds, its side really wins."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import hex_depth_first

from ludus.games.hex.solver import proof_library as hex_proof_library
from ludus.games.hex.solver import tablebase as hex_tablebase
from ludus.games.hex.solver.dfpn import prove
from ludus.games.hex.solver.grid import grid, transpose
from ludus.games.hex.solver.proof_library import MOVING_FIRST, MOVING_SECOND
from ludus.games.hex.solver.workspace import SolverOptions, workspace
from ludus.search.words import NONE

pytestmark = pytest.mark.slow  # Numba compiles for half a minute before the first of them

SIZE, EVERYTHING = 4, (1 << 16) - 1


def across(cells: int) -> int:
    return int(transpose(grid(SIZE), np.uint64(cells)))


def positions(number: int, seed: int) -> list[tuple[int, int, int]]:
    """Unfinished ones of the table, and the set of the mover's winning moves."""
    table = hex_tablebase.tablebase(SIZE)
    rows = np.random.default_rng(seed).choice(np.flatnonzero(table.plies), number, replace=False)
    found = zip(table.own[rows], table.other[rows], table.winning[rows], strict=True)
    return [(int(own), int(other), int(winning)) for own, other, winning in found]


@pytest.fixture(scope="module")
def library() -> hex_proof_library.ProofLibrary:
    """Proofs of positions that were searched without a library, as the winner who joins top and bottom sees them."""
    search, library = workspace(SIZE, 14, SolverOptions(library=False)), hex_proof_library.proof_library(1024)
    search.nodes[1] = 1 << 40
    for own, other, winning in positions(700, seed=1):
        value, cells = prove(search, np.uint64(own), np.uint64(other), 0)
        assert (value == 1) == bool(winning)
        stones, carrier = (own, int(cells)) if winning else (across(other), across(int(cells)))
        needed_stones = hex_proof_library.needed_stones(grid(SIZE), np.uint64(stones), np.uint64(carrier))
        assert not int(needed_stones) & ~stones
        kind = MOVING_FIRST if winning else MOVING_SECOND
        hex_proof_library.add_proof(library, kind, np.uint64(needed_stones), np.uint64(carrier))
    return library


def test_where_a_proof_holds_its_side_wins(library: hex_proof_library.ProofLibrary) -> None:
    held = {MOVING_FIRST: 0, MOVING_SECOND: 0}
    for own, other, winning in positions(4000, seed=2):
        for kind in (
            MOVING_FIRST,
            MOVING_SECOND,
        ):  # the mover wins, and all the more where it would though it moved second
            find_proof, carrier = hex_proof_library.find_proof(library, kind, np.uint64(own), np.uint64(other))
            assert not find_proof or winning, (own, other, kind)
            assert not int(carrier) & (own | other)
        find_proof, carrier = hex_proof_library.find_proof(
            library, MOVING_SECOND, np.uint64(across(other)), np.uint64(across(own))
        )
        assert not (find_proof and winning), (own, other)
        held[MOVING_SECOND] += find_proof
        held[MOVING_FIRST] += hex_proof_library.find_proof(library, MOVING_FIRST, np.uint64(own), np.uint64(other))[0]
    assert min(held.values()) > 100, held


def test_who_does_not_play_in_a_threat_loses(library: hex_proof_library.ProofLibrary) -> None:
    narrowed = 0
    for own, other, winning in positions(3000, seed=3):
        sides = (np.uint64(across(other)), np.uint64(across(own)))
        everywhere = np.uint64(EVERYTHING & ~(sides[0] | sides[1]))
        must, threats = hex_proof_library.narrow_by_threats(library, *sides, everywhere, NONE)
        assert not across(winning) & ~int(must), (own, other)
        assert (must == everywhere) == (threats == 0)
        narrowed += must != everywhere
    assert narrowed > 300


def test_a_winner_needs_whole_chains_and_a_threat_takes_all_its_cells() -> None:
    """On 4 x 4: a1 to a3 are a chain, of which only a3 is next to the carrier, and d4 is next to nothing."""
    chain, far, carrier = 1 << 0 | 1 << 4 | 1 << 8, 1 << 15, 1 << 12 | 1 << 13
    assert hex_proof_library.needed_stones(grid(4), np.uint64(chain | far), np.uint64(carrier)) == chain
    library = hex_proof_library.proof_library(64)
    hex_proof_library.add_proof(library, MOVING_FIRST, np.uint64(chain), np.uint64(carrier | chain))
    sides, must, threats = (np.uint64(chain | far), NONE), np.uint64(1 << 13 | 1 << 14), np.uint64(1 << 3)
    assert hex_proof_library.narrow_by_threats(library, *sides, must, threats) == (1 << 13, carrier | 1 << 3)
    without = np.uint64(chain & ~1 | far), NONE  # a chain that lacks a stone does not hold
    assert hex_proof_library.narrow_by_threats(library, *without, must, threats) == (must, threats)


def test_what_is_used_stays_and_what_was_learned_can_be_told_apart() -> None:
    library = hex_proof_library.proof_library(64)
    for number in range(64):
        hex_proof_library.add_proof(library, MOVING_FIRST, np.uint64(1 << number), NONE)
    library.used[MOVING_FIRST, :10] = True
    for number in range(54):
        hex_proof_library.add_proof(library, MOVING_FIRST, np.uint64(1), np.uint64(1 << number))
    assert library.stones[MOVING_FIRST, :10].tolist() == [1 << number for number in range(10)]
    fresh = hex_proof_library.added_after(library, 64)
    assert sorted(fresh[MOVING_FIRST][1].tolist()) == [1 << number for number in range(54)]
    assert len(fresh[MOVING_SECOND][0]) == 0


def test_the_whole_search_tells_the_same_with_and_without() -> None:
    """With the library fewer nodes are searched."""
    nodes = []
    for options in (SolverOptions(), SolverOptions(library=False)):
        search, reference = workspace(5, 16, options), hex_depth_first.workspace(5, log_places=16)
        search.nodes[1] = reference.nodes[1] = 1 << 40
        for cell in range(25):
            value, _ = prove(search, np.uint64(1 << cell), NONE, 1)
            rotated = np.uint64(transpose(grid(5), np.uint64(1 << cell)))
            assert value == hex_depth_first.prove(reference, NONE, rotated)[0]
        nodes.append(int(search.nodes[0]))
    assert nodes[0] < nodes[1]
