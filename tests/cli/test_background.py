"""Advice that takes long: broken off alone, the game goes on, and the next thought waits until the last has ended."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import termios
import threading
from collections.abc import Callable

import pytest
from helpers.process import LIMIT, finish, start

from ludus.cli.play.background import Background


def test_what_is_found_is_given_and_what_fails_is_raised() -> None:
    background = Background()
    assert background.run(lambda beat: 7) == 7
    with pytest.raises(ZeroDivisionError):
        background.run(lambda beat: 1 / 0)
    assert background.run(lambda beat: "again") == "again"


def test_it_is_left_at_once_and_ends_at_its_next_beat() -> None:
    background, begun, go_on, ended = Background(), threading.Event(), threading.Event(), []

    def think(beat) -> None:
        begun.set()
        go_on.wait(LIMIT)  # deaf, as a compiler is
        try:
            beat()
        finally:
            ended.append("first")

    def told() -> None:
        begun.wait(LIMIT)
        assert background.handle(signal.SIGINT)

    assert not background.handle(signal.SIGINT)  # nobody thinks yet
    teller = threading.Thread(target=told)
    teller.start()
    assert background.run(think) is None
    teller.join()
    assert (ended, background.busy) == ([], True)
    threading.Timer(0.3, go_on.set).start()  # later than one that does not wait would think
    assert background.run(lambda beat: [*ended, "second"]) == ["first", "second"]
    background.wait()
    assert not background.busy


def test_work_that_nobody_waits_for_ends_when_something_is_asked() -> None:
    background, begun, ended = Background(), threading.Event(), []

    def warm(beat: Callable[[], None]) -> None:
        begun.set()
        try:
            while True:
                beat()
        finally:
            ended.append("warm")

    background.start(warm)
    assert begun.wait(LIMIT)
    assert background.run(lambda beat: [*ended, "asked"]) == ["warm", "asked"]
    background.start(lambda beat: 1 / 0)  # which nobody hears of
    assert background.run(lambda beat: 7) == 7


def test_what_ends_a_process_is_not_for_the_thought_alone() -> None:
    background = Background()
    assert background.run(lambda beat: [background.handle(signal.SIGTERM), background.handle(signal.SIGHUP)]) == [
        False,
        False,
    ]


def test_ctrl_c_where_the_process_is_not_ours() -> None:
    background, over = Background(), threading.Event()

    def think(beat) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        over.wait(LIMIT)
        beat()

    assert background.run(think) is None
    over.set()
    background.wait()


#: A hint that never comes: it says that it has begun, and is deaf.
ENDLESS = (
    "import sys, time; from ludus.cli.shared.hints import GameHints; "
    "GameHints.hint = lambda self, line, beat: (print('thinking', file=sys.stderr, flush=True), time.sleep(600))"
)
PLAY = ["play", "hex", "--size", "2", "--against", "human", "--json"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does it")
def test_ctrl_c_breaks_off_a_hint_and_what_ends_the_process_leaves_the_record() -> None:
    process = start(PLAY, None, before=ENDLESS, stdin=-1)
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write("a1\nhint\n")
    process.stdin.flush()
    for line in process.stderr:
        if "thinking" in line:
            break
    process.send_signal(signal.SIGINT)
    process.stdin.write("b1\nmoves\n")
    process.stdin.flush()
    seen = []
    for line in process.stderr:
        seen.append(line)
        if "> moves" in line:
            break
    assert "That was broken off. The game goes on.\n" in seen
    process.stdin.write("hint\n")  # which waits for the first one
    process.stdin.flush()
    assert "a2 b2" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    result = finish(process)
    assert result.status == 143
    document = json.loads(result.out)
    assert (document["moves"], document["interrupted"]) == (["a1", "b1"], True)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there are no such terminals elsewhere")
def test_ctrl_c_at_the_prompt_of_a_terminal_gives_it_back_as_it_was() -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)

    sits_down = "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"  # so that keys are signals
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    process = start(PLAY[:-1], None, before=sits_down, start_new_session=True, **streams)
    said = b""
    while b"black to move> " not in said:
        said += os.read(ours, 4096)
    while termios.tcgetattr(theirs)[3] & termios.ICANON:  # until readline has it
        assert process.poll() is None
    for _ in range(int(LIMIT / 20)):  # Python does not hear of one that comes just before readline waits
        os.write(ours, b"\x03")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
            break
    assert process.poll() == 130
    after = termios.tcgetattr(theirs)
    os.close(theirs)
    rest = b""
    try:
        while more := os.read(ours, 4096):
            rest += more
    except OSError:  # nobody has it any more
        pass
    os.close(ours)
    assert after == before
    assert b"Traceback" not in rest
