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

from ludus.games.hex.solver.analysis import h_search, narrow_must_play, order_moves, probe_library, view_of
from ludus.games.hex.solver.decomposition import decompose
from ludus.games.hex.solver.grid import EVERYTHING, joined, transpose
from ludus.games.hex.solver.inferior import BLACK, fill_in, prune_moves
from ludus.games.hex.solver.proof_library import MOVING_FIRST, MOVING_SECOND, add_proof, needed_stones
from ludus.games.hex.solver.transposition_table import LOSS, NEVER, UNKNOWN, WIN, allocate, find, probe, record, rotate
from ludus.games.hex.solver.workspace import Workspace
from ludus.search.compiled import jit
from ludus.search.words import NONE, Word, bit, count

FOCUS = 0.25  # the share of the moves that counts


@jit
def open_node(space: Workspace, depth: int, mover: int) -> tuple[int, Word]:
    """Look at the position of a frame: its value and the carrier, or `UNKNOWN` if its moves have to be searched."""
    stack, table, num_cells = space.stack, space.table, len(space.promise)
    place, rotated = find(table, stack.black[depth], stack.white[depth], mover)
    known = place >= 0 and table.length[place] > 0
    stack.before[depth], stack.connected[depth] = space.nodes[0], False
    if not known:
        space.nodes[0] += 1
    black, white = stack.black[depth], stack.white[depth]
    captured = space.inferior.captured
    if space.options.inferior:
        black, white = fill_in(space.inferior, black, white)
    stack.filled[depth, 0], stack.filled[depth, 1] = black, white
    stack.captured[depth, 0], stack.captured[depth, 1] = captured[0], captured[1]
    if known:
        must, threats = table.cells[place], table.threats[place]
        stack.must[depth] = rotate(num_cells, must) if rotated else must
        stack.threats[depth] = rotate(num_cells, threats) if rotated else threats
        stack.length[depth] = table.length[place]
        for i in range(table.length[place]):
            cell = table.order[place, i]
            stack.order[depth, i] = num_cells - 1 - cell if rotated else cell
    else:
        for side in range(2):
            if joined(space.inferior.grids[side], black if side == BLACK else white):
                return WIN if side == mover else LOSS, captured[side]
        value, carrier = probe(table, black, white, mover)
        if value == UNKNOWN and space.options.library:
            value, carrier = probe_library(space, black, white, mover)
        if value == UNKNOWN:
            value, carrier, threats = h_search(space, depth, mover, black, white)
            if value == UNKNOWN and space.options.library:
                carrier, threats = narrow_must_play(space, black, white, mover, carrier, threats)
                if carrier == NONE:
                    value, carrier = LOSS, threats
            stack.must[depth], stack.threats[depth] = carrier, threats
        if value != UNKNOWN:
            record(table, black, white, mover, value, carrier, 1)
            return value, carrier | captured[mover if value == WIN else 1 - mover]
    stack.stay[depth], stack.answers[depth] = stack.must[depth], NONE
    if space.options.inferior:
        stay, answers = prune_moves(space.inferior, mover, stack.must[depth])
        stack.stay[depth], stack.answers[depth] = stay, answers
    stack.parts[depth] = 0
    if space.options.parts:
        stack.parts[depth] = decompose(
            space.inferior.grids[1 - mover],
            white if mover == BLACK else black,
            (EVERYTHING >> np.uint64(64 - num_cells)) & ~(black | white),
            stack.part[depth],
        )
    if not known:
        stack.length[depth] = order_moves(space, depth, mover, stack.must[depth], stack.order[depth])
    return UNKNOWN, NONE


@jit
def part_position(space: Workspace, depth: int, mover: int, number: int) -> tuple[Word, Word]:
    """The position of a frame with one part left to play in: the others are the side's that has to win them all."""
    filled = space.stack.filled[depth]
    board = EVERYTHING >> np.uint64(64 - len(space.promise))
    others = board & ~(filled[0] | filled[1] | space.stack.part[depth, number])
    return (filled[0], filled[1] | others) if mover == BLACK else (filled[0] | others, filled[1])


