"""Ctrl-C, SIGTERM and SIGHUP at random moments of every kind of command, imports included, with all compiled before and
with nothing: the status that a shell reports, no traceback, nothing on stdout but what is whole, nobody left running.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from helpers.command import Result
from helpers.process import TRAIN, finish, start

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="what runs is read from /proc"),
]

TIMES = 10  # signals for each command, cold and warm: 240 in all
SEED = 28
LONGEST, LIMIT = 12.0, 120.0  # seconds until a signal at most; and until it must have ended, on a busy machine
SIGNALS = (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGTERM, signal.SIGHUP)
HEX3 = ("--game", "hex", "--size", "3")
#: A program of others that plays no move and does not see that nobody speaks to it any more.
DEAF = "import sys, time\nprint('=\\n', flush=True)\ntime.sleep(600)\n"
COMMANDS = {
    "games": ["games", "--json"],
    "perft": ["perft", "abalone", "4", "--json"],
    "solve lgame": ["solve", "lgame", "--all", "--json"],
    "solve abalone": ["solve", "abalone", "--depth", "30", "--json"],
    "solve hex": ["solve", "hex", "--size", "8", "--keep", "kept.npz", "--json"],
    "puzzles": ["puzzles", "--count", "2000", "--level", "expert", "--json"],
    "train": [*TRAIN, "--games=1000000", "--json", "--out", "run"],
    "match": ["match", "PROGRAM", "random", *HEX3, "--games", "4", "--json"],
    "eval": ["eval", "hex/best-4", "--exact", "--json"],
    "ladder": ["ladder", "hex", "--size", "3", "random", "perfect", "--within", "1", "--games", "1000000", "--json"],
    "play": ["play", "abalone", "--against", "random", "--json"],
    "serve": ["serve", "--no-open", "--port", "0"],
}


def caught(process: subprocess.Popen[str]) -> bool:
    """Whether the process has its own answer to SIGTERM: from then on it is ours, before it is Python that starts."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return True
    mask = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")), "0")
    return bool(int(mask, 16) >> (signal.SIGTERM - 1) & 1)


def left(mark: str) -> list[str]:
    """The processes that were started under this mark and still run."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            try:
                if mark.encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_text().replace("\0", " "))
            except OSError:  # it has ended, or is somebody else's
                continue
    return found


def attempt(name: str, argv: list[str], cache: Path, here: Path, seconds: float, number: int) -> Result | None:
    """One signal after so many seconds; None where the command ended before."""
    mark = f"ludus-campaign-{uuid.uuid4().hex}"
    feed = subprocess.PIPE if name == "play" else subprocess.DEVNULL
    process = start(argv, cache, here, stdin=feed, env={"LUDUS_CAMPAIGN": mark})
    if name == "play":
        assert process.stdin is not None
        process.stdin.write("hint\n")
        process.stdin.flush()
    while not caught(process):
        time.sleep(0.0005)
    time.sleep(seconds)
    over = process.poll() is not None
    process.send_signal(number)
    if name == "play" and number == signal.SIGINT and not over:  # the first may have been for the hint alone
        time.sleep(seconds % 0.5)
        process.send_signal(number)
    result = finish(process, LIMIT)
    deadline = time.monotonic() + LIMIT
    while remaining := left(mark):
        assert time.monotonic() < deadline, f"left running: {remaining}"
        time.sleep(0.05)
    return None if over or result.status == 0 else result


@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_signal_at_any_moment_ends_any_command(name: str, warm: bool, tmp_path: Path) -> None:
    chance = random.Random(f"{SEED} {name} {warm}")
    (tmp_path / "deaf.py").write_text(DEAF)
    argv = [word.replace("PROGRAM", f"htp:{sys.executable} {tmp_path / 'deaf.py'}") for word in COMMANDS[name]]
    longest, cache, hits = LONGEST, tmp_path / "cache", 0
    while hits < TIMES:
        attempts = len(list(tmp_path.glob("at *")))
        here = tmp_path / f"at {attempts}"
        here.mkdir()
        early = chance.random() < 0.4  # while it imports
        seconds = chance.uniform(0, min(2.0, longest) if early else longest)
        number = chance.choice(SIGNALS)
        result = attempt(name, argv, cache if warm else here / "cache", here, seconds, number)
        if result is None:  # it was too late: what there was to say has been said
            longest = max(0.05, 0.8 * min(longest, seconds))
            continue
        hits += 1
        where = (name, seconds, number, result)
        assert result.status == 128 + number, where
        assert not any(word in result.err for word in ("Traceback", "Error", "Fatal", "Exception", "ludus:")), where
        if name != "serve":
            assert result.out.count("\n") <= 1, where
            assert not result.out or json.loads(result.out), where
        print(f"{name}: {seconds:.2f} s, {number.name}: {result.status}, {len(result.out)} characters")
