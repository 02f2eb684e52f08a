"""The slow search that the prover is held to: who wins in Hex, by another way to the same truth.

Depth first. At every position H-search looks whether the mover can join its edges moving first: then it has won; and
whether the other can though it moves second: then it has lost. Else the mover has to play in every half connection of
the other's edges. A proof comes with its carrier, the empty cells it takes; where a move has been refuted, the
refutation is one more connection to be played in. (R. Hayward and others, "Solving 7 x 7 Hex", 2003.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int8, Int16, Int32, Int64, UInt64

from ludus.games.hex.solver.circuit import Circuit, circuit, resistance
from ludus.games.hex.solver.connections import FULL, HALF, Net, connect, joins, must_play, net, smallest
from ludus.games.hex.solver.grid import moved, transpose
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, bit, lowest

WIN, LOSS, UNKNOWN = 1, -1, 0
BUCKET = 4  # places where a position may be stored; the one that was the least work gives way


class Store(NamedTuple):
    """Proofs, by position in the mover's view, which of it and its half turn has the smaller number."""

    own: UInt64[np.ndarray, "S"]
    other: UInt64[np.ndarray, "S"]
    carrier: UInt64[np.ndarray, "S"]
    value: Int8[np.ndarray, "S"]  # the mover's
    nodes: Int32[np.ndarray, "S"]  # what the proof took


class Frames(NamedTuple):
    """A search's positions from its root on, in the eyes of each one's mover, and how far each has come."""

    own: UInt64[np.ndarray, "D"]
    other: UInt64[np.ndarray, "D"]
    must: UInt64[np.ndarray, "D"]  # where the mover still has to play
    threats: UInt64[np.ndarray, "D"]  # all cells of the threats that say so
    move: Int16[np.ndarray, "D"]  # the place of the move that is being searched, and the number of moves
    length: Int16[np.ndarray, "D"]
    before: Int64[np.ndarray, "D"]  # positions looked at when it was met


class Room(NamedTuple):
    own: Net
    other: Net
    circuit: Circuit
    store: Store
    frames: Frames
    order: Int16[np.ndarray, "D N"]  # by depth, the moves, most promising first
    promise: Float64[np.ndarray, "N"]
    nodes: Int64[np.ndarray, "2"]  # looked at, and when to give up


def room(size: int, log_places: int) -> Room:
    num_cells, places = size**2, 1 << log_places
    return Room(
        own=net(size, half_will_do=True),  # the mover's
        other=net(size),
        circuit=circuit(size),
        store=Store(*(np.zeros(places, kind) for kind in (np.uint64, np.uint64, np.uint64, np.int8, np.int32))),
        frames=Frames(
            own=np.zeros(num_cells + 1, np.uint64),
            other=np.zeros(num_cells + 1, np.uint64),
            must=np.zeros(num_cells + 1, np.uint64),
            threats=np.zeros(num_cells + 1, np.uint64),
            move=np.zeros(num_cells + 1, np.int16),
            length=np.zeros(num_cells + 1, np.int16),
            before=np.zeros(num_cells + 1, np.int64),
        ),
        order=np.zeros((num_cells + 1, num_cells), np.int16),
        promise=np.zeros(num_cells),
        nodes=np.zeros(2, np.int64),
    )


@jit
def place_of(store: Store, own: Word, other: Word) -> int:
    """Where the bucket of a position begins."""
    mixed = (own * np.uint64(0x9E3779B97F4A7C15)) ^ ((other + ONE) * np.uint64(0xC2B2AE3D27D4EB4F))
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return int(np.int64((mixed >> np.uint64(20)) & np.uint64(len(store.value) - BUCKET)))


@jit
def probe(room: Room, own: Word, other: Word) -> tuple[int, Word]:
    """The value of a position to the mover and the carrier of the proof; `UNKNOWN` if it is not there."""
    store = room.store
    own_turned, other_turned = moved(room.own.grid.turned, own), moved(room.own.grid.turned, other)
    turns = own_turned < own or (own_turned == own and other_turned < other)
    if turns:
        own, other = own_turned, other_turned
    first = place_of(store, own, other)
    for place in range(first, first + BUCKET):
        if store.value[place] and store.own[place] == own and store.other[place] == other:
            carrier = store.carrier[place]
            return int(store.value[place]), moved(room.own.grid.turned, carrier) if turns else carrier
    return UNKNOWN, NONE


@jit
def put(room: Room, own: Word, other: Word, value: int, carrier: Word, nodes: int) -> None:
    store = room.store
    own_turned, other_turned = moved(room.own.grid.turned, own), moved(room.own.grid.turned, other)
    if own_turned < own or (own_turned == own and other_turned < other):
        own, other, carrier = own_turned, other_turned, moved(room.own.grid.turned, carrier)
    first = place_of(store, own, other)
    least = first
    for place in range(first, first + BUCKET):
        if store.nodes[place] < store.nodes[least]:
            least = place
    store.own[least], store.other[least], store.carrier[least] = own, other, carrier
    store.value[least], store.nodes[least] = value, min(nodes, 1 << 30)


