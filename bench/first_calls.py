"""What first calls take on a new machine: `python bench/first_calls.py`.

Each is made in a process of its own with an empty cache of its own, then once more with what the first one left there.
Processor seconds are those of the process, user and system, and say the same on a busy machine; those by the clock do
not. `PYTHONPATH` may name the sources of another version, to be compared.

At a terminal `ludus play` compiles while somebody looks at the board; so the wait for a hint is measured there too, by
the clock, for somebody who looks for so many seconds.
"""

from __future__ import annotations

import os
import pty
import resource
import subprocess
import sys
import tempfile
import time

CALLS = (
    ("solve hex --size 5", ""),
    ("solve abalone --depth 3", ""),
    ("puzzles --count 3", ""),
    ("play hex --seed 0", "hint\nquit\n"),
)


def seconds(command: str, typed: str, cache: str) -> tuple[float, float]:
    """By the processor and by the clock."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "ludus", *command.split()],
        input=typed,
        text=True,
        check=True,
        capture_output=True,
        env=os.environ | {"LUDUS_CACHE": cache},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, time.perf_counter() - began


def wait_at_a_terminal(pause: float, cache: str) -> float:
    """Seconds from typing `hint` to its answer, so many seconds after the board was shown."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ludus", "play", "hex", "--seed", "0"]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    process = subprocess.Popen(command, env=os.environ | {"LUDUS_CACHE": cache}, **streams)
    _read_until(ours, b"to move> ")
    time.sleep(pause)
    began = time.perf_counter()
    os.write(ours, b"hint\n")
    _read_until(ours, b"whether it is right")
    waited = time.perf_counter() - began
    os.write(ours, b"quit\n")
    _read_until(ours, b"Goodbye.")
    process.wait()
    os.close(ours)
    os.close(theirs)
    return waited


def _read_until(terminal: int, words: bytes) -> None:
    said = b""
    while words not in said:
        said += os.read(terminal, 4096)


if __name__ == "__main__":
    print("| call | first: processor s | by the clock | second: processor s | by the clock |\n" + "| --- " * 5 + "|")
    for command, typed in CALLS:
        with tempfile.TemporaryDirectory() as cache:
            times = [*seconds(command, typed, cache), *seconds(command, typed, cache)]
        words = command + (f", `{typed.split()[0]}`" if typed else "")
        print(f"| {words} | " + " | ".join(f"{each:.1f}" for each in times) + " |", flush=True)
    for pause in (0, 5, 10):
        with tempfile.TemporaryDirectory() as cache:
            waited = wait_at_a_terminal(pause, cache)
        print(f"a hint at a terminal, asked for {pause} s after the board was shown: {waited:.1f} s", flush=True)
