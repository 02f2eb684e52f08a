"""What the commands share: the options that set up a game, numbers, and output."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, Token

from ludus import games as registry
from ludus.core.text import shown
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.entry import Entry
    from ludus.core.game import Game

#: Options of commands, which no game can have for itself but by --set.
RESERVED = {"against", "all", "depth", "divide", "epsilon", "every_defence", "exact", "file", "game", "games", "help"}
RESERVED |= {"json", "lanes", "limit", "out", "position", "recipe", "resume", "seasons", "seed", "set", "side"}
RESERVED |= {"from", "minutes", "moves", "openings", "quiet", "tensorboard", "version", "with"}
RESERVED |= {"evaluation", "keep", "ladder", "load", "nodes", "proof", "search", "seconds", "workers"}
RESERVED |= {"alpha", "anchor", "batch", "beta", "curve", "elo0", "elo1", "sprt", "within"}
RESERVED |= {"benchmark", "best_first", "count", "daily", "level", "order", "table", "tree"}

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
Seed = Annotated[Whole, Parameter(help="Random seed.")]
Position = Annotated[str, Parameter(help="Begin at this position, written as in the game's notation.")]
Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Json = Annotated[Flag, Parameter(name="--json", help="Print one JSON document instead.")]
Quiet = Annotated[Flag, Parameter(help="Do not say on stderr how it is getting on.")]


def check_range(what: str, value: float, low: float, high: float) -> None:
    """Refuse a number outside its range."""
    if not low <= value <= high:  # so written, it refuses nan too
        raise BadInput(f"{what} goes from {low} to {high}, and {value} does not lie there.")


def check_folder(what: str, folder: Path) -> None:
    """Refuse a folder that could not be made or written to, before any work is done for it."""
    try:
        there = next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))
    except OSError as error:
        raise BadInput(f"{what}: '{folder}' cannot be looked at: {error.strerror}.") from error
    if not there.is_dir():
        raise BadInput(f"{what}: '{there}' is a file, where a folder is wanted.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise BadInput(f"{what}: the folder '{there}' cannot be written to.")


@dataclass(frozen=True, kw_only=True)
class _GameOptions:
    """How a game is set up; below, one field more for every option that some game has."""

    set: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = ()
    """Any option of the game, as NAME=VALUE; may be repeated."""

    def given(self, entry: Entry) -> dict[str, Any]:
        """The options that were given, by name, each of its right type; refused where the game has no such option."""
        options = {name: value for name, value in vars(self).items() if name != "set" and value is not None}
        for text in self.set:
            name, equals, value = text.partition("=")
            name = name.strip().replace("-", "_")
            if not equals:
                raise BadInput(f"--set '{text}' is not NAME=VALUE, like --set size=5.")
            if name in options:
                raise BadInput(f"the option '{name}' can be given only once.")
            options[name] = entry.option(name).read(entry.name, value.strip())
        entry.check(**options)
        return options

    def setup(self, name: str, position: str | None = None) -> tuple[Game, Any]:
        """The game, and the state at this position (None without one). Rows tell the size, if nothing else does."""
        known = registry.entry(name)
        given = self.given(known)
        if position is not None and "size" not in given and "size" in known.defaults:
            size = size_of(position)
            if size is not None:
                known.check(size=size)
                given["size"] = size
        notation = registry.part(name, "notation")
        if position is not None and notation is not None:  # a bad position is refused before anything heavy is loaded
            notation.check(position, **known.filled(given))
        game = registry.make_game(name, **given)
        return game, None if position is None else game.parse(position)


def _fields() -> list[tuple[str, Any, Any]]:
    """A field for every option of every game: its type is the option's, its help all that they say of it."""
    found: dict[str, tuple[type, dict[str, list[str]]]] = {}
    for game in registry.names():
        for option in registry.entry(game).options:
            kind, texts = found.setdefault(option.name, (type(option.default), {}))
            taken = option.name in RESERVED or hasattr(_GameOptions, option.name)
            if kind is type(option.default) and not taken:  # else it can be given by --set alone
                texts.setdefault(option.help, []).append(game)
    types = {int: Whole, bool: bool, str: str}
    return [
        (
            name,
            Annotated[
                types[kind] | None,
                Parameter(help=" ".join(f"{text} ({', '.join(games)})" for text, games in texts.items())),
            ],
            field(default=None),
        )
        for name, (kind, texts) in found.items()
        if texts
    ]


if TYPE_CHECKING:
    GameOptions = _GameOptions
else:
    _made = make_dataclass(
        "GameOptions",
        _fields(),
        bases=(_GameOptions,),
        frozen=True,
        kw_only=True,
        namespace={"__module__": __name__},  # else it passes for one of Python's own
    )
    GameOptions = Parameter(name="*", group="Game options")(_made)
NO_OPTIONS = GameOptions()


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


def note_namesakes(built_in: Iterable[str]) -> None:
    """Say which of these names of built-in players the folder of a run has too."""
    for name in dict.fromkeys(built_in):
        if os.path.exists(os.path.join(name, "config.json")) and sys.stderr is not None:
            said = f"ludus: '{name}' is the built-in player; the folder of that name is {shlex.quote(f'./{name}')}."
            print(shown(said), file=sys.stderr)


def print_table(columns: Iterable[str], rows: Iterable[Iterable[str]], right: Sequence[str] = ()) -> None:
    """A table for people; the columns named in `right` hold numbers. Where its words do not fit, a list."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    head, cells = tuple(columns), [tuple(map(shown, row)) for row in rows]
    console = Console(markup=False, highlight=False)
    widths = _widths([head, *cells], console.width - 3 * len(head))  # so much stands between columns
    if widths is None:
        return print("\n".join(_as_list(head, cells, console.width)))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column, width in zip(head, widths, strict=True):
        table.add_column(column, justify="right" if column in right else "left", width=width)
    for row in cells:
        table.add_row(*row)
    with console.capture() as captured:  # printed by Rich, a closed pipe would end the process its own way
        console.print(table)
    print(captured.get(), end="")


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """How wide each column is so that no word is broken or lost (Rich may crop one); None where there is no room."""
    columns = list(zip(*rows, strict=True))
    wanted = [max(map(len, column)) for column in columns]
    widths = [max([1, *(len(word) for text in column for word in text.split())]) for column in columns]
    if sum(widths) > room:
        return None
    for _ in range(room - sum(widths)):  # to the column that would be folded most
        most = max(range(len(widths)), key=lambda k: wanted[k] / widths[k])
        widths[most] += wanted[most] > widths[most]
    return widths


def _as_list(head: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> Iterable[str]:
    """The same, line by line: each row under its first cell, as many lines as it takes."""
    for row in cells:
        for place, (name, text) in enumerate(zip(head, row, strict=True)):
            line = f"{name}: {text or '-'}" if name else text
            indent = "  " if place else ""
            yield textwrap.fill(
                line, max(width, 10), initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
            )
