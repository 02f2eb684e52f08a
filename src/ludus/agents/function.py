"""Python functions as players: `python:my_module:choose`, or a callable or an object that Python code hands over.

A function is given the position and the legal moves as texts, and answers with one of these moves, or with "resign". If
it raises an exception, is late or answers with anything else, it forfeits that game, as a program does. It is asked on
a thread of its own, which is told to stop if it is late; if it fails several times without a move in between, that is
an error.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import inspect
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol, cast, runtime_checkable

from ludus.agents.failures import Failures
from ludus.agents.spec import PATIENCE, AgentSpec
from ludus.core.line import Line
from ludus.errors import BadInput, shorten
from ludus.play.player import RESIGN, Clock, Player

RESIGNS = "resign"  # as an answer
ENOUGH = 6  # moves named in a sentence

#: `(position, legal moves) ->` one of these moves, all of them texts.
Choose = Callable[[str, list[str]], str]


@runtime_checkable
class Chooser(Protocol):
    """An object that chooses moves."""

    def choose(self, position: str, moves: list[str], /) -> str: ...


class _TooLate(BaseException):
    """Raised in the thread of a function whose time is up: it ends a loop of Python code."""


class FunctionPlayer(Player):
    """Plays the moves that a Python function chooses."""

    name: str
    lanes: int = 1  # an object may keep what it thinks about a game
    # Unknown: it may move at random. False, so that its games begin with different openings.
    chance: bool = False
    only_plays = "is a Python function"

    def __init__(self, name: str, choose: Choose, seconds: float = PATIENCE) -> None:
        self.name, self._choose, self._seconds = name, choose, seconds
        self._failures = Failures()

    def move(self, line: Line, clock: Clock) -> int:
        game, state, actions = line.game, line.state, line.legal()
        position = game.format(state)
        moves = {game.format_move(state, action): action for action in actions}
        try:
            said = self._asked(position, list(moves))
            if not isinstance(said, str):
                raise _Failed(f"answered with {shorten(repr(said))}, and a move is a text")
            if said.strip().lower() == RESIGNS:
                action = RESIGN
            elif (found := moves.get(game.tidy_move(said.strip()))) is None:
                some = f"{', '.join(list(moves)[:ENOUGH])}{', ...' * (len(moves) > ENOUGH)}"
                raise _Failed(f"answered with '{shorten(said)}', which is no legal move there; there are {some}")
            else:
                action = found
        except _Failed as failed:
            raise self._failures.failed(f"'{shorten(self.name)}', at '{position}', {failed}") from failed.__cause__
        self._failures.moved()
        return action

    def _asked(self, position: str, moves: list[str]) -> Any:
        """Its answer; `_Failed` if it raises an exception or is late."""
        answers: list[Any] = []
        errors: list[BaseException] = []

        def ask() -> None:
            with contextlib.suppress(_TooLate):  # it may come just as the answer does
                try:
                    answers.append(self._choose(position, moves))
                except BaseException as error:  # SystemExit too: it would end this thread in silence
                    errors.append(error)

        thread = threading.Thread(target=ask, daemon=True, name=self.name)
        thread.start()
        thread.join(self._seconds)
        if answers:
            return answers[0]
        if errors:
            raise _Failed(f"raised {_named(errors[0])}") from errors[0]
        if thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_TooLate))
        raise _Failed(f"did not answer within {self._seconds:g} s")


class _Failed(Exception):
    """Why there is no move: the end of a sentence."""


def load_function(spec: AgentSpec) -> FunctionPlayer:
    """The function that a name means. Its module is imported, from the working folder or an installed package."""
    module, path = spec.command
    if (here := os.getcwd()) not in sys.path:  # for good: the module may import others later
        sys.path.insert(0, here)
    importlib.invalidate_caches()  # the file may be new
    try:
        found: Any = importlib.import_module(module)
    except Exception as error:  # whatever somebody's module raises
        raise BadInput(f"'{shorten(spec.name)}': importing '{module}' raised {_named(error)}.") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise BadInput(f"'{shorten(spec.name)}': the module '{module}' has no '{path}'.")
        found = getattr(found, part)
    assert spec.seconds is not None
    return function_player(found, spec.name, spec.seconds)


def _named(error: BaseException) -> str:
    """An exception, to stand inside a sentence."""
    said = shorten(str(error).rstrip("."))
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def function_player(choose: Choose | Chooser, name: str | None = None, seconds: float = PATIENCE) -> FunctionPlayer:
    """A callable, or an object with a method `choose`, as a player.

    >>> import ludus
    >>> from ludus.agents.function import function_player
    >>> first = function_player(lambda position, moves: moves[0], "first")
    >>> ludus.agent(first, ludus.game("hex", size=3)).move()
    'a1'
    """
    called = name or getattr(choose, "__name__", None) or type(choose).__name__
    if inspect.isclass(choose):
        raise BadInput(f"'{shorten(called)}' is a class; give an object of it, or a function.")
    found: Any = choose.choose if isinstance(choose, Chooser) else choose
    if not callable(found):
        raise BadInput(
            f"'{shorten(called)}' chooses no moves: it is neither a function of a position and its legal moves, nor an "
            "object with a method 'choose'."
        )
    return FunctionPlayer(called, cast(Choose, found), seconds)
