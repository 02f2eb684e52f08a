"""Ctrl-C in training, through the real command: status 130 at any moment, no crash, and the same bytes in the end."""

from __future__ import annotations

import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.process import TRAIN, finish, ludus, start, wait_for
from helpers.training import results

from ludus.cli import interrupt

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does it")


def interrupted_again_and_again(times: int, tmp_path: Path, warm: bool) -> None:
    """So many times, from soon after the process is there to when it would have ended; and then to the end."""
    chance, cache = random.Random(0), tmp_path / "cache" if warm else None
    whole, run, runs = tmp_path / "whole" / "run", tmp_path / "run", 0
    command = [*TRAIN, "--games=1600", "--json", "--out", "run"]  # some hundred reports, in a second or two
    for folder in (whole.parent, tmp_path):
        folder.mkdir(exist_ok=True)
    begin = time.perf_counter()
    assert ludus(*command, cache=cache, cwd=whole.parent).status == 0
    if warm:  # again with all compiled, as it will be
        begin = time.perf_counter()
        assert ludus(*command[:-1], "again", cache=cache, cwd=whole.parent).status == 0
    seconds, hits = time.perf_counter() - begin, 0
    while hits < times:
        argv = ["train", "--resume", "run", "--json"] if (run / "config.json").exists() else command
        process = start(argv, cache, tmp_path)
        time.sleep(chance.uniform(0.5, seconds))  # before that it is Python that starts
        process.send_signal(signal.SIGINT)
        result = finish(process, 60)
        if result.status == 0 or result.out:  # it was too late: what there was to say has been said
            assert result.status in (0, 130), result
            assert results(run) == results(whole)
            run.rename(tmp_path / f"run {runs}")
            runs += 1
            continue
        hits += 1
        assert (result.status, result.out) == (130, ""), (hits, result)
        said = result.err.splitlines()
        assert all(re.fullmatch(r"|[\d,]+ of 1,600 games.*|Stopped\..*", line) for line in said), (hits, result)
        if (run / "config.json").exists() and said:
            assert said[-1] == "Stopped. Go on with: ludus train --resume run"
    assert ludus("train", "--resume", "run", "--json", cache=cache, cwd=tmp_path).status == 0
    assert results(run) == results(whole)


@pytest.mark.slow
def test_three_interrupts_change_nothing(tmp_path: Path) -> None:
    interrupted_again_and_again(3, tmp_path, warm=True)


@pytest.mark.campaign
@pytest.mark.parametrize("warm", [True, False], ids=["compiled before", "compiled anew"])
def test_fifty_interrupts_change_nothing(tmp_path: Path, warm: bool) -> None:
    interrupted_again_and_again(25, tmp_path, warm)


@pytest.mark.slow
def test_it_is_said_how_to_go_on_and_that_can_be_typed(tmp_path: Path) -> None:
    run = tmp_path / "my run"
    process = start([*TRAIN, "--games=1000000", "--out", str(run)], None)
    wait_for(run, 1, process)
    process.send_signal(signal.SIGINT)
    status, out, err = finish(process)
    assert (status, out) == (130, "")
    words = shlex.split(err.splitlines()[-1].partition("Go on with: ")[2])
    assert words == ["ludus", "train", "--resume", str(run)]


def test_an_interrupt_that_is_ignored_stays_so() -> None:
    """As in the background of a shell's script; and in a process that does more than one command."""
    script = """
import signal, sys
from ludus.cli import interrupt
signal.signal(signal.SIGINT, signal.SIG_IGN)
interrupt.Process.alone = True
with interrupt.leaving_at_once(lambda: None):
    signal.raise_signal(signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
interrupt.Process.alone = False
try:
    with interrupt.leaving_at_once(lambda: None):
        signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    sys.exit(7)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 7


@pytest.mark.parametrize(
    ("words", "status"),
    [("print('bye')", 130), ("1 / 0", 130), ("time.sleep(600)", 130)],
    ids=["said", "failing", "stuck"],
)
def test_it_leaves_whatever_the_main_thread_and_the_last_words_are_at(words: str, status: int) -> None:
    script = f"""
import signal, time
from ludus.cli import interrupt
interrupt.Process.alone = True
with interrupt.leaving_at_once(lambda: {words}):
    print("now", flush=True)
    while True:
        try:
            time.sleep(600)
        except BaseException:
            pass
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        process.send_signal(signal.SIGINT)
        if "sleep" in words:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.3)
            process.send_signal(signal.SIGINT)  # once more: at once
        assert process.wait(30) == status
        assert process.stdout.read() == ("bye\n" if "bye" in words else "")


def test_what_was_before_is_there_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupt.Process, "alone", True)
    before = signal.getsignal(signal.SIGINT)
    with interrupt.leaving_at_once(lambda: None):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
