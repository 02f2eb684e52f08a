"""The registry: which games there are, and where their parts are. See CONTRIBUTING.md for adding a game.

A game is found by its entry, "module:name". Ours are listed here; another package adds its own through the entry-point
group `ludus.games`. Nothing heavy is loaded before a part is asked for.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.core.entry import Entry
from ludus.errors import BadInput, shorten

if TYPE_CHECKING:
    from ludus.core.game import Game, Rules

ROOMS = {
    "lgame": "ludus.games.lgame:ENTRY",
    "hex": "ludus.games.hex:ENTRY",
    "abalone": "ludus.games.abalone:ENTRY",
    "solitaire-chess": "ludus.games.solitaire_chess:ENTRY",
}
GROUP = "ludus.games"


def load(where: str) -> Any:
    """The object at "module:name", or the module itself."""
    module, _, name = where.partition(":")
    found = importlib.import_module(module)
    return getattr(found, name) if name else found


@functools.cache
def rooms() -> dict[str, str]:
    """The place of each game's entry, by name; another package cannot take a name of ours."""
    others = {point.name: point.value for point in importlib.metadata.entry_points(group=GROUP)}
    return ROOMS | {name: where for name, where in sorted(others.items()) if name not in ROOMS}


def left_out() -> list[str]:
    """Why games of other packages are missing from `names`: a sentence each."""
    sentences = []
    for point in importlib.metadata.entry_points(group=GROUP):
        if point.name in ROOMS and point.value != ROOMS[point.name]:
            sentences.append(f"'{point.value}' calls its game '{point.name}', a name that is taken; it is left out.")
    for name in rooms():
        try:
            entry(name)
        except BadInput as error:
            sentences.append(str(error))
    return sentences


def names() -> list[str]:
    """The games that can be loaded; broken ones of other packages are left out."""
    found = []
    for name in rooms():
        try:
            entry(name)
        except BadInput:
            continue
        found.append(name)
    return found


@functools.cache
def entry(name: str) -> Entry:
    """The entry of a game."""
    if name not in rooms():
        raise BadInput(f"there is no game '{shorten(name)}'; there are {', '.join(names())}.")
    found = _try_load(name, rooms()[name])
    if not isinstance(found, Entry) or found.name != name:
        raise BadInput(f"'{rooms()[name]}' is not the entry of a game called '{name}'.")
    _try_load(name, found.room)
    return found


def _try_load(name: str, where: str) -> Any:
    """Load something of a game; another package's game may fail in any way."""
    try:
        return load(where)
    except Exception as error:
        why = shorten(str(error)).rstrip(".") or type(error).__name__
        raise BadInput(f"the game '{name}' cannot be loaded from '{where}': {why}.") from error


def part(game: str | Rules, kind: str) -> Any:
    """A part of a game by its kind ("twin", "truth", ...), or None where it has none."""
    name = game if isinstance(game, str) else game.name
    if not name:  # rules without an entry: a game as a table, a test's game
        return None
    where = getattr(entry(name), kind)
    return _try_load(name, where) if where else None


def refuse_unsolved(name: str, options: dict[str, Any]) -> None:
    """Refuse games that cannot be solved under these options, before anything heavy is loaded."""
    found = part(name, "unsolved")
    why = found(**entry(name).filled(options)) if found else None
    if why:
        raise BadInput(why)


def former_name(name: str) -> str:
    """The present name of a learner or recipe; games list former names of theirs."""
    renamed = {old: new for game in names() for old, new in entry(game).renamed}
    return renamed.get(name, name)


def make_game(name: str, **options: Any) -> Game:
    """A game by its name, with the options that are not None."""
    given = {option: value for option, value in options.items() if value is not None}
    entry(name).check(**given)
    rules = part(name, "rules")
    try:
        return rules(**given)
    except TypeError as error:  # a missing method, or an option that its rules do not have
        why = shorten(str(error)).rstrip(".")
        raise BadInput(f"the game '{name}' cannot be made: {why}.") from error


def shipped_folder(name: str) -> Path:
    """The folder of a game's shipped agents: in its package, or beside its module."""
    return _folder(name) / "shipped"


def _folder(name: str) -> Path:
    room = load(entry(name).room)
    return Path(room.__path__[0] if hasattr(room, "__path__") else Path(room.__file__).parent)


def guide(name: str) -> str:
    """How a game is played and written, in words: its `guide.txt`, or a line about it."""
    known = entry(name)
    try:
        return (_folder(name) / "guide.txt").read_text(encoding="utf-8").rstrip()
    except (OSError, UnicodeDecodeError):
        more = "It brings no page of rules; while you play it, the word moves shows how one is written."
        return f"{known.name}: {known.about}\n{more}"


def shipped(game: str | None = None) -> list[str]:
    """The names of the agents that are shipped with a game, or with all games: "GAME/NAME"."""
    return [
        f"{name}/{config.parent.name}"
        for name in ([game] if game else names())
        for config in sorted(shipped_folder(name).glob("*/config.json"))
    ]
