"""Network inputs for a position: a game's own encodings (its part `features`), or its planes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from ludus.core.game import Rules
from ludus.errors import BadInput
from ludus.games import part
from ludus.play.policies import to_actions

BORDER = 2  # cells added on every side


def encoding(game: Rules, name: str) -> Callable[[Any], Float[Array, "..."]]:
    """A named encoding of positions: the game's own, or one that every game has."""
    own = part(game, "features") or {}
    found = own.get(name) or ANY_GAME.get(name)
    if found is None:
        known = ", ".join(sorted(own.keys() | ANY_GAME.keys()))
        raise BadInput(f"{game.name or 'this game'} has no features '{name}'; there are {known}.")
    return functools.partial(found, game)


def _planes(game: Rules, state: Any) -> Float[Array, "..."]:
    return game.observe(state)


def _padded(game: Rules, state: Any) -> Float[Array, "H W C"]:
    """The planes with an empty border."""
    return jnp.pad(game.observe(state), ((BORDER, BORDER), (BORDER, BORDER), (0, 0)))


def with_moves(game: Rules, state: Any) -> Float[Array, "In"]:
    """The planes as a vector, and after them which moves are legal."""
    legal = to_actions(game, state, game.legal(state)).astype(jnp.float32)
    return jnp.concatenate([game.observe(state).reshape(-1), legal])


ANY_GAME: dict[str, Callable[[Rules, Any], Float[Array, "..."]]] = {"planes": _planes, "bordered": _padded}


def bordered(game: Rules, state: Any) -> Float[Array, "H W C"]:
    """A position as planes with a border two cells wide, in which a game may draw its edges."""
    return encoding(game, "bordered")(state)


def has_planes(game: Rules) -> bool:
    """Whether a game's observation is planes, for convolutions."""
    return len(jax.eval_shape(game.observe, jax.eval_shape(game.init)).shape) == 3


class View(NamedTuple):
    """A position from the mover's side: its planes, and its legal actions in canonical form."""

    planes: Float[Array, "H W C"]
    legal: Bool[Array, "A"]


def view(game: Rules, state: Any) -> View:
    """The view of a position. `game.canonical_action` turns a canonical action into one of the position, and back."""
    return View(bordered(game, state), to_actions(game, state, game.legal(state)))
