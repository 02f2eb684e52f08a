"""What the registry knows of a game before any of its code is loaded: names, options, help, and where each part is.

An `Entry` stands in the `__init__.py` of a game's room, which imports nothing heavy; so `ludus --help`, `ludus games`
and the refusal of a bad option need no JAX. Parts are strings, "module:name" or "module", loaded when asked for.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ludus.errors import BadInput, shorten

Value = int | str | bool


@dataclass(frozen=True)
class Option:
    """Something that may be chosen when a game is made; its type is that of its default."""

    name: str
    default: Value
    help: str
    low: int = 0  # of a whole number
    high: int = 10**9
    choices: tuple[str, ...] = ()  # of a text
    free: bool = False  # whether an agent that has learned the game under one value plays it under any
    size: bool = False  # whether it is the size of the board, of which some networks play any

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or keyword.iskeyword(self.name):  # it is a field of the game and a parameter
            raise ValueError(f"an option's name is one that Python takes for a variable, not '{self.name}'")
        if type(self.default) not in (bool, int, str):
            raise ValueError(f"the default of the option '{self.name}' is a whole number, a text, or true or false")

    def read(self, game: str, text: str) -> Value:
        """A value typed by hand."""
        if isinstance(self.default, bool):
            if text.lower() not in ("true", "false"):
                raise BadInput(f"{game}: {self.name}='{shorten(text)}' is not true or false.")
            return text.lower() == "true"
        if isinstance(self.default, int):
            digits = text.removeprefix("-").removeprefix("+")
            if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18):
                raise BadInput(f"{game}: {self.name}='{shorten(text)}' is not a whole number.")
            return int(text)
        return text

    def check(self, game: str, value: Any) -> None:
        """Refuse a value that the game cannot be made with."""
        if type(value) is not type(self.default):
            kind = {bool: "true or false", int: "a whole number", str: "a text"}[type(self.default)]
            raise BadInput(f"{game}: {self.name} is {kind}, not {value!r}.")
        if isinstance(value, int) and not isinstance(value, bool) and not self.low <= value <= self.high:
            raise BadInput(f"{game}: {self.name} goes from {self.low:,} to {self.high:,}, so it cannot be {value}.")
        if isinstance(value, str) and self.choices and value not in self.choices:
            raise BadInput(f"{game} has no {self.name} '{shorten(value)}'; there are {', '.join(self.choices)}.")


def ply_cap(default: int, free: bool = False) -> Option:
    return Option("cap", default, "Plies after which a game is stopped.", low=1, high=1_000_000, free=free)


@dataclass(frozen=True)
class Entry:
    """One game of the registry. Of the parts only the rules must be there."""

    name: str
    about: str  # a line for people
    room: str  # its package; there lie `guide.txt`, its rules for people, and in `shipped` the agents that come with it
    seats: tuple[str, ...]
    actions: int  # under the default options
    rules: str
    options: tuple[Option, ...] = ()
    levels: tuple[str, ...] = ()  # of the puzzles that it makes, the easiest first
    solved: str = ""  # a sentence: how positions are solved, and under which options
    solvers: tuple[str, ...] = ()  # agents that need no training, at least under some options: "perfect", ...
    notation: str | None = None  # `check(text, **options)` refuses a position that cannot be read, without JAX
    board: str | None = None  # `geometry`, `show` and `way`: the board to look at and to touch (`core/board.py`)
    protocol: str | None = None  # how it is talked about with other programs: a `core.dialect.Dialect`
    reference: str | None = None  # slow rules on text, sharing no code: the judge of the laws and a peer of the bench
    twin: str | None = None
    features: str | None = None
    taken: str | None = None  # `(game, state)` to what each seat has taken from the other so far
    rewards: str | None = None  # `(game, before, after)` to what the mover gains by a move, beyond the game's result
    patterns: str | None = None  # numbered patterns that a position shows: a `networks.Patterns`
    certain: str | None = None  # `(game, state, seconds)` to a move that wins and the moves worth a look; or None, each
    lattice: str | None = None  # `planes` and `lattice`: a board of hexagons, for a network that plays any size
    starts: str | None = None  # `(game)` to first positions that a learner may begin games at (every leaf [N, ...])
    evaluation: str | None = None
    orders: str | None = None  # in which moves are tried by a search: a dict of `search.order.Order`
    puzzles: str | None = None  # `make(game, level, count, seed, pieces)` to `play.puzzles.Puzzle`s, and `measure`
    lessons: str | None = None  # `(game, seed, rows, width, progress)` to positions with whether they can be solved
    truth: str | None = None
    unsolved: str | None = None  # `(**options)` to why nothing can be solved, or None; it needs no JAX
    recipes: str | None = None
    study: str | None = None
    peers: str | None = None
    demo: str | None = None
    renamed: tuple[tuple[str, str], ...] = ()  # learners and recipes that once had another name: (then, now)

    @property
    def defaults(self) -> dict[str, Value]:
        return {option.name: option.default for option in self.options}

    def option(self, name: str) -> Option:
        for option in self.options:
            if option.name == name:
                return option
        has = f"its options are {', '.join(self.defaults)}" if self.options else "it has no options"
        raise BadInput(f"{self.name} has no option '{shorten(name)}'; {has}.")

    def check(self, **options: Any) -> None:
        """Refuse options that the game does not have, or values that it cannot be made with."""
        for name, value in options.items():
            self.option(name).check(self.name, value)

    def filled(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """All its options: those given, and the defaults of the others."""
        self.check(**options)
        return self.defaults | dict(options)

    def binding(self, options: Mapping[str, Any], scales: bool = False) -> dict[str, Any]:
        """Of these options, those that an agent which has learned the game under them is bound to: one that scales, not
        to the size of the board.
        """
        free = {option.name for option in self.options if option.free or (scales and option.size)}
        return {name: value for name, value in options.items() if self.option(name).name not in free}
