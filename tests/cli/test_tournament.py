"""`ludus tournament`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ludus.games import hex as hex_room

HEX = ("--game", "hex", "--size", "2")
AGENTS = ("random", "perfect", "perfect:hardest")


@pytest.mark.slow
def test_the_document(ludus) -> None:
    argv = ("tournament", *AGENTS, *HEX, "--games", "40", "--seasons", "2", "--seed", "3", "--json")
    document = ludus(*argv).document
    assert (document["game"], document["games_per_pair"], document["seasons"]) == ("hex size=2 swap=False", 40, 2)
    table = document["table"]
    assert sorted(row["agent"] for row in table) == sorted(AGENTS)
    assert table[-1]["agent"] == "random"
    assert [row["rating"] for row in table] == sorted((row["rating"] for row in table), reverse=True)
    for row in table:
        low, high = row["ci95"]
        assert low < row["rating"] < high
        assert row["games"] == 2 * 40 * 2 == row["wins"] + row["draws"] + row["losses"]
        assert len(row["first"]) == len(row["second"]) == 2
        assert sum(row["first"] + row["second"]) == row["wins"]
        # Who begins at Hex wins, so a perfect player wins all it begins, and some of the others from the random one.
        assert row["agent"] == "random" or row["first"] == [40, 40]
    assert ludus(*argv).document == document
    other = ludus(*argv[:-3], "--seed", "4", "--json").document
    assert other["table"] != table


@pytest.mark.slow
def test_the_table(ludus) -> None:
    argv = ("tournament", "random", "perfect", *HEX, "--games", "20")
    (best, last) = ludus(*argv, "--json").document["table"]
    shown = ludus(*argv)
    assert (shown.status, shown.err) == (0, "")
    assert "hex size=2 swap=False, 20 games a pair\n" in shown.out
    lines = [line.split() for line in shown.out.splitlines()]
    half = best["ci95"][1] - best["rating"]
    assert ["perfect", f"{best['rating']:+.0f}", "±", f"{half:.0f}", "20", str(best["wins"]), "0"] in [
        line[:7] for line in lines
    ]
    assert ["random", "1", str(last["first"][0]), str(last["second"][0])] in lines
    assert "20 games a pair and season, 3 seasons\n" in ludus(*argv, "--seasons", "3").out


@pytest.mark.slow
def test_trained_agents_say_which_game(ludus) -> None:
    document = ludus("tournament", "random", "lgame/best", "--games", "10", "--json").document
    assert document["game"] == "lgame cap=100"
    assert [row["agent"] for row in document["table"]] == ["lgame/best", "random"]


@pytest.mark.slow
def test_progress_is_told_as_games_go_by(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    argv = ("tournament", "random", "perfect", *HEX, "--games", "4", "--seasons", "2", "--json")
    assert ludus(*argv).err == ""
    told: list[tuple[int, int]] = []
    monkeypatch.setattr("ludus.cli.shared.progress.ProgressLine.games", lambda watch, *progress: told.append(progress))
    assert ludus(*argv).document
    assert told == [(4, 8), (8, 8)]


@pytest.mark.slow
def test_pairs_without_chance_say_how_their_games_differ(ludus) -> None:
    argv = ("tournament", "hex/best-3", "random", "--games", "20")
    document = ludus(*argv, "--json").document
    assert document["openings"] == 0
    assert document["distinct"] == document["pairings"][0]["distinct"] > 2
    assert "different games" not in ludus(*argv).out
    (pairing,) = document["pairings"]
    row = document["table"][0]
    assert (pairing["a"], pairing["b"], pairing["games"], pairing["openings"]) == ("hex/best-3", "random", 20, 0)
    assert (row["agent"], pairing["score"]) == ("hex/best-3", row["wins"] / 20)


@pytest.mark.slow
def test_two_without_chance_meet_with_openings(ludus, tmp_path: Path) -> None:
    """The same agent under two names."""
    copy = tmp_path / "copy"
    shutil.copytree(Path(hex_room.__file__).parent / "shipped" / "best-3", copy)
    argv = ("tournament", "hex/best-3", str(copy), "--games", "40")
    document = ludus(*argv, "--json").document
    assert (document["openings"], document["table"][0]["wins"]) == (3, 20)
    assert document["distinct"] > 20
    assert f"random openings of 3 plies, {document['distinct']} different games" in ludus(*argv).out
    repeated = ludus(*argv, "--openings", "0", "--json").document
    assert (repeated["openings"], repeated["distinct"]) == (0, 2)
    assert repeated["table"][0]["ci95"][1] > 2 * document["table"][0]["ci95"][1]  # two games say little
    assert "only two different games" in ludus(*argv, "--openings", "0").out


BAD = [
    ("", "two agents or more, not 0"),
    ("random", "two agents or more, not 1"),
    ("random nobody --game hex --size 2", "there is no agent 'nobody'"),
    ("random nobody", "there is no agent 'nobody'"),
    ("random perfect random --game hex --size 2", "'random' is named 2 times"),
    ("random perfect", "--game"),
    ("random perfect --game chess", "there is no game 'chess'"),
    ("random perfect --game hex --size 9", "boards of 2 to 8, not 9"),
    ("random perfect --game solitaire-chess", "solitaire-chess"),
    ("lgame/best hex-3", "'lgame/best' and 'hex-3' cannot meet"),
    ("lgame/best random --game hex", "plays lgame, not hex"),
    ("random hex-3 --size 4", "not hex size=4"),
    ("random perfect --game hex --size 2 --games 0", "--games goes from 2"),
    ("random perfect --game hex --size 2 --games -2", "--games goes from 2"),
    ("random perfect --game hex --size 2 --games 5", "--games 5 is odd"),
    ("random perfect --game hex --size 2 --games many", "--games 'many' is not a whole number"),
    ("random perfect --game hex --size 2 --seasons 0", "--seasons"),
    ("random perfect --game hex --size 2 --seed -1", "--seed"),
    ("random perfect --game hex --size 2 --openings 1001", "--openings goes from 0 to 1000"),
    ("random perfect --game hex --size 2 --layout standard", "hex has no option 'layout'"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "words"), BAD)
def test_what_is_refused(ludus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hex-3").mkdir()
    config = {"game": "hex", "options": {"size": 3}, "recipe": {}}
    (tmp_path / "hex-3" / "config.json").write_text(json.dumps(config))
    for more in ([], ["--json"]):
        assert words in ludus("tournament", *command.split(), *more).refusal
