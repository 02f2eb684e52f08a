"""What is known of a Hex position before it is searched: H-search, proofs of other positions, the order of moves."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, UInt8

from ludus.games.hex.solver.circuit import resistance
from ludus.games.hex.solver.connection_lists import FULL, HALF, joins, smallest
from ludus.games.hex.solver.connections import Connections, connect, must_play, reset_connections
from ludus.games.hex.solver.grid import transpose
from ludus.games.hex.solver.incremental import connect_from, connections_at
from ludus.games.hex.solver.inferior import BLACK
from ludus.games.hex.solver.proof_library import find_proof, narrow_by_threats
from ludus.games.hex.solver.transposition_table import LOSS, UNKNOWN, WIN, rotate, rotate_if
from ludus.games.hex.solver.workspace import CONNECTION_DEPTH, Workspace
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, lowest

MAX_PLIES_BACK = 64  # connections of a position so many plies back are still of use


@jit
def last_connected(space: Workspace, depth: int) -> int:
    """The last node above this one whose connections are stored; -1 if there is none."""
    for ply in range(min(depth, CONNECTION_DEPTH) - 1, max(-1, depth - MAX_PLIES_BACK - 1), -1):
        if space.stack.connected[ply]:
            return ply
    return -1


@jit
def find_connections(
    space: Workspace, side: int, depth: int, before: int, half_is_enough: bool, own: Word, other: Word
) -> Connections:
    """The connections of a side, from those of the node at depth `before` if that is not -1."""
    vcs = connections_at(space.connections[side], depth, half_is_enough)
    if before >= 0:
        connect_from(vcs, connections_at(space.connections[side], before, half_is_enough), own, other)
    else:
        connect(vcs, own, other)
    return vcs


@jit
def restore_connections(space: Workspace, depth: int) -> None:
    """Find the connections of a node again when the search comes back to it: those of its children follow from them."""
    stack, before = space.stack, last_connected(space, depth)
    closed = True
    for side in range(2):
        own, other = stack.filled[depth, side], stack.filled[depth, 1 - side]
        closed = closed and not joins(find_connections(space, side, depth, before, False, own, other).lists, FULL)
    stack.connected[depth] = closed


@jit
def h_search(space: Workspace, depth: int, mover: int, black: Word, white: Word) -> tuple[int, Word, Word]:
    """The value of a position and the carrier, if H-search sees who wins.

    Otherwise `UNKNOWN`, the mover's must-play region, and all cells of the threats that make it one.
    """
    own, other = (black, white) if mover == BLACK else (white, black)
    place = min(depth, CONNECTION_DEPTH)
    if not space.options.connections:
        ours = connections_at(space.connections[mover], place, True)
        reset_connections(ours, own, other)
        reset_connections(connections_at(space.connections[1 - mover], place, False), other, own)
        return UNKNOWN, ours.empty[0], NONE
    before = -1
    if space.options.incremental and depth > 0:
        if depth <= CONNECTION_DEPTH and not space.stack.connected[depth - 1]:
            restore_connections(space, depth - 1)
        before = last_connected(space, depth)
    ours = find_connections(space, mover, place, before, True, own, other)
    if joins(ours.lists, FULL):
        return WIN, smallest(ours.lists, FULL), NONE
    if joins(ours.lists, HALF):
        return WIN, smallest(ours.lists, HALF), NONE
    theirs = find_connections(space, 1 - mover, place, before, False, other, own)
    if joins(theirs.lists, FULL):
        return LOSS, smallest(theirs.lists, FULL), NONE
    must, threats = must_play(theirs)
    if must == NONE:
        return LOSS, threats, NONE
    space.stack.connected[depth] = depth < CONNECTION_DEPTH
    return UNKNOWN, must, threats


@jit
def root_moves(space: Workspace, black: Word, white: Word, mover: int, out: UInt8[np.ndarray, "N"]) -> tuple[int, Word]:
    """Write all moves of an unfinished position, most promising first. Returns how many, and the must-play region."""
    own, other = (black, white) if mover == BLACK else (white, black)
    ours = find_connections(space, mover, 0, -1, True, own, other)
    theirs = find_connections(space, 1 - mover, 0, -1, False, other, own)
    must = NONE if joins(theirs.lists, FULL) else must_play(theirs)[0]
    return order_moves(space, 0, mover, ours.empty[0], out), must


@jit
def order_moves(space: Workspace, depth: int, mover: int, cells: Word, out: UInt8[np.ndarray, "N"]) -> int:
    """Write these moves, the ones with the most current through them first. Returns how many there are."""
    promise = space.promise
    promise[:] = 0.0
    for side in range(2):
        resistance(connections_at(space.connections[side], min(depth, CONNECTION_DEPTH), side == mover), space.circuit)
        for cell in range(len(promise)):
            promise[cell] += space.circuit.flow[cell]
    return sort_by(promise, cells, out)


@jit
def sort_by(promise: Float64[np.ndarray, "N"], cells: Word, out: UInt8[np.ndarray, "N"]) -> int:
    """Insertion sort of a set of cells, the highest promise first. Returns how many there are."""
    length = 0
    while cells:
        cell = lowest(cells)
        cells &= cells - ONE
        at = length
        while at > 0 and promise[out[at - 1]] < promise[cell]:
            out[at] = out[at - 1]
            at -= 1
        out[at] = cell
        length += 1
    return length


@jit
def view_of(space: Workspace, side: int, black: Word, white: Word) -> tuple[Word, Word]:
    """A position as if this side joined top and bottom: its stones and the opponent's."""
    if side == BLACK:
        return black, white
    grid = space.inferior.grids[0]
    return transpose(grid, white), transpose(grid, black)


@jit
def probe_library(space: Workspace, black: Word, white: Word, mover: int) -> tuple[int, Word]:
    """The value of a position and the carrier, if a proof in the library holds here; otherwise `UNKNOWN`."""
    num_cells, grid = len(space.promise), space.inferior.grids[0]
    for side in range(2):
        own, other = view_of(space, side, black, white)
        for rotated in range(2):
            if rotated:
                own, other = rotate(num_cells, own), rotate(num_cells, other)
            for kind in range(2 if side == mover else 1):
                found, carrier = find_proof(space.library, kind, own, other)
                if found:
                    carrier = rotate_if(rotated == 1, num_cells, carrier)
                    return WIN if side == mover else LOSS, carrier if side == BLACK else transpose(grid, carrier)
    return UNKNOWN, NONE


@jit
def narrow_must_play(
    space: Workspace, black: Word, white: Word, mover: int, must: Word, threats: Word
) -> tuple[Word, Word]:
    """Narrow the mover's must-play region by the opponent's threats in the library; add their cells to `threats`."""
    num_cells, grid = len(space.promise), space.inferior.grids[0]
    own, other = view_of(space, 1 - mover, black, white)
    if mover == BLACK:
        must, threats = transpose(grid, must), transpose(grid, threats)
    for _ in range(2):  # as it is, and rotated; rotated twice, it is back
        must, threats = narrow_by_threats(space.library, own, other, must, threats)
        own, other = rotate(num_cells, own), rotate(num_cells, other)
        must, threats = rotate(num_cells, must), rotate(num_cells, threats)
    return (transpose(grid, must), transpose(grid, threats)) if mover == BLACK else (must, threats)
