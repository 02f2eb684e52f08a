"""`ludus solve`."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    ("solve hex --size 5", "too many"),
    ("solve hex --size 2 --file nowhere.txt", "nowhere.txt"),
    ("solve hex BB/..|b", "BB/.."),
    ("solve solitaire-chess", "puzzle"),
    ("solve lgame --size 5", "no option 'size'"),
    ("solve", "GAME"),
]


@pytest.mark.parametrize(("command", "words"), BAD)
def test_what_is_refused(ludus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    argv = [word.replace("|", " ") for word in command.split()]
    for more in ([], ["--json"]):
        assert words.lower() in ludus(*argv, *more).refusal.lower()
    assert not list(tmp_path.iterdir())
