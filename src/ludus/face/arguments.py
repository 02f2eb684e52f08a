"""The arguments of the functions: refused in one sentence that names them as Python has them."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from ludus.errors import BadInput, shorten

P = ParamSpec("P")
R = TypeVar("R")

#: An option of a command in a sentence, but not inside of quotes.
OPTION = re.compile(r"'[^']*'|--[a-z][a-z0-9-]*")


def as_arguments(**renamed: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """What this function shares with a command names options in its refusals: here they become the function's
    arguments. `renamed`: options whose argument has another name.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        names = {name.rstrip("_"): name for name in inspect.signature(function).parameters} | renamed

        def say(found: re.Match[str]) -> str:
            return names.get(found[0].removeprefix("--").replace("-", "_"), found[0])

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except BadInput as error:
                error.args = (OPTION.sub(say, str(error)),)
                raise

        return call

    return decorate


def check_whole(name: str, value: Any, low: int, high: int, even: bool = False) -> None:
    """Refuse what is not a whole number in this range."""
    if type(value) is not int:
        raise BadInput(f"{name} is a whole number from {low} to {high}, not {shorten(repr(value))}.")
    if not low <= value <= high:
        raise BadInput(f"{name} goes from {low} to {high}, and {value} does not lie there.")
    if even and value % 2:
        raise BadInput(f"{name}: {value} is odd, and games come in pairs; give an even number.")


def check_share(name: str, value: Any) -> None:
    """Refuse what is not a number from 0 to 1."""
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise BadInput(f"{name} is a number from 0 to 1, not {shorten(repr(value))}.")
