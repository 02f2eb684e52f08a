"""Hex as the input planes of the paper and of NeuroHex: 6 x (n + 4) x (n + 4)."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from ludus.games.hex.rules import Hex, State

BORDER = 2  # cells added on every side


def bordered(game: Hex, state: State, border: int = BORDER) -> Float[Array, "m m C"]:
    """The planes of `draw_edges` for a position."""
    return draw_edges(game.observe(state), border)


def draw_edges(planes: Float[Array, "n n C"], border: int) -> Float[Array, "m m C"]:
    """The six planes in the paper's order, each with its edges drawn around the board.

    Blue joins top and bottom and is to move; red joins left and right. Where white is to move, the board is transposed.
    A corner belongs to both strips that meet there, as in NeuroHex (the paper does not say). With the swap rule the
    board is not transposed, either side may be to move, and a seventh plane says which.

        0  red stones, and red's two edges              1  blue stones, and blue's two edges
        2  red joined to the left, and that edge        4  blue joined to the top, and that edge
        3  red joined to the right, and that edge       5  blue joined to the bottom, and that edge
    """
    own, own_first, own_last, other, other_first, other_last = jnp.moveaxis(planes[..., :6], -1, 0)
    as_blue = jnp.stack([other, own, other_first, other_last, own_first, own_last], axis=-1)
    if planes.shape[-1] > 6:  # with the swap rule: the last plane is 1 where white (red) is to move
        as_red = jnp.stack([own, other, own_first, own_last, other_first, other_last], axis=-1)
        as_blue = jnp.where(planes[..., 6:7] > 0, as_red, as_blue)
    inner = jnp.pad(as_blue, ((border, border), (border, border), (0, 0)))
    drawn = jnp.maximum(inner, _edges(len(planes), border))
    mover = jnp.broadcast_to(planes[0, 0, 6:], (*drawn.shape[:2], planes.shape[-1] - 6))
    return jnp.concatenate([drawn, mover], axis=-1)


def _edges(size: int, border: int) -> Float[np.ndarray, "m m 6"]:
    wide = size + 2 * border
    edges = np.zeros((wide, wide, 6), np.float32)
    edges[:, :border, [0, 2]] = 1
    edges[:, -border:, [0, 3]] = 1
    edges[:border, :, [1, 4]] = 1
    edges[-border:, :, [1, 5]] = 1
    return edges


FEATURES = {"bordered": bordered}
