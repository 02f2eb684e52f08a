"""GTP server: answers the text protocol of Go programs (version 2), for any game whose room has a part `protocol`. A
command is one line; an answer ends with an empty line. `gtp_client` sends such commands; `ludus htp` (`cli.htp`)
connects this module to stdin and stdout.

Unlike in GTP, no side may move twice in a row: a move of the wrong side is refused. Only the first mover is free, if
the room has such a start. After the end of a game `genmove` is answered with `resign`, because some referees ask until
somebody resigns. Nothing heavy is loaded before a board is needed.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ludus import games as registry
from ludus.core.dialect import Dialect
from ludus.core.text import plain
from ludus.errors import BadInput, shorten
from ludus.version import __version__

if TYPE_CHECKING:
    from ludus.core.line import Line

RESIGN = "resign"
LEAST = 0.01  # seconds for a move, at least
SHARE = 20  # moves that the main time is divided by
CAREFUL = 0.9  # share of the allowed time that is used
ANY = 1000  # words that a command without effect may have
NUMBER = re.compile(r"[0-9]{1,18}")
SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{0,9})?")


@runtime_checkable
class SessionPlayer(Protocol):
    """The player behind the server."""

    @property
    def name(self) -> str: ...

    def check(self, options: dict[str, Any]) -> None:
        """Refuse options of the game that it cannot play."""
        ...

    def move(self, line: Line, seconds: float) -> int:
        """Its move, or a negative number to resign; within the time limit, if it has one."""
        ...


class Session:
    """One game at a time, controlled by commands."""

    def __init__(self, game: str, options: dict[str, Any], player: SessionPlayer) -> None:
        dialect = registry.part(game, "protocol")
        assert isinstance(dialect, Dialect)
        self._game, self._options, self._player, self._dialect = game, options, player, dialect
        self._line: Line | None = None
        self._clock = TimeControl()
        self.over = False  # whether `quit` was received
        #: Of each command: the function of its words, and their least and greatest number.
        self._commands: dict[str, tuple[Callable[[Sequence[str]], str], int, int]] = {
            "protocol_version": (lambda words: "2", 0, 0),
            "name": (lambda words: f"Ludus {self._player.name}", 0, 0),
            "version": (lambda words: __version__, 0, 0),
            "known_command": (lambda words: str(words[0] in self._commands).lower(), 1, 1),
            "list_commands": (lambda words: "\n".join(sorted(self._commands)), 0, 0),
            "quit": (self._quit, 0, 0),
            "boardsize": (self._boardsize, 1, 2),
            "clear_board": (self._clear_board, 0, 0),
            "play": (self._play, 2, 2),
            "genmove": (self._genmove, 1, 1),
            "reg_genmove": (self._reg_genmove, 1, 1),
            "undo": (self._undo, 0, 0),
            "showboard": (self._showboard, 0, 0),
            "final_score": (self._final_score, 0, 0),
            "time_settings": (self._time_settings, 3, 3),
            "time_left": (self._time_left, 0, 3),
            "all_legal_moves": (self._all_legal_moves, 0, 0),
            **{name: (lambda words: "", 0, ANY) for name in dialect.silent},
        }

    def answer(self, text: str) -> str | None:
        """The answer to a line, with the empty line at its end; None if the line has no command."""
        text = "".join(letter for letter in text.partition("#")[0].replace("\t", " ") if letter.isprintable())
        words = text.split()
        if not words:
            return None
        number = words.pop(0) if NUMBER.fullmatch(words[0]) else ""
        try:
            mark, said = "=", self._obey(words)
        except BadInput as error:
            mark, said = "?", " ".join(str(error).split()).rstrip(".")
        space = "" if said[:1] in ("", "\n") else " "
        return f"{mark}{number}{space}{said}\n\n"

    def _obey(self, words: Sequence[str]) -> str:
        name, words = (words[0] if words else ""), words[1:]
        if name not in self._commands:
            raise BadInput("unknown command")
        do, least, most = self._commands[name]
        if not least <= len(words) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise BadInput(f"syntax error: {name} takes {wanted} words after it, not {len(words)}")
        return do(words)

    @property
    def line(self) -> Line:
        """The game as it stands."""
        if self._line is None:
            from ludus.core.line import Line

            made = registry.make_game(self._game, **self._options)
            self._line = Line(made, made.init())
        return self._line

    # --- commands -------------------------------------------------------------------------------------------

    def _quit(self, words: Sequence[str]) -> str:
        self.over = True
        return ""

    def _boardsize(self, words: Sequence[str]) -> str:
        if not all(NUMBER.fullmatch(word) for word in words):
            raise BadInput("syntax error: boardsize takes a whole number")
        if len({int(word) for word in words}) > 1:
            raise BadInput("unacceptable size: a board here is as high as it is wide")
        options = self._options | {self._dialect.size: int(words[0])}
        try:
            registry.entry(self._game).check(**options)
            self._player.check(options)
        except BadInput as error:
            raise BadInput(f"unacceptable size: {error}") from None
        self._options = options
        return self._clear_board(())

    def _clear_board(self, words: Sequence[str]) -> str:
        self._line = None
        self._clock.restart()
        return ""

    def _play(self, words: Sequence[str]) -> str:
        seat, line, resigns = self._seat(words[0]), self.line, words[1].lower() == RESIGN
        if (ending := line.ending()) is not None:
            if resigns:  # some referees send back our `resign` after the end: ignore it
                return ""
            raise BadInput(f"illegal move: the game is over: {ending.sentence}")
        if resigns:
            line.resigned = seat
            return ""
        try:
            line = self._line_of(seat)
            line.push(line.game.parse_move(line.state, self._dialect.hear(words[1])))
        except BadInput as error:
            raise BadInput(f"illegal move: {error}") from None
        self._line = line
        return ""

    def _genmove(self, words: Sequence[str]) -> str:
        action, line = self._chosen(words[0])
        if line.ending() is not None:
            return RESIGN
        self._line = line
        if action < 0:
            line.resign()
            return RESIGN
        line.push(action)
        return self._dialect.say(line.moves()[-1])

    def _reg_genmove(self, words: Sequence[str]) -> str:
        action, line = self._chosen(words[0])
        return RESIGN if action < 0 else self._dialect.say(line.game.format_move(line.state, action))

    def _chosen(self, colour: str) -> tuple[int, Line]:
        """The player's action and the game it belongs to; -1 (resign) if the game is over."""
        seat = self._seat(colour)
        if self.line.ending() is not None:
            return -1, self.line
        line, begin = self._line_of(seat), time.monotonic()
        action = self._player.move(line, self._clock.allows(seat))
        self._clock.spent(seat, time.monotonic() - begin)
        return action, line

    def _undo(self, words: Sequence[str]) -> str:
        line = self.line
        if line.resigned is not None:
            line.resigned = None
        elif line.actions:
            line.cut(len(line.actions) - 1)
        else:
            raise BadInput("cannot undo: no move has been made")
        return ""

    def _showboard(self, words: Sequence[str]) -> str:
        drawn = plain(self.line.game.draw(self.line.state)).split("\n")
        return "\n".join(["", *(row for row in drawn if row.strip())])  # an empty line would end the answer

    def _final_score(self, words: Sequence[str]) -> str:
        ending = self.line.ending()
        if ending is None:
            raise BadInput("cannot score: the game is not over")
        won = [seat for seat, value in enumerate(ending.returns) if value > 0]
        return self._dialect.scores[won[0]] if won else "0"

    def _all_legal_moves(self, words: Sequence[str]) -> str:
        line = self.line
        actions = line.legal() if line.ending() is None else []
        return " ".join(self._dialect.say(line.game.format_move(line.state, action)) for action in actions)

    def _time_settings(self, words: Sequence[str]) -> str:
        main, period, moves = map(_number, words)
        self._clock.set(main, period, int(moves))
        return ""

    def _time_left(self, words: Sequence[str]) -> str:
        """With a time: set the time left. Without: answer it."""
        if not words:
            names = [names[0] for names in self._dialect.colours]
            return ", ".join(f"{name.capitalize()}: {self._clock.left(seat)}" for seat, name in enumerate(names))
        if len(words) == 1:
            return self._clock.left(self._seat(words[0]))
        seat, seconds = self._seat(words[0]), _number(words[1])
        self._clock.tell(seat, seconds, int(_number(words[2])) if len(words) > 2 else 0)
        return ""

    # --- words ----------------------------------------------------------------------------------------------

    def _seat(self, word: str) -> int:
        for seat, names in enumerate(self._dialect.colours):
            if word.lower() in names:
                return seat
        known = " or ".join(names[0] for names in self._dialect.colours)
        raise BadInput(f"syntax error: a colour is {known}, not '{shorten(word)}'")

    def _line_of(self, seat: int) -> Line:
        """The game with this seat to move. Before the first move, a start with this seat if the room has one."""
        line, begin = self.line, self._dialect.begun_by
        now = line.player()
        if seat == now:
            return line
        if line.actions or begin is None:
            seats = [names[0] for names in self._dialect.colours]
            raise BadInput(f"it is {seats[now]}'s turn, not {seats[seat]}'s: sides take turns")
        from ludus.core.line import Line

        return Line(line.game, begin(line.game, seat))


