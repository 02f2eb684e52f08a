"""Checkpoint of a Hex search: a file with the positions that took the most work, and the library of proofs.

A file is for one size of board and serves every position of it. Undecided positions keep their proof numbers, so that a
search continues where it stopped. The file is a line of JSON, the header, and then the columns as binary data,
compressed.

The search believes what it reads. So a seal, a SHA-256 over every byte including the header, shows damage and edits. It
does not stop malice: who edits a file can seal it again. So every entry is also checked as far as possible without a
search: stones and carrier share no cell, and the carrier could join the winner's edges. That is not a proof, and an
answer that used a file says so.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Shaped, UInt64

from ludus.errors import BadInput, shorten
from ludus.games.hex.solver.proof_library import MOVING_FIRST, MOVING_SECOND, add_proofs, added_after
from ludus.games.hex.solver.transposition_table import NEVER, TranspositionTable, allocate
from ludus.games.hex.solver.workspace import LIBRARY_SIZE, Workspace
from ludus.runs import lock
from ludus.runs.files import sha256, write_file
from ludus.version import __version__

KIND, FORMAT = "proofs of hex", 2
MIN_WORK, MAX_POSITIONS = 16, 300_000  # nodes that an entry took; entries of each worker
MAX_WORKERS = 64
MAX_HEADER = 1000  # bytes
COLUMNS = {
    "black": "<u8",
    "white": "<u8",
    "mover": "i1",
    "proof": "<i4",
    "disproof": "<i4",
    "work": "<i4",
    "cells": "<u8",
}
PROOF_KINDS = (MOVING_SECOND, MOVING_FIRST)
LIBRARY_COLUMNS = {f"{part}{kind}": "<u8" for kind in PROOF_KINDS for part in ("stones", "carriers")}
Snapshot = Mapping[str, Shaped[np.ndarray, "..."]]


def snapshot(space: Workspace) -> Snapshot:
    """What is worth saving of one worker's knowledge."""
    table = space.table
    rows = np.flatnonzero((table.mover >= 0) & (table.work >= MIN_WORK))
    if len(rows) > MAX_POSITIONS:
        rows = rows[np.argpartition(table.work[rows], -MAX_POSITIONS)[-MAX_POSITIONS:]]
    found = {column: getattr(table, column)[rows] for column in COLUMNS}
    for kind, (stones, carriers) in enumerate(added_after(space.library, 0)):
        found |= {f"stones{kind}": stones, f"carriers{kind}": carriers}
    return found


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep the file for this process from the first read to the last write. Otherwise, of two searches at once, the
    later one would overwrite the proofs of the other.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(lock.held_beside(path))
        except OSError as error:
            raise BadInput(f"'{path}' cannot be written: {error.strerror}.") from error
        yield


# --- writing ----------------------------------------------------------------------------------------------------


def save(path: Path, size: int, kept: Iterable[Snapshot]) -> None:
    """Write the snapshots of all workers, one after the other."""
    parts = list(kept)
    arrays = {
        name: np.concatenate([part[name] for part in parts]).astype(kind)
        for name, kind in (COLUMNS | LIBRARY_COLUMNS).items()
    }
    try:
        write_file(path, encode(size, arrays))
    except OSError as error:
        raise BadInput(f"'{path}' cannot be written: {error.strerror}.") from error


def encode(size: int, arrays: Snapshot) -> bytes:
    """The bytes of a file with these columns."""
    body = zlib.compress(b"".join(arrays[name].tobytes() for name in COLUMNS | LIBRARY_COLUMNS))
    header = {
        "ludus": KIND,
        "format": FORMAT,
        "version": __version__,
        "size": size,
        "positions": len(arrays["black"]),
        "library": [len(arrays[f"stones{kind}"]) for kind in PROOF_KINDS],
        "bytes": len(body),
    }
    return header_line(header, body) + body


