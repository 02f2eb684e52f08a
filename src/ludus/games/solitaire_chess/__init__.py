"""Solitaire Chess. What the registry needs to know of it; `rules` is the place to begin reading."""

from ludus.core.entry import Entry, Option


def unsolved(size: int, rules: str, pieces: int) -> str:
    return "solitaire-chess is a puzzle for one, and puzzles are not solved yet."


ENTRY = Entry(
    name="solitaire-chess",
    about="A puzzle for one: every move captures, until one piece is left.",
    room="ludus.games.solitaire_chess",
    seats=("player",),
    actions=256,
    options=(
        Option("size", 4, "Squares along a side of the board.", low=3, high=8),
        Option("rules", "paper", "paper, or solo: no piece captures more than twice.", choices=("paper", "solo")),
        Option("pieces", 0, "In the puzzles that are made; 0 is six, or half the squares of a small board.", high=32),
    ),
    rules="ludus.games.solitaire_chess.rules:SolitaireChess",
    unsolved="ludus.games.solitaire_chess:unsolved",
    notation="ludus.games.solitaire_chess.notation",
    reference="ludus.games.solitaire_chess.reference",
    twin="ludus.games.solitaire_chess.twin",
)
