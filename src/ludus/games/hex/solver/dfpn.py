"""Depth-first proof-number search (df-pn) in Hex: always expand the move that seems easiest to prove.

At every node dead and captured cells are filled in, and H-search looks whether the position is decided. The moves to
search are those of the must-play region that are neither dominated nor vulnerable. Only the most promising of them are
considered until they have failed (focused df-pn). Where the position decomposes into parts, the opponent has to win
all of them; then the children are the parts instead of moves. After P. Henderson, B. Arneson, R. Hayward, "Solving
8 x 8 Hex" (2009), and with J. Pawlewicz, "Solving Hex: beyond humans" (2010).

Black joins top and bottom. A proof comes with its carrier: the winner wins even if the loser has all other empty cells.
"""

from __future__ import annotations

import numpy as np

from ludus.games.hex.solver.analysis import h_search, narrow_must_play, order_moves, probe_library, view_of
from ludus.games.hex.solver.decomposition import decompose
from ludus.games.hex.solver.grid import EVERYTHING, joined, transpose
from ludus.games.hex.solver.inferior import BLACK, fill_in, prune_moves
from ludus.games.hex.solver.proof_library import MOVING_FIRST, MOVING_SECOND, add_proof, needed_stones
from ludus.games.hex.solver.transposition_table import (
    LOSS,
    NEVER,
    UNKNOWN,
    WIN,
    allocate,
    copy_moves,
    find,
    probe,
    record,
    rotate_if,
)
from ludus.games.hex.solver.workspace import Workspace
from ludus.search.compiled import jit
from ludus.search.words import NONE, Word, bit, count

FOCUS = 0.25  # the share of the moves that is considered at a time


@jit
def after_move(black: Word, white: Word, mover: int, move: Word) -> tuple[Word, Word]:
    return (black | move, white) if mover == BLACK else (black, white | move)


@jit
def open_node(space: Workspace, depth: int, mover: int) -> tuple[int, Word]:
    """Analyse a node: its value and the carrier, or `UNKNOWN` if its moves have to be searched."""
    stack, table, num_cells = space.stack, space.table, len(space.promise)
    place, rotated = find(table, stack.black[depth], stack.white[depth], mover)
    known = place >= 0 and table.num_moves[place] > 0
    stack.nodes_before[depth], stack.connected[depth] = space.nodes[0], False
    if not known:
        space.nodes[0] += 1
    black, white = stack.black[depth], stack.white[depth]
    captured = space.inferior.captured
    if space.options.inferior:
        black, white = fill_in(space.inferior, black, white)
    stack.filled[depth, 0], stack.filled[depth, 1] = black, white
    stack.captured[depth, 0], stack.captured[depth, 1] = captured[0], captured[1]
    if known:
        stack.must_play[depth] = rotate_if(rotated, num_cells, table.cells[place])
        stack.threats[depth] = rotate_if(rotated, num_cells, table.threats[place])
        stack.num_moves[depth] = table.num_moves[place]
        copy_moves(table.moves[place], table.num_moves[place], num_cells, rotated, stack.moves[depth])
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
            stack.must_play[depth], stack.threats[depth] = carrier, threats
        if value != UNKNOWN:
            record(table, black, white, mover, value, carrier, 1)
            return value, carrier | captured[mover if value == WIN else 1 - mover]
    stack.kept[depth], stack.killers[depth] = stack.must_play[depth], NONE
    if space.options.inferior:
        stack.kept[depth], stack.killers[depth] = prune_moves(space.inferior, mover, stack.must_play[depth])
    stack.num_parts[depth] = 0
    if space.options.decomposition:
        stack.num_parts[depth] = decompose(
            space.inferior.grids[1 - mover],
            white if mover == BLACK else black,
            (EVERYTHING >> np.uint64(64 - num_cells)) & ~(black | white),
            stack.parts[depth],
        )
    if not known:
        stack.num_moves[depth] = order_moves(space, depth, mover, stack.must_play[depth], stack.moves[depth])
    return UNKNOWN, NONE


@jit
def part_position(space: Workspace, depth: int, mover: int, number: int) -> tuple[Word, Word]:
    """A node's position with only one part left to play in; the opponent, who has to win all parts, gets the others."""
    filled = space.stack.filled[depth]
    board = EVERYTHING >> np.uint64(64 - len(space.promise))
    others = board & ~(filled[0] | filled[1] | space.stack.parts[depth, number])
    return (filled[0], filled[1] | others) if mover == BLACK else (filled[0] | others, filled[1])


