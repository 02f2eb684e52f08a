"""Learning in batches: every 50 moves one step of RMSProp towards the targets of Q-learning or SARSA, with a
convolutional or a recurrent network.

The objective is "mse", one step towards the targets; or "pbe", the paper's approximation of the projected Bellman
error: a second network takes a (larger) step towards the targets, then the first one towards the second's new values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core.arrays import select
from ludus.core.game import Rules
from ludus.learners import optimise, replay, targets
from ludus.learners.configs import BatchConfig as Config
from ludus.learners.learner import Learner, Span
from ludus.learners.online import new_network
from ludus.learners.starts import one_of
from ludus.learners.views import bordered, view
from ludus.networks import HexagonNet, Recurrent, squash
from ludus.play import selfplay, transition
from ludus.play.policies import best_moves, choose, greedy, to_actions


class BatchSweep(NamedTuple):
    """What may differ between runs of one program."""

    learning_rate: Float[Array, ""]
    projection_rate: Float[Array, ""]
    first_weights: Float[Array, ""]
    epsilon: Float[Array, ""]
    greedy: Float[Array, ""]  # 1 where the targets are Q-learning's
    negate: Float[Array, ""]  # 1 where the backup is negamax


def sweep_of(config: Config) -> BatchSweep:
    names = ("learning_rate", "projection_rate", "first_weights", "epsilon")
    switches = config.target == "q", config.backup == "negamax"
    return BatchSweep(*(jnp.float32(getattr(config, name)) for name in names), *map(jnp.float32, switches))


class ReplayRow(NamedTuple):
    """One transition in the replay buffer: position, action, next position and the action made there."""

    planes: Bool[Array, "H W C"]
    action: Int[Array, ""]
    after: Bool[Array, "H W C"]
    legal: Bool[Array, "A"]  # in the next position
    reply: Int[Array, ""]
    reward: Float[Array, ""]
    sign: Float[Array, ""]  # of the backup; 0 after the last move
    first: Bool[Array, ""]  # of its game


class Playing(NamedTuple):
    """The current game, and the recurrent network's memory before its position."""

    state: Any
    ply: Int[Array, ""]
    memory: Float[Array, "M"]


class State(NamedTuple):
    network: Any
    optimizer: Any
    projection: Any  # the second network, and its optimiser
    playing: Playing
    tape: replay.Ring  # of rows
    starts: Any
    sweep: BatchSweep
    key: Key[Array, ""]
    games: Int[Array, ""]
    rounds: Int[Array, ""]


class BatchSetup(NamedTuple):
    """What a run begins with: two networks, and positions that games start at."""

    network: Any
    second: Any
    starts: Any


def new_setup(config: Config, game: Rules, key: Key[Array, ""]) -> BatchSetup:
    key_network, key_second, key_starts = jax.random.split(key, 3)
    network, second = (_network(config, game, k) for k in (key_network, key_second))
    return BatchSetup(network, second, selfplay.random_positions(game, key_starts, config.starts))


def init(
    config: Config,
    game: Rules,
    key: Key[Array, ""],
    sweep: BatchSweep | None = None,
    setup: BatchSetup | None = None,
) -> State:
    """A new run. One setup may serve many programs."""
    key_given, key_play, key_first = jax.random.split(key, 3)
    sweep = sweep_of(config) if sweep is None else sweep
    network, second, starts = new_setup(config, game, key_given) if setup is None else setup
    if config.network == "rnn":
        network, second = (net.scaled(sweep.first_weights) for net in (network, second))
    playing = _begin(config, network, starts, key_first)
    row = jax.eval_shape(lambda: _move(config, game, network, sweep, starts, playing, key)[1][0])
    optimizer = optimise.direction("rmsprop")
    return State(
        network,
        optimizer.init(network),
        (second, optimizer.init(second)) if config.objective == "pbe" else None,
        playing,
        replay.empty(row, max(config.memory, config.moves)),
        starts,
        sweep,
        key_play,
        jnp.int32(0),
        jnp.int32(0),
    )


