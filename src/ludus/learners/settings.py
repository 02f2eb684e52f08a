"""What can be set in a recipe: the fields of a learner's config, what each takes, and values read from text or JSON.

Types, ranges and help come from the dataclass (`configs`).
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from ludus.errors import BadInput, shorten
from ludus.learners.configs import MAX_GAMES, Range

MAX_SEED = 2**31 - 1
MAX_LAYERS = 64


def check_games(games: int) -> None:
    """Refuse a number of games that is out of range."""
    if games < 1:
        raise BadInput(f"--games {games}: training takes at least one game.")
    if games > MAX_GAMES:
        raise BadInput(f"--games {games}: a run has at most {MAX_GAMES:,} games.")


def seconds_of(minutes: float | None) -> float:
    """The seconds that a run may take, infinitely many without a limit; refuses what is no number of minutes."""
    if minutes is None:
        return float("inf")
    if not 0 <= minutes < float("inf"):
        raise BadInput(f"--minutes {minutes}: give a number of minutes, from 0.")
    return 60 * minutes


@dataclass(frozen=True)
class Setting:
    """One field of a config."""

    name: str
    kind: Any  # int, float, bool, str, or int for each element of a tuple
    several: bool  # whether it is a tuple
    choices: tuple[Any, ...]  # of a Literal
    range: Range | None  # of a number
    help: str  # the comment beside the field

    @property
    def takes(self) -> str:
        """The values it takes, in words."""
        if self.choices:
            return f"one of {', '.join(map(str, self.choices))}"
        if self.kind is bool:
            return "true or false"
        if self.range is None:
            return "a text"
        reach = f"from {self.range.low:,} to {self.range.high:,}"
        if self.several:
            return f"whole numbers {reach}, at most {MAX_LAYERS} of them, with commas between"
        return f"a {'whole ' if self.kind is int else ''}number {reach}"

    def fits(self, value: Any) -> bool:
        if self.several:
            return isinstance(value, tuple) and len(value) <= MAX_LAYERS and all(map(self._one_fits, value))
        return self._one_fits(value)

    def _one_fits(self, value: Any) -> bool:
        if self.choices:
            return isinstance(value, str) and value in self.choices
        allowed = (int, float) if self.kind is float else (self.kind,)
        if type(value) not in allowed:  # `type`, since True is an int
            return False
        # Infinity and NaN lie outside of every range.
        return self.range is None or self.range.low <= value <= self.range.high

    def read(self, text: str) -> Any:
        """A value typed by hand; text that cannot be read is returned unchanged, and `fits` refuses it."""
        if self.several:
            return tuple(_number(part, int) for part in text.split(",")) if text.strip() else ()
        if self.kind is bool:
            return {"true": True, "false": False}.get(text.strip().lower(), text)
        return _number(text, self.kind) if self.kind in (int, float) else text.strip()


def _number(text: str, kind: type) -> Any:
    if kind is int and not re.fullmatch(r"\s*[+-]?[0-9]{1,18}\s*", text):
        return text
    try:
        return kind(text)
    except ValueError:
        return text


@functools.cache
def settings_of(config: type) -> dict[str, Setting]:
    """The settings of a config, by name, in its order."""
    hints, comments = get_type_hints(config, include_extras=True), _comments(config)
    found = {}
    for field in fields(config):
        hint = hints[field.name]
        several, choices = get_origin(hint) is tuple, get_args(hint) if get_origin(hint) is Literal else ()
        kind, limits = get_args(hint)[0] if several else type(choices[0]) if choices else hint, None
        if get_origin(kind) is Annotated:
            kind, limits = get_args(kind)
        found[field.name] = Setting(field.name, kind, several, choices, limits, comments.get(field.name, ""))
    return found


def _comments(config: type) -> dict[str, str]:
    """The comments beside the fields in the source: a config is its own help."""
    try:
        source = inspect.getsource(config)
    except OSError:  # no source in this installation
        return {}
    return dict(re.findall(r"^    (\w+):[^#\n]*#\s*(.+)$", source, re.MULTILINE))


def from_saved(config: type, saved: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a saved recipe, each checked; settings that are missing keep their defaults."""
    found = {}
    for name, setting in settings_of(config).items():
        if name in saved:
            value = saved[name]
            value = tuple(value) if isinstance(value, list) else value
            if not setting.fits(value):
                raise BadInput(f"the recipe's {name} is {shorten(repr(value))}, and it takes {setting.takes}.")
            found[name] = value
    return found


def from_text(config: type, texts: tuple[str, ...]) -> dict[str, Any]:
    """Settings typed by hand, each as NAME=VALUE."""
    known, found = settings_of(config), {}
    names = ", ".join(name for name in known if name != "games")  # `games` has an option of its own
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise BadInput(f"--with '{shorten(text)}' is not NAME=VALUE; the settings are {names}.")
        if name == "games":
            raise BadInput(f"--with games={shorten(value)}: give --games {shorten(value)} instead.")
        if name not in known:
            raise BadInput(f"--with: there is no setting '{shorten(name)}'; there are {names}.")
        if name in found:
            raise BadInput(f"--with: '{name}' can be given only once.")
        found[name] = known[name].read(value)
        if not known[name].fits(found[name]):
            raise BadInput(f"--with {name}: '{shorten(value)}' does not do; it takes {known[name].takes}.")
    return found


def from_values(config: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings given as values, by name; a list does for a tuple."""
    known, found = settings_of(config), {}
    names = ", ".join(name for name in known if name != "games")
    for name, value in given.items():
        if name not in known or name == "games":
            raise BadInput(f"there is no setting '{shorten(name)}'; there are {names}.")
        found[name] = tuple(value) if known[name].several and isinstance(value, list) else value
        if not known[name].fits(found[name]):
            raise BadInput(f"{name}: {shorten(repr(value))} does not do; it takes {known[name].takes}.")
    return found
