"""`ludus solve` with a file to go on from, several workers, and the proof written down."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from helpers.process import finish, start

from ludus.games.hex import checker

CENTRE = "...../...../..B../...../..... w"


@pytest.mark.slow
def test_a_proof_is_written_and_the_checker_takes_it(ludus, tmp_path: Path) -> None:
    path = tmp_path / "c3.proof"
    result = ludus("solve", "hex", CENTRE, "--proof", str(path), "--json")
    assert result.document["winner"] == "black"
    assert f"The proof: {path}" in result.err
    found = checker.check(path.read_text())
    assert (found.winner, found.position) == ("black", CENTRE)


@pytest.mark.slow
def test_a_search_goes_on_from_its_file(ludus, tmp_path: Path) -> None:
    path = tmp_path / "kept.proofs"
    first = ludus("solve", "hex", "--size", "6", "--keep", str(path), "--workers", "2", "--json").document
    again = ludus("solve", "hex", "--size", "6", "--keep", str(path), "--json").document
    assert (again["winning_moves"], again["gave_up"]) == (first["winning_moves"], False)
    assert len(again["winning_moves"]) == 24
    assert again["nodes"] < first["nodes"] / 4
    assert (first["rests_on"], again["rests_on"]) == (None, str(path))
    shown = ludus("solve", "hex", "--size", "6", "--keep", str(path)).out
    assert f"It rests on '{path}': the proofs there were trusted" in shown
    before = path.read_bytes()
    refused = ludus("solve", "hex", "--size", "7", "--keep", str(path))
    assert refused.status == 2
    assert "has proofs of boards of 6, not 7" in refused.err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("lgame", "--keep", "f.proofs"), "--keep is not for lgame"),
        (("hex", "--size", "4", "--proof", "f"), "--proof is not for hex size=4"),
        (("hex", "--size", "6", "--workers", "0"), "--workers"),
        (("hex", "--size", "6", "--all", "--workers", "2"), "--workers is for the exact solution"),
        (("abalone", "--depth", "2", "--keep", "f.proofs"), "--keep is for the exact solution"),
        (("hex", "--file", "f", "--proof", "g"), "leave out --file"),
        (("hex", "--size", "6", "--keep", "no/such/f.proofs"), "no/such"),
        (("hex", "--size", "6", "--keep", "."), "is a folder"),
    ],
)
def test_what_cannot_be_done_is_refused(
    ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = ludus("solve", *arguments)
    assert refused.status == 2
    assert why in refused.err
    assert not list(tmp_path.iterdir())


@pytest.mark.campaign
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does it")
@pytest.mark.parametrize(("workers", "number"), [("1", signal.SIGINT), ("2", signal.SIGINT), ("1", signal.SIGTERM)])
def test_a_signal_gives_what_is_proved_and_a_file_to_go_on_from(tmp_path: Path, workers: str, number: int) -> None:
    argv = ["solve", "hex", "--size", "8", "--keep", "eight.proofs", "--workers", workers, "--json"]
    process = start(argv, None, tmp_path)
    assert process.stderr is not None
    while " moves decided" not in (line := process.stderr.readline()):
        assert line, "it ended by itself"
    process.send_signal(number)
    result = finish(process)
    assert result.status == 128 + number, result
    document = json.loads(result.out)
    assert (document["gave_up"], len(document["moves"])) == (True, 64)
    assert (tmp_path / "eight.proofs").stat().st_size > 0
