"""`ludus htp`: an agent speaks the Hex text protocol (HTP) on stdin and stdout.

This is only the command. `play.gtp_server` has the protocol itself: the general text protocol (GTP), for any game that
has it; HTP is its name in one game. `play.gtp_client` is the other side, which asks other programs for moves.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.shared.agents import setup_for
from ludus.cli.shared.lines import read_line
from ludus.cli.shared.options import MAX_PLAY_SEED, NO_OPTIONS, GameOptions, whole
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.core.line import Line
    from ludus.play.player import Player


def htp(
    agent: Annotated[str, Parameter(help="random, perfect, alphabeta:2s, the folder of a run, ...")],
    /,
    *,
    seed: Annotated[int | None, whole(0, MAX_PLAY_SEED, "Random seed: the same moves for the same commands.")] = None,
    game: Annotated[
        str | None, Parameter(help="The game. [default: the agent's, or the one that has the protocol]")
    ] = None,
    options: GameOptions = NO_OPTIONS,
) -> None:
    """Let an agent speak the Hex text protocol, so that other programs can play against it.

    For example:

        ludus htp hex/best-5
        ludus htp alphabeta:2s --size 9
        ludus match "htp:mohex --quiet --use-logfile=0" hex/best-5

    Commands are read from stdin, one a line, and answered on stdout: boardsize,
    play, genmove, undo, showboard, final_score, time_settings and more;
    list_commands lists them all. The end of input or Ctrl-C ends it. Either side may
    begin, then the sides take turns. A size that the agent does not play is refused.
    When a game is over, genmove answers resign.

    The other way round, htp:COMMAND names a program as an agent, in every command
    that takes agents: the program is started and asked for moves. It has 60 s for
    each answer; with htp:5s:COMMAND it has 5 s. If it is late, ends, or makes an
    illegal move, it loses that game and is started again, and the match goes on. If
    it fails three times without a move in between, that is an error.
    """
    name, chosen, _ = setup_for([agent], game or _spoken(agent), options)
    if registry.entry(name).protocol is None:
        raise BadInput(f"there is no text protocol for {name}; there is for {', '.join(_speakers())}.")
    player = ProtocolPlayer(agent, name, random.SystemRandom().randint(0, MAX_PLAY_SEED) if seed is None else seed)
    player.check(registry.entry(name).filled(chosen))

    from ludus.play.gtp_server import Session

    session = Session(name, chosen, player)
    while not session.over and sys.stdin is not None and (line := read_line(sys.stdin)):
        answer = session.answer(line)
        if answer is not None:
            print(answer, end="", flush=True)


def _speakers() -> list[str]:
    """The games that have the protocol."""
    return [name for name in registry.names() if registry.entry(name).protocol is not None]


def _spoken(agent: str) -> str | None:
    """The game of an agent that plays any: the one that has the protocol; None where there are several."""
    from ludus.agents.spec import refuse_strangers, setup_of

    refuse_strangers([agent])
    speakers = _speakers()
    return speakers[0] if setup_of(agent) is None and len(speakers) == 1 else None


class ProtocolPlayer:
    """The agent at every board size: for each size it is loaded at its first move, and then kept."""

    def __init__(self, name: str, game: str, seed: int) -> None:
        self.name, self._game, self._seed = name, game, seed
        self._players: dict[Game, Player] = {}

    def check(self, options: dict[str, Any]) -> None:
        from ludus.agents.spec import PERFECT, Setup, refuse_unfit

        refuse_unfit(self.name, Setup(self._game, registry.entry(self._game).filled(options)))
        if self.name in PERFECT:  # only the loaded truth knows which sizes it plays
            self._player(registry.make_game(self._game, **options))

    def move(self, line: Line, seconds: float) -> int:
        from ludus.play.player import Clock

        return self._player(line.game).move(line, Clock.at(line, self._seed, seconds))

    def _player(self, game: Game) -> Player:
        from ludus.agents.find import find_player

        if game not in self._players:
            self._players[game] = find_player(self.name, game)
        return self._players[game]
