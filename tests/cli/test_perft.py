"""`ludus perft`."""

from __future__ import annotations

from pathlib import Path

import pytest

KNOWN = [
    ("lgame 1", 65),
    ("lgame 0", 1),
    ("hex 3 --size 3", 9 * 8 * 7),
    ("hex 2 --size 3 --swap", 9 * 9),
    ("hex 2 --set size=3 --set swap=true", 9 * 9),
    ("abalone 1", 44),
    ("abalone 1 --layout belgian-daisy", 52),
    ("solitaire-chess 2 --position N3/1B2/P3/4", 1),
    ("solitaire-chess 2 --position n31b2p34", None),
]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "nodes"), KNOWN)
def test_counts(ludus, command: str, nodes: int | None) -> None:
    argv = ["perft", *command.split(), "--json"]
    if nodes is None:
        assert ludus(*argv).refusal
        return
    document = ludus(*argv).document
    assert (document["game"], document["depth"]) == (argv[1], int(argv[2]))
    assert document["nodes"] == nodes
    assert document["seconds"] >= 0
    assert document["position"]


def test_rows_tell_the_size(ludus) -> None:
    assert ludus("perft", "hex", "1", "--position", "../.B w", "--json").document["nodes"] == 3
    assert ludus("perft", "hex", "1", "--position", ".../.B./... w", "--json").document["nodes"] == 8
    board = "pb......br..p..p"
    document = ludus("perft", "solitaire-chess", "1", "--position", board, "--json").document
    assert document["position"] == "PB2/4/BR2/P2P"


def test_shows_every_depth_and_the_rate(ludus) -> None:
    lines = ludus("perft", "hex", "3", "--size", "3").out.splitlines()
    assert lines[0] == "hex size=3 swap=False from .../.../... b"
    assert [line.split() for line in lines[1:4]] == [["depth", "1", "9"], ["depth", "2", "72"], ["depth", "3", "504"]]
    assert lines[4].endswith("positions a second at depth 3")


def test_divides_by_first_move(ludus) -> None:
    document = ludus("perft", "hex", "2", "--position", "../.B w", "--divide", "--json").document
    # After b1 or a2 both others stay; whichever white takes, two cells are left.
    assert document["divide"] == [{"move": move, "nodes": 2} for move in ("a1", "b1", "a2")]
    assert document["nodes"] == 6
    assert "a2" in ludus("perft", "hex", "2", "--position", "../.B w", "--divide").out


def test_a_file_gives_a_result_for_each_line(ludus, tmp_path: Path) -> None:
    lines = ["../.. b", "nonsense", "", "# a comment", "../.B w", ".../.../... b"]
    path = tmp_path / "positions.txt"
    for text in ("\n".join(lines), "\n".join(lines) + "\n", "\r\n".join(lines), "\ufeff" + "\n".join(lines)):
        path.write_text(text, encoding="utf-8", newline="")
        results = ludus("perft", "hex", "1", "--file", str(path), "--json").document["results"]
        assert [result.get("nodes") for result in results] == [4, None, None, None, 3, 9]
        for number, result in enumerate(results, start=1):
            assert ("error" in result) == (number in (2, 3, 4))
            assert result.get("error", f"line {number}: ").startswith(f"line {number}: ")
    shown = ludus("perft", "hex", "1", "--file", str(path))
    assert shown.status == 0
    assert len(shown.out.splitlines()) == len(lines)
    fixed = ludus("perft", "hex", "1", "--file", str(path), "--size", "2", "--json").document["results"]
    assert [result.get("nodes") for result in fixed] == [4, None, None, None, 3, None]


def test_an_empty_file_has_no_results(ludus, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert ludus("perft", "lgame", "1", "--file", str(tmp_path / "empty"), "--json").document["results"] == []


def test_a_bad_option_is_no_fault_of_the_lines(ludus, tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text("../.. b\n")
    assert ludus("perft", "hex", "1", "--file", str(path), "--size", "20").refusal
    assert ludus("perft", "go", "1", "--file", str(path)).refusal
