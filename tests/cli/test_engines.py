"""The search, through the command line: `solve` to a depth, matches of agents that search, and `play` against them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ludus.agents.find import find_player
from ludus.cli.shared import hints
from ludus.core.game import compiled
from ludus.core.line import Line
from ludus.games import make_game
from ludus.play.player import Clock
from ludus.search.alphabeta.search import AlphaBeta, Limits

ABALONE = make_game("abalone")
KEYS = {"game", "position", "move", "score", "line", "depth", "nodes", "seconds", "complete", "mate", "evaluation"}
#: Black may push the sixth of white's marbles off at once, by g3h4 alone; and what is so when it has.
ENDING = "w..../b...../b....../......../..wwww.../.wwww.../bbbbb../bbbb../..... b"
OVER = "b..../b...../......./......../..wwww.../.wwww.../bbbbb../bbbb../..... w"


def played_out(position: str, line: list[str]) -> str:
    """Where a line of moves leads; each must be legal there."""
    state = ABALONE.parse(position)
    for move in line:
        state = compiled(ABALONE).step(state, np.int32(ABALONE.parse_move(state, move)))
    return ABALONE.format(state)


# --- solve --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_to_a_depth(ludus) -> None:
    document = ludus("solve", "abalone", "--depth", "2", "--json").document
    assert set(document) == KEYS
    assert (document["game"], document["depth"], document["complete"]) == ("abalone", 2, True)
    assert (document["mate"], document["evaluation"], len(document["line"])) == (None, "hand", 2)
    assert document["line"][0] == document["move"]
    played_out(document["position"], document["line"])
    found = AlphaBeta(ABALONE).search(ABALONE.init(), Limits(depth=2))
    assert document["move"] == ABALONE.format_move(ABALONE.init(), found.action)
    assert document["score"] == found.score / 100
    sooner = AlphaBeta(ABALONE).search(ABALONE.init(), Limits(depth=1)).score
    assert ludus("solve", "abalone", "--depth", "1", "--json").document["score"] == sooner / 100 != 0  # in marbles
    shown = ludus("solve", "abalone", "--depth", "2", "--layout", "belgian-daisy")
    assert "best move  " in shown.out
    assert "2 plies ahead, " in shown.out
    assert "depth 2: " in shown.err
    assert ludus("solve", "abalone", "--depth", "2", "--quiet", "--json").err == ""


@pytest.mark.slow
def test_a_forced_end_is_told_in_plies(ludus) -> None:
    document = ludus("solve", "abalone", ENDING, "--depth", "3", "--json").document
    assert (document["mate"], document["move"], document["line"]) == (1, "g3h4", ["g3h4"])
    assert document["score"] > 1000
    assert played_out(ENDING, document["line"]) == OVER
    assert "black wins in 1 ply\n" in ludus("solve", "abalone", ENDING, "--depth", "2").out
    over = ludus("solve", "abalone", OVER, "--depth", "2", "--json").document
    assert (over["move"], over["line"], over["mate"], over["nodes"]) == (None, [], 0, 0)
    assert over["score"] < -1000
    assert "black has won\n" in ludus("solve", "abalone", OVER, "--depth", "2").out


@pytest.mark.slow
def test_without_limits_it_takes_some_seconds_and_says_so(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.cli.solve.searching.SECONDS", 0.2)
    found = ludus("solve", "abalone", "--json")
    assert "searching for 0.2 s; --seconds or --depth say otherwise" in found.err
    assert not found.document["complete"]
    assert found.document["seconds"] < 5  # as short as that on any machine
    shorter = ludus("solve", "abalone", "--nodes", "3000", "--evaluation", "centre", "--json").document
    assert (shorter["evaluation"], shorter["complete"]) == ("centre", False)
    assert shorter["nodes"] < 100_000
    assert ludus("solve", "abalone", "--depth", "60", "--limit", "0.1", "--json").document["complete"] is False


@pytest.mark.slow
def test_a_file_is_searched_line_by_line(ludus, tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(f"{ABALONE.format(ABALONE.init())}\nnonsense\n{ENDING}\n")
    results = ludus("solve", "abalone", "--file", str(path), "--depth", "2", "--json").document["results"]
    assert [set(result) for result in results] == [KEYS, {"error"}, KEYS]
    assert results[2]["mate"] == 1
    assert len(ludus("solve", "abalone", "--file", str(path), "--depth", "1").out.splitlines()) == 3


@pytest.mark.slow
def test_what_can_be_solved_is_searched_on_request(ludus) -> None:
    """Three plies win on two by two; and a trained agent's values may be what is gone by."""
    found = ludus("solve", "hex", "--size", "2", "--depth", "4", "--json").document
    assert (found["mate"], found["evaluation"]) == (3, "result")
    assert found["move"] in ludus("solve", "hex", "--size", "2", "--json").document["winning_moves"]
    inside = ludus("solve", "hex", "--depth", "1", "--evaluation", "hex/best-3", "--json").document
    assert (inside["position"], inside["evaluation"]) == (".../.../... b", "hex/best-3")


