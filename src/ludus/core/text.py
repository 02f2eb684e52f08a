"""Positions and moves as text and pictures, on the host, in plain Python: one module a game, and no JAX.

Each module reads a position into a plain one (dictionaries keyed by square), writes it back, says why a move
cannot be played, and draws. What is wrong with a text is a `BadInput`: one sentence that a person can act on.
"""

from __future__ import annotations

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
