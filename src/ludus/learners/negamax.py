"""Negamax deep Q-learning with a replay buffer of positions, after Young, Hayward and Vasan (2016), for any game.

Q(s, a) is the value of a move to its mover: the result if the move ends the game, else -gamma max Q(s', .) of the
position s' that the other side then faces. Games start at random positions, and one network plays both sides. A stored
position learns from the move that was played; or, since the rules are known, from several or all of its moves at once,
which costs little more (`backups`). In lanes with a handicap one side plays its best moves against more or less random
ones, so that the player learns to answer every reply, not only good ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core.arrays import below
from ludus.core.game import Rules
from ludus.learners import optimise, replay, targets
from ludus.learners.configs import NegamaxConfig as Config
from ludus.learners.learner import Learner, Pace, unswept
from ludus.learners.views import bordered
from ludus.networks import MLP, Tower, encode, input_size, squash
from ludus.play import selfplay, transition
from ludus.play.policies import greedy, highest, to_actions


class State(NamedTuple):
    network: Any
    optimizer: Any
    lanes: selfplay.Lanes
    wait: Int[Array, "B"]  # random moves still to be made in each lane before its game begins
    memory: replay.Ring  # rows: (state, action)
    key: Key[Array, ""]
    games: Int[Array, ""]  # finished
    rounds: Int[Array, ""]


def init(config: Config, game: Rules, key: Key[Array, ""]) -> State:
    key_network, key_wait, key_play = jax.random.split(key, 3)
    lanes = selfplay.fresh(game, config.lanes)
    row = jax.tree.map(lambda leaf: leaf[0], lanes.state), jnp.int32(0)
    network = _network(config, game, key_network)
    return State(
        network,
        _rule(config).init(network),
        lanes,
        _waits(config, game, key_wait),
        replay.empty(row, max(config.memory, config.lanes * config.plies)),
        key_play,
        jnp.int32(0),
        jnp.int32(0),
    )


def _network(config: Config, game: Rules, key: Key[Array, ""]) -> Any:
    if config.network == "tower":
        shape = jax.eval_shape(lambda: bordered(game, game.init())).shape
        return Tower(shape, config.width, config.depth, game.num_actions, key)
    shape = jax.eval_shape(game.observe, game.init()).shape
    return MLP((input_size(shape, "planes"), *config.hidden, game.num_actions), key)


def _rule(config: Config) -> optax.GradientTransformation:
    return optimise.direction(config.optimizer)


def _waits(config: Config, game: Rules, key: Key[Array, ""]) -> Int[Array, "B"]:
    """The number of random moves that each lane's next game begins with; at most one in a lane with a handicap."""
    most = config.random_plies or game.max_plies
    waits = jax.random.randint(key, (config.lanes,), 0, most)
    return jnp.where(_handicapped(config), jnp.minimum(waits, 1), waits)


def _handicapped(config: Config) -> Bool[Array, "B"]:
    return jnp.arange(config.lanes) < round(config.handicap * config.lanes)


def _looseness(config: Config, wait: Int[Array, "B"], player: Int[Array, "B"]) -> Float[Array, "B"]:
    """The share of random moves in each lane. With a handicap, one side makes none, and the other's share rises from
    lane to lane up to 1. Which side it is alternates from lane to lane.
    """
    lane = jnp.arange(config.lanes)
    share = (lane + 1) / max(round(config.handicap * config.lanes), 1)
    loose = jnp.where(player == lane % 2, share.astype(jnp.float32), jnp.float32(0))
    loose = jnp.where(_handicapped(config), loose, jnp.float32(config.epsilon))
    return jnp.where(wait > 0, jnp.float32(1), loose)


def q_values(config: Config, game: Rules, network: Any, state: Any) -> Float[Array, "A"]:
    """Q of every action of one position, legal or not, in (-1, 1)."""
    outputs = network(bordered(game, state) if config.network == "tower" else encode(game.observe(state), "planes"))
    return squash(to_actions(game, state, outputs))


def mean_q_values(config: Config, game: Rules, network: Any, state: Any) -> Float[Array, "A"]:
    """The mean of Q over images of one position: the network need not rate them alike."""
    if config.images == 1:
        return q_values(config, game, network, state)
    images, becomes = jax.tree.map(lambda leaf: leaf[: config.images], game.symmetries(state))
    q = jax.vmap(lambda image: q_values(config, game, network, image))(images)
    return jnp.take_along_axis(q, becomes, axis=1).mean(axis=0)


def move_values(config: Config, game: Rules, network: Any, state: Any) -> Float[Array, "A"]:
    """What a player moves by: Q; with `lookahead` the target of Q."""
    if not config.lookahead:
        return mean_q_values(config, game, network, state)
    actions = jnp.arange(game.num_actions, dtype=jnp.int32)
    legal = game.legal(state)
    safe = jnp.where(legal, actions, legal.argmax().astype(jnp.int32))  # only legal moves can be made
    return move_targets(config, game, network, state, safe, mean_q_values)


def policy(
    config: Config, game: Rules, network: Any, epsilon: Float[Array, "..."] | float, values: Any = move_values
) -> selfplay.Policy:
    """The action of the highest value, or any with probability epsilon (one for all positions, or one for each)."""
    return greedy(game, lambda state: values(config, game, network, state), epsilon)