def _network(config: Config, game: Rules, key: Key[Array, ""]) -> HexagonNet | Recurrent:
    key_net, key_head = jax.random.split(key)
    net = new_network(game, key_net)
    return net if config.network == "cnn" else Recurrent(net, key_head)


def fresh(config: Config, network: Any) -> Float[Array, "M"]:
    """A network's memory before a game; a convolutional one has none."""
    return network.fresh() if config.network == "rnn" else jnp.zeros(0)


def look(
    config: Config, network: Any, planes: Float[Array, "H W C"], memory: Float[Array, "M"]
) -> tuple[Float[Array, "M"], Float[Array, "A"]]:
    """The memory after a position, and the values of its moves."""
    return network(planes, memory) if config.network == "rnn" else (memory, squash(network(planes)))


def move_values(config: Config, game: Rules, network: Any, state: Any) -> Float[Array, "A"]:
    """The values of every action of one position, without the positions before it."""
    return to_actions(game, state, look(config, network, bordered(game, state), fresh(config, network))[1])


def last_units(config: Config, game: Rules, network: Any, state: Any) -> Float[Array, "U"]:
    """The outputs of the convolutions' last layer."""
    return (network.net if config.network == "rnn" else network).features(bordered(game, state))


def policy(config: Config, game: Rules, network: Any, epsilon: float) -> selfplay.Policy:
    """The action of the highest value, or any with probability epsilon; without the positions before it."""
    return greedy(game, lambda state: move_values(config, game, network, state), epsilon)


def _begin(config: Config, network: Any, starts: Any, key: Key[Array, ""]) -> Playing:
    return Playing(one_of(starts, key), jnp.int32(0), fresh(config, network))


def _move(
    config: Config, game: Rules, network: Any, sweep: BatchSweep, starts: Any, playing: Playing, key: Key[Array, ""]
) -> tuple[Playing, tuple[ReplayRow, Bool[Array, ""]]]:
    """One move of the current game, chosen with the network's memory; and whether it was the last."""
    key_move, key_reply, key_begin = jax.random.split(key, 3)
    state, seen = playing.state, view(game, playing.state)
    memory, values = look(config, network, seen.planes, playing.memory)

    def pick(key: Key[Array, ""], values: Float[Array, "A"], legal: Bool[Array, "A"]) -> Int[Array, ""]:
        return choose(key, best_moves(values, legal)[None], legal[None], sweep.epsilon)[0]

    action = pick(key_move, values, seen.legal)
    after = game.step(state, game.canonical_action(state, action))
    then = view(game, after)
    done = game.done(after)
    over = done | (playing.ply + 1 >= game.max_plies)
    row = ReplayRow(
        planes=seen.planes > 0,
        action=action,
        after=then.planes > 0,
        legal=then.legal,
        reply=pick(key_reply, look(config, network, then.planes, memory)[1], then.legal),
        reward=transition.result(game, state, after, done),
        sign=transition.sign(game, state, after, over, sweep.negate),
        first=playing.ply == 0,
    )
    going_on = Playing(after, playing.ply + 1, memory)
    return select(over, _begin(config, network, starts, key_begin), going_on), (row, over)


def estimates(
    config: Config, network: Any, rows: ReplayRow
) -> tuple[Float[Array, "T"], Float[Array, "T"], Float[Array, "T"]]:
    """For consecutive moves: the value of each, of the best next move, and of the next move that was made."""

    def step(memory: Float[Array, "M"], row: ReplayRow) -> tuple[Float[Array, "M"], Any]:
        memory = jnp.where(row.first, fresh(config, network), memory)
        memory, values = look(config, network, row.planes.astype(jnp.float32), memory)
        following = look(config, network, row.after.astype(jnp.float32), memory)[1]
        best = jnp.where(row.legal, following, -jnp.inf).max()
        return memory, (values[row.action], jnp.where(jnp.isfinite(best), best, jnp.float32(0)), following[row.reply])

    begin = fresh(config, network)
    if config.network == "cnn":  # no memory to hand on
        return jax.vmap(lambda row: step(begin, row)[1])(rows)
    return jax.lax.scan(step, begin, rows)[1]


