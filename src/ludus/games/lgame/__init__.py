"""The L-Game: its entry in the registry. Start reading in `rules`."""

from ludus.core.entry import Entry, ply_cap

ENTRY = Entry(
    name="lgame",
    about="Lay your L somewhere else, then move a neutral piece if you like; who cannot lay it loses.",
    room="ludus.games.lgame",
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
