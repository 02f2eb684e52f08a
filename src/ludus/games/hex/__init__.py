"""Hex: its entry in the registry. Begin reading with `rules`."""

from ludus.core.entry import Entry, OpponentLevel, Option

ENTRY = Entry(
    name="hex",
    about="Black joins top and bottom, white left and right; one of them will.",
    room="ludus.games.hex",
    title="Hex",
    pitch="Join your two sides of the board before the other joins theirs. There is no draw.",
    picture=".........../........B../......BW.../......WW.../......W..../.....B...../"
    "...WBB...../....BW...../..WB......./.........../........... b",
    opponents=(
        OpponentLevel("easy", "hex/best-7", 0.35, (("size", 7),)),
        OpponentLevel("medium", "hex/best-9", 0.1, (("size", 9),)),
        OpponentLevel("hard", "hex/best-11@100", options=(("size", 11),)),
        OpponentLevel("perfect", "perfect", options=(("size", 5),)),  # who begins can win, if nothing is given away
    ),
    tour="ludus.games.hex.tour:TOUR",
    seats=("black", "white"),
    actions=121,
    options=(
        Option("size", 11, "Cells along a side of the board.", low=2, high=19, size=True),
        Option("swap", False, "Whether the second player may take over the first move."),
    ),
    levels=("beginner", "intermediate", "advanced", "expert"),
    solved="boards of 2 to 4 by a table of all positions; 5 to 8 by a search that proves every move a win or a loss: "
    "5 and 6 in a second, 7 in half a minute, 8 in hours, or sooner from a middle game. With --swap, 2 and 3 only.",
    solvers=("perfect", "perfect:hardest"),
    rules="ludus.games.hex.rules:Hex",
    notation="ludus.games.hex.notation",
    board="ludus.games.hex.board",
    record="ludus.games.hex.sgf",
    protocol="ludus.games.hex.htp:DIALECT",
    lattice="ludus.games.hex.lattice",
    certain="ludus.games.hex.certain:certain",
    reference="ludus.games.hex.reference",
    twin="ludus.games.hex.twin",
    features="ludus.games.hex.features:FEATURES",
    truth="ludus.games.hex.truth:truth",
    unsolved="ludus.games.hex.reach:unsolved",
    problems="ludus.games.hex.problems",
    recipes="ludus.games.hex.recipes:recipes",
    paper="ludus.games.hex.paper:STUDY",
    peers="ludus.games.hex.peers:peers",
    renamed=(("neurohex", "negamax"),),
)
