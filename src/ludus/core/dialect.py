"""A game's dialect of GTP, the text protocol of Go programs, which programs of other games use too. A game gives it in
its part `protocol`; everything that games share is in `play/gtp_server.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: A move in the protocol: the seat, and the move's word.
Said = tuple[int, str]


@dataclass(frozen=True)
class Dialect:
    size: str  # the option that `boardsize` sets
    colours: tuple[tuple[str, ...], ...]  # by seat, its names in lower case; the first is the one that is sent
    scores: tuple[str, ...]  # by seat, the answer of `final_score` if it has won
    #: `(game, state, before)` to moves that lead from the empty board to a position; they begin with the moves of
    #: `before` if that is possible. For programs that can be given a position only move by move.
    way: Callable[[Any, Any, Sequence[Said]], list[Said]]
    words: Mapping[str, str]  # moves with another name: ours to theirs
    #: `(game, seat)` to the empty board where this seat is to move; None if the first seat always begins.
    begun_by: Callable[[Any, int], Any] | None = None
    silent: tuple[str, ...] = ()  # commands that get an empty answer

    def say(self, move: str) -> str:
        """Our word for a move, as the protocol's."""
        return self.words.get(move, move)

    def hear(self, word: str) -> str:
        """The protocol's word for a move, as ours."""
        theirs = {said: ours for ours, said in self.words.items()}
        return theirs.get(word.lower(), word.lower())
