"""Values of positions, learned by self-play: V(s) moves towards the best of -gamma V(s') over the positions s' that a
move leads to (afterstates). V is from the side to move; a player takes the move after which the other side's value is
lowest.

Any game can be learned. A game written down as a table of its positions (`truth.tabular`) is learned much faster: the
network rates every position once, and play and targets look the values up until the next refresh.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from ludus.core.game import Rules, afterstates
from ludus.learners import optimise, replay, targets
from ludus.learners.configs import AfterstateConfig as Config
from ludus.learners.learner import Learner, Pace, unswept
from ludus.networks import MLP, encode, input_size
from ludus.play import selfplay, transition
from ludus.play.policies import MASKED, greedy_among_legal
from ludus.truth.tabular import TableGame, smallest_image


class State(NamedTuple):
    network: MLP
    optimizer: Any
    lanes: selfplay.Lanes
    memory: replay.Ring
    key: Key[Array, ""]
    games: Int[Array, ""]  # finished
    rounds: Int[Array, ""]


def init(config: Config, game: Rules, key: Key[Array, ""]) -> State:
    key_network, key_play = jax.random.split(key)
    shape = jax.eval_shape(game.observe, game.init()).shape
    network = MLP((input_size(shape, config.inputs), *config.hidden, 1), key_network)
    lanes = selfplay.fresh(game, config.lanes)
    row = jax.tree.map(lambda leaf: leaf[0], lanes.state)
    return State(
        network,
        optimise.direction("adam").init(network),  # pyright: ignore[reportArgumentType]
        lanes,
        replay.empty(row, max(config.memory, config.lanes * config.plies)),
        key_play,
        jnp.int32(0),
        jnp.int32(0),
    )


def network_value(config: Config, game: Rules, network: MLP, state: Any) -> Float[Array, ""]:
    """The network's value of one position; the same for all its images."""
    if not isinstance(game, TableGame):
        state = smallest_image(game, state)
    return network(encode(game.observe(state), config.inputs))[0]


def value(config: Config, game: Rules, network: MLP, state: Any) -> Float[Array, ""]:
    """The value of one position to the side to move: the result if the game is over, else the network's."""
    result = game.returns(state)[game.player(state)]
    return jnp.where(game.done(state), result, network_value(config, game, network, state))


class Rater(NamedTuple):
    """Values of positions as of the last refresh: a network, or its values of every position."""

    network: MLP
    answers: Float[Array, "C"] | None


def refresh(config: Config, game: Rules, network: MLP) -> Rater:
    if not isinstance(game, TableGame):
        return Rater(network, None)
    return Rater(network, jax.vmap(lambda state: value(config, game, network, state))(game.everywhere()))


@functools.partial(jax.jit, static_argnums=(0, 1))
def values(config: Config, game: Rules, network: MLP, states: Any) -> Float[Array, "B"]:
    """The values of a batch of positions, compiled."""
    return jax.vmap(lambda state: value(config, game, network, state))(states)


def move_values(config: Config, game: Rules, rater: Rater, state: Any) -> Float[Array, "M"]:
    """The value of each legal move of one position to its mover, in the order of actions, padded."""
    after = afterstates(game, state)
    if rater.answers is not None:
        there = rater.answers[after.states.number]
    else:
        there = jax.vmap(lambda s: value(config, game, rater.network, s))(after.states)

    def backed_up(reached: Any, value: Float[Array, ""]) -> Float[Array, ""]:
        # The result of a finished game is discounted like any value, so that quick wins are worth more.
        return targets.one_step(jnp.float32(0), transition.sign(game, state, reached), value, config.gamma)

    return jnp.where(after.valid, jax.vmap(backed_up)(after.states, there), MASKED)


def policy(config: Config, game: Rules, rater: Rater, epsilon: float) -> selfplay.Policy:
    """The best move, or with probability epsilon any."""
    return greedy_among_legal(game, lambda state: move_values(config, game, rater, state), epsilon)


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One round: refresh, play, store, learn."""
    key, key_play, key_learn = jax.random.split(state.key, 3)
    rater = refresh(config, game, state.network)
    lanes, record = selfplay.stream(
        game,
        policy(config, game, rater, config.epsilon),
        state.lanes,
        key_play,
        config.plies,
        lambda record: (record.state, record.over),
    )
    visited, over = record
    memory = replay.push(state.memory, replay.flat(visited))

    def learn(carry: tuple[MLP, Any], key: Key[Array, ""]) -> tuple[tuple[MLP, Any], Float[Array, ""]]:
        batch = replay.draw(memory, key, config.batch)
        return update(config, game, rater, *carry, rate, batch)

    rate = optimise.annealed(config.learning_rate, state.games, config.games)
    carry = (state.network, state.optimizer)
    (network, optimizer), losses = jax.lax.scan(learn, carry, jax.random.split(key_learn, config.updates))
    games = state.games + over.sum(dtype=jnp.int32)
    return State(network, optimizer, lanes, memory, key, games, state.rounds + 1), {"loss": losses.mean()}


def update(
    config: Config, game: Rules, rater: Rater, network: MLP, optimizer: Any, rate: Float[Array, ""], batch: Any
) -> tuple[tuple[MLP, Any], Float[Array, ""]]:
    """One step on a batch of positions, towards their best moves' values; finished games do not count."""
    live = ~jax.vmap(game.done)(batch)
    target = jax.vmap(lambda state: move_values(config, game, rater, state).max())(batch)

    def loss(network: MLP) -> Float[Array, ""]:
        estimate = jax.vmap(lambda state: network_value(config, game, network, state))(batch)
        return (jnp.where(live, estimate - target, jnp.float32(0)) ** 2).mean()

    network, optimizer, error = optimise.descend(optimise.direction("adam"), loss, network, optimizer, rate)
    return (network, optimizer), error


LEARNER = Learner(
    name="afterstate",
    init=unswept(init),
    advance=advance,
    policy=lambda config, game, network, epsilon: policy(config, game, Rater(network, None), epsilon),
    pace=lambda config: Pace(rounds=10),
    position_value=value,
)
