"""Values of positions, learned from lambda-returns of many games side by side.

V(s) is the expected discounted sum of what the side to move will still gain: rewards on the way (pieces won, by the
game's part `rewards`), the other side's rewards as losses, and the result. Every lane plays its best moves, with some
random ones; then each position learns from its lambda-return,

    G = (1 - lambda) max_a q(s, a) + lambda (r - gamma G'),    q(s, a) = r - gamma V(s')

where G' is the next position's. After a random move, and where a game is stopped, G is the best move's q instead.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core.barrier import barrier
from ludus.core.game import Rules, each_move
from ludus.errors import BadInput
from ludus.games import part
from ludus.learners import optimise, replay, targets
from ludus.learners.configs import ReturnsConfig as Config
from ludus.learners.learner import Learner, unswept
from ludus.learners.starts import starts_of
from ludus.networks import MLP, encode, input_size
from ludus.networks.patterns import PatternNet, Patterns
from ludus.play import selfplay, transition
from ludus.play.policies import MASKED, choose

Network = MLP | PatternNet


class State(NamedTuple):
    network: Any
    optimizer: Any
    lanes: selfplay.Lanes
    wait: Int[Array, "B"]  # random moves still to be made in each lane before its game begins
    key: Key[Array, ""]
    games: Int[Array, ""]  # finished
    rounds: Int[Array, ""]


def init(config: Config, game: Rules, key: Key[Array, ""]) -> State:
    key_network, key_wait, key_play = jax.random.split(key, 3)
    network = _network(config, game, key_network)
    return State(
        network,
        optimise.direction("adam").init(network),  # pyright: ignore[reportArgumentType]
        selfplay.fresh(game, config.lanes, starts_of(game)),
        _waits(config, key_wait),
        key_play,
        jnp.int32(0),
        jnp.int32(0),
    )


def _network(config: Config, game: Rules, key: Key[Array, ""]) -> Network:
    if config.network == "patterns":
        return PatternNet(patterns_of(game).different, config.units, key)
    shape = jax.eval_shape(game.observe, game.init()).shape
    return MLP((input_size(shape, "planes"), *config.hidden, 1), key)


def patterns_of(game: Rules) -> Patterns:
    found = part(game, "patterns")
    if found is None:
        raise BadInput(f"{game.name or 'this game'} has no patterns; give network 'mlp'.")
    return found


def _waits(config: Config, key: Key[Array, ""]) -> Int[Array, "B"]:
    return jax.random.randint(key, (config.lanes,), 0, config.random_plies + 1)


def value(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, ""]:
    """What the side to move will still gain."""
    if isinstance(network, PatternNet):
        patterns = patterns_of(game)
        return network(barrier(jnp.asarray(patterns.tie)[barrier(patterns.numbers(game, state))]))
    return network(encode(game.observe(state), "planes"))[0]


class RatedMoves(NamedTuple):
    """The legal moves of one position, padded, in the order of actions."""

    q: Float[Array, "M"]
    reward: Float[Array, "M"]  # at once
    actions: Int[Array, "M"]


def rated(config: Config, game: Rules, network: Network, state: Any, limit: int = 0) -> RatedMoves:
    """The value of each legal move to its mover; of `limit` moves at most, where it is not 0."""
    gained = part(game, "rewards")

    def one(reached: Any) -> tuple[Float[Array, ""], Float[Array, ""]]:
        done = game.done(reached)
        reward = jnp.float32(config.result) * transition.result(game, state, reached, done)
        if gained is not None:
            reward = reward + gained(game, state, reached)
        sign = transition.sign(game, state, reached, done)
        return targets.one_step(reward, sign, value(config, game, network, reached), config.gamma), reward

    (q, reward), actions, valid = each_move(game, state, one, min(limit or game.max_legal, game.max_legal))
    return RatedMoves(jnp.where(valid, q, MASKED), reward, actions)


def move_values(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, "A"]:
    """The value of every action of a position; an illegal one has the lowest there is."""
    found = rated(config, game, network, state)
    return jnp.full(game.num_actions, MASKED).at[found.actions].max(found.q)


def _chosen(key: Key[Array, ""], found: RatedMoves, explore: Bool[Array, "B"]) -> Int[Array, "B"]:
    """The place of one of the best moves, or of any move where the lane explores."""
    best = found.q == found.q.max(axis=1, keepdims=True)
    return choose(key, best, found.q > MASKED, explore.astype(jnp.float32))


LOOKED_AT = 16  # so many of the best moves are checked for repeating a position


def policy(config: Config, game: Rules, network: Network, epsilon: float) -> selfplay.Policy:
    """One of the best moves, or any with probability epsilon. A move that repeats a position ties the game: its value
    is 0.
    """

    def move(key: Key[Array, ""], states: Any, again: selfplay.Again) -> Int[Array, "B"]:
        key_explore, key_move = jax.random.split(key)
        found = jax.vmap(lambda state: rated(config, game, network, state))(states)
        found = found._replace(q=_warned(game, states, found, again))
        explore = jax.random.uniform(key_explore, (len(found.q),)) < epsilon
        return jnp.take_along_axis(found.actions, _chosen(key_move, found, explore)[:, None], axis=1)[:, 0]

    return selfplay.HistoryPolicy(move)


def _warned(game: Rules, states: Any, found: RatedMoves, again: selfplay.Again) -> Float[Array, "B M"]:
    """The values of moves; 0 for those of the best that repeat a position."""
    if not game.repetition_ties:
        return found.q
    best, place = jax.lax.top_k(found.q, min(LOOKED_AT, found.q.shape[1]))
    actions = jnp.take_along_axis(found.actions, place, axis=1)
    reached = jax.vmap(jax.vmap(game.step, (None, 0)))(states, actions)
    worth = jnp.where(again(reached) & (best > MASKED), jnp.float32(0), best)
    return jax.vmap(lambda q, place, worth: q.at[place].set(worth))(found.q, place, worth)


class PlayedPly(NamedTuple):
    """What is kept of a position and the move made there."""

    state: Any
    over: Bool[Array, "B"]  # the game has ended, by the rules or because it was stopped
    done: Bool[Array, "B"]  # it has ended by the rules, ties by repetition included: there is nothing more to gain
    best: Float[Array, "B"]  # the highest q
    reward: Float[Array, "B"]  # of the move made
    sign: Float[Array, "B"]  # of what follows it
    random: Bool[Array, "B"]


def play(config: Config, game: Rules, state: State, key: Key[Array, ""]) -> Any:
    """Some plies in all lanes: the lanes, the random moves they still have to make, and the plies, time first."""
    starts = starts_of(game)

    def body(carry: Any, key: Key[Array, ""]) -> Any:
        lanes, wait = carry
        key_explore, key_move, key_lanes, key_wait = jax.random.split(key, 4)
        found = jax.vmap(lambda s: rated(config, game, state.network, s, config.most_moves))(lanes.state)
        found = found._replace(q=_warned(game, lanes.state, found, selfplay.been(game, lanes)))
        explore = (jax.random.uniform(key_explore, wait.shape) < config.epsilon) | (wait > 0)
        place = _chosen(key_move, found, explore)[:, None]
        action, reward = (jnp.take_along_axis(leaf, place, axis=1)[:, 0] for leaf in (found.actions, found.reward))
        now = lanes.state
        after = jax.vmap(game.step)(now, action)
        stopped = lanes.ply >= game.max_plies
        sign = jax.vmap(lambda a, b: transition.sign(game, a, b, game.done(b)))(now, after)
        lanes, record = selfplay.advance(game, lambda key, states: action, lanes, key_lanes, starts)
        wait = jnp.where(record.over, _waits(config, key_wait), jnp.maximum(wait - 1, 0))
        done = jax.vmap(game.done)(now) | (record.over & ~stopped)
        return (lanes, wait), PlayedPly(now, record.over, done, found.q.max(axis=1), reward, sign, explore)

    return jax.lax.scan(body, (state.lanes, state.wait), jax.random.split(key, config.plies))


def lambda_returns(config: Config, steps: PlayedPly) -> Float[Array, "T B"]:
    """The return of every position; that of the last one is its best move's q."""

    def back(following: Float[Array, "B"], step: PlayedPly) -> tuple[Float[Array, "B"], Float[Array, "B"]]:
        ahead = step.reward + jnp.where(step.sign == 0, jnp.float32(0), step.sign * config.gamma * following)
        mixed = (1 - config.trace) * step.best + config.trace * ahead
        found = jnp.where(step.random | step.over, step.best, mixed)
        found = jnp.where(step.done, jnp.float32(0), found)
        return found, found

    last = jax.tree.map(lambda leaf: leaf[-1], steps)
    first = jnp.where(last.done, jnp.float32(0), last.best)
    before = jax.tree.map(lambda leaf: leaf[:-1], steps._replace(state=jnp.zeros((len(steps.over), 0))))
    _, found = jax.lax.scan(back, first, before, reverse=True)
    return jnp.concatenate([found, first[None]])


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One round: play, compute the returns, and learn from all positions in `updates` batches."""
    key, key_play, key_mix = jax.random.split(state.key, 3)
    (lanes, wait), steps = play(config, game, state, key_play)
    target = lambda_returns(config, steps).reshape(-1)
    live = ~steps.over.reshape(-1)
    played = config.plies * config.lanes
    updates = min(config.updates, played)
    order = jax.random.permutation(key_mix, played)[: played // updates * updates].reshape(updates, -1)
    states = replay.flat(steps.state)
    rate = optimise.annealed(config.learning_rate, state.games, config.games)

    def learn(carry: Any, rows: Int[Array, "N"]) -> Any:
        batch, wanted, counts = jax.tree.map(lambda leaf: leaf[rows], (states, target, live))

        def loss(network: Network) -> Float[Array, ""]:
            estimate = jax.vmap(lambda s: value(config, game, network, s))(batch)
            return jnp.where(counts, (estimate - wanted) ** 2, jnp.float32(0)).mean()

        network, optimizer, error = optimise.descend(optimise.direction("adam"), loss, carry[0], carry[1], rate)
        return (network, optimizer), error

    (network, optimizer), errors = jax.lax.scan(learn, (state.network, state.optimizer), order)
    games = state.games + steps.over.sum(dtype=jnp.int32)
    metrics = {"loss": errors.mean(), "rate": rate, "spread": jnp.std(target, where=live)}
    metrics |= {"decided": steps.done.sum() / jnp.maximum(steps.over.sum(), 1)}
    return State(network, optimizer, lanes, wait, key, games, state.rounds + 1), metrics


def compiled_evaluation(config: Config, game: Rules, network: Network) -> Any:
    """The value as compiled code for a search, where the game's patterns have it."""
    if not isinstance(network, PatternNet):
        return None
    patterns = patterns_of(game)
    return None if patterns.evaluation is None else patterns.evaluation(network.tables(patterns.tie), "patterns")


LEARNER = Learner(
    name="returns",
    init=unswept(init),
    advance=advance,
    policy=policy,
    move_values=move_values,
    unit=lambda config, game: "" if part(game, "rewards") is None else "pieces",
    compiled_evaluation=compiled_evaluation,
)
