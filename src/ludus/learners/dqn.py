"""Deep Q-learning with a replay buffer of whole games, as in "A Deep Q-Learning Agent for the L-Game with Variable
Batch Training" (Giannakopoulos and Cotronis): one network plays both sides; after each game, N stored games are drawn,
and all their moves together are the batch of one step.

Q(s, a) is the value of a move to its mover: the result if it ends the game, else by `backup`
- "negamax": -gamma max Q(s', .) of the position s' that the other side then faces;
- "own-turn": gamma max Q(s'', .) of the position s'' that the mover faces next, after the reply that was played.
Illegal moves are masked. What a figure sweeps is an array (`DqnSweep`), so one compiled program trains a whole grid.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core.game import Rules
from ludus.learners import optimise, replay, targets
from ludus.learners.configs import DqnConfig as Config
from ludus.learners.learner import Learner, Pace, Span
from ludus.learners.starts import any_of, starts_of
from ludus.learners.views import with_moves
from ludus.networks import MLP, encode
from ludus.play import selfplay, transition
from ludus.play.policies import greedy, highest, to_actions

REPORTS = 50  # in a run, but at least one every 1,000 games


class DqnSweep(NamedTuple):
    """What may differ between runs of one program."""

    learning_rate: Float[Array, ""]
    final_rate: Float[Array, ""]
    gamma: Float[Array, ""]
    epsilon: Float[Array, ""]
    final_epsilon: Float[Array, ""]


def sweep_of(config: Config) -> DqnSweep:
    return DqnSweep(*(jnp.float32(getattr(config, name)) for name in DqnSweep._fields))


class State(NamedTuple):
    network: MLP
    target: MLP | None  # an earlier network, whose values are the targets; None: the network itself
    optimizer: Any
    starts: Any  # positions that games begin at, if a setup gives them
    memory: replay.Ring  # rows: (states, actions, live), time first
    key: Key[Array, ""]
    sweep: DqnSweep
    games: Int[Array, ""]
    rounds: Int[Array, ""]


class RememberedGame(NamedTuple):
    """One game of the replay buffer: T + 1 positions, and the move made in each that is live."""

    state: Any
    action: Int[Array, "T+1"]
    live: Bool[Array, "T+1"]


def init(config: Config, game: Rules, key: Key[Array, ""], sweep: DqnSweep | None = None, setup: Any = None) -> State:
    """A new run; `setup` is positions that all its games begin at (every leaf [N, ...])."""
    key_network, key_play = jax.random.split(key)
    inputs = jax.eval_shape(functools.partial(_inputs, config, game), game.init()).size
    outputs = game.action_groups()[0] if config.head == "groups" else game.num_actions
    network = MLP((inputs, *config.hidden, outputs), key_network)
    row = jax.eval_shape(lambda: jax.tree.map(lambda leaf: leaf[:, 0], _episodes(game, key_play, 1)))
    sweep = sweep_of(config) if sweep is None else sweep
    optimizer = _rule(config).init(network)  # pyright: ignore[reportArgumentType]
    memory = replay.empty(row, max(config.memory, config.lanes))
    target = jax.tree.map(jnp.copy, network) if config.target else None  # a run's state is given away, leaf by leaf
    return State(network, target, optimizer, setup, memory, key_play, sweep, jnp.int32(0), jnp.int32(0))


def _first(game: Rules, key: Key[Array, ""], count: int, starts: Any = None) -> tuple[Any, Key[Array, ""]]:
    """The first positions of so many games, at random from these or from the game's part `starts`, and a key for what
    follows. None without that part: the game's own start, which for a puzzle would be the same puzzle every time.
    """
    starts = starts_of(game) if starts is None else starts
    if starts is None:
        return None, key
    key_start, key_play = jax.random.split(key)
    return any_of(starts, key_start, count), key_play


def _episodes(
    game: Rules, key: Key[Array, ""], count: int, policy: selfplay.Policy | None = None, starts: Any = None
) -> RememberedGame:
    played = selfplay.play(game, policy or selfplay.random_policy(game), key, count, starts)
    return RememberedGame(played.state, played.action, played.live)


def _rule(config: Config) -> optax.GradientTransformation:
    return optimise.direction(config.optimizer, config.momentum)


def _inputs(config: Config, game: Rules, state: Any) -> Float[Array, "In"]:
    """The network's inputs for one position."""
    return with_moves(game, state) if config.inputs == "moves" else encode(game.observe(state), config.inputs)