@jit
def look(room: Room, own: Word, other: Word) -> tuple[int, Word, Word]:
    """What H-search says of a position: its value and the carrier; or `UNKNOWN`, the cells that the mover has to play
    in, and all those of the threats that say so.
    """
    grid = room.own.grid
    connect(room.own, own, other)
    if joins(room.own.core, FULL):
        return WIN, smallest(room.own.core, FULL), NONE
    if joins(room.own.core, HALF):
        return WIN, smallest(room.own.core, HALF), NONE
    connect(room.other, transpose(grid, other), transpose(grid, own))
    if joins(room.other.core, FULL):
        carrier = smallest(room.other.core, FULL)
        return LOSS, transpose(grid, carrier), NONE
    must, threats = must_play(room.other)
    if must == NONE:
        return LOSS, transpose(grid, threats), NONE
    return UNKNOWN, transpose(grid, must), transpose(grid, threats)


@jit
def sort_moves(room: Room, cells: Word, out: Int16[np.ndarray, "N"]) -> int:
    """Write these moves, those first through which most of the current goes that joins either side's edges."""
    promise, transposed = room.promise, room.own.grid.transposed
    resistance(room.own, room.circuit)
    for cell in range(len(promise)):
        promise[cell] = room.circuit.flow[cell]
    resistance(room.other, room.circuit)
    for cell in range(len(promise)):
        promise[cell] += room.circuit.flow[transposed[cell]]
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
def open_frame(room: Room, depth: int) -> tuple[int, Word]:
    """Look at the position of a frame: its value and the carrier, or `UNKNOWN` if its moves have to be searched."""
    frames = room.frames
    own, other = frames.own[depth], frames.other[depth]
    value, carrier = probe(room, own, other)
    if value != UNKNOWN:
        return value, carrier
    room.nodes[0] += 1
    frames.before[depth] = room.nodes[0]
    if room.nodes[0] > room.nodes[1]:
        return UNKNOWN, NONE
    value, carrier, threats = look(room, own, other)
    if value == UNKNOWN:
        must, grid, order = carrier, room.own.grid, room.order[depth]
        theirs, ours = transpose(grid, other), transpose(grid, own)
        length = sort_moves(room, must, order)
        for i in range(length):  # what has been proved before comes free of charge
            move = bit(order[i])
            if must & move:
                reply, cells = probe(room, theirs, ours | transpose(grid, move))
                cells = transpose(grid, cells)
                if reply == LOSS:
                    value, carrier = WIN, cells | move
                    break
                if reply == WIN:
                    must &= cells
                    threats |= cells
        if value == UNKNOWN:
            frames.must[depth], frames.threats[depth] = must, threats
            frames.move[depth], frames.length[depth] = 0, length
            return UNKNOWN, NONE
    close_frame(room, depth, value, carrier)
    return value, carrier


@jit
def close_frame(room: Room, depth: int, value: int, carrier: Word) -> None:
    """Remember what was proved of a frame's position."""
    frames = room.frames
    put(room, frames.own[depth], frames.other[depth], value, carrier, room.nodes[0] - frames.before[depth] + 1)


@jit
def prove(room: Room, own: Word, other: Word) -> tuple[int, Word]:
    """The value of an unfinished position to the mover, and the cells that the winner takes to win; or `UNKNOWN`.

    Depth first over frames, one a ply, and no function that calls itself, for that could not be kept on disk.
    """
    frames, grid = room.frames, room.own.grid
    depth = 0
    frames.own[0], frames.other[0] = own, other
    value, carrier = open_frame(room, 0)
    while room.nodes[0] <= room.nodes[1]:
        if value != UNKNOWN:
            if depth == 0:
                return value, carrier
            depth -= 1  # a move of the frame above has been decided
            cells = transpose(grid, carrier)
            if value == LOSS:
                value, carrier = WIN, cells | bit(room.order[depth, frames.move[depth]])
                close_frame(room, depth, value, carrier)
                continue
            frames.must[depth] &= cells
            frames.threats[depth] |= cells
            frames.move[depth] += 1
        while frames.move[depth] < frames.length[depth]:
            if frames.must[depth] & bit(room.order[depth, frames.move[depth]]):
                break
            frames.move[depth] += 1
        if frames.move[depth] == frames.length[depth]:
            value, carrier = LOSS, frames.threats[depth]
            close_frame(room, depth, value, carrier)
            continue
        move = bit(room.order[depth, frames.move[depth]])
        frames.own[depth + 1] = transpose(grid, frames.other[depth])
        frames.other[depth + 1] = transpose(grid, frames.own[depth] | move)
        depth += 1
        value, carrier = open_frame(room, depth)
    return UNKNOWN, NONE
