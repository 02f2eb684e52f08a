"""The file of a ladder: what was said to be kept is there, what is damaged is named, and nothing counts twice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.text import refusal

from ludus.agents.spec import Setup
from ludus.games import hex as hex_room
from ludus.ladder.results_file import BatchResult, Entrant, ResultsFile, default_file, entrant_of, is_there, labels
from ludus.runs.files import pretty_json, seal_of

SETUP = Setup("hex", {"size": 3, "swap": False})
A, B, C = Entrant("a", "1"), Entrant("b", ""), Entrant("c", "9")
FIRST = BatchResult(A, B, 0, 0, 2, wins=5, draws=1, losses=2, pairs=(0, 1, 1, 0, 2))
SECOND = replace(FIRST, number=1, wins=2, draws=0, losses=2, pairs=(1, 0, 0, 0, 1))
THIRD = BatchResult(B, C, 7, 0, 0, wins=0, draws=0, losses=4, pairs=(2, 0, 0, 0, 0))
SHIPPED = Path(hex_room.__file__).parent / "shipped" / "best-3"


def filled(path: Path, *batches: BatchResult) -> ResultsFile:
    results = ResultsFile(path, SETUP)
    with results.held():
        for batch in batches:
            results.add(batch)
    return results


def check(results: ResultsFile) -> None:
    """What the three batches say."""
    assert results.games == 16
    assert results.entrants == [A, B, C]
    assert results.outcomes([A, B, C])[0, 1].tolist() == [7, 1, 4]
    assert results.outcomes([A, B, C])[1, 0].tolist() == [4, 1, 7]
    assert results.outcomes([C, B])[0, 1].tolist() == [4, 0, 0]
    got, pairs = results.scores_and_pairs([A, B, C])
    assert got.tolist() == [[0, 7.5, 0], [4.5, 0, 0], [0, 4, 0]]
    assert pairs[0, 1].tolist() == [1, 1, 1, 0, 3]
    assert pairs[1, 0].tolist() == [3, 0, 1, 1, 1]
    assert results.pairs(A, B) == (1, 1, 1, 0, 3)
    assert results.pairs(B, A) == (3, 0, 1, 1, 1)
    assert results.pairs(A, C) == (0,) * 5
    assert [results.next_number(*two) for two in ((A, B), (B, A), (B, C), (A, C))] == [2, 2, 1, 0]


def test_what_was_added_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "in" / "l.jsonl"
    check(filled(path, FIRST, SECOND, THIRD))
    check(ResultsFile(path, SETUP))
    assert path.read_bytes().count(b"\n") == 3
    assert not np.any(ResultsFile(tmp_path / "none", SETUP).outcomes([A, B]))
    assert not (tmp_path / "none").exists()


def test_a_file_joined_with_itself_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    filled(path, FIRST, SECOND, THIRD)
    path.write_bytes(path.read_bytes() * 2)
    check(ResultsFile(path, SETUP))


def test_a_kill_at_any_byte_loses_at_most_what_was_not_said_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # no power is cut here, and the disk is slow
    path = tmp_path / "l.jsonl"
    filled(path, FIRST, SECOND)
    before = path.read_bytes()
    filled(path, THIRD)
    whole = path.read_bytes()
    for end in range(len(before), len(whole)):
        path.write_bytes(whole[:end])
        found = ResultsFile(path, SETUP)
        assert found.games == 12 or (end == len(whole) - 1 and found.games == 16)  # all but the newline is there
        found = filled(path, THIRD)
        check(found)
        check(ResultsFile(path, SETUP))
        assert path.read_bytes() == whole or end == len(whole) - 1


def test_only_one_process_adds(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    filled(path, FIRST)
    script = "import sys, time; from pathlib import Path; from ludus.runs import lock\n"
    script += "with lock.held_file(Path(sys.argv[1])): print('now', flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        assert f"another process is writing to '{path}': wait" in refusal(filled, path, SECOND)
        assert ResultsFile(path, SETUP).games == 8  # to look is allowed
        process.kill()
    assert filled(path, SECOND).games == 12


def test_what_another_added_before_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    mine = ResultsFile(path, SETUP)
    filled(path, FIRST, SECOND)
    assert mine.games == 0
    with mine.held():
        assert mine.games == 12
        mine.add(THIRD)
    check(ResultsFile(path, SETUP))


def row(batch: BatchResult = SECOND, **changed: object) -> bytes:
    whole = {"ladder": 1, "game": "hex", "options": {"size": 3, "swap": False}, **batch.to_json()}
    return json.dumps(whole | changed).encode() + b"\n"


BAD = [
    (b"hello\n", "it is no batch of games"),
    (b"{}\n", "it is no batch of games"),
    (b"[" * 100_000 + b"\n", "it is no batch of games"),
    (b"\xff\n", "it is no batch of games"),
    (b"\n", "it is no batch of games"),
    (row(ladder=2), "its format is 2"),
    (row(wins=3), "its pairs are not its games"),
    (row(wins=-2, losses=6), "a count is no whole number"),
    (row(wins=2.0), "a count is no whole number"),
    (row(pairs=[1, 0, 1]), "its pairs are not its games"),
    (row(a={"agent": "b"}), "it is no batch of games"),
    (row(a={"agent": "b", "digest": ""}), "its agents are not two in their order"),
    (b"something else without an end", "it is no batch of games"),
]


@pytest.mark.parametrize(("line", "why"), BAD, ids=range(len(BAD)))
def test_what_is_damaged_is_named_and_left_as_it_is(tmp_path: Path, line: bytes, why: str) -> None:
    path = tmp_path / "l.jsonl"
    good = row(FIRST)
    path.write_bytes(good * 2 + line)
    said = refusal(ResultsFile, path, SETUP)
    assert f"line 3 of '{path}' is damaged" in said
    assert why in said
    path.write_bytes(line)
    said = refusal(ResultsFile, path, SETUP)
    assert f"'{path}' is not a ladder" in said
    assert path.read_bytes() == line


def test_a_ladder_of_another_setup_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    filled(path, FIRST)
    said = refusal(ResultsFile, path, Setup("hex", {"size": 4, "swap": False}))
    assert "a match of hex size=3 swap=False, not of hex size=4 swap=False" in said
    assert "cannot be read" in refusal(ResultsFile, tmp_path, SETUP)


def test_where_a_ladder_is_kept() -> None:
    assert default_file(Setup("hex", {"size": 11, "swap": False})) == Path("runs/ladders/hex.jsonl")
    assert default_file(SETUP) == Path("runs/ladders/hex-size=3.jsonl")


def test_an_agent_is_its_name_and_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "random"):
        shutil.copytree(SHIPPED, tmp_path / name)
    first = entrant_of("mine")
    assert entrant_of("./mine/") == first
    assert entrant_of("hex/best-3") == Entrant("hex/best-3", first.digest)
    assert entrant_of("random") == Entrant("random", "")
    assert entrant_of("./random") == Entrant("./random", first.digest)
    assert entrant_of("alphabeta:2:mine") == Entrant("alphabeta:2:mine", first.digest)
    assert entrant_of("alphabeta:2") == Entrant("alphabeta:2", "")
    assert is_there(first)
    assert is_there(entrant_of("alphabeta:2"))
    manifest = json.loads((tmp_path / "mine" / "weights.json").read_text()) | {"sha256": "0" * 64}
    del manifest["seal"]
    (tmp_path / "mine" / "weights.json").write_bytes(pretty_json(manifest | {"seal": seal_of(manifest)}))
    again = entrant_of("mine")  # trained anew, by its looks
    assert (again.agent, again.digest == first.digest) == ("mine", False)
    assert not is_there(first)
    assert is_there(again)
    assert labels([first, B, again]) == {first: f"mine ({first.digest[:8]})", B: "b", again: "mine"}
    (tmp_path / "mine" / "weights.json").write_text("{}")
    assert not is_there(again)
    shutil.rmtree(tmp_path / "mine")
    assert not is_there(again)
    assert not is_there(Entrant("alphabeta:2:mine", first.digest))
    assert not is_there(Entrant("alphabeta:zz", ""))
