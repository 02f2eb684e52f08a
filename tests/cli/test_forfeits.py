"""Programs of others that fail: in `match`, `tournament`, `eval` and `ladder` they lose that game, and all goes on; and
what is played before something stops it is told.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.command import Result
from helpers.programs import Made

from ludus.cli.shared.progress import ProgressLine

Ludus = Callable[..., Result]

HEX = ("--game", "hex", "--size", "3")
#: Ends in its second game, each time that it is started.
EVERY_SECOND = "if games == 2: sys.exit(3)\nanswer = genmove(words[1])"
#: Plays two games; then, and whenever it is started again, it ends at once.
SICKLY = f"if games == 3 or len(os.listdir({{folder!r}})) > 1: sys.exit(4)\n{EVERY_SECOND.splitlines()[1]}"


def sickly(folder: Path) -> Made:
    return Made(folder, SICKLY.format(folder=str(folder / "log")))


# --- the games go on ----------------------------------------------------------------------------------------


def test_a_program_that_crashes_in_every_second_game_plays_its_match_to_the_end(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path, EVERY_SECOND)
    done = ludus("match", made.agent, "random", *HEX, "--games", "20", "--json")
    found = done.document
    assert (found["games"], found["wins"] + found["losses"]) == (20, 20)
    assert found["forfeits"] == {made.agent: 10}
    assert found["losses"] >= 10
    assert sum(seat["games"] for seat in found["by_seat"].values()) == 20
    assert not found["stopped"]
    said = [line.partition(": ") for line in done.err.splitlines() if line.startswith("game ")]
    assert [first for first, _, _ in said] == [f"game {number} is forfeited" for number in range(2, 21, 2)]
    for number, (_, _, why) in enumerate(said):
        assert why.startswith(f"the program '{sys.executable}"), number
        assert "ended with status 3 and did not answer 'genmove white'" in why  # it is second in its second game
    assert len(list(made.folder.iterdir())) == 10  # each crash, and a new start; the tenth was in the last game
    assert made.gone()


def test_the_result_for_people_says_who_forfeited_and_why(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path, "answer = 'a1'")
    done = ludus("match", made.agent, "random", *HEX, "--games", "1")
    assert done.status == 0
    first, *_, last = done.out.splitlines()
    assert "0 won, 0 drawn, 1 lost of 1; score 0.00%" in first
    assert f"  {made.agent} forfeited 1 game, the last in game 1: the program '" in last
    assert re.search(r", after the moves a1 [a-c][1-3], answered 'genmove black' with 'a1'", last), last
    assert "(hex move 'a1': a stone stands on a1 already)." in last
    assert made.gone()


@pytest.mark.slow
def test_a_program_that_is_late_forfeits_too(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path, "answer = genmove(words[1])\nif games == 2: time.sleep(600)", seconds="5s:")
    found = ludus("match", made.agent, "random", *HEX, "--games", "2", "--json").document
    assert (found["games"], found["forfeits"]) == (2, {made.agent: 1})
    assert made.gone()


def test_a_program_that_ends_after_a_game_is_started_anew_at_no_cost(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path, clear="if games == 2: sys.exit(5)")
    done = ludus("match", made.agent, "random", *HEX, "--games", "4", "--json")
    assert (done.document["games"], done.document["forfeits"]) == (4, {})
    assert len(list(made.folder.iterdir())) == 4


def test_games_are_played_one_after_the_other_on_one_board(ludus: Ludus, tmp_path: Path) -> None:
    """So that those that have ended count when something comes in between; and a position is told by its new moves."""
    made = Made(tmp_path)
    ludus("match", made.agent, "random", *HEX, "--games", "4")
    said = made.said()
    assert said.count("clear_board") == 4
    assert said.count("boardsize 3") == 1
    games = " ".join(said).split("clear_board")[1:]
    assert [game.split()[:2] for game in games] == [["genmove", "black"], ["play", "black"]] * 2
    for game in games:
        cells = re.findall(r"play \w+ (\w+)", game)
        assert len(cells) == len(set(cells))  # nothing is told twice


def test_a_tournament_an_evaluation_and_a_ladder_go_on_too(
    ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = Made(tmp_path, EVERY_SECOND)
    rated = ludus("tournament", made.agent, "random", *HEX, "--games", "4", "--json").document
    assert rated["forfeits"] == {made.agent: 2}
    assert {row["agent"]: (row["games"], row["forfeits"]) for row in rated["table"]} == {
        made.agent: (4, 2),
        "random": (4, 0),
    }
    shown = ludus("tournament", made.agent, "random", *HEX, "--games", "2").out
    assert f"{made.agent} forfeited 1 game\n" in shown
    measured = ludus("eval", made.agent, *HEX, "--against", "random", "--games", "4", "--json").document
    assert (measured["games"], measured["forfeits"], measured["stopped"]) == (4, {made.agent: 2}, False)
    other = ludus("eval", "random", *HEX, "--against", made.agent, "--games", "4", "--json").document
    assert (other["losses"] <= 2, other["forfeits"]) == (True, {made.agent: 2})
    ladder = ludus("ladder", "hex", "--size", "3", made.agent, "random", "--games", "6", "--json").document
    assert (ladder["played"], ladder["forfeits"]) == (6, {made.agent: 3})
    lines = [json.loads(line) for line in Path(ladder["file"]).read_text().splitlines()]
    assert [line["wins"] + line["losses"] for line in lines] == [2, 2, 2]  # kept a pair at a time


# --- what is an error ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["match", "tournament"])
def test_a_program_that_never_makes_a_move_is_an_error(ludus: Ludus, tmp_path: Path, command: str) -> None:
    made = Made(tmp_path, "sys.exit(7)")
    said = ludus(command, made.agent, "random", *HEX, "--games", "20", "--quiet", "--json").refusal
    assert said.endswith(
        "at the empty board, ended with status 7 and did not answer 'genmove black'; it has failed 3 times without a "
        "move in between."
    )
    assert len(list(made.folder.iterdir())) == 3
    assert made.gone()


def test_a_program_that_cannot_be_started_is_an_error_at_once(ludus: Ludus, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    said = ludus("match", f"htp:{broken}", "random", *HEX, "--games", "20").refusal
    assert said == f"the program '{broken}', at the empty board, cannot be started: No such file or directory."


def test_a_program_that_never_plays_does_not_come_to_a_ladder(
    ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = Made(tmp_path, "sys.exit(7)")
    argv = ("ladder", "hex", "--size", "3")
    assert "it has failed 3 times" in ludus(*argv, made.agent, "random", "--quiet").refusal
    assert ludus(*argv, "--json").document["games"] == 0


@pytest.mark.parametrize("command", ["match", "tournament", "eval"])
def test_an_error_keeps_the_score_so_far(ludus: Ludus, tmp_path: Path, command: str) -> None:
    """Two games to their end, two forfeits, and then it is no player any more."""
    made = sickly(tmp_path)
    argv = {"eval": ("eval", made.agent, "--against", "random")}.get(command, (command, made.agent, "random"))
    done = ludus(*argv, *HEX, "--games", "20", "--json", "--quiet")
    assert done.status == 2
    found = json.loads(done.out)
    assert (found["stopped"], found["forfeits"]) == (True, {made.agent: 2})
    assert (found["games"] if "games" in found else found["pairings"][0]["games"]) == 4
    stopped, error = done.err.splitlines()
    assert stopped == "Stopped after 4 of 20 games."
    assert error.startswith("ludus: the program '")
    assert error.endswith("it has failed 3 times without a move in between.")
    assert made.gone()


# --- Ctrl-C -------------------------------------------------------------------------------------------------


@pytest.fixture
def interrupting(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """`interrupting(7)` is Ctrl-C once seven games have been counted."""

    def at(count: int) -> None:
        counted = iter(range(1, count + 1))

        def games(watch: ProgressLine, done: int, total: int) -> None:
            if next(counted) == count:
                raise KeyboardInterrupt

        monkeypatch.setattr(ProgressLine, "games", games)

    return at


def test_a_match_that_is_stopped_says_how_it_stands(
    ludus: Ludus, tmp_path: Path, interrupting: Callable[[int], None]
) -> None:
    made = Made(tmp_path)
    argv = ("match", made.agent, "random", *HEX, "--games")
    whole = ludus(*argv, "3", "--json").document
    interrupting(3)
    done = ludus(*argv, "20", "--json", "--quiet")
    assert (done.status, done.err) == (130, "Stopped after 3 of 20 games.\n")
    assert json.loads(done.out) == whole | {"stopped": True}  # a longer match begins with the games of a shorter one
    interrupting(3)
    shown = ludus(*argv, "20")
    assert shown.status == 130
    low, high = (100 * end for end in whole["ci95"])
    assert f"{whole['wins']} won, 0 drawn, {whole['losses']} lost of 3; score " in shown.out
    assert f"(95% interval {low:.2f} to {high:.2f})" in shown.out


def test_a_match_that_is_stopped_before_a_game_is_over_has_no_score(
    ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ludus.play.host_batch.play_batch", interrupted)
    done = ludus("match", Made(tmp_path).agent, "random", *HEX, "--json", "--quiet")
    assert done == (130, "", "Stopped before a game was over.\n")


def test_a_tournament_that_is_stopped_has_a_table(
    ludus: Ludus, tmp_path: Path, interrupting: Callable[[int], None]
) -> None:
    """In the second pairing, after one game of two; the third has not begun."""
    (tmp_path / "other").mkdir()
    made, other = Made(tmp_path), Made(tmp_path / "other")
    argv = ("tournament", made.agent, "random", other.agent, *HEX, "--games", "2", "--openings", "0")
    interrupting(3)
    done = ludus(*argv, "--json", "--quiet")
    found = json.loads(done.out)
    assert (done.status, done.err, found["stopped"]) == (130, "Stopped after 3 of 6 games.\n", True)
    assert [(pair["a"], pair["b"], pair["games"]) for pair in found["pairings"]] == [
        (made.agent, "random", 2),
        (made.agent, other.agent, 1),
    ]
    assert {row["agent"]: row["games"] for row in found["table"]} == {made.agent: 3, "random": 2, other.agent: 1}
    for row in found["table"]:
        assert row["wins"] + row["draws"] + row["losses"] == row["games"]
        assert sum(row["first"]) + sum(row["second"]) == row["wins"]


def test_an_evaluation_that_is_stopped_keeps_whom_it_has_met(
    ludus: Ludus, tmp_path: Path, interrupting: Callable[[int], None]
) -> None:
    made = Made(tmp_path)
    interrupting(3)
    done = ludus("eval", "random", *HEX, "--against", made.agent, made.agent, "--games", "2", "--json", "--quiet")
    found = json.loads(done.out)
    assert (done.status, done.err, found["stopped"]) == (130, "Stopped after 1 of 2 games.\n", True)
    assert [result["games"] for result in found["results"]] == [2, 1]
    interrupting(1)
    shown = ludus("eval", "random", *HEX, "--against", made.agent, "--games", "2")
    assert shown.status == 130
    assert re.search(r"random against .*\b1; score .*95% interval", shown.out)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does it")
def test_ctrl_c_tells_the_score_and_ends_the_program_too(tmp_path: Path) -> None:
    """The program is asleep in the third game, deaf to interrupts, and none is started in its place."""
    asleep = "import signal\nif games == 3:\n    signal.signal(signal.SIGINT, signal.SIG_IGN)\n    time.sleep(600)"
    made = Made(tmp_path, f"{asleep}\nanswer = genmove(words[1])")
    argv = [sys.executable, "-m", "ludus", "match", made.agent, "random", *HEX, "--games", "20", "--quiet", "--json"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 300
        while not any(log.read_text().count("clear_board") == 3 for log in made.folder.iterdir()):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (130, "Stopped after 2 of 20 games.\n")
    found = json.loads(out)
    assert (found["games"], found["wins"] + found["losses"], found["forfeits"], found["stopped"]) == (2, 2, {}, True)
    assert len(list(made.folder.iterdir())) == 1
    assert made.gone()
