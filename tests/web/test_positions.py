"""Games, positions and lines: what the page is told of them is what the rules say."""

from __future__ import annotations

import random
from typing import Any

import pytest
from helpers.web import Asking

import ludus
from ludus import games as registry
from ludus.core.game import legal_actions

GAMES = ("lgame", "hex", "abalone", "solitaire-chess")


def test_every_game_is_listed_with_its_options_and_agents(ask: Asking) -> None:
    found = {game["name"]: game for game in ask.client.get("/api/games").json()["games"]}
    assert list(found) == registry.names()
    assert found["hex"]["options"][0] | {"help": ""} == {
        "name": "size",
        "default": 11,
        "help": "",
        "low": 2,
        "high": 19,
        "choices": [],
        "free": False,
    }
    shipped = {agent.pop("name"): agent for agent in found["hex"]["shipped"]}
    five, nine = ({"size": size, "swap": False} for size in (5, 9))
    assert shipped["hex/best-5"] == {"learned": five, "options": five, "searches": False}
    assert shipped["hex/best-9"] == {"learned": nine, "options": {"swap": False}, "searches": True}  # of any size
    assert found["abalone"]["searchers"]
    assert not found["solitaire-chess"]["searchers"]


@pytest.mark.parametrize("name", GAMES)
def test_a_position_is_told_with_its_legal_moves(ask: Asking, name: str) -> None:
    found, game = ask("position", game=name), ludus.game(name)
    state = game.parse(found["start"])
    assert found["legal"] == [game.format_move(state, action) for action in legal_actions(game, state)]
    assert found["position"] == found["start"]
    assert found["text"] == game.draw(state)
    assert len(found["ways"]) == len(found["legal"])
    assert not found["over"]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_played_to_its_end_move_by_move(ask: Asking, name: str) -> None:
    options = {"size": 3} if name == "hex" else {"cap": 6} if name in ("lgame", "abalone") else {}
    chance, found, moves = random.Random(4), ask("position", game=name, options=options), []
    start = found["start"]
    while not found["over"]:
        moves.append(chance.choice(found["legal"]))
        found = ask("position", game=name, options=options, start=start, moves=moves)
        assert found["moves"] == moves
        assert found["last"]["words"]
    assert found["legal"] == found["ways"] == []
    assert found["sentence"]
    assert len(found["returns"]) == len(found["seats"])
    said = ask.refused("position", game=name, options=options, start=start, moves=[*moves, "a1"])
    assert said.startswith("'a1' comes after the end of the game: ")


def test_the_same_line_is_the_same_however_it_is_reached(ask: Asking) -> None:
    """What is kept for speed changes nothing: a line asked for at once is one that was asked for move by move."""
    moves = ["a1", "b2", "c3", "a3", "c1"]
    for plies in range(len(moves) + 1):
        ask("position", game="hex", options={"size": 4}, moves=moves[:plies])
    kept = ask("position", game="hex", options={"size": 4}, moves=moves)
    other = ask("position", game="hex", options={"size": 4, "swap": False}, start="..../..../..../.... b", moves=moves)
    assert kept == other
    assert kept["position"] == "B.B./.W../W.B./.... w"


def test_a_move_may_be_typed_another_way(ask: Asking) -> None:
    assert ask("position", game="lgame", moves=["D4D3C4B4"])["moves"] == ["b4c4d3d4"]
    found = ask("position", game="solitaire-chess", start="N3/1B2/P3/4", moves=["Pa2xb3"])
    assert found["moves"] == ["a2b3"]


def test_a_chain_that_has_won_is_named(ask: Asking) -> None:
    found = ask("position", game="hex", options={"size": 3}, moves=["b1", "a1", "b2", "a2", "b3"])
    assert found["result"] == "black"
    assert found["shown"]["chain"] == ["b1", "b2", "b3"]


def test_a_seat_may_resign(ask: Asking) -> None:
    found = ask("position", game="hex", options={"size": 3}, moves=["b1"], resigned="white")
    assert (found["over"], found["result"], found["legal"]) == (True, "black", [])
    assert "resigns" in found["sentence"]
    assert "no seat 'green'" in ask.refused("position", game="hex", resigned="green")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({}, "the request does not say 'game'."),
        ({"game": "go"}, "there is no game 'go'"),
        ({"game": "hex", "options": {"size": 99}}, "size goes from 2 to 19"),
        ({"game": "hex", "options": {"size": "5"}}, "size is a whole number"),
        ({"game": "hex", "options": {"colour": 1}}, "hex has no option 'colour'"),
        ({"game": "hex", "options": [5]}, "'options' is an object"),
        ({"game": "hex", "start": "nonsense"}, "hex position 'nonsense'"),
        ({"game": "hex", "moves": ["z99"]}, "hex move 'z99'"),
        ({"game": "hex", "moves": "a1"}, "'moves' is a list"),
        ({"game": "hex", "moves": [1]}, "'moves' is a list of texts."),
        ({"game": "hex", "seed": 2**64}, "'seed' is a whole number"),
        ({"game": 5}, "'game' is a text, not 5."),
    ],
)
def test_what_cannot_be_used_is_one_sentence(ask: Asking, said: dict, sentence: str) -> None:
    found = ask.refused("position", **said)
    assert sentence in found
    assert "\n" not in found


def test_a_record_survives_the_round_trip(ask: Asking) -> None:
    text = ask("record", game="hex", options={"size": 4}, moves=["a1", "b2"])["text"]
    assert "game hex size=4 swap=False" in text
    found = ask("load", text=text)
    assert (found["game"], found["options"]["size"], found["moves"]) == ("hex", 4, ["a1", "b2"])
    assert "is not a saved game" in ask.refused("load", text="hello")


def test_the_kinds_of_game_are_bounded(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.web.positions.MAX_GAMES", 0)
    assert "begin anew with ludus serve" in ask.refused("board", game="lgame", options={"cap": 77})


def test_lines_are_kept_and_let_go(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.web.positions.MAX_LINES", 3)
    for move in ("a1", "b1", "c1", "a2", "b2", "c2"):
        assert ask("position", game="hex", options={"size": 3}, moves=[move])["moves"] == [move]
    app: Any = ask.client.app
    positions = app._app.state.server.positions
    assert len(positions._lines) <= 3
    assert positions._states == sum(len(line.states) for line in positions._lines.values())
    monkeypatch.setattr("ludus.web.positions.MAX_STATES", 4)
    ask("position", game="hex", options={"size": 3}, moves=["a1", "b1", "c1"])
    assert positions._states <= 4


def test_a_game_without_a_board_is_shown_as_text(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.ROOMS, "nim", "helpers.nim_game:ENTRY")
    registry.rooms.cache_clear()
    try:
        assert ask("board", game="nim") == {"kind": "text"}
        found = ask("position", game="nim")
        assert found["text"]
        assert "ways" not in found
        played = ask("position", game="nim", moves=found["legal"][:1])
        assert played["moves"] == found["legal"][:1]
        assert ask("move", game="nim", agent="random")["move"] in found["legal"]
    finally:
        monkeypatch.undo()
        registry.rooms.cache_clear()
        registry.entry.cache_clear()
