"""Games, agents and solutions: `ludus.game`, `ludus.agent`, `ludus.solve`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ludus.agents.find import find_player, game_of
from ludus.agents.function import Choose, Chooser, function_player
from ludus.agents.spec import bound_of, refuse_strangers, setup_of
from ludus.core.game import Game, legal_actions
from ludus.core.line import Line
from ludus.core.table import Table
from ludus.errors import BadInput, shorten
from ludus.games import make_game
from ludus.play.player import RESIGN, Clock, Player
from ludus.play.thoughts import Thoughts
from ludus.truth import truth_of
from ludus.truth.protocol import Answer
from ludus.workbench.setups import setup_for

#: A text in the game's notation, a state of the game, a game under way, or None for the game's start.
Position: TypeAlias = Any


def game(name: str, **options: int | str | bool) -> Game:
    """A game by its name, with its options. `ludus games` lists both.

    >>> import ludus
    >>> ludus.game("hex", size=3).start().push("b2").position
    '.../.B./... w'
    """
    return make_game(name, **options)


def agent(name: AgentLike, game: Game | str | None = None) -> Agent:
    """An agent by its name: one that comes with Ludus, the folder of a run, "random" or "perfect"; or your own: a
    function of the position and its legal moves, both as texts, or an object with such a method `choose`.

    A trained agent knows its game; for an agent that plays any game, name the game. Free options of a
    trained agent are taken from the game that you give.

    >>> import ludus
    >>> ludus.agent("random", ludus.game("hex", size=3)).move("BWB/W.W/BWB b")
    'b2'
    >>> ludus.agent(lambda position, moves: moves[-1], ludus.game("hex", size=3)).move()
    'c3'
    """
    wanted = None if game is None else as_game(game)
    if isinstance(name, Agent):
        return Agent(name.player, _fitting(name, wanted or name.game))
    if not isinstance(name, str | Path):
        player = player_of(name)
        if wanted is None:
            raise BadInput(f"'{shorten(player.name)}' plays any game; say which, as in ludus.agent(..., 'lgame').")
        return Agent(player, wanted)
    trained = game_of(str(name))
    if trained is not None and wanted is not None and not _plays(str(name), wanted):
        raise BadInput(f"the agent '{name}' plays {trained.describe()}, not {wanted.describe()}.")
    found = wanted or trained
    if found is None:
        refuse_strangers([str(name)])
        raise BadInput(f"'{name}' plays any game; say which, as in ludus.agent('{name}', 'lgame').")
    return Agent(find_player(str(name), found), found)


def solve(
    game: Game | str,
    position: Position = None,
    limit: float = 600.0,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    evaluation: str | None = None,
) -> Answer:
    """The result of a position (or the start) under perfect play: `.summary()`, `.lines()` and `.to_json()`.

    For a two-player game the answer is a `Values`, with `.value`, `.plies`, `.winner` and `.moves`, the best first. A
    search gives up after `limit` seconds.

    With `depth` or `seconds` alpha-beta searches instead, for a game that has a twin, with an evaluation of the game's
    or a trained agent's. The answer is then an `Analysis`, with `.move`, `.score`, `.mate` and `.line`.

    >>> import ludus
    >>> ludus.solve(ludus.game("hex", size=3), ".../.B./... w").winner
    'black'
    """
    made = as_game(game)
    if depth is None and seconds is None:
        return truth_of(made).solve(_state(made, position), limit)
    from ludus.agents.alphabeta import evaluation_of
    from ludus.search.alphabeta.analysis import analyse
    from ludus.search.alphabeta.search import AlphaBeta, Limits

    limits = Limits(depth=depth or Limits().depth, seconds=min(limit, seconds or limit))
    search = AlphaBeta(made, evaluation_of(made, evaluation)).prepared()
    return analyse(search, _state(made, position), limits)


class Agent:
    """An agent together with the game that it plays.

    >>> import ludus
    >>> perfect = ludus.agent("perfect", ludus.game("hex", size=3))
    >>> perfect.values(".../.B./..W b")["c2"]
    1
    >>> table = perfect.game.start()
    >>> while not table.over:
    ...     _ = table.push(perfect.move(table))
    >>> table.result()
    'black'
    """

    player: Player
    game: Game

    def __init__(self, player: Player, game: Game) -> None:
        self.player, self.game = player, game

    @property
    def name(self) -> str:
        return self.player.name

    def __repr__(self) -> str:
        return f"<{self.name} at {self.game.describe()}>"

    def move(self, position: Position = None, seed: int = 0) -> str:
        """The move that it plays there. The same seed gives the same move. An external program or a function may
        resign: "resign".
        """
        line = self._line(position)
        action = self.player.move(line, Clock.at(line, seed))
        return "resign" if action == RESIGN else self.game.format_move(line.state, action)

    def thoughts(self, position: Position = None, seconds: float = math.inf) -> Thoughts:
        """Its rating of each legal move there, the best first: `.moves`, each with `.move`, `.value` (the expected
        result, from -1 to 1), `.probability` (in its policy) and `.line`.
        """
        line = self._line(position)
        found = self.player.thoughts(line, Clock(seconds=seconds))
        if found is None:
            raise BadInput(f"'{self.name}' does not rate moves; ask another agent.")
        return found

    def values(self, position: Position = None) -> dict[str, float]:
        """The expected result of each legal move there, the best first: 1 is a sure win, -1 a sure loss.

        A perfect player gives exact results. A move without a value is left out: one that a search did not visit or
        decide; with a policy head, all but the likeliest few (`thoughts` has the probability of each).
        """
        thoughts = self.thoughts(position)
        if thoughts.unit:
            raise BadInput(f"'{self.name}' has scores in {thoughts.unit}, no expected results; see `thoughts`.")
        found = {entry.move: entry.value for entry in thoughts.moves if entry.value is not None}
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def _line(self, position: Position) -> Line:
        """A game that begins at this position, or that is under way; refuses one that is over."""
        if isinstance(position, Table):
            if bound_of(position.game) != bound_of(self.game):
                raise BadInput(f"the agent '{self.name}' plays {self.game.describe()}, not {position.game.describe()}.")
            if position.over:
                raise BadInput(f"the game is over at '{position.position}': there is no move to make.")
            return position.line
        state = _state(self.game, position)
        if not legal_actions(self.game, state):
            raise BadInput(f"the game is over at '{self.game.format(state)}': there is no move to make.")
        return Line(self.game, state)


#: An agent by its name or its folder, an `Agent`, a `Player`, or what chooses moves: a function or an object.
AgentLike: TypeAlias = str | Path | Agent | Player | Choose | Chooser


def as_game(game: Game | str) -> Game:
    return make_game(game) if isinstance(game, str) else game


def player_of(given: Agent | Player | Choose | Chooser) -> Player:
    """The player that is no name."""
    if isinstance(given, Agent):
        return given.player
    return given if isinstance(given, Player) else function_player(given)


def gathered(agents: Sequence[AgentLike], game: Game | str | None, remedy: str) -> tuple[Game, list[Player]]:
    """The game that these agents play together, or the one given; and the agents as players. The remedy ends the
    sentence that a game is missing.
    """
    names = [str(named) for named in agents if isinstance(named, str | Path)]
    wanted = None if game is None else as_game(game)
    wanted = wanted or next((named.game for named in agents if isinstance(named, Agent)), None)
    if wanted is None and not names:
        raise BadInput(f"'{shorten(player_of_any(agents[0]).name)}' plays any game; {remedy}.")
    if wanted is None:
        setup = setup_for(names, None, lambda entry: {}, remedy)
        wanted = make_game(setup.game, **setup.options)
    return wanted, [agent(named, wanted).player for named in agents]


def player_of_any(given: AgentLike) -> Player:
    assert not isinstance(given, str | Path)
    return player_of(given)


def _fitting(given: Agent, game: Game) -> Game:
    """The game, if the agent plays it."""
    if bound_of(given.game) != bound_of(game):
        raise BadInput(f"the agent '{given.name}' plays {given.game.describe()}, not {game.describe()}.")
    return game


def _plays(name: str, game: Game) -> bool:
    setup = setup_of(name)
    return setup is None or setup.meets(bound_of(game))


def _state(game: Game, position: Position) -> Any:
    if position is None:
        return game.init()
    if isinstance(position, str):
        return game.parse(position)
    if isinstance(position, Table):
        return position.state
    if not isinstance(position, type(game.init())):
        raise BadInput(f"a position of {game.name} is a text or a state of it, not {shorten(repr(position))}.")
    return position
