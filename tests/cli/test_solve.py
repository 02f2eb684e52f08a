"""`ludus solve`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ludus.cli.shared import progress
from ludus.games.hex.rules import Hex
from ludus.games.hex.solver import prover
from ludus.games.hex.truth import ProverTruth

WON = ".BBB/...B/A.nn/AAA. A"


def test_a_position_and_its_moves(ludus) -> None:
    document = ludus("solve", "hex", "../.B w", "--json").document
    # White's b1 threatens both a1 and a2; after anything else black joins top and bottom through b1.
    assert (document["game"], document["position"]) == ("hex", "../.B w")
    assert (document["value"], document["plies"]) == ("win", 3)
    found = [(move["move"], move["value"], move["plies"]) for move in document["moves"]]
    assert found == [("b1", "win", 3), ("a1", "loss", 2), ("a2", "loss", 2)]
    assert (document["winner"], document["winning_moves"]) == ("white", ["b1"])
    start = ludus("solve", "hex", "--size", "2", "--json").document
    assert (start["value"], start["winner"], start["plies"]) == ("win", "black", 3)
    assert start["winning_moves"] == ["a2", "b1"]
    assert "win in 3 plies for the side to move, 3 moves" in ludus("solve", "hex", "../.B w").out


def test_all_moves_are_listed_on_request(ludus) -> None:
    shown = ludus("solve", "hex", "../.B w", "--moves").out.splitlines()
    assert [line.split() for line in shown[-3:]] == [
        ["b1", "win", "in", "3", "plies"],
        ["a1", "loss", "in", "2", "plies"],
        ["a2", "loss", "in", "2", "plies"],
    ]
    start = ("solve", "hex", "--size", "3")
    moves = ludus(*start, "--json").document["moves"]
    listed = [line.split()[0] for line in ludus(*start, "--moves").out.splitlines() if " in " in line]
    assert listed[1:] == [move["move"] for move in moves]  # after the line that tells the value of the position
    assert ludus(*start, "--moves", "--json").document["moves"] == moves
    assert ", ..." not in ludus(*start, "--moves").out


def test_every_position_counted(ludus) -> None:
    document = ludus("solve", "hex", "--size", "2", "--all", "--json").document
    assert {"positions", "win", "loss", "draw", "terminal", "max_moves", "loss_plies"} <= set(document)
    assert document["win"] + document["loss"] == document["positions"]
    assert document["draw"] == 0
    assert document["max_moves"] == 4
    assert document["loss_plies"]["0"] == document["terminal"]
    assert sum(document["loss_plies"].values()) == document["loss"]
    assert "positions" in ludus("solve", "hex", "--size", "2", "--all").out


def test_a_file_gives_a_result_for_each_line(ludus, tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text("../.. b\nnonsense\n../.B w\n")
    document = ludus("solve", "hex", "--size", "2", "--file", str(path), "--json").document
    assert [result.get("value", "error") for result in document["results"]] == ["win", "error", "win"]
    assert document["results"][1]["error"].startswith("line 2: hex position 'nonsense'")
    assert document["results"][2] == ludus("solve", "hex", "../.B w", "--json").document
    assert len(ludus("solve", "hex", "--size", "2", "--file", str(path)).out.splitlines()) == 3


@pytest.mark.slow
def test_hex_on_four_is_looked_up(ludus) -> None:
    start = ludus("solve", "hex", "--size", "4", "--json").document
    assert (start["value"], start["winner"], start["plies"]) == ("win", "black", 9)
    assert start["winning_moves"] == ["a4", "b3", "c2", "d1"]
    assert len(start["moves"]) == 16
    white = ludus("solve", "hex", "..../.WB./..../.... b", "--json").document
    assert {"game", "position", "value", "plies", "moves", "winner", "winning_moves"} == set(white)
    # The same with the sides exchanged: the board transposed, and white to move.
    black = ludus("solve", "hex", "..../.B../.W../.... w", "--json").document
    assert (black["value"], black["plies"]) == (white["value"], white["plies"])
    turned = [chr(ord("a") + int(move[1]) - 1) + str(ord(move[0]) - ord("a") + 1) for move in white["winning_moves"]]
    assert black["winning_moves"] == sorted(turned)
    assert {white["winner"], black["winner"]} == {"black", "white"}
    over = ludus("solve", "hex", "B.../B.../B.../BWWW w", "--json").document
    assert (over["value"], over["plies"], over["moves"], over["winner"]) == ("loss", 0, [], "black")
    everything = ludus("solve", "hex", "--size", "4", "--all", "--json").document
    assert (everything["positions"], everything["win"], everything["max_moves"]) == (9_386_235, 5_896_679, 16)
    assert sum(everything["loss_plies"].values()) == everything["loss"]


@pytest.mark.slow
@pytest.mark.campaign
def test_hex_on_five_is_searched(ludus, tmp_path: Path) -> None:
    start = ludus("solve", "hex", "--size", "5", "--json").document
    assert {"value", "moves", "winner", "winning_moves", "nodes", "seconds", "gave_up"} <= set(start)
    assert (start["value"], start["winner"], start["gave_up"], len(start["moves"])) == ("win", "black", False, 25)
    assert start["winning_moves"] == ["a4", "a5", "b2", "b3", "b4", "c2", "c3", "c4", "d2", "d3", "d4", "e1", "e2"]
    path = tmp_path / "positions.txt"
    corners = "B..../...../...../...../..... w", "...../...../...../...../....B w"
    path.write_text("\n".join([corners[0], "nonsense", corners[1], "BWWWW/B..../B..../B..../B.... w"]))
    results = ludus("solve", "hex", "--size", "5", "--file", str(path), "--json").document["results"]
    assert [result.get("winner", "error") for result in results] == ["white", "error", "white", "black"]
    assert results[1]["error"].startswith("line 2: hex position 'nonsense'")
    assert results[2]["nodes"] < results[0]["nodes"] // 4, "the half turn of the first is known"
    assert results[3]["moves"] == []
    assert len(ludus("solve", "hex", "--size", "5", "--file", str(path)).out.splitlines()) == 4
    shown = ludus("solve", "hex", "--size", "5").out
    assert shown.splitlines()[3] == "    3 · + + + · 3"
    assert "win for the side to move, 25 moves" in shown


@pytest.mark.slow
def test_a_search_that_gives_up_says_so(ludus) -> None:
    given_up = ludus("solve", "hex", "--size", "6", "--limit", "0", "--json").document
    assert (given_up["value"], given_up["winner"], given_up["gave_up"]) == (None, None, True)
    assert (given_up["winning_moves"], len(given_up["moves"])) == ([], 36)
    assert {move["value"] for move in given_up["moves"]} == {None}
    assert "gave up after" in ludus("solve", "hex", "--size", "6", "--limit", "0").out


def test_a_long_search_says_how_it_is_getting_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]

    class Slow(prover.Prover):
        """A search that takes long, by a clock that we turn."""

        def __init__(self) -> None:
            pass

        def solve(self, own, other, limit=0.0, report=None, keep=None, one_will_do=False) -> prover.ProverResult:
            assert report is not None
            for nodes, seconds in ((10, 1.0), (1234, 3.2), (2000, 4.0), (5678, 13.3)):
                clock[0] = 100.0 + seconds
                report(nodes, seconds, 20, 25)
            return prover.ProverResult(0, np.zeros(25, np.int8), 5678, 13.3, True)

    monkeypatch.setattr(prover, "shared_prover", lambda size: Slow())
    monkeypatch.setattr("ludus.cli.shared.progress.time.monotonic", lambda: clock[0])
    watch, game = progress.ProgressLine(), Hex(size=5)
    ProverTruth(game).solve(game.init(), 600.0, watch)
    watch.end()
    said = capsys.readouterr()
    told = ("1,234 positions in 3 s", "5,678 positions in 13 s")
    assert said.err == "".join(f"{words}, 20 of 25 moves decided\n" for words in told)
    assert said.out == ""


@pytest.mark.slow
def test_the_l_game_is_as_the_facts_have_it(ludus) -> None:
    everything = ludus("solve", "lgame", "--all", "--json").document
    counts = {name: everything[name] for name in ("positions", "win", "loss", "draw", "terminal", "max_moves")}
    assert counts == {
        "positions": 18_368,
        "win": 8048,
        "loss": 232,
        "draw": 10_088,
        "terminal": 120,
        "max_moves": 221,
    }
    assert everything["loss_plies"] == {"0": 120, "2": 24, "4": 24, "6": 40, "8": 24}
    start = ludus("solve", "lgame", "--json").document
    assert (start["value"], start["plies"], len(start["moves"])) == ("draw", None, 65)
    won = ludus("solve", "lgame", WON, "--json").document
    assert (won["value"], won["plies"]) == ("win", 1)
    assert won["moves"][0]["value"] == "win"
    assert {"move": "a2a3b3c3+c2b1", "value": "win", "plies": 1} in won["moves"]


BAD = [
    ("solve chess", "there is no game 'chess'"),
    ("solve hex nonsense", "hex position 'nonsense'"),
    ("solve hex ../.B|w --all", "one of POSITION, --all and --file"),
    ("solve hex", "boards of 2 to 8, not 11"),
    ("solve hex --size 5 --all", "too many positions"),
    ("solve hex --size 4 --swap", "leave --swap out"),
    ("solve hex --size 4 --swap --all", "leave --swap out"),
    ("solve hex --size 5 --limit soon", "--limit 'soon' is not a number"),
    ("solve hex --size 5 --limit -1", "--limit goes from 0"),
    ("solve hex --size 5 .../.../...|b", "5 rows of 5"),
    ("solve hex WWWW/BBB./..../B...|w", "cannot arise"),
    ("solve hex WWWWW/BBBB./...../...../B....|w", "cannot arise"),
    ("solve hex WWWWW/WWWWW/BBBBB/BBBB./B....|b", "cannot arise"),
    ("solve hex --size 2 --file nowhere.txt", "nowhere.txt"),
    ("solve hex BB/..|b", "BB/.."),
    ("solve solitaire-chess --order nobody", "there are baseline, clockwise, random"),
    ("solve solitaire-chess --order alphabeta:2", "no search for solitaire-chess"),
    ("solve solitaire-chess --order perfect", "baseline, clockwise, random, and any trained agent"),
    ("solve solitaire-chess --tree tree.png", "ends in .svg"),
    ("solve solitaire-chess --tree tree.svg --file nowhere.txt", "leave out --file"),
    ("solve solitaire-chess --depth 3", "no search for solitaire-chess"),
    ("solve solitaire-chess N3/4/4/4", "one piece is left"),
    ("solve solitaire-chess KK2/4/4/4", "2 kings"),
    ("solve solitaire-chess NX2/4/4/4", "'X' is none of K Q R B N P"),
    ("solve solitaire-chess N3/4/4", "3 rows of 3 squares"),
    ("solve solitaire-chess N3/1B2/P3/4 --file nowhere.txt", "give one of POSITION and --file"),
    ("solve lgame --order baseline", "lgame is no puzzle for one, so leave out --order"),
    ("solve hex --size 3 --table --tree t.svg", "leave out --table and --tree"),
    ("solve lgame --size 5", "no option 'size'"),
    ("solve hex --size 2 --all --moves", "leave out --all"),
    ("solve hex --size 2 --file nowhere.txt --moves", "--moves"),
    ("solve", "GAME"),
]


@pytest.mark.parametrize(("command", "words"), BAD)
def test_what_is_refused(ludus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    argv = [word.replace("|", " ") for word in command.split()]
    for more in ([], ["--json"]):
        assert words.lower() in ludus(*argv, *more).refusal.lower()
    assert not list(tmp_path.iterdir())
