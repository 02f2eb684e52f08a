"""What networks are shown of Hex: as drawn by hand, cell by cell."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from ludus.core.game import compiled
from ludus.games.hex.rules import Hex
from ludus.learners.views import BORDER, bordered, view

HEX3 = Hex(size=3)
DRAWN = ".BW/B.W/W.B b"
TRANSPOSED = ".WB/W../BBW w"  # the same to white: colours changed, rows made columns

# The paper's planes of it: red is white here, and joins left and right; blue is black, and moves.
PLANES = [
    "11...11 11...11 11..111 11..111 111..11 11...11 11...11",  # red stones, and both its edges
    "1111111 1111111 ...1... ..1.... ....1.. 1111111 1111111",  # blue
    "11..... 11..... 11..... 11..... 111.... 11..... 11.....",  # red joined to the left
    ".....11 .....11 ....111 ....111 .....11 .....11 .....11",  # to the right
    "1111111 1111111 ...1... ..1.... ....... ....... .......",  # blue joined to the top
    "....... ....... ....... ....... ....1.. 1111111 1111111",  # to the bottom
]


def drawn(planes: Any) -> list[str]:
    """Planes as text, each number seen to be 0 or 1."""
    found = np.asarray(planes)
    assert set(np.unique(found)) <= {0, 1}
    return [" ".join("".join(".1"[int(x)] for x in row) for row in found[..., c]) for c in range(found.shape[-1])]


@pytest.mark.parametrize("text", [DRAWN, TRANSPOSED])
def test_the_mover_is_blue_and_white_sees_the_board_transposed(text: str) -> None:
    found = bordered(HEX3, HEX3.parse(text))
    assert found.shape == (7, 7, 6)
    assert found.dtype == jnp.float32
    assert drawn(found) == PLANES


@pytest.mark.parametrize("mover", ["b", "w"])
def test_with_the_swap_rule_the_board_stays_and_a_seventh_plane_says_who_moves(mover: str) -> None:
    game = Hex(size=3, swap=True)
    found = drawn(bordered(game, game.parse(DRAWN[:-1] + mover)))
    assert found == [*PLANES, " ".join([("1" if mover == "w" else ".") * 7] * 7)]


def test_a_move_of_a_view_is_a_cell_of_its_planes() -> None:
    """A stone put by the view's number is, in the view of the other side, on the transposed cell."""
    for text in (DRAWN, TRANSPOSED):
        state = HEX3.parse(text)
        seen = view(HEX3, state)
        assert np.flatnonzero(np.asarray(seen.legal)).tolist() == [0, 4, 7]
        after = compiled(HEX3).step(state, HEX3.canonical_action(state, jnp.int32(7)))
        fresh = np.asarray(bordered(HEX3, after))[BORDER:-BORDER, BORDER:-BORDER, 0].T  # who moved is red now
        before = np.asarray(seen.planes)[BORDER:-BORDER, BORDER:-BORDER, 1]
        assert np.argwhere(fresh != before).tolist() == [[2, 1]]
