"""Hex for a network that plays any size: the planes in the mover's view, and the place of each move on the board.

The mover joins the first row and the last; for white the board is transposed. Besides the planes of `observe`, four
planes mark the cells along each edge, so that no border has to be drawn around the board.
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
    if game.swap:  # the board is never transposed; a last plane says who is to move
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
