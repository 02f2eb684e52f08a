"""Simulations a second of `search.network.gumbel` with a new network, and the share of time that each part takes.

The parts are timed separately on the same positions: the network, as often as a search calls it; the rules; and the
search with a stand-in for the network that costs almost no time. What is left of that without the rules is the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludus.bench.timing import fastest, middle_game
from ludus.core.game import Game
from ludus.games import part
from ludus.learners import alphazero, two_heads
from ludus.learners.configs import AlphaZeroConfig
from ludus.search.network import gumbel, host_tree

SIMULATIONS = 32  # a move, as in training
MOVE = 100  # in a game against a person
CPU_LANES, GPU_LANES = (8,), (4096, 8192)
SHAPES = ((64, 8), (96, 8))  # channels and blocks


class SimulationTime(NamedTuple):
    """Seconds of one simulation in all lanes at once."""

    width: int
    blocks: int
    lanes: int
    whole: float
    network: float
    rules: float
    tree: float

    @property
    def rate(self) -> float:
        return self.lanes / self.whole


def measure(game: Game, seconds: float) -> Iterator[SimulationTime]:
    """For a game whose board is a lattice; other games have no such network."""
    if part(game, "lattice") is None:
        return
    for lanes in CPU_LANES if jax.default_backend() == "cpu" else GPU_LANES:
        for width, blocks in SHAPES:
            yield _measured(game, AlphaZeroConfig(network="tower", width=width, blocks=blocks), lanes, seconds)


def _measured(game: Game, config: AlphaZeroConfig, lanes: int, seconds: float) -> SimulationTime:
    states = middle_game(game, lanes)
    network = alphazero.init(replace(config, lanes=1), game, jax.random.key(0)).average
    effort, key = gumbel.GumbelSettings(SIMULATIONS), jax.random.key(1)
    some = jax.random.normal(jax.random.key(2), (lanes, game.num_actions))

    def idle(states: Any) -> Any:
        """The stand-in for the network: moves and positions have different values, made up cheaply."""
        mixed = jax.vmap(_mixed)(states)
        return some * (1 + 0.01 * mixed[:, None]), mixed - 0.5

    def judge(network: Any) -> gumbel.Judge:
        return two_heads.judge(config, game, network, two_heads.policy_value)  # as in training

    def searched(network: Any, states: Any) -> Any:
        return gumbel.search(game, judge(network), key, states, effort)

    whole = _seconds(searched, seconds, network, states)
    judged = _seconds(lambda network, states: judge(network)(states), seconds, network, states)
    ruled = _seconds(lambda states: _rules(game, states), seconds, states)
    rest = _seconds(lambda states: gumbel.search(game, idle, key, states, effort), seconds, states) / SIMULATIONS
    asked = judged * (SIMULATIONS + 1) / SIMULATIONS  # and one call at the root
    return SimulationTime(config.width, config.blocks, lanes, whole / SIMULATIONS, asked, ruled, max(0.0, rest - ruled))


def at_board(game: Game, seconds: float) -> float:
    """Simulations a second of a tree on the host, as in a game against a person, at its first move."""
    config = AlphaZeroConfig(network="tower", width=SHAPES[-1][0], blocks=SHAPES[-1][1], lanes=1)
    network = alphazero.init(config, game, jax.random.key(0)).average
    look = jax.jit(
        lambda states, actions: host_tree.expander(game, two_heads.judge(config, game, network))(states, actions)
    )
    start = jax.tree.map(np.asarray, game.init())

    def search() -> None:
        tree, made = host_tree.SearchTree(look, start), 0
        while made < MOVE:
            made += tree.grow(MOVE - made)

    return MOVE / fastest(search, seconds)


def _mixed(state: Any) -> jax.Array:
    words = [jnp.asarray(leaf).astype(jnp.uint32).ravel() for leaf in jax.tree.leaves(state)]
    return (jnp.concatenate(words).sum(dtype=jnp.uint32) % 1000).astype(jnp.float32) / 1000


def _rules(game: Game, states: Any) -> Any:
    """What a simulation needs of the rules: a move, the position after it, and the legal moves there."""
    first = jax.vmap(lambda state: game.nth_legal(state, jnp.int32(0)))(states)
    reached = jax.vmap(lambda state, action: gumbel.follow(game, state, action))(states, first)
    return reached, jax.vmap(game.legal)(reached[0])


def _seconds(work: Callable[..., Any], seconds: float, *given: Any) -> float:
    compiled = jax.jit(work)
    return fastest(lambda: jax.block_until_ready(compiled(*given)), seconds)
