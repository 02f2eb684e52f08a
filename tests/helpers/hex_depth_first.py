"""A slow, independent search that the prover is tested against: who wins in Hex, by plain depth-first search.

At every node H-search decides whether the mover joins its edges moving first (a win), or the opponent joins its edges
moving second (a loss). Otherwise the mover has to play in the must-play region: every half connection of the
opponent's edges. A proof comes with its carrier; the carrier of a refuted move narrows the region further. After
R. Hayward and others, "Solving 7 x 7 Hex" (2003).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int8, Int16, Int32, Int64, UInt8, UInt64

from ludus.games.hex.solver.analysis import sort_by
from ludus.games.hex.solver.circuit import Circuit, circuit, resistance
from ludus.games.hex.solver.connection_lists import FULL, HALF, joins, smallest
from ludus.games.hex.solver.connections import Connections, connect, connections, must_play
from ludus.games.hex.solver.grid import moved, transpose
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, bit

WIN, LOSS, UNKNOWN = 1, -1, 0
BUCKET = 4  # places of a bucket; the entry that took the least work is replaced


class ProofTable(NamedTuple):
    """Transposition table of proofs, in the mover's view; a position and its rotation share one entry."""

    own: UInt64[np.ndarray, "S"]
    other: UInt64[np.ndarray, "S"]
    carrier: UInt64[np.ndarray, "S"]
    value: Int8[np.ndarray, "S"]  # the mover's
    nodes: Int32[np.ndarray, "S"]  # that the proof took


class SearchStack(NamedTuple):
    """The nodes of the current line, each in its mover's view."""

    own: UInt64[np.ndarray, "D"]
    other: UInt64[np.ndarray, "D"]
    must: UInt64[np.ndarray, "D"]  # the must-play region that is left
    threats: UInt64[np.ndarray, "D"]  # the cells of the threats that make it one
    move: Int16[np.ndarray, "D"]  # the index of the move that is being searched; the number of moves
    length: Int16[np.ndarray, "D"]
    before: Int64[np.ndarray, "D"]  # nodes searched before it


class Workspace(NamedTuple):
    own: Connections
    other: Connections
    circuit: Circuit
    proofs: ProofTable
    stack: SearchStack
    order: UInt8[np.ndarray, "D N"]  # by depth, the moves, most promising first
    promise: Float64[np.ndarray, "N"]
    nodes: Int64[np.ndarray, "2"]  # nodes searched, and the limit


def workspace(size: int, log_places: int) -> Workspace:
    num_cells, places = size**2, 1 << log_places
    return Workspace(
        own=connections(size, half_is_enough=True),  # the mover's
        other=connections(size),
        circuit=circuit(size),
        proofs=ProofTable(*(np.zeros(places, kind) for kind in (np.uint64, np.uint64, np.uint64, np.int8, np.int32))),
        stack=SearchStack(
            own=np.zeros(num_cells + 1, np.uint64),
            other=np.zeros(num_cells + 1, np.uint64),
            must=np.zeros(num_cells + 1, np.uint64),
            threats=np.zeros(num_cells + 1, np.uint64),
            move=np.zeros(num_cells + 1, np.int16),
            length=np.zeros(num_cells + 1, np.int16),
            before=np.zeros(num_cells + 1, np.int64),
        ),
        order=np.zeros((num_cells + 1, num_cells), np.uint8),
        promise=np.zeros(num_cells),
        nodes=np.zeros(2, np.int64),
    )


@jit
def place_of(proofs: ProofTable, own: Word, other: Word) -> int:
    """Where the bucket of a position begins."""
    mixed = (own * np.uint64(0x9E3779B97F4A7C15)) ^ ((other + ONE) * np.uint64(0xC2B2AE3D27D4EB4F))
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return int(np.int64((mixed >> np.uint64(20)) & np.uint64(len(proofs.value) - BUCKET)))


@jit
def probe(space: Workspace, own: Word, other: Word) -> tuple[int, Word]:
    """The value of a position to the mover and the carrier of the proof; `UNKNOWN` if it is not there."""
    proofs = space.proofs
    own_rotated, other_rotated = moved(space.own.grid.rotated, own), moved(space.own.grid.rotated, other)
    turns = own_rotated < own or (own_rotated == own and other_rotated < other)
    if turns:
        own, other = own_rotated, other_rotated
    first = place_of(proofs, own, other)
    for place in range(first, first + BUCKET):
        if proofs.value[place] and proofs.own[place] == own and proofs.other[place] == other:
            carrier = proofs.carrier[place]
            return int(proofs.value[place]), moved(space.own.grid.rotated, carrier) if turns else carrier
    return UNKNOWN, NONE


@jit
def put(space: Workspace, own: Word, other: Word, value: int, carrier: Word, nodes: int) -> None:
    proofs = space.proofs
    own_rotated, other_rotated = moved(space.own.grid.rotated, own), moved(space.own.grid.rotated, other)
    if own_rotated < own or (own_rotated == own and other_rotated < other):
        own, other, carrier = own_rotated, other_rotated, moved(space.own.grid.rotated, carrier)
    first = place_of(proofs, own, other)
    least = first
    for place in range(first, first + BUCKET):
        if proofs.nodes[place] < proofs.nodes[least]:
            least = place
    proofs.own[least], proofs.other[least], proofs.carrier[least] = own, other, carrier
    proofs.value[least], proofs.nodes[least] = value, min(nodes, 1 << 30)