class TimeControl:
    """The time of each seat: a main time for the game, then periods of some seconds for some moves. Unlimited at
    first.
    """

    def __init__(self) -> None:
        self._main, self._period, self._moves = math.inf, 0.0, 0
        self._left: dict[int, tuple[float, int]] = {}  # by seat: seconds left, moves left in the period (0: main time)

    def set(self, main: float, period: float, moves: int) -> None:
        unlimited = moves == 0 and (period > 0 or main == 0)  # GTP: a period without moves is no limit
        self._main, self._period, self._moves = (math.inf, 0.0, 0) if unlimited else (main, period, moves)
        self.restart()

    def restart(self) -> None:
        """Restore the full time, for a new game."""
        self._left.clear()

    def tell(self, seat: int, seconds: float, moves: int) -> None:
        """Set the time left to a seat, as the referee says."""
        self._left[seat] = seconds, moves

    def left(self, seat: int) -> str:
        """The seconds that a seat has left, of its main time or its period."""
        seconds, _ = self._left.get(seat, (self._main, 0))
        return "unlimited" if math.isinf(seconds) else f"{seconds:.1f}"

    def allows(self, seat: int) -> float:
        """Seconds that a seat may use for its next move."""
        seconds, moves = self._left.get(seat, (self._main, 0))
        period = self._period / self._moves if self._moves else 0.0
        return max(LEAST, CAREFUL * (seconds / moves if moves else seconds / SHARE + period))

    def spent(self, seat: int, seconds: float) -> None:
        """Subtract the time of a move. The referee may correct it before the next move."""
        left, moves = self._left.get(seat, (self._main, 0))
        left, ends = left - seconds, moves == 1
        if (left <= 0 or ends) and self._moves:
            left, moves = self._period, self._moves + 1  # the next period
        self._left[seat] = max(left, 0.0), max(moves - 1, 0)


def _number(word: str) -> float:
    if not SECONDS.fullmatch(word):
        raise BadInput(f"syntax error: '{shorten(word)}' is not a time or a number of moves")
    return float(word)
