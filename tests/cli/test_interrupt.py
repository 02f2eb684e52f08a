"""What commands do at a signal: training goes on to the same bytes, searches give what they have, words are said."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from helpers.process import LIMIT, TRAIN, finish, start, wait_for
from helpers.process import ludus as run_command
from helpers.training import results

from ludus.cli.shared.interrupt import on_stop, stop_request
from ludus.core.cache import folder
from ludus.games.hex.rules import Hex
from ludus.games.hex.solver import prover
from ludus.games.hex.solver.prover import Prover, ProverResult, ProverWatch
from ludus.truth import truth_of
from ludus.truth.protocol import ProvingTruth

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does it")


def interrupted_again_and_again(times: int, tmp_path: Path, warm: bool) -> None:
    """So many times, from soon after the process is there to when it would have ended; and then to the end."""
    kept = folder() or tmp_path / "cache"  # what all tests keep
    chance, cache = random.Random(0), kept if warm else None
    whole, run, runs = tmp_path / "whole" / "run", tmp_path / "run", 0
    command = [*TRAIN, "--games=1600", "--json", "--out", "run"]  # some hundred reports, in a second or two
    whole.parent.mkdir()
    begin = time.perf_counter()
    assert run_command(*command, cache=cache, cwd=whole.parent).status == 0
    if warm:  # again with all compiled, as it will be
        begin = time.perf_counter()
        assert run_command(*command[:-1], "again", cache=cache, cwd=whole.parent).status == 0
    seconds, hits = time.perf_counter() - begin, 0
    while hits < times:
        argv = ["train", "--resume", "run", "--json"] if (run / "config.json").exists() else command
        process = start(argv, cache, tmp_path)
        time.sleep(chance.uniform(0.5, seconds))  # before that it is Python that starts
        process.send_signal(signal.SIGINT)
        result = finish(process)
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
    assert run_command("train", "--resume", "run", "--json", cache=cache, cwd=tmp_path).status == 0
    assert results(run) == results(whole)


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


def test_in_a_process_that_is_not_ours_it_is_raised_as_ever() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), on_stop(lambda: None):
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), stop_request() as asked:
        signal.raise_signal(signal.SIGINT)
    assert asked.number == signal.SIGINT
    assert signal.getsignal(signal.SIGINT) is before


def test_the_last_words_are_said_and_then_it_has_left() -> None:
    script = """
import os, signal, time
from ludus import stopping
from ludus.cli.shared.interrupt import on_stop
stopping.listen()
with on_stop(lambda: print("bye")):
    os.kill(os.getpid(), signal.SIGHUP)
    time.sleep(600)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stdout, done.stderr) == (129, "bye\n", "")


def test_a_search_that_looks_up_gives_what_it_has_and_one_that_does_not_is_left() -> None:
    """Of the second the first look would come too late: nothing is lost before it."""
    script = """
import os, signal, sys, time
from ludus import stopping
from ludus.cli.shared.interrupt import stop_request
stopping.listen()
found = 0
try:
    with stop_request() as asked:
        watch = asked.polled_by(lambda sentence, last: print(sentence, flush=True))
        watch("looked up", False)
        os.kill(os.getpid(), signal.SIGTERM)
        while True:
            found += 1
            watch("", False)
except KeyboardInterrupt:
    print("found", found > 0)
try:
    asked.raise_again()
except KeyboardInterrupt as told:
    print("told", told.number, flush=True)
with stop_request() as asked:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(600)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=LIMIT)
    said = done.stdout.split("\n")
    assert (done.returncode, done.stderr) == (130, "")
    assert [line for line in said if line] == ["looked up", "found True", "told 15"]


class Searching(Prover):
    """A search of Hex that somebody wants to end after its third look; it says what it has."""

    def __init__(self) -> None:
        self.looks = 0

    def solve(
        self,
        own: int,
        other: int,
        limit: float = float("inf"),
        report: ProverWatch | None = None,
        keep: Path | None = None,
        one_will_do: bool = False,
    ) -> ProverResult:
        assert report is not None
        with contextlib.suppress(KeyboardInterrupt):
            for self.looks in range(1, 9):
                report(100, 0.1, self.looks, 36)  # long before there is anything to tell
                if self.looks == 3:
                    signal.raise_signal(signal.SIGINT)
        return ProverResult(0, np.zeros(36, np.int8), 100, 0.1, gave_up=True)


def test_a_search_of_hex_hears_it_at_every_look_and_what_it_has_is_said(
    ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Searching()
    monkeypatch.setattr(prover, "large_prover", lambda *_: search)
    stopped = ludus("solve", "hex", "--size", "6", "--keep", str(tmp_path / "six.npz"), "--json")
    assert (stopped.status, search.looks) == (130, 3)
    assert json.loads(stopped.out)["gave_up"]
    told: list[str] = []
    truth = truth_of(Hex(size=6))
    assert isinstance(truth, ProvingTruth)
    truth.checkpoint(tmp_path / "six.npz", 1).solve(Hex(size=6).init(), watch=lambda said, _: told.append(said))
    assert told == [""] * 3, "whoever watches can end it"
