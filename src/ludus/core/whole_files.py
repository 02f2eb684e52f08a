"""Files that are written whole or not at all, pictures among them; and folders that can be written to."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ludus.errors import BadInput


def check_picture(name: str | Path) -> None:
    """Refuse a file name that does not end in .svg."""
    if Path(name).suffix.lower() != ".svg":
        raise BadInput(f"a picture is saved in a file whose name ends in .svg, like board.svg, not '{name}'.")


def save_picture(name: str | Path, picture: str | bytes, remedy: str = "try another name") -> None:
    check_picture(name)
    write_whole(name, picture, remedy)


def write_whole(name: str | Path, data: str | bytes, remedy: str = "try another name") -> None:
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
        raise BadInput(f"cannot write '{name}': {reason(error)}; {remedy}.") from None


def reason(error: Exception) -> str:
    """Why a file cannot be read or written, in the system's words."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def check_folder(what: str, folder: Path) -> None:
    """Refuse a folder that cannot be made or written to, before any work is done for it."""
    try:
        there = next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))
    except (OSError, ValueError) as error:  # ValueError: a name no file can have
        raise BadInput(f"{what}: '{folder}' cannot be read: {getattr(error, 'strerror', error)}.") from error
    if not there.is_dir():
        raise BadInput(f"{what} '{folder}' is no folder: '{there}' is a file, where a folder is wanted.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise BadInput(f"{what}: the folder '{there}' cannot be written to.")
