"""`ludus games`, and a game added to the registry."""

from __future__ import annotations

import re

import pytest

from ludus.games import names


def test_lists_the_registry(ludus) -> None:
    games = ludus("games", "--json").document["games"]
    assert [game["name"] for game in games] == names()
    for game in games:
        assert {"name", "players", "actions", "agents", "learners", "options"} <= set(game)
        assert "random" in game["agents"]
        assert isinstance(game["learners"], list)
        assert len(game["seats"]) == game["players"]
    (hex_game,) = (game for game in games if game["name"] == "hex")
    assert hex_game["options"] == {"size": 11, "swap": False}
    assert hex_game["actions"] == 121


def test_prints_a_table_without_escapes(ludus) -> None:
    shown = ludus("games").out
    assert all(name in shown for name in names())
    assert "\x1b" not in shown


@pytest.mark.parametrize("width", ["80", "60"])
def test_names_are_not_broken_in_a_narrow_terminal(ludus, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    words = set(re.split(r"[\s,]+", ludus("games").out))
    for game in ludus("games", "--json").document["games"]:
        options = (f"{option}={value}" for option, value in game["options"].items())
        assert {game["name"], *game["seats"], *options, *game["agents"], *game["learners"]} <= words


def test_a_new_game_appears_everywhere(ludus, nim) -> None:
    assert ludus("games", "--json").document["games"][-1]["name"] == "nim"
    assert "nim" in ludus("games").out
    assert "nim" in ludus("perft", "go", "1").refusal
    # Lines of two moves from four stones: 11 12 21 22.
    assert ludus("perft", "nim", "2", "--json").document["nodes"] == 4
    assert ludus("perft", "nim", "2", "--set", "stones=3", "--json").document["nodes"] == 3
    assert ludus("perft", "nim", "2", "--position", "3", "--json").document["nodes"] == 3
    assert "stones, polite" in ludus("perft", "nim", "1", "--size", "3").refusal
    played = ludus("play", "nim", "--against", "human", stdin="take1\ntake3\ntake2\ntake1\n")
    assert "nim move 'take3': take1 or take2 is a move" in played.out
    assert played.out.endswith("first wins.\n")


def test_options_of_a_new_game_have_their_types(ludus, nim) -> None:
    record = ludus("play", "nim", "--set", "stones=2", "--set", "polite=true", "--json", stdin="")
    assert record.document["start"] == "2"
    assert "stones=2 polite=True" in record.err
    assert "polite=False" in ludus("play", "nim", "--set", "polite=false").out
    assert "true or false" in ludus("play", "nim", "--set", "polite=2").refusal
    assert "whole number" in ludus("play", "nim", "--set", "stones=two").refusal
