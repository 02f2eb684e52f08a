"""Players for matches: random, or always the first or the last of the legal moves."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from ludus.core.game import Game
from ludus.play import selfplay
from ludus.play.batched import Batched
from ludus.play.player import Player
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


class Simple(Player):
    def __init__(self, name: str) -> None:
        self.name, self.chance = name, name.startswith("random")

    def batched(self, game: Game) -> Batched:
        return batched(game, self.name)


def batched(game: Game, kind: str) -> Batched:
    return Batched.fixed(policy_of(game, kind))


FIRST, LAST, RANDOM, OTHER = (Simple(name) for name in ("first", "last", "random", "random too"))
