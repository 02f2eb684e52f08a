"""Who watches long work: a line in a terminal, a callback, or nobody."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol

from ludus.play.finished import Fault


class Observer(Protocol):
    """Told how work goes on, from when it is entered until it is left."""

    def __call__(self, sentence: str, last: bool) -> Any:
        """Progress in words, as a `Watch` is told."""
        ...

    def games(self, done: int, total: int) -> Any:
        """So many of so many games have been played."""
        ...

    def forfeit(self, fault: Fault) -> Any:
        """A player has lost a game by making no move."""
        ...

    def end(self) -> Any:
        """Nothing more is shown from here on."""
        ...

    def __enter__(self) -> Any: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


#: Makes the observer of some work, named by a few words.
Observing = Callable[[str], Observer]


class Unwatched:
    """The observer that shows nothing; `on_games` is called as games end."""

    def __init__(self, what: str = "", on_games: Callable[[int, int], Any] | None = None) -> None:
        del what
        self._on_games = on_games

    def __call__(self, sentence: str, last: bool) -> None: ...

    def games(self, done: int, total: int) -> None:
        if self._on_games is not None:
            self._on_games(done, total)

    def forfeit(self, fault: Fault) -> None: ...

    def end(self) -> None: ...

    def __enter__(self) -> Unwatched:
        return self

    def __exit__(self, *_: object) -> None: ...
