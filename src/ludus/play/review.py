"""The review of a game: which moves were mistakes, by what is known of the positions before and after them.

A mistake changes who wins. Where both positions are proved, that is certain. Where a search judges one of them, the
winner is the side with the better chance, and the mover must have lost some of it: judgements near one half are noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

BLUNDER, MISTAKE, INACCURACY = "??", "?", "?!"
CHANGED = 0.1  # of the chance to win that a mistake loses at least, where it is not proved
GREAT = 0.4  # that a blunder loses
SLIP = 0.2  # that an inaccuracy loses, which leaves the winner as it is


class Judgement(NamedTuple):
    """What is known of one position."""

    player: int  # who is to move
    chance: float | None = None  # that the first seat wins, from 0 to 1, a draw counting as half; None: not known
    proved: bool = False
    best: str = ""  # a best move; empty: not known, or the game is over
    line: tuple[str, ...] = ()  # the principal variation, the best move first
    plies: int | None = None  # to the end, where that is known

    def of(self, seat: int) -> float | None:
        """The chance of a seat."""
        return self.chance if self.chance is None or seat == 0 else 1 - self.chance


class Mark(NamedTuple):
    """A move that gave something away."""

    ply: int  # 1 is the first move
    sign: str
    proved: bool
    before: float  # the mover's chance to win
    after: float


def marks(judged: Sequence[Judgement | None]) -> list[Mark]:
    """The marks of a game from its positions, from the start to the end; None where one is not judged yet."""
    found = []
    for ply in range(1, len(judged)):
        before, after = judged[ply - 1], judged[ply]
        if before is None or after is None:
            continue
        had, has = before.of(before.player), after.of(before.player)
        if had is None or has is None:
            continue
        proved = before.proved and after.proved
        sign = _sign(had, has, before.proved, after.proved)
        if sign:
            found.append(Mark(ply, sign, proved, had, has))
    return found


def _sign(had: float, has: float, sure_before: bool, sure_after: bool) -> str:
    lost = had - has
    if lost <= 0:
        return ""
    if sure_before and sure_after:
        return BLUNDER if lost == 1 else MISTAKE
    if _winner(has, sure_after) < _winner(had, sure_before) and lost >= CHANGED:
        return BLUNDER if lost >= GREAT else MISTAKE
    return INACCURACY if lost >= SLIP and not sure_before and not sure_after else ""


def _winner(chance: float, sure: bool) -> int:
    """1 for the mover, -1 for the other side; 0 for a draw, which only a proof can tell."""
    if sure and chance == 0.5:
        return 0
    return 1 if chance >= 0.5 else -1


def doubtful(judged: Sequence[Judgement | None], margin: float = 0.25) -> list[int]:
    """The plies of positions worth a longer look: not proved, and between two of them the winner changes, or a chance
    is near one half.
    """
    found = set()
    for ply, here in enumerate(judged):
        if here is None or here.chance is None:
            continue
        if not here.proved and abs(here.chance - 0.5) < margin:
            found.add(ply)
        before = judged[ply - 1] if ply else None
        if before is not None and before.chance is not None and (before.chance >= 0.5) != (here.chance >= 0.5):
            found |= {at for at, known in ((ply - 1, before), (ply, here)) if not known.proved}
    return sorted(found)
