"""External programs as players: `htp:COMMAND`, for a game whose room has a part `protocol`.

A program is sent a position move by move, and plays all games of a match, one after the other. The rules check its
answers. It may resign a game. If it exits, is late or answers with an illegal move, it forfeits that game and is
restarted for the next. If it cannot be started, or fails several times without a move in between, that is an error.
"""

from __future__ import annotations

from typing import Any

from ludus.agents.failures import Failures
from ludus.agents.spec import PROGRAM, AgentSpec
from ludus.core.dialect import Dialect, Said
from ludus.core.game import Game, compiled
from ludus.core.line import Line
from ludus.errors import BadInput, shorten
from ludus.games import part
from ludus.play import gtp_server
from ludus.play.gtp_client import Ended, Late, NotStarted, Program, Trouble
from ludus.play.player import RESIGN, Clock, Player


class ProgramPlayer(Player):
    """Plays the moves of an external program."""

    lanes = 1  # it has one board
    # Unknown: it may move at random. False, so that its games begin with different openings.
    chance = False
    only_plays = "is an external program"

    def __init__(self, spec: AgentSpec, game: Game) -> None:
        dialect = part(game, "protocol")
        assert isinstance(dialect, Dialect)
        assert spec.seconds is not None
        self.name, self._seconds = spec.name, spec.seconds
        self._game, self._dialect, self._program = game, dialect, Program(spec.command, spec.seconds)
        self._told: list[Said] | None = None  # the moves on its board; None before the board is set up
        self._failures = Failures()

    def move(self, line: Line, clock: Clock) -> int:
        try:
            action = self._answer(line.state)
        except Trouble as trouble:
            moves = " ".join(word for _, word in self._told or ())
            where = f"after the moves {moves}" if moves else "at the empty board"
            longer = f"; {PROGRAM}:{2 * self._seconds:g}s:COMMAND waits longer" if isinstance(trouble, Late) else ""
            sentence = f"the program '{self._program.name}', {where}, {trouble}{longer}"
            if isinstance(trouble, NotStarted):
                raise BadInput(f"{sentence}.") from None
            raise self._failures.failed(sentence) from None
        finally:
            if not self._program.runs:
                self._told = None
        self._failures.moved()
        return action

    def _answer(self, state: Any) -> int:
        game, dialect = self._game, self._dialect
        told = self._tell(state)
        seat = int(compiled(game).player(state))
        asked = f"genmove {dialect.colours[seat][0]}"
        said = self._program.ask(asked)
        if said.lower() == gtp_server.RESIGN:
            self._told = None  # some programs count it as a move, others do not: set up the board again
            return RESIGN
        try:
            action = game.parse_move(state, dialect.hear(said))
        except BadInput as error:
            self._program.kill()
            why = str(error).rstrip(".")
            raise Trouble(f"answered '{asked}' with '{shorten(said)}', which is no move there ({why})") from None
        told.append((seat, dialect.say(game.format_move(state, action))))
        return action

    def _tell(self, state: Any) -> list[Said]:
        """Bring its board to this position, with as few moves as possible."""
        game, dialect, ask = self._game, self._dialect, self._program.ask
        told = self._told
        moves = dialect.way(game, state, told or [])
        if told is None or moves[: len(told)] != told:
            new, ran = told is None, self._program.runs
            told = self._told = []
            try:
                self._clear(new)
            except Ended:
                if not ran:
                    raise
                self._clear(new=True)  # it exited after its last game: no forfeit
        for seat, word in moves[len(told) :]:
            ask(f"play {dialect.colours[seat][0]} {word}")
            told.append((seat, word))
        return told

    def _clear(self, new: bool) -> None:
        """Clear its board, or set its size first if it is new."""
        if new:
            self._program.ask(f"boardsize {self._game.options()[self._dialect.size]}")
        self._program.ask("clear_board")
