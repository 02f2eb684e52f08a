"""Options that an agent need not have learned a game under: what is asked for is played, and others are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.text import refusal
from helpers.trained import write_run

import ludus as package
from ludus.agents.spec import bound_of
from ludus.cli.shared.agents import game_for
from ludus.cli.shared.options import GameOptions
from ludus.games import make_game
from ludus.learners.recipe import Recipe

SMALL = Recipe.of("small", "returns", hidden=(4,), lanes=2, plies=2)


def asked(**options: Any) -> GameOptions:
    return GameOptions(set=tuple(f"{name}={value}" for name, value in options.items()))


def folder(path: Path, game: str, **options: Any) -> str:
    """As much of a run as says what it plays."""
    path.mkdir()
    (path / "config.json").write_text(json.dumps({"game": game, "options": options, "recipe": {}}))
    return str(path)


def test_an_agent_plays_under_what_is_asked_for_else_under_what_it_has_learned(tmp_path: Path) -> None:
    run = folder(tmp_path / "run", "abalone", layout="belgian-daisy", cap=120)
    for name in (run, f"alphabeta:2:{run}"):
        for game in (None, "abalone"):
            assert game_for([name], game, asked()).describe() == "abalone layout=belgian-daisy cap=120"
            assert game_for([name, "random"], game, asked(cap=9)).describe() == "abalone layout=belgian-daisy cap=9"
            found = game_for(["random", name], game, asked(layout="standard", cap=9))
            assert found.describe() == "abalone layout=standard cap=9"


def test_two_meet_under_the_options_of_the_first(tmp_path: Path) -> None:
    one = folder(tmp_path / "one", "abalone", cap=120)
    two = folder(tmp_path / "two", "abalone", layout="german-daisy")
    assert game_for([one, two], None, asked()).describe() == "abalone layout=standard cap=120"
    assert game_for(["random", two, one], None, asked()).describe() == "abalone layout=german-daisy cap=200"
    assert game_for([one, two], None, asked(cap=7)).describe() == "abalone layout=standard cap=7"


def test_what_is_not_free_must_agree(tmp_path: Path) -> None:
    three, four = (folder(tmp_path / f"hex-{size}", "hex", size=size) for size in (3, 4))
    abalone = folder(tmp_path / "abalone", "abalone")
    assert "cannot meet" in refusal(game_for, [three, four], None, asked())
    assert "cannot meet" in refusal(game_for, [three, abalone], None, asked())
    assert "not hex size=5" in refusal(game_for, [three], None, asked(size=5))
    assert "plays lgame cap=100, not lgame cap=7" in refusal(game_for, ["lgame/best"], None, asked(cap=7))
    assert "has no layout 'odd'" in refusal(game_for, [abalone], None, asked(layout="odd"))
    assert bound_of(make_game("hex", size=3)) != bound_of(make_game("hex", size=4))
    assert bound_of(make_game("abalone", cap=7)) == bound_of(make_game("abalone", layout="dutch-daisy"))


@pytest.fixture
def run(tmp_path: Path) -> str:
    return str(write_run(tmp_path / "run", "abalone", {"layout": "german-daisy", "cap": 8}, SMALL))


@pytest.mark.slow
def test_it_plays_a_match_and_at_the_table_under_any(ludus, run: str, tmp_path: Path) -> None:
    played = ludus("match", run, "random", "--games", "2", "--cap", "6", "--json").document
    assert played["game"] == "abalone layout=german-daisy cap=6"
    assert played["mean_plies"] == 6
    argv = ("play", "abalone", "--against", run, "--json")
    assert ludus(*argv).document["options"] == {"layout": "german-daisy", "cap": 8}
    assert ludus(*argv, "--layout", "standard").document["options"] == {"layout": "standard", "cap": 8}
    saved = tmp_path / "game.txt"
    ludus("play", "abalone", "--layout", "dutch-daisy", "--against", "human", stdin=f"save {saved}\n")
    document = ludus(*argv, "--load", str(saved)).document
    assert document["options"] == {"layout": "dutch-daisy", "cap": 200}


def test_thebest_agent_sits_down_under_any(ludus, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.games.shipped", lambda game=None: ["abalone/best"])
    monkeypatch.setattr("ludus.agents.spec.folder_of", lambda name: Path(run))
    from ludus.cli.shared.agents import best_agent

    assert best_agent(make_game("abalone", layout="swiss-daisy")) == "alphabeta:1s:abalone/best"
    assert best_agent(make_game("hex", size=7)) == "random"


@pytest.mark.slow
def test_from_python_too(run: str) -> None:
    assert package.agent(run).game.describe() == "abalone layout=german-daisy cap=8"
    other = make_game("abalone", cap=50)
    player = package.agent(run, other)
    assert player.game == other
    assert "plays hex size=3" in refusal(package.agent, "hex/best-3", make_game("hex", size=4))
