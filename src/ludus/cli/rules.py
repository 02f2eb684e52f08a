"""`ludus rules`."""

from __future__ import annotations

from ludus.cli.shared.options import Json, Name
from ludus.cli.shared.output import print_json


def rules(game: Name, /, *, as_json: Json = False) -> None:
    """Explain how a game is played, and how its positions and moves are written.

    For example:

        ludus rules abalone

    In "ludus play", type rules to see the same.
    """
    from ludus.games import guide

    text = guide(game)
    print_json({"game": game, "rules": text}) if as_json else print(text)
