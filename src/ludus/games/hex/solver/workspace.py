"""What a search of Hex works with: connections, graphs, a table of positions, and the line it is looking at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int8, Int32, Int64, UInt8, UInt64

from ludus.games.hex.solver.circuit import Circuit, circuit
from ludus.games.hex.solver.decomposition import MAX_PARTS
from ludus.games.hex.solver.incremental import ConnectionStack, connection_stack
from ludus.games.hex.solver.inferior import InferiorCells, inferior_cells
from ludus.games.hex.solver.proof_library import ProofLibrary, proof_library
from ludus.games.hex.solver.transposition_table import TranspositionTable, transposition_table

LIBRARY_SIZE = 1 << 12  # proofs of either kind that are at hand
CONNECTION_DEPTH = 24  # positions of a line whose connections are kept; with those, some 100 MB


class SearchStack(NamedTuple):
    """The positions from the root on."""

    black: UInt64[np.ndarray, "D"]
    white: UInt64[np.ndarray, "D"]
    filled: UInt64[np.ndarray, "D 2"]
    captured: UInt64[np.ndarray, "D 2"]
    must: UInt64[np.ndarray, "D"]
    threats: UInt64[np.ndarray, "D"]
    stay: UInt64[np.ndarray, "D"]
    answers: UInt64[np.ndarray, "D"]
    proof: Int32[np.ndarray, "D 2"]  # and how much is too much
    disproof: Int32[np.ndarray, "D 2"]
    before: Int64[np.ndarray, "D"]
    order: UInt8[np.ndarray, "D N"]
    length: Int8[np.ndarray, "D"]
    mover: Int8[np.ndarray, "D"]
    part: UInt64[np.ndarray, "D PARTS"]  # what the position falls into
    parts: Int8[np.ndarray, "D"]  # how many; 0 if it does not
    connected: Bool[np.ndarray, "D"]  # whether all its connections have been found and are kept


class SolverOptions(NamedTuple):
    """What is used; without one, more has to be searched, and the answer is the same."""

    inferior: bool = True
    connections: bool = True
    incremental: bool = True  # connections from those of the positions before
    library: bool = True  # proofs of other positions
    parts: bool = True  # positions that fall apart
    numbers: bool = True  # proof numbers; without them the most promising move is searched to its end


class Workspace(NamedTuple):
    options: SolverOptions
    connections: tuple[ConnectionStack, ConnectionStack]  # of black and of white
    circuit: Circuit
    inferior: InferiorCells
    table: TranspositionTable
    library: ProofLibrary
    stack: SearchStack
    promise: Float64[np.ndarray, "N"]
    nodes: Int64[np.ndarray, "2"]  # looked at, and when to give up


def workspace(size: int, log_places: int, options: SolverOptions | None = None) -> Workspace:
    num_cells, depth = size**2, size**2 + 1
    ice = inferior_cells(size)

    def words(*shape: int) -> UInt64[np.ndarray, "..."]:
        return np.zeros(shape, np.uint64)

    return Workspace(
        options=options or SolverOptions(),
        connections=(
            connection_stack(ice.grids[0], CONNECTION_DEPTH + 1),
            connection_stack(ice.grids[1], CONNECTION_DEPTH + 1),
        ),
        circuit=circuit(size),
        inferior=ice,
        table=transposition_table(size, log_places),
        library=proof_library(LIBRARY_SIZE),
        stack=SearchStack(
            black=words(depth),
            white=words(depth),
            filled=words(depth, 2),
            captured=words(depth, 2),
            must=words(depth),
            threats=words(depth),
            stay=words(depth),
            answers=words(depth),
            proof=np.zeros((depth, 2), np.int32),
            disproof=np.zeros((depth, 2), np.int32),
            before=np.zeros(depth, np.int64),
            order=np.zeros((depth, num_cells), np.uint8),
            length=np.zeros(depth, np.int8),
            mover=np.zeros(depth, np.int8),
            part=words(depth, MAX_PARTS),
            parts=np.zeros(depth, np.int8),
            connected=np.zeros(depth, np.bool_),
        ),
        promise=np.zeros(num_cells),
        nodes=np.zeros(2, np.int64),
    )
