"""Solitaire Chess: its entry in the registry. Begin reading in `rules`."""

from ludus.core.entry import Entry, Option

LEVELS = ("beginner", "intermediate", "advanced", "expert")

ENTRY = Entry(
    name="solitaire-chess",
    about="A puzzle for one: every move captures, until one piece is left.",
    room="ludus.games.solitaire_chess",
    title="Solitaire Chess",
    pitch="Every move captures, until one piece is left. A puzzle for one, and a new one every day.",
    picture="1N2/Q3/3R/PB2",
    tour="ludus.games.solitaire_chess.tour:TOUR",
    seats=("player",),
    actions=256,
    options=(
        Option("size", 4, "Squares along a side of the board.", low=3, high=8),
        Option("rules", "paper", "paper, or solo: no piece captures more than twice.", choices=("paper", "solo")),
        Option("pieces", 0, "In puzzles that are made; 0 is six, or half the squares if few.", high=32, free=True),
    ),
    levels=LEVELS,
    solved="any puzzle, by searching all there is below it.",
    rules="ludus.games.solitaire_chess.rules:SolitaireChess",
    notation="ludus.games.solitaire_chess.notation",
    board="ludus.games.solitaire_chess.board",
    reference="ludus.games.solitaire_chess.reference",
    twin="ludus.games.solitaire_chess.twin",
    orders="ludus.games.solitaire_chess.orders:ORDERS",
    order_names=("baseline", "clockwise"),
    puzzles="ludus.games.solitaire_chess.levels",
    starts="ludus.games.solitaire_chess.starts:starts",
    lessons="ludus.games.solitaire_chess.lessons:lessons",
    recipes="ludus.games.solitaire_chess.recipes:recipes",
    paper="ludus.games.solitaire_chess.paper:STUDY",
    truth="ludus.games.solitaire_chess.truth:truth",
)
