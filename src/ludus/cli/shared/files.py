"""Saved games, which replace no other kind of file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.core.whole_files import reason, write_whole
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.line import Line

LONGEST = 1_000_000  # characters of a saved game
SAVED = re.compile(r"(#.*\n)*game \S")  # how a saved game begins
SGF = re.compile(r"\s*\(\s*;")  # the same in SGF


def save_game(name: str, record: str) -> None:
    if not name:
        raise BadInput("name a file, like save game.txt.")
    if _is_strange(name):
        raise BadInput(f"'{name}' is there already, and is not a saved game; try another name.")
    write_whole(name, record)


def _is_strange(name: str) -> bool:
    """Whether there is a file of this name that is no saved game, or cannot be read."""
    try:
        path = Path(name).expanduser()
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return SAVED.match(stream.read(LONGEST).decode("utf-8", "replace")) is None
    except OSError:
        return True
    except (RuntimeError, ValueError):  # not a file name: writing will say so
        return False


def load_game(name: str) -> Line:
    """Replay a saved game. A file that holds none is refused before anything heavy is loaded."""
    if not name:
        raise BadInput("name the file of a saved game, like load game.txt.")
    try:
        with Path(name).expanduser().open(encoding="utf-8-sig") as stream:
            text = stream.read(LONGEST + 1)
    except UnicodeDecodeError:
        text = ""
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a ~user that is not there
        raise BadInput(f"cannot read '{name}': {reason(error)}; give the file of a saved game.") from None
    if not (SAVED.match(text) or SGF.match(text)) or len(text) > LONGEST:
        raise BadInput(f"'{name}' is not a game that Ludus has saved.")
    from ludus.play import game_file

    return game_file.read(text, name)
