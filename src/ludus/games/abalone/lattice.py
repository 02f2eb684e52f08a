"""Abalone for hexagonal convolutions: the board as a square of 9 x 9, row I first, with neighbours where the filters
expect them. A move's place on it: its kind is the layer, the marble that names it is the cell.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from ludus.games.abalone.rules import NUM_CELLS, STRIDE, Abalone, State, geometry
from ludus.networks.two_headed import Lattice

SIDE = 9


def planes(game: Abalone, state: State) -> Float[Array, "9 9 C"]:
    """The mover's marbles, the other's, the cells of the board, and how many marbles each has lost."""
    seen = game.observe(state)[::-1]
    cells = jnp.asarray(lattice(game).inside, jnp.float32)[..., None]
    lost = (14 - seen.sum((0, 1))) / 6
    return jnp.concatenate([seen, cells, cells * lost[None, None]], axis=-1)


def lattice(game: Abalone) -> Lattice:
    cells, _, kinds = geometry()
    rows, columns = SIDE - 1 - cells // STRIDE, cells % STRIDE
    inside = np.zeros((SIDE, SIDE), bool)
    inside[rows, columns] = True
    places = [len(kinds) * (SIDE * rows + columns) + kind for kind in range(len(kinds))]
    assert len(cells) == NUM_CELLS
    return Lattice(inside, len(kinds), np.concatenate(places))
