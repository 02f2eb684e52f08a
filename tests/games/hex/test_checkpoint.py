"""Checkpoints of Hex searches: a file that was changed, or that no search can have written, is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.damage import damaged
from helpers.text import refusal, sentence

from ludus.errors import BadInput
from ludus.games.hex.solver import checkpoint
from ludus.games.hex.solver.grid import grid, joined, transpose
from ludus.games.hex.solver.transposition_table import NEVER

SIZE = 5
FULL = (1 << SIZE**2) - 1


def columns(count: int, seed: int = 0) -> dict[str, np.ndarray]:
    """What a search might have proved: positions that are decided and some that are not, and proofs of either kind."""
    chance = random.Random(seed)
    rows: list[tuple[int, ...]] = []
    while len(rows) < count:
        black = chance.getrandbits(SIZE**2) & chance.getrandbits(SIZE**2)
        white = chance.getrandbits(SIZE**2) & chance.getrandbits(SIZE**2) & ~black
        empty, mover = FULL & ~(black | white), chance.randrange(2)
        numbers = chance.choice(((0, NEVER), (NEVER, 0), (3, 7)))
        winner = black if (numbers[0] == 0) == (mover == 0) else white
        across = winner == white
        carrier = empty & ~chance.getrandbits(SIZE**2) | empty & chance.getrandbits(SIZE**2)
        if 3 in numbers or checkpoint.joins(SIZE, np.array([winner | carrier], np.uint64), across)[0]:
            rows.append((black, white, mover, *numbers, chance.randrange(16, 1000), carrier))
    found = {name: np.array(column) for name, column in zip(checkpoint.COLUMNS, zip(*rows, strict=True), strict=True)}
    decided = (found["proof"] == 0) & (found["mover"] == 0)
    for kind in checkpoint.PROOF_KINDS:
        found |= {f"stones{kind}": found["black"][decided], f"carriers{kind}": found["cells"][decided]}
    kinds = checkpoint.COLUMNS | checkpoint.LIBRARY_COLUMNS
    return {name: found[name].astype(kind) for name, kind in kinds.items()}


def kept(path: Path, count: int = 20) -> bytes:
    data = checkpoint.encode(SIZE, columns(count))
    path.write_bytes(data)
    return data


def refused(path: Path, data: bytes) -> str:
    """The one sentence about these bytes; the file is left as it is."""
    path.write_bytes(data)
    said = refusal(checkpoint.read, path, SIZE)
    assert f"'{path}'" in said
    assert path.read_bytes() == data
    return said


def head_of(data: bytes) -> dict[str, Any]:
    return json.loads(data.partition(b"\n")[0])


def with_head(data: bytes, seal: bool = True, **changed: Any) -> bytes:
    """With another first line, which is sealed anew."""
    body = data.partition(b"\n")[2]
    head = head_of(data) | changed
    if not seal:
        return json.dumps(head).encode() + b"\n" + body
    del head["seal"]
    return checkpoint.header_line(head, body) + body


def test_what_was_kept_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    wanted = columns(20)
    checkpoint.save(path, SIZE, [wanted, wanted])
    found = checkpoint.read(path, SIZE)
    assert found is not None
    assert found.entries == 2 * (20 + 2 * len(wanted["stones0"]))
    for name, column in found.columns.items():
        assert column.tolist() == wanted[name].tolist() * 2, name
        assert column.dtype == checkpoint.COLUMNS[name]
    for kind, library in enumerate(found.libraries):
        assert [part.tolist() for part in library] == [
            wanted[f"{part}{kind}"].tolist() * 2 for part in ("stones", "carriers")
        ]
    assert checkpoint.read(tmp_path / "none", SIZE) is None
    assert [at.name for at in tmp_path.iterdir()] == ["kept"]


def test_sets_join_as_the_solver_has_it() -> None:
    chance = np.random.default_rng(0)
    for size in (2, 5, 8):
        sets = (
            chance.integers(0, 1 << size**2, 300, np.uint64, endpoint=False)
            if size < 8
            else chance.integers(0, 1 << 64, 300, np.uint64) | chance.integers(0, 1 << 64, 300, np.uint64)
        )
        board = grid(size)
        down, across = checkpoint.joins(size, sets, False), checkpoint.joins(size, sets, True)
        assert 0 < down.sum() < 300
        assert down.tolist() == [joined(board, word) for word in sets]
        assert across.tolist() == [joined(board, np.uint64(transpose(board, word))) for word in sets]


def test_what_is_damaged_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    good, chance = kept(path), random.Random(0)
    for _ in range(300):
        refused(path, damaged(good, chance))


@pytest.mark.campaign
def test_ten_thousand_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    chance = random.Random(1)
    for number in range(10_000):
        good = checkpoint.encode(SIZE, columns(number % 30 + 1, number % 100))
        refused(path, damaged(good, chance))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"format": 3}, "has format 3"),
        ({"format": "\n" * 90 + "1"}, "has format"),
        ({"format": [1] * 1000}, "no file of proofs"),
        ({"ludus": "proofs of chess"}, "no file of proofs"),
        ({"size": 6}, "has proofs of boards of 6, not 5"),
        ({"size": 5.0}, "not a number in range"),
        ({"size": True}, "not a number in range"),
        ({"positions": 10**25}, "not a number in range"),
        ({"positions": -1}, "not a number in range"),
        ({"positions": 19}, "its columns have the wrong length"),
        ({"library": [1, 2, 3]}, "its first line has other fields"),
        ({"library": "12"}, "its first line has other fields"),
        ({"library": [0, None]}, "not a number in range"),
        ({"more": 1}, "its first line has other fields"),
        ({"bytes": 10**9}, "bytes where it should have"),
    ],
)
def test_a_first_line_that_is_another_is_refused_though_it_is_sealed(
    tmp_path: Path, changed: dict[str, Any], why: str
) -> None:
    path = tmp_path / "kept"
    assert why in refused(path, with_head(kept(path), **changed))


def test_a_seal_is_over_the_first_line_too(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    assert "its seal does not fit" in refused(path, with_head(kept(path), seal=False, version="0.0.1"))
    path.write_bytes(with_head(kept(path), version="0.0.1"))
    assert checkpoint.read(path, SIZE) is not None, "sealed by another version, which is no damage"


def test_a_first_line_that_says_the_same_in_other_letters_is_refused(tmp_path: Path) -> None:
    """Every byte counts, though JSON may not mind."""
    path = tmp_path / "kept"
    line, _, body = kept(path).partition(b"\n")
    for other in (
        line.replace(b", ", b",  "),
        line.replace(b'"seal"', b'"size": 5, "seal"'),
        line.replace(b"s", rb"\u0073"),
    ):
        assert json.loads(other) == json.loads(line)
        assert "its seal does not fit" in refused(path, other + b"\n" + body)
    head, _, rest = line.partition(b", ")
    swapped = b"{" + rest.partition(b", ")[0] + b", " + head[1:] + b", " + rest.partition(b", ")[2]
    assert json.loads(swapped) == json.loads(line)
    assert "its seal does not fit" in refused(path, swapped + b"\n" + body)


def resealed(**changed: np.ndarray) -> bytes:
    return checkpoint.encode(SIZE, columns(20) | changed)


def test_what_cannot_have_been_proved_is_refused_though_it_is_sealed(tmp_path: Path) -> None:
    path, good = tmp_path / "kept", columns(20)
    black, white, cells, proof, disproof = (good[name] for name in ("black", "white", "cells", "proof", "disproof"))
    decided = (proof == 0) | (disproof == 0)
    assert "outside the board" in refused(path, resealed(black=black | np.uint64(1 << 25)))
    assert "outside the board" in refused(path, resealed(carriers1=good["carriers1"] | np.uint64(1 << 63)))
    assert "uses a cell twice" in refused(path, resealed(white=white | black))
    assert "uses a cell twice" in refused(path, resealed(cells=cells | black))
    assert "uses a cell twice" in refused(path, resealed(stones0=good["stones0"] | good["carriers0"]))
    for column in ("mover", "proof", "disproof", "work"):
        assert "out of range" in refused(path, resealed(**{column: -np.abs(good[column]) - 1}))
    assert "out of range" in refused(path, resealed(proof=np.where(decided, proof // 2, proof)))
    assert "joins nothing" in refused(path, resealed(proof=disproof, disproof=proof))  # who won has lost
    assert "joins nothing" in refused(path, resealed(cells=np.where(decided, 0, cells)))
    assert "joins nothing" in refused(path, resealed(carriers0=np.zeros_like(good["carriers0"])))
    assert refused(path, resealed(black=np.roll(black, 1), white=np.roll(white, 1)))  # entries exchanged


def test_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    assert "of an earlier version of ludus" in refused(path, b"PK\x03\x04 and more")
    for other in (
        b"",
        b"\n",
        b"{}\n",
        b"[" * 900 + b"\n",
        b"nonsense",
        b"\xff" * 5000,
        b'{"ludus": "proofs of hex"}\n',
    ):
        refused(path, other)
    assert "is no file of proofs" in refusal(checkpoint.read, tmp_path, SIZE)
    bomb = checkpoint.encode(
        SIZE, {name: np.zeros(10**6, kind) for name, kind in (checkpoint.COLUMNS | checkpoint.LIBRARY_COLUMNS).items()}
    )
    assert "wrong length" in refused(path, with_head(bomb, positions=1, library=[0, 0]))


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "kept"

    def hold() -> None:
        with checkpoint.locked(path):
            pass

    with checkpoint.locked(path):
        said = refusal(hold)
        assert said == f"another process is at work on '{path}': wait until it has ended, or name another file."
    assert not list(tmp_path.iterdir()), "nothing is left behind"
    hold()
    with pytest.raises(BadInput) as caught, checkpoint.locked(tmp_path / "none" / "kept"):
        pass
    assert "cannot be written" in sentence(caught.value)
