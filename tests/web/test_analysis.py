"""What agents play and think, what is true, and the puzzles."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from helpers.web import Asking

import ludus
from ludus.agents.find import find_player
from ludus.play.line import Line
from ludus.play.player import Clock
from ludus.web.workers import Gone

HEX3 = {"game": "hex", "options": {"size": 3}}


def test_an_agent_moves_as_it_does_elsewhere(ask: Asking) -> None:
    found = ask("move", game="hex", options={"size": 5}, agent="hex/best-5")
    assert found["move"] == ludus.agent("hex/best-5").move()
    assert not found["by_chance"]


@pytest.mark.parametrize("agent", ["random", "perfect", "perfect:hardest", "hex/best-3"])
def test_every_kind_of_agent_makes_a_legal_move(ask: Asking, agent: str) -> None:
    found = ask("position", **HEX3, moves=["a1"])
    assert ask("move", **HEX3, moves=["a1"], agent=agent)["move"] in found["legal"]


@pytest.mark.parametrize("chance", [10**400, -1, 1.5, True, "1", [1]])
def test_a_chance_is_a_share(ask: Asking, chance: object) -> None:
    said = ask.refused("move", 400, **HEX3, agent="random", chance=chance)
    assert said == "'chance' is a number from 0 to 1."


def test_weaker_by_chance_is_the_same_for_the_same_seed(ask: Asking) -> None:
    moves = [ask("move", **HEX3, agent="perfect", chance=1, seed=seed) for seed in range(30)]
    assert all(found["by_chance"] for found in moves)
    assert len({found["move"] for found in moves}) > 5  # more than those that win
    assert moves[3] | {"seconds": 0} == ask("move", **HEX3, agent="perfect", chance=1, seed=3) | {"seconds": 0}


@pytest.mark.slow
def test_a_search_keeps_to_its_time(ask: Asking) -> None:
    ask("move", game="abalone", agent="alphabeta:0.05s")  # compiles
    begun = time.perf_counter()
    found = ask("move", game="abalone", agent="alphabeta:60s", seconds=0.2)
    assert time.perf_counter() - begun < 30  # and not the sixty of its name
    assert found["move"] in ask("position", game="abalone")["legal"]


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["minimax:4", "alphabeta:40"])
def test_a_search_is_stopped_for_whoever_asked(agent: str) -> None:
    """Neither has a clock of its own."""
    game = ludus.game("abalone")
    player, line, beats = find_player(agent, game), Line(game, game.init()), []

    def beat() -> None:
        beats.append(time.perf_counter())
        if len(beats) == 2:
            raise Gone

    with pytest.raises(Gone):
        player.move(line, Clock.at(line, 0, beat=beat))
    assert len(beats) == 2
    assert find_player("minimax:1", game).move(line, Clock()) in line.legal()


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("nobody", "there is no agent 'nobody' for hex"),
        ("../../etc/passwd", "there is no agent"),
        ("/", "there is no agent"),
        ("run:../..", "there is no run '../..'"),
        ("run:", "there is no run ''"),
        ("lgame/best", "there is no agent 'lgame/best' for hex"),
        ("hex/best-5", "has learned hex size=5 swap=False, and this is hex size=3"),
        ("alphabeta:2:/etc", "has no evaluation to search hex with"),
        ("alphabeta:2:../secret", "has no evaluation to search hex with"),
        ("alphabeta:9999", "looks 1 to 64 plies ahead"),
        ("minimax:", "is not minimax"),
        ("htp:sh", "there is no agent 'htp:sh' for hex"),
        ("htp:", "'htp:' names no program"),
        ("alphabeta:2:htp:sh", "has no evaluation to search hex with"),
    ],
)
def test_agents_go_by_name_alone(ask: Asking, agent: str, sentence: str) -> None:
    assert sentence in ask.refused("move", **HEX3, agent=agent)


def test_nothing_is_looked_up_on_the_disk_for_a_name(ask: Asking, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is an agent, and lies where the server was started, is none here."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.json").write_text('{"game": "hex", "options": {"size": 3}, "recipe": {}}')
    monkeypatch.chdir(tmp_path)
    for agent in ("mine", "./mine", str(tmp_path / "mine"), "alphabeta:2:mine", f"alphabeta:2:{tmp_path / 'mine'}"):
        said = ask.refused("move", **HEX3, agent=agent)
        assert "there is no agent" in said or "has no evaluation" in said


def test_no_program_is_started_for_a_name(ask: Asking, tmp_path: Path) -> None:
    """A page that anyone may have open must not run commands: `htp:` is for the command line and Python alone."""
    mark = tmp_path / "mark"
    for name in ("htp:", "htp:5s:", "HTP:", " htp:", "alphabeta:2:htp:", "run:htp:"):
        for question in ("move", "opinion", "refutation"):
            ask.refused(question, **HEX3, agent=f"{name}touch {mark}")
    assert not mark.exists()


def test_an_opinion_is_what_the_agent_thinks_of_every_move(ask: Asking) -> None:
    found = ask("opinion", game="hex", options={"size": 5}, agent="hex/best-5", moves=["c3"])
    values = ludus.agent("hex/best-5").values("...../...../..B../...../..... w")
    assert {entry["move"]: pytest.approx(entry["value"], abs=1e-5) for entry in found["moves"]} == values
    first = found["moves"][0]
    assert found["value"] == first["value"] == max(entry["value"] for entry in found["moves"])
    assert first["line"][0] == first["move"]
    ask("position", game="hex", options={"size": 5}, moves=["c3", *first["line"]])  # it can be played
    assert "does not rate moves" in ask.refused("opinion", **HEX3, agent="random")


def test_a_game_that_is_over_has_no_move_left(ask: Asking) -> None:
    moves = ["b1", "a1", "b2", "a2", "b3"]
    for name in ("move", "opinion"):
        assert "the game is over" in ask.refused(name, 400, **HEX3, moves=moves, agent="hex/best-3")


@pytest.mark.parametrize("moves", [[], ["b2"], ["a1", "b2", "c1"]])
def test_the_truth_is_that_of_the_solver(ask: Asking, moves: list[str]) -> None:
    found, game = ask("truth", **HEX3, moves=moves), ludus.game("hex", size=3)
    line = Line(game, game.init())
    for move in moves:
        line.push(game.parse_move(line.state, move))
    answer = ludus.solve(game, line.state).to_json()
    assert found["known"]
    assert (found["word"], found["plies"]) == (answer["value"], answer["plies"])
    assert [(m["move"], m["word"], m["plies"]) for m in found["moves"]] == [
        (m["move"], m["value"], m["plies"]) for m in answer["moves"]
    ]


def test_where_nothing_is_known_that_is_said(ask: Asking) -> None:
    found = ask("truth", game="abalone")
    assert not found["known"]
    assert "too many positions" in found["why"]


@pytest.mark.slow
def test_the_truth_of_a_puzzle_is_what_can_be_solved(ask: Asking) -> None:
    found = ask("truth", game="solitaire-chess", start="N3/1B2/P3/4")
    assert (found["known"], found["value"]) == (True, 1)
    assert {entry["move"]: entry["value"] for entry in found["moves"]} == {"a2b3": 1, "b3a2": -1, "b3a4": -1}
    stuck = ask("truth", game="solitaire-chess", start="R3/4/4/3R")
    assert (stuck["known"], stuck["value"], stuck["moves"]) == (True, -1, [])


@pytest.mark.slow
def test_the_line_that_beats_an_agent_beats_it(ask: Asking) -> None:
    found = ask("refutation", game="lgame", agent="lgame/paper")
    assert found["line"]
    ended = ask("position", game="lgame", moves=found["line"])
    assert ended["over"]
    assert ended["result"] != found["seat"]
    seat = ["A", "B"].index(found["seat"])
    for ply, move in enumerate(found["line"]):
        if ply % 2 == seat:  # its own moves are what it plays there, or as good to it
            thought = ask("opinion", game="lgame", agent="lgame/paper", moves=found["line"][:ply])
            worth = {entry["move"]: entry["value"] for entry in thought["moves"]}
            assert worth[move] == pytest.approx(max(worth.values()), abs=1e-6)
    best = ask("refutation", game="lgame", agent="lgame/best")
    assert (best["unbeatable"], best["line"]) == (True, [])
    assert "is not solved" in ask.refused("refutation", game="abalone", agent="abalone/best")


@pytest.mark.slow
def test_puzzles_come_by_level_number_and_day(ask: Asking) -> None:
    one = ask("puzzle", game="solitaire-chess", level="beginner", seed=5)
    assert one == ask("puzzle", game="solitaire-chess", level="beginner", seed=5)
    assert one["level"] == "beginner"
    day = ask("puzzle", game="solitaire-chess", day="2026-01-31")
    assert day == ask("puzzle", game="solitaire-chess", day="2026-01-31")
    assert "is no day" in ask.refused("puzzle", game="solitaire-chess", day="yesterday")
    assert "no level 'mad'" in ask.refused("puzzle", game="solitaire-chess", level="mad", seed=1)
    assert "has no puzzles" in ask.refused("puzzle", game="lgame", seed=1)
    piece, square = one["final"]
    assert {"K": "king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "P": "pawn"}[piece] in one["goal"]
    assert f"on {square}." in one["goal"]


def test_a_problem_of_two_players_comes_with_its_answer_and_all_refutations(ask: Asking) -> None:
    """What the file says is what the solver says: on a board of 5 this takes milliseconds."""
    one = ask("puzzle", game="hex", level="beginner", seed=3)
    assert one == ask("puzzle", game="hex", level="beginner", seed=3)
    assert one["level"] == "beginner"
    assert one["rating"] < ask("puzzle", game="hex", level="expert", seed=3)["rating"]
    assert ask("puzzle", game="hex", day="2026-01-31")["day"] == "2026-01-31"
    said = {"game": "hex", "options": one["options"], "start": one["position"]}
    legal = ask("position", **said)["legal"]
    assert sorted([*one["answers"], *one["replies"]]) == sorted(legal)
    found = ask("truth", **said)
    assert [entry["move"] for entry in found["moves"] if entry["value"] == 1] == one["answers"]
