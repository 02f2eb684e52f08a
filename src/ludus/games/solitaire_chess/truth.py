"""The truth of Solitaire Chess: a full search below any puzzle that is not too large."""

from __future__ import annotations

from ludus.core.game import Game
from ludus.games.solitaire_chess.levels import final_of
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.truth.puzzle import PuzzleTruth


def truth(game: SolitaireChess) -> PuzzleTruth:
    return PuzzleTruth(game, _final)


def _final(game: Game, ends: int) -> tuple[str, str]:
    assert isinstance(game, SolitaireChess)
    return final_of(game.size, ends)
