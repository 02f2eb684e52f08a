"""Speed of searches that learn: simulations a second of `learners.gumbel` with a new tower, and where the time goes.

The parts are timed by themselves on the same positions: the network alone, as often as a search asks it; the rules
alone; and the search with a network that says next to nothing, of which what the rules do not take is the tree.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludus.bench.thinking import middle_game
from ludus.core.game import Game
from ludus.games import part
from ludus.learners import alphazero
from ludus.learners.configs import AlphaZeroConfig
from ludus.search.network import gumbel, host_tree

SIMULATIONS = 32  # a move, as in training
MOVE = 100  # at the board
CPU_LANES, GPU_LANES = (8,), (4096, 8192)
SHAPES = ((64, 8), (96, 8))  # channels and blocks


class Simulating(NamedTuple):
    """Seconds that one simulation takes, of all lanes at once."""

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


def measure(game: Game, seconds: float) -> Iterator[Simulating]:
    """Of a game that lies on a lattice; nothing of others."""
    if part(game, "lattice") is None:
        return
    for lanes in CPU_LANES if jax.default_backend() == "cpu" else GPU_LANES:
        for width, blocks in SHAPES:
            yield _measured(game, AlphaZeroConfig(network="tower", width=width, blocks=blocks), lanes, seconds)


def _measured(game: Game, config: AlphaZeroConfig, lanes: int, seconds: float) -> Simulating:
    states = middle_game(game, lanes)
    network = alphazero.weights(alphazero.init(replace(config, lanes=1), game, jax.random.key(0)))
    effort, key = gumbel.Effort(SIMULATIONS), jax.random.key(1)
    some = jax.random.normal(jax.random.key(2), (lanes, game.num_actions))

    def idle(states: Any) -> Any:
        """Some moves are better than others, and positions differ; no more."""
        mixed = jax.vmap(_mixed)(states)
        return some * (1 + 0.01 * mixed[:, None]), mixed - 0.5

    def judge(network: Any) -> gumbel.Judge:
        return alphazero.judge(config, game, network, alphazero.policy_value)  # as in training

    def searched(network: Any, states: Any) -> Any:
        return gumbel.search(game, judge(network), key, states, effort)

    whole = _seconds(searched, seconds, network, states)
    judged = _seconds(lambda network, states: judge(network)(states), seconds, network, states)
    ruled = _seconds(lambda states: _rules(game, states), seconds, states)
    rest = _seconds(lambda states: gumbel.search(game, idle, key, states, effort), seconds, states) / SIMULATIONS
    asked = judged * (SIMULATIONS + 1) / SIMULATIONS  # once more, at the root
    return Simulating(config.width, config.blocks, lanes, whole / SIMULATIONS, asked, ruled, max(0.0, rest - ruled))


def at_board(game: Game, seconds: float) -> float:
    """Simulations a second in one game that somebody waits at, from its start: a tree on the host."""
    config = AlphaZeroConfig(network="tower", width=SHAPES[-1][0], blocks=SHAPES[-1][1], lanes=1)
    network = alphazero.weights(alphazero.init(config, game, jax.random.key(0)))
    look = jax.jit(
        lambda states, actions: host_tree.look(game, alphazero.judge(config, game, network))(states, actions)
    )
    start = jax.tree.map(np.asarray, game.init())
    host_tree.Tree(look, start).grow(MOVE)
    best, begin = 0.0, time.perf_counter()
    while best == 0.0 or time.perf_counter() - begin < seconds:
        tree, made, before = host_tree.Tree(look, start), 0, time.perf_counter()
        while made < MOVE:
            made += tree.grow(MOVE - made)
        best = max(best, made / (time.perf_counter() - before))
    return best


def _mixed(state: Any) -> jax.Array:
    words = [jnp.asarray(leaf).astype(jnp.uint32).ravel() for leaf in jax.tree.leaves(state)]
    return (jnp.concatenate(words).sum(dtype=jnp.uint32) % 1000).astype(jnp.float32) / 1000


def _rules(game: Game, states: Any) -> Any:
    """What a simulation asks of the rules: a move, what came of it, and what is legal then."""
    first = jax.vmap(lambda state: game.nth_legal(state, jnp.int32(0)))(states)
    reached = jax.vmap(lambda state, action: gumbel.follow(game, state, action))(states, first)
    return reached, jax.vmap(game.legal)(reached[0])


def _seconds(work: Callable[..., Any], seconds: float, *given: Any) -> float:
    """The best of calls for so long: compilation and the first one do not count."""
    compiled = jax.jit(work)
    jax.block_until_ready(compiled(*given))
    best, begin = float("inf"), time.perf_counter()
    while best == float("inf") or time.perf_counter() - begin < seconds:
        before = time.perf_counter()
        jax.block_until_ready(compiled(*given))
        best = min(best, time.perf_counter() - before)
    return best
