"""Shipping: a run becomes an agent of the package, with a card made from the run's own files."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import pytest

from ludus import games as registry
from ludus.agents import find, spec
from ludus.games.hex.rules import Hex
from ludus.learners.recipe import Recipe
from ludus.training import shipping
from ludus.training.train import train
from ludus.truth import truth_of

GAME = Hex(size=2)
TINY = Recipe.of(
    "tiny",
    "negamax",
    hidden=(8,),
    optimizer="rmsprop",
    lanes=4,
    plies=8,
    updates=2,
    batch=8,
    memory=64,
    games=100,
    rounds=2,
)


@pytest.mark.slow
def test_a_run_is_shipped_with_its_card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    command = "ludus train hex --size 2 --seed 7"
    run, store = tmp_path / "run", tmp_path / "shipped"
    outcome = train(GAME, TINY, 7, run, command)
    for module in (registry, shipping):
        monkeypatch.setattr(module, "shipped_folder", lambda name: store / name)
    card = shipping.ship(run, "hex/tiny", "By a test.")
    folder = store / "hex" / "tiny"
    assert json.loads((folder / "card.json").read_text()) == card
    assert (card["agent"], card["how"], card["command"], card["seed"]) == ("hex/tiny", "By a test.", command, 7)
    assert card["games"] == outcome.games >= 100
    assert card["seconds"] >= 0
    assert card["versions"]["jax"] == jax.__version__
    assert outcome.final is not None
    assert card["strength"] == json.loads(json.dumps(outcome.final.to_json()))
    final = json.loads((run / "final.json").read_text())
    assert card["strength"] | {"summary": outcome.final.summary()} == final
    assert {path.name for path in folder.iterdir()} == {
        "card.json",
        "config.json",
        "weights.json",
        "weights.safetensors",
    }
    # It is found by its name now, and is the same player.
    assert registry.shipped("hex") == ["hex/tiny"]
    assert spec.folder_of("hex/tiny") == folder
    assert find.game_of("hex/tiny") == GAME
    assert truth_of(GAME).grade(find.find_player("hex/tiny", GAME)).to_json() == outcome.final.to_json()


def test_a_command_is_shipped_without_where_its_run_was_put() -> None:
    command = "ludus train hex --size 3 --out '/tmp/my run' --seed 4 --json"
    assert shipping.portable(command) == "ludus train hex --size 3 --seed 4"
    assert shipping.portable("ludus train hex") == "ludus train hex"


def test_a_proof_from_elsewhere_must_agree_with_what_is_found_here(tmp_path: Path) -> None:
    here = {"held": 1.0, "first_player_win": None, "wins_from": ["c3"], "replies_tried": [1], "positions_followed": 7}
    there = here | {"first_player_win": True, "replies_tried": ["all"], "positions_followed": 99}
    proof = tmp_path / "proof.json"
    proof.write_text(json.dumps({"agent": "elsewhere", "game": "hex"} | there))
    assert shipping.with_proof(here, proof) == there
    for other in ({"held": 0.5}, {"wins_from": []}):
        with pytest.raises(AssertionError, match=next(iter(other))):
            shipping.with_proof(here | other, proof)
