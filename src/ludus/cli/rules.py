"""`ludus rules`."""

from __future__ import annotations

from ludus.cli.common import Json, Name, print_json


def rules(game: Name, /, *, as_json: Json = False) -> None:
    """Say how a game is played, and how its positions and moves are written.

    For example:

        ludus rules abalone

    While you play, the word rules shows the same.
    """
    from ludus.games import guide

    text = guide(game)
    print_json({"game": game, "rules": text}) if as_json else print(text)
