"""The best move by alpha-beta search, where a game cannot be solved or a limited search is asked for."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.shared.options import GameOptions, OptionRecord, number, whole
from ludus.cli.solve.problem import Problem, setup
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.cli.shared.interrupt import StopRequest
    from ludus.core.callbacks import Watch
    from ludus.truth.protocol import Answer

DEEPEST, MOST_NODES, LONGEST = 64, 10**15, 10**6
SECONDS = 5.0  # where no limit is given


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SearchOptions(OptionRecord):
    depth: Annotated[int | None, whole(1, DEEPEST, "Search so many plies ahead, by an evaluation.")] = None
    seconds: Annotated[float | None, number(0, LONGEST, "Search for so long, each time a ply deeper.")] = None
    nodes: Annotated[int | None, whole(1, MOST_NODES, "Search about so many positions.")] = None
    evaluation: Annotated[
        str | None, Parameter(help="Search by this evaluation of the game's, or by that of a trained agent.")
    ] = None

    def limited(self) -> bool:
        return (self.depth, self.seconds, self.nodes) != (None, None, None)

    def wanted(self, game: str, options: GameOptions) -> bool:
        """Whether to search: if it is asked for, or if the game cannot be solved but has an evaluation."""
        if self.given():
            return True
        known = registry.entry(game)
        if known.evaluation is None:
            return False
        try:
            registry.refuse_unsolved(game, options.given(known))
        except BadInput:
            return True
        return False

    def problem(
        self, game: str, position: str | None, options: GameOptions, limit: float, best_so_far: bool
    ) -> Problem:
        """With `best_so_far`, Ctrl-C gives the best move so far; else it ends the command."""
        from ludus.agents.spec import is_trained, refuse_no_evaluation, refuse_unsearched

        refuse_unsearched(game, f"leave out {' and '.join(self.given())}")
        if self.evaluation is not None:
            refuse_no_evaluation(self.evaluation, game)
        agent = self.evaluation if self.evaluation is not None and is_trained(self.evaluation) else None
        made, state = setup(game, position, options, agent)
        from ludus.agents.alphabeta import evaluation_of
        from ludus.search.alphabeta.analysis import analyse
        from ludus.search.alphabeta.search import AlphaBeta, Limits

        inside = evaluation_of(made, self.evaluation)
        search = functools.cache(
            lambda: AlphaBeta(made, inside).prepared()
        )  # made below, where its compilation is reported
        seconds = self.seconds if self.seconds is not None else math.inf if self.limited() else SECONDS
        limits = Limits(self.depth or DEEPEST, self.nodes or 0, min(seconds, limit))

        def find(state: Any, watch: Watch, stop: StopRequest) -> Answer:
            if not self.limited():
                watch(f"searching for {limits.seconds:g} s; --seconds or --depth say otherwise", True)
            on_interrupt = "best" if best_so_far else "raise"
            return analyse(search(), state, limits, watch=watch, on_interrupt=on_interrupt, beat=stop)

        return Problem(made, state, find)


NO_SEARCH = SearchOptions()
