"""Helpers for the text of positions and moves, on the host and without JAX. A bad text raises a `BadInput`: one
sentence that a person can act on.

A stream whose `errors` are `PLAIN` prints a letter for each glyph that it cannot show.
"""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Mapping

from ludus.errors import BadInput, shorten


def bad_position(game: str, text: str, why: str) -> BadInput:
    return BadInput(f"{game} position '{shorten(text)}': {why}.")


def split_position(game: str, text: str, movers: str) -> tuple[list[str], int]:
    """Read `rows/of/the/board MOVER` into its rows and the seat to move: the frame all board games share."""
    parts = text.split()
    if len(parts) != 2 or parts[1] not in tuple(movers):
        wanted = " or ".join(f"'{mover}'" for mover in movers)
        raise bad_position(game, text, f"it should be the rows of the board, a space and the side to move, {wanted}")
    return parts[0].split("/"), movers.index(parts[1])


def refuse_strangers(game: str, text: str, rows: list[str], allowed: str) -> None:
    """Refuse a position whose rows hold any other letter than these."""
    for row in rows:
        for letter in row:
            if letter not in allowed:
                raise bad_position(game, text, f"only {' '.join(allowed)} may stand on the board, not '{letter}'")


def shown(text: str) -> str:
    """A text without control characters, safe to print: names may come from other people's folders and files."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


#: The ASCII for each glyph; for a board's glyphs, the letter in its notation.
_letters = {"…": "...", "░": "."}


def drawn_with(glyphs: Mapping[str, str]) -> None:
    """Set the letters for a board's glyphs. Games share glyphs: the board drawn last counts."""
    _letters.update({glyph: letter for letter, glyph in glyphs.items()})


def plain(text: str) -> str:
    """A text in ASCII: letters for glyphs, plain lines for boxes and bars, no accents; `?` for anything else."""
    return "".join(letter if letter.isascii() else _letters.get(letter) or _likeness(letter) for letter in text)


def _likeness(letter: str) -> str:
    name = unicodedata.name(letter, "")
    if name.startswith("BOX DRAWINGS"):
        return "+" if " AND " in name else "-" if name.endswith(("HORIZONTAL", "LEFT", "RIGHT")) else "|"
    if name.startswith("BRAILLE"):  # dots of a curve
        return " " if name.endswith("BLANK") else "*"
    if "BLOCK" in name or "SHADE" in name:
        return "#"
    return unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode() or "?"


def _show_plainly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plain(error.object[error.start : error.end]), error.end


#: The `errors` of a stream, as `open` and `reconfigure` take it.
PLAIN = "ludus-plain"
codecs.register_error(PLAIN, _show_plainly)
