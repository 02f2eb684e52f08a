"""What a game offers a network beyond its raw board."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from ludus.games.hex import features as hex_features
from ludus.core.game import Rules
from ludus.games.hex.rules import Hex

BORDER = 2  # cells added on every side


def bordered(game: Rules, state: Any) -> Float[Array, "H W C"]:
    """A position as planes with a border two cells wide: in Hex the edges of both sides, elsewhere nothing."""
    planes = game.observe(state)
    if isinstance(game, Hex):
        return hex_features.bordered(planes, BORDER)
    return jnp.pad(planes, ((BORDER, BORDER), (BORDER, BORDER), (0, 0)))


class View(NamedTuple):
    """A position as a network sees it, from the mover's side: its planes, and its legal moves in the same view."""

    planes: Float[Array, "H W C"]
    legal: Bool[Array, "A"]


def view(game: Rules, state: Any) -> View:
    """Its actions are canonical: `game.canonical_action` makes them actions of the position, and back again."""
    legal = game.legal(state)
    if type(game).canonical_action is not Rules.canonical_action:
        actions = jnp.arange(game.num_actions, dtype=jnp.int32)
        legal = legal[jax.vmap(game.canonical_action, (None, 0))(state, actions)]
    return View(bordered(game, state), legal)
