"""Answers about one position (the value of each move) and about all positions of a game, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ludus.core.game import Game, compiled
from ludus.core.results import Picture, Result, Sheet, escaped

VALUES: dict[int | None, str | None] = {1: "win", 0: "draw", -1: "loss", None: None}
SHOWN = 8  # moves listed for each value


@dataclass(frozen=True)
class MoveValue:
    """A move, its value for the mover (None: not known), and the plies to the end of the game with it."""

    move: str
    value: int | None
    plies: int | None = None


@dataclass(frozen=True)
class SearchCost:
    """The cost of a search."""

    nodes: int
    seconds: float
    gave_up: bool
    rests_on: str | None = None  # a file of earlier proofs, which was trusted


@dataclass(frozen=True, repr=False)
class Values(Result):
    """The value of a position for its mover, and of every move there, the best first.

    `plies` is the length of the game if the winner plays for the fastest win and the loser for the slowest loss. It is
    None for an endless draw, and after a search, which does not compute it.
    """

    game: Game
    state: Any
    value: int | None  # 1, 0, -1; None: not known
    moves: Sequence[MoveValue]
    plies: int | None = None
    search: SearchCost | None = None
    picture: str = ""  # drawn instead of the plain board

    @property
    def winner(self) -> str | None:
        if not self.value:
            return None
        mover = int(compiled(self.game).player(self.state))
        return self.game.seats[mover if self.value > 0 else 1 - mover]

    @property
    def winning_moves(self) -> list[str]:
        return sorted(move.move for move in self.moves if move.value == 1)

    def to_json(self) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "game": self.game.name,
            "position": self.game.format(self.state),
            "value": VALUES[self.value],
        }
        if self.search:
            entry |= vars(self.search)
            entry["moves"] = [{"move": move.move, "value": VALUES[move.value]} for move in self.moves]
        else:
            entry["plies"] = self.plies
            entry["moves"] = [
                {"move": move.move, "value": VALUES[move.value], "plies": move.plies} for move in self.moves
            ]
        return entry | {"winner": self.winner, "winning_moves": self.winning_moves}

    def parts(self) -> Iterator[str | Sheet]:
        yield from self.lines()

    def sheet(self) -> Sheet:
        """Each move and its value, the best first, as a table."""
        return Sheet(("move", "value"), [(move.move, self.in_words(move.value, move.plies)) for move in self.moves])

    def to_svg(self) -> str:
        return self.game.svg(self.state)

    def _repr_html_(self) -> str:
        summary = f"{self.summary()} for the side to move, {len(self.moves)} moves"
        return f"<p>{escaped(summary)}</p>{Picture(self.to_svg()).to_html()}{self.sheet().to_html()}"

    def summary(self) -> str:
        return self.in_words(self.value, self.plies)

    def move_lines(self) -> list[str]:
        """Each move and its value, the best first."""
        width = max((len(move.move) for move in self.moves), default=0)
        return [f"    {move.move:<{width}}  {self.in_words(move.value, move.plies)}" for move in self.moves]

    def in_words(self, value: int | None, plies: int | None) -> str:
        if self.search:
            return VALUES[value] or "not known"
        ends = "without end" if plies is None else f"in {plies} {'ply' if plies == 1 else 'plies'}"
        return f"{VALUES[value]} {ends}"

    def lines(self, every_move: bool = False) -> list[str]:
        lines = [self.picture or self.game.draw(self.state)]
        lines.append(f"{self.summary()} for the side to move, {len(self.moves)} moves")
        for value in () if every_move else (1, 0, -1, None):
            moves = [move.move for move in self.moves if move.value == value]
            if moves:
                more = ", ..." if len(moves) > SHOWN else ""
                lines.append(f"{len(moves):>5} {VALUES[value] or 'not known'}: {', '.join(moves[:SHOWN])}{more}")
        if every_move:
            lines += self.move_lines()
        if self.search:
            gave_up = "gave up after " if self.search.gave_up else ""
            lines.append(f"{gave_up}{self.search.nodes:,} positions, {self.search.seconds:.1f} s")
            if self.search.rests_on:
                lines.append(f"It rests on '{self.search.rests_on}': the proofs there were trusted, not checked again.")
        return lines


@dataclass(frozen=True, repr=False)
class Count(Result):
    """Every position of a game, counted by value; lost ones also by the plies to their end."""

    game: Game
    positions: int
    win: int
    loss: int
    draw: int
    terminal: int
    max_moves: int
    mean_moves: float
    loss_plies: Mapping[int, int]

    def to_json(self) -> dict[str, Any]:
        entry = vars(self) | {"game": self.game.describe()}
        return entry | {"loss_plies": {str(plies): count for plies, count in self.loss_plies.items()}}

    def parts(self) -> Iterator[str | Sheet]:
        yield from self.lines()

    def summary(self) -> str:
        return f"{self.positions:,} positions"

    def lines(self, every_move: bool = False) -> list[str]:
        lines = []
        for name, value in self.to_json().items():
            if name == "loss_plies":
                value = ", ".join(f"{plies}: {count}" for plies, count in value.items())
            shown = {int: ",", float: ".2f"}.get(type(value), "")
            text = f"{value:{shown}}"
            lines.append(f"{name.replace('_', ' '):>12}  {text}")
        return lines
