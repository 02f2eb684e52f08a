"""`ludus htp` and `htp:COMMAND`: both ends against each other, and programs that do not keep to the protocol."""

from __future__ import annotations

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
from helpers.command import Result

import ludus as face
from ludus.errors import BadInput

Ludus = Callable[..., Result]

HEX = ("--game", "hex", "--size", "3", "--games", "4")
OURS = shlex.join([sys.executable, "-m", "ludus", "htp"])
#: A program that writes down what it is asked, in a file named by its number, and plays the first cell that is free.
PROGRAM = """
import itertools, os, sys, time
log = open(os.path.join({folder!r}, str(os.getpid())), "w")
def cells():
    return [f"{{c}}{{r}}" for r in range(1, size + 1) for c in "abcdefghijk"[:size]]
def genmove(colour):
    move = next(cell for cell in cells() if cell not in down)
    down[move] = colour
    return move
size, down = 0, {{}}
for line in sys.stdin:
    log.write(line)
    log.flush()
    words = line.split()
    answer = ""
    if words[0] == "boardsize":
        size = int(words[1])
    elif words[0] == "clear_board":
        down = {{}}
    elif words[0] == "play":
        assert words[2] not in down and words[2] in cells()
        down[words[2]] = words[1]
    elif words[0] == "genmove":
{genmove}
    elif words[0] == "quit":
        break
    print("= " + answer + "\\n", flush=True)
"""


class Made:
    """A program that answers in some way, and what became of it."""

    def __init__(self, folder: Path, genmove: str = "answer = genmove(words[1])", seconds: str = "") -> None:
        self.folder = folder / "log"
        self.folder.mkdir()
        self.path = folder / "program.py"
        indented = "\n".join(f"        {line}" for line in genmove.splitlines())
        self.path.write_text(PROGRAM.format(folder=str(self.folder), genmove=indented))
        self.agent = f"htp:{seconds}{shlex.join([sys.executable, str(self.path)])}"

    def said(self) -> list[str]:
        """All that it was told, of the one process that there was."""
        (log,) = self.folder.iterdir()
        return log.read_text().splitlines()

    def gone(self) -> bool:
        """Whether every process of it has ended, and been waited for."""
        return bool(list(self.folder.iterdir())) and not any(alive(int(log.name)) for log in self.folder.iterdir())


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


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
        out, err = process.communicate(timeout=300)
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
def test_a_program_that_does_not_play_ends_all_in_a_sentence(
    ludus: Ludus, tmp_path: Path, genmove: str, words: str
) -> None:
    made = Made(tmp_path, genmove)
    said = ludus("match", made.agent, "random", *HEX).refusal
    assert words in said
    assert said.startswith(f"the program '{sys.executable}")
    assert "at the empty board" in said
    assert made.gone()


def test_the_sentence_says_after_which_moves(ludus: Ludus, tmp_path: Path) -> None:
    made = Made(tmp_path, "answer = 'a1'")
    said = ludus("match", made.agent, "random", *HEX[:-1], "1").refusal
    assert re.search(r", after the moves a1 [a-c][1-3], answered 'genmove black' with 'a1'", said), said
    assert "(hex move 'a1': a stone stands on a1 already)" in said
    assert made.gone()


@pytest.mark.slow
@pytest.mark.parametrize("genmove", ["time.sleep(600)", "print('= a1', flush=True)\ntime.sleep(600)"])
def test_a_program_that_is_late_is_ended(ludus: Ludus, tmp_path: Path, genmove: str) -> None:
    made = Made(tmp_path, genmove, seconds="3s:")
    said = ludus("match", made.agent, "random", *HEX).refusal
    assert re.search(r"did not answer '[\w ]+' in 3 s; htp:6s:COMMAND waits longer\.$", said), (
        said
    )  # busy: an earlier one
    assert made.gone()


def test_what_a_program_has_started_ends_with_it(ludus: Ludus, tmp_path: Path) -> None:
    child = f"open(os.path.join({str(tmp_path / 'log')!r}, str(child.pid)), 'w')"
    start = "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"
    made = Made(tmp_path, f"import subprocess\n{start}\n{child}\nanswer = 'z9'")
    assert "is no move there" in ludus("match", made.agent, "random", *HEX).refusal
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
    with pytest.raises(BadInput, match="thinks nothing of moves"):
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
    assert "is a program of its own: it can play, and no more." in ludus(*argv).refusal


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does it")
def test_an_interrupt_ends_the_program_too(tmp_path: Path) -> None:
    made = Made(tmp_path, "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(600)")
    argv = [sys.executable, "-m", "ludus", "match", made.agent, "random", *HEX, "--quiet"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not any("genmove" in log.read_text() for log in made.folder.iterdir()):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err) == (130, "", "")
    assert made.gone()


@pytest.mark.skipif(os.name != "posix", reason="elsewhere programs have no groups")
def test_a_process_that_leaves_at_once_leaves_no_program(tmp_path: Path) -> None:
    """As Ctrl-C does while something is compiled; this program would not see that nobody speaks to it any more."""
    made = Made(tmp_path, "print('= a1\\n', flush=True)\ntime.sleep(600)")
    script = f"""
from ludus import stopping
from ludus.play.program import Program
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
