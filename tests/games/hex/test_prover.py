"""The prover of Hex: with one worker or two, in one run or stopped and continued from a checkpoint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers import hex_depth_first
from helpers.text import refusal

from ludus.errors import BadInput
from ludus.games.hex.solver import checkpoint
from ludus.games.hex.solver.grid import grid, joined, transpose
from ludus.games.hex.solver.prover import Prover, ProverResult

pytestmark = pytest.mark.slow  # Numba compiles for half a minute before the first of them


def stopped(prover: Prover, after: int, keep: Path | None = None) -> ProverResult:
    """As by Ctrl-C at the first look up after so many positions."""

    def report(nodes: int, seconds: float, decided: int, moves: int) -> None:
        if nodes >= after:
            raise KeyboardInterrupt

    return prover.solve(0, 0, report=report, keep=keep)


@pytest.fixture(scope="module")
def whole() -> ProverResult:
    return Prover(6).solve(0, 0)


def test_a_search_by_one_is_the_same_every_time(whole: ProverResult) -> None:
    again = Prover(6).solve(0, 0)
    assert (again.nodes, again.moves.tolist()) == (whole.nodes, whole.moves.tolist())


def test_two_workers_find_the_same(whole: ProverResult, tmp_path: Path) -> None:
    prover = Prover(6, workers=2)
    found = prover.solve(0, 0, keep=tmp_path / "kept")
    assert (found.moves.tolist(), found.gave_up) == (whole.moves.tolist(), False)
    assert all(space.nodes[0] > 0 for space in prover.workspaces), "both had something to do"


def test_broken_off_it_says_what_it_has_and_goes_on_from_a_file(whole: ProverResult, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    some = stopped(Prover(6), whole.nodes // 2, kept)
    assert some.gave_up
    known = some.moves != 0
    assert 0 < known.sum() < 36
    assert (some.moves[known] == whole.moves[known]).all()
    on = Prover(6).solve(0, 0, keep=kept)
    assert (on.moves.tolist(), on.gave_up) == (whole.moves.tolist(), False)
    assert on.nodes < 0.75 * whole.nodes
    assert Prover(6).solve(0, 0, keep=kept).nodes < 0.05 * whole.nodes, "now it is all there"


def test_broken_off_with_two_workers(whole: ProverResult, tmp_path: Path) -> None:
    some = stopped(Prover(6, workers=2), 1, tmp_path / "kept")
    known = some.moves != 0
    assert (some.moves[known] == whole.moves[known]).all()
    on = Prover(6).solve(0, 0, keep=tmp_path / "kept")
    assert on.moves.tolist() == whole.moves.tolist()


@pytest.mark.parametrize("workers", [1, 2])
def test_who_watches_may_end_it(workers: int) -> None:
    class Enough(Exception):
        pass

    def report(*_: object) -> None:
        raise Enough

    prover = Prover(6, workers=workers)
    with pytest.raises(Enough):
        prover.solve(0, 0, report=report)
    assert not prover.solve(0, 0).gave_up, "and it can be asked again"


def test_a_file_that_does_not_fit_is_refused_and_left_alone(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert Prover(5).solve(0, 0, keep=kept).believed == 0
    found = checkpoint.read(kept, 5)
    assert found is not None
    again = Prover(5)
    assert again.solve(0, 0, keep=kept).believed == found.entries > 0
    assert again.solve(0, 0).believed == found.entries, "it still knows what it has read"
    assert "boards of 5, not 6" in refusal(Prover(6).solve, 0, 0, keep=kept)
    data = kept.read_bytes()
    for wrong in (b"", b"nonsense", data[:-20], data[: len(data) // 2]):
        kept.write_bytes(wrong)
        assert "damaged" in refusal(Prover(5).solve, 0, 0, keep=kept)
        assert kept.read_bytes() == wrong
    kept.write_bytes(data)
    with checkpoint.locked(kept):
        assert "another process is at work" in refusal(Prover(5).solve, 0, 0, keep=kept)
    assert kept.read_bytes() == data


def test_proofs_that_were_exchanged_and_sealed_again_make_no_other_answer(tmp_path: Path) -> None:
    """The winning openings of 5 x 5 are 13, whatever is done to the carriers and values of a file."""
    kept, chance = tmp_path / "kept", np.random.default_rng(0)
    Prover(5).solve(0, 0, keep=kept)
    good = checkpoint.read(kept, 5)
    assert good is not None
    columns = dict(good.columns) | {
        f"{part}{kind}": column
        for kind, library in enumerate(good.libraries)
        for part, column in zip(("stones", "carriers"), library, strict=True)
    }
    refused = 0
    for _ in range(100):
        one, two = chance.integers(0, len(columns["black"]), 2)
        changed = {name: column.copy() for name, column in columns.items()}
        for name in ("proof", "disproof", "cells"):
            changed[name][[one, two]] = columns[name][[two, one]]
        kept.write_bytes(checkpoint.encode(5, changed))
        try:
            assert Prover(5, log_places=12).solve(0, 0, keep=kept).winning.bit_count() == 13
        except BadInput:
            refused += 1
    assert refused > 0


def test_memory_is_said_and_does_not_grow() -> None:
    prover = Prover(5, log_places=12)
    before = prover.bytes
    prover.solve(0, 0)
    assert prover.bytes == before
    assert Prover(5, log_places=12, workers=2).bytes == 2 * before


def across(cells: int) -> np.uint64:
    return np.uint64(transpose(grid(7), np.uint64(cells)))


def test_every_move_of_a_middle_game_by_the_depth_first_search() -> None:
    """The centre loses here, and its refutation is not its own mirror image."""
    own, other = 17893507072264, 10447512176771
    found, reference = Prover(7).solve(own, other), hex_depth_first.workspace(7, log_places=18)
    reference.nodes[1] = 1 << 40
    assert found.moves[24] == -1
    for cell in range(49):
        stones = own | 1 << cell
        if not (own | other) >> cell & 1 and not joined(grid(7), np.uint64(stones)):
            value = hex_depth_first.prove(reference, across(other), across(stones))[0]
            assert found.moves[cell] == -value, cell
