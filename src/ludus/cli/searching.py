"""The search of `ludus solve`: what may be asked of it, what is refused early, and what it finds."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus import games as registry
from ludus.cli.common import GameOptions, check_range
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.cli.interrupt import Heard
    from ludus.core.game import Game
    from ludus.truth.protocol import Answer, Watch

DEEPEST, MOST_NODES, LONGEST = 64, 10**15, 10**6
SECONDS = 5.0  # where nothing is said


class Search(NamedTuple):
    """What was asked for; None is nothing."""

    depth: int | None
    seconds: float | None
    nodes: int | None
    evaluation: str | None

    def asked(self) -> list[str]:
        return [f"--{name}" for name, value in self._asdict().items() if value is not None]

    def limited(self) -> bool:
        return (self.depth, self.seconds, self.nodes) != (None, None, None)

    def wanted(self, game: str, options: GameOptions) -> bool:
        """Whether to search: if it is asked for, or if nothing else can be done and there is something to go by."""
        if self.asked():
            return True
        known = registry.entry(game)
        if known.evaluation is None:
            return False
        try:
            registry.refuse_unsolved(game, options.given(known))
        except BadInput:
            return True
        return False

    def check(self, game: str) -> None:
        """Refuse what can be refused before anything heavy is loaded."""
        from ludus.agents.spec import refuse_no_evaluation, refuse_unsearched

        refuse_unsearched(game, f"leave out {' and '.join(self.asked())}")
        for option, value, low, high in (
            ("--depth", self.depth, 1, DEEPEST),
            ("--seconds", self.seconds, 0, LONGEST),
            ("--nodes", self.nodes, 1, MOST_NODES),
        ):
            if value is not None:
                check_range(option, value, low, high)
        if self.evaluation is not None:
            refuse_no_evaluation(self.evaluation, game)

    def setup(self, game: str, position: str | None, options: GameOptions) -> tuple[Game, Any]:
        """The game and the state; a trained agent whose evaluation is used says what the options do not."""
        from ludus.agents.spec import is_trained
        from ludus.cli.eval import game_for

        if self.evaluation is None or not is_trained(self.evaluation):
            return options.setup(game, position)
        made = game_for([self.evaluation], game, options)
        return made, None if position is None else made.parse(position)

    def finder(self, game: Game, limit: float, keep: bool) -> Callable[[Any, Watch, Heard], Answer]:
        """Finds a move in a position; with `keep`, Ctrl-C gives the best so far."""
        from ludus.agents.alphabeta import evaluation_of
        from ludus.search.alphabeta.analyst import Analyst
        from ludus.search.alphabeta.engine import Limits

        inside = evaluation_of(game, self.evaluation)
        analyst = functools.cache(lambda: Analyst(game, inside))  # made when somebody is told that it takes a while
        seconds = self.seconds if self.seconds is not None else math.inf if self.limited() else SECONDS
        limits = Limits(self.depth or DEEPEST, self.nodes or 0, min(seconds, limit))

        def find(state: Any, watch: Watch, asked: Heard) -> Answer:
            if not self.limited():
                watch(f"searching for {limits.seconds:g} s; --seconds or --depth say otherwise", True)
            wanted = "best" if keep else "raise"
            return analyst().answer(state, limits, watch=watch, on_interrupt=wanted, beat=asked)

        return find
