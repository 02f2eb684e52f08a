"""The positions at which a learner's games of Abalone begin: every layout."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from ludus.games.abalone import LAYOUTS
from ludus.games.abalone.rules import Abalone, State


def starts(game: Abalone) -> State:
    """The first positions of all layouts (every leaf [L]), so that a learner learns all of them."""
    return jax.tree.map(
        lambda *leaves: jnp.stack([jnp.asarray(leaf) for leaf in leaves]), *map(game.parse, LAYOUTS.values())
    )
