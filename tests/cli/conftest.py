"""The command line run inside the tests' process, and a game that only the tests know."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator
from unittest import mock

import pytest
from helpers.command import Result
from helpers.nim_game import Nim

from ludus import games as registry
from ludus.cli import main
from ludus.cli.shared import progress

Ludus = Callable[..., Result]


class Stream(io.TextIOWrapper):
    """A standard stream in memory, perhaps a terminal's."""

    def __init__(self, text: str = "", tty: bool = False) -> None:
        self.bytes, self.tty = io.BytesIO(text.encode()), tty
        super().__init__(self.bytes, encoding="utf-8")

    def isatty(self) -> bool:
        return self.tty

    def text(self) -> str:
        self.flush()
        return self.bytes.getvalue().decode()


def run(*argv: str, stdin: str = "", tty: bool = False) -> Result:
    out, err = Stream(tty=tty), Stream()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", Stream(stdin, tty)),
    ):
        status = main(argv)
    return Result(status, out.text(), err.text())


@pytest.fixture(scope="session")
def ludus() -> Ludus:
    """`ludus("perft", "hex", "2")` runs that command line."""
    return run


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """A slow machine is nothing to tell of: how long a command has taken so far is said where a test asks for it."""
    with mock.patch.object(progress, "SILENT_SECONDS", 1e6):
        yield


@pytest.fixture
def nim() -> Iterator[type[Nim]]:
    """One more game in the registry, and no other change anywhere."""
    with mock.patch.dict(registry.ROOMS, {"nim": "helpers.nim_game:ENTRY"}):
        forget()
        yield Nim
    forget()


def forget() -> None:
    """What the registry remembers of its rooms, after they were changed."""
    registry.rooms.cache_clear()
    registry.entry.cache_clear()
