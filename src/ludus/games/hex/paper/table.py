"""The Hex paper's Table I: four agents, two seasons of tournaments in which each meets each other in both seats.

The agents choose greedily, so two of them would play the same game over and over: every tournament has agents of its
own, trained from its own seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from ludus.games.hex.paper.grid import GAME, Result
from ludus.games.hex.rules import Hex
from ludus.learners import batch
from ludus.learners.dqn import best_moves
from ludus.learners.views import view
from ludus.play.arena import Rating, bradley_terry
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED

SEASONS = 2


def batch_learner(**settings: Any) -> batch.Config:
    """A learner of the paper's in batches."""
    return batch.Config(**{"backup": "paper", **settings})


#: The paper's four agents: the mean squared error with Q-learning, its projected error with SARSA.
OBJECTIVES = {
    f"{network.upper()}-{objective.upper()}": batch_learner(network=network, target=target, objective=objective)
    for network in ("cnn", "rnn")
    for objective, target in (("mse", "q"), ("pbe", "sarsa"))
}


@dataclass(frozen=True)
class Row(Rating):
    """An agent's line of the table."""

    first: tuple[int, ...]  # wins as first player, by season
    second: tuple[int, ...]
    games: int  # in each seat and season

    def __str__(self) -> str:
        seasons = ", ".join(f"{a}/{b}" for a, b in zip(self.first, self.second, strict=True))
        low, high = self.ci95
        won = f"{sum(self.first + self.second)} wins, rating {self.rating:+.0f} [{low:+.0f}, {high:+.0f}]"
        return f"{seasons} of {self.games}/{self.games} a season; {won}"

    def leads(self, other: Row) -> str:
        """Whether a claim that this agent is the stronger holds: by intervals that do not meet."""
        return HOLDS if self.ci95[0] > other.ci95[1] else FAILS if self.ci95[1] < other.ci95[0] else UNDECIDED


def first_wins(game: Hex, black: tuple[batch.Config, Any], white: tuple[batch.Config, Any]) -> Float[Array, ""]:
    """Whether black wins a game of two networks, each choosing greedily and remembering the game so far."""
    players = (black, white)

    def ply(carry: Any, _: None) -> Any:
        state, memories, over, won = carry
        seen = view(game, state)
        looks = [batch.look(c, n, seen.planes, m) for (c, n), m in zip(players, memories, strict=True)]
        values = jnp.where(game.player(state) == 0, looks[0][1], looks[1][1])
        action = best_moves(values, seen.legal).argmax().astype(jnp.int32)
        after = game.step(state, game.canonical_action(state, action))
        state = jax.tree.map(lambda old, new: jnp.where(over, old, new), state, after)
        won = jnp.where(over, won, game.returns(after)[0] > 0)
        return (state, tuple(memory for memory, _ in looks), over | game.done(after), won), None

    memories = tuple(batch.fresh(config, network) for config, network in players)
    begin = game.init(), memories, jnp.bool_(False), jnp.bool_(False)
    return jax.lax.scan(ply, begin, None, length=game.max_plies)[0][3].astype(jnp.float32)


def standings(results: Sequence[Result]) -> list[Row]:
    """The table: the seeds of each agent are dealt to the tournaments of the seasons in turn."""
    names = [result.curve.label for result in results]
    agents = [(result.curve.config, result.weights) for result in results]
    tournaments = len(jax.tree.leaves(results[0].weights)[0]) // SEASONS
    wins = np.zeros((len(names), len(names)))
    first = np.zeros((len(names), SEASONS), int)
    second = np.zeros((len(names), SEASONS), int)
    for i, j in itertools.permutations(range(len(names)), 2):
        play = jax.vmap(lambda a, b, i=i, j=j: first_wins(GAME, (agents[i][0], a), (agents[j][0], b)))
        won = np.asarray(jax.jit(play)(agents[i][1], agents[j][1]))[: SEASONS * tournaments] > 0
        wins[i, j] += won.sum()
        wins[j, i] += (~won).sum()
        first[i] += won.reshape(SEASONS, tournaments).sum(axis=1)
        second[j] += (~won).reshape(SEASONS, tournaments).sum(axis=1)
    games = tournaments * (len(names) - 1)
    rows = [
        Row(**vars(rating), first=tuple(first[i].tolist()), second=tuple(second[i].tolist()), games=games)
        for i, rating in enumerate(bradley_terry(names, wins))
    ]
    return sorted(rows, key=lambda row: -row.rating)
