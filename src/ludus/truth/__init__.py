"""What is known of a game under perfect play (its truth), and the strength of agents measured by it.

`protocol` defines a truth, an answer and a grade. For a small game there are its whole graph (`graph`), the solution
(`solve`, `exact`), exact results of policies (`evaluate`, `batched`), and the game as a table of its positions
(`tabular`). `follow` plays an agent against every reply without a graph. If nothing is known, `sampled` plays against
the random player, and `gauntlet` against players of several strengths. `truth_of` gives the truth of a game.
"""

from typing import Any

from ludus.core.callbacks import Watch, nobody
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.games import part
from ludus.truth.exact import GraphTruth
from ludus.truth.protocol import Answer, Truth
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
    from ludus.truth.gauntlet import Gauntlet  # here, because its search modules take a second to import

    return Gauntlet(game)


def exactly(
    game: Game, state: Any, seconds: float, watch: Watch = nobody, truth: Truth | None = None
) -> tuple[Answer | None, str]:
    """The solution of a position within some seconds, and ""; or None and the reason, if it cannot be solved."""
    try:
        return (truth or truth_of(game)).solve(state, seconds, watch), ""
    except BadInput as error:
        return None, str(error).rstrip(".")