def header_line(header: Mapping[str, Any], body: bytes) -> bytes:
    """The header, with a seal over it and the body."""
    said = json.dumps(dict(header)).encode()
    return json.dumps({**header, "seal": sha256(said + b"\n" + body)}).encode() + b"\n"


# --- reading ----------------------------------------------------------------------------------------------------


class Checkpoint(NamedTuple):
    """The contents of a file that passed all checks."""

    columns: Snapshot  # of positions
    libraries: list[tuple[UInt64[np.ndarray, "S"], UInt64[np.ndarray, "S"]]]  # stones and carriers, by kind

    @property
    def entries(self) -> int:
        return len(self.columns["black"]) + sum(len(stones) for stones, _ in self.libraries)

    def load_into(self, workspaces: Iterable[Workspace]) -> None:
        """Give every worker everything."""
        for space in workspaces:
            for row in zip(*(self.columns[name].tolist() for name in COLUMNS), strict=True):
                _put(space.table, *row)
            for kind, (stones, carriers) in enumerate(self.libraries):
                add_proofs(space.library, kind, stones, carriers)


def _put(
    table: TranspositionTable, black: int, white: int, mover: int, proof: int, disproof: int, work: int, cells: int
) -> None:
    place, _ = allocate(table, np.uint64(black), np.uint64(white), mover)  # already in the orientation of the table
    table.proof[place], table.disproof[place], table.work[place] = proof, disproof, work
    table.cells[place], table.num_moves[place] = cells, 0


def read(path: Path, size: int) -> Checkpoint | None:
    """The contents of a file for this size of board; None if there is no file. A bad file is a `BadInput`."""
    try:
        if not path.exists():
            return None
        if not path.is_file():
            raise BadInput(f"'{path}' is no file of proofs; name another with --keep.")
        with path.open("rb") as file:
            line = file.readline(MAX_HEADER)
            header = _read_header(path, line, size, path.stat().st_size)
            body = file.read(header["bytes"] + 1)
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read: {error.strerror}.") from error
    if line != header_line({name: value for name, value in header.items() if name != "seal"}, body):  # to the byte
        raise _damaged(path, "its seal does not fit")
    kept = _read_columns(path, header, body)
    if (why := _why_impossible(size, kept)) is not None:
        raise _damaged(path, why)
    return kept


def _damaged(path: Path, why: str) -> BadInput:
    return BadInput(f"'{path}' is damaged: {why}; remove it, or name another with --keep.")


def _read_header(path: Path, line: bytes, size: int, length: int) -> dict[str, Any]:
    """The header, checked: a file of proofs for this size of board, of the right length."""
    if line.startswith(b"PK"):
        raise BadInput(
            f"'{path}' is of an earlier version of ludus, whose files have no seal: remove it, and all is proved again."
        )
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("ludus") != KIND or not line.endswith(b"\n"):
        raise BadInput(f"'{path}' is no file of proofs, or damaged; remove it, or name another with --keep.")
    if header.get("format") != FORMAT:
        form = shorten(str(header.get("format")), 20)
        raise BadInput(
            f"'{path}' has format {form}, and this version of ludus reads {FORMAT}; name another with --keep."
        )
    libraries = header.get("library")
    wanted = {"ludus", "format", "version", "size", "positions", "library", "bytes", "seal"}
    if header.keys() != wanted or not (isinstance(libraries, list) and len(libraries) == len(PROOF_KINDS)):
        raise _damaged(path, "its first line has other fields")
    most = MAX_WORKERS * MAX_POSITIONS
    limits = [
        (header["size"], 64),
        (header["positions"], most),
        *((count, MAX_WORKERS * LIBRARY_SIZE) for count in libraries),
    ]
    if not all(type(count) is int and 0 <= count <= top for count, top in [*limits, (header["bytes"], 1 << 40)]):
        raise _damaged(path, "its first line has a value that is not a number in range")
    if len(line) + header["bytes"] != length:
        raise _damaged(path, f"it has {length:,} bytes where it should have {len(line) + header['bytes']:,}")
    if header["size"] != size:
        raise BadInput(f"'{path}' has proofs of boards of {header['size']}, not {size}; name another with --keep.")
    return header


