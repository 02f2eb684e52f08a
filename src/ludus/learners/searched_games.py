"""Self-play of `alphazero`: the averaged weights choose every move by a short search; each ply is a row of the tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from ludus.core.arrays import select
from ludus.core.game import Rules
from ludus.learners.configs import AlphaZeroConfig as Config
from ludus.learners.tape import Tape, moves_kept
from ludus.learners.two_heads import Network, judge, policy_value
from ludus.play import selfplay
from ludus.play.policies import MASKED
from ludus.search.network import gumbel

WHOLE = 8  # one lane in so many plays all its games to the end, however sure the search is
ANY = 0.05  # odds of an opening that the network thinks decided, where those of an open one are 1


def new_waits(config: Config, key: Key[Array, ""]) -> Int[Array, "B"]:
    """The number of random moves that each lane's next game begins with."""
    return jax.random.randint(key, (config.lanes,), config.least_plies, config.random_plies + 1)


def play(
    config: Config, game: Rules, network: Network, lanes: selfplay.Lanes, wait: Int[Array, "B"], key: Key[Array, ""]
) -> tuple[tuple[selfplay.Lanes, Int[Array, "B"]], Tape]:
    """Some plies in all lanes: the lanes, the random moves they still have to make, and the new end of the tape."""
    considered = min(config.considered, game.num_actions)
    effort = gumbel.GumbelSettings(config.simulations, considered, 1.0, config.value_scale, config.rescaled)
    kept = moves_kept(config, game)
    opening = random_opening(config, game, network)

    def body(carry: Any, key: Key[Array, ""]) -> Any:
        lanes, wait = carry
        key_search, key_random, key_lanes, key_wait = jax.random.split(key, 4)
        found = gumbel.search(game, judge(config, game, network, policy_value), key_search, lanes.state, effort)
        by_chance = opening(key_random, lanes)
        action = jnp.where(wait > 0, by_chance, found.action)
        lanes, record = selfplay.advance(game, lambda key, states: action, lanes, key_lanes)
        if config.decided < 1:
            lanes, record = _stop_decided(config, game, lanes, record, found.value, wait)
        likely = jax.lax.top_k(found.weights, kept)
        row = Tape(
            record.state,
            record.player.astype(jnp.int8),
            record.over,
            record.returns,
            likely[1].astype(jnp.int16),
            likely[0].astype(jnp.float16),
            wait == 0,
        )
        return (lanes, jnp.where(record.over, new_waits(config, key_wait), jnp.maximum(wait - 1, 0))), row

    return jax.lax.scan(body, (lanes, wait), jax.random.split(key, config.plies))


def _stop_decided(
    config: Config,
    game: Rules,
    lanes: selfplay.Lanes,
    record: Any,
    value: Float[Array, "B"],
    wait: Int[Array, "B"],
) -> Any:
    """Stop the games in which the search is sure who wins, before its move, with that result."""
    to_end = jnp.arange(config.lanes) % WHOLE == 0
    ends = (jnp.abs(value) > config.decided) & (wait == 0) & ~record.over & ~to_end
    seats = jnp.arange(game.num_players)[None] == record.player[:, None]
    result = jnp.sign(value)[:, None] * jnp.where(seats, jnp.float32(1), jnp.float32(-1))
    restarted = jax.vmap(select)(ends, selfplay.fresh(game, config.lanes).state, lanes.state)
    return (
        lanes._replace(state=restarted, ply=jnp.where(ends, 0, lanes.ply)),
        record._replace(over=record.over | ends, returns=jnp.where(ends[:, None], result, record.returns)),
    )


def random_opening(
    config: Config, game: Rules, network: Network
) -> Callable[[Key[Array, ""], selfplay.Lanes], Int[Array, "B"]]:
    """Draws the random moves that games begin with: any legal move; or, for a game's very first move, more often one
    after which the network thinks the game still open.
    """
    anything = selfplay.random_policy(game)
    if config.openings == "random":
        return lambda key, lanes: anything(key, lanes.state)
    start = game.init()
    reached = jax.vmap(game.step, (None, 0))(start, jnp.arange(game.num_actions, dtype=jnp.int32))
    _, value = judge(config, game, network, policy_value)(reached)
    odds = jnp.where(game.legal(start), jnp.log(1 - value**2 + jnp.float32(ANY)), MASKED)

    def draw(key: Key[Array, ""], lanes: selfplay.Lanes) -> Int[Array, "B"]:
        key_first, key_later = jax.random.split(key)
        first = jax.random.categorical(key_first, odds, shape=lanes.ply.shape).astype(jnp.int32)
        return jnp.where(lanes.ply == 0, first, anything(key_later, lanes.state))

    return draw
