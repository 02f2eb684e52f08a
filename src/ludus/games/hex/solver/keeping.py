"""What a search of Hex has proved, in a file to go on from: positions that were much work, and the library.

A file belongs to a size of board and serves every position there. Of positions that are not decided yet the proof
numbers are kept, so that a search goes on where it left off.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from jaxtyping import Shaped

from ludus.errors import BadInput
from ludus.games.hex.solver.library import learn_all, since
from ludus.games.hex.solver.room import Room
from ludus.games.hex.solver.store import Table, make_place
from ludus.training.files import write_file

FORMAT = 1
WORK, MOST = 16, 300_000  # positions below a kept one; positions kept of each worker
COLUMNS = ("black", "white", "mover", "proof", "disproof", "work", "cells")
Snapshot = Mapping[str, Shaped[np.ndarray, "..."]]


def snapshot(room: Room) -> Snapshot:
    """What is worth keeping of what one worker knows."""
    table = room.table
    rows = np.flatnonzero((table.mover >= 0) & (table.work >= WORK))
    if len(rows) > MOST:
        rows = rows[np.argpartition(table.work[rows], -MOST)[-MOST:]]
    found = {column: getattr(table, column)[rows] for column in COLUMNS}
    for kind, (stones, carriers) in enumerate(since(room.library, 0)):
        found |= {f"stones{kind}": stones, f"carriers{kind}": carriers}
    return found


def save(path: Path, size: int, kept: Iterable[Snapshot]) -> None:
    """Of several workers one after the other."""
    parts = list(kept)
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    into = io.BytesIO()
    np.savez_compressed(into, header=np.array([FORMAT, size]), **arrays)  # pyright: ignore[reportArgumentType]
    try:
        write_file(path, into.getvalue())
    except OSError as error:
        raise BadInput(f"'{path}' cannot be written: {error.strerror}.") from error


def load(path: Path, size: int, rooms: Iterable[Room]) -> None:
    """Into every worker; a file that is not there yet is none."""
    if not path.exists():
        return
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        form, board = arrays.pop("header").tolist()
        columns = [arrays[column] for column in COLUMNS]
        shelves = [(arrays[f"stones{kind}"], arrays[f"carriers{kind}"]) for kind in range(2)]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise BadInput(f"'{path}' is no file of proofs, or damaged; name another, or remove it.") from error
    if form != FORMAT or board != size:
        raise BadInput(f"'{path}' has proofs of boards of {board}, not {size}; name another file.")
    for room in rooms:
        for row in zip(*(column.tolist() for column in columns), strict=True):
            _put(room.table, *row)
        for kind, (stones, carriers) in enumerate(shelves):
            learn_all(room.library, kind, stones, carriers)


def _put(table: Table, black: int, white: int, mover: int, proof: int, disproof: int, work: int, cells: int) -> None:
    place, _ = make_place(table, np.uint64(black), np.uint64(white), mover)  # it stands there as it stood
    table.proof[place], table.disproof[place], table.work[place] = proof, disproof, work
    table.cells[place], table.length[place] = cells, 0
