"""Hex for a network that plays any size: the board as its mover sees it, and where the moves lie on it.

The mover joins the first row and the last; white sees the board transposed. Beside the stones and what they are joined
to, four planes say which cells touch which edge, so that nothing need be drawn beyond the board.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from ludus.games.hex.rules import Hex, State
from ludus.networks.two_headed import Lattice


def planes(game: Hex, state: State) -> Float[Array, "n n C"]:
    seen = game.observe(state)
    edges = jnp.asarray(_edges(game.size))
    if game.swap:  # nobody sees the board transposed, and a last plane says who moves
        edges = jnp.where(state.mover == 0, edges, edges[..., jnp.array([2, 3, 0, 1])])
    return jnp.concatenate([seen, edges], axis=-1)


def _edges(size: int) -> Float[np.ndarray, "n n 4"]:
    """The mover's first and last row, the other's first and last column."""
    edges = np.zeros((size, size, 4), np.float32)
    edges[0, :, 0] = edges[-1, :, 1] = edges[:, 0, 2] = edges[:, -1, 3] = 1
    return edges


def lattice(game: Hex) -> Lattice:
    cells = game.size**2
    return Lattice(np.ones((game.size, game.size), bool), 1, np.arange(game.num_actions), game.num_actions - cells)
