"""`ludus htp` and `htp:COMMAND`: both ends against each other, and what a program of others is told."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import referee
from helpers.command import Result
from helpers.programs import Made

import ludus as face
from ludus.errors import BadInput

Ludus = Callable[..., Result]

HEX = ("--game", "hex", "--size", "3", "--games", "4")
OURS = shlex.join([sys.executable, "-m", "ludus", "htp"])


# --- both ends ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_both_ends_play_each_other(ludus: Ludus) -> None:
    found = ludus("match", f"htp:{OURS} random --seed 1", "random", *HEX, "--json").document
    assert (found["wins"] + found["losses"], found["draws"]) == (4, 0)


@pytest.mark.slow
def test_an_agent_plays_through_the_protocol_as_it_does_without(ludus: Ludus) -> None:
    """Also through two ends of it. A search finds one move, so that the games are the same (a network may choose among
    moves that it likes alike).
    """
    argv = ("hex/best-3", "--games", "6", "--openings", "2", "--seed", "3", "--json")
    direct = ludus("match", "alphabeta:2", *argv).document
    once = f"{OURS} alphabeta:2 --size 3"
    for command in (once, f"{OURS} {shlex.quote(f'htp:{once}')} --size 3"):
        found = ludus("match", f"htp:{command}", *argv).document
        assert found | {"a": direct["a"]} == direct


@pytest.mark.slow
@pytest.mark.campaign
def test_a_referee_lets_two_processes_play_twenty_games() -> None:
    """They resign once a game is over; who has made the last move has won."""
    pipe = subprocess.PIPE
    argv = [[*shlex.split(OURS), "minimax:1", "--size", "3"], [*shlex.split(OURS), "random", "--seed", "4"]]
    processes = [subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) for words in argv]

    def speaking(process: subprocess.Popen[str]) -> referee.Ask:
        def ask(command: str) -> str:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{command}\n")
            process.stdin.flush()
            rows = list(itertools.takewhile(lambda row: row not in ("", "\n"), process.stdout))
            return "".join([*rows, "\n"])

        return ask

    try:
        sides = [speaking(process) for process in processes]
        for number in range(20):
            score, moves = referee.play(*sides[:: (-1) ** number], size=3)
            assert score == ("W+" if len(moves) % 2 else "B+")
        for process in processes:
            process.communicate("quit\n", timeout=300)
        assert [process.returncode for process in processes] == [0, 0]
    finally:
        for process in processes:
            process.kill()


@pytest.mark.slow
def test_both_ends_swap(ludus: Ludus) -> None:
    agent = f"htp:{OURS} random --swap --seed 2"
    found = ludus("match", agent, "random", *HEX[:-1], "40", "--swap", "--json").document
    assert found["wins"] + found["losses"] == 40


@pytest.mark.slow
def test_what_is_typed_into_the_command_is_answered() -> None:
    commands = "1 name\nboardsize 4\nboardsize 5\nplay black c3\n# none\n\n2 genmove white\nundo\nundo\n3 showboard\n"
    done = subprocess.run(
        [*shlex.split(OURS), "hex/best-5"], input=commands, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")  # the end of input
    answers = done.stdout.split("\n\n")
    assert answers[0] == "=1 Ludus hex/best-5"
    assert answers[1].startswith("? unacceptable size: the agent 'hex/best-5' plays hex size=5")
    assert answers[2:4] == ["=", "="]
    move = answers[4].removeprefix("=2 ")
    values = face.agent("hex/best-5").values("...../...../..B../...../..... w")
    assert values[move] == pytest.approx(max(values.values()), abs=1e-4)
    assert answers[5:7] == ["=", "="]
    assert "B" not in answers[7].rpartition("\n")[0]
    assert answers[8:] == [""]


@pytest.mark.slow
def test_the_same_seed_plays_the_same_moves(ludus: Ludus) -> None:
    def moves(seed: str) -> str:
        return ludus("htp", "random", "--size", "4", "--seed", seed, stdin="genmove b\ngenmove w\n" * 3).out

    assert moves("1") == moves("1")
    assert len({moves(str(seed)) for seed in range(4)}) > 1


def test_quit_ends_it_and_what_comes_after_is_not_read(ludus: Ludus) -> None:
    done = ludus("htp", "random", stdin="4 quit\nname\n")
    assert (done.status, done.out, done.err) == (0, "=4\n\n", "")


@pytest.mark.slow
def test_sizes_of_the_perfect_player_are_those_that_are_solved(ludus: Ludus) -> None:
    said = ludus("htp", "perfect", "--size", "3", stdin="boardsize 2\nboardsize 8\nboardsize 9\nboardsize 4\n").out
    assert [answer[:19] for answer in said.split("\n\n")[:-1]] == ["=", *["? unacceptable size"] * 2, "="]


def test_light_commands_load_nothing_heavy() -> None:
    """A program that only asks who is there is answered at once."""
    script = "import sys; from ludus.cli import main; main(['htp', 'hex/best-5']); sys.exit('jax' in sys.modules)"
    commands = "name\nversion\nlist_commands\nknown_command play\nboardsize 5\ntime_settings 0 5 1\nclear_board\nquit\n"
    done = subprocess.run([sys.executable, "-c", script], input=commands, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout.count("\n\n"), done.stderr) == (0, 8, "")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does it")
def test_an_interrupt_ends_it_quietly() -> None:
    with subprocess.Popen(
        [*shlex.split(OURS), "random"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("name\n")
        process.stdin.flush()
        assert [process.stdout.readline() for _ in range(2)] == ["= Ludus random\n", "\n"]
        process.send_signal(signal.SIGINT)
        process.wait(300)  # before its input ends, which would end it too
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "")


# --- a program of others ------------------------------------------------------------------------------------


def test_a_program_is_told_games_and_let_go(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path)
    found = ludus("match", made.agent, "random", *HEX, "--json").document
    assert found["wins"] + found["losses"] == 4
    said = made.said()
    assert said[:2] == ["boardsize 3", "clear_board"]
    assert said[-1] == "quit"
    assert "genmove white" in said
    assert "genmove black" in said
    assert made.gone()


@pytest.mark.slow
def test_a_program_that_does_not_quit_is_ended(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path, "import atexit\natexit.register(time.sleep, 600)\nanswer = genmove(words[1])")
    assert ludus("match", made.agent, "random", *HEX[:-1], "1", "--json").document["games"] == 1
    assert made.said()[-1] == "quit"
    assert made.gone()


def test_one_game_is_told_by_its_new_moves_alone(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path)
    argv = ("play", "hex", "--size", "3", "--against", made.agent, "--side", "white")
    done = ludus(*argv, stdin="c3\na2\nundo\nb3\nquit\n")
    assert (done.status, done.err) == (0, "")
    start = ["boardsize 3", "clear_board", "genmove black"]
    moves = ["play white c3", "genmove black", "play white a2", "genmove black"]
    again = ["clear_board", *("play black a1", "play white b3", "play black b1", "play white c3"), "genmove black"]
    assert made.said() == [*start, *moves, *again, "quit"]
    assert made.gone()


def test_what_is_printed_before_an_answer_is_passed_over(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path, "print('thinking ...\\n\\nhexes everywhere')\nanswer = genmove(words[1])")
    assert ludus("match", made.agent, "random", *HEX, "--json").document["games"] == 4


@pytest.mark.parametrize(
    ("genmove", "words"),
    [
        ("answer = 'z9'", "answered 'genmove black' with 'z9', which is no move there (hex move 'z9': the 3 x 3 board"),
        ("answer = ''", "answered 'genmove black' with '', which is no move there"),
        ("answer = 'swap-pieces'", "with 'swap-pieces', which is no move there"),
        ("print('? I would rather not\\n', flush=True)", "refused 'genmove black' with 'I would rather not'"),
        ("sys.exit(7)", "ended with status 7 and did not answer 'genmove black'"),
        ("raise ValueError('out of ideas')", "its last words were 'ValueError: out of ideas'"),
        ("os.kill(os.getpid(), 9)", "was ended by signal 9 and did not answer 'genmove black'"),
        ("while True: print('noise')", "said 10,000 lines and did not answer 'genmove black'"),
        pytest.param(
            *("os.close(1)\ntime.sleep(600)", "closed its output and did not answer 'genmove black'"),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["illegal", "empty", "no swap", "refused", "ended", "crashed", "killed", "noise", "closed"],
)
def test_a_program_that_makes_no_move_at_the_table_ends_all_in_a_sentence(
    ludus: Ludus, tmp_path: Path, genmove: str, words: str
) -> None:
    made = Made(tmp_path, genmove)
    done = ludus("play", "hex", "--size", "3", "--against", made.agent, "--side", "white")
    assert done.status == 2
    assert words in done.err
    assert done.err.startswith(f"ludus: the program '{sys.executable}")
    assert "at the empty board" in done.err
    assert done.err.count("\n") == 1
    assert made.gone()


@pytest.mark.slow
@pytest.mark.parametrize("genmove", ["time.sleep(600)", "print('= a1', flush=True)\ntime.sleep(600)"])
def test_a_program_that_is_late_is_ended(ludus: Ludus, tmp_path: Path, genmove: str) -> None:
    made = Made(tmp_path, genmove, seconds="3s:")
    done = ludus("play", "hex", "--size", "3", "--against", made.agent, "--side", "white")
    assert done.status == 2
    assert re.search(r"did not answer '[\w ]+' in 3 s; htp:6s:COMMAND waits longer\.\n$", done.err), done.err
    assert made.gone()


def test_what_a_program_has_started_ends_with_it(ludus: Ludus, tmp_path: Path) -> None:
    child = f"open(os.path.join({str(tmp_path / 'log')!r}, str(child.pid)), 'w')"
    start = "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"
    made = Made(tmp_path, f"import subprocess\n{start}\n{child}\nanswer = 'z9'")
    done = ludus("play", "hex", "--size", "3", "--against", made.agent, "--side", "white")
    assert "is no move there" in done.err
    assert len(list(made.folder.iterdir())) == 2
    until = time.monotonic() + 60
    while not made.gone() and time.monotonic() < until:  # the orphan is waited for by another
        state = [Path(f"/proc/{log.name}/stat") for log in made.folder.iterdir()]
        if all(not at.exists() or at.read_text().rpartition(")")[2].split()[0] == "Z" for at in state):
            break  # dead, though nobody has asked how it ended
        time.sleep(0.05)
    else:
        assert made.gone()


@pytest.mark.parametrize("command", ["match", "play"])
def test_a_program_may_give_up(ludus: Ludus, tmp_path: Path, command: str) -> None:
    made = Made(tmp_path, "answer = 'resign'")
    if command == "match":
        found = ludus("match", made.agent, "random", *HEX, "--json").document
        assert (found["wins"], found["losses"]) == (0, 4)
    else:
        argv = ("play", "hex", "--size", "3", "--against", made.agent, "--json")
        done = ludus(*argv, stdin="b2\n")
        found = json.loads(done.out)
        assert (found["result"], found["resigned"], found["moves"]) == ("black", "white", ["b2"])
    assert made.gone()


def test_a_program_that_fails_at_the_table(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path, "answer = 'b2'")
    done = ludus("play", "hex", "--size", "3", "--against", made.agent, stdin="b2\n")
    assert done.status == 2
    assert "after the moves b2, answered 'genmove white' with 'b2', which is no move there" in done.err
    assert done.err.count("\n") == 1
    assert made.gone()


@pytest.mark.slow
def test_a_tournament_and_python_have_programs_too(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path)
    argv = ("tournament", made.agent, "random", "--game", "hex", "--size", "3", "--games", "2", "--json")
    assert {row["agent"] for row in ludus(*argv).document["table"]} == {made.agent, "random"}
    agent = face.agent(made.agent, face.game("hex", size=3))
    assert agent.move("B../.../... w") == "b1"
    with pytest.raises(BadInput, match="does not rate moves"):
        agent.values()
    del agent
    assert made.gone()


def test_after_a_failure_it_is_ended_at_once_and_begins_anew(tmp_path: Path) -> None:
    made = Made(tmp_path, "answer = genmove(words[1]) if 'b2' in down else 'z9'")
    agent = face.agent(made.agent, face.game("hex", size=3))
    with pytest.raises(BadInput, match="'z9', which is no move there"):
        agent.move("B../.../... w")
    assert made.gone()
    assert agent.move(".../.B./... w") == "a1"
    assert len(list(made.folder.iterdir())) == 2
    assert not made.gone()


@pytest.mark.slow
def test_a_program_can_play_and_no_more(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path)
    argv = ("eval", made.agent, "--game", "hex", "--size", "3", "--exact", "--quiet")
    assert "is an external program: it can play, and no more." in ludus(*argv).refusal


@pytest.mark.skipif(os.name != "posix", reason="elsewhere programs have no groups")
def test_a_process_that_leaves_at_once_leaves_no_program(tmp_path: Path) -> None:
    """As Ctrl-C does while something is compiled; this program would not see that nobody speaks to it any more."""
    made = Made(tmp_path, "print('= a1\\n', flush=True)\ntime.sleep(600)")
    script = f"""
