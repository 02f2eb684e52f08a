"""The games of the registry with the options to test them under, and the slow reference each is held to."""

from __future__ import annotations

import functools
import importlib.util
import inspect
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from ludus.core.game import Game
from ludus.games import entry, make_game
from ludus.games import names as registered

#: A game that is not named here is tested under its defaults alone.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "hex": [{"size": 3, "swap": True}, {"size": 5}, {"size": 2}, {}],
    "abalone": [{}, {"layout": "belgian-daisy"}],
    "solitaire-chess": [
        {"rules": "solo"},
        {},
        {"size": 3, "pieces": 4, "rules": "solo"},
        {"size": 8, "rules": "solo"},
    ],
}
#: More of the same, for the campaign.
MORE: dict[str, list[dict[str, Any]]] = {
    "hex": [{"size": 5, "swap": True}],
    "abalone": [{"layout": f"{daisy}-daisy"} for daisy in ("german", "dutch", "swiss")],
    "solitaire-chess": [{"size": 3, "pieces": 4}, {"size": 8}],
}

#: How many of those, from the first on, `make check` runs; the others are slow.
QUICK = {"hex": 2}


def options_of(name: str) -> list[dict[str, Any]]:
    return OPTIONS.get(name, [{}])


def cases(names: Sequence[str] | None = None) -> list[Any]:
    """One pytest parameter a game and option set."""
    found = []
    for name in registered() if names is None else names:
        usual = options_of(name)
        for k, options in enumerate([*usual, *MORE.get(name, [])]):
            label = "-".join([name, *(f"{key}={value}" for key, value in options.items())])
            rare = pytest.mark.slow if k < len(usual) else pytest.mark.campaign
            marks = [rare] if k >= QUICK.get(name, 1) else []
            found.append(pytest.param(make_game(name, **options), id=label, marks=marks))
    return found


class Reference(NamedTuple):
    """The slow rules of one game, its options filled in: text in, text out."""

    moves: Callable[[str], list[str]]
    play: Callable[[str, str], str]
    result: Callable[[str], tuple[float, ...] | None]


def reference_of(game: Game) -> Reference:
    module, options = _module(game.name), game.options()

    def bound(name: str) -> Callable[..., Any]:
        function = getattr(module, name)
        taken = {key: options[key] for key in inspect.signature(function).parameters if key in options}
        return lambda *texts: function(*texts, **taken)

    return Reference(bound("moves"), bound("play"), bound("result"))


@functools.cache
def _module(name: str) -> ModuleType:
    """A game's reference, loaded from its file without the shape checks the tests put on `ludus`: it has no arrays, and
    every call of a small function would cost fifty times as much.
    """
    path = entry(name).reference
    if path is None:
        pytest.fail(
            f"the registry has the game '{name}', but its entry has no reference: the slow rules it is held to."
        )
    found = importlib.util.find_spec(path)
    assert found is not None
    assert found.origin is not None
    spec = importlib.util.spec_from_file_location(path, found.origin)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