@jit
def choose_part(space: Workspace, depth: int, mover: int) -> tuple[int, Word]:
    """The same of a frame whose position falls into parts: the mover wins it by winning one, moving first."""
    stack, table = space.stack, space.table
    best, second, total, chosen, chosen_disproof, lost = NEVER, NEVER, 0, -1, 0, NONE
    for i in range(stack.parts[depth]):
        black, white = part_position(space, depth, mover, i)
        value, carrier = probe(table, black, white, mover)
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
        if not space.options.numbers:
            break
    if chosen < 0:
        return LOSS, lost
    stack.proof[depth, 0], stack.disproof[depth, 0] = best, min(total, NEVER - 1)
    stack.black[depth + 1], stack.white[depth + 1] = part_position(space, depth, mover, chosen)
    stack.mover[depth + 1] = mover
    stack.proof[depth + 1, 1] = min(stack.proof[depth, 1], max(second + 1, second + second // 2))
    stack.disproof[depth + 1, 1] = stack.disproof[depth, 1] - total + chosen_disproof
    return UNKNOWN, NONE


@jit
def choose_move(space: Workspace, depth: int, mover: int) -> tuple[int, Word]:
    """The proof numbers of a frame from its moves', and the next frame to search; or its value and the carrier."""
    if space.stack.parts[depth]:
        return choose_part(space, depth, mover)
    stack, table = space.stack, space.table
    black, white = stack.filled[depth, 0], stack.filled[depth, 1]
    order = stack.order[depth]
    for i in range(stack.length[depth]):  # what has been proved comes free of charge
        move = bit(order[i])
        if not move & stack.must[depth] & stack.stay[depth]:
            continue
        value, carrier = probe(
            table, black | move if mover == BLACK else black, white if mover == BLACK else white | move, 1 - mover
        )
        if value == LOSS:
            return WIN, carrier | move
        if value == WIN:
            stack.must[depth] &= carrier
            stack.threats[depth] |= carrier
    left = stack.must[depth] & stack.stay[depth]
    if left == NONE:
        carrier = stack.threats[depth]
        return LOSS, carrier | stack.answers[depth] if stack.must[depth] else carrier
    room_for = 1 + int(np.ceil(FOCUS * count(left)))
    best, second, total, chosen, chosen_proof = NEVER, NEVER, 0, -1, 0
    for i in range(stack.length[depth]):
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
        if room_for == 0 or not space.options.numbers:
            break
    stack.proof[depth, 0], stack.disproof[depth, 0] = best, min(total, NEVER - 1)
    move = bit(order[chosen])
    stack.black[depth + 1] = black | move if mover == BLACK else black
    stack.white[depth + 1] = white if mover == BLACK else white | move
    stack.mover[depth + 1] = 1 - mover
    limit = max(second + 1, second + second // 2)
    stack.disproof[depth + 1, 1] = min(stack.proof[depth, 1], limit)
    stack.proof[depth + 1, 1] = stack.disproof[depth, 1] - total + chosen_proof
    return UNKNOWN, NONE


@jit
def close_node(space: Workspace, depth: int, mover: int, value: int, carrier: Word) -> Word:
    """Remember what is known of a frame's position. Returns the carrier where nothing has been filled in."""
    stack, table = space.stack, space.table
    work = int(space.nodes[0] - stack.before[depth])
    if value != UNKNOWN:
        record(table, stack.filled[depth, 0], stack.filled[depth, 1], mover, value, carrier, work)
        carrier |= stack.captured[depth, mover if value == WIN else 1 - mover]
        record(table, stack.black[depth], stack.white[depth], mover, value, carrier, work)
        if space.options.library:
            grid, winner = space.inferior.grids[0], mover if value == WIN else 1 - mover
            own, _ = view_of(space, winner, stack.black[depth], stack.white[depth])
            cells = carrier if winner == BLACK else transpose(grid, carrier)
            add_proof(
                space.library, MOVING_FIRST if value == WIN else MOVING_SECOND, needed_stones(grid, own, cells), cells
            )
        return carrier
    place, rotated = allocate(table, stack.black[depth], stack.white[depth], mover)
    num_cells = len(space.promise)
    table.proof[place], table.disproof[place] = stack.proof[depth, 0], stack.disproof[depth, 0]
    table.work[place] = min(table.work[place] + work, 1 << 30)
    must, threats = stack.must[depth], stack.threats[depth]
    table.cells[place] = rotate(num_cells, must) if rotated else must
    table.threats[place] = rotate(num_cells, threats) if rotated else threats
    table.length[place] = stack.length[depth]
    for i in range(stack.length[depth]):
        cell = stack.order[depth, i]
        table.order[place, i] = num_cells - 1 - cell if rotated else cell
    return NONE


@jit
def prove(space: Workspace, black: Word, white: Word, mover: int) -> tuple[int, Word]:
    """The value of an unfinished position to the mover, and the cells that the winner takes to win; or `UNKNOWN`.

    Depth first over frames, one a ply, and no function that calls itself, for that could not be kept on disk.
    """
    stack, table = space.stack, space.table
    value, carrier = probe(table, black, white, mover)
    if value != UNKNOWN:
        return value, carrier
    stack.black[0], stack.white[0], stack.mover[0] = black, white, mover
    stack.proof[0, 1] = stack.disproof[0, 1] = NEVER
    depth = 0
    while True:  # at a frame that has not been looked at
        value, carrier = open_node(space, depth, stack.mover[depth])
        if value != UNKNOWN:
            record(table, stack.black[depth], stack.white[depth], stack.mover[depth], value, carrier, 1)
            if depth == 0:
                return value, carrier
            depth -= 1
        while True:  # at one that has
            mover = stack.mover[depth]
            value, carrier = choose_move(space, depth, mover)
            over = space.nodes[0] > space.nodes[1]
            if (
                value == UNKNOWN
                and not over
                and stack.proof[depth, 0] < stack.proof[depth, 1]
                and stack.disproof[depth, 0] < stack.disproof[depth, 1]
            ):
                break
            carrier = close_node(space, depth, mover, value, carrier)
            if depth == 0:
                return value, carrier
            depth -= 1
        depth += 1
