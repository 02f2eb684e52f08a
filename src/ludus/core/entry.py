"""What the registry knows about a game before its code is loaded: names, options, help, and where each part is.

An `Entry` is in the `__init__.py` of a game's package, which imports nothing heavy, so `ludus --help`, `ludus games`
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
    """A choice when a game is made, such as its size; its type is that of the default."""

    name: str
    default: Value
    help: str
    low: int = 0  # of a whole number
    high: int = 10**9
    choices: tuple[str, ...] = ()  # of a text
    free: bool = False  # whether an agent trained with one value plays with any
    size: bool = False  # whether it is the size of the board; some networks play any size

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or keyword.iskeyword(self.name):  # it becomes a field and a parameter
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
        """Refuse a value of a wrong type or out of range."""
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
class OpponentLevel:
    """Whom a person meets at a level: an agent, what share of its moves is by chance, and the options of the game."""

    level: str  # easy, medium, hard or perfect: proved to give nothing away
    agent: str
    chance: float = 0.0
    options: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True)
class Entry:
    """One game of the registry. Of the parts, only the rules are required."""

    name: str
    about: str  # one line about the game
    room: str  # its package, with `guide.txt` (its rules in words) and `shipped` (the agents that come with it)
    seats: tuple[str, ...]
    actions: int  # under the default options
    rules: str
    options: tuple[Option, ...] = ()
    title: str = ""  # its proper name; without it, the name
    pitch: str = ""  # what it is about, for somebody who has never seen it; without it, `about`
    picture: str = ""  # a position under the default options that shows what it looks like
    opponents: tuple[OpponentLevel, ...] = ()  # whom a person may meet, the weakest first
    tour: str | None = None  # the first moves, shown to a person: a `core.tour.Tour`
    levels: tuple[str, ...] = ()  # of its puzzles, the easiest first
    solved: str = ""  # a sentence: how positions are solved, and under which options
    solvers: tuple[str, ...] = ()  # agents that need no training, under some options at least: "perfect", ...
    notation: str | None = None  # `check(text, **options)` refuses a position that cannot be read, without JAX
    board: str | None = None  # `geometry`, `show` and `way`: the board for a user interface (`core/board.py`)
    record: str | None = None  # reads and writes games in a format of their own (`core/record.py`), such as SGF
    protocol: str | None = None  # its text protocol with other programs: a `core.dialect.Dialect`
    reference: str | None = None  # slow rules on text that share no code with the rules: for tests and the bench
    twin: str | None = None
    features: str | None = None
    first_view: str | None = None  # `(game, state)` to the same pieces, as if the first player had just moved
    taken: str | None = None  # `(game, state)` to the pieces that each seat has taken from the other so far
    rewards: str | None = None  # `(game, before, after)` to a move's reward to its mover, beside the game's result
    patterns: str | None = None  # the numbered patterns of a position: a `networks.patterns.Patterns`
    certain: str | None = (
        None  # `(game, state, seconds)` to a proved win and the moves worth searching; either may be None
    )
    lattice: str | None = None  # `planes` and `lattice`: a board of hexagons, for networks that play any size
    chance: str | None = None  # `(lead, unit)` to the chance to win of a side that leads by so many pieces, or None
    starts: str | None = None  # `(game)` to the positions that training games may start at (every leaf [N, ...])
    evaluation: str | None = None
    orders: str | None = None  # move orderings for puzzle search: a dict of `search.puzzle.order.Order`
    order_names: tuple[str, ...] = ()  # their names, the default first
    puzzles: str | None = None  # `make(game, level, count, seed, pieces)` to `play.puzzles.Puzzle`s, and `measure`
    problems: str | None = None  # `problem(level, seed)` to a `play.puzzles.Problem`, a position where few moves win
    lessons: str | None = None  # `(game, seed, rows, width, progress)` to positions, and whether each can be solved
    truth: str | None = None
    unsolved: str | None = None  # `(**options)` to the reason why nothing can be solved, or None; without JAX
    recipes: str | None = None
    paper: str | None = None  # the figures of the paper that the game was studied in: a `study.Study`
    peers: str | None = None
    demo: str | None = None
    renamed: tuple[tuple[str, str], ...] = ()  # former names of learners and recipes: (then, now)

    @property
    def defaults(self) -> dict[str, Value]:
        return {option.name: option.default for option in self.options}

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats of its own that its games are written in, by name."""
        return () if self.record is None else (self.record.rpartition(".")[2],)

    def option(self, name: str) -> Option:
        for option in self.options:
            if option.name == name:
                return option
        has = f"its options are {', '.join(self.defaults)}" if self.options else "it has no options"
        raise BadInput(f"{self.name} has no option '{shorten(name)}'; {has}.")

    def check(self, **options: Any) -> None:
        """Refuse options that the game does not have, and bad values."""
        for name, value in options.items():
            self.option(name).check(self.name, value)

    def filled(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """All its options: the given ones, and defaults for the others."""
        self.check(**options)
        return self.defaults | dict(options)

    def binding(self, options: Mapping[str, Any], scales: bool = False) -> dict[str, Any]:
        """Of the options that an agent was trained with, those that it is bound to; one that scales plays any size."""
        free = {option.name for option in self.options if option.free or (scales and option.size)}
        return {name: value for name, value in options.items() if self.option(name).name not in free}
