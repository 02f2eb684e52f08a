"""`ludus eval` and `ludus match`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

HEX = ("--game", "hex", "--size", "2")


def test_exact(ludus) -> None:
    document = ludus("eval", "perfect", *HEX, "--exact", "--json").document
    assert document["agent"] == "perfect"
    assert set(document["vs_random"]) == set(document["vs_perfect"]) == {"first", "second"}
    assert document["value_preserving"] == document["positions"]
    assert document["perfect"]
    # Hex is won by the first player, so that a perfect second player is beaten all the same.
    assert document["vs_perfect"] == {"first": pytest.approx(1), "second": pytest.approx(0)}
    assert document["vs_random"]["first"] > 0.97
    greedy = ludus("eval", "perfect", *HEX, "--exact", "--epsilon", "0", "--json").document
    assert greedy["vs_random"]["first"] == pytest.approx(1)
    assert greedy["epsilon"] == {"vs_random": 0, "vs_perfect": 0}
    shown = ludus("eval", "random", *HEX, "--exact")
    assert "holds the value in" in shown.out
    assert "beaten as" in shown.out


@pytest.mark.slow
def test_sampled(ludus) -> None:
    argv = ("eval", "perfect", *HEX, "--games", "40", "--against", "random")
    document = ludus(*argv, "--json").document
    assert {"games", "wins", "draws", "losses", "score", "ci95"} <= set(document)
    assert document["games"] == 40 == document["wins"] + document["draws"] + document["losses"]
    assert document["by_seat"]["first"] == {"games": 20, "wins": 20, "draws": 0, "losses": 0}
    assert document["score"] == document["wins"] / 40
    low, high = document["ci95"]
    assert 0 <= low <= document["score"] <= high <= 1
    assert ludus(*argv, "--json").document == document
    assert "perfect against random: " in ludus(*argv).out


@pytest.mark.slow
def test_two_opponents(ludus) -> None:
    argv = ("eval", "random", *HEX, "--games", "20", "--against", "random", "perfect")
    results = ludus(*argv, "--json").document["results"]
    assert [result["against"] for result in results] == ["random", "perfect"]


@pytest.mark.slow
def test_match(ludus) -> None:
    argv = ("match", "perfect", "random", *HEX, "--games", "40")
    document = ludus(*argv, "--json").document
    assert {"games", "wins", "draws", "score", "ci95"} <= set(document)
    assert (document["a"], document["b"], document["games"]) == ("perfect", "random", 40)
    turned = ludus("match", "random", "perfect", *HEX, "--games", "40", "--json").document
    assert document["score"] > 0.5 > turned["score"]
    assert "perfect against random: " in ludus(*argv).out


@pytest.mark.slow
def test_games_of_players_without_chance_differ_by_their_openings(ludus) -> None:
    argv = ("match", "hex/best-3", "hex/best-3", "--games", "100")
    document = ludus(*argv, "--json").document
    assert document["openings"] == 3  # nine moves at the start: 729 lines, or fewer
    assert 50 < document["distinct"] <= 100
    assert document["score"] == 0.5  # who plays itself gets the same of each opening in one seat and in the other
    low, high = document["ci95"]
    assert 0.4 < low < 0.5 < high < 0.6
    shown = ludus(*argv).out
    assert f"random openings of 3 plies, each with both seats: {document['distinct']} different games" in shown
    short = ludus(*argv, "--openings", "1", "--json").document
    assert (short["openings"], short["distinct"]) == (1, 2 * 9)
    against = ludus("eval", "hex/best-3", "--against", "hex/best-3", "--games", "100", "--json").document
    assert against == {name: value for name, value in document.items() if name not in "ab"} | {
        "agent": "hex/best-3",
        "against": "hex/best-3",
    }


@pytest.mark.slow
def test_the_same_two_games_over_and_over_have_no_interval(ludus) -> None:
    argv = ("match", "hex/best-3", "hex/best-3", "--games", "100", "--openings", "0")
    document = ludus(*argv, "--json").document
    assert (document["openings"], document["distinct"], document["ci95"]) == (0, 2, None)
    assert (document["wins"], document["losses"]) == (50, 50)
    shown = ludus(*argv).out
    assert "only two different games" in shown
    assert "interval" not in shown
    # Against a player that moves by chance there are no openings, and there is an interval.
    by_chance = ludus("match", "hex/best-3", "random", "--games", "100", "--json").document
    assert (by_chance["openings"], len(by_chance["ci95"])) == (0, 2)
    assert by_chance["distinct"] > 10


@pytest.mark.slow
def test_a_hex_player_is_not_blamed_for_what_nobody_can_hold(ludus) -> None:
    document = ludus("eval", "hex/best-3", "--exact", "--json").document
    assert (document["perfect"], document["first_player_win"], document["held_start"]) == (True, True, True)
    assert (document["won_positions"], document["held"]) == (3401, 1.0)
    assert not document["unbeatable"]  # as second player it is beaten, by a line that is there to be seen
    assert document["beaten_in_seat"] == 1
    assert document["beaten_by"]
    shown = ludus("eval", "hex/best-3", "--exact").out
    assert "holds the win in 100.00% of 3,401 won positions" in shown
    assert "moving first, it wins against every defence" in shown
    assert "as second player it is beaten, as anyone is: the first player wins" in shown
    assert "beaten as" not in shown
    assert " ".join(document["beaten_by"]) not in shown


BAD = [
    ("eval nobody", "there is no agent 'nobody'"),
    ("eval random", "--game"),
    ("eval random --game chess", "there is no game 'chess'"),
    ("eval random --game hex --size 2 --games 0", "--games"),
    ("eval random --game hex --size 2 --games 1.5", "1.5"),
    ("eval random --game hex --size 2 --epsilon 2", "--epsilon"),
    ("eval random --game hex --size 2 --epsilon nan", "--epsilon"),
    ("eval random --game hex --size 2 --seed -1", "--seed"),
    ("eval random --game hex --size 2 --openings -1", "--openings goes from 0"),
    ("match random random --game hex --size 2 --openings few", "--openings 'few' is not a whole number"),
    ("eval hex/best-5 --every-defence", "--every-defence goes with --exact"),
    ("eval lgame/best --exact --every-defence", "games where --exact alone skips some defences, not lgame"),
    ("eval random --game hex --size 2 --against nobody", "there is no agent 'nobody'"),
    ("eval random --game solitaire-chess --against random", "puzzle"),
    ("eval random --game solitaire-chess --every-defence --exact", "--every-defence is for games"),
    ("eval perfect --game hex --size 8", "on boards of 2 to 7, not 8"),
    ("eval random --game hex --size 8 --exact", "hex size=8 swap=False cannot be graded exactly"),
    ("eval a-folder --game hex", "a-folder"),
    ("eval lgame/best --size 3", "lgame has no option 'size'"),
    ("eval lgame/best --set cap=7", "plays lgame cap=100, not lgame cap=7"),
    ("eval random --against lgame/best --set cap=7", "plays lgame cap=100, not lgame cap=7"),
    ("match random lgame/best --set cap=7", "plays lgame cap=100, not lgame cap=7"),
    ("match random lgame/best --game hex", "plays lgame, not hex"),
    ("match hex-3 random --size 4", "plays hex size=3 swap=False, not hex size=4 swap=False"),
    ("match hex-3 random --swap", "plays hex size=3 swap=False, not hex size=3 swap=True"),
    ("match hex-3 hex-4", "'hex-3' and 'hex-4' cannot meet: one plays hex size=3 swap=False, the other hex size=4"),
    ("match lgame/best hex-4", "'lgame/best' and 'hex-4' cannot meet"),
    ("match random", "B"),
    ("match random nobody --game hex", "there is no agent 'nobody'"),
    ("match random random", "--game"),
    ("match random random --game hex --games 0", "--games"),
    ("match random random --game solitaire-chess", "puzzle"),
]


@pytest.mark.parametrize(("command", "words"), BAD)
def test_what_is_refused(ludus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-folder").mkdir()
    for size in (3, 4):
        (tmp_path / f"hex-{size}").mkdir()
        config = {"game": "hex", "options": {"size": size}, "recipe": {}}
        (tmp_path / f"hex-{size}" / "config.json").write_text(json.dumps(config))
    before = sorted(tmp_path.rglob("*"))
    for more in ([], ["--json"]):
        assert words in ludus(*command.split(), *more).refusal
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.slow
def test_options_that_agree_with_the_agent_are_no_fault(ludus) -> None:
    argv = ("match", "lgame/best", "random", "--games", "2", "--json")
    assert ludus(*argv, "--game", "lgame", "--set", "cap=100").document == ludus(*argv).document
