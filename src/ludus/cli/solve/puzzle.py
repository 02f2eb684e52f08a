"""A puzzle's first solution, or all of them, trying moves in some order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.shared.options import Flag, GameOptions, OptionRecord, is_puzzle
from ludus.cli.solve.problem import Problem, setup
from ludus.core.whole_files import check_picture
from ludus.errors import BadInput
from ludus.games import entry

if TYPE_CHECKING:
    from ludus.cli.shared.interrupt import StopRequest
    from ludus.core.callbacks import Watch
    from ludus.truth.protocol import Answer

RANDOM = "random"  # an order of any puzzle
DRAWN = 2000  # positions of a tree, at most


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PuzzleOptions(OptionRecord):
    order: Annotated[
        str | None, Parameter(help="Try a puzzle's moves in this order: baseline, clockwise, random, or an agent's.")
    ] = None
    best_first: Annotated[
        Flag, Parameter(help="Follow the likeliest line instead of backtracking, by a trained agent's order.")
    ] = False
    table: Annotated[Flag, Parameter(help="Never enter a position of a puzzle again that is known to fail.")] = False
    tree: Annotated[
        str | None, Parameter(help="Draw the positions of a puzzle that were explored, to an SVG file.")
    ] = None

    def check(self, game: str, file: bool) -> None:
        """Refuse what can be refused before anything heavy is loaded."""
        if self.given() and not is_puzzle(game):
            raise BadInput(f"{game} is no puzzle for one, so leave out {' and '.join(self.given())}.")
        if self.best_first and self.table:
            raise BadInput("--best-first remembers no positions; leave out --table.")
        agent = self.agent(game)
        if self.best_first and agent is None:
            raise BadInput("--best-first goes by how likely a trained agent takes moves to be; name it with --order.")
        if self.tree is not None:
            if file:
                raise BadInput("--tree draws the search of one position; leave out --file.")
            check_picture(self.tree)
        if agent is not None:
            from ludus.agents.spec import is_built_in, refuse_strangers

            named = ", ".join(entry(game).order_names)
            try:
                refuse_strangers([agent], game)
            except BadInput as error:  # its list of agents lacks the orders that have names
                raise BadInput(str(error).replace(f"{game}; there are ", f"{game}; there are {named}, ")) from None
            if is_built_in(agent):
                raise BadInput(f"--order {self.order}: there are {named}, {RANDOM}, and any trained agent.")

    def agent(self, game: str) -> str | None:
        """The trained agent whose order is used."""
        return None if self.order in (None, RANDOM, *entry(game).order_names) else self.order

    def problem(self, game: str, position: str | None, options: GameOptions, limit: float, everything: bool) -> Problem:
        agent = self.agent(game)
        made, state = setup(game, position, options, agent)
        from ludus.search.puzzle.order import order
        from ludus.truth import truth_of
        from ludus.truth.puzzle import PuzzleTruth, order_of

        truth = truth_of(made)
        assert isinstance(truth, PuzzleTruth)
        if agent is None:
            chosen = order(made, self.order or entry(game).order_names[0])
        else:
            from ludus.agents.find import find_player

            chosen = order_of(find_player(agent, made), made)
        nodes = DRAWN if self.tree else 0

        def find(state: Any, watch: Watch, stop: StopRequest) -> Answer:
            return truth.solve(
                state, limit, stop.polled_by(watch), chosen, self.table, nodes, everything, self.best_first
            )

        return Problem(made, state, find)


NO_PUZZLE = PuzzleOptions()
