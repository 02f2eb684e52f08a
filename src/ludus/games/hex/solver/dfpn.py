"""Proof-number search in Hex, depth first: where a proof seems to take the least, there it is looked for.

At every position all that is dead or captured is filled in, H-search looks whether it is over, and the mover is left
with the moves that get in the way of all the other's threats and are not dominated or vulnerable. Only the most
promising of them count until they have failed. (P. Henderson, B. Arneson, R. Hayward, "Solving 8 x 8 Hex", 2009; and
with J. Pawlewicz, "Solving Hex: beyond humans", 2010.)

Black joins top and bottom. A proof comes with its carrier: the winner wins though all other empty cells were the
loser's.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import UInt8

from ludus.games.hex.solver.circuit import resistance
from ludus.games.hex.solver.connections import FULL, HALF, connect, joins, must_play, set_up, smallest
from ludus.games.hex.solver.grid import joined, transpose
from ludus.games.hex.solver.inferior import BLACK, fill_in, worth_playing
from ludus.games.hex.solver.library import FIRST, SECOND, holds, learn, needed, threatened
from ludus.games.hex.solver.reconnect import net_at, reconnect
from ludus.games.hex.solver.room import KEPT, Room
from ludus.games.hex.solver.store import LOSS, NEVER, UNKNOWN, WIN, find, make_place, solved, turn, write
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, bit, count, lowest

FOCUS = 0.25  # the share of the moves that counts
BACK = 64  # how many plies back connections are still of use


@jit
def connected_before(room: Room, depth: int) -> int:
    """The last frame before this whose connections are kept; -1 if there is none."""
    for ply in range(min(depth, KEPT) - 1, max(-1, depth - BACK - 1), -1):
        if room.frames.connected[ply]:
            return ply
    return -1


@jit
def restore(room: Room, depth: int, mover: int) -> None:
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
            restore(room, depth - 1, 1 - mover)
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


@jit
def open_frame(room: Room, depth: int, mover: int) -> tuple[int, Word]:
    """Look at the position of a frame: its value and the carrier, or `UNKNOWN` if its moves have to be searched."""
    frames, table, num_cells = room.frames, room.table, len(room.promise)
    place, turned = find(table, frames.black[depth], frames.white[depth], mover)
    known = place >= 0 and table.length[place] > 0
    frames.before[depth], frames.connected[depth] = room.nodes[0], False
    if not known:
        room.nodes[0] += 1
    black, white = frames.black[depth], frames.white[depth]
    captured = room.inferior.captured
    if room.rules.inferior:
        black, white = fill_in(room.inferior, black, white)
    frames.filled[depth, 0], frames.filled[depth, 1] = black, white
    frames.captured[depth, 0], frames.captured[depth, 1] = captured[0], captured[1]
    if known:
        must, threats = table.cells[place], table.threats[place]
        frames.must[depth] = turn(num_cells, must) if turned else must
        frames.threats[depth] = turn(num_cells, threats) if turned else threats
        frames.length[depth] = table.length[place]
        for i in range(table.length[place]):
            cell = table.order[place, i]
            frames.order[depth, i] = num_cells - 1 - cell if turned else cell
    else:
        for side in range(2):
            if joined(room.inferior.grids[side], black if side == BLACK else white):
                return WIN if side == mover else LOSS, captured[side]
        value, carrier = solved(table, black, white, mover)
        if value == UNKNOWN and room.rules.library:
            value, carrier = recall(room, black, white, mover)
        if value == UNKNOWN:
            value, carrier, threats = look(room, depth, mover, black, white)
            if value == UNKNOWN and room.rules.library:
                carrier, threats = narrow(room, black, white, mover, carrier, threats)
                if carrier == NONE:
                    value, carrier = LOSS, threats
            frames.must[depth], frames.threats[depth] = carrier, threats
        if value != UNKNOWN:
            write(table, black, white, mover, value, carrier, 1)
            return value, carrier | captured[mover if value == WIN else 1 - mover]
    frames.stay[depth], frames.answers[depth] = frames.must[depth], NONE
    if room.rules.inferior:
        stay, answers = worth_playing(room.inferior, mover, frames.must[depth])
        frames.stay[depth], frames.answers[depth] = stay, answers
    if not known:
        frames.length[depth] = sort_moves(room, depth, mover, frames.must[depth], frames.order[depth])
    return UNKNOWN, NONE


@jit
def weigh(room: Room, depth: int, mover: int) -> tuple[int, Word]:
    """The proof numbers of a frame from its moves', and the move to search; or its value and the carrier."""
    frames, table = room.frames, room.table
    black, white = frames.filled[depth, 0], frames.filled[depth, 1]
    order = frames.order[depth]
    for i in range(frames.length[depth]):  # what has been proved comes free of charge
        move = bit(order[i])
        if not move & frames.must[depth] & frames.stay[depth]:
            continue
        value, carrier = solved(
            table, black | move if mover == BLACK else black, white if mover == BLACK else white | move, 1 - mover
        )
        if value == LOSS:
            return WIN, carrier | move
        if value == WIN:
            frames.must[depth] &= carrier
            frames.threats[depth] |= carrier
    left = frames.must[depth] & frames.stay[depth]
    if left == NONE:
        carrier = frames.threats[depth]
        return LOSS, carrier | frames.answers[depth] if frames.must[depth] else carrier
    room_for = 1 + int(np.ceil(FOCUS * count(left)))
    best, second, total, chosen, chosen_proof = NEVER, NEVER, 0, -1, 0
    for i in range(frames.length[depth]):
        move = bit(order[i])
        if not move & left:
            continue
        place, _ = find(
            table, black | move if mover == BLACK else black, white if mover == BLACK else white | move, 1 - mover
        )
        proof, disproof = (table.proof[place], table.disproof[place]) if place >= 0 else (1, 1)
        total += proof
        if disproof < best:
            best, second, chosen, chosen_proof = disproof, best, i, proof
        elif disproof < second:
            second = disproof
        room_for -= 1
        if room_for == 0:
            break
    frames.proof[depth, 0], frames.disproof[depth, 0] = best, min(total, NEVER - 1)
    frames.move[depth] = order[chosen]
    limit = max(second + 1, second + second // 2)
    frames.disproof[depth + 1, 1] = min(frames.proof[depth, 1], limit)
    frames.proof[depth + 1, 1] = frames.disproof[depth, 1] - total + chosen_proof
    return UNKNOWN, NONE


@jit
def close_frame(room: Room, depth: int, mover: int, value: int, carrier: Word) -> Word:
    """Remember what is known of a frame's position. Returns the carrier where nothing has been filled in."""
    frames, table = room.frames, room.table
    work = int(room.nodes[0] - frames.before[depth])
    if value != UNKNOWN:
        write(table, frames.filled[depth, 0], frames.filled[depth, 1], mover, value, carrier, work)
        carrier |= frames.captured[depth, mover if value == WIN else 1 - mover]
        write(table, frames.black[depth], frames.white[depth], mover, value, carrier, work)
        if room.rules.library:
            grid, winner = room.inferior.grids[0], mover if value == WIN else 1 - mover
            own, _ = seen_by(room, winner, frames.black[depth], frames.white[depth])
            cells = carrier if winner == BLACK else transpose(grid, carrier)
            learn(room.library, FIRST if value == WIN else SECOND, needed(grid, own, cells), cells)
        return carrier
    place, turned = make_place(table, frames.black[depth], frames.white[depth], mover)
    num_cells = len(room.promise)
    table.proof[place], table.disproof[place] = frames.proof[depth, 0], frames.disproof[depth, 0]
    table.work[place] = min(table.work[place] + work, 1 << 30)
    must, threats = frames.must[depth], frames.threats[depth]
    table.cells[place] = turn(num_cells, must) if turned else must
    table.threats[place] = turn(num_cells, threats) if turned else threats
    table.length[place] = frames.length[depth]
    for i in range(frames.length[depth]):
        cell = frames.order[depth, i]
        table.order[place, i] = num_cells - 1 - cell if turned else cell
    return NONE


@jit
def prove(room: Room, black: Word, white: Word, mover: int) -> tuple[int, Word]:
    """The value of an unfinished position to the mover, and the cells that the winner takes to win; or `UNKNOWN`.

    Depth first over frames, one a ply, and no function that calls itself, for that could not be kept on disk.
    """
    frames, table = room.frames, room.table
    value, carrier = solved(table, black, white, mover)
    if value != UNKNOWN:
        return value, carrier
    frames.black[0], frames.white[0] = black, white
    frames.proof[0, 1] = frames.disproof[0, 1] = NEVER
    depth = 0
    value, carrier = open_frame(room, 0, mover)
    if value != UNKNOWN:
        write(table, black, white, mover, value, carrier, 1)
        return value, carrier
    while True:
        value, carrier = weigh(room, depth, mover)
        over = room.nodes[0] > room.nodes[1]
        if (
            value != UNKNOWN
            or over
            or frames.proof[depth, 0] >= frames.proof[depth, 1]
            or frames.disproof[depth, 0] >= frames.disproof[depth, 1]
        ):
            carrier = close_frame(room, depth, mover, value, carrier)
            if depth == 0:
                return value, carrier
            depth, mover = depth - 1, 1 - mover
            continue
        move = bit(frames.move[depth])
        filled = frames.filled[depth]
        frames.black[depth + 1] = filled[0] | move if mover == BLACK else filled[0]
        frames.white[depth + 1] = filled[1] if mover == BLACK else filled[1] | move
        depth, mover = depth + 1, 1 - mover
        value, carrier = open_frame(room, depth, mover)
        if value != UNKNOWN:
            write(table, frames.black[depth], frames.white[depth], mover, value, carrier, 1)
            depth, mover = depth - 1, 1 - mover