def _read_columns(path: Path, header: dict[str, Any], body: bytes) -> Checkpoint:
    """Decompress and split the columns."""
    lengths: dict[str, int] = dict.fromkeys(COLUMNS, int(header["positions"]))
    lengths |= {name: header["library"][int(name[-1])] for name in LIBRARY_COLUMNS}
    kinds = {name: np.dtype(kind) for name, kind in (COLUMNS | LIBRARY_COLUMNS).items()}
    whole = sum(lengths[name] * kind.itemsize for name, kind in kinds.items())
    unpack = zlib.decompressobj()
    try:
        data = unpack.decompress(body, whole + 1)  # no more: it could be made to fill the memory
    except zlib.error:
        data = b""
    if len(data) != whole or not unpack.eof or unpack.unused_data:
        raise _damaged(path, "its columns have the wrong length")
    arrays, at = {}, 0
    for name, kind in kinds.items():
        arrays[name] = np.frombuffer(data, kind, lengths[name], at).astype(kind.newbyteorder("="))
        at += lengths[name] * kind.itemsize
    libraries = [(arrays[f"stones{kind}"], arrays[f"carriers{kind}"]) for kind in PROOF_KINDS]
    return Checkpoint({name: arrays[name] for name in COLUMNS}, libraries)


# --- checking entries without a search ------------------------------------------------------------------------------


def _why_impossible(size: int, kept: Checkpoint) -> str | None:
    """Why a search cannot have proved these entries; None if it can."""
    black, white, mover, proof, disproof, work, cells = (kept.columns[name] for name in COLUMNS)
    board = np.uint64((1 << size**2) - 1)
    if ((black | white | cells) & ~board).any() or any(
        ((stones | cells) & ~board).any() for stones, cells in kept.libraries
    ):
        return "it has a cell outside the board"
    if ((black & white) | ((black | white) & cells)).any() or any(
        (stones & cells).any() for stones, cells in kept.libraries
    ):
        return "it uses a cell twice"
    won, lost = proof == 0, disproof == 0
    decided = won | lost
    numbers = (proof >= 0) & (disproof >= 0) & (proof <= NEVER) & (disproof <= NEVER) & (work >= 0) & (work <= 1 << 30)
    if not (numbers & ((mover == 0) | (mover == 1))).all() or (decided & (proof + disproof != NEVER)).any():
        return "it has a number out of range"
    blacks = decided & (won == (mover == 0))  # rows that black wins
    carriers_join = (
        joins(size, (black | cells)[blacks], False).all()
        and joins(size, (white | cells)[decided & ~blacks], True).all()
        and all(joins(size, stones | cells, False).all() for stones, cells in kept.libraries)
    )
    return None if carriers_join else "it has a carrier that joins nothing"


def joins(size: int, sets: UInt64[np.ndarray, "S"], across: bool) -> Bool[np.ndarray, "S"]:
    """Whether each of these sets of cells joins top and bottom (or left and right, if `across`). NumPy, not Numba, so
    that a bad file is refused before anything is compiled.
    """
    one, n = np.uint64(1), np.uint64(size)
    left = np.uint64(sum(1 << size * row for row in range(size)))
    first, right = np.uint64((1 << size) - 1), left << (n - one)
    begin, end = (left, right) if across else (first, first << (n * (n - one)))
    reached = sets & begin
    while True:
        # Neighbours: left, right, above, below, above right and below left.
        beside = ((reached & ~right) << one) | ((reached & ~left) >> one)
        more = reached | sets & (
            beside
            | (reached << n)
            | (reached >> n)
            | ((reached & ~right) >> (n - one))
            | ((reached & ~left) << (n - one))
        )
        if (more == reached).all():
            return (reached & end) != 0
        reached = more
