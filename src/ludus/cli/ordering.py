"""What `ludus solve` may be asked about a puzzle: an order of moves, a table of positions, a picture of the search."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus import games as registry
from ludus.cli.common import GameOptions
from ludus.cli.files import check_picture
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.cli.interrupt import Heard
    from ludus.core.game import Game
    from ludus.truth.protocol import Answer, Watch

DRAWN = 2000  # positions of a tree, at most


class Ordering(NamedTuple):
    """What was asked for; None or False is nothing."""

    order: str | None
    table: bool
    tree: str | None
    best_first: bool = False

    def asked(self) -> list[str]:
        return [f"--{name.replace('_', '-')}" for name, value in self._asdict().items() if value]

    def check(self, game: str, file: bool) -> None:
        """Refuse what can be refused before anything heavy is loaded."""
        if self.asked() and not is_puzzle(game):
            raise BadInput(f"{game} is no puzzle for one, so leave out {' and '.join(self.asked())}.")
        if self.best_first and self.table:
            raise BadInput("--best-first remembers no positions; leave out --table.")
        if self.best_first and self._agent() is None:
            raise BadInput("--best-first goes by how likely a trained agent takes moves to be; name it with --order.")
        if self.tree is not None:
            if file:
                raise BadInput("--tree draws the search of one position; leave out --file.")
            check_picture(self.tree)
        if self._agent() is not None:
            from ludus.agents.spec import is_built_in, refuse_strangers

            try:
                refuse_strangers([self._agent() or ""], game)
            except BadInput as error:  # where it lists the agents: here the orders have names too
                raise BadInput(str(error).replace(f"{game}; there are ", f"{game}; there are {BASELINE}, ")) from None
            if is_built_in(self._agent() or ""):
                raise BadInput(f"--order {self.order}: there are {BASELINE}, random, and any trained agent.")

    def _agent(self) -> str | None:
        """A trained agent's name, or a stranger's."""
        return None if self.order in (None, BASELINE, "random") else self.order

    def setup(self, game: str, position: str | None, options: GameOptions) -> tuple[Game, Any]:
        """The game and the state; a trained agent whose order is used says what the options do not."""
        agent = self._agent()
        if agent is None:
            return options.setup(game, position)
        from ludus.cli.eval import game_for

        made = game_for([agent], game, options)
        return made, None if position is None else made.parse(position)

    def finder(self, game: Game, limit: float, everything: bool) -> Callable[[Any, Watch, Heard], Answer]:
        from ludus.search.puzzle.order import order
        from ludus.truth import truth_of
        from ludus.truth.puzzle import PuzzleTruth, order_of

        truth, agent = truth_of(game), self._agent()
        assert isinstance(truth, PuzzleTruth)
        if agent is None:
            chosen = order(game, self.order or BASELINE)
        else:
            from ludus.agents.find import find_player

            chosen = order_of(find_player(agent, game), game)
        nodes = DRAWN if self.tree else 0
        return lambda state, watch, asked: truth.solve(
            state, limit, asked.watching(watch), chosen, self.table, nodes, everything, self.best_first
        )


BASELINE = "baseline"


def is_puzzle(game: str) -> bool:
    """Whether it is for one, with orders of moves to search by."""
    known = registry.entry(game)
    return len(known.seats) == 1 and known.orders is not None
