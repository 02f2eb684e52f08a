"""The command line run inside the tests' process, and a game that only the tests know."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple
from unittest import mock

import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Bool, Float, Int

from ludus.cli import main
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.games import GAMES


class Result(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout; anything besides it is an error here."""
        assert (self.status, self.out.count("\n")) == (0, 1), self
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The one sentence on stderr of a command that was refused."""
        assert (self.status, self.out) == (2, ""), self
        assert self.err.startswith("ludus: "), self
        assert self.err.endswith(".\n"), self
        assert len(self.err.splitlines()) == 1, self
        return self.err.removeprefix("ludus: ").rstrip()


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


class Heap(NamedTuple):
    left: Int[Array, ""]
    mover: Int[Array, ""]


@dataclass(frozen=True)
class Nim(Game[Heap]):
    """Take one or two from a heap; who takes the last wins."""

    stones: int = 4
    polite: bool = False

    name: ClassVar[str] = "nim"
    num_players: ClassVar[int] = 2
    seats: ClassVar[tuple[str, ...]] = ("first", "second")

    @property
    def num_actions(self) -> int:
        return 2

    @property
    def max_plies(self) -> int:
        return self.stones

    def init(self) -> Heap:
        return Heap(np.int32(self.stones), np.int32(0))  # pyright: ignore[reportArgumentType]

    def step(self, state: Heap, action: Int[Array, ""]) -> Heap:
        return Heap(state.left - 1 - action, 1 - state.mover)

    def player(self, state: Heap) -> Int[Array, ""]:
        return state.mover

    def legal(self, state: Heap) -> Bool[Array, "A"]:
        return state.left > jnp.arange(2)

    def done(self, state: Heap) -> Bool[Array, ""]:
        return state.left == 0

    def returns(self, state: Heap) -> Float[Array, "P"]:
        first = jnp.where(state.mover == 0, jnp.float32(-1), jnp.float32(1))
        first = jnp.where(self.done(state), first, jnp.float32(0))
        return jnp.stack([first, -first])

    def observe(self, state: Heap) -> Float[Array, "1"]:
        return state.left.astype(jnp.float32)[None]

    def symmetries(self, state: Heap) -> tuple[Heap, Int[Array, "1 A"]]:
        return Heap(state.left[None], state.mover[None]), jnp.arange(2, dtype=jnp.int32)[None]

    def parse(self, text: str) -> Heap:
        if text not in ("0", "1", "2", "3", "4"):
            raise BadInput(f"nim position '{text}': a heap has 0 to 4 stones.")
        return Heap(np.int32(int(text)), np.int32(0))  # pyright: ignore[reportArgumentType]

    def format(self, state: Heap) -> str:
        return str(int(state.left))

    def format_move(self, state: Heap, action: int) -> str:
        return f"take{action + 1}"

    def why_not(self, state: Heap, move: str) -> str:
        return "take1 or take2 is a move, while so many are there"

    def draw(self, state: Heap) -> str:
        return f"heap of {int(state.left)}"

    def svg(self, state: Heap) -> str:
        return "<svg/>"


@pytest.fixture
def nim(monkeypatch: pytest.MonkeyPatch) -> type[Game]:
    """One more game in the registry, and no other change anywhere."""
    monkeypatch.setitem(GAMES, "nim", Nim)
    return Nim
