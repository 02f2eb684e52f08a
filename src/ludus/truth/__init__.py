"""The truth about a game, as far as it is known, and the strength of agents measured by it.

`protocol` says what a truth, an answer and a grade are. `graph`, `solve` and `exact` are that of any game small enough
to write down whole; `evaluate` and `batched` are exact results of policies there, `table` the game as a table of its
positions; `follow` plays an agent against every reply where no graph is at hand; `sampled` is what is left where
nothing is known, `ladder` where there are players to climb, and `searched` the answer of a search. `truth_of` finds the
one that a game has.
"""

from ludus.core.game import Game
from ludus.games import part
from ludus.truth.exact import GraphTruth
from ludus.truth.protocol import Truth
from ludus.truth.sampled import Unsolved


def truth_of(game: Game) -> Truth:
    """The truth of a game: its room's, or the graph of a small one, or none."""
    own = part(game, "truth")
    if own is not None:
        return own(game)
    if game.small:
        return GraphTruth(game)
    if part(game, "evaluation") is None:
        return Unsolved(game)
    from ludus.truth.gauntlet import Ladder  # what it needs for searching takes a second to load

    return Ladder(game)