BAD = [
    ("solve abalone --depth 65", "--depth goes from 1 to 64"),
    ("solve abalone --depth deep", "whole number"),
    ("solve abalone --seconds soon", "not a number"),
    ("solve abalone --seconds nan", "--seconds goes from 0"),
    ("solve abalone --nodes 0", "--nodes goes from 1"),
    ("solve abalone --evaluation nothing", "no evaluation 'nothing'; there are hand, centre"),
    ("solve abalone --evaluation no/body", "no agent 'no/body' for abalone"),
    ("solve abalone --evaluation minimax:2", "'minimax:2' has no evaluation"),
    ("solve abalone --evaluation hex/best-3", "plays hex, not abalone"),
    ("solve abalone --all", "too many positions"),
    ("solve abalone --all --depth 2", "leave out --depth"),
    ("solve abalone --moves", "leave out --moves"),
    ("solve abalone zz --depth 2", "abalone position 'zz'"),
    ("solve lgame --depth 2 --seconds 1", "no search for lgame, so leave out --depth and --seconds"),
    ("solve hex --size 4 --depth 2 --evaluation hex/best-3", "plays hex size=3 swap=False, not hex size=4"),
    ("match alphabeta:2 random", "name one with --game"),
    ("match alphabeta:2 lgame/best", "no search for lgame, so 'alphabeta:2' cannot play it"),
    ("match alphabeta:2:hex/best-3 hex/best-4", "cannot meet"),
    ("match alphabeta:2:hex/best-3 random --game abalone", "plays hex, not abalone"),
    ("eval minimax:5 --game abalone", "minimax:1 to minimax:4"),
    ("eval alphabeta:2 --game abalone --exact", "cannot be graded exactly"),
    ("play solitaire-chess --against alphabeta:2", "played alone"),
]


@pytest.mark.parametrize(("command", "words"), BAD)
def test_what_is_refused(ludus, command: str, words: str) -> None:
    for more in ([], ["--json"]):
        assert words in ludus(*command.split(), *more).refusal


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does it")
def test_ctrl_c_gives_the_best_so_far(ludus) -> None:
    ludus("solve", "abalone", "--depth", "1", "--json")  # so that nothing is compiled below
    program = "import sys; from ludus.cli import main; sys.exit(main())"
    argv = [sys.executable, "-c", program, "solve", "abalone", "--seconds", "300", "--json"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert any(line.startswith("depth ") for line in process.stderr)  # it has begun
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    document = json.loads(out)
    assert set(document) == KEYS
    assert not document["complete"]
    assert "Traceback" not in err


# --- matches ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_agents_that_search_meet_others(ludus) -> None:
    against = ("--game", "abalone", "--cap", "60", "--json")
    document = ludus("match", "alphabeta:2", "random", "--games", "4", *against).document
    assert document["losses"] == 0
    assert document["wins"] > 2
    assert document["openings"] == 0
    ours, theirs = document["taken"]
    assert 0 <= theirs < 1 <= ours <= 6
    assert 0.75 <= document["taken_more"] <= 1
    level = ludus("match", "alphabeta:1", "alphabeta:1:centre", "--games", "4", *against).document
    assert level["openings"] > 0
    assert level["distinct"] > 2
    assert level == ludus("match", "alphabeta:1", "alphabeta:1:centre", "--games", "4", *against).document


@pytest.mark.slow
@pytest.mark.campaign
def test_agents_that_search_are_rated_and_measured(ludus) -> None:
    against = ("--game", "abalone", "--cap", "60", "--json")
    rated = ludus("tournament", "alphabeta:1", "minimax:1", "random", "--games", "2", *against).document
    assert rated["table"][-1]["agent"] == "random"
    measured = ludus("eval", "minimax:2", "--against", "random", "--games", "2", *against).document
    assert measured["games"] == 2


# --- play ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_sits_down_where_there_is_an_evaluation(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.cli.shared.agents.SECONDS", 0.1)
    shown = ludus("play", "abalone", stdin="a1c3\na1b2\n")
    assert "against alphabeta:0.1s" in shown.out
    assert ", which thinks for 0.1 s a move.\n" in shown.out
    assert "abalone move 'a1c3': " in shown.out  # why not
    assert shown.out.count("white plays ") == 1
    assert "against hex/best-11@100." in ludus("play", "hex", "--size", "11").out  # a network that searches
    assert "against random." in ludus("play", "hex", "--size", "11", "--swap").out


@pytest.mark.slow
@pytest.mark.parametrize("against", ["human", "random", "alphabeta:1", "minimax:1"])
def test_hints_and_opinions_come_from_the_search(ludus, monkeypatch: pytest.MonkeyPatch, against: str) -> None:
    monkeypatch.setattr(hints, "PATIENCE", 0.1)
    shown = ludus("play", "abalone", "--position", ENDING, "--against", against, stdin="hint\nopinion\n").out
    (hint,) = [line for line in shown.splitlines() if " by a search of " in line and line[0] != "T"]
    assert "black wins in 1 ply after " in hint
    _, _, opinion = shown.partition("The best moves, by a search of 3 plies")
    first, *rest = opinion.splitlines()[1:]
    assert first.split()[1:] == ["win", "in", "1", "ply"]
    assert len([line for line in rest[:4] if line.startswith("  ")]) == 4
    assert rest[4].startswith("  and ")


def test_ctrl_c_while_it_thinks_ends_the_game(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(AlphaBeta, "search", interrupted)
    status, out, _ = ludus("play", "abalone", "--against", "alphabeta:1", "--side", "white", "--json")
    record = json.loads(out)
    assert (status, record["interrupted"], record["moves"], record["result"]) == (130, True, [], None)


@pytest.mark.slow
def test_the_opponent_knows_how_the_game_went() -> None:
    """Ahead by two marbles, it does not bring back what was on the board."""
    start = "wwww./wwwww./..www../......../........./......../..bbb../bbbbbb/bbbbb w"
    line, player = Line(ABALONE, ABALONE.parse(start)), find_player("alphabeta:2", ABALONE)
    line.push(ABALONE.parse_move(line.state, "g5f5"))
    liked = player.move(line, Clock())
    after = compiled(ABALONE).step(line.state, np.int32(liked))
    other = Line(ABALONE, after)  # a game in which it has been already
    other.states.append(line.state)
    assert player.move(other, Clock()) != liked
    assert player.move(line, Clock()) == liked
