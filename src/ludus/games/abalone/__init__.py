"""Abalone: its entry in the registry. Begin reading in `rules`."""

from ludus.core.entry import Entry, OpponentLevel, Option, ply_cap

LAYOUTS = {
    "standard": "wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb b",
    "belgian-daisy": "ww.bb/wwwbbb/.ww.bb./......../........./......../.bb.ww./bbbwww/bb.ww b",
    "german-daisy": "...../ww..bb/www.bbb/.ww..bb./........./.bb..ww./bbb.www/bb..ww/..... b",
    "dutch-daisy": "ww.bb/wbwbwb/.ww.bb./......../........./......../.bb.ww./bwbwbw/bb.ww b",
    "swiss-daisy": "...../ww..bb/wbw.bwb/.ww..bb./........./.bb..ww./bwb.wbw/bb..ww/..... b",
}


def unsolved(layout: str, cap: int) -> str:
    return f"abalone layout={layout} cap={cap} has too many positions to be solved here."


ENTRY = Entry(
    name="abalone",
    about="Push six of the other side's fourteen marbles off the board.",
    room="ludus.games.abalone",
    title="Abalone",
    pitch="Push six of the other's marbles off the board: three against two, two against one.",
    picture="wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb b",
    opponents=(
        OpponentLevel("easy", "abalone/best", 0.5),
        OpponentLevel("medium", "abalone/best", 0.2),
        OpponentLevel("hard", "abalone/best"),
    ),
    tour="ludus.games.abalone.tour:TOUR",
    seats=("black", "white"),
    actions=1830,
    options=(
        Option("layout", "standard", f"The start: {', '.join(LAYOUTS)}.", choices=tuple(LAYOUTS), free=True),
        ply_cap(200, free=True),
    ),
    rules="ludus.games.abalone.rules:Abalone",
    unsolved="ludus.games.abalone:unsolved",
    notation="ludus.games.abalone.notation",
    board="ludus.games.abalone.board",
    lattice="ludus.games.abalone.lattice",
    reference="ludus.games.abalone.reference",
    twin="ludus.games.abalone.twin",
    evaluation="ludus.games.abalone.evaluation:EVALUATIONS",
    features="ludus.games.abalone.features:FEATURES",
    first_view="ludus.games.abalone.features:first_view",
    chance="ludus.games.abalone.chance:chance",
    taken="ludus.games.abalone.rewards:taken",
    rewards="ludus.games.abalone.rewards:rewards",
    paper="ludus.games.abalone.paper:STUDY",
    patterns="ludus.games.abalone.lines:PATTERNS",
    starts="ludus.games.abalone.starts:starts",
    recipes="ludus.games.abalone.recipes:recipes",
)