from ludus import stopping
from ludus.play.gtp_client import Program
program = Program([{sys.executable!r}, {str(made.path)!r}], 300)
print(program.ask("boardsize 3") + program.ask("genmove black"))
stopping.leave(5)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (5, "a1\n", "")
    assert made.gone()


# --- names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ("match htp: random --game hex", "'htp:' names no program"),
        ("match htp random --game hex", "'htp' names no program"),
        ("match htp:5s: random --game hex", "names no program"),
        ("match htp:0s:sh random --game hex", "has some time up to 3600s for an answer, not 0s"),
        ("match htp:9999s:sh random --game hex", "has some time up to 3600s for an answer, not 9999s"),
        ("match htp:no-such-program random --game hex", "there is no program 'no-such-program' to start"),
        ("match htp:sh random --game lgame", "there is no text protocol for lgame, so 'htp:sh' cannot play it"),
        ("match htp:sh random", "plays any game; name one with --game"),
        ("play abalone --against htp:sh", "there is no text protocol for abalone"),
        ("match alphabeta:2:htp:sh random --game hex", "has no evaluation to search with"),
        ("htp nosuch", "there is no agent 'nosuch'"),
        ("htp random --game lgame", "there is no text protocol for lgame; there is for hex"),
        ("htp lgame/best", "there is no text protocol for lgame; there is for hex"),
        ("htp hex/best-5 --size 4", "the agent 'hex/best-5' plays hex size=5 swap=False, not hex size=4 swap=False"),
        ("htp perfect", "hex is solved on boards of 2 to 8, not 11"),
        ("htp perfect --size 8", "perfect plays hex on boards of 2 to 7, not 8"),
        ("htp random --size 20", "size goes from 2 to 19"),
        ("htp random --seed -1", "--seed goes from 0"),
    ],
)
def test_names_and_games_that_are_refused(ludus: Ludus, argv: str, words: str) -> None:
    assert words in ludus(*argv.split(), stdin="name\n").refusal


def test_quotes_that_do_not_end_are_refused(ludus: Ludus) -> None:
    assert "is no command: no closing quotation." in ludus("match", "htp:sh 'a", "random", "--game", "hex").refusal