def draw(config: Config, tape: replay.Ring, key: Key[Array, ""]) -> ReplayRow:
    """A step's batch: sequences of consecutive moves, 50 of one or 5 of ten (every leaf [sequences, length, ...])."""
    length = config.sequence if config.network == "rnn" else 1
    size = len(tape.rows.action)
    held = jnp.minimum(tape.pushed, size)
    oldest = jnp.where(tape.pushed > size, tape.pushed % size, 0)
    begin = jax.random.randint(key, (config.moves // length,), 0, jnp.maximum(held - length + 1, 1))
    place = (oldest + begin[:, None] + jnp.arange(length)[None]) % size
    return jax.tree.map(lambda leaf: leaf[place], tape.rows)


def _step(
    config: Config, network: Any, optimizer: Any, rate: Float[Array, ""], rows: ReplayRow, goal: Array
) -> tuple[Any, Any, Float[Array, ""]]:
    """One step of RMSProp; also the error before the step."""

    def loss(network: Any) -> Float[Array, ""]:
        return ((jax.vmap(lambda r: estimates(config, network, r)[0])(rows) - goal) ** 2).mean()

    return optimise.descend(optimise.direction("rmsprop"), loss, network, optimizer, rate)


def learn(config: Config, state: State, rows: ReplayRow) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One step on a batch. The metrics: the error of the values, the error of the projection (the second network), and
    the share of its units that live; NaN without a projection.
    """
    _, best, made = jax.vmap(lambda r: estimates(config, state.network, r))(rows)
    target = jax.vmap(jax.vmap(targets.one_step))(rows.reward, rows.sign, jnp.where(state.sweep.greedy > 0, best, made))
    goal, projection = target, state.projection
    missed = live = jnp.float32(jnp.nan)
    if config.objective == "pbe":
        second, memory = projection
        second, memory, missed = _step(config, second, memory, state.sweep.projection_rate, rows, target)
        goal, projection = jax.vmap(lambda r: estimates(config, second, r)[0])(rows), (second, memory)
        live = _live(config, second, rows)
    network, optimizer, error = _step(config, state.network, state.optimizer, state.sweep.learning_rate, rows, goal)
    state = state._replace(network=network, optimizer=optimizer, projection=projection)
    return state, {"loss": error, "projection": missed, "projection_live": live}


def _live(config: Config, network: Any, rows: ReplayRow) -> Float[Array, ""]:
    """The share of a network's last hidden units that are above zero somewhere in the batch."""
    net = network.net if config.network == "rnn" else network
    lit = jax.vmap(jax.vmap(lambda planes: net.features(planes.astype(jnp.float32)) > 0))(rows.planes)
    return lit.any(axis=(0, 1)).mean(dtype=jnp.float32)


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One round: play and store `moves` moves, then one step."""
    key, key_play, key_draw = jax.random.split(state.key, 3)

    def play(playing: Playing, key: Key[Array, ""]) -> tuple[Playing, tuple[ReplayRow, Bool[Array, ""]]]:
        return _move(config, game, state.network, state.sweep, state.starts, playing, key)

    playing, (rows, over) = jax.lax.scan(play, state.playing, jax.random.split(key_play, config.moves))
    tape = replay.push(state.tape, rows)
    state = state._replace(playing=playing, tape=tape, key=key)
    state, metrics = learn(config, state, draw(config, tape, key_draw))
    value = estimates(config, state.network, rows)[0].mean()
    games = state.games + over.sum(dtype=jnp.int32)
    return state._replace(games=games, rounds=state.rounds + 1), metrics | {"value": value}


def program(config: Config) -> Config:
    """The config that all runs of one compiled program share."""
    swept = "learning_rate", "projection_rate", "first_weights", "epsilon", "target", "backup", "games", "rounds"
    return replace(config, **{name: getattr(Config, name) for name in swept})


LEARNER = Learner(
    name="batch",
    init=init,
    advance=advance,
    policy=policy,
    span=lambda config: Span(config.moves, "moves"),
    move_values=move_values,
    last_units=last_units,
    sweep=sweep_of,
    program=program,
    setup=new_setup,
    needs_planes=True,
)
