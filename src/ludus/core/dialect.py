"""How a game is talked about in the text protocol of Go programs (GTP), which the programs of other games speak too. A
room says it in its part `protocol`: only what is the game's own, since `play/gtp_server.py` knows the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: A move as it is said: the seat, and the word for it.
Said = tuple[int, str]


@dataclass(frozen=True)
class Dialect:
    size: str  # the option that `boardsize` sets
    colours: tuple[tuple[str, ...], ...]  # by seat, what it may be called in lower case; the first is said
    scores: tuple[str, ...]  # by seat, what `final_score` answers if it has won
    #: `(game, state, before)` to moves that lead from the empty board to a position; they begin with those of
    #: `before` if such moves do lead there. For programs that have to be told a position move by move.
    way: Callable[[Any, Any, Sequence[Said]], list[Said]]
    words: Mapping[str, str]  # moves that are called otherwise: ours to theirs
    #: `(game, seat)` to the empty board where this seat is to move; None if the first seat always begins.
    begun_by: Callable[[Any, int], Any] | None = None
    silent: tuple[str, ...] = ()  # commands that programs ask for, and that are answered with nothing

    def say(self, move: str) -> str:
        """Our word for a move, as theirs."""
        return self.words.get(move, move)

    def hear(self, word: str) -> str:
        """Their word for a move, as ours."""
        theirs = {said: ours for ours, said in self.words.items()}
        return theirs.get(word.lower(), word.lower())
