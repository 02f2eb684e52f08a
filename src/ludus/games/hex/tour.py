"""The first game of Hex, on a board of five: a chain down to the bottom, then up to the top."""

from ludus.core.tour import Step, Tour

TOUR = Tour(
    steps=(
        Step("You are black and want a chain of stones from the top to the bottom. Begin in the middle, on c3.", "c3"),
        Step("White stands in your way.", "c4", mine=False),
        Step("Go round it: b4 touches c3, and white has not blocked that.", "b4"),
        Step("White blocks b5.", "b5", mine=False),
        Step("But a5 touches b4 too. Take it, and you have reached the bottom.", "a5"),
        Step("White defends above.", "c2", mine=False),
        Step("Now upwards: d2 touches c3.", "d2"),
        Step("White blocks d1.", "d1", mine=False),
        Step("Again you had two ways, and white can block only one. Finish on e1.", "e1"),
    ),
    last="Top and bottom are joined: you have won. Stones with two free cells between them are as good as joined.",
    options={"size": 5},
)
