"""Reviews of whole games: marked as the truth has it where that is known, and by whom else where it is not."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from helpers.trained import write_run
from helpers.web import Asking

from ludus.games import make_game
from ludus.learners.recipe import Recipe
from ludus.play.line import Line
from ludus.truth import truth_of

HEX3 = {"game": "hex", "options": {"size": 3}}


def reviewed(ask: Asking, **said: Any) -> list[dict[str, Any]]:
    answer = ask.client.post("/api/review", json=said)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines()]


def a_game(name: str, options: dict[str, Any], seed: int) -> tuple[list[str], list[int]]:
    """A game by chance, as moves, and the plies whose move gave something away by the truth."""
    game = make_game(name, **options)
    truth, line, luck, wrong = truth_of(game), Line(game, game.init()), random.Random(seed), []
    while line.ending() is None and len(line.actions) < 24:
        values: Any = truth.solve(line.state)
        move = luck.choice(sorted(values.moves, key=lambda entry: entry.move))
        if move.value != values.value:
            wrong.append(len(line.actions) + 1)
        line.push(game.parse_move(line.state, move.move))
    return line.moves(), wrong


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), [("lgame", {"cap": 100}), ("hex", {"size": 4}), ("hex", {"size": 5})])
def test_where_the_truth_is_known_exactly_the_mistakes_are_marked(ask: Asking, name: str, options: dict) -> None:
    count = 0
    for seed in range(3):
        moves, wrong = a_game(name, options, seed)
        found = reviewed(ask, game=name, options=options, moves=moves)
        assert [mark["ply"] for mark in found[-2]["marks"]] == wrong
        assert all(mark["proved"] for mark in found[-2]["marks"])
        assert {entry["ply"] for entry in found if "ply" in entry} == set(range(len(moves) + 1))
        assert found[-1] == {"done": True, "judged": len(moves) + 1}
        count += len(wrong)
    assert count > 3


@pytest.mark.campaign
@pytest.mark.parametrize("size", [6, 7])
def test_on_larger_boards_too(ask: Asking, size: int) -> None:
    moves, wrong = a_game("hex", {"size": size}, 1)
    found = reviewed(ask, game="hex", options={"size": size}, moves=moves)
    assert [mark["ply"] for mark in found[-2]["marks"]] == wrong
    assert wrong


def test_the_best_move_stands_where_one_was_missed(ask: Asking) -> None:
    found = reviewed(ask, **HEX3, moves=["a1", "b2", "c3"])  # a1 gives the win away, b2 takes it
    by_ply = {entry["ply"]: entry for entry in found if "ply" in entry}
    assert (by_ply[0]["chance"], by_ply[1]["chance"]) == (1.0, 0.0)
    (first,) = [mark for mark in found[-2]["marks"] if mark["ply"] == 1]
    assert (first["sign"], first["proved"], first["before"], first["after"]) == ("??", True, 1.0, 0.0)
    assert by_ply[0]["best"] == "b2"
    assert by_ply[3]["plies"] is not None


def test_a_game_that_is_given_up_has_an_end(ask: Asking) -> None:
    found = reviewed(ask, **HEX3, moves=["b2"], resigned="white")
    assert [entry["chance"] for entry in found if entry.get("ply") == 1] == [1.0]


def test_a_policy_without_values_says_so_and_marks_nothing_by_it(ask: Asking, runs: Path) -> None:
    """Its largest probability is no value: an ordinary game had a mistake at every ply."""
    recipe = Recipe.of("actor-critic", "online", algorithm="tdc", actor="plain")
    write_run(runs / "actor", "hex", {"size": 5, "swap": True}, recipe)
    table = {"game": "hex", "options": {"size": 5, "swap": True}}
    found = ask("opinion", **table, moves=["c3"], agent="run:actor", lines=0)
    assert found["value"] is found["chance"] is None
    assert "has a policy and no values" in found["why"]
    assert sum(entry["probability"] for entry in found["moves"]) == pytest.approx(1, abs=1e-4)
    assert all(entry["value"] is entry["chance"] is None for entry in found["moves"])
    moves = ["c3", "b4", "d2", "d3", "b3", "a4"]
    told = reviewed(ask, **table, moves=moves, agent="run:actor")
    assert "has a policy and no values" in told[0]["why"]
    assert told[0]["analyst"] is None  # and no other agent plays with the swap rule
    assert not any(entry.get("marks") for entry in told)
    assert told[-1]["judged"] == 0


@pytest.mark.slow
def test_another_analyst_takes_its_place(ask: Asking, runs: Path) -> None:
    recipe = Recipe.of("actor-critic", "online", algorithm="tdc", actor="plain")
    write_run(runs / "nine", "hex", {"size": 9, "swap": False}, recipe)
    table = {"game": "hex", "options": {"size": 9}}
    told = reviewed(ask, **table, agent="run:nine")
    assert told[0]["analyst"] == "hex/best-9@100"
    assert told[0]["why"].endswith("hex/best-9@100 looks at the game instead")
    (start,) = [entry for entry in told if entry.get("by") == "search"]
    assert 0 < start["chance"] < 1
    assert not start["proved"]


def test_what_cannot_be_reviewed_is_refused_in_a_sentence(ask: Asking) -> None:
    assert "is played alone" in ask.refused("review", game="solitaire-chess", start="N3/1B2/P3/4")
    assert "there is no agent 'nobody'" in ask.refused("review", **HEX3, agent="nobody")
    assert "hex move 'z9'" in ask.refused("review", **HEX3, moves=["z9"])
