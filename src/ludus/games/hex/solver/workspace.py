"""Everything that one worker of the Hex search works with: its tables, buffers and search stack."""

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

LIBRARY_SIZE = 1 << 12  # proofs of each kind in the library
CONNECTION_DEPTH = 24  # nodes of a line whose connections are stored; about 100 MB


class SearchStack(NamedTuple):
    """The nodes of the current line, from the root on."""

    black: UInt64[np.ndarray, "D"]
    white: UInt64[np.ndarray, "D"]
    filled: UInt64[np.ndarray, "D 2"]  # both sides' stones after filling in
    captured: UInt64[np.ndarray, "D 2"]
    must_play: UInt64[np.ndarray, "D"]  # the mover's must-play region
    threats: UInt64[np.ndarray, "D"]  # the cells of the threats that make it one
    kept: UInt64[np.ndarray, "D"]  # the moves that are not pruned
    killers: UInt64[np.ndarray, "D"]  # of vulnerable moves
    proof: Int32[np.ndarray, "D 2"]  # proof number, and its threshold
    disproof: Int32[np.ndarray, "D 2"]
    nodes_before: Int64[np.ndarray, "D"]
    moves: UInt8[np.ndarray, "D N"]
    num_moves: Int8[np.ndarray, "D"]
    mover: Int8[np.ndarray, "D"]
    parts: UInt64[np.ndarray, "D MAX_PARTS"]  # of the decomposition
    num_parts: Int8[np.ndarray, "D"]  # 0 if there is none
    connected: Bool[np.ndarray, "D"]  # whether its connections are complete and stored


class SolverOptions(NamedTuple):
    """Parts of the search that can be switched off: more nodes are searched then, with the same answer."""

    inferior: bool = True  # inferior cell analysis
    connections: bool = True  # H-search
    incremental: bool = True  # connections computed from those of the node above
    library: bool = True  # proofs of other positions
    decomposition: bool = True
    proof_numbers: bool = True  # without them the most promising move is searched to its end


class Workspace(NamedTuple):
    options: SolverOptions
    connections: tuple[ConnectionStack, ConnectionStack]  # of black and of white
    circuit: Circuit
    inferior: InferiorCells
    table: TranspositionTable
    library: ProofLibrary
    stack: SearchStack
    promise: Float64[np.ndarray, "N"]  # of each move, for their order
    nodes: Int64[np.ndarray, "2"]  # nodes searched, and the limit


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
            must_play=words(depth),
            threats=words(depth),
            kept=words(depth),
            killers=words(depth),
            proof=np.zeros((depth, 2), np.int32),
            disproof=np.zeros((depth, 2), np.int32),
            nodes_before=np.zeros(depth, np.int64),
            moves=np.zeros((depth, num_cells), np.uint8),
            num_moves=np.zeros(depth, np.int8),
            mover=np.zeros(depth, np.int8),
            parts=words(depth, MAX_PARTS),
            num_parts=np.zeros(depth, np.int8),
            connected=np.zeros(depth, np.bool_),
        ),
        promise=np.zeros(num_cells),
        nodes=np.zeros(2, np.int64),
    )
