"""Players for matches: random, or always the first or the last of the legal moves."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from ludus.core.game import Game
from ludus.play import selfplay
from ludus.play.selfplay import Policy


@functools.cache
def policy_of(game: Game, kind: str) -> Policy:
    """Random, or always the first or the last of the legal moves."""
    if kind.startswith("random"):
        return selfplay.random_policy(game)

    def policy(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        del key
        count = jax.vmap(game.num_legal)(states)
        return jax.vmap(game.nth_legal)(states, jnp.zeros_like(count) if kind == "first" else count - 1)

    return policy


@dataclass(frozen=True)
class Simple:
    name: str

    @property
    def chance(self) -> bool:
        return self.name.startswith("random")

    def policy(self, game: Game) -> Policy:
        return policy_of(game, self.name)


FIRST, LAST, RANDOM, OTHER = (Simple(name) for name in ("first", "last", "random", "random too"))
