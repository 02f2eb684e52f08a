"""The games. Add one here, and every command, test and learner knows it: see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Any

from ludus.errors import BadInput, shorten
from ludus.core.game import Game
from ludus.games.abalone.rules import Abalone
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.games.solitaire_chess.rules import SolitaireChess

GAMES: dict[str, type[Game]] = {game.name: game for game in (LGame, Hex, Abalone, SolitaireChess)}


def make_game(name: str, **options: Any) -> Game:
    """A game by its name, with those of its options that are not None."""
    if name not in GAMES:
        raise BadInput(f"there is no game '{shorten(name)}'; there are {', '.join(GAMES)}.")
    given = {option: value for option, value in options.items() if value is not None}
    known = [field.name for field in GAMES[name].options()]
    for option in given:
        if option not in known:
            has = f"its options are {', '.join(known)}" if known else "it has no options"
            raise BadInput(f"{name} has no option '{option}'; {has}.")
    return GAMES[name](**given)
