"""What is known of a Hex position before it is searched: connections, proofs of other positions, the order of moves."""

from __future__ import annotations

import numpy as np
from jaxtyping import UInt8

from ludus.games.hex.solver.circuit import resistance
from ludus.games.hex.solver.connections import FULL, HALF, connect, joins, must_play, set_up, smallest
from ludus.games.hex.solver.grid import transpose
from ludus.games.hex.solver.inferior import BLACK
from ludus.games.hex.solver.library import holds, threatened
from ludus.games.hex.solver.reconnect import net_at, reconnect
from ludus.games.hex.solver.room import KEPT, Room
from ludus.games.hex.solver.store import LOSS, UNKNOWN, WIN, turn
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, lowest

BACK = 64  # how many plies back connections are still of use


@jit
def connected_before(room: Room, depth: int) -> int:
    """The last frame before this whose connections are kept; -1 if there is none."""
    for ply in range(min(depth, KEPT) - 1, max(-1, depth - BACK - 1), -1):
        if room.frames.connected[ply]:
            return ply
    return -1


@jit
def restore(room: Room, depth: int) -> None:
    """Find the connections of a frame again that was left and come back to: its moves' follow from them."""
    frames, before = room.frames, connected_before(room, depth)
    closed = True
    for side in range(2):
        own, other = frames.filled[depth, side], frames.filled[depth, 1 - side]
        found = net_at(room.nets[side], depth, False)
        if before >= 0:
            reconnect(found, net_at(room.nets[side], before, False), own, other)
        else:
            connect(found, own, other)
        closed = closed and not joins(found.core, FULL)
    frames.connected[depth] = closed


@jit
def look(room: Room, depth: int, mover: int, black: Word, white: Word) -> tuple[int, Word, Word]:
    """What H-search says of a position: its value and the carrier; or `UNKNOWN`, the cells that the mover has to play
    in, and all those of the threats that say so.
    """
    own, other = (black, white) if mover == BLACK else (white, black)
    place = min(depth, KEPT)
    ours, theirs = net_at(room.nets[mover], place, True), net_at(room.nets[1 - mover], place, False)
    if not room.rules.connections:
        set_up(ours, own, other)
        set_up(theirs, other, own)
        return UNKNOWN, ours.empty[0], NONE
    before = -1
    if room.rules.incremental and depth > 0:
        if depth <= KEPT and not room.frames.connected[depth - 1]:
            restore(room, depth - 1)
        before = connected_before(room, depth)
    if before >= 0:
        reconnect(ours, net_at(room.nets[mover], before, True), own, other)
    else:
        connect(ours, own, other)
    if joins(ours.core, FULL):
        return WIN, smallest(ours.core, FULL), NONE
    if joins(ours.core, HALF):
        return WIN, smallest(ours.core, HALF), NONE
    if before >= 0:
        reconnect(theirs, net_at(room.nets[1 - mover], before, False), other, own)
    else:
        connect(theirs, other, own)
    if joins(theirs.core, FULL):
        return LOSS, smallest(theirs.core, FULL), NONE
    must, threats = must_play(theirs)
    if must == NONE:
        return LOSS, threats, NONE
    room.frames.connected[depth] = depth < KEPT
    return UNKNOWN, must, threats


@jit
def survey(room: Room, black: Word, white: Word, mover: int, out: UInt8[np.ndarray, "N"]) -> tuple[int, Word]:
    """Write all moves of an unfinished position, most promising first. How many, and where the mover has to play."""
    own, other = (black, white) if mover == BLACK else (white, black)
    ours, theirs = net_at(room.nets[mover], 0, True), net_at(room.nets[1 - mover], 0, False)
    connect(ours, own, other)
    connect(theirs, other, own)
    must = NONE if joins(theirs.core, FULL) else must_play(theirs)[0]
    return sort_moves(room, 0, mover, ours.empty[0], out), must


@jit
def sort_moves(room: Room, depth: int, mover: int, cells: Word, out: UInt8[np.ndarray, "N"]) -> int:
    """Write these moves, those first through which most of the current goes that joins either side's edges."""
    promise = room.promise
    promise[:] = 0.0
    for side in range(2):
        resistance(net_at(room.nets[side], min(depth, KEPT), side == mover), room.circuit)
        for cell in range(len(promise)):
            promise[cell] += room.circuit.flow[cell]
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
def seen_by(room: Room, side: int, black: Word, white: Word) -> tuple[Word, Word]:
    """A position as if this side joined top and bottom: its stones and the other's."""
    if side == BLACK:
        return black, white
    grid = room.inferior.grids[0]
    return transpose(grid, white), transpose(grid, black)


@jit
def recall(room: Room, black: Word, white: Word, mover: int) -> tuple[int, Word]:
    """The value of a position and the carrier, if a proof of another one holds here; else `UNKNOWN`."""
    num_cells, grid = len(room.promise), room.inferior.grids[0]
    for side in range(2):
        own, other = seen_by(room, side, black, white)
        for turned in range(2):
            if turned:
                own, other = turn(num_cells, own), turn(num_cells, other)
            for kind in range(2 if side == mover else 1):
                found, carrier = holds(room.library, kind, own, other)
                if found:
                    if turned:
                        carrier = turn(num_cells, carrier)
                    return WIN if side == mover else LOSS, carrier if side == BLACK else transpose(grid, carrier)
    return UNKNOWN, NONE


@jit
def narrow(room: Room, black: Word, white: Word, mover: int, must: Word, threats: Word) -> tuple[Word, Word]:
    """Where the mover has to play, by the other's threats in proofs of other positions too; and all their cells."""
    num_cells, grid = len(room.promise), room.inferior.grids[0]
    own, other = seen_by(room, 1 - mover, black, white)
    if mover == BLACK:
        must, threats = transpose(grid, must), transpose(grid, threats)
    must, threats = threatened(room.library, own, other, must, threats)
    own, other, must, threats = (
        turn(num_cells, own),
        turn(num_cells, other),
        turn(num_cells, must),
        turn(num_cells, threats),
    )
    must, threats = threatened(room.library, own, other, must, threats)
    must, threats = turn(num_cells, must), turn(num_cells, threats)
    return (transpose(grid, must), transpose(grid, threats)) if mover == BLACK else (must, threats)
