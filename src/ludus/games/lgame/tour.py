"""The first game of the L-Game: won with the second L, since the other side helps."""

from ludus.core.tour import Step, Tour

TOUR = Tour(
    steps=(
        Step(
            "Yours is the orange L. Lay it elsewhere: point at d4, turn it until it covers the outline, and lay it; "
            "then leave the neutral pieces.",
            "b4c4d3d4",
        ),
        Step("The other side lays the blue L into the corner.", "a1a2a3b1", mine=False),
        Step(
            "Who cannot lay their L loses, so take its places away: lay yours from c1 to c3 with a foot on b3, and "
            "carry the neutral piece from d1 to d4.",
            "b3c1c2c3+d1d4",
        ),
    ),
    last="Blue finds no other place for its L: you have won. A good player would not have gone into the corner.",
)
