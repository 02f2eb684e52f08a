"""A game at hand: moves are made and taken back as texts, for Python and notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.core.line import Ending, Line, fresh_start
from ludus.errors import BadInput, shorten

if TYPE_CHECKING:
    from ludus.core.game import Game


class Table:
    """A game under way, as `game.start()` gives it. Moves and positions are texts in the game's notation; what cannot
    be played is a `BadInput` that says why. As text it is the board; a notebook shows its picture.

    >>> import ludus
    >>> table = ludus.game("hex", size=3).start()
    >>> table.push("b2").push("a1").position
    'W../.B./... b'
    >>> table.turn, table.moves, len(table.legal())
    ('black', ['b2', 'a1'], 7)
    >>> table.undo()
    'a1'
    >>> print(table)
        a b c
      1 · · · 1
       2 · ● · 2
        3 · · · 3
    white ○ to move; ● joins top and bottom, ○ left and right
    """

    def __init__(self, game: Game, position: str | None = None, seed: int = 0) -> None:
        if position is None:
            state = fresh_start(game, _seed(seed))
        elif isinstance(position, str):
            state = game.parse(position)
        else:
            raise BadInput(f"a position of {game.name} to start from is a text, not {shorten(repr(position))}.")
        self._line = Line(game, state)

    @property
    def game(self) -> Game:
        return self._line.game

    @property
    def line(self) -> Line:
        """The positions and moves so far, as players are asked with them."""
        return self._line

    # --- what stands

    @property
    def position(self) -> str:
        """The position now, as text: `game.start(position)` begins there."""
        return self.game.format(self._line.state)

    @property
    def state(self) -> Any:
        """The position now, as the rules have it."""
        return self._line.state

    @property
    def turn(self) -> str:
        """The seat that is to move."""
        return self.game.seats[self._line.player()]

    @property
    def moves(self) -> list[str]:
        """The moves so far."""
        return self._line.moves()

    def legal(self) -> list[str]:
        """The legal moves; none once the game is over.

        >>> import ludus
        >>> ludus.game("hex", size=3).start("BWB/WBW/B.. w").legal()
        []
        """
        line = self._line
        return [] if self.over else [self.game.format_move(line.state, action) for action in line.legal()]

    @property
    def ending(self) -> Ending | None:
        """How the game ended: its result, a sentence, the results by seat. None while it goes on."""
        return self._line.ending()

    @property
    def over(self) -> bool:
        return self.ending is not None

    def result(self) -> str | None:
        """The seat that won, or "tie"; of a puzzle "solved" or "unsolved". None while the game goes on.

        >>> import ludus
        >>> ludus.game("hex", size=3).start().push("b1", "a1", "b2", "a2", "b3").result()
        'black'
        """
        ending = self.ending
        return None if ending is None else ending.result

    # --- what is done

    def push(self, *moves: str) -> Table:
        """Play these moves, one after the other; if one of them is not legal, none. It gives the table itself.

        >>> import ludus
        >>> ludus.game("hex", size=3).start().push("b2", "b2")
        Traceback (most recent call last):
        ludus.errors.BadInput: hex move 'b2': a stone stands on b2 already.
        """
        line = self._line
        before, undone = len(line.actions), list(line.undone)
        try:
            for move in moves:
                line.push(self._action(move))
        except BadInput:
            line.cut(before)
            line.undone[:] = undone
            raise
        return self

    def undo(self) -> str:
        """Take the last move back; the move."""
        line = self._line
        if not line.actions:
            raise BadInput("there is no move to take back.")
        move = line.moves()[-1]
        line.resigned = None
        line.cut(len(line.actions) - 1)
        return move

    def redo(self) -> str:
        """Make the move again that was taken back last; the move."""
        line = self._line
        if not line.undone:
            raise BadInput("there is no move to make again.")
        line.redo()
        return line.moves()[-1]

    def resign(self) -> Table:
        """The seat that is to move gives up. It gives the table itself."""
        if (ending := self.ending) is not None:
            raise BadInput(f"nobody can resign now: {ending.sentence}")
        self._line.resign()
        return self

    def copy(self) -> Table:
        """Another table with the same game so far. Moves here are not made there."""
        made = object.__new__(Table)
        made._line = self._line.copy()
        made._line.undone, made._line.resigned = list(self._line.undone), self._line.resigned
        return made

    def _action(self, move: str) -> int:
        line, game = self._line, self.game
        if not isinstance(move, str):
            raise BadInput(f"a move of {game.name} is a text, not {shorten(repr(move))}.")
        if (ending := line.ending()) is not None:
            said = ending.sentence[0].lower() + ending.sentence[1:]
            raise BadInput(f"{game.name} move '{shorten(move)}': the game is over: {said}")
        return game.parse_move(line.state, move)

    # --- how it is shown

    def __str__(self) -> str:
        """The board, with whose turn it is or how the game ended."""
        ending = self.ending
        board = self.game.draw(self._line.state)
        return board if ending is None else f"{board}\n{ending.sentence}"

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        return self.game.svg(self._line.state)


def _seed(seed: int) -> int:
    if type(seed) is not int or not 0 <= seed < 2**32:
        raise BadInput(f"the seed of a start is a whole number from 0 to {2**32 - 1}, not {shorten(repr(seed))}.")
    return seed
