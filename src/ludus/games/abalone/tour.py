"""The first moves of Abalone: three marbles step aside together, and push one off the board."""

from ludus.core.tour import Step, Tour

TOUR = Tour(
    steps=(
        Step(
            "One, two or three marbles in a line move together. Choose d4 and d6, the one between goes along, and then "
            "the arrow up to the right.",
            "d4d6e5",
        ),
        Step("White moves elsewhere.", "h4g4", mine=False),
        Step(
            "Now push: three are stronger than two. Choose e5 and e7 and the arrow to the right, or drag e5 that way.",
            "e5e6",
        ),
    ),
    last="A white marble is off the board; who pushes six off wins. Two push one, three push one or two.",
    start="wwwww/wwwwww/...w.../......../.......ww/...bbb../......./bbbbbb/bbbbb b",
)
