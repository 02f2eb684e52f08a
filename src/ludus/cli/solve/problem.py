"""What is to be solved, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.cli.shared.agents import game_for
from ludus.cli.shared.options import GameOptions

if TYPE_CHECKING:
    from ludus.cli.shared.interrupt import StopRequest
    from ludus.core.callbacks import Watch
    from ludus.core.game import Game
    from ludus.truth.protocol import Answer


class Problem(NamedTuple):
    game: Game
    state: Any  # the position that was named, or the start
    find: Callable[[Any, Watch, StopRequest], Answer]  # solves a position


def setup(game: str, position: str | None, options: GameOptions, agent: str | None = None) -> tuple[Game, Any]:
    """The game and the state. If a trained agent takes part, its options are used where none were given."""
    if agent is None:
        made, state = options.setup(game, position)
    else:
        made = game_for([agent], game, options)
        state = None if position is None else made.parse(position)
    return made, made.init() if state is None else state
