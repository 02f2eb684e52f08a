"""The paper's Table I: four agents, and two seasons of tournaments in which all meet all in both seats.

The agents play greedily, so the same two would repeat the same game. So every tournament has its own agents, trained
from its own seed. Where agents play well, the first player always wins, and a game tells nothing; so they can also play
one game from every first move.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from ludus.core.game import Game
from ludus.games.hex.paper.verdicts import SEASONS
from ludus.games.hex.rules import Hex
from ludus.learners import batch
from ludus.learners.recipe import Recipe
from ludus.learners.views import view
from ludus.play.policies import best_moves
from ludus.study.data import TournamentGame

GAME = Hex(size=3)
FREE = -1  # black chooses its own first move


def first_wins(
    game: Game, black: tuple[Any, Any], white: tuple[Any, Any], opening: Int[Array, ""] | int = FREE
) -> Float[Array, ""]:
    """Whether black wins a game between two networks, which play greedily and may be recurrent. `opening` may fix
    black's first move.
    """
    players = (black, white)

    def ply(carry: Any, number: Int[Array, ""]) -> Any:
        state, memories, over, won = carry
        seen = view(game, state)
        looks = [batch.look(c, n, seen.planes, m) for (c, n), m in zip(players, memories, strict=True)]
        values = jnp.where(game.player(state) == 0, looks[0][1], looks[1][1])
        action = best_moves(values, seen.legal).argmax().astype(jnp.int32)
        action = jnp.where((number == 0) & (jnp.asarray(opening) != FREE), opening, action)
        after = game.step(state, game.canonical_action(state, action))
        state = jax.tree.map(lambda old, new: jnp.where(over, old, new), state, after)
        won = jnp.where(over, won, game.returns(after)[0] > 0)
        return (state, tuple(memory for memory, _ in looks), over | game.done(after), won), None

    memories = tuple(batch.fresh(config, network) for config, network in players)
    begin = game.init(), memories, jnp.bool_(False), jnp.bool_(False)
    return jax.lax.scan(ply, begin, jnp.arange(game.max_plies))[0][3].astype(jnp.float32)


def tournaments(agents: Sequence[tuple[str, Recipe, Any]], openings: Sequence[int] = (FREE,)) -> list[TournamentGame]:
    """Every game of every season, from each of these first moves; the seeds of each agent are dealt to the tournaments
    of the seasons in turn.
    """
    each = len(jax.tree.leaves(agents[0][2])[0]) // SEASONS
    first_moves = jnp.asarray(openings, jnp.int32)
    found = []
    for (name, recipe, weights), (other, its_recipe, its_weights) in itertools.permutations(agents, 2):
        configs = recipe.config, its_recipe.config
        game = lambda a, b, move, c=configs: first_wins(GAME, (c[0], a), (c[1], b), move)  # noqa: E731
        play = jax.vmap(jax.vmap(game, (None, None, 0)), (0, 0, None))
        won = np.asarray(jax.jit(play)(weights, its_weights, first_moves)) > 0
        found += [
            TournamentGame(seed // each + 1, seed % each + 1, name, other, name if won[seed, place] else other)
            for seed in range(SEASONS * each)
            for place in range(len(openings))
        ]
    return found
