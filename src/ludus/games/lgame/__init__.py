"""The L-Game: its entry in the registry. Start reading in `rules`."""

from ludus.core.entry import Entry, OpponentLevel, ply_cap

ENTRY = Entry(
    name="lgame",
    about="Lay your L somewhere else, then move a neutral piece if you like; who cannot lay it loses.",
    room="ludus.games.lgame",
    title="The L-Game",
    pitch="Lay your L so that the other finds no place for theirs. Two minutes to learn.",
    picture="nAA./.BA./.BA./.BBn A",
    opponents=(
        OpponentLevel("easy", "lgame/best", 0.5),
        OpponentLevel("medium", "lgame/best", 0.2),
        OpponentLevel("perfect", "lgame/best"),  # its card: no position in which it gives anything away
    ),
    tour="ludus.games.lgame.tour:TOUR",
    seats=("A", "B"),
    actions=624,
    options=(ply_cap(100),),
    solved="written down whole (18,368 positions) and solved backwards from its ends, in seconds.",
    solvers=("perfect", "perfect:hardest"),
    rules="ludus.games.lgame.rules:LGame",
    notation="ludus.games.lgame.notation",
    board="ludus.games.lgame.board",
    reference="ludus.games.lgame.reference",
    recipes="ludus.games.lgame.recipes:recipes",
    paper="ludus.games.lgame.paper:STUDY",
    demo="ludus.games.lgame.demo",
)