def move_values(config: Config, game: Rules, network: MLP, state: Any) -> Float[Array, "A"]:
    """Q of every action of one position, legal or not."""
    outputs = network(_inputs(config, game, state))
    return to_actions(game, state, outputs[game.action_groups()[1]] if config.head == "groups" else outputs)


def last_units(config: Config, game: Rules, network: MLP, state: Any) -> Float[Array, "U"]:
    """The outputs of the last hidden units."""
    return network.features(_inputs(config, game, state))


def policy(config: Config, game: Rules, network: MLP, epsilon: Float[Array, ""] | float) -> selfplay.Policy:
    """A legal action of the highest Q (any of them where several share an output), or any with probability epsilon."""

    return greedy(game, lambda state: move_values(config, game, network, state), epsilon)


def targets_of(
    config: Config,
    gamma: Float[Array, ""],
    best: Float[Array, "P"],
    rewards: Float[Array, "P-1"],
    signs: Float[Array, "P-1"],
) -> Float[Array, "P-1"]:
    """The target of Q for each move of one game: `best` is the largest legal Q of each position; `rewards` and `signs`
    are those of the moves between the positions.
    """
    if config.backup == "negamax":
        return jax.vmap(lambda r, s, b: targets.one_step(r, s, b, gamma))(rewards, signs, best[1:])
    none = jnp.float32(0)
    pairs = ((x, jnp.append(x[1:], none)) for x in (rewards, signs, best[1:]))
    return jax.vmap(lambda r, s, b: targets.own_turn(r, s, b, gamma))(*pairs)


def errors(
    config: Config,
    game: Rules,
    network: MLP,
    gamma: Float[Array, ""],
    episode: RememberedGame,
    target_network: MLP | None = None,
) -> Float[Array, "T"]:
    """The squared error of each move of one game; zero after its end. The targets are held fixed."""

    def values(network: MLP, states: Any) -> Float[Array, "P A"]:
        return jax.vmap(lambda state: move_values(config, game, network, state))(states)

    before, after = (
        jax.tree.map(lambda leaf, part=part: leaf[part], episode.state) for part in (slice(-1), slice(1, None))
    )
    if config.batch == "games" and target_network is None:
        q = values(network, episode.state)  # once: a position stands after one move and before another
        seen = q
    else:
        q = values(network, before)  # no gradient goes through the positions after a move, which halves the work
        later = values(network if target_network is None else target_network, after)
        seen = jnp.concatenate([q[:1], later])
    best = jax.vmap(highest)(seen, jax.vmap(game.legal)(episode.state))
    over = jax.vmap(game.done)(after)
    rewards = jax.vmap(functools.partial(transition.result, game))(before, after, over)
    signs = jax.vmap(functools.partial(transition.sign, game))(before, after, over)
    target = jax.lax.stop_gradient(targets_of(config, gamma, best, rewards, signs))
    made = jnp.take_along_axis(q[: len(over)], episode.action[:-1, None], axis=1)[:, 0]
    return jnp.where(episode.live[:-1], (made - target) ** 2, jnp.float32(0))


def update(
    config: Config,
    game: Rules,
    carry: tuple[MLP, Any],
    rate: Float[Array, ""],
    gamma: Float[Array, ""],
    batch: RememberedGame,
    target_network: MLP | None = None,
) -> tuple[tuple[MLP, Any], Float[Array, ""]]:
    """One step on a batch of games (every leaf [N, T + 1, ...]), or of positions cut from them."""
    network, optimizer = carry

    def loss(network: MLP) -> Float[Array, ""]:
        squares = jax.vmap(lambda episode: errors(config, game, network, gamma, episode, target_network))(batch)
        return squares.sum() / jnp.maximum(batch.live[:, :-1].sum(dtype=jnp.float32), 1)

    network, optimizer, error = optimise.descend(_rule(config), loss, network, optimizer, rate)
    return (network, optimizer), error


def _ends(memory: replay.Ring) -> Int[Array, "G"]:
    """The number of moves up to the end of each stored game."""
    return jnp.cumsum(memory.rows.live.sum(axis=1, dtype=jnp.int32))


