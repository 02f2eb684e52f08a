"""What the commands share: the options that set up a game, numbers, and output."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, Token

from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game

#: A whole number, strictly: no 2.7, no 1e3, and none beyond any use.
WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def _wholes(type_: Any, tokens: Sequence[Token]) -> list[int]:
    for token in tokens:
        if not WHOLE.fullmatch(token.value):
            raise BadInput(f"'{token.value}' is not a whole number")
    return [int(token.value) for token in tokens]


def _whole(type_: Any, tokens: Sequence[Token]) -> int:
    return _wholes(type_, tokens)[0]


Whole = Annotated[int, Parameter(converter=_whole)]
Wholes = Annotated[list[int], Parameter(converter=_wholes, consume_multiple=(1, 1000), negative="")]
Name = Annotated[str, Parameter(help="A game's name; 'ludus games' lists them.")]
TheirGame = Annotated[str, Parameter(help="The game, for agents that play any.")]
Seed = Annotated[Whole, Parameter(help="What chance begins from.")]
Position = Annotated[str, Parameter(help="Begin at this position, written as in the game's notation.")]
Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Json = Annotated[Flag, Parameter(name="--json", help="Print one JSON document instead.")]


def check_range(what: str, value: float, low: float, high: float) -> None:
    """Refuse a number outside its range."""
    if not low <= value <= high:  # so written, it refuses nan too
        raise BadInput(f"{what} goes from {low} to {high}, and {value} does not lie there.")


def check_folder(what: str, folder: Path) -> None:
    """Refuse a folder that could not be made, before any work is done for it."""
    for path in (folder, *folder.parents):
        if path.exists() and not path.is_dir():
            raise BadInput(f"{what}: '{path}' is a file, where a folder is wanted.")


@Parameter(name="*", group="Game options")
@dataclass(frozen=True, kw_only=True)
class GameOptions:
    """How a game is set up. An option that the game does not have is refused."""

    size: Whole | None = None
    """Cells along a side of the board; with a position, its rows say."""

    layout: str | None = None
    """The start: standard, belgian-daisy, ..."""

    rules: str | None = None
    """The rule set: paper, solo, ..."""

    swap: bool | None = None
    """Whether the second player may take over the first move."""

    set: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = ()
    """Any option of the game, as NAME=VALUE; may be repeated."""

    def given(self, game: type[Game]) -> dict[str, Any]:
        """The options that were given, by name, each of its right type."""
        named = {name: getattr(self, name) for name in ("size", "layout", "rules", "swap")}
        options = {name: value for name, value in named.items() if value is not None}
        types = {field.name: str(field.type) for field in game.options()}
        for text in self.set:
            name, equals, value = text.partition("=")
            name = name.strip().replace("-", "_")
            if not equals:
                raise BadInput(f"--set '{text}' is not NAME=VALUE, like --set size=5.")
            if name in options:
                raise BadInput(f"the option '{name}' can be given only once.")
            options[name] = _convert(name, value.strip(), types.get(name, "str"))
        return options

    def setup(self, name: str, position: str | None = None) -> tuple[Game, Any]:
        """The game, and the state at this position (None without one). Rows tell the size, if nothing else does."""
        from ludus.games import GAMES, make_game

        given = self.given(GAMES[name]) if name in GAMES else {}
        game = make_game(name, **given)
        if position is None:
            return game, None
        if "size" not in given and any(field.name == "size" for field in game.options()):
            game = make_game(name, **given, size=size_of(position))
        return game, game.parse(position)


NO_OPTIONS = GameOptions()


def _convert(name: str, value: str, kind: str) -> str | int | bool:
    """A value typed by hand, for an option declared as `int`, `bool` or `str` (perhaps `int | None`)."""
    kinds = re.findall(r"\w+", kind)
    if "bool" in kinds:
        if value.lower() not in ("true", "false"):
            raise BadInput(f"--set {name}='{value}' is not true or false.")
        return value.lower() == "true"
    if "int" in kinds:
        if not WHOLE.fullmatch(value):
            raise BadInput(f"--set {name}='{value}' is not a whole number.")
        check_range(f"--set {name}", int(value), 1, 10**9)
        return int(value)
    return value


def size_of(position: str) -> int | None:
    """How many rows a position has: those between slashes, or those of a square written in one piece."""
    board = (position.split() or [""])[0]
    if "/" in board:
        return board.count("/") + 1
    side = math.isqrt(len(board))
    return side if side > 1 and side * side == len(board) else None


def print_json(document: Mapping[str, Any]) -> None:
    """The one JSON document of a command."""
    print(json.dumps(document, allow_nan=False))


def print_progress(done: int, total: int) -> None:
    """How many games have been played, on a terminal's stderr."""
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        print(f"\r{done:,} of {total:,} games", end=end, file=sys.stderr, flush=True)


def print_table(columns: Iterable[str], rows: Iterable[Iterable[str]], right: Sequence[str] = ()) -> None:
    """A table for people; the columns named in `right` hold numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    cells = [tuple(row) for row in rows]
    name = max((len(word) for row in cells for word in row[0].split()), default=0)  # kept whole, however narrow
    for place, column in enumerate(columns):
        justify = "right" if column in right else "left"
        table.add_column(column, justify=justify, overflow="fold", min_width=None if place else name)
    for row in cells:
        table.add_row(*row)
    Console(markup=False, highlight=False).print(table)
