"""Options that several commands have: numbers with their ranges, and those that set up a game."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, Token

from ludus import games as registry
from ludus.errors import BadInput, shorten
from ludus.workbench.limits import MAX_GAMES as MAX_GAMES
from ludus.workbench.limits import MAX_OPENING, MAX_SEED

if TYPE_CHECKING:
    from ludus.core.entry import Entry
    from ludus.core.game import Game

#: Options of commands. A game's option of the same name can only be given by --set.
RESERVED = {"against", "all", "depth", "divide", "epsilon", "every_defence", "exact", "file", "game", "games", "help"}
RESERVED |= {"json", "lanes", "limit", "out", "position", "recipe", "resume", "seasons", "seed", "set", "side"}
RESERVED |= {"from", "minutes", "moves", "openings", "quiet", "tensorboard", "version", "with"}
RESERVED |= {"evaluation", "keep", "ladder", "load", "nodes", "proof", "search", "seconds", "workers"}
RESERVED |= {"alpha", "anchor", "batch", "beta", "curve", "elo0", "elo1", "sprt", "within"}
RESERVED |= {"benchmark", "best_first", "count", "daily", "level", "order", "table", "tree"}

#: A whole number, strictly: no 2.7, no 1e3, and at most 18 digits.
WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
MAX_PLAY_SEED = 2**32 - 1  # of a single game, as the page has it too


def _check(value: float, low: float, high: float) -> None:
    """Refuse a number outside its range. The message goes on after the option's name."""
    if not low <= value <= high:  # written so that nan is refused too
        raise BadInput(f"goes from {low} to {high}, and {value} does not lie there")


def _read_whole(text: str) -> int:
    if not WHOLE.fullmatch(text):
        raise BadInput(f"'{text}' is not a whole number")
    return int(text)


def whole(low: int, high: int, help: str | None = None, *, even: bool = False, **more: Any) -> Parameter:
    """An option that is a whole number in this range."""

    def read(type_: Any, tokens: Sequence[Token]) -> int:
        value = _read_whole(tokens[0].value)
        _check(value, low, high)
        if even and value % 2:
            raise BadInput(f"{value} is odd, and games come in pairs; give an even number")
        return value

    return Parameter(converter=read, help=help, **more)


def wholes(low: int, high: int, help: str) -> Parameter:
    """An option that is one or more whole numbers in this range."""

    def read(type_: Any, tokens: Sequence[Token]) -> list[int]:
        values = [_read_whole(token.value) for token in tokens]
        for value in values:
            _check(value, low, high)
        return values

    return Parameter(converter=read, consume_multiple=(1, 1000), negative="", help=help)


def number(low: float, high: float, help: str) -> Parameter:
    """An option that is a number in this range."""

    def read(type_: Any, tokens: Sequence[Token]) -> float:
        try:
            value = float(tokens[0].value)
        except ValueError:
            raise BadInput(f"'{tokens[0].value}' is not a number") from None
        _check(value, low, high)
        return value

    return Parameter(converter=read, help=help)


@dataclass(frozen=True, kw_only=True)
class OptionRecord:
    """Options of a command that belong together, as one parameter: a subclass is decorated `@Parameter(name="*")`."""

    def given(self) -> list[str]:
        """The options that are not at their defaults, as they are typed."""
        changed = [field.name for field in fields(self) if getattr(self, field.name) != field.default]
        return [f"--{name.replace('_', '-')}" for name in changed]


Whole = Annotated[int, Parameter(converter=lambda type_, tokens: _read_whole(tokens[0].value))]
Name = Annotated[str, Parameter(help="A game's name; 'ludus games' lists them.")]
TheirGame = Annotated[str | None, Parameter(help="The game, for agents that play any.")]
Seed = Annotated[int, whole(0, MAX_SEED, "Random seed.")]
Position = Annotated[str | None, Parameter(help="Begin at this position, written as in the game's notation.")]
OPENINGS = (
    "Random plies at the beginning of a game, the same with both seats. [default: as few as make games differ, where "
    "neither player moves by chance]"
)
Openings = Annotated[int | None, whole(0, MAX_OPENING, OPENINGS)]
Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Json = Annotated[Flag, Parameter(name="--json", help="Print one JSON document instead.")]
Quiet = Annotated[Flag, Parameter(help="Print no progress on stderr.")]


def is_puzzle(game: str) -> bool:
    """Whether the game is a puzzle for one, searched by trying moves in some order."""
    known = registry.entry(game)
    return len(known.seats) == 1 and known.orders is not None


def check_level(known: Entry, level: str) -> None:
    """Refuse a level that this game's puzzles do not have."""
    if level not in known.levels:
        raise BadInput(f"there is no level '{shorten(level)}'; there are {', '.join(known.levels)}.")


# --- options of games ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _GameOptions:
    """How a game is set up. `GameOptions` below adds one field for every option of every game."""

    set: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = ()
    """Any option of the game, as NAME=VALUE; may be repeated."""

    def given(self, entry: Entry) -> dict[str, Any]:
        """The options that were given, by name, each with its type; refused where the game has no such option."""
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
        """The game, and the state at this position (None without one). If no size is given, the position's rows tell
        it.
        """
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
    """A field for every option of every game, with the option's type and the help texts of all games that have it."""
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