def _batch(
    config: Config,
    memory: replay.Ring,
    just_played: RememberedGame | None,
    key: Key[Array, ""],
    players: int = 2,
    ends: Int[Array, "G"] | None = None,  # of the stored games, if known
) -> RememberedGame:
    """The batch of one step."""
    if config.batch == "transitions":
        # Every stored move is equally likely, so longer games are drawn more often.
        ends = _ends(memory) if ends is None else ends
        nth = jax.random.randint(key, (config.transitions,), 0, jnp.maximum(ends[-1], 1))
        which = jnp.searchsorted(ends, nth, side="right")
        place = nth - jnp.where(which > 0, ends[which - 1], 0)
        games: RememberedGame = jax.tree.map(lambda leaf: leaf[which], memory.rows)
        # A move, the reply and the position after it; in a puzzle there is no reply.
        span = place[:, None] + np.arange(3 if players > 1 else 2)[None]

        def cut(leaf: Array) -> Array:
            return jax.vmap(lambda row, places: row[jnp.minimum(places, len(row) - 1)])(leaf, span)

        short = jax.tree.map(cut, games)
        return short._replace(live=short.live & (np.arange(span.shape[1]) == 0)[None])
    if config.recall == 0:
        return jax.tree.map(lambda leaf: leaf[None], just_played)
    return replay.draw(memory, key, config.recall)


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One round: play and store `lanes` games, then as many steps of learning (or `steps`, where given)."""
    key, key_play, key_learn = jax.random.split(state.key, 3)
    done = jnp.minimum(state.games / config.games, jnp.float32(1))
    sweep = state.sweep
    epsilon = sweep.epsilon + (sweep.final_epsilon - sweep.epsilon) * done
    rate = sweep.learning_rate * (1 + (sweep.final_rate - 1) * done)
    starts, key_play = _first(game, key_play, config.lanes, state.starts)
    played = _episodes(game, key_play, config.lanes, policy(config, game, state.network, epsilon), starts)
    episodes: RememberedGame = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, 1), played)
    memory = replay.push(state.memory, episodes)
    ends = _ends(memory)  # once for all steps: it takes longer than a step does

    steps = config.steps or config.lanes

    def learn(
        carry: tuple[MLP, Any, MLP | None], given: tuple[Key[Array, ""], Any, Int[Array, ""]]
    ) -> tuple[tuple[MLP, Any, MLP | None], Float[Array, ""]]:
        (network, optimizer, target), (key, just_played, step) = carry, given
        if target is not None:
            renew = (state.rounds * steps + step) % config.target == 0
            target = jax.tree.map(functools.partial(jnp.where, renew), network, target)
        batch = _batch(config, memory, just_played, key, game.num_players, ends)
        (network, optimizer), error = update(config, game, (network, optimizer), rate, sweep.gamma, batch, target)
        return (network, optimizer, target), error

    given = (jax.random.split(key_learn, steps), None if config.steps else episodes, jnp.arange(steps))
    begin = (state.network, state.optimizer, state.target)
    (network, optimizer, target), losses = jax.lax.scan(learn, begin, given)
    metrics = {"loss": losses.mean(), "plies": episodes.live.sum(axis=1).mean(), "epsilon": epsilon, "rate": rate}
    games, rounds = state.games + config.lanes, state.rounds + 1
    return State(network, target, optimizer, state.starts, memory, key, sweep, games, rounds), metrics


def compiled_order(config: Config, game: Rules, network: MLP, name: str) -> Any:
    """Moves by their Q, if the twin can make the network's inputs and every action has its own output."""
    from ludus.learners.ordering import by_moves  # loads Numba

    if config.inputs == "raw" or config.head != "full":
        return None
    return by_moves(game, network, name, config.inputs == "moves")


LEARNER = Learner(
    name="dqn",
    init=init,
    advance=advance,
    policy=policy,
    pace=lambda config: Pace(rounds=max(1, min(1000, config.games // REPORTS) // config.lanes)),
    span=lambda config: Span(config.lanes, "games"),
    move_values=move_values,
    last_units=last_units,
    compiled_order=compiled_order,
    sweep=sweep_of,
    program=lambda config: replace(config, **dict.fromkeys(DqnSweep._fields, 0.0)),
)
