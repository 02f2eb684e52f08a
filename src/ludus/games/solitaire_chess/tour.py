"""The first puzzle: two captures."""

from ludus.core.tour import Step, Tour

TOUR = Tour(
    steps=(
        Step("Every move captures. Choose the pawn on a2, then the bishop on b3: pawns capture aslant.", "a2b3"),
        Step("Now the pawn captures the knight on a4, and one piece is left.", "b3a4"),
    ),
    last="One piece is left: solved. In a real puzzle the order matters, so look ahead.",
    start="N3/1B2/P3/4",
)
