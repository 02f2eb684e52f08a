"""The truth about a game, as far as it is known, and the strength of agents measured by it.

`protocol` says what a truth, an answer and a grade are. `graph`, `solve` and `exact` are that of any game small enough
to write down whole; `evaluate` and `batched` are exact results of policies there, `tabular` the game as a table of its
positions; `follow` plays an agent against every reply where no graph is at hand; `sampled` is what is left where
nothing is known, `gauntlet` where there are players of known strength to meet. `truth_of` finds the
one that a game has.
"""

from typing import Any

from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.games import part
from ludus.truth.exact import GraphTruth
from ludus.truth.protocol import Answer, Truth, Watch, nobody
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
    from ludus.truth.gauntlet import Gauntlet  # what it needs for searching takes a second to load

    return Gauntlet(game)


def exactly(
    game: Game, state: Any, seconds: float, watch: Watch = nobody, truth: Truth | None = None
) -> tuple[Answer | None, str]:
    """What is known of a position under perfect play, looked for so many seconds; and why not, if nothing is."""
    try:
        return (truth or truth_of(game)).solve(state, seconds, watch), ""
    except BadInput as error:
        return None, str(error).rstrip(".")
