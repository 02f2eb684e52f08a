"""`ludus htp`: the shell of `play.gtp`, between stdin and stdout."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.common import NO_OPTIONS, GameOptions, Whole, check_range
from ludus.cli.eval import setup_for
from ludus.cli.lines import read_line
from ludus.cli.play import MAX_SEED
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.play.line import Line
    from ludus.play.player import Player


def htp(
    agent: Annotated[str, Parameter(help="random, perfect, alphabeta:2s, the folder of a run, ...")],
    /,
    *,
    seed: Annotated[Whole | None, Parameter(help="Random seed: the same moves for the same commands.")] = None,
    game: Annotated[
        str | None, Parameter(help="The game. [default: the agent's, or the one that has the protocol]")
    ] = None,
    options: GameOptions = NO_OPTIONS,
) -> None:
    """Let an agent speak the Hex text protocol, so that other programs can meet it.

    For example:

        ludus htp hex/best-5
        ludus htp alphabeta:2s --size 9
        ludus match "htp:mohex --quiet --use-logfile=0" hex/best-5

    Commands are read from stdin, a line each, and answered on stdout: boardsize,
    play, genmove, undo, showboard, final_score, time_settings and more, which
    list_commands lists. The end of input and Ctrl-C end it. Either side begins, and
    then they take turns; a size that the agent does not play is refused. Once a
    game is over, genmove answers resign.

    The other way round, htp:COMMAND is an agent wherever one is named: a program
    that is started and asked for moves. It has 60 s for each answer, or 5 s as
    htp:5s:COMMAND. One that is late, ends or makes no legal move has lost that game,
    is started anew, and the match goes on; one that fails three times without a
    move in between is an error.
    """
    if seed is not None:
        check_range("--seed", seed, 0, MAX_SEED)
    name, chosen, _ = setup_for([agent], game or _spoken(agent), options)
    if registry.entry(name).protocol is None:
        raise BadInput(f"there is no text protocol for {name}; there is for {', '.join(_speakers())}.")
    player = Seated(agent, name, random.SystemRandom().randint(0, MAX_SEED) if seed is None else seed)
    player.check(registry.entry(name).filled(chosen))

    from ludus.play.gtp import Session

    session = Session(name, chosen, player)
    while not session.over and sys.stdin is not None and (line := read_line(sys.stdin)):
        answer = session.answer(line)
        if answer is not None:
            print(answer, end="", flush=True)


def _speakers() -> list[str]:
    """The games that have the protocol."""
    return [name for name in registry.names() if registry.entry(name).protocol is not None]


def _spoken(agent: str) -> str | None:
    """The game of an agent that plays any; None where the agent knows, or there are several to choose from."""
    from ludus.agents.spec import refuse_strangers, setup_of

    refuse_strangers([agent])
    speakers = _speakers()
    return speakers[0] if setup_of(agent) is None and len(speakers) == 1 else None


class Seated:
    """An agent that is loaded when it first has to move, and then kept, at each size."""

    def __init__(self, name: str, game: str, seed: int) -> None:
        self.name, self._game, self._seed = name, game, seed
        self._players: dict[Game, Player] = {}

    def check(self, options: dict[str, Any]) -> None:
        from ludus.agents.spec import PERFECT, Setup, refuse_unfit

        refuse_unfit(self.name, Setup(self._game, registry.entry(self._game).filled(options)))
        if self.name in PERFECT:  # only the truth itself knows where it plays
            self._player(registry.make_game(self._game, **options))

    def move(self, line: Line, seconds: float) -> int:
        from ludus.play.player import Clock

        return self._player(line.game).move(line, Clock.at(line, self._seed, seconds))

    def _player(self, game: Game) -> Player:
        from ludus.agents.find import find_player

        if game not in self._players:
            self._players[game] = find_player(self.name, game)
        return self._players[game]
