"""Solitaire Chess's board for people: squares, and pieces that take each other."""

from __future__ import annotations

from ludus.core.board import BoardGeometry, Cell, Shown, Way
from ludus.games.solitaire_chess import notation
from ludus.games.solitaire_chess.rules import SolitaireChess

PIECES = {"K": "king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "P": "pawn"}


def geometry(game: SolitaireChess) -> BoardGeometry:
    size = game.size
    squares = [(file, rank) for rank in range(size - 1, -1, -1) for file in range(size)]
    cells = tuple(Cell(notation.name((f, r)), f + 1.0, size - 0.5 - r, (f + r) % 2 == 0) for f, r in squares)
    files = tuple((file + 1.0, size + 0.25, notation.FILES[file]) for file in range(size))
    ranks = tuple((0.25, size - 0.5 - rank, str(rank + 1)) for rank in range(size))
    return BoardGeometry("pieces", "square", size + 0.75, size + 0.5, cells, PIECES, {}, files + ranks)


def show(game: SolitaireChess, position: str) -> Shown:
    pieces, captures = _read(game, position)
    counts = {notation.name(square): count for square, count in captures.items()}
    return Shown({notation.name(square): letter for square, letter in pieces.items()}, counts=counts)


def way(game: SolitaireChess, position: str, move: str) -> Way:
    pieces = show(game, position).pieces
    start, target = move[:2], move[2:]
    words = f"{PIECES[pieces[start]]} on {start} takes {PIECES[pieces[target]]} on {target}"
    return Way(words, take=(start,), put=(target,), goes=((start, target),))


def _read(game: SolitaireChess, position: str) -> tuple[notation.Pieces, notation.Captures]:
    return notation.read(position, game.size, game.rules == "solo")
