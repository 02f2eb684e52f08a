"""Agents that are programs of others: `htp:COMMAND`, for a game whose room has a part `protocol`.

A program is told a position move by move, and plays all games of a match, one after the other. What it answers is held
to the rules. It may give up a game; where it ends, is late or answers with what is no move, it forfeits that game and
is started anew for the next. One that cannot be started, or does not get as far as a move in several games running, is
no player, and that is an error.
"""

from __future__ import annotations

from typing import Any

from ludus.agents.spec import PROGRAM, AgentSpec
from ludus.core.dialect import Dialect, Said
from ludus.core.game import Game, compiled
from ludus.errors import BadInput, shorten
from ludus.games import part
from ludus.play import gtp_server
from ludus.play.gtp_client import Ended, Late, NotStarted, Program, Trouble
from ludus.play.line import Line
from ludus.play.player import RESIGN, Clock, Forfeit, Player

RUNNING = 3  # times one after the other that a program may fail, and make no move in between, before it is an error


class ProgramPlayer(Player):
    """Plays what a program of others says."""

    lanes = 1  # it has one board
    # Whether it moves by chance nobody knows. Games with one that does not, begin with openings that make them differ.
    chance = False
    only_plays = "is a program of its own"

    def __init__(self, spec: AgentSpec, game: Game) -> None:
        dialect = part(game, "protocol")
        assert isinstance(dialect, Dialect)
        assert spec.seconds is not None
        self.name, self._seconds = spec.name, spec.seconds
        self._game, self._dialect, self._program = game, dialect, Program(spec.command, spec.seconds)
        self._told: list[Said] | None = None  # the moves on its board; None before it has one
        self._failures = 0  # since its last move

    def move(self, line: Line, clock: Clock) -> int:
        try:
            action = self._answer(line.state)
        except Trouble as trouble:
            self._failures += 1
            moves = " ".join(word for _, word in self._told or ())
            where = f"after the moves {moves}" if moves else "at the empty board"
            longer = f"; {PROGRAM}:{2 * self._seconds:g}s:COMMAND waits longer" if isinstance(trouble, Late) else ""
            sentence = f"the program '{self._program.name}', {where}, {trouble}{longer}"
            if isinstance(trouble, NotStarted):
                raise BadInput(f"{sentence}.") from None
            if self._failures >= RUNNING:
                raise BadInput(f"{sentence}; it has failed {self._failures} times without a move in between.") from None
            raise Forfeit(f"{sentence}.") from None
        finally:
            if not self._program.runs:
                self._told = None
        self._failures = 0
        return action

    def _answer(self, state: Any) -> int:
        game, dialect = self._game, self._dialect
        told = self._tell(state)
        seat = int(compiled(game).player(state))
        asked = f"genmove {dialect.colours[seat][0]}"
        said = self._program.ask(asked)
        if said.lower() == gtp_server.RESIGN:
            self._told = None  # some take it for a move, others for nothing: its board is set up anew
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
        """Make the position the one on its board, by as few moves as can be."""
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
                self._clear(new=True)  # it ended after its last game, which costs it none
        for seat, word in moves[len(told) :]:
            ask(f"play {dialect.colours[seat][0]} {word}")
            told.append((seat, word))
        return told

    def _clear(self, new: bool) -> None:
        """Empty its board, or give it a new one."""
        if new:
            self._program.ask(f"boardsize {self._game.options()[self._dialect.size]}")
        self._program.ask("clear_board")
