"""The JSON body of a request: a small object whose entries are checked by type. All else is refused in a sentence."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import ClientDisconnect, Request

from ludus.errors import BadInput, shorten

LARGEST = 16 * 1024  # bytes of a body
LONGEST = 4096  # characters of a text, by default
KINDS = {str: "a text", bool: "true or false", dict: "an object", list: "a list"}


class TooLarge(BadInput):
    """A body over the limit."""


async def read(request: Request) -> Body:
    """The object in a request's body."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadInput("a request is JSON: its content-type should be application/json.")
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > LARGEST:
                raise TooLarge(f"a request is {LARGEST:,} bytes at most.")
    except ClientDisconnect:
        raise BadInput("the request ended before its body did.") from None
    return parse(bytes(body))


def parse(body: bytes) -> Body:
    try:
        said = json.loads(body.decode("utf-8"), parse_constant=_no_number)
        if not isinstance(said, dict):
            raise BadInput("a request is a JSON object.")
        _check_texts(said)
    except UnicodeError:  # in the body, or half a surrogate pair written as \ud800
        raise BadInput("a request is text in UTF-8.") from None
    except RecursionError:
        raise BadInput("a request is nested too deep.") from None
    except BadInput:
        raise
    except ValueError:  # no JSON, or a number of more digits than Python reads
        raise BadInput("a request is JSON, and this cannot be read as such.") from None
    return Body(said)


def _no_number(word: str) -> Any:
    raise BadInput(f"a request is JSON, which has no number {word}.")


def _check_texts(said: Any) -> None:
    """Raise UnicodeError for half a surrogate pair, which could not be written back."""
    if isinstance(said, str):
        said.encode("utf-8")
    for item in [*said, *said.values()] if isinstance(said, dict) else said if isinstance(said, list) else ():
        _check_texts(item)


class Body:
    """The entries of a request's object, each checked as it is read."""

    def __init__(self, said: dict[str, Any]) -> None:
        self._said = said

    def has(self, name: str) -> bool:
        return self._said.get(name) is not None

    def text(self, name: str, default: str | None = None, longest: int = LONGEST) -> str:
        found = self._get(name, str, default)
        if len(found) > longest:
            raise BadInput(f"'{name}' is a text of {longest} characters at most.")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        found = self._get(name, list, [])
        if not all(isinstance(item, str) for item in found):
            raise BadInput(f"'{name}' is a list of texts.")
        return tuple(found)

    def objects(self, name: str) -> tuple[Body, ...]:
        found = self._get(name, list, [])
        if not all(isinstance(item, dict) for item in found):
            raise BadInput(f"'{name}' is a list of objects.")
        return tuple(map(Body, found))

    def flag(self, name: str, default: bool = False) -> bool:
        return self._get(name, bool, default)

    def number(self, name: str, low: float, high: float, default: float | None = None) -> float:
        value = self._said.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise BadInput(f"'{name}' is a number from {low:g} to {high:g}.")  # nan fails this test too
        return float(value)

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        value = self._said.get(name, default)
        if type(value) is not int or not low <= value <= high:
            raise BadInput(f"'{name}' is a whole number from {low} to {high}.")
        return value

    def seed(self, default: int | None = None) -> int:
        return self.whole("seed", 0, 2**32 - 1, default)

    def options(self, name: str) -> dict[str, Any]:
        found = self._get(name, dict, {})
        if not all(isinstance(value, str | int) for value in found.values()):
            raise BadInput(f"'{name}' holds whole numbers, texts, and true or false.")
        return found

    def _get(self, name: str, kind: type, default: Any) -> Any:
        value = self._said.get(name)
        if value is None:
            value = default
        if value is None:
            raise BadInput(f"the request does not say '{name}'.")
        if not isinstance(value, kind):
            raise BadInput(f"'{name}' is {KINDS[kind]}, not {shorten(repr(value), 40)}.")
        return value
