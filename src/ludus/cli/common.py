"""What the commands share: the options that set up a game, numbers, and output."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shlex
import sys
import textwrap
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, Token

from ludus import games as registry
from ludus.core import compiling
from ludus.core.text import shown
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.entry import Entry
    from ludus.core.game import Game
    from ludus.play.played import Fault

#: Options of commands, which no game can have for itself but by --set.
RESERVED = {"against", "all", "depth", "divide", "epsilon", "every_defence", "exact", "file", "game", "games", "help"}
RESERVED |= {"json", "lanes", "limit", "out", "position", "recipe", "resume", "seasons", "seed", "set", "side"}
RESERVED |= {"from", "minutes", "moves", "openings", "quiet", "tensorboard", "version", "with"}
RESERVED |= {"evaluation", "keep", "ladder", "load", "nodes", "proof", "search", "seconds", "workers"}
RESERVED |= {"alpha", "anchor", "batch", "beta", "curve", "elo0", "elo1", "sprt", "within"}
RESERVED |= {"benchmark", "best_first", "count", "daily", "level", "order", "table", "tree"}

LIVE_SECONDS, QUIET_SECONDS = 1.0, 10.0  # between two reports of long work: in a terminal, and where none shows them
SILENT_SECONDS = 10.0  # without a word, after which it says that it is still at work

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


class Watching:
    """Says on stderr how long work is getting on: on a terminal all the time, else now and then. As a context it also
    says how long nothing has been told, and on a terminal what is compiled meanwhile. What is `passing` is for a
    terminal alone, and leaves nothing there.
    """

    def __init__(self, what: str = "", quiet: bool = False, passing: bool = False) -> None:
        self._what, self._live = shown(what), sys.stderr is not None and sys.stderr.isatty()
        self._passing, self._quiet = passing, quiet or (passing and not self._live)
        self._open, self._said, self._count, self._width = False, 0.0, "", 60
        self._compiled, self._told = "", contextlib.ExitStack()
        self._begin = self._heard = time.monotonic()
        self._over, self._saying = threading.Event(), threading.Lock()

    def __call__(self, sentence: str, last: bool) -> None:
        """How far it has come; the last of its kind is always said, and nothing is not."""
        if not sentence:
            return
        sentence = self._what = shown(sentence)
        self._compiled, self._heard = "", time.monotonic()
        if self._live or last or self._heard - self._said >= QUIET_SECONDS:
            self._say(sentence, last)

    def games(self, done: int, total: int) -> None:
        """So many of so many games have been played; where no terminal shows it, nothing of a short match."""
        now, self._count = time.monotonic(), f", {done:,} of {total:,} games"
        if self._live or (now - max(self._begin, self._said) >= QUIET_SECONDS and done < total):
            self._heard = now
            self._say(f"{done:,} of {total:,} games", self._live and done == total)

    def forfeit(self, fault: Fault) -> None:
        """A player has lost a game by making no move."""
        self._say(shown(f"game {fault.game + 1:,} is forfeited: {fault.why}"), True)

    def __enter__(self) -> Watching:
        if not self._quiet:
            threading.Thread(target=self._beat, daemon=True).start()
            if self._live:
                self._told.enter_context(compiling.told(self._compiles))
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Leave the line that was being written; nothing is said of itself from here on."""
        self._told.close()
        with self._saying:
            self._over.set()
        if self._open and self._passing:
            with contextlib.suppress(OSError):
                print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)
        elif self._open:
            self._say("", True)

    def _compiles(self, what: str) -> None:
        """It is news while it goes on; afterwards the work is what is being done again."""
        self._compiled = what and f"compiling, once on this machine: {what}"
        if what:
            self._heard = time.monotonic()
            self._say(self._compiled, False, beat=True)

    def _beat(self) -> None:
        pause = LIVE_SECONDS if self._live else SILENT_SECONDS
        while not self._over.wait(pause):
            if time.monotonic() - self._heard >= pause:
                doing = self._compiled or f"{self._what}{self._count}"
                self._say(f"{doing} ({time.monotonic() - self._begin:.0f} s so far)", False, beat=True)

    def _say(self, sentence: str, last: bool, beat: bool = False) -> None:
        if self._quiet or sys.stderr is None:  # which is None where it was closed
            return
        with self._saying, contextlib.suppress(OSError):  # nobody listens: no reason to stop working
            if beat and self._over.is_set():
                return
            self._said = time.monotonic()
            if self._live:
                self._width = max(60, len(sentence), self._width if self._open else 0)  # of what is written over
                print(
                    f"\r{sentence:<{self._width}}" if sentence else "",
                    end="\n" if last else "",
                    file=sys.stderr,
                    flush=True,
                )
                self._open = not last
            else:
                print(sentence, file=sys.stderr, flush=True)


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