@jit
def choose_part(space: Workspace, depth: int, mover: int) -> tuple[int, Word]:
    """`choose_move` for a node that decomposes into parts: the mover wins if it wins one of them, moving first."""
    stack, table = space.stack, space.table
    best, second, total, chosen, chosen_disproof, lost = NEVER, NEVER, 0, -1, 0, NONE
    for i in range(stack.num_parts[depth]):
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
        if not space.options.proof_numbers:
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
    """Compute a node's proof numbers from its children's and set up the child to search; or its value and carrier."""
    if space.stack.num_parts[depth]:
        return choose_part(space, depth, mover)
    stack, table = space.stack, space.table
    black, white = stack.filled[depth, 0], stack.filled[depth, 1]
    moves = stack.moves[depth]
    for i in range(stack.num_moves[depth]):  # children that are decided already
        move = bit(moves[i])
        if not move & stack.must_play[depth] & stack.kept[depth]:
            continue
        value, carrier = probe(table, *after_move(black, white, mover, move), 1 - mover)
        if value == LOSS:
            return WIN, carrier | move
        if value == WIN:
            stack.must_play[depth] &= carrier
            stack.threats[depth] |= carrier
    left = stack.must_play[depth] & stack.kept[depth]
    if left == NONE:
        carrier = stack.threats[depth]
        return LOSS, carrier | stack.killers[depth] if stack.must_play[depth] else carrier
    wanted = 1 + int(np.ceil(FOCUS * count(left)))
    best, second, total, chosen, chosen_proof = NEVER, NEVER, 0, -1, 0
    for i in range(stack.num_moves[depth]):
        move = bit(moves[i])
        if not move & left:
            continue
        place, _ = find(table, *after_move(black, white, mover, move), 1 - mover)
        proof, disproof = (table.proof[place], table.disproof[place]) if place >= 0 else (1, 1)
        total += proof
        if disproof < best:
            best, second, chosen, chosen_proof = disproof, best, i, proof
        elif disproof < second:
            second = disproof
        wanted -= 1
        if wanted == 0 or not space.options.proof_numbers:
            break
    stack.proof[depth, 0], stack.disproof[depth, 0] = best, min(total, NEVER - 1)
    stack.black[depth + 1], stack.white[depth + 1] = after_move(black, white, mover, bit(moves[chosen]))
    stack.mover[depth + 1] = 1 - mover
    limit = max(second + 1, second + second // 2)
    stack.disproof[depth + 1, 1] = min(stack.proof[depth, 1], limit)
    stack.proof[depth + 1, 1] = stack.disproof[depth, 1] - total + chosen_proof
    return UNKNOWN, NONE


@jit
def close_node(space: Workspace, depth: int, mover: int, value: int, carrier: Word) -> Word:
    """Store what is known of a node. Returns the carrier for its position before filling in."""
    stack, table = space.stack, space.table
    work = int(space.nodes[0] - stack.nodes_before[depth])
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
    table.cells[place] = rotate_if(rotated, num_cells, stack.must_play[depth])
    table.threats[place] = rotate_if(rotated, num_cells, stack.threats[depth])
    table.num_moves[place] = stack.num_moves[depth]
    copy_moves(stack.moves[depth], stack.num_moves[depth], num_cells, rotated, table.moves[place])
    return NONE


@jit
def prove(space: Workspace, black: Word, white: Word, mover: int) -> tuple[int, Word]:
    """The mover's value of an unfinished position and the carrier; `UNKNOWN` if the limit of nodes is reached.

    A loop with a stack, not a recursion: Numba cannot cache recursive functions on disk.
    """
    stack, table = space.stack, space.table
    value, carrier = probe(table, black, white, mover)
    if value != UNKNOWN:
        return value, carrier
    stack.black[0], stack.white[0], stack.mover[0] = black, white, mover
    stack.proof[0, 1] = stack.disproof[0, 1] = NEVER
    depth = 0
    while True:  # at a new node
        value, carrier = open_node(space, depth, stack.mover[depth])
        if value != UNKNOWN:
            record(table, stack.black[depth], stack.white[depth], stack.mover[depth], value, carrier, 1)
            if depth == 0:
                return value, carrier
            depth -= 1
        while True:  # at a node that is open
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
