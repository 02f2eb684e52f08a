"""What long work says of itself on stderr: now and then, while nothing is told too, and nothing with --quiet."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import time
from collections.abc import Callable

import pytest

from ludus.cli.shared import progress
from ludus.cli.shared.progress import ProgressLine
from ludus.core import compiling


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Closed(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def listen(work: Callable[[ProgressLine], None], stream: io.StringIO, quiet: bool = False) -> str:
    with contextlib.redirect_stderr(stream), ProgressLine("grading it", quiet) as watch:
        work(watch)
    return stream.getvalue()


def until(heard: Callable[[], bool]) -> None:
    """Wait for something that comes by itself; a minute is long enough on any machine."""
    end = time.monotonic() + 60
    while not heard() and time.monotonic() < end:
        time.sleep(0.01)


def test_silence_is_broken_while_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0.02)
    stream = io.StringIO()
    said = listen(lambda watch: until(lambda: stream.getvalue().count("\n") >= 2), stream)
    assert all(re.fullmatch(r"grading it \(\d+ s so far\)", line) for line in said.splitlines()[:2])


def test_the_last_that_was_told_is_what_is_being_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0.02)
    stream = io.StringIO()

    def work(watch: ProgressLine) -> None:
        watch("after a4: 10 positions", True)
        until(lambda: "after a4: 10 positions (" in stream.getvalue())

    said = [line for line in listen(work, stream).splitlines() if "grading" not in line]  # of before it was told
    assert said[0] == "after a4: 10 positions"
    assert re.fullmatch(r"after a4: 10 positions \(\d+ s so far\)", said[1])


def test_games_that_take_long_are_counted_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0.02)
    stream = io.StringIO()

    def work(watch: ProgressLine) -> None:
        watch.games(3, 20)
        until(lambda: "grading it, 3 of 20 games (" in stream.getvalue())

    assert "grading it, 3 of 20 games (" in listen(work, stream)


def test_quiet_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0.01)

    def work(watch: ProgressLine) -> None:
        watch("a sentence", True)
        watch.games(5, 10)
        time.sleep(0.1)

    assert listen(work, io.StringIO(), quiet=True) == ""
    assert listen(work, Terminal(), quiet=True) == ""


def test_games_are_told_when_a_match_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("ludus.cli.shared.progress.time.monotonic", lambda: clock[0])

    def work(watch: ProgressLine) -> None:
        for number in range(1, 7):
            clock[0] += 4
            watch.games(1000 * number, 6000)

    assert listen(work, io.StringIO()).splitlines() == ["3,000 of 6,000 games"]
    assert listen(work, Terminal()).count("\r") == 6
    assert listen(work, Terminal()).endswith(f"{'6,000 of 6,000 games':<60}\n")


def test_nobody_listening_is_no_reason_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0.01)
    done = []

    def work(watch: ProgressLine) -> None:
        watch("a sentence", True)
        time.sleep(0.05)
        done.append(True)

    listen(work, Closed())
    monkeypatch.setattr(sys, "stderr", None)  # as Python has it where it was closed: print would take stdout
    out = io.StringIO()
    with contextlib.redirect_stdout(out), ProgressLine("grading it") as watch:
        work(watch)
    assert (done, out.getvalue()) == ([True, True], "")


def compiles(watch: ProgressLine) -> None:
    compiling.tell("hex solver, 3 of 58")
    compiling.tell(compiling.OVER)
    watch("10 positions", True)


def test_what_is_compiled_is_told_in_a_terminal_alone() -> None:
    said = listen(compiles, Terminal())
    assert said.split("\r")[1].rstrip() == "compiling, once on this machine: hex solver, 3 of 58"
    assert said.split("\r")[2].rstrip() == "10 positions"
    assert listen(compiles, io.StringIO()) == "10 positions\n"
    assert listen(compiles, Terminal(), quiet=True) == ""
    compiling.tell("after the work")  # to nobody
    assert not compiling._listeners


def test_while_it_is_compiled_that_is_what_is_being_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LIVE_SECONDS", 0.02)
    stream = Terminal()

    def work(watch: ProgressLine) -> None:
        compiling.tell("hex solver, machine code")
        until(lambda: "hex solver, machine code (0 s so far)" in stream.getvalue())
        compiling.tell(compiling.OVER)
        until(lambda: "grading it (0 s so far)" in stream.getvalue())

    said = listen(work, stream)
    assert "hex solver, machine code (0 s so far)" in said
    assert "grading it (0 s so far)" in said


def test_what_is_passing_leaves_nothing() -> None:
    for stream, left in ((Terminal(), ""), (io.StringIO(), None)):
        with contextlib.redirect_stderr(stream), ProgressLine("thinking", transient=True):
            compiling.tell("search, 3 of 58")
        lines = stream.getvalue().split("\r")
        assert (lines[-1] if left is not None else None) == left
        assert any("search, 3 of 58" in line for line in lines) is (left is not None)
        assert left is None or not lines[-2].strip()


@pytest.mark.slow
@pytest.mark.parametrize(
    "argv",
    [
        ("eval", "perfect", "--game", "hex", "--size", "2", "--exact"),
        ("match", "random", "perfect", "--game", "hex", "--size", "2", "--games", "4"),
        ("tournament", "random", "perfect", "--game", "hex", "--size", "2", "--games", "4"),
        ("solve", "hex", "--size", "2"),
    ],
)
def test_commands_speak_unless_they_are_told_not_to(
    ludus, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    told: list[bool] = []

    def enter(watch: ProgressLine) -> ProgressLine:
        told.append(watch._quiet)
        watch("a sentence", True)
        return watch

    monkeypatch.setattr(ProgressLine, "__enter__", enter)
    assert "a sentence\n" in ludus(*argv, "--json").err
    assert ludus(*argv, "--json", "--quiet").err == ""
    assert told == [False, True]
