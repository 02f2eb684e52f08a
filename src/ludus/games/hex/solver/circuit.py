"""The resistance evaluation of Hex: how far a side is from joining its edges, and a score for every move.

Every empty cell has resistance 1; stones and edges have none. Current flows between points that are virtually
connected. NeuroHex (K. Young, G. Vasan, R. Hayward, 2016) was first trained on such scores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, UInt64

from ludus.games.hex.rules import Hex, State
from ludus.games.hex.solver.connection_lists import FULL, HALF, HEAD, ITSELF, joins, pair_of
from ludus.games.hex.solver.connections import Connections, connect, connections
from ludus.games.hex.solver.grid import EVERYTHING, joined, masks, transpose
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, bit, lowest

SHORT = 10.0  # the conductance between two groups that are virtually connected
LEAK = 1e-9  # gives a point without connections the voltage 0
CUT = 1e6  # the resistance between edges that cannot be joined


class Circuit(NamedTuple):
    """Buffers, and the result `flow`."""

    conductance: Float64[np.ndarray, "P P"]
    matrix: Float64[np.ndarray, "P P"]
    voltage: Float64[np.ndarray, "P"]
    flow: Float64[np.ndarray, "P"]  # the share of the current that goes through each empty cell; 0 elsewhere


def circuit(size: int) -> Circuit:
    num_points = size**2 + 2
    pairs = num_points, num_points
    return Circuit(np.zeros(pairs), np.zeros(pairs), np.zeros(num_points), np.zeros(num_points))


@jit
def resistance(vcs: Connections, circuit: Circuit) -> float:
    """The resistance between top and bottom over the connections found. Fills `circuit.flow`."""
    conductance, matrix, voltage, flow = circuit
    points, length, itself = vcs.points, vcs.points[-1], vcs.lists.points[ITSELF]  # the edges come first
    for i in range(length):
        conductance[i, i] = 0.0
        for j in range(i):
            ohms = (itself[points[i]] != NONE) + (itself[points[j]] != NONE)
            linked = vcs.lists.pairs[FULL, pair_of(vcs.lists, points[i], points[j]), HEAD] != 0
            conductance[i, j] = (1.0 / ohms if ohms else SHORT) if linked else 0.0
            conductance[j, i] = conductance[i, j]
    # Kirchhoff: what flows into a point flows out of it. The top has voltage 1, the bottom 0, the others are unknown.
    voltage[0], voltage[1] = 1.0, 0.0
    for i in range(2, length):
        total = LEAK
        for j in range(length):
            total += conductance[i, j]
            matrix[i, j] = -conductance[i, j]
        matrix[i, i] = total
        voltage[i] = conductance[i, 0]
    for k in range(2, length):  # elimination; the matrix is dominated by its diagonal, so no rows are exchanged
        for i in range(k + 1, length):
            factor = matrix[i, k] / matrix[k, k]
            if factor != 0.0:
                for j in range(k, length):
                    matrix[i, j] -= factor * matrix[k, j]
                voltage[i] -= factor * voltage[k]
    for k in range(length - 1, 1, -1):
        for j in range(k + 1, length):
            voltage[k] -= matrix[k, j] * voltage[j]
        voltage[k] /= matrix[k, k]
    current = 0.0
    for j in range(1, length):
        current += conductance[0, j] * (1.0 - voltage[j])
    flow[:] = 0.0
    if current < 1.0 / CUT:
        return CUT
    for i in range(2, length):
        if itself[points[i]]:
            through = 0.0
            for j in range(length):
                through += conductance[i, j] * abs(voltage[i] - voltage[j])
            flow[points[i]] = through / (2.0 * current)
    return 1.0 / current


@jit
def score_moves(
    own_net: Connections,
    other_net: Connections,
    circuit: Circuit,
    own: Word,
    other: Word,
    out: Float64[np.ndarray, "N"],
) -> None:
    """Write the score of every move of one position in the mover's view; 0 where a stone is."""
    grid = own_net.grid
    out[:] = 0.0
    left = EVERYTHING >> np.uint64(64 - grid.size * grid.size) & ~own & ~other
    while left:
        cell = lowest(left)
        left &= left - ONE
        stones = own | bit(cell)
        if joined(grid, stones):
            out[cell] = 1.0
            continue
        connect(own_net, stones, other)
        if joins(own_net.lists, FULL):
            out[cell] = 1.0
            continue
        connect(other_net, transpose(grid, other), transpose(grid, stones))
        if joins(other_net.lists, HALF) or joins(other_net.lists, FULL):
            out[cell] = -1.0
            continue
        ours, theirs = resistance(own_net, circuit), resistance(other_net, circuit)
        out[cell] = (theirs - ours) / (theirs + ours)


@jit
def score_all(
    own_net: Connections,
    other_net: Connections,
    circuit: Circuit,
    own: UInt64[np.ndarray, "B"],
    other: UInt64[np.ndarray, "B"],
    out: Float64[np.ndarray, "B N"],
) -> None:
    for i in range(len(own)):
        score_moves(own_net, other_net, circuit, own[i], other[i], out[i])


def scores_of(size: int, own: UInt64[np.ndarray, "B"], other: UInt64[np.ndarray, "B"]) -> Float64[np.ndarray, "B N"]:
    """The scores of all moves in many unfinished positions, each in the mover's view: it joins top and bottom."""
    out = np.zeros((len(own), size**2))
    score_all(connections(size), connections(size), circuit(size), own, other, out)
    return out


def scores(game: Hex, state: State) -> Float64[np.ndarray, "N"]:
    """Score every move of an unfinished position, on boards of up to 8.

    1 if H-search sees that the move wins, -1 if it sees that it loses, 0 on a stone. Otherwise (R' - R) / (R' + R),
    with R the mover's resistance after the move and R' the opponent's.
    """
    own, other = (np.array([side], np.uint64) for side in masks(game, state))
    found = scores_of(game.size, own, other)[0]
    return found.reshape(game.size, game.size).T.ravel() if int(state.mover) else found
