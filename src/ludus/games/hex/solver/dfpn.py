"""Proof-number search in Hex, depth first: where a proof seems to take the least, there it is looked for.

At every position all that is dead or captured is filled in, H-search looks whether it is over, and the mover is left
with the moves that get in the way of all the other's threats and are not dominated or vulnerable. Only the most
promising of them count until they have failed. Where the position falls into parts all of which the other has to win,
the mover's choice is of parts instead. (P. Henderson, B. Arneson, R. Hayward, "Solving 8 x 8 Hex", 2009; and
with J. Pawlewicz, "Solving Hex: beyond humans", 2010.)

Black joins top and bottom. A proof comes with its carrier: the winner wins though all other empty cells were the
loser's.
"""

from __future__ import annotations

import numpy as np

from ludus.games.hex.solver.grid import EVERYTHING, joined, transpose
from ludus.games.hex.solver.inferior import BLACK, fill_in, worth_playing
from ludus.games.hex.solver.library import FIRST, SECOND, learn, needed
from ludus.games.hex.solver.looking import look, narrow, recall, seen_by, sort_moves
from ludus.games.hex.solver.room import Room
from ludus.games.hex.solver.split import split
from ludus.games.hex.solver.store import LOSS, NEVER, UNKNOWN, WIN, find, make_place, solved, turn, write
from ludus.search.compiled import jit
from ludus.search.words import NONE, Word, bit, count

FOCUS = 0.25  # the share of the moves that counts


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
    frames.parts[depth] = 0
    if room.rules.parts:
        frames.parts[depth] = split(
            room.inferior.grids[1 - mover],
            white if mover == BLACK else black,
            (EVERYTHING >> np.uint64(64 - num_cells)) & ~(black | white),
            frames.part[depth],
        )
    if not known:
        frames.length[depth] = sort_moves(room, depth, mover, frames.must[depth], frames.order[depth])
    return UNKNOWN, NONE


@jit
def apart(room: Room, depth: int, mover: int, number: int) -> tuple[Word, Word]:
    """The position of a frame with one part left to play in: the others are the side's that has to win them all."""
    filled = room.frames.filled[depth]
    board = EVERYTHING >> np.uint64(64 - len(room.promise))
    others = board & ~(filled[0] | filled[1] | room.frames.part[depth, number])
    return (filled[0], filled[1] | others) if mover == BLACK else (filled[0] | others, filled[1])


@jit
def weigh_parts(room: Room, depth: int, mover: int) -> tuple[int, Word]:
    """The same of a frame whose position falls into parts: the mover wins it by winning one, moving first."""
    frames, table = room.frames, room.table
    best, second, total, chosen, chosen_disproof, lost = NEVER, NEVER, 0, -1, 0, NONE
    for i in range(frames.parts[depth]):
        black, white = apart(room, depth, mover, i)
        value, carrier = solved(table, black, white, mover)
        if value == WIN:
            return WIN, carrier
        if value == LOSS:
            lost |= carrier
            continue
        place, _ = find(table, black, white, mover)
        proof, disproof = (table.proof[place], table.disproof[place]) if place >= 0 else (1, 1)
        total += disproof
        if proof < best:
            best, second, chosen, chosen_disproof = proof, best, i, disproof
        elif proof < second:
            second = proof
        if not room.rules.numbers:
            break
    if chosen < 0:
        return LOSS, lost
    frames.proof[depth, 0], frames.disproof[depth, 0] = best, min(total, NEVER - 1)
    frames.black[depth + 1], frames.white[depth + 1] = apart(room, depth, mover, chosen)
    frames.mover[depth + 1] = mover
    frames.proof[depth + 1, 1] = min(frames.proof[depth, 1], max(second + 1, second + second // 2))
    frames.disproof[depth + 1, 1] = frames.disproof[depth, 1] - total + chosen_disproof
    return UNKNOWN, NONE


@jit
def weigh(room: Room, depth: int, mover: int) -> tuple[int, Word]:
    """The proof numbers of a frame from its moves', and the next frame to search; or its value and the carrier."""
    if room.frames.parts[depth]:
        return weigh_parts(room, depth, mover)
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
        if room_for == 0 or not room.rules.numbers:
            break
    frames.proof[depth, 0], frames.disproof[depth, 0] = best, min(total, NEVER - 1)
    move = bit(order[chosen])
    frames.black[depth + 1] = black | move if mover == BLACK else black
    frames.white[depth + 1] = white if mover == BLACK else white | move
    frames.mover[depth + 1] = 1 - mover
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
    frames.black[0], frames.white[0], frames.mover[0] = black, white, mover
    frames.proof[0, 1] = frames.disproof[0, 1] = NEVER
    depth = 0
    while True:  # at a frame that has not been looked at
        value, carrier = open_frame(room, depth, frames.mover[depth])
        if value != UNKNOWN:
            write(table, frames.black[depth], frames.white[depth], frames.mover[depth], value, carrier, 1)
            if depth == 0:
                return value, carrier
            depth -= 1
        while True:  # at one that has
            mover = frames.mover[depth]
            value, carrier = weigh(room, depth, mover)
            over = room.nodes[0] > room.nodes[1]
            if (
                value == UNKNOWN
                and not over
                and frames.proof[depth, 0] < frames.proof[depth, 1]
                and frames.disproof[depth, 0] < frames.disproof[depth, 1]
            ):
                break
            carrier = close_frame(room, depth, mover, value, carrier)
            if depth == 0:
                return value, carrier
            depth -= 1
        depth += 1