@jit
def h_search(space: Workspace, own: Word, other: Word) -> tuple[int, Word, Word]:
    """The value of a position and the carrier, if H-search sees who wins. Otherwise `UNKNOWN`, the must-play region,
    and the cells of the threats that make it one.
    """
    grid = space.own.grid
    connect(space.own, own, other)
    if joins(space.own.lists, FULL):
        return WIN, smallest(space.own.lists, FULL), NONE
    if joins(space.own.lists, HALF):
        return WIN, smallest(space.own.lists, HALF), NONE
    connect(space.other, transpose(grid, other), transpose(grid, own))
    if joins(space.other.lists, FULL):
        carrier = smallest(space.other.lists, FULL)
        return LOSS, transpose(grid, carrier), NONE
    must, threats = must_play(space.other)
    if must == NONE:
        return LOSS, transpose(grid, threats), NONE
    return UNKNOWN, transpose(grid, must), transpose(grid, threats)


@jit
def order_moves(space: Workspace, cells: Word, out: UInt8[np.ndarray, "N"]) -> int:
    """Write these moves, the ones with the most current through them first. Returns how many there are."""
    promise, transposed = space.promise, space.own.grid.transposed
    resistance(space.own, space.circuit)
    for cell in range(len(promise)):
        promise[cell] = space.circuit.flow[cell]
    resistance(space.other, space.circuit)
    for cell in range(len(promise)):
        promise[cell] += space.circuit.flow[transposed[cell]]
    return sort_by(promise, cells, out)


@jit
def open_node(space: Workspace, depth: int) -> tuple[int, Word]:
    """Analyse a node: its value and the carrier, or `UNKNOWN` if its moves have to be searched."""
    stack = space.stack
    own, other = stack.own[depth], stack.other[depth]
    value, carrier = probe(space, own, other)
    if value != UNKNOWN:
        return value, carrier
    space.nodes[0] += 1
    stack.before[depth] = space.nodes[0]
    if space.nodes[0] > space.nodes[1]:
        return UNKNOWN, NONE
    value, carrier, threats = h_search(space, own, other)
    if value == UNKNOWN:
        must, grid, order = carrier, space.own.grid, space.order[depth]
        theirs, ours = transpose(grid, other), transpose(grid, own)
        length = order_moves(space, must, order)
        for i in range(length):  # children that are decided already
            move = bit(order[i])
            if must & move:
                reply, cells = probe(space, theirs, ours | transpose(grid, move))
                cells = transpose(grid, cells)
                if reply == LOSS:
                    value, carrier = WIN, cells | move
                    break
                if reply == WIN:
                    must &= cells
                    threats |= cells
        if value == UNKNOWN:
            stack.must[depth], stack.threats[depth] = must, threats
            stack.move[depth], stack.length[depth] = 0, length
            return UNKNOWN, NONE
    close_node(space, depth, value, carrier)
    return value, carrier


@jit
def close_node(space: Workspace, depth: int, value: int, carrier: Word) -> None:
    """Store what was proved of a node."""
    stack = space.stack
    put(space, stack.own[depth], stack.other[depth], value, carrier, space.nodes[0] - stack.before[depth] + 1)


@jit
def prove(space: Workspace, own: Word, other: Word) -> tuple[int, Word]:
    """The value of an unfinished position to the mover, and the cells that the winner takes to win; or `UNKNOWN`.

    A loop with a stack, not a recursion: Numba cannot cache recursive functions on disk.
    """
    stack, grid = space.stack, space.own.grid
    depth = 0
    stack.own[0], stack.other[0] = own, other
    value, carrier = open_node(space, 0)
    while space.nodes[0] <= space.nodes[1]:
        if value != UNKNOWN:
            if depth == 0:
                return value, carrier
            depth -= 1  # a move of the node above is decided
            cells = transpose(grid, carrier)
            if value == LOSS:
                value, carrier = WIN, cells | bit(space.order[depth, stack.move[depth]])
                close_node(space, depth, value, carrier)
                continue
            stack.must[depth] &= cells
            stack.threats[depth] |= cells
            stack.move[depth] += 1
        while stack.move[depth] < stack.length[depth]:
            if stack.must[depth] & bit(space.order[depth, stack.move[depth]]):
                break
            stack.move[depth] += 1
        if stack.move[depth] == stack.length[depth]:
            value, carrier = LOSS, stack.threats[depth]
            close_node(space, depth, value, carrier)
            continue
        move = bit(space.order[depth, stack.move[depth]])
        stack.own[depth + 1] = transpose(grid, stack.other[depth])
        stack.other[depth + 1] = transpose(grid, stack.own[depth] | move)
        depth += 1
        value, carrier = open_node(space, depth)
    return UNKNOWN, NONE