def move_targets(
    config: Config, game: Rules, network: Any, state: Any, actions: Int[Array, "K"], values: Any = q_values
) -> Float[Array, "K"]:
    """The target of Q for these legal moves of one position."""

    def target(action: Int[Array, ""]) -> Float[Array, ""]:
        after = game.step(state, action)
        over = game.done(after)
        best = highest(values(config, game, network, after), game.legal(after))
        reward, sign = transition.result(game, state, after, over), transition.sign(game, state, after, over)
        return targets.one_step(reward, sign, best, config.gamma)

    return jax.vmap(target)(actions)


def _backed_up(
    config: Config, game: Rules, state: Any, played: Int[Array, ""], key: Key[Array, ""]
) -> tuple[Int[Array, "K"], Bool[Array, "K"]]:
    """The moves of a stored position to learn from, and which of them are no padding."""
    if config.backups == 1:
        return played[None], jnp.ones(1, bool)
    count = game.num_legal(state)
    if config.backups == 0 or config.backups >= game.max_legal:
        index = jnp.arange(game.max_legal, dtype=jnp.int32)
        valid = index < count
    else:
        index = below(jax.random.bits(key, (config.backups,)), jnp.broadcast_to(count, (config.backups,)))
        valid = jnp.ones(config.backups, bool)
    actions = jax.vmap(game.nth_legal, (None, 0))(state, jnp.minimum(index, jnp.maximum(count - 1, 0)))
    return actions, valid


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One round: play, store, and learn towards the values of the network as it was at the round's start."""
    key, key_play, key_learn = jax.random.split(state.key, 3)
    (lanes, wait), (visited, played, over, live) = _play(config, game, state, key_play)
    memory = replay.push(state.memory, replay.flat((visited, played)))
    fixed = state.network

    def learn(carry: tuple[Any, Any], key: Key[Array, ""]) -> tuple[tuple[Any, Any], Float[Array, ""]]:
        key_draw, key_moves = jax.random.split(key)
        states, actions = replay.draw(memory, key_draw, config.batch)
        return update(config, game, fixed, carry, rate, states, actions, key_moves)

    rate = optimise.annealed(config.learning_rate, state.games, config.games)
    carry = (state.network, state.optimizer)
    (network, optimizer), losses = jax.lax.scan(learn, carry, jax.random.split(key_learn, config.updates))
    games = state.games + over.sum(dtype=jnp.int32)
    metrics = {"loss": losses.mean(), "rate": rate, "random": 1 - live.mean()}
    return State(network, optimizer, lanes, wait, memory, key, games, state.rounds + 1), metrics


def _play(config: Config, game: Rules, state: State, key: Key[Array, ""]) -> Any:
    """Self-play in all lanes; each game begins with some random moves."""

    def choose(epsilon: Float[Array, "B"]) -> selfplay.Policy:
        return policy(config, game, state.network, epsilon, q_values)

    def body(carry: Any, key: Key[Array, ""]) -> Any:
        lanes, wait = carry
        key_policy, key_wait = jax.random.split(key)
        epsilon = _looseness(config, wait, jax.vmap(game.player)(lanes.state))
        lanes, record = selfplay.advance(game, choose(epsilon), lanes, key_policy)
        following = jnp.where(record.over, _waits(config, game, key_wait), jnp.maximum(wait - 1, 0))
        return (lanes, following), (record.state, record.action, record.over, wait == 0)

    return jax.lax.scan(body, (state.lanes, state.wait), jax.random.split(key, config.plies))


def update(
    config: Config,
    game: Rules,
    fixed: Any,
    carry: tuple[Any, Any],
    rate: Float[Array, ""],
    states: Any,
    played: Int[Array, "B"],
    key: Key[Array, ""],
) -> tuple[tuple[Any, Any], Float[Array, ""]]:
    """One step on a batch of positions, towards a fixed network's values; finished games do not count."""
    network, optimizer = carry
    keys = jax.random.split(key, len(played))
    actions, valid = jax.vmap(lambda s, a, k: _backed_up(config, game, s, a, k))(states, played, keys)
    valid = valid & ~jax.vmap(game.done)(states)[:, None]
    target = jax.vmap(lambda s, a: move_targets(config, game, fixed, s, a))(states, actions)

    def loss(network: Any) -> Float[Array, ""]:
        q = jax.vmap(lambda state: q_values(config, game, network, state))(states)
        estimate = jnp.take_along_axis(q, actions, axis=1)
        squares = jnp.where(valid, (estimate - target) ** 2, jnp.float32(0))
        return squares.sum() / jnp.maximum(valid.sum(dtype=jnp.float32), 1)

    network, optimizer, error = optimise.descend(_rule(config), loss, network, optimizer, rate)
    return (network, optimizer), error


LEARNER = Learner(
    name="negamax",
    init=unswept(init),
    advance=advance,
    policy=policy,
    pace=lambda config: Pace(config.rounds, config.calls),
    move_values=move_values,
    without_lookahead=lambda config: replace(config, lookahead=False),
)
