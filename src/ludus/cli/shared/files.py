"""Files that commands write: pictures, and saved games, which replace no other kind of file."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.play.line import Line

LONGEST = 1_000_000  # characters of a saved game
SAVED = re.compile(r"(#.*\n)*game \S")  # how a saved game begins
SGF = re.compile(r"\s*\(\s*;")  # the same in SGF


def check_picture(name: str | Path) -> None:
    """Refuse a file name that does not end in .svg."""
    if Path(name).suffix.lower() != ".svg":
        raise BadInput(f"a picture is saved in a file whose name ends in .svg, like board.svg, not '{name}'.")


def save_picture(name: str | Path, picture: str | bytes, remedy: str = "try another name") -> None:
    check_picture(name)
    _write(name, picture, remedy)


def save_game(name: str, record: str) -> None:
    if not name:
        raise BadInput("name a file, like save game.txt.")
    if _is_strange(name):
        raise BadInput(f"'{name}' is there already, and is not a saved game; try another name.")
    _write(name, record)


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
        raise BadInput(f"cannot read '{name}': {_reason(error)}; give the file of a saved game.") from None
    if not (SAVED.match(text) or SGF.match(text)) or len(text) > LONGEST:
        raise BadInput(f"'{name}' is not a game that Ludus has saved.")
    from ludus.play import game_file

    return game_file.read(text, name)


def _write(name: str | Path, data: str | bytes, remedy: str = "try another name") -> None:
    """Write a whole file or none: an earlier file stays until the new one is complete."""
    draft = None
    try:
        path = Path(name).expanduser()
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.write_bytes(data.encode() if isinstance(data, str) else data)
        draft.replace(path)
    except (OSError, RuntimeError, ValueError) as error:
        with suppress(OSError, ValueError):
            if draft is not None:
                draft.unlink(missing_ok=True)
        raise BadInput(f"cannot write '{name}': {_reason(error)}; {remedy}.") from None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
