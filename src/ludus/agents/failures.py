"""What becomes of a player of others that fails to move: it forfeits the game, or, if it never moves, all ends."""

from __future__ import annotations

from ludus.errors import BadInput
from ludus.play.player import Forfeit

RUNNING = 3  # failures without a move in between that are an error


class Failures:
    """The failures of one player since its last move."""

    def __init__(self) -> None:
        self.count = 0

    def moved(self) -> None:
        self.count = 0

    def failed(self, sentence: str) -> BadInput:
        """What to raise for one more failure; the sentence says what happened, without its full stop."""
        self.count += 1
        if self.count < RUNNING:
            return Forfeit(f"{sentence}.")
        return BadInput(f"{sentence}; it has failed {self.count} times without a move in between.")
