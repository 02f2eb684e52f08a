"""The puzzles at which an arm's games begin, where these are not the room's `starts`: those that it is judged on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from ludus.core.game import Game
from ludus.games.solitaire_chess.levels import benchmark
from ludus.games.solitaire_chess.paper.words import FIGURE_3, FIGURE_5
from ludus.learners.learner import Learner
from ludus.study.study import Setups


def starting_at(puzzles: Callable[[], Sequence[str]]) -> Setups:
    """The same puzzles for every seed; as many rows in all setups, so that one program can have several of them."""

    def setup(learner: Learner, config: Any, game: Game, keys: Key[Array, "S"]) -> Any:
        states = [game.parse(text) for text in puzzles()]
        rows = np.resize(np.arange(len(states)), len(benchmark()))
        every = jax.tree.map(lambda *leaves: jnp.asarray(np.stack(leaves)[rows]), *states)
        return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (len(keys), *leaf.shape)), every)

    return setup


eighty = starting_at(benchmark)
figure_3, figure_5 = starting_at(lambda: [FIGURE_3]), starting_at(lambda: [FIGURE_5])
